//! Passes in vain: over a node without room for anybody, where each visit would only be counted.
//!
//! Plain data of one worker. Hadoop offers a node until nobody takes it, and with delay scheduling each application
//! counts its visits, also where nothing fits any more. On a full cluster each heartbeat visits every application in
//! this way. If a pass can have no other effect it is counted as a whole, in one number. An application adds the visits
//! that it has missed before its own count is read.
//!
//! # When
//! A pass is in vain if nothing that is asked for fits the node, no application may reserve it, no queue has a limit,
//! and visits are counted, not time. All applications that would be visited must be *even*: one key, of one size that
//! every node of this total could hold, relaxed, no blacklist, no AM waited for. Then each of them counts one visit
//! under its key, in whatever order.

use crate::app::SchedulingKey;
use crate::fair::engine::{AppLocal, Shard};
use crate::fair::locality::rule_of_visits;
use crate::id::ROOT;
use crate::matching::delay::Rule;
use std::cell::Cell;

/// How many passes a worker has counted as a whole, and what it takes to make visits of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InVain {
    pub(crate) passes: u64,
    /// The number of nodes, as delay scheduling counts them.
    nodes: usize,
    /// Some queue has a limit.
    any_limited: bool,
}

/// Those of them that an application has not taken over yet.
#[derive(Debug, Default)]
pub(crate) struct Missed {
    /// The one key that it had then.
    key: Cell<Option<SchedulingKey>>,
    /// While it can be visited: how many there had been when that began, less those that it was visited in before.
    from: Cell<Option<u64>>,
    /// While it cannot.
    kept: Cell<u64>,
}

impl Missed {
    /// The application can be visited from now on, or no longer, if that is new.
    #[inline]
    pub(crate) fn note(&self, app: &AppLocal, visited: bool, passes: u64) {
        if visited != self.from.get().is_some() {
            self.note_change(app, visited, passes);
        }
    }

