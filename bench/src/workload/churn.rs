//! W2 and W4: a full cluster where containers complete and others take their place, by one driver thread or two.

use crossbeam_channel::{Receiver, Sender, bounded};
use hdrhistogram::Histogram;

use super::bed::{Bed, LOOK, TIMED, Timing, hand_over};
use super::held::Held;
use super::masters::Masters;
use super::pace::Pace;
use super::plan::Plan;
use super::record::{Before, Figures, sum_ns};
use super::shape::A_NODE;
use crate::api::{Container, ContainerId, Heartbeat};
use crate::clock::{now_ns, thread_cpu_seconds};
use crate::latency::histogram;

/// The hand-over between the two drivers.
const OWNERS_QUEUE: usize = 256;
/// Rounds between two looks whether the phase is over.
const ROUNDS_A_LOOK: u64 = 16;

/// The nodes' side of the churn.
struct Nodes<'a> {
    bed: &'a Bed,
    /// Containers with their owners.
    held: Held<(ContainerId, u32)>,
    /// How many complete with one heartbeat.
    k: usize,
    at: usize,
    beats: u64,
    /// Completions sent, ever.
    completed: u64,
    /// So many more completions leave nine tenths of the capacity running, whatever is under way.
    slack: i64,
    /// In an open loop.
    pace: Option<Pace>,
    enqueue: Histogram<u64>,
}

impl Nodes<'_> {
    fn put(&mut self, app: u32, container: &Container) {
        self.held.put(container.node.index(), (container.id, app));
    }

    /// Whether nine tenths of the capacity run, so that heartbeats carry completions. Looked at before every heartbeat, but
    /// without a look while what was sent since the last one cannot have changed the answer.
    fn enough(&mut self) -> bool {
        if self.slack >= 0 {
            return true;
        }
        let stats = self.bed.engine.stats();
        let signed = |count: u64| i64::try_from(count).expect("few containers");
        let above = signed(stats.running * 10) - signed(self.bed.shape.capacity() * 9);
        self.slack = above.div_euclid(10) - signed(self.completed.saturating_sub(stats.completed));
        above >= 0
    }

    /// Who calls in the next round: the owners of what the next node has held longest. Those of the nodes after it call after
    /// them: each round asks for one link more of what leads to their mail. Where one thread does both.
    fn next_owners(&self, next: &mut Vec<u32>) {
        let node = |rounds: usize| (self.at + rounds) % self.held.nodes();
        next.clear();
        next.extend(self.held.longest(node(0), self.k).map(|(_, owner)| *owner));
        self.held.longest(node(1), self.k).for_each(|(_, owner)| self.bed.apps[*owner as usize].expect_mail());
        self.held.longest(node(2), self.k).for_each(|(_, owner)| self.bed.apps[*owner as usize].expect_call());
        self.held.expect_longest(node(4), self.k);
    }

    /// Step 1: the next node's longest-held containers complete, and it reports them. Says whether it did: where nodes are
    /// offered aside and few containers run, the driver waits and looks again instead.
    fn report(&mut self, owners: &mut Vec<u32>) -> Result<bool, String> {
        owners.clear();
        self.held.settle();
        let completions = self.enough();
        if !completions && self.bed.aside {
            std::thread::sleep(LOOK);
            return Ok(false);
        }
        let node = self.at;
        self.at = (self.at + 1) % self.held.nodes();
        let mut heartbeat = Heartbeat::new(&self.bed.nodes[node]);
        if completions {
            for (id, owner) in self.held.take(node, self.k) {
                heartbeat.completed.push(*id);
                owners.push(*owner);
            }
            self.completed += owners.len() as u64;
            self.slack -= i64::try_from(owners.len()).expect("a few");
        }
        self.beats += 1;
        let due = self.pace.as_mut().map(Pace::wait);
        hand_over(&*self.bed.engine, heartbeat, Timing { beat: self.beats, due }, &mut self.enqueue)?;
        Ok(true)
    }
}

/// See the module's text.
pub(super) struct Churn<'a> {
    nodes: Nodes<'a>,
    masters: Masters,
    drivers: u32,
}

impl<'a> Churn<'a> {
    /// Fills the cluster, then one `allocate` for each application in order.
    ///
    /// # Errors
    /// What the scheduler refuses, and when it does not fill the cluster.
    pub(super) fn new(bed: &'a Bed, mut masters: Masters, plan: &Plan) -> Result<Churn<'a>, String> {
        fill_before(bed, plan)?;
        let mut nodes = Nodes {
            bed,
            held: Held::of(bed.nodes.len(), A_NODE),
            k: plan.completions(),
            at: 0,
            beats: 0,
            completed: 0,
            slack: -1,
            pace: None,
            enqueue: histogram(),
        };
        // The whole cluster: each at once, so that no list of all is made.
        masters.fetch_all(bed, &mut |owner, container| {
            nodes.put(owner, container);
            nodes.held.settle();
        })?;
        Ok(Churn { nodes, masters, drivers: plan.drivers })
    }

    /// Goes on for so long, or until so many allocations.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn phase(&mut self, at_most: u64, allocations: u64) -> Result<Figures, String> {
        self.nodes.enqueue.reset();
        self.masters.reset();
        let bed = self.nodes.bed;
        let before = Before::new(bed);
        let start = now_ns();
        let over = || now_ns() - start >= at_most || bed.engine.stats().granted - before.stats.granted >= allocations;
        let driver_cpu = if self.drivers == 1 { self.one_thread(&over)? } else { self.two_threads(&over)? };
        let mut figures = before.figures(bed, now_ns() - start, driver_cpu);
        figures.in_scheduler_ns = sum_ns(&self.nodes.enqueue) * TIMED + self.masters.in_scheduler_ns;
        figures.enqueue.clone_from(&self.nodes.enqueue);
        figures.allocate.clone_from(&self.masters.allocate);
        Ok(figures)
    }

