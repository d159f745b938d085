//! The audit of who is in place: whoever has something outstanding is visited, and no bound passes over him.
//!
//! # Where it stands
//! Part of the audit of one worker (`engine::views::audit`), with the feature `faults`. Places and bounds are
//! `placing`'s.
//!
//! # What must hold
//! I7: a visit of the trees from the root reaches everybody whom sorting anew would reach. So an application that is
//! pending and has something outstanding has a place in its leaf, among those that wait for their AM or among the
//! others; its queue has one in each queue above; and the bounds there (`floor`, `ceiling`, `master_floor`,
//! `may_reserve`, `uneven`) admit what it asks for. What others took and gave back a worker sees with its next fold:
//! only then must everybody have a place.

use crate::fair::engine::{AppLocal, QueueLocal, Shard};
use crate::fair::in_vain::is_even;
use crate::id::NONE;

impl Shard {
    /// Room is owed to somebody as long as it is more than nothing.
    pub(crate) fn audit_owed(&self, wrong: &mut Vec<String>) {
        for (_, node) in self.nodes.present() {
            if node.own.owed.iter().any(|(_, amount)| amount.is_zero()) {
                wrong.push(format!("node {} owes nothing, to somebody", node.shared.name));
            }
        }
    }

    /// Says who is passed over. `folded`: what the others have done is folded in.
    pub(crate) fn audit_places(&self, folded: bool, wrong: &mut Vec<String>) {
        if !(self.own.out_for_pass.is_empty() && self.own.out_for_descent.is_empty()) {
            wrong.push("somebody is out of the order, and nobody is offered a node".to_owned());
        }
        for (index, queue) in (0_u32..).zip(&self.queues) {
            let Some(queue) = queue else { continue };
            self.audit_queue(index, queue, wrong);
            if queue.snapshot.leaf {
                for (position, member) in queue.snapshot.runnable.positions() {
                    let app = self.find_app(member.app.slot);
                    match app {
                        Some(app) if (app.leaf, app.position) != (index, position) => {
                            wrong.push(format!("{:?} is not in {}", app.shared, queue.snapshot.name));
                        }
                        Some(app) if app.runnable => self.audit_place(app, queue, folded, wrong),
                        Some(app) if app.closed || app.shared.is_closed() => {}
                        _ => wrong.push(format!("{:?} does not run in {}", member.app, queue.snapshot.name)),
                    }
                }
            }
        }
    }

    /// A queue that somebody below can be served in has a place above, and the bounds there are no narrower than its
    /// own.
    fn audit_queue(&self, index: u32, queue: &QueueLocal, wrong: &mut Vec<String>) {
        let name = &queue.snapshot.name;
        let positions = u32::try_from(queue.own.order.len()).unwrap_or(u32::MAX);
        let eligible = (0..positions).filter(|position| queue.own.has_eligible(*position)).count();
        let is_there = |position| {
            let child = queue.own.order.child(position);
            let app = self.apps.get(child as usize).and_then(Option::as_ref);
            child == NONE || app.is_some_and(|app| app.runnable && (app.leaf, app.position) == (index, position))
        };
        let strangers = (0..positions).filter(|position| queue.snapshot.leaf && !is_there(*position));
        wrong.extend(strangers.map(|position| format!("somebody stands in {name} at {position} who is not there")));
        if queue.own.eligible as usize != eligible {
            wrong.push(format!("{name} counts {} who may be served, {eligible} may", queue.own.eligible));
        }
        if queue.parent == NONE {
            return;
        }
        let above = self.queue(queue.parent);
        if above.own.has_stranger(queue.position) != queue.own.is_stranger() {
            wrong
                .push(format!("{name} is a stranger to the worker and not to the queue above, or the other way round"));
        }
        if above.own.order.child(queue.position) != index || above.own.has_eligible(queue.position) != (eligible > 0) {
            wrong.push(format!("{name} has not the place above that it should have: {eligible} below may be served"));
        }
        if !above.own.bounds().admit(self.types, &queue.own.bounds()) {
            wrong.push(format!("the bounds above {name} do not admit what it admits"));
        }
    }

    fn audit_place(&self, app: &AppLocal, leaf: &QueueLocal, folded: bool, wrong: &mut Vec<String>) {
        let of = || format!("{:?} in {}", app.shared, leaf.snapshot.name);
        if leaf.own.order.child(app.position) != app.slot.index {
            wrong.push(format!("{} has lost its place", of()));
            return;
        }
        let open = app.keys.iter().filter(|key| key.total() > 0);
        let mut sizes = open.flat_map(|key| {
            let rows = key.rows().iter().filter(|row| row.left() > 0).map(|row| *row.size());
            std::iter::once(key.size).chain(rows)
        });
        if !sizes.all(|size| app.own.floor.fits_in(&size))
            || !leaf.own.bounds().admit(self.types, &app.own.bounds())
            || !app.own.uneven && !is_even(app)
        {
            wrong.push(format!("{}: the bounds do not admit what it asks for", of()));
        }
        let waits = app.waits_for_am();
        if waits && self.first_ask(app.slot.index).is_some_and(|first| !leaf.own.master_floor.fits_in(&first)) {
            wrong.push(format!(
                "{}: the bound {} does not admit the AM that it waits for",
                of(),
                leaf.own.master_floor
            ));
        }
        let is_open = app.keys.iter().any(|key| key.visible(self.worker) > 0);
        if folded && app.is_pending() && is_open && !leaf.own.has_place_as(app.position, waits) {
            wrong.push(format!("{} has something outstanding, and no place", of()));
        }
        if folded && app.keys[..app.first_key()].iter().any(|key| key.total() > 0) {
            wrong.push(format!("{}: a key with something outstanding is passed over", of()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{AllocateRequest, Allocation, Ask, FairScheduler, Resource, SchedulerApi, Submission};

    /// So many keys that those in front with nothing outstanding are passed over together.
    const KEYS: i32 = 20;

    /// While one worker has the last unit of a key in hand, another one finds nothing outstanding and looks at that key
    /// no more. The first is refused, and puts the unit back: with its next fold the other finds it.
    #[test]
    fn what_another_worker_had_in_hand_is_found_again() {
        let mut stepped = FairScheduler::builder().workers(2).stepped().unwrap();
        for name in ["n0", "n1"] {
            stepped.add_node(name, &format!("/{name}"), Resource::new(8192, 8)).unwrap();
        }
        let app = stepped.submit(Submission::new(1, "ann").in_queue("root.q")).unwrap();
        let ask = |priority| Ask::anywhere(priority, Resource::new(1024, 1), u32::from(priority == 1));
        let asks = (1..=KEYS).map(ask).collect();
        stepped.allocate(&app, &AllocateRequest { asks, ..Default::default() }, &mut Allocation::default()).unwrap();
        stepped.update_now();
        let index = app.0.slot.index;
        for (holder, other) in [(0, 1), (1, 0)] {
            assert!(stepped.steps.stepper.shard(holder).app_mut(index).keys[0].take_one(holder).is_some());
            stepped.steps.stepper.shard(other).refresh_app(index);
            assert_eq!(stepped.steps.stepper.shard(other).app(index).first_key(), usize::try_from(KEYS).unwrap());
            stepped.steps.stepper.shard(holder).app_mut(index).keys[0].undo_take();
            assert!(stepped.steps.stepper.shard(other).may_lack_asks(index), "it is not found yet");
            assert_eq!(stepped.audit(true).wrong, [""; 0]);
        }
    }
}
