//! The audit: every kind of record of the whole scheduler, counted at quiet, and what each must add up to.
//!
//! # Where it stands
//! With the feature `faults`, for tests and soak runs. Between two messages each worker counts its own records
//! ([`worker`]), and the control its own (`control::audit`). [`compare`] then compares the counts with each other and
//! with what all threads share. `fair::audit` and `capacity::audit` check what the deciders keep.
//!
//! # What must add up
//! | kind | law | checked in |
//! | --- | --- | --- |
//! | container records | a record is in use while its container lives, its node has not reported the end, or a kill is to come; otherwise it is free | `worker` |
//! | sizes | each size is counted as often as a record in use has it | `records::containers` |
//! | mail records | each is in one place: to be fetched, with news of an end, of a live container that its AM has, given back, or free | `worker` |
//! | kills | the preemption task has each kill that a record waits for | `compare_kills` |
//! | marks | a marked container is in its application's list | `worker` |
//! | usage | the usage of an application, a node and a queue is the sum of its containers, and so is what is published | `worker` |
//! | rooms | *taken* is what all workers count, and what they use: nothing is leased; all workers have joined | `compare_rooms` |
//! | asks | each worker can take all that is outstanding: no worker holds a piece | `worker` |
//! | keys | all workers know the same of each key that is asked for | `compare_keys` |
//! | members | each worker has the applications and nodes of the control, and no others | `compare_members` |
//! | slots | as many slots are given out as there are applications and queues; the same for places of nodes | `control::audit` |
//! | lists | members, waiting, numbers, names and racks agree | `control::audit` |
//! | lanes, rounds | no message is on its way | `look_at_lanes` |
//! | what the decider keeps | all workers say the same of one thing, and the control too | `compare_agreed` |
//!
//! Sums have 128 bits, so the audit also finds a sum that has wrapped in the books.
//!
//! Blocks of container numbers are not counted: the numbers that an application does not use are lost with it.

mod worker;

use crate::engine::control::ControlCount;
use crate::engine::decider::Decider;
use crate::engine::mail::mailbox::audit::Place;
use crate::engine::shared::Shared;
use crate::id::{ContainerId, LabelId, Slot};
use crate::resource::Wide;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
pub(crate) use worker::WorkerCount;

/// What an audit found; see [`FairScheduler::audit`](crate::FairScheduler::audit).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// How many records of each kind there are, of all workers together.
    pub counted: Vec<(&'static str, usize)>,
    /// The laws that do not hold, a sentence each. Empty if all of them hold.
    pub wrong: Vec<String>,
}

impl Audit {
    /// Returns how many records of a kind there are; 0 for an unknown kind.
    #[must_use]
    pub fn of(&self, kind: &str) -> usize {
        self.counted.iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| *count)
    }

    fn count(&mut self, kind: &'static str, count: usize) {
        match self.counted.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None => self.counted.push((kind, count)),
        }
    }
}

/// Compares the counts of the workers and of the control. `doomed`: the containers that the preemption task is to kill.
pub(crate) fn compare<D: Decider>(
    shared: &Shared<D>,
    workers: &[WorkerCount],
    control: &ControlCount,
    doomed: &[ContainerId],
) -> Audit {
    let mut audit = Audit::default();
    for worker in workers {
        audit.count("container records in use", worker.in_use);
        audit.count("container records that are free", worker.free);
        for place in Place::ALL {
            audit.count(place.as_str(), worker.mail.count(place));
        }
        audit.count("keys that workers know", worker.keys.values().map(|keys| keys.len()).sum());
        audit.wrong.extend(worker.wrong.iter().map(|what| format!("worker {}: {what}", worker.worker)));
    }
    audit.count("applications", control.apps.len());
    audit.count("queues", control.queues);
    audit.count("nodes", control.nodes.values().map(|nodes| nodes.len()).sum());
    audit.wrong.extend(control.wrong.iter().map(|what| format!("control: {what}")));
    compare_members(workers, control, &mut audit.wrong);
    compare_kills(workers, doomed, &mut audit.wrong);
    compare_keys(workers, &mut audit.wrong);
    compare_agreed(workers, control, &mut audit.wrong);
    let watched = compare_rooms(shared, workers, &mut audit.wrong);
    audit.count("watched queues", watched);
    look_at_lanes(shared, &mut audit.wrong);
    audit
}

/// Each worker has the control's nodes and applications, and no others.
fn compare_members(workers: &[WorkerCount], control: &ControlCount, wrong: &mut Vec<String>) {
    for worker in workers {
        let of_control = control.nodes.get(&worker.worker);
        let nodes: Vec<_> = of_control.into_iter().flatten().copied().collect();
        if worker.nodes != nodes {
            wrong.push(format!("worker {} has the nodes {:?}, and not {nodes:?}", worker.worker, worker.nodes));
        }
        let open: FxHashSet<&Slot> = worker.open_apps.iter().collect();
        let left = open.iter().filter(|slot| !control.apps.contains(slot));
        wrong.extend(left.map(|slot| format!("worker {} has {slot:?}, which is over", worker.worker)));
        let lacking = control.apps.iter().filter(|slot| !open.contains(slot));
        wrong.extend(lacking.map(|slot| format!("worker {} has no {slot:?}, which is in the control", worker.worker)));
    }
}