    /// The same with heartbeats at fixed times, so many a second, once everything of before is worked off. Gives also how
    /// many nanoseconds late the next one was in the end.
    ///
    /// # Errors
    /// As of a phase.
    pub(super) fn open_loop(&mut self, at_most: u64, per_second: f64) -> Result<(Figures, u64), String> {
        self.nodes.bed.engine.quiesce();
        let pace = Pace::new(per_second);
        self.nodes.pace = Some(pace);
        let mut figures = self.phase(at_most, u64::MAX)?;
        let behind = self.nodes.pace.take().map_or(0, |pace| pace.behind_ns());
        figures.offered_per_s = Some(per_second);
        Ok((figures, behind))
    }

    /// The applications' side, once all is worked off and fetched, and completions sent.
    #[cfg(test)]
    pub(super) fn settle(&mut self) -> Result<(&Masters, u64), String> {
        let Churn { nodes, masters, .. } = self;
        nodes.bed.engine.quiesce();
        masters.fetch_all(nodes.bed, &mut |owner, container| nodes.put(owner, container))?;
        Ok((masters, nodes.completed))
    }

    fn one_thread(&mut self, over: &dyn Fn() -> bool) -> Result<f64, String> {
        let cpu = thread_cpu_seconds();
        let Churn { nodes, masters, .. } = self;
        let (mut owners, mut next) = (Vec::new(), Vec::new());
        for round in 0_u64.. {
            if round.is_multiple_of(ROUNDS_A_LOOK) && over() {
                break;
            }
            if nodes.report(&mut owners)? {
                nodes.next_owners(&mut next);
                masters.expect(nodes.bed, &mut next, 1);
                masters.serve(nodes.bed, &mut owners, &mut |owner, container| nodes.put(owner, container))?;
            }
        }
        Ok(thread_cpu_seconds() - cpu)
    }

    /// The nodes on this thread, the ApplicationMasters on another.
    fn two_threads(&mut self, over: &dyn Fn() -> bool) -> Result<f64, String> {
        let Churn { nodes, masters, .. } = self;
        let bed = nodes.bed;
        let (owners_to, owners_from): (Sender<Vec<u32>>, Receiver<Vec<u32>>) = bounded(OWNERS_QUEUE);
        let (back_to, back_from): (Sender<(u32, Container)>, _) = crossbeam_channel::unbounded();
        std::thread::scope(|scope| {
            let served = scope.spawn(move || {
                let cpu = thread_cpu_seconds();
                let mut hand_back = |owner: u32, container: &Container| {
                    // The other end outlives this thread.
                    let _ = back_to.send((owner, *container));
                };
                // The channel closes when the first driver is done, and is worked off before.
                for mut owners in owners_from {
                    masters.expect(bed, &mut owners, 0);
                    masters.serve(bed, &mut owners, &mut hand_back)?;
                }
                Ok::<f64, String>(thread_cpu_seconds() - cpu)
            });
            let cpu = thread_cpu_seconds();
            let mut outcome = Ok(true);
            for round in 0_u64.. {
                if round.is_multiple_of(ROUNDS_A_LOOK) && over() {
                    break;
                }
                back_from.try_iter().for_each(|(owner, container)| nodes.put(owner, &container));
                let mut owners = Vec::with_capacity(nodes.k);
                outcome = nodes.report(&mut owners);
                // A closed channel means that the other driver has failed: its error is taken below.
                if outcome.is_err() || outcome == Ok(true) && owners_to.send(owners).is_err() {
                    break;
                }
            }
            drop(owners_to);
            let own = thread_cpu_seconds() - cpu;
            let other = served.join().map_err(|_| "the second driver panicked".to_owned())??;
            back_from.try_iter().for_each(|(owner, container)| nodes.put(owner, &container));
            outcome.map(|_| own + other)
        })
    }
}

/// The full cluster that all workloads but W1 start from.
///
/// # Errors
/// What the scheduler refuses, and when it does not fill the cluster.
pub(super) fn fill_before(bed: &Bed, plan: &Plan) -> Result<(), String> {
    let at_most = plan.times.fill_before;
    if !bed.fill(at_most, None)?.full {
        return Err(format!("the cluster was not full within {} s", at_most / 1_000_000_000));
    }
    bed.engine.quiesce();
    Ok(())
}
