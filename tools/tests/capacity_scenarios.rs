//! Recorded runs of Hadoop 3.4.2's CapacityScheduler: every field of every step must be the recorded one.

use std::path::PathBuf;

use evenweave_tools::replay::{DriverChoice, PlayOptions, ReplayOptions, replay};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/capacity")
}

/// A family is about thirty scenarios, `derived` ninety, `dynamic-queues` fifty-nine, `all-mixed` 319. `wide` has ten
/// that mix moves with preemption and with lists of a fair leaf, `one-rule` four of a few steps, each for a rule that
/// decides nothing in most others.
fn replayed(family: &str, driver: DriverChoice) {
    let files = vec![directory().join(format!("{family}.jsonl.gz"))];
    let play = PlayOptions { driver, ..PlayOptions::EXACT };
    let options = ReplayOptions { files, play, trace: false, scenario: None };
    let outcomes = replay(&options).expect("a file of scenarios");
    let scenarios = match family {
        "derived" => 90,
        "dynamic-queues" => 59,
        "all-mixed" => 319,
        "attempts" => 32,
        "compared-amounts" => 9,
        "late-refresh" => 18,
        "nodes-change" => 31,
        "one-rule" => 4,
        "wide" => 10,
        _ => 30,
    };
    assert_eq!(outcomes.text(5), format!("capacity {family}: {scenarios} passed, 0 failed\n"));
}

macro_rules! families {
    ($($name:ident = $family:literal,)*) => {
        $(
            mod $name {
                #[test]
                fn stepped() {
                    super::replayed($family, super::DriverChoice::Stepped);
                }

                #[test]
                fn threaded() {
                    super::replayed($family, super::DriverChoice::Threaded);
                }
            }
        )*

        /// Whether a file of the directory is forgotten here.
        #[test]
        fn none_is_forgotten() {
            let files = std::fs::read_dir(directory()).expect("the directory of recordings");
            let names = files.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
            let mut there: Vec<String> = names.collect();
            there.sort();
            let mut named = vec![$(concat!($family, ".jsonl.gz").to_owned(),)*];
            named.sort();
            assert_eq!(there, named);
        }
    };
}

families! {
    absolute = "absolute",
    all_mixed = "all-mixed",
    am_limit = "am-limit",
    asynchronous = "asynchronous",
    attempts = "attempts",
    compared_amounts = "compared-amounts",
    derived = "derived",
    drf = "drf",
    dynamic_queues = "dynamic-queues",
    fair_leaf = "fair-leaf",
    fifo_leaf = "fifo-leaf",
    headroom = "headroom",
    hierarchy = "hierarchy",
    late_refresh = "late-refresh",
    locality = "locality",
    mixed = "mixed",
    moves = "move",
    multi = "multi",
    nodes_change = "nodes-change",
    one_rule = "one-rule",
    parallel = "parallel",
    preempt = "preempt",
    preempt_intra = "preempt-intra",
    preempt_moves = "preempt-moves",
    preempt_priority = "preempt-priority",
    preempt_reserved = "preempt-reserved",
    priority = "priority",
    recover = "recover",
    recover_limits = "recover-limits",
    recover_preempt = "recover-preempt",
    recover_queues = "recover-queues",
    reload = "reload",
    reserve = "reserve",
    state = "state",
    user_limit = "user-limit",
    weights = "weights",
    wide = "wide",
}
