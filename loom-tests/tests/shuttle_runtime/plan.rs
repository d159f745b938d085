//! What a schedule is about, drawn from its seed: how large the cluster is, what is set, and what its operator does.

use super::draw;
use evenweave::{FairScheduler, FairSchedulerBuilder, Resource, Settings};
use std::fmt::Write as _;

/// The unit of containers.
pub(crate) const SMALL: Resource = Resource::new(1024, 1);

/// `n` small ones.
pub(crate) const fn small(n: i64) -> Resource {
    Resource::new(1024 * n, n)
}

/// Of the queue `root.capped`, in small containers.
pub(crate) const LIMITS: [i64; 3] = [2, 3, 5];
/// Its limit at the start.
pub(crate) const FIRST_LIMIT: i64 = 3;

pub(crate) const QUEUES: [&str; 4] = ["root.capped", "root.sure", "root.free.x", "root.free.y"];

/// One schedule's world.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) workers: usize,
    /// Threads act by time too, which passes when the operator lets it.
    pub(crate) timed: bool,
    /// Containers are taken back.
    pub(crate) preempts: bool,
    /// What an AM has and no node has reported expires.
    pub(crate) expires: bool,
    /// There is a client of the reservation system.
    pub(crate) reserves: bool,
    /// In small containers, by node.
    pub(crate) nodes: Vec<i64>,
    /// By application, the first in the limited queue.
    pub(crate) apps: Vec<&'static str>,
    /// Of the operator.
    pub(crate) rounds: usize,
    /// One in so many containers completes with a heartbeat of its node.
    pub(crate) completes: usize,
    strict: bool,
    fold_every: Option<u32>,
    channel: usize,
}

impl Plan {
    pub(crate) fn drawn() -> Plan {
        let apps = 2 + draw(2);
        let preempts = draw(2) == 0;
        // Who has enough takes nothing from others.
        let nodes = if preempts { 2 } else { 2 + draw(3) };
        Plan {
            workers: [2, 2, 2, 1, 3][draw(5)],
            timed: draw(4) == 0,
            preempts,
            expires: draw(6) == 0,
            reserves: draw(3) == 0,
            nodes: (0..nodes).map(|_| [2, 3, 4][draw(3)]).collect(),
            apps: (0..apps).map(|app| if app == 0 { QUEUES[0] } else { QUEUES[draw(QUEUES.len())] }).collect(),
            completes: [4, 12][draw(2)],
            rounds: 20 + draw(40),
            strict: draw(2) == 0,
            fold_every: [None, Some(1), Some(3)][draw(3)],
            channel: 1 + draw(6),
        }
    }

    pub(crate) fn builder(&self) -> FairSchedulerBuilder {
        let yes = |is: bool| if is { "true" } else { "false" };
        let settings = Settings::from_properties([
            ("yarn.scheduler.fair.preemption", yes(self.preempts)),
            ("yarn.scheduler.fair.preemption.strict", yes(self.strict)),
            ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0"),
            ("yarn.scheduler.fair.waitTimeBeforeKill", "0"),
            ("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "0"),
            ("yarn.scheduler.fair.assignmultiple", "true"),
            ("yarn.scheduler.fair.dynamic.max.assign", yes(self.strict)),
            ("yarn.scheduler.fair.schedule-asynchronously.enable", yes(self.timed)),
            ("yarn.resourcemanager.reservation-system.enable", yes(self.reserves)),
            ("yarn.resourcemanager.reservation-system.planfollower.time-step", "10"),
            ("yarn.scheduler.fair.continuous-scheduling-enabled", yes(self.timed && self.strict)),
        ]);
        let settings = settings.expect("these are good");
        let builder = FairScheduler::builder().settings(settings).workers(self.workers);
        let builder = builder.timers(self.timed).journal(true).channel_capacity(self.channel);
        match self.fold_every {
            Some(changes) => builder.fold_every(changes),
            None => builder,
        }
    }
}

/// The plan.
pub(crate) const RESERVABLE: &str = "root.p";

/// An allocation file: a queue with a limit, one that is entitled to something and perhaps limited too, two below a limited one, and perhaps a plan:
/// below `fair` it would have no cores.
pub(crate) fn allocations(limit: i64, sure_is_limited: bool, reserves: bool) -> String {
    let mut text = String::from("<allocations><queue name='root'>");
    if reserves {
        text.push_str(
            "<schedulingPolicy>drf</schedulingPolicy><queue name='p'><weight>3</weight>\
             <schedulingPolicy>drf</schedulingPolicy><reservation/></queue>",
        );
    }
    let _ =
        write!(text, "<queue name='capped'><maxResources>{} mb, {limit} vcores</maxResources></queue>", 1024 * limit);
    let sure = if sure_is_limited { "<maxResources>3072 mb, 3 vcores</maxResources>" } else { "" };
    let _ = write!(text, "<queue name='sure'>{sure}");
    text.push_str(
        "<minResources>2048 mb, 2 vcores</minResources>\
         <minSharePreemptionTimeout>0</minSharePreemptionTimeout></queue>\
         <queue name='free'><maxResources>6144 mb, 6 vcores</maxResources>\
         <queue name='x'><maxAMShare>0.5</maxAMShare></queue><queue name='y'><maxRunningApps>1</maxRunningApps></queue>\
         </queue></queue>\
         <defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>\
         <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold></allocations>",
    );
    text
}
