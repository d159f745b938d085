//! Sequences of operations: any ones, and among them short scripts that lead where chance alone seldom comes.
//!
//! A script is no more than operations that often follow each other: a round of all nodes, an application that wants
//! more than there is, one that starves beside it, an attempt that is followed by another, a node that is emptied.

use crate::harness::{NEWEST, OP, kind};
use proptest::collection::vec;
use proptest::prelude::*;

type Ops = Vec<[u8; OP]>;

/// Single ones and scripts of one case, at most.
const LONGEST: usize = 200;

pub(crate) fn ops() -> impl Strategy<Value = Ops> {
    let one = any::<[u8; OP]>().prop_map(|op| vec![op]);
    let script = prop_oneof![
        70 => one,
        3 => round(),
        1 => hungry(),
        1 => starving(),
        1 => restarted(),
        1 => emptied(),
    ];
    vec(script, 1..LONGEST).prop_map(|scripts| scripts.concat())
}

/// Operations of one kind, whatever else they say.
fn some(kind: u8) -> impl Strategy<Value = [u8; OP]> + Clone {
    any::<[u8; OP]>().prop_map(move |[_, a, b, c, d, e]| [kind, a, b, c, d, e])
}

/// Shares are computed, and every node reports and is offered.
fn round() -> impl Strategy<Value = Ops> + Clone {
    let beats = vec(some(kind::HEARTBEAT), 2..6);
    beats.prop_map(|beats| {
        let beats = (0..).zip(beats).map(|(node, [kind, _, b, c, d, _])| [kind, node, b, c, d, 0]);
        std::iter::once([kind::UPDATE; OP]).chain(beats).collect()
    })
}

/// An application without an AM that wants twenty containers anywhere.
fn hungry() -> impl Strategy<Value = Ops> + Clone {
    (some(kind::SUBMIT), some(kind::ASK), round()).prop_map(|([submit, queue, user, ..], [ask, _, b, c, ..], round)| {
        let mut ops = vec![[submit, queue, user, 0, 0, 0], [ask, NEWEST, b % 4, c / 8 * 8 + 7, 0, 0]];
        ops.extend(round);
        ops
    })
}

/// One application has much, another one comes; what is taken from the first goes, sooner or later.
fn starving() -> impl Strategy<Value = Ops> + Clone {
    let preempted = (some(kind::PREEMPT), some(kind::ADVANCE), any::<[u8; OP]>(), round());
    (hungry(), round(), hungry(), preempted).prop_map(|(first, round, second, (preempt, advance, any, last))| {
        [first, round, second, vec![[kind::UPDATE; OP], preempt, advance, any, [kind::KILL; OP]], last].concat()
    })
}

/// An attempt, with an AM of its own or without, whose containers run ends, and another one begins.
fn restarted() -> impl Strategy<Value = Ops> + Clone {
    let submitted = (some(kind::SUBMIT), round());
    let submitted = submitted
        .prop_map(|([submit, queue, user, am, ..], round)| [vec![[submit, queue, user, am, 0, 0]], round].concat());
    let launches = vec(some(kind::LAUNCH), 1..4);
    (submitted, some(kind::ASK), round(), launches, some(kind::NEXT_ATTEMPT), round()).prop_map(
        |(submitted, [ask, _, b, c, ..], first, launches, [next, _, b2, c2, d, e], second)| {
            let ask = [ask, NEWEST, b % 4, c, 0, 0];
            let next = [next, NEWEST, b2, c2, d, e];
            // A call in between: what the AM has not been told of is not kept.
            let call = [kind::ASK, NEWEST, b.wrapping_add(1) % 4, c, 0, 0];
            [submitted, vec![ask], first, vec![call], launches, vec![next], second].concat()
        },
    )
}

/// A node is emptied, and perhaps wanted again.
fn emptied() -> impl Strategy<Value = Ops> + Clone {
    (round(), some(kind::DECOMMISSION), round(), round(), some(kind::RECOMMISSION)).prop_map(
        |(before, decommission, first, second, recommission)| {
            [before, vec![decommission], first, second, vec![recommission]].concat()
        },
    )
}
