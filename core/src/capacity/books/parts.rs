//! Books by partition: what each queue has on the nodes of one label.
//!
//! What stands in a queue's book itself is the default partition's, so that without labels nothing else is looked at.

use super::figures::{Figures, LeafFigures};
use super::{Books, Counts, QueueBook};
use crate::capacity::rules::leaf::AmTerms;
use crate::capacity::rules::partition::{Part, Partition};
use crate::capacity::rules::tree::QueueNode;
use crate::capacity::rules::user_limit_figures::Bounds;
use crate::config::capacity::LabelFigures;
use crate::id::LabelId;
use crate::resource::Resource;

impl QueueBook {
    #[inline]
    pub(super) fn figures_in<P: Partition>(&self, p: P) -> &Figures {
        if p.is_first() { &self.figures } else { &self.parts[p.place()].figures }
    }

    #[inline]
    pub(crate) fn counts_in<P: Partition>(&self, p: P) -> &Counts {
        if p.is_first() { &self.counts } else { &self.parts[p.place()].counts }
    }

    /// For what may go for others: no known amount comes by it.
    pub(crate) fn killable_mut<P: Partition>(&mut self, p: P) -> &mut Counts {
        if p.is_first() { &mut self.counts } else { &mut self.parts[p.place()].counts }
    }

    /// Whoever changes an amount there makes it known.
    #[inline]
    pub(crate) fn counts_in_mut<P: Partition>(&mut self, p: P) -> &mut Counts {
        if p.is_first() {
            return &mut self.counts;
        }
        let part = &mut self.parts[p.place()];
        part.is_known = true;
        &mut part.counts
    }
}

impl Books {
    /// There are labels: every pass goes by partitions.
    #[inline]
    pub(crate) fn has_labels(&self) -> bool {
        !self.sizes.is_empty()
    }

    /// What a queue uses of a partition is worked out as a fraction: it is one that the queue knows.
    #[inline]
    pub(super) fn has_fraction<P: Partition>(&mut self, slot: u32, p: P) {
        if !p.is_first() && !self.queue(slot).parts[p.place()].has_fraction {
            self.queue_mut(slot).parts[p.place()].has_fraction = true;
            if self.node(slot).of_label(self.labels.name(p.label())).is_none() {
                self.newly_known.push((slot, p.label()));
            }
        }
    }

    /// The same of all amounts that are known, with each update.
    pub(super) fn amounts_have_fractions(&mut self) {
        for slot in self.in_order() {
            for p in self.partitions().skip(1) {
                if self.queue(slot).parts[p.place()].is_known {
                    self.has_fraction(slot, p);
                }
            }
        }
    }

    /// What the nodes of a partition have together.
    #[inline]
    pub(crate) fn size<P: Partition>(&self, p: P) -> &Resource {
        if P::IS_WHOLE { &self.cluster } else { &self.sizes[p.label().ix()] }
    }

    #[inline]
    pub(crate) fn counts_in<P: Partition>(&self, slot: u32, p: P) -> &Counts {
        self.queue(slot).counts_in(p)
    }

    /// What a queue comes to in a partition, by the file; nothing where it knows no such label.
    pub(crate) fn figures_for<P: Partition>(&self, node: &QueueNode, p: P) -> LabelFigures {
        if p.is_first() {
            return node.figures.labels[0];
        }
        node.of_label(self.labels.name(p.label())).map(|(_, figures)| *figures).unwrap_or_default()
    }

    /// The name of a label, empty for none.
    pub(crate) fn label_name(&self, label: LabelId) -> &str {
        if label.is_none() { "" } else { self.labels.name(label) }
    }

    /// Of a leaf queue.
    pub(crate) fn bounds_in<P: Partition>(&self, slot: u32, p: P) -> &Bounds {
        let figures: &LeafFigures = self.queue(slot).figures_in(p).leaf.as_ref().expect("a leaf queue");
        &figures.bounds
    }

    /// All partitions, by number.
    pub(crate) fn partitions(&self) -> impl Iterator<Item = Part> + use<> {
        let numbers = 0..u16::try_from(self.sizes.len()).unwrap_or(u16::MAX);
        numbers.map(|number| Part::of(LabelId(number)))
    }

    /// Whether a queue may use the nodes of a label (rules/node-labels.md 6).
    pub(crate) fn may_use(&self, slot: u32, label: LabelId) -> bool {
        if label.is_none() {
            return true;
        }
        let accessible = self.file(slot).accessible_labels(&self.node(slot).config);
        accessible.contains("*") || accessible.contains(&**self.labels.name(label))
    }

    /// The limits of AMs of a leaf: for the labels that it may use, or `*` (rules/node-labels.md 9).
    pub(super) fn am_terms(&self, slot: u32) -> Vec<AmTerms> {
        let (accessible, queue) = (self.file(slot).accessible_labels(&self.node(slot).config), self.queue(slot));
        let is_any = accessible.contains("*");
        let knows = |label: LabelId| {
            queue.node().of_label(self.labels.name(label)).is_some() || queue.parts[label.ix() - 1].is_known
        };
        let counts = |label: LabelId| {
            label.is_none() || if is_any { knows(label) } else { accessible.contains(&**self.labels.name(label)) }
        };
        let labels = self.partitions().map(Partition::label);
        labels.filter(|label| counts(*label)).map(|label| self.am_terms_of(slot, label)).collect()
    }

    pub(super) fn am_terms_of(&self, slot: u32, label: LabelId) -> AmTerms {
        let bounds = self.bounds_in(slot, Part::of(label));
        AmTerms { label, percent: bounds.am_percent, guaranteed: *bounds.inputs().guaranteed }
    }
}
