//! What a worker decides: passes over a node, what becomes of a proposal, ends, preemption; and what it hears and says.
//!
//! # Where it stands
//! The engine calls it through [`moments`](crate::capacity::moments). It reads and changes its worker's records and
//! [books](crate::capacity::books), by the [rules](crate::capacity::rules).

/// Does something with the partition that a node is in, or with the whole cluster where there are no labels.
macro_rules! by_partition {
    ($shard:expr, $node:expr, |$p:ident| $what:expr) => {
        $crate::capacity::decide::in_partition!($shard, $shard.nodes[$node as usize].label, |$p| $what)
    };
}

/// The same in the partition of a label.
macro_rules! in_partition {
    ($shard:expr, $label:expr, |$p:ident| $what:expr) => {
        if $shard.own.books.has_labels() {
            let $p = $crate::capacity::rules::partition::Part::of($label);
            $what
        } else {
            let $p = $crate::capacity::rules::partition::Whole;
            $what
        }
    };
}

pub(crate) use by_partition;
pub(crate) use in_partition;

pub(crate) mod transit;

pub(crate) mod survey;

pub(crate) mod messages;

pub(crate) mod attempt_log;

pub(crate) mod parts;

pub(crate) mod asks;

pub(crate) mod pass;

pub(crate) mod together;

pub(crate) mod commit;

pub(crate) mod ends;

pub(crate) mod handling;

pub(crate) mod anew;

pub(crate) mod victims;

mod takings;

pub(crate) mod preempting;

pub(crate) mod survey_steps;

pub(crate) mod moving;

pub(crate) mod folding;

pub(crate) mod overcommit;

pub(crate) mod relabelling;

pub(crate) mod watching;
