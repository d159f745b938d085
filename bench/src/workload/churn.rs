//! W2 and W4: a full cluster where containers complete and others take their place, by one driver thread or two.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use evenweave_tools::clock::{now_ns, thread_cpu_seconds};

use super::bed::Bed;
use super::calls::TIMED;
use super::masters::Masters;
use super::nodes::{Allowances, Nodes, Place};
use super::pace::Pace;
use super::plan::Plan;
use super::record::{Before, Figures, sum_ns};
use crate::api::Container;

/// The hand-over between the two drivers.
const OWNERS_QUEUE: usize = 256;
/// Rounds between two looks whether the phase is over.
pub(super) const ROUNDS_A_LOOK: u64 = 16;

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
        let all: Arc<[Place]> = (0..bed.shape.nodes).map(|local| Place { player: 0, local }).collect();
        let mut nodes = Nodes::of(bed, plan.completions(), all, 0, Allowances::of(1));
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

    /// The same with heartbeats at fixed times, so many a second, once everything of before is worked off. Gives also
    /// how many nanoseconds late the next one was in the end.
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
                nodes.next_owners(&mut next, |_| true);
                masters.prefetch(nodes.bed, &mut next, 1);
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
                    masters.prefetch(bed, &mut owners, 0);
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
