//! Admission: which job enters next, and when.
//!
//! Every leaf queue takes its own jobs of the trace round and round. `Auto` keeps each leaf supplied with a multiple of
//! its steady fair share, counted in containers that run, are asked for, or will be asked for by jobs that have
//! entered. The multiple starts at 1.5 and grows while nodes idle and the demand that the scheduler has seen (asks
//! count from its next update on) is small; so no queue runs dry and none piles up what it cannot place. `Fixed` keeps
//! a number of jobs in flight, dealt to the leaves in turn. A leaf without a share gets nothing until it is opened, and
//! then as much as was said.
//!
//! With a timetable each job enters at its time, once, whatever the cluster has.

use std::collections::VecDeque;

use crate::jobs::Job;
use crate::load::options::InFlight;

const LEAST: f64 = 1.5;
const STEP: f64 = 1.1;
/// So long a leaf rests that has refused a job; doubled so often.
const REST_NS: u64 = 1_000_000_000;
const MAX_DOUBLED: u32 = 5;

#[derive(Debug)]
struct Leaf {
    /// Its jobs, in the order of the trace, and the next to take.
    jobs: Vec<usize>,
    next: usize,
    /// Its steady share, in containers.
    share: f64,
    /// Once it was opened: as much, whatever the multiple.
    exactly: Option<u64>,
    /// Containers of its jobs in flight that have not ended.
    load: u64,
    /// How often in a row it has refused a job, and until when it is given none.
    refusals: u32,
    rests_until: u64,
}

impl Leaf {
    fn new(share: f64) -> Leaf {
        Leaf { jobs: Vec::new(), next: 0, share, exactly: None, load: 0, refusals: 0, rests_until: 0 }
    }
}

/// Decides what to submit.
#[derive(Debug)]
pub(crate) struct Admission {
    in_flight: InFlight,
    leaves: Vec<Leaf>,
    factor: f64,
    /// What the factor may grow to.
    most: f64,
    /// Waiting demand, as a part of the cluster, that is enough: what ends between two updates, and some more.
    enough: f64,
    live: usize,
    turn: usize,
    /// What part of all that is wanted.
    demand: f64,
    timetable: Option<Timetable>,
}

/// The jobs that enter at their times.
#[derive(Debug)]
struct Timetable {
    /// When each comes, in ns, first come first; and which it is.
    due: VecDeque<(u64, usize)>,
    most_late_ns: u64,
}

impl Admission {
    /// `shares[i]` is the steady share of leaf `i` in containers, `capacity` what the cluster holds, `turnovers` how
    /// often all containers end between two updates of the scheduler.
    pub(crate) fn new(jobs: &[Job], shares: &[f64], capacity: f64, turnovers: f64, in_flight: InFlight) -> Admission {
        let sum: f64 = shares.iter().sum();
        let mut leaves: Vec<Leaf> = shares
            .iter()
            .map(|share| {
                let share = if sum > 0.0 { share * capacity / sum } else { capacity / shares.len() as f64 };
                Leaf::new(share)
            })
            .collect();
        for (index, job) in jobs.iter().enumerate() {
            leaves[job.leaf].jobs.push(index);
        }
        // A trace with fewer jobs than leaves: those without take any.
        for leaf in leaves.iter_mut().filter(|leaf| leaf.jobs.is_empty()) {
            leaf.jobs.extend(0..jobs.len());
        }
        let turnovers = turnovers.min(8.0);
        Admission {
            in_flight,
            leaves,
            factor: LEAST,
            most: 2.0 + 4.0 * turnovers,
            enough: 0.4 + turnovers,
            live: 0,
            turn: 0,
            demand: 1.0,
            timetable: None,
        }
    }

    /// Each job enters at its time, in ns, and none again. They come in order of time.
    pub(crate) fn at_times(mut self, due: Vec<(u64, usize)>) -> Admission {
        self.timetable = Some(Timetable { due: due.into(), most_late_ns: 0 });
        self
    }

    /// Whether there is a timetable.
    pub(crate) fn has_times(&self) -> bool {
        self.timetable.is_some()
    }

    /// Whether there was a timetable, and all its jobs have left.
    pub(crate) fn is_over(&self) -> bool {
        self.live == 0 && self.timetable.as_ref().is_some_and(|timetable| timetable.due.is_empty())
    }

    /// How late the latest job of the timetable was, ns.
    pub(crate) fn most_late_ns(&self) -> Option<u64> {
        self.timetable.as_ref().map(|timetable| timetable.most_late_ns)
    }

    /// From now on this part of what keeps the cluster full is wanted.
    pub(crate) fn demand(&mut self, part: f64) {
        self.demand = part;
    }

    /// One more leaf, of which nothing is wanted.
    pub(crate) fn add_leaf(&mut self) {
        self.leaves.push(Leaf::new(0.0));
    }

