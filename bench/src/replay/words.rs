//! The core's reasons as lines. A reason is two texts: what stands against it, the same each time, and the figures.

use std::fmt::Write;

use crate::api::{
    AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, Locality, NotOffered, NotReserved, Obstacle,
    PassEnd, Precedence, QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit, Resource, ResourceTypes,
    RunningLimit,
};

/// A later version of the core may have reasons that this one does not know.
const UNKNOWN: &str = "for a reason that this program does not know";

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    /// What stands against it.
    pub(super) what: String,
    /// The figures; empty where there are none.
    pub(super) figures: String,
}

impl Reason {
    pub(super) fn new(what: impl Into<String>, figures: impl Into<String>) -> Reason {
        Reason { what: what.into(), figures: figures.into() }
    }

    fn line(&self) -> String {
        if self.figures.is_empty() { self.what.clone() } else { format!("{}: {}", self.what, self.figures) }
    }
}

/// Turns reasons into words, amounts by the names of their types.
#[derive(Debug)]
pub(super) struct Words<'a> {
    types: &'a ResourceTypes,
}

/// A request key, as its AM knows it.
fn key_name(priority: i32, allocation_request_id: i64) -> String {
    match allocation_request_id {
        0 => format!("priority {priority}"),
        id => format!("priority {priority}, allocation request {id}"),
    }
}

pub(super) fn nearness(locality: Locality) -> &'static str {
    match locality {
        Locality::Node => "node-local",
        Locality::Rack => "rack-local",
        Locality::OffSwitch => "off-switch",
    }
}

/// Why one comes before another.
pub(super) fn precedence(precedence: Precedence) -> &'static str {
    match precedence {
        Precedence::Demand => "the other wanted nothing at the last update",
        Precedence::MinShare => "it is below its min share, the other is not",
        Precedence::PartOfMinShare => "it has the smaller part of its min share",
        Precedence::Weight => "the larger weight of two of which one is not positive",
        Precedence::UsageToWeight => "it uses less for its weight",
        Precedence::DominantShare => "its dominant share over its weight is smaller",
        Precedence::StartTime => "it started earlier",
        Precedence::Name => "by name, all else being equal",
        Precedence::Policy => "so the policy says",
        _ => UNKNOWN,
    }
}

