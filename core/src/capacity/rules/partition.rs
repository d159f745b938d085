//! Which partition of the cluster a step is about.
//!
//! Most clusters have no labels. What is done for each heartbeat is written once, with the partition as a type: for
//! [`Whole`] the compiler leaves all questions about it out.

use crate::id::LabelId;
use std::fmt::Debug;

/// See the module's text.
pub(crate) trait Partition: Copy + Debug {
    /// There are no labels: the whole cluster is one partition.
    const IS_WHOLE: bool;
    /// Its nodes are offered together: see [`Together`].
    const IS_TOGETHER: bool = false;

    /// Its label.
    fn label(self) -> LabelId;

    /// Its nodes are lent to asks for nodes without a label (rules/node-labels.md 10: IGNORE). Else they are for those
    /// who ask for its label.
    fn is_lent(self) -> bool;

    /// Of the asks that are served there.
    fn asked(self) -> Self;

    /// It is the default partition, or the whole cluster.
    #[inline(always)]
    fn is_first(self) -> bool {
        Self::IS_WHOLE || self.label().is_none()
    }

    /// Its place among the partitions with a label.
    #[inline(always)]
    fn place(self) -> usize {
        self.label().ix().wrapping_sub(1)
    }
}

/// All nodes of a partition are offered together, and each ask is tried on one after the other (rules/multi-node.md 4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Together<P>(pub(crate) P);

impl<P: Partition> Partition for Together<P> {
    const IS_WHOLE: bool = P::IS_WHOLE;
    const IS_TOGETHER: bool = true;

    #[inline(always)]
    fn label(self) -> LabelId {
        self.0.label()
    }

    #[inline(always)]
    fn is_lent(self) -> bool {
        self.0.is_lent()
    }

    #[inline(always)]
    fn asked(self) -> Together<P> {
        Together(self.0.asked())
    }
}

/// There are no labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole;

impl Partition for Whole {
    const IS_WHOLE: bool = true;

    #[inline(always)]
    fn label(self) -> LabelId {
        LabelId::NONE
    }

    #[inline(always)]
    fn is_lent(self) -> bool {
        false
    }

    #[inline(always)]
    fn asked(self) -> Whole {
        Whole
    }
}

/// There are labels, and it is about one of them, or about none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    label: LabelId,
    is_lent: bool,
}

impl Part {
    /// The partition without a label.
    pub(crate) const DEFAULT: Part = Part::of(LabelId::NONE);

    /// Nodes of a label, for asks that name it.
    pub(crate) const fn of(label: LabelId) -> Part {
        Part { label, is_lent: false }
    }

    /// Nodes of a label, for asks that name none.
    pub(crate) const fn lent(label: LabelId) -> Part {
        Part { label, is_lent: true }
    }
}

impl Partition for Part {
    const IS_WHOLE: bool = false;

    #[inline]
    fn label(self) -> LabelId {
        self.label
    }

    #[inline]
    fn is_lent(self) -> bool {
        self.is_lent
    }

    #[inline]
    fn asked(self) -> Part {
        if self.is_lent { Part::DEFAULT } else { self }
    }
}