    /// A job has entered that was not asked for here.
    pub(crate) fn entered(&mut self, leaf: usize, containers: u64) {
        self.live += 1;
        self.leaves[leaf].load += containers;
    }

    /// What a job still runs and asks for, so many containers, counts in another leaf.
    pub(crate) fn moved(&mut self, from: usize, to: usize, containers: u32) {
        self.leaves[from].load -= u64::from(containers);
        self.leaves[to].load += u64::from(containers);
    }

    /// A leaf has refused a job: it is given none for a second, and for twice as long each time that it refuses again.
    pub(crate) fn refused(&mut self, leaf: usize, now_ns: u64) {
        let leaf = &mut self.leaves[leaf];
        // Of jobs that were handed in together the first counts.
        if now_ns >= leaf.rests_until {
            leaf.rests_until = now_ns + (REST_NS << leaf.refusals.min(MAX_DOUBLED));
            leaf.refusals += 1;
        }
    }

    /// A leaf has taken a job.
    pub(crate) fn accepted(&mut self, leaf: usize) {
        self.leaves[leaf].refusals = 0;
    }

    /// Whether nothing of a leaf's jobs is in flight.
    pub(crate) fn is_idle(&self, leaf: usize) -> bool {
        self.leaves[leaf].load == 0
    }

    /// The next job to submit and the leaf for it, if one is wanted now.
    pub(crate) fn next(&mut self, jobs: &[Job], now_ns: u64) -> Option<(usize, usize)> {
        if let Some(timetable) = &mut self.timetable {
            let (at, job) = *timetable.due.front().filter(|(at, _)| *at <= now_ns)?;
            timetable.due.pop_front();
            timetable.most_late_ns = timetable.most_late_ns.max(now_ns - at);
            let leaf = jobs[job].leaf;
            self.live += 1;
            self.leaves[leaf].load += jobs[job].containers();
            return Some((job, leaf));
        }
        let count = self.leaves.len();
        let mut in_turn = (0..count).map(|step| (self.turn + step) % count);
        let chosen = in_turn.find(|&leaf| {
            let leaf = &self.leaves[leaf];
            let is_wanted = match self.in_flight {
                InFlight::Fixed(wanted) => self.live < wanted,
                InFlight::Auto => self.wants(leaf),
            };
            is_wanted && now_ns >= leaf.rests_until
        })?;
        self.turn = chosen + 1;
        self.live += 1;
        let leaf = &mut self.leaves[chosen];
        let job = leaf.jobs[leaf.next];
        leaf.next = (leaf.next + 1) % leaf.jobs.len();
        leaf.load += jobs[job].containers();
        Some((job, chosen))
    }

    fn wants(&self, leaf: &Leaf) -> bool {
        match leaf.exactly {
            Some(containers) => leaf.load < containers,
            None => (leaf.load as f64) < leaf.share * self.factor * self.demand,
        }
    }

    /// Sets how many containers the leaf is supplied with.
    pub(crate) fn open(&mut self, leaf: usize, containers: u64) {
        self.leaves[leaf].exactly = Some(containers);
    }

    /// A container of this leaf ended.
    #[inline]
    pub(crate) fn container_ended(&mut self, leaf: usize) {
        self.leaves[leaf].load -= 1;
    }

    /// A job left; all its containers had ended.
    pub(crate) fn job_left(&mut self) {
        self.live -= 1;
    }