impl Words<'_> {
    pub(super) fn new(types: &ResourceTypes) -> Words<'_> {
        Words { types }
    }

    /// Amounts with their units; those without a limit are left out.
    pub(super) fn amounts(&self, resource: &Resource) -> String {
        let shown = self.types.names().enumerate().map(|(i, name)| (name, resource.get(i)));
        let shown: Vec<String> = shown
            .filter(|(_, amount)| *amount != i64::MAX)
            .map(|(name, amount)| match name {
                "memory-mb" => format!("{amount} MB"),
                name => format!("{amount} {name}"),
            })
            .collect();
        if shown.is_empty() { "no limit".to_owned() } else { shown.join(", ") }
    }

    fn am_share(&self, share: &AmShare) -> Reason {
        let (used, asked, limit) = (self.amounts(&share.used), self.amounts(&share.asked), self.amounts(&share.limit));
        let what = "its AM would take the AMs of its queue above their share (maxAMShare)";
        Reason::new(what, format!("AMs use {used}, this one wants {asked}, they may use {limit}"))
    }

    fn above_max_share(&self, queue: &str, usage: &Resource, max_share: &Resource) -> Reason {
        let figures = format!("uses {}, max share {}", self.amounts(usage), self.amounts(max_share));
        Reason::new(format!("{queue} uses more than its max share"), figures)
    }

    /// Why a request key got nothing.
    pub(super) fn obstacle(&self, key: &Resource, obstacle: &Obstacle) -> Reason {
        let wants = self.amounts(key);
        match obstacle {
            Obstacle::NothingOutstanding => Reason::new("nothing is outstanding at `*`", ""),
            Obstacle::RackNotAsked => {
                Reason::new("nothing is asked for on the node's rack, and `*` is strict (relaxLocality false)", "")
            }
            Obstacle::NodeNotAsked => {
                Reason::new("nothing is asked for on the node, and its rack's ask is strict (relaxLocality false)", "")
            }
            Obstacle::LargerThanNode { total } => {
                let figures = format!("wants {wants}, the node has {}", self.amounts(total));
                Reason::new("larger than the whole node", figures)
            }
            Obstacle::MaxShare { queue, usage, max_share } => {
                let (uses, max) = (self.amounts(usage), self.amounts(max_share));
                let what = format!("one more would take {queue} above its max share");
                Reason::new(what, format!("wants {wants}; {queue} uses {uses}, max share {max}"))
            }
            Obstacle::RackNotRelaxed => {
                Reason::new("the rack was asked for with 0 containers and strictly: only the node itself will do", "")
            }
            Obstacle::TooFar { allowed, opportunities } => {
                let what = format!("delay scheduling: {} at most for now", nearness(*allowed));
                Reason::new(what, format!("opportunities missed at this level: {opportunities}"))
            }
            Obstacle::DoesNotFit { size, free, locality: _, not_reserved } => {
                let Reason { what, figures } = self.not_reserved(not_reserved);
                let what = format!("does not fit what is free, and may not reserve the node: {what}");
                let fit = format!("wants {}, free {}", self.amounts(size), self.amounts(free));
                Reason::new(what, if figures.is_empty() { fit } else { format!("{fit}; {figures}") })
            }
            Obstacle::Overtaken => {
                Reason::new("overtaken: other workers have taken the ask, the AM share or the room under a limit", "")
            }
            Obstacle::NoRecord => Reason::new("the worker can hold no further container", ""),
            _ => Reason::new(UNKNOWN, ""),
        }
    }

    fn not_reserved(&self, why: &NotReserved) -> Reason {
        match why {
            NotReserved::NotStarved { usage, fair_share } => {
                let figures = format!("uses {}, fair share {}", self.amounts(usage), self.amounts(fair_share));
                Reason::new("it is not below its fair share", figures)
            }
            NotReserved::BelowThreshold { threshold } => {
                Reason::new("too small for that", format!("the threshold is {}", self.amounts(threshold)))
            }
            NotReserved::RoomOwed => Reason::new("room on it is kept for it already", ""),
            NotReserved::OthersNode => Reason::new("another application has reserved it", ""),
            NotReserved::TooManyNodes { reserved, nodes } => {
                let figures = format!("{reserved} reserved of {nodes} nodes");
                Reason::new("as many nodes are reserved for it as may be (reservable-nodes)", figures)
            }
            _ => Reason::new(UNKNOWN, ""),
        }
    }

    /// Why an application is offered nothing at all.
    pub(super) fn not_offered(&self, why: &NotOffered) -> String {
        let reason = match why {
            NotOffered::Ended => Reason::new("it has ended", ""),
            NotOffered::Waiting { limit: None } => Reason::new(
                "it waits for a limit of running applications that is not reached any more; it starts when one that \
                 holds the limit ends, or with the next reload",
                "",
            ),
            NotOffered::Waiting { limit: Some(RunningLimit::Queue { queue, running, limit }) } => {
                let what = format!("it waits: {queue} has as many running applications as it may (maxRunningApps)");
                Reason::new(what, format!("{running} of {limit}"))
            }
            NotOffered::Waiting { limit: Some(RunningLimit::User { user, running, limit }) } => {
                let what = format!("it waits: user {user} has as many running applications as he may (maxRunningApps)");
                Reason::new(what, format!("{running} of {limit}"))
            }
            NotOffered::NothingOutstanding => Reason::new("it asks for nothing", ""),
            NotOffered::NothingPending { outstanding } => {
                let what = "nothing was pending at the last update (what it asks for counts from the next one on)";
                Reason::new(what, format!("it asks for {}", self.amounts(outstanding)))
            }
            NotOffered::AboveMaxShare { queue, usage, max_share } => self.above_max_share(queue, usage, max_share),
            NotOffered::AmShare(share) => self.am_share(share),
            NotOffered::Waiting { .. } | _ => Reason::new(UNKNOWN, ""),
        };
        reason.line()
    }

    /// Why a queue that was visited got nothing, whatever is below.
    pub(super) fn queue_stopped(&self, visit: &QueueVisit) -> Option<Reason> {
        let QueueOutcome::AboveMaxShare { max_share } = &visit.outcome else { return None };
        Some(self.above_max_share(&visit.queue, &visit.claim.usage, max_share))
    }

    /// Why an application that was visited, or listed in a leaf that was, got nothing: one reason, or one a request key.
    pub(super) fn app_stopped(&self, visit: &AppVisit) -> Vec<Reason> {
        match &visit.outcome {
            AppOutcome::Blacklisted => vec![Reason::new("it has blacklisted the node or its rack", "")],
            AppOutcome::AmShare(share) => vec![self.am_share(share)],
            AppOutcome::NothingPending => {
                let uses = self.amounts(&visit.claim.usage);
                vec![Reason::new(
                    "nothing was pending at the last update",
                    format!("its demand is what it uses: {uses}"),
                )]
            }
            AppOutcome::Waiting => vec![Reason::new("it waits for a limit of running applications", "")],
            AppOutcome::NoKey if visit.keys.is_empty() => vec![Reason::new("it asks for nothing", "")],
            AppOutcome::NotReached
            | AppOutcome::Placed
            | AppOutcome::PlacedNothing
            | AppOutcome::Reserved
            | AppOutcome::NoKey
            | _ => visit.keys.iter().filter_map(|key| self.key_stopped(key)).collect(),
        }
    }

    fn key_stopped(&self, key: &KeyVisit) -> Option<Reason> {
        match &key.outcome {
            KeyOutcome::PassedOver(Obstacle::NothingOutstanding) => None,
            KeyOutcome::PassedOver(obstacle) => {
                let Reason { what, figures } = self.obstacle(&key.size, obstacle);
                Some(Reason::new(format!("{}: {what}", key_name(key.priority, key.allocation_request_id)), figures))
            }
            KeyOutcome::NotReached => Some(Reason::new(
                format!("{}: waits behind the one before it", key_name(key.priority, key.allocation_request_id)),
                "",
            )),
            KeyOutcome::Placed { .. } | KeyOutcome::Reserved { .. } | _ => None,
        }
    }

    pub(super) fn end(&self, end: PassEnd) -> String {
        match end {
            PassEnd::BelowMinimum => "less than the minimum allocation is free: not offered".to_owned(),
            PassEnd::SameFreeMemory => "another node has as much memory free: not offered".to_owned(),
            PassEnd::Reservation => "the node is reserved: nobody else is offered it".to_owned(),
            PassEnd::Reserved => "the node is reserved now".to_owned(),
            PassEnd::NothingPlaced => "nobody can use what is free".to_owned(),
            PassEnd::OneContainer => "one container a pass (assignmultiple is off)".to_owned(),
            PassEnd::MaxAssign(most) => format!("{most} containers a pass (max.assign)"),
            PassEnd::HalfAssigned => "more than half of what was free is assigned (dynamic.max.assign)".to_owned(),
            PassEnd::MostOfAHeartbeat => "as many containers as one heartbeat may grant".to_owned(),
            _ => UNKNOWN.to_owned(),
        }
    }

    /// What became of a reservation.
    pub(super) fn reservation(&self, visit: &ReservationVisit) -> Reason {
        let after = |what: &str, reason: Reason| Reason::new(format!("{what}: {}", reason.what), reason.figures);
        match &visit.outcome {
            ReservationOutcome::Kept => Reason::new("kept, it does not fit yet", ""),
            ReservationOutcome::Fulfilled { locality } => {
                Reason::new(format!("container made, {}", nearness(*locality)), "")
            }
            ReservationOutcome::NotServed(obstacle) => {
                after("kept and not served", self.obstacle(&visit.size, obstacle))
            }
            ReservationOutcome::Dropped(obstacle) => after("given up", self.obstacle(&visit.size, obstacle)),
            ReservationOutcome::DroppedForAmShare(share) => after("given up", self.am_share(share)),
            _ => Reason::new(UNKNOWN, ""),
        }
    }

    // ------------------------------------------------------------------------------------------------ a whole pass

    /// A pass as indented lines.
    pub(super) fn pass(&self, pass: &Decision) -> String {
        let mut out = String::new();
        let (free, total) = (self.amounts(&pass.free), self.amounts(&pass.total));
        line(&mut out, 1, &format!("{}: {free} free of {total}", pass.node));
        if let Some(visit) = &pass.reservation {
            let ReservationVisit { app, container, size, .. } = visit;
            let key = key_name(visit.priority, visit.allocation_request_id);
            let what = self.reservation(visit).line();
            let whose = format!("application {app}, container {container}, {key}, {}", self.amounts(size));
            line(&mut out, 2, &format!("reserved for {whose}: {what}"));
        }
        for (n, root) in pass.descents.iter().enumerate() {
            line(&mut out, 2, &format!("walk {}", n + 1));
            self.queue(&mut out, 3, root, None);
        }
        line(&mut out, 2, &format!("over: {}", self.end(pass.end)));
        out
    }

    fn claim(&self, claim: &Claim, next: Option<(String, Option<Precedence>)>) -> String {
        let mut text = format!(
            "uses {}; demand {}; fair share {}",
            self.amounts(&claim.usage),
            self.amounts(&claim.demand),
            self.amounts(&claim.fair_share)
        );
        if !claim.min_share.is_zero() {
            let _ = write!(text, "; min share {}", self.amounts(&claim.min_share));
        }
        if (claim.weight - 1.0).abs() > f32::EPSILON {
            let _ = write!(text, "; weight {}", claim.weight);
        }
        if let Some((next, Some(why))) = next {
            let _ = write!(text, "; before {next}: {}", precedence(why));
        }
        text
    }

    fn queue(&self, out: &mut String, depth: usize, visit: &QueueVisit, next: Option<&QueueVisit>) {
        let outcome = match &visit.outcome {
            QueueOutcome::NotReached => "not reached",
            QueueOutcome::Placed => "container made",
            QueueOutcome::Reserved => "node reserved",
            QueueOutcome::Nothing => "nothing",
            QueueOutcome::AboveMaxShare { .. } => "passed over",
            _ => UNKNOWN,
        };
        let next = next.map(|next| (next.queue.clone(), visit.precedes));
        line(out, depth, &format!("{}: {outcome}; {}", visit.queue, self.claim(&visit.claim, next)));
        if let Some(reason) = self.queue_stopped(visit) {
            line(out, depth + 1, &reason.line());
        }
        for (place, below) in visit.queues.iter().enumerate() {
            self.queue(out, depth + 1, below, visit.queues.get(place + 1));
        }
        for (place, app) in visit.apps.iter().enumerate() {
            self.app(out, depth + 1, app, visit.apps.get(place + 1));
        }
    }

    fn app(&self, out: &mut String, depth: usize, visit: &AppVisit, next: Option<&AppVisit>) {
        let outcome = match &visit.outcome {
            AppOutcome::NotReached => "not reached",
            AppOutcome::Placed => "container made",
            AppOutcome::PlacedNothing => "container of size zero made, the walk goes on",
            AppOutcome::Reserved => "node reserved",
            AppOutcome::NothingPending | AppOutcome::Waiting => "not offered",
            AppOutcome::NoKey | AppOutcome::Blacklisted | AppOutcome::AmShare(_) | _ => "passed over",
        };
        let next = next.map(|next| (format!("application {}", next.app), visit.precedes));
        let claim = self.claim(&visit.claim, next);
        line(out, depth, &format!("application {}: {outcome}; {claim}", visit.app));
        if visit.keys.is_empty() {
            self.app_stopped(visit).iter().for_each(|reason| line(out, depth + 1, &reason.line()));
        }
        for key in &visit.keys {
            let id = key_name(key.priority, key.allocation_request_id);
            let asked = format!("{id}, {} of {}", key.outstanding, self.amounts(&key.size));
            let what = match &key.outcome {
                KeyOutcome::NotReached => "not reached".to_owned(),
                KeyOutcome::Placed { container, locality } => {
                    format!("container {container}, {}", nearness(*locality))
                }
                KeyOutcome::Reserved { container, locality } => {
                    format!("node reserved for container {container}, {}", nearness(*locality))
                }
                KeyOutcome::PassedOver(obstacle) => self.obstacle(&key.size, obstacle).line(),
                _ => UNKNOWN.to_owned(),
            };
            line(out, depth + 1, &format!("{asked}: {what}"));
        }
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{:1$}{text}", "", 2 * depth);
}
