//! Recorded runs of Apache Hadoop 3.4.2, replayed: every decision of every step must be the recorded one.
//!
//! They are played on the stepped scheduler and on the threaded one. `several_workers` plays them on more than one
//! worker, which decide by views that are apart, and holds the outcome against how far these may be.
//!
//! `data/scenarios` holds the families that the program carries with it, `data/scenarios/more` those that only this
//! test replays, `data/scenarios/preemption` those of preemption, `data/scenarios/recovery` those of restarts; those of
//! the reservation system are the core's, too. A family is thirty scenarios. `tests/data/found` has single ones, of
//! either scheduler.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use DriverChoice::{Stepped, Threaded};
use evenweave_tools::replay::{DriverChoice, Outcomes, PlayOptions, ReplayOptions};
use flate2::read::GzDecoder;

const SCENARIOS: usize = 30;

fn replayed(files: Vec<PathBuf>, play: PlayOptions) -> Outcomes {
    evenweave_tools::replay::replay(&ReplayOptions { files, play, trace: false, scenario: None }).unwrap()
}

/// Replays one family and holds all that is told of it against what it should be.
fn replay(family: &str, directory: &str, driver: DriverChoice) {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory).join(format!("{family}.jsonl.gz"));
    let outcomes = replayed(vec![packed], PlayOptions { driver, ..PlayOptions::EXACT });
    assert_eq!(outcomes.text(SCENARIOS), format!("{family}: {SCENARIOS} passed, 0 failed\n"));
}

macro_rules! families {
    ($directory:literal: $($name:ident = $family:literal,)*) => {
        $(
            mod $name {
                #[test]
                fn stepped() {
                    crate::replay($family, $directory, crate::Stepped);
                }

                #[test]
                fn threaded() {
                    crate::replay($family, $directory, crate::Threaded);
                }
            }
        )*
        /// Whether a file of the directory is forgotten here.
        #[test]
        fn none_is_forgotten() {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join($directory);
            let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
            let mut there: Vec<_> = files
                .filter_map(|name| name.to_str().unwrap().strip_suffix(".jsonl.gz").map(str::to_owned))
                .collect();
            there.sort();
            let mut named = vec![$($family.to_owned()),*];
            named.sort();
            assert_eq!(there, named);
        }
    };
}

/// Single recordings, each of a rule that no family shows.
mod found {
    use super::*;

    fn found(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/found").join(name)
    }

    #[test]
    fn each_is_decided_as_recorded() {
        for driver in [Stepped, Threaded] {
            let files: Vec<_> = std::fs::read_dir(found("")).unwrap().map(|entry| entry.unwrap().path()).collect();
            let count = u32::try_from(files.len()).unwrap();
            let outcomes = replayed(files, PlayOptions { driver, ..PlayOptions::EXACT });
            let tally = outcomes.tally();
            assert!(tally.failed == 0 && tally.passed >= count, "{driver:?}: {}", outcomes.text(5));
        }
    }

    /// Without a bound on containers of a heartbeat Hadoop makes the refused proposal for ever. Here the heartbeat
    /// ends, with what one of thirty tries hands out in Hadoop.
    #[test]
    fn a_heartbeat_whose_proposals_are_refused_ends() {
        let bounded = std::fs::read_to_string(found("refused-again.jsonl")).unwrap();
        let unbounded =
            bounded.replacen("maximum-container-assignments\":\"30\"", "maximum-container-assignments\":\"-1\"", 1);
        assert_ne!(bounded, unbounded);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("refused-again.jsonl");
        std::fs::write(&file, unbounded).unwrap();
        let outcomes = replayed(vec![file], PlayOptions { driver: Stepped, ..PlayOptions::EXACT });
        assert_eq!((outcomes.tally().passed, outcomes.tally().failed), (1, 0), "{}", outcomes.text(5));
    }
}

mod carried {
    use super::*;

    families! { "data/scenarios":
        assign = "assign",
        drf = "drf",
        fair = "fair",
        fifo = "fifo",
        normalize = "normalize",
        shares = "shares",
    }
}

mod more {
    use super::*;

    families! { "data/scenarios/more":
        am_share = "amshare",
        blacklist = "blacklist",
        blacklist_order = "blacklist-order",
        continuous = "continuous",
        custom_resource = "custom-resource",
        locality = "locality",
        mixed = "mixed",
        moves = "move",
        nodes = "nodes",
        placement = "placement",
        reload = "reload",
        reserve = "reserve",
        running = "running",
    }
}

/// Of a FairScheduler with its reservation system. The core's own tests play them, too, on the reservation system
/// alone.
mod reservation {
    use super::*;

    families! { "../core/tests/data/reservation":
        acl = "acl",
        all = "all",
        any = "any",
        apps = "apps",
        follow = "follow",
        greedy = "greedy",
        list = "list",
        no_gap = "no-gap",
        order = "order",
        periodic = "periodic",
        policy = "policy",
        replan = "replan",
        update_delete = "update-delete",
        validate = "validate",
    }

    /// Several workers place containers elsewhere; whatever they do, the books of every run balance after every step.
    #[test]
    fn several_workers_keep_the_books() {
        for (driver, workers) in [(Stepped, 2), (Threaded, 3)] {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/data/reservation");
            let files =
                ["apps.jsonl.gz", "follow.jsonl.gz", "replan.jsonl.gz"].map(|file| directory.join(file)).to_vec();
            let outcomes = replayed(files, PlayOptions { driver, workers, fold_every: Some(1) });
            let tally = outcomes.tally();
            assert_eq!((tally.passed, tally.failed), (90, 0), "{driver:?}, {workers} workers: {}", outcomes.text(5));
        }
    }
}