/// The preemption task has each kill that a record waits for.
fn compare_kills(workers: &[WorkerCount], doomed: &[ContainerId], wrong: &mut Vec<String>) {
    let doomed: FxHashSet<&ContainerId> = doomed.iter().collect();
    let waiting = workers.iter().flat_map(|worker| &worker.doomed);
    wrong
        .extend(waiting.filter(|id| !doomed.contains(id)).map(|id| format!("{id:?} waits for a kill that nobody has")));
}

/// All workers know the same of each key under which something is outstanding.
fn compare_keys(workers: &[WorkerCount], wrong: &mut Vec<String>) {
    for home in workers {
        for (slot, keys) in home.keys.iter().filter(|(slot, _)| home.at_home.contains(slot)) {
            for (id, key) in keys.iter().filter(|(_, key)| key.is_wanted()) {
                for other in workers.iter().filter(|other| other.worker != home.worker) {
                    let known = other.keys.get(slot).and_then(|keys| keys.get(id));
                    if known != Some(key) {
                        let (of, at) = (home.worker, other.worker);
                        wrong.push(format!("{id:?} of {slot:?} is {key:?} at home {of}, {known:?} on worker {at}"));
                    }
                }
            }
        }
    }
}

/// All workers that say something of a thing say the same, and what the control says of it. Of what the control knows
/// each worker must say something. Of other things a worker may have nothing to say: whether an application has started
/// is not compared where the counts of its leaf queue are odd, and that is so with each worker for itself.
fn compare_agreed(workers: &[WorkerCount], control: &ControlCount, wrong: &mut Vec<String>) {
    let by_workers = workers.iter().flat_map(|worker| worker.agreed.keys());
    let things: BTreeSet<&String> = by_workers.chain(control.agreed.keys()).collect();
    for what in things {
        let first = workers.iter().find_map(|worker| Some((worker, worker.agreed.get(what)?)));
        let (who, expected) = match (control.agreed.get(what), first) {
            (Some(says), _) => ("the control".to_owned(), says),
            (None, Some((worker, says))) => (format!("worker {}", worker.worker), says),
            (None, None) => continue,
        };
        for worker in workers {
            let says = worker.agreed.get(what);
            if says != Some(expected) && (says.is_some() || control.agreed.contains_key(what)) {
                let says = says.map_or("nothing", String::as_str);
                wrong.push(format!("{what}: {who} says {expected}, worker {} says {says}", worker.worker));
            }
        }
    }
}

/// The room taken in each watched queue is what the workers count there, and all workers have joined. Returns the
/// number of watched queues.
fn compare_rooms<D: Decider>(shared: &Shared<D>, workers: &[WorkerCount], wrong: &mut Vec<String>) -> usize {
    let snapshot = shared.publisher.load();
    if shared.workers == 1 {
        return 0;
    }
    let watched: Vec<_> = snapshot.structure.queues.iter().flatten().filter(|queue| queue.watched).collect();
    for queue in &watched {
        let (name, watch) = (&queue.name, &queue.shared.watch);
        let counted: Wide = workers.iter().filter_map(|worker| worker.watch_members.get(&queue.slot)).sum();
        let (taken, usage) = (watch.taken(), queue.shared.usage());
        if counted != taken || taken != usage {
            wrong.push(format!("room of {name}: {taken} is taken, workers count {counted}, {usage} is used"));
        }
        if !watch.all_joined() {
            wrong.push(format!("room of {name}: a worker has not joined, and nothing is granted"));
        }
    }
    for queue in snapshot.structure.queues.iter().flatten() {
        for (label, room) in (0..).map(LabelId).zip(&*queue.rooms) {
            let of_workers = workers.iter().filter_map(|worker| worker.room_members.get(&(queue.slot, label)));
            let (counted, taken): (Wide, _) = (of_workers.sum(), room.watch.taken());
            if counted != taken {
                let (name, label) = (&queue.name, label.0);
                wrong.push(format!("room of {name}, label {label}: {taken} is taken, workers count {counted}"));
            }
        }
    }
    watched.len()
}

/// No message and no round is on its way.
fn look_at_lanes<D: Decider>(shared: &Shared<D>, wrong: &mut Vec<String>) {
    for worker in (0..shared.workers).filter(|worker| !shared.is_dead(*worker)) {
        let waiting = (shared.lanes.internal[worker].len(), shared.lanes.external[worker].len());
        if waiting != (0, 0) {
            wrong.push(format!("worker {worker}: {waiting:?} messages are in its lanes"));
        }
        for (kind, outstanding) in [("offers", &shared.offers), ("continuous", &shared.continuous)] {
            if outstanding.is_on_its_way(worker) {
                wrong.push(format!("worker {worker}: a round of {kind} is on its way"));
            }
        }
    }
    if !shared.lanes.control.is_empty() {
        wrong.push("control: messages are in its lane".to_owned());
    }
}

#[cfg(test)]
mod tests;
