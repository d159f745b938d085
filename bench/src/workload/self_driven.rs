//! W1, W2 and W4 without drivers: the thread that polls a worker plays that worker's nodes, and the applications whose
//! home the worker is, between its polls. So W workers are W threads, and nothing else runs but the scheduler's own
//! few.
//!
//! # Who plays what
//! A node is its worker's ([`NodeHandle::worker`](evenweave::NodeHandle::worker)), an application its home's
//! ([`AppHandle::worker`](evenweave::AppHandle::worker)): heartbeats and calls go to the thread's own lane. A container
//! may be of an application of one thread and on a node of another: the application's tells the node's of it when it
//! has been returned, and the node's tells the application's when it has completed. Such notes go once a round, in one
//! message.
//!
//! # A round
//! As of `churn`: one heartbeat, then the owners of what it reports, then one further application. A poll comes when
//! [`MESSAGES_A_POLL`] messages lie in the thread's own lane, where nobody else puts any.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};
use evenweave_tools::clock::{now_ns, thread_cpu_seconds};
use hdrhistogram::Histogram;

use super::bed::{Bed, Fill};
use super::calls::{TIMED, Timing, hand_over};
use super::churn::{ROUNDS_A_LOOK, fill_before};
use super::masters::Masters;
use super::nodes::{Allowances, Nodes, Place};
use super::plan::Plan;
use super::record::{Before, Figures, sum_ns};
use crate::api::{ContainerId, Heartbeat, Polled, Worker};
use crate::latency::histogram;

/// Messages between two polls: as many as a worker takes at once.
const MESSAGES_A_POLL: u64 = 64;
/// More than what comes between two polls: one leaves nothing.
const BUDGET: usize = 1024;
/// One of how many polls is timed: reading a thread's clock costs a system call.
const TIMED_POLLS: u64 = 61;

/// Runs a part on each worker's thread, while nothing else polls them. Whoever ends, ends the others.
fn on_threads<P: Send, T: Send>(
    bed: &Bed,
    stop: &AtomicBool,
    parts: impl IntoIterator<Item = P>,
    play: impl Fn(P, &mut Polling<'_>) -> Result<T, String> + Sync,
) -> Result<Vec<(T, Times)>, String> {
    let workers = bed.take_workers()?;
    let play = &play;
    let (outcomes, workers): (Vec<_>, Vec<_>) = std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .into_iter()
            .zip(parts)
            .map(|(worker, part)| {
                scope.spawn(move || {
                    let cpu = thread_cpu_seconds();
                    let mut polling = Polling { worker, stop, polls: 0, timed: 0.0 };
                    let outcome = play(part, &mut polling);
                    // ORDERING: Relaxed. The flag carries no data.
                    stop.store(true, Ordering::Relaxed);
                    let thread = thread_cpu_seconds() - cpu;
                    let times = Times { thread, polls: polling.timed * TIMED_POLLS as f64 };
                    (outcome.map(|outcome| (outcome, times)), polling.worker)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a player does not panic")).unzip()
    });
    bed.mind(workers);
    outcomes.into_iter().collect()
}

/// Processor seconds of a thread, and of its polls, as far as timed ones tell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) thread: f64,
    pub(super) polls: f64,
}

/// A worker on the thread that plays beside it.
struct Polling<'s> {
    worker: Worker,
    /// Nobody plays on.
    stop: &'s AtomicBool,
    polls: u64,
    timed: f64,
}

impl Polling<'_> {
    fn is_over(&self) -> bool {
        // ORDERING: Relaxed. The flag carries no data.
        self.stop.load(Ordering::Relaxed)
    }

    /// Works off what is there.
    ///
    /// # Errors
    /// When the worker does nothing more.
    fn poll(&mut self) -> Result<(), String> {
        self.polls += 1;
        let since = self.polls.is_multiple_of(TIMED_POLLS).then(thread_cpu_seconds);
        loop {
            match self.worker.poll(BUDGET) {
                Polled::More => {}
                // Another's thread may poll no more.
                Polled::GiveWay if self.is_over() => break,
                Polled::GiveWay => std::thread::yield_now(),
                Polled::Idle => break,
                end @ (Polled::GivenUp | Polled::Ended | _) => {
                    return Err(format!("worker {}: {end:?}", self.worker.index()));
                }
            }
        }
        self.timed += since.map_or(0.0, |since| thread_cpu_seconds() - since);
        Ok(())
    }
}

