//! The audit: every kind of record of the whole scheduler, counted at quiet, and what each must add up to.
//!
//! # Where it stands
//! With the feature `faults`, for tests and soak runs. Each worker counts what is its own ([`worker`]), the control
//! what is its own (`control::audit`), between two messages; then what they say is held against each other and against
//! what all share, here. Whether the FairScheduler has everybody in place, who could be served, is looked at in
//! `fair::audit`.
//!
//! # What must add up
//! | kind | law |
//! | --- | --- |
//! | container records | in use, because the container lives, its node has not said that it is over, or a kill is to come; or free |
//! | sizes | counted as often as a record in use has them |
//! | mail records | each once: to be fetched, with news of an end, of a live container that its AM has, given back, or free |
//! | kills | what is to be killed waits for its kill with the preemption task; what is marked is in its application's list |
//! | usage | of an application, a node and a queue: the sum of the containers; what is published is what is so |
//! | rooms | taken is what all workers count there, which is what they use: nothing is leased; all workers have joined |
//! | asks | each worker can take all that is outstanding: no piece is held; all know the same of each key |
//! | slots | of applications and queues: given out as often as there is one; places of nodes likewise |
//! | lists | who is in one list is in the other: members, waiting, numbers, names, racks |
//! | lanes, rounds | nothing is on its way |
//! | what the decider keeps | see `fair::audit`, `capacity::audit`; what several say of one thing is the same |
//!
//! Sums are of 128 bits: one that has wrapped in the books is told.
//!
//! Blocks of container numbers are left out: what an application does not use of them is lost with it.

mod worker;

use crate::engine::control::ControlCount;
use crate::engine::decider::Decider;
use crate::engine::mail::mailbox::audit::Place;
use crate::engine::shared::Shared;
use crate::id::ContainerId;
use crate::resource::Wide;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
pub(crate) use worker::WorkerCount;

/// What an audit found; see [`FairScheduler::audit`](crate::FairScheduler::audit).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// How many there are of each kind, with all workers together.
    pub counted: Vec<(&'static str, usize)>,
    /// What does not add up, a sentence each. None where all is as it should be.
    pub wrong: Vec<String>,
}

impl Audit {
    /// How many there are of a kind; 0 of one that is not counted.
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

/// Holds what all have counted against each other. `doomed`: what the preemption task is to kill.
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
    audit.count("rooms", watched);
    look_at_lanes(shared, &mut audit.wrong);
    audit
}

/// Workers have the control's nodes and applications, and no others.
fn compare_members(workers: &[WorkerCount], control: &ControlCount, wrong: &mut Vec<String>) {
    for worker in workers {
        let of_control = control.nodes.get(&worker.worker);
        let nodes: Vec<_> = of_control.into_iter().flatten().copied().collect();
        if worker.nodes != nodes {
            wrong.push(format!("worker {} has the nodes {:?}, and not {nodes:?}", worker.worker, worker.nodes));
        }
        let left = worker.open_apps.iter().filter(|slot| !control.apps.contains(slot));
        wrong.extend(left.map(|slot| format!("worker {} has {slot:?}, which is over", worker.worker)));
    }
}

/// A record waits for a kill that will come.
fn compare_kills(workers: &[WorkerCount], doomed: &[ContainerId], wrong: &mut Vec<String>) {
    let doomed: FxHashSet<&ContainerId> = doomed.iter().collect();
    let waiting = workers.iter().flat_map(|worker| &worker.doomed);
    wrong
        .extend(waiting.filter(|id| !doomed.contains(id)).map(|id| format!("{id:?} waits for a kill that nobody has")));
}

/// All workers know the same of a key of which something is outstanding.
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

/// Nobody says anything otherwise than another worker, and all say what the control says.
fn compare_agreed(workers: &[WorkerCount], control: &ControlCount, wrong: &mut Vec<String>) {
    let mut said: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for worker in workers {
        for (what, says) in &worker.agreed {
            let (first, known) = *said.entry(what).or_insert((worker.worker, says));
            if known != says {
                wrong.push(format!("{what}: worker {first} says {known}, worker {} {says}", worker.worker));
            }
        }
        for (what, says) in &control.agreed {
            let heard = worker.agreed.get(what);
            if heard != Some(says) {
                wrong.push(format!("{what}: the control says {says}, worker {} {heard:?}", worker.worker));
            }
        }
    }
}

/// Of each watched queue: what is taken is what the workers count, and all of them do. Says how many there are.
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
            wrong.push(format!("room of {name}: somebody has not joined, and nothing is granted"));
        }
    }
    watched.len()
}

/// Nothing is on its way.
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