    #[cold]
    fn note_change(&self, app: &AppLocal, visited: bool, passes: u64) {
        match (visited, self.from.get()) {
            (true, None) => {
                if let [key] = &app.keys[..] {
                    self.key.set(Some(key.id()));
                    self.from.set(Some(passes - self.kept.take()));
                }
            }
            (false, Some(from)) => {
                self.kept.set(passes - from);
                self.from.set(None);
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// How many, if there are any: they are taken over.
    fn take(&self, passes: u64) -> u64 {
        let kept = self.kept.take();
        match self.from.get() {
            Some(from) if from != passes => {
                self.from.set(Some(passes));
                kept + passes - from
            }
            _ => kept,
        }
    }
}

/// Whether a visit of an application can have no effect at a node without room but to count; see the module's text. Of
/// sizes the bounds tell.
pub(super) fn is_even(app: &AppLocal) -> bool {
    let is_plain = match &app.keys[..] {
        [] => true,
        [key] => key.relax && !key.named().is_some_and(|rows| rows.any_strict()),
        _ => false,
    };
    is_plain && app.blacklists.is_none() && !app.waits_for_am()
}

impl Shard {
    /// Whether a descent at this node was one in vain: it is counted then, and need not be made.
    #[inline]
    pub(super) fn descends_in_vain(&mut self, node: u32) -> bool {
        if !self.own.counts_opportunities {
            return false;
        }
        let at = &self.nodes[node as usize];
        !self.queue(ROOT).own.floor.fits_in_types(self.types, &at.free) && self.counts_in_vain(node)
    }

    #[inline(never)]
    fn counts_in_vain(&mut self, node: u32) -> bool {
        let root = &self.queue(ROOT).own;
        if root.may_reserve
            || root.uneven
            || self.own.in_vain.any_limited
            || self.shared.decider.resort
            || self.shared.decider.settings.continuous_scheduling
            || !root.ceiling.fits_in_types(self.types, &self.nodes[node as usize].total)
        {
            return false;
        }
        let nodes = self.nodes_of_visits();
        if self.own.in_vain.nodes != nodes {
            self.take_all_missed();
            self.own.in_vain.nodes = nodes;
        }
        self.own.in_vain.passes += 1;
        true
    }

    /// An application takes over the visits that it has missed under a key.
    #[inline]
    pub(super) fn take_missed(&mut self, app: u32, key: usize) {
        let InVain { passes, nodes, .. } = self.own.in_vain;
        if passes == 0 {
            return;
        }
        let rule = rule_of_visits(&self.shared.decider.settings, nodes);
        take_missed(self.app_mut(app), key, passes, rule);
    }

    fn take_all_missed(&mut self) {
        let InVain { passes, nodes, .. } = self.own.in_vain;
        let rule = rule_of_visits(&self.shared.decider.settings, nodes);
        for app in self.apps.iter_mut().flatten() {
            let missed = app.own.missed.key.get();
            if let Some(key) = missed.and_then(|id| app.keys.binary_search_by_key(&id, |key| key.id()).ok()) {
                take_missed(app, key, passes, rule);
            }
        }
    }

    /// An application stands nowhere any more, and is not visited.
    pub(super) fn note_not_visited(&self, app: u32) {
        if let Some(Some(app)) = self.apps.get(app as usize) {
            app.own.missed.note(app, false, self.own.in_vain.passes);
        }
    }

    /// The queues are others.
    pub(super) fn note_limits(&mut self) {
        self.own.in_vain.any_limited = self.queues.iter().flatten().any(|queue| queue.limited);
    }
}

fn take_missed(app: &mut AppLocal, key: usize, passes: u64, rule: Rule) {
    let key = &mut app.keys[key];
    if app.own.missed.key.get() == Some(key.id()) {
        let missed = app.own.missed.take(passes);
        if missed > 0 {
            key.own.visit_often(missed, rule);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;
    use crate::resource::Resource;
    use crate::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, SchedulerApi, Submission};

    const SIZE: Resource = Resource::new(1024, 1);

    /// An application that wants a container on the first of four full nodes is offered each, so many times; then
    /// whether the last of them serves it. And how many passes were counted as a whole.
    fn is_served_elsewhere(resort: bool, visits: usize, blacklist: bool) -> (bool, u64) {
        let properties = [
            ("yarn.scheduler.fair.assignmultiple", "true"),
            ("yarn.scheduler.fair.dynamic.max.assign", "false"),
            ("yarn.scheduler.fair.locality.threshold.node", "0.5"),
            ("yarn.scheduler.fair.locality.threshold.rack", "0.75"),
        ];
        let builder = FairScheduler::builder().settings(Settings::from_properties(properties).unwrap());
        let mut stepped = builder.resort_for_each_container(resort).stepped().unwrap();
        let node = |index: usize| (format!("n{index}"), format!("/r{index}"));
        let nodes = [0, 1, 2, 3].map(|index| {
            let (name, rack) = node(index);
            stepped.add_node(&name, &rack, Resource::new(2048, 2)).unwrap()
        });
        let submission = |number| Submission::new(number, "ann").in_queue(format!("root.q{number}"));
        let [full, waiting] = [1, 2].map(|number| stepped.submit(submission(number)).unwrap());
        let asks = vec![Ask::anywhere(1, SIZE, 8)];
        stepped.allocate(&full, &AllocateRequest { asks, ..Default::default() }, &mut Allocation::default()).unwrap();
        stepped.update_now();
        nodes.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
        let any = Ask::anywhere(1, SIZE, 1);
        let (name, rack) = node(0);
        let locations = [stepped.location(&name), stepped.location(&rack)];
        let mut asks = vec![any];
        asks.extend(locations.map(|location| Ask { location, ..any }));
        let request = AllocateRequest { asks, ..Default::default() };
        stepped.allocate(&waiting, &request, &mut Allocation::default()).unwrap();
        stepped.update_now();
        for visit in 0..visits {
            if blacklist && visit == 2 {
                let request = AllocateRequest { blacklist_add: vec![stepped.location("n1")], ..Default::default() };
                stepped.allocate(&waiting, &request, &mut Allocation::default()).unwrap();
            }
            stepped.heartbeat(Heartbeat::new(&nodes[1 + visit % 3]));
        }
        stepped.finish(&full).unwrap();
        let granted = stepped.stats().granted;
        stepped.heartbeat(Heartbeat::new(&nodes[3]));
        (stepped.stats().granted > granted, stepped.steps.stepper.shard(0).own.in_vain.passes)
    }

    /// With every child sorted anew each application is visited by itself.
    #[test]
    fn passes_in_vain_count_as_visits_do() {
        for visits in 0..12 {
            let (expected, none) = is_served_elsewhere(true, visits, false);
            let (served, counted) = is_served_elsewhere(false, visits, false);
            assert_eq!((served, none), (expected, 0), "after {visits}");
            assert!(counted >= visits as u64, "{counted} of {visits} were counted as a whole");
            assert_eq!(served, visits >= 6, "the rule: more than two at a node, more than three at a rack");
        }
    }

    /// One with a blacklist is visited: it does not count at a node that it must not get.
    #[test]
    fn who_has_a_blacklist_counts_for_itself() {
        for visits in 0..12 {
            let [expected, served] = [true, false].map(|resort| is_served_elsewhere(resort, visits, true).0);
            assert_eq!(served, expected, "after {visits}");
        }
    }
}