/// Apart from the others, because several workers look for victims worker by worker: see `several_workers`.
mod preemption {
    use super::*;

    families! { "data/scenarios/preemption":
        preempt = "preempt",
        preempt_am = "preempt-am",
    }

    /// Several workers look for victims worker by worker, where one goes over all nodes in order of registration: other
    /// containers go. The books of every scenario balance after every step all the same, and no grant breaks a limit.
    #[test]
    fn several_workers_keep_the_books() {
        for (driver, workers) in [(Stepped, 2), (Threaded, 2), (Threaded, 4)] {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scenarios/preemption");
            let files = ["preempt.jsonl.gz", "preempt-am.jsonl.gz"].map(|file| directory.join(file)).to_vec();
            let outcomes = replayed(files, PlayOptions { driver, workers, fold_every: Some(1) });
            let tally = outcomes.tally();
            assert_eq!((tally.passed, tally.failed), (60, 0), "{driver:?}, {workers} workers: {}", outcomes.text(5));
        }
    }
}

/// After a restart of the ResourceManager: what runs is taken over.
mod recovery {
    use super::*;

    families! { "data/scenarios/recovery":
        recover = "recover",
        recover_limits = "recover-limits",
        recover_preempt = "recover-preempt",
        recover_queues = "recover-queues",
    }
}

/// A recording with one decision changed does not pass: the comparison compares.
#[test]
fn a_changed_decision_is_noticed() {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scenarios/fair.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(packed).unwrap()).read_to_string(&mut text).unwrap();
    let mut scenario: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let steps = scenario["expect"].as_array_mut().unwrap();
    let mut made = steps.iter_mut().filter_map(|step| step.get_mut("allocated")?.get_mut(0));
    let container = &mut made.next().unwrap()["container"];
    *container = (container.as_u64().unwrap() + 1).into();
    let file = std::env::temp_dir().join(format!("evenweave-changed-{}.jsonl", std::process::id()));
    std::fs::write(&file, scenario.to_string()).unwrap();
    let outcomes = replayed(vec![file.clone()], PlayOptions::EXACT);
    std::fs::remove_file(&file).unwrap();
    assert!(outcomes.text(1).starts_with("fair: 0 passed, 1 failed\n"), "{}", outcomes.text(1));
}

/// Several workers, R grants and ends apart at most: invariant I8.
mod several_workers {
    use super::*;

    /// Families in which something counts that each worker keeps for its own nodes and that no fold brings together:
    /// visits and times of delay scheduling, the order of a continuous pass over all nodes.
    const COUNTING: [&str; 4] = ["blacklist", "continuous", "locality", "mixed"];

    /// All families; the books of every scenario balance after every step, and no grant breaks a limit.
    fn families(driver: DriverChoice, workers: usize, every: u32) -> Vec<serde_json::Value> {
        let mut files = Vec::new();
        for directory in ["data/scenarios", "data/scenarios/more"] {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
            let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
            files.extend(entries.filter(|path| path.is_file()));
        }
        let outcomes = replayed(files, PlayOptions { driver, workers, fold_every: Some(every) });
        let said = outcomes.json();
        assert_eq!(outcomes.tally().failed, 0, "the books do not balance: {said}");
        let families = said["families"].as_array().unwrap().clone();
        assert_eq!(families.len(), 19);
        families
    }

    fn hold(driver: DriverChoice, workers: usize, every: u32) {
        for family in families(driver, workers, every) {
            let (name, apart) = (family["family"].as_str().unwrap(), &family["apart"]);
            let number = |what: &str| apart[what].as_u64().unwrap();
            // Where no change is missed nothing differs; else see docs/concurrency.md.
            let usage = if every == 1 { 0 } else { (workers as u64 - 1) * u64::from(every) + 1 };
            let counting = if COUNTING.contains(&name) { number("largest_step") + 1 } else { 0 };
            for what in ["app", "queue"] {
                let apart = number(what);
                let bound = usage + counting;
                assert!(
                    apart <= bound,
                    "{driver:?}, {workers} workers, R = {every}: in {name} a {what} is {apart} containers apart, {bound} allowed"
                );
            }
        }
    }

    macro_rules! runs {
        ($($name:ident: $driver:ident, $workers:literal, $every:literal;)*) => {$(
            #[test]
            fn $name() {
                hold($driver, $workers, $every);
            }
        )*};
    }

    runs! {
        two_that_fold_at_once: Stepped, 2, 1;
        two_that_fold_after_four: Stepped, 2, 4;
        four_that_fold_at_once: Stepped, 4, 1;
        four_that_fold_after_four: Stepped, 4, 4;
        two_on_threads_that_fold_at_once: Threaded, 2, 1;
        two_on_threads_that_fold_after_four: Threaded, 2, 4;
        four_on_threads_that_fold_at_once: Threaded, 4, 1;
        four_on_threads_that_fold_after_four: Threaded, 4, 4;
    }

    /// The recordings tell whether workers fold at all: if they never do, there is a family that counts no visits and
    /// differs all the same.
    #[test]
    fn workers_that_do_not_fold_are_noticed() {
        let families = families(Stepped, 2, u32::MAX);
        let differ = families.iter().filter(|family| {
            !COUNTING.contains(&family["family"].as_str().unwrap()) && family["apart"]["app"].as_u64().unwrap() > 0
        });
        assert!(differ.count() > 0);
    }
}
