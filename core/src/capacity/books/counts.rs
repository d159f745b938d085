//! What is counted of a queue, and what it has on the nodes of one label.
//!
//! Plain data of a worker's books.

use super::figures::Figures;
use crate::capacity::rules::preempted::Candidate;
use crate::resource::{Resource, Wide};
use std::collections::BTreeMap;

/// What is counted of a queue. What a charge writes comes first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Counts {
    pub(crate) pending: Wide,
    pub(crate) used_capacity: f32,
    pub(crate) absolute_used_capacity: f32,
    /// Reservations are counted as containers.
    pub(crate) containers: i64,
    /// Reservations included.
    pub(crate) used: Resource,
    /// Containers that are marked to go for others that need their room, and their sizes.
    pub(crate) killable: BTreeMap<Candidate, Resource>,
    /// The sum of their sizes. As in Hadoop, a container that is marked twice is added twice, and taken off once.
    pub(crate) killable_sum: Resource,
    /// What its applications have reserved now: another figure than `reserved` after a move.
    pub(crate) reserved_by_apps: Resource,
    pub(crate) reserved: Resource,
}

/// A queue on the nodes of one label.
#[derive(Debug)]
pub(crate) struct PartBook {
    pub(super) figures: Figures,
    pub(crate) counts: Counts,
    /// Some amount of it was ever changed (rules/node-labels.md 1: known amounts).
    pub(crate) is_known: bool,
    /// What it uses was worked out as a fraction (known fractions), and the control knows it.
    pub(super) has_fraction: bool,
}

impl PartBook {
    pub(super) fn new(figures: Figures) -> PartBook {
        PartBook { figures, counts: Counts::default(), is_known: false, has_fraction: false }
    }
}
