//! How a cell is run on either side: modes and times.
//!
//! This side runs the scheduler that it is compared with: the FairScheduler in mode `dyn`, the CapacityScheduler, which
//! has no `dyn`, in `max`. Theirs runs in every mode that can be its fastest: which one that is differs by size.

use super::cells::Cell;
use super::sides::{Peer, Program};
use crate::options::{Size, WorkloadName};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One round of one repeat after a short warm-up, the peers in the mode that is expected to be their fastest.
    Quick,
    /// Three rounds of three repeats after the whole warm-up, the peers in all modes.
    Full,
}

impl Extent {
    pub(super) fn rounds(self) -> u32 {
        match self {
            Extent::Quick => 1,
            Extent::Full => 3,
        }
    }

    /// Repeats of a run, and, where they are not those of the workload's page: seconds of a repeat and of the warm-up.
    fn times(self, workload: WorkloadName) -> (u32, Option<u32>, Option<u32>) {
        match (self, workload) {
            (Extent::Full, _) => (3, None, None),
            // A fill is over when the cluster is full: 5 s could cut a large one short for no gain.
            (Extent::Quick, WorkloadName::W1) => (1, None, Some(3)),
            (Extent::Quick, WorkloadName::W2 | WorkloadName::W4) => (1, Some(5), Some(6)),
            (Extent::Quick, WorkloadName::W3) => (1, None, Some(2)),
        }
    }
}

/// A way to run a cell.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) program: Program,
    /// What it is called beside others of the same cell.
    pub(super) mode: String,
    pub(super) arguments: Vec<String>,
}

impl Setting {
    /// `ours dyn`, `theirs max`.
    pub(super) fn who(&self) -> String {
        format!("{} {}", if self.program == Program::Evenweave { "ours" } else { "theirs" }, self.mode)
    }
}

/// A mode of a peer: its name, what a heartbeat may assign, the scheduler's name on the program's command line, and
/// whether a quick comparison has it.
struct Mode {
    name: &'static str,
    scheduler: &'static str,
    assign: &'static str,
    quick: bool,
}

const fn mode(name: &'static str, scheduler: &'static str, assign: &'static str, quick: bool) -> Mode {
    Mode { name, scheduler, assign, quick }
}

/// The FairScheduler in W1: `max` and `dyn` are close to each other, and which one is ahead changes with the size.
const FAIR_FILL: [Mode; 4] = [
    mode("max", "fair", "max", true),
    mode("dyn", "fair", "dyn", true),
    mode("one", "fair", "one", false),
    mode("continuous", "fair-continuous", "max", false),
];
/// In W2 and W4 a node has room for what completed, a handful: `dyn` stops at half of it and finds nothing in vain.
const FAIR_CHURN: [Mode; 4] = [
    mode("dyn", "fair", "dyn", true),
    mode("max", "fair", "max", false),
    mode("one", "fair", "one", false),
    mode("continuous", "fair-continuous", "dyn", false),
];
const FAIR_UPDATE: [Mode; 1] = [mode("update()", "fair", "dyn", true)];
/// Whichever is the better depends on whether the machine has cores to spare.
const CAPACITY: [Mode; 2] = [mode("max", "capacity", "max", true), mode("async", "capacity-async", "max", true)];