/// Who plays which node.
fn places(bed: &Bed, players: usize) -> Arc<[Place]> {
    let mut counts = vec![0; players];
    let place = |player: usize, counts: &mut Vec<u32>| {
        let local = counts[player];
        counts[player] += 1;
        Place { player, local }
    };
    bed.nodes.iter().map(|node| place(node.worker(), &mut counts)).collect()
}

// ---------------------------------------------------------------------------------------------------- W1

/// W1: each thread reports its own nodes in order.
///
/// # Errors
/// What the scheduler refuses.
pub(super) fn fill(bed: &Bed, workers: usize, at_most: u64) -> Result<(Fill, Times), String> {
    let start = now_ns();
    let (stop, is_full) = (AtomicBool::new(false), AtomicBool::new(false));
    let players = on_threads(bed, &stop, 0..workers, |player, polling| {
        let mut enqueue = histogram();
        let mine: Vec<_> = bed.nodes.iter().filter(|node| node.worker() == player).collect();
        for beat in 0_u64.. {
            if beat.is_multiple_of(MESSAGES_A_POLL) {
                polling.poll()?;
                if bed.engine.stats().running >= bed.shape.capacity() {
                    // ORDERING: Relaxed. The flag carries no data.
                    is_full.store(true, Ordering::Relaxed);
                    break;
                }
                if polling.is_over() || now_ns() - start >= at_most {
                    break;
                }
            }
            // Small clusters leave workers without nodes.
            let Some(at) = beat.checked_rem(mine.len() as u64) else { continue };
            let heartbeat = Heartbeat::new(mine[usize::try_from(at).expect("fits a node's index")]);
            hand_over(&*bed.engine, heartbeat, Timing { beat, due: None }, &mut enqueue)?;
        }
        Ok(enqueue)
    })?;
    let ns = now_ns() - start;
    let (mut enqueue, mut times) = (histogram(), Times::default());
    for (of_one, its) in players {
        enqueue.add(of_one).expect("same bounds");
        times.add(its);
    }
    Ok((Fill { ns, full: is_full.into_inner(), enqueue }, times))
}

impl Times {
    fn add(&mut self, other: Times) {
        self.thread += other.thread;
        self.polls += other.polls;
    }
}

// ---------------------------------------------------------------------------------------------------- W2, W4

/// What one player tells another.
#[derive(Clone, Copy, Debug)]
enum Note {
    /// A container on one of your nodes, by your number of it, was returned to this application of mine.
    Returned { node: u32, id: ContainerId, app: u32 },
    /// A container of this application of yours has completed.
    Completed(u32),
}

/// One thread's part of the churn.
struct Player<'a> {
    number: usize,
    nodes: Nodes<'a>,
    masters: Masters,
    places: Arc<[Place]>,
    /// Who plays which application.
    players: Arc<[usize]>,
    inbox: Receiver<Vec<Note>>,
    outboxes: Vec<Sender<Vec<Note>>>,
    /// What is to be told, by player.
    notes: Vec<Vec<Note>>,
    owners: Vec<u32>,
    next: Vec<u32>,
    /// Messages sent before the last poll.
    polled_at: u64,
}

impl Player<'_> {
    fn play(&mut self, polling: &mut Polling<'_>, over: impl Fn() -> bool) -> Result<(), String> {
        for round in 0_u64.. {
            if polling.is_over() || round.is_multiple_of(ROUNDS_A_LOOK) && over() {
                break;
            }
            // Each message is what another did in one round.
            while let Ok(notes) = self.inbox.try_recv() {
                self.hear(&notes)?;
                self.poll_if_due(polling)?;
            }
            self.round()?;
            self.poll_if_due(polling)?;
        }
        Ok(())
    }

    fn poll_if_due(&mut self, polling: &mut Polling<'_>) -> Result<(), String> {
        self.tell();
        let sent = self.nodes.beats + self.masters.calls;
        if sent - self.polled_at < MESSAGES_A_POLL {
            return Ok(());
        }
        self.polled_at = sent;
        polling.poll()
    }

    fn hear(&mut self, notes: &[Note]) -> Result<(), String> {
        self.owners.clear();
        for note in notes {
            match *note {
                Note::Returned { node, id, app } => self.nodes.put_at(node, id, app),
                Note::Completed(app) => self.owners.push(app),
            }
        }
        self.serve(false)
    }

    fn round(&mut self) -> Result<(), String> {
        self.nodes.report(&mut self.owners)?;
        let Player { number, nodes, masters, players, notes, owners, next, .. } = self;
        let is_mine = |app: u32| players[app as usize] == *number;
        owners.retain(|owner| {
            let mine = is_mine(*owner);
            if !mine {
                notes[players[*owner as usize]].push(Note::Completed(*owner));
            }
            mine
        });
        nodes.next_owners(next, is_mine);
        masters.prefetch(nodes.bed, next, 1);
        self.serve(true)
    }

    /// The owners call, and one further application, or not.
    fn serve(&mut self, further: bool) -> Result<(), String> {
        let Player { number, nodes, masters, places, notes, owners, .. } = self;
        let bed = nodes.bed;
        let mut returned = |app: u32, container: &crate::api::Container| {
            let Place { player, local } = places[container.node.index()];
            if player == *number {
                nodes.put_at(local, container.id, app);
            } else {
                notes[player].push(Note::Returned { node: local, id: container.id, app });
            }
        };
        if further {
            masters.serve(bed, owners, &mut returned)
        } else {
            masters.serve_owners(bed, owners, &mut returned)
        }
    }

    fn tell(&mut self) {
        for (notes, outbox) in self.notes.iter_mut().zip(&self.outboxes) {
            if !notes.is_empty() {
                // All players live as long as the churn.
                let _ = outbox.send(std::mem::take(notes));
            }
        }
    }
}