    /// Jobs in flight.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Told a few times a second: the part of the cluster that is allocated, and the demand that the scheduler sees
    /// waiting, as a part of the cluster.
    pub(crate) fn observe(&mut self, allocated: f64, visible: f64) {
        if allocated < 0.985 && visible < self.enough {
            self.factor = (self.factor * STEP).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(maps: u32, leaf: usize) -> Job {
        Job { maps, reduces: 0, map_life_ns: 1, reduce_life_ns: 1, leaf, user: "u".into() }
    }

    #[test]
    fn each_leaf_is_filled_to_its_share_and_refilled() {
        let jobs = [job(9, 0), job(4, 1)];
        let mut admission = Admission::new(&jobs, &[30.0, 10.0], 40.0, 0.5, InFlight::Auto);
        let mut taken = [0_u64; 2];
        while let Some((job, leaf)) = admission.next(&jobs, 0) {
            taken[leaf] += jobs[job].containers();
        }
        assert_eq!(taken, [50, 15]);
        assert_eq!(admission.live(), 8);
        for _ in 0..5 {
            admission.container_ended(1);
        }
        assert_eq!(admission.next(&jobs, 0), Some((1, 1)));
        assert_eq!(admission.next(&jobs, 0), None);
        admission.observe(1.0, 0.1);
        admission.observe(0.5, 2.0);
        assert_eq!(admission.next(&jobs, 0), None, "full, or enough waits");
        (0..20).for_each(|_| admission.observe(0.5, 0.1));
        assert!(admission.next(&jobs, 0).is_some());
    }

    #[test]
    fn a_leaf_without_a_share_waits_until_it_is_opened() {
        let jobs = [job(9, 0), job(4, 1)];
        let mut admission = Admission::new(&jobs, &[40.0, 0.0], 40.0, 0.5, InFlight::Auto);
        let taken = |admission: &mut Admission| std::iter::from_fn(|| admission.next(&jobs, 0)).collect::<Vec<_>>();
        assert!(taken(&mut admission).iter().all(|(_, leaf)| *leaf == 0));
        admission.open(1, 10);
        assert_eq!(taken(&mut admission), [(1, 1), (1, 1)]);
    }

    #[test]
    fn less_is_wanted_and_others_may_enter() {
        let jobs = [job(9, 0)];
        let mut admission = Admission::new(&jobs, &[40.0], 40.0, 0.5, InFlight::Auto);
        admission.demand(0.5);
        // Half of 1.5 times 40, by jobs of ten.
        assert_eq!(std::iter::from_fn(|| admission.next(&jobs, 0)).count(), 3);
        admission.demand(0.0);
        (0..30).for_each(|_| admission.container_ended(0));
        assert_eq!(admission.next(&jobs, 0), None);
        admission.add_leaf();
        admission.entered(1, 5);
        admission.demand(1.0);
        assert!(
            std::iter::from_fn(|| admission.next(&jobs, 0)).all(|(_, leaf)| leaf == 0),
            "nothing is wanted of the new leaf"
        );
        assert_eq!(admission.live(), 3 + 1 + 6);
    }

    #[test]
    fn a_leaf_that_refuses_rests_longer_and_longer() {
        const SECOND: u64 = REST_NS;
        let jobs = [job(9, 0), job(9, 1)];
        for in_flight in [InFlight::Auto, InFlight::Fixed(2)] {
            let mut admission = Admission::new(&jobs, &[20.0, 20.0], 40.0, 0.5, in_flight);
            let give_back = |admission: &mut Admission, leaf| {
                (0..10).for_each(|_| admission.container_ended(leaf));
                admission.job_left();
            };
            let mut now = 0;
            for rest in [1, 2, 4, 8, 16, 32, 32, 32] {
                // Two that were handed in together are one refusal.
                for _ in 0..2 {
                    admission.refused(0, now);
                }
                for at in [now, now + rest * SECOND - 1] {
                    assert_eq!(admission.next(&jobs, at), Some((1, 1)), "{rest}: the other leaf is given jobs");
                    give_back(&mut admission, 1);
                }
                now += rest * SECOND;
            }
            let mut leaves: Vec<usize> = (0..2).filter_map(|_| admission.next(&jobs, now)).map(|next| next.1).collect();
            leaves.sort_unstable();
            assert_eq!(leaves, [0, 1]);
            admission.accepted(0);
            admission.refused(0, now);
            give_back(&mut admission, 0);
            assert_eq!(admission.next(&jobs, now + SECOND).map(|next| next.1), Some(0), "as after a first refusal");
        }
    }

    #[test]
    fn jobs_of_a_timetable_enter_once_at_their_times() {
        let jobs = [job(1, 1), job(2, 0), job(3, 1)];
        let admission = Admission::new(&jobs, &[1.0, 1.0], 2.0, 0.5, InFlight::Auto);
        assert_eq!((admission.is_over(), admission.most_late_ns()), (false, None));
        let mut admission = admission.at_times(vec![(10, 2), (20, 0), (20, 1)]);
        let mut taken = |now| std::iter::from_fn(|| admission.next(&jobs, now)).collect::<Vec<_>>();
        assert_eq!((taken(9), taken(10), taken(19)), (vec![], vec![(2, 1)], vec![]));
        assert_eq!((taken(25), taken(1000)), (vec![(0, 1), (1, 0)], vec![]));
        assert_eq!((admission.live(), admission.most_late_ns()), (3, Some(5)));
        (0..2).for_each(|_| admission.job_left());
        assert!(!admission.is_over(), "one is there");
        admission.job_left();
        assert!(admission.is_over());
    }

    #[test]
    fn a_fixed_number_is_kept() {
        let jobs = [job(9, 0), job(4, 1)];
        let mut admission = Admission::new(&jobs, &[1.0, 1.0], 2.0, 0.5, InFlight::Fixed(3));
        assert_eq!((0..5).filter_map(|_| admission.next(&jobs, 0)).count(), 3);
        admission.job_left();
        assert!(admission.next(&jobs, 0).is_some());
    }
}
