//! The labels as everybody sees them: their numbers, which of them there are, and what their nodes have.
//!
//! The control makes a new one whenever the manager's partitions change, and publishes it. Hadoop goes by names: a
//! label that goes and comes back has its books again. So a name keeps its number for good.

use super::manager::{NodeLabels, Partition};
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// See the module's text. Empty where labels are off.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelTable {
    /// By number; `None` of one that there is not now.
    rows: Vec<(Arc<str>, Option<Partition>)>,
    /// In the order of names, the default partition first.
    numbers: BTreeMap<Arc<str>, LabelId>,
}

impl LabelTable {
    /// The partitions as the manager has them by now.
    pub(crate) fn update(&mut self, manager: &NodeLabels) {
        self.rows.iter_mut().for_each(|(_, partition)| *partition = None);
        for (name, partition) in manager.partitions() {
            if let Some(number) = self.numbers.get(name) {
                self.rows[number.ix()].1 = Some(*partition);
                continue;
            }
            let name: Arc<str> = name.into();
            // More are refused: see `has_room`.
            let number = LabelId(u16::try_from(self.rows.len()).expect("fewer labels than 2^16"));
            self.numbers.insert(name.clone(), number);
            self.rows.push((name, Some(*partition)));
        }
    }

    /// A name that somebody has used has a number, also if there is no such label.
    pub(crate) fn know(&mut self, name: &str) {
        if !self.numbers.contains_key(name) && self.has_room(1) {
            let name: Arc<str> = name.into();
            let number = LabelId(u16::try_from(self.rows.len()).expect("fewer labels than 2^16"));
            self.numbers.insert(name.clone(), number);
            self.rows.push((name, None));
        }
    }

    /// Whether so many more names get numbers.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        self.rows.len().saturating_add(more) <= usize::from(u16::MAX)
    }

    /// How many numbers there are; 0 where labels are off.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of a name that has one.
    pub(crate) fn number(&self, name: &str) -> Option<LabelId> {
        self.numbers.get(name).copied()
    }

    /// The number of a label that there is.
    pub(crate) fn present(&self, name: &str) -> Option<LabelId> {
        self.number(name).filter(|number| self.partition(*number).is_some())
    }

    pub(crate) fn name(&self, number: LabelId) -> &Arc<str> {
        &self.rows[number.ix()].0
    }

    /// The same of a number that may be newer than this table.
    pub(crate) fn name_of(&self, number: LabelId) -> Option<&str> {
        self.rows.get(number.ix()).map(|(name, _)| &**name)
    }

    pub(crate) fn partition(&self, number: LabelId) -> Option<&Partition> {
        self.rows.get(number.ix())?.1.as_ref()
    }

    /// What the running nodes of a partition have together.
    pub(crate) fn size(&self, number: LabelId) -> Resource {
        self.partition(number).map_or(Resource::ZERO, |partition| partition.resource)
    }

    /// All numbers, in their order.
    pub(crate) fn all_numbers(&self) -> impl Iterator<Item = LabelId> + use<> {
        (0..u16::try_from(self.len()).unwrap_or(u16::MAX)).map(LabelId)
    }

    /// All numbers, by name, the default partition first.
    pub(crate) fn by_name(&self) -> impl Iterator<Item = (&str, LabelId)> {
        self.numbers.iter().map(|(name, number)| (&**name, *number))
    }
}
