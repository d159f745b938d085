//! Hadoop's own reservation system, recorded step by step, against this one: 420 runs of 14 families.
//!
//! `data/reservation` has what a ResourceManager 3.4.2 did. Held against it here, after every step: new names, answers,
//! refusals with their kinds and texts, allocations piece by piece, lists, each plan's capacity, profiles and
//! reservations; after each step that shows queues: which there are, their types, weights and steady fair shares, bit
//! for bit; which applications the follower moved and killed.
//!
//! At the end of each run a new system takes over the state of this one, as text, and has the same plans.
//!
//! What belongs to scheduling proper is not: containers, fair shares, demand, usage, headroom, nodes' free room. The
//! queues are a small model ([`world`]), with this crate's own steady shares. Taken from the recording are: whether an
//! application that is submitted enters, where the refusal is not the reservation system's; whether a client's move is
//! carried out; and which of the applications that the follower wants to move may not (running limits).

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod case;
mod world;

use case::{Case, cases};

/// The runs of a family.
fn replay(family: &str) {
    let mut wrong = Vec::new();
    let cases = cases(family);
    assert_eq!(cases.len(), 30, "{family}");
    for case in &cases {
        let found = Case::play(case);
        if !found.is_empty() {
            wrong.push(format!("{}: {}", case["name"], found.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

macro_rules! families {
    ($($test:ident: $family:literal),* $(,)?) => {$(
        #[test]
        fn $test() {
            replay($family);
        }
    )*};
}

families! {
    any_stage: "any",
    all_stages: "all",
    stages_in_order: "order",
    stages_without_a_gap: "no-gap",
    the_greedy_agent: "greedy",
    validation: "validate",
    recurring: "periodic",
    sharing_policies: "policy",
    updates_and_deletions: "update-delete",
    the_follower: "follow",
    the_replanner: "replan",
    applications: "apps",
    access_lists: "acl",
    lists: "list",
}