/// How the peer is run.
pub(super) fn theirs(cell: &Cell, extent: Extent) -> Vec<Setting> {
    let modes: &[Mode] = match (cell.peer, cell.workload) {
        (Peer::Fair, WorkloadName::W1) => &FAIR_FILL,
        (Peer::Fair, WorkloadName::W2 | WorkloadName::W4) => &FAIR_CHURN,
        (Peer::Fair, WorkloadName::W3) => &FAIR_UPDATE,
        (Peer::Capacity, _) => &CAPACITY,
        (Peer::Yunikorn, _) => {
            let arguments = common(cell, extent);
            return vec![Setting { program: Program::Yunikorn, mode: "core".to_owned(), arguments }];
        }
    };
    let modes = modes.iter().filter(|mode| mode.quick || extent == Extent::Full);
    modes
        .map(|mode| {
            let mut arguments = words(&["--scheduler", mode.scheduler, "--assign", mode.assign]);
            arguments.extend(words(&["--drivers", &cell.drivers.to_string()]));
            arguments.extend(common(cell, extent));
            Setting { program: Program::Hadoop, mode: mode.name.to_owned(), arguments }
        })
        .collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What both peers' programs take alike.
fn common(cell: &Cell, extent: Extent) -> Vec<String> {
    let (workload, size) = (format!("{:?}", cell.workload), size(cell.size));
    let (mut repeats, seconds, mut warm_up) = extent.times(cell.workload);
    if cell.peer == Peer::Yunikorn && cell.workload == WorkloadName::W1 {
        // A fresh scheduler is a fresh process there, and nothing is compiled while it runs.
        (repeats, warm_up) = (1, None);
    }
    let mut arguments = words(&["--workload", &workload, "--size", &size, "--reps", &repeats.to_string()]);
    for (name, value) in [("--seconds", seconds), ("--warm-up", warm_up)] {
        arguments.extend(value.into_iter().flat_map(|value| [name.to_owned(), value.to_string()]));
    }
    arguments
}

fn size(size: Size) -> String {
    format!("{size:?}")
}

/// How this scheduler is run.
pub(super) fn ours(cell: &Cell, extent: Extent, workers: usize) -> Setting {
    let (workload, size) = (format!("{:?}", cell.workload), size(cell.size));
    let (repeats, seconds, warm_up) = extent.times(cell.workload);
    let (scheduler, mode, workers) = match cell.peer {
        // It has one worker, however many the FairScheduler gets.
        Peer::Capacity => ("capacity", "max", 1),
        Peer::Fair | Peer::Yunikorn => ("fair", "dyn", workers),
    };
    let mut arguments = words(&["bench", &workload, "--scheduler", scheduler, "--size", &size, "--mode", mode]);
    arguments.extend(words(&["--workers", &workers.to_string()]));
    arguments.extend(words(&["--drivers", &cell.drivers.to_string(), "--repeats", &repeats.to_string()]));
    for (name, value) in [("--seconds", seconds), ("--warm-up", warm_up)] {
        arguments.extend(value.into_iter().flat_map(|value| [name.to_owned(), format!("{value}s")]));
    }
    Setting { program: Program::Evenweave, mode: mode.to_owned(), arguments }
}

#[cfg(test)]
mod tests {
    use super::super::cells::chosen;
    use super::*;

    #[test]
    fn a_full_comparison_has_all_modes_and_a_quick_one_its_candidates() {
        let cells = chosen(&["W2:S".to_owned()], &[1]).unwrap();
        let modes = |extent| cells.iter().map(|cell| theirs(cell, extent).len()).collect::<Vec<_>>();
        assert_eq!(modes(Extent::Full), [4, 2, 1]);
        assert_eq!(modes(Extent::Quick), [1, 2, 1]);
        let fill = chosen(&["W1:L10:yunikorn".to_owned()], &[1]).unwrap().remove(0);
        assert_eq!(theirs(&fill, Extent::Full)[0].arguments.join(" "), "--workload W1 --size L10 --reps 1");
        let quick = theirs(&cells[0], Extent::Quick).remove(0);
        assert_eq!(
            quick.arguments.join(" "),
            "--scheduler fair --assign dyn --drivers 1 --workload W2 --size S --reps 1 --seconds 5 --warm-up 6"
        );
        assert_eq!(
            (quick.who(), ours(&cells[0], Extent::Quick, 1).who()),
            ("theirs dyn".to_owned(), "ours dyn".to_owned())
        );
        let capacity = theirs(&cells[1], Extent::Quick).iter().map(Setting::who).collect::<Vec<_>>();
        assert_eq!(capacity, ["theirs max", "theirs async"]);
        let alike = ours(&cells[1], Extent::Quick, 1);
        assert_eq!(alike.who(), "ours max");
        let words = ours(&cells[1], Extent::Quick, 2).arguments.join(" ");
        assert!(words.contains("--scheduler capacity --size S --mode max --workers 1"), "{words}");
    }
}