/// See the module's text.
pub(super) struct SelfDriven<'a> {
    bed: &'a Bed,
    players: Vec<Player<'a>>,
}

impl<'a> SelfDriven<'a> {
    /// As of a churn: fills the cluster, then one `allocate` for each application in order.
    ///
    /// # Errors
    /// What the scheduler refuses, and when it does not fill the cluster.
    pub(super) fn new(bed: &'a Bed, mut masters: Masters, plan: &Plan) -> Result<SelfDriven<'a>, String> {
        fill_before(bed, plan)?;
        let (places, allowances) = (places(bed, plan.workers), Allowances::of(plan.workers));
        let nodes_of = |player| Nodes::of(bed, plan.completions(), Arc::clone(&places), player, allowances.clone());
        let mut nodes: Vec<Nodes<'_>> = (0..plan.workers).map(nodes_of).collect();
        masters.fetch_all(bed, &mut |owner, container| {
            let nodes = &mut nodes[places[container.node.index()].player];
            nodes.put(owner, container);
            nodes.held.settle();
        })?;
        let players: Arc<[usize]> = bed.apps.iter().map(|app| app.worker()).collect();
        let masters = masters.split(plan.workers, |app| players[app as usize]);
        let (outboxes, inboxes): (Vec<_>, Vec<_>) = (0..plan.workers).map(|_| unbounded()).unzip();
        let player = |(number, ((nodes, masters), inbox))| Player {
            number,
            nodes,
            masters,
            places: Arc::clone(&places),
            players: Arc::clone(&players),
            inbox,
            outboxes: outboxes.clone(),
            notes: vec![Vec::new(); plan.workers],
            owners: Vec::new(),
            next: Vec::new(),
            polled_at: 0,
        };
        let players = nodes.into_iter().zip(masters).zip(inboxes).enumerate().map(player).collect();
        Ok(SelfDriven { bed, players })
    }

    /// Goes on for so long, or until so many allocations.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn phase(&mut self, at_most: u64, allocations: u64) -> Result<Figures, String> {
        for player in &mut self.players {
            player.nodes.enqueue.reset();
            player.masters.reset();
        }
        let bed = self.bed;
        let before = Before::new(bed);
        let (start, granted) = (now_ns(), before.stats.granted);
        let over = &|| now_ns() - start >= at_most || bed.engine.stats().granted - granted >= allocations;
        let stop = AtomicBool::new(false);
        let outcomes = on_threads(bed, &stop, &mut self.players, |player, polling| player.play(polling, over))?;
        let mut times = Times::default();
        outcomes.into_iter().for_each(|((), its)| times.add(its));
        let mut figures = before.figures(bed, now_ns() - start, times.thread - times.polls);
        for player in &self.players {
            figures.in_scheduler_ns += sum_ns(&player.nodes.enqueue) * TIMED + player.masters.in_scheduler_ns;
            let add = |to: &mut Histogram<u64>, what: &Histogram<u64>| to.add(what).expect("same bounds");
            add(&mut figures.enqueue, &player.nodes.enqueue);
            add(&mut figures.allocate, &player.masters.allocate);
        }
        Ok(figures)
    }
}
