//! Leaves of plans come into a file that is read, and go from it: what is written for all other queues is not read
//! again.
//!
//! What comes of it is the file as it is when it is read with those leaves. Where that cannot be had this way, nothing
//! changes, and whoever asks reads the file. Pure.
//!
//! Cost: O(properties) to read one leaf; and O(queues) small steps, as the places of those behind it are others.
//! Whoever shares the queues with a copy of the file pays for a copy of them once.

use super::defaults::Defaults;
use super::error::CapacityFileError;
use super::file::CapacityFile;
use super::labels::LabelsByQueue;
use super::made_queues::{ByParent, MadeQueues, Reserved};
use super::queue::CapacityQueue;
use super::skeleton::{BareQueue, CapacityQueueKind, MOST};
use super::source::Source;
use super::tree::Builder;
use super::uncompared::Uncompared;
use super::warnings::Warnings;
use crate::site::SiteProperties;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What a file is read from.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Texts<'a> {
    pub site: &'a SiteProperties,
    /// The site's properties, and the scheduler's own over them.
    pub all: &'a SiteProperties,
    /// What was read of it before.
    pub read: &'a CapacityFile,
}

impl Texts<'_> {
    #[doc(hidden)]
    pub fn read_with(&self, made: &MadeQueues) -> Result<CapacityFile, CapacityFileError> {
        CapacityFile::read_again(self.site, self.all, made, self.read)
    }
}

/// A leaf has come or gone: its place, and the places of those whose settings name places, which are others by now.
#[derive(Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Shifted {
    pub leaf: usize,
    pub others: Vec<usize>,
}

/// The places in the settings of one queue.
fn places(queue: &mut CapacityQueue) -> impl Iterator<Item = &mut usize> {
    let CapacityQueue { parent, children, accessible_from, default_label_from, .. } = queue;
    parent.iter_mut().chain(children).chain([accessible_from]).chain(default_label_from)
}

/// Gives every place its new number; who has another one, and is not `but`.
fn renumber(queues: &mut [CapacityQueue], but: Option<usize>, new: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut others = Vec::new();
    for (index, queue) in queues.iter_mut().enumerate() {
        let mut is_other = false;
        for place in places(queue) {
            let moved = new(*place);
            is_other |= moved != *place;
            *place = moved;
        }
        if is_other && Some(index) != but {
            others.push(index);
        }
    }
    others
}

impl CapacityFile {
    /// A leaf of no capacity comes into a plan, behind those that the plan has. `None`: the file has to be read with
    /// it, and is as it was. So it is too where what is written for the leaf is wrong.
    #[doc(hidden)]
    pub fn add_leaf_of_plan(
        &mut self,
        texts: &Texts<'_>,
        plan: usize,
        name: &str,
    ) -> Option<Result<Shifted, CapacityFileError>> {
        let of_plan = &self.queues[plan].path;
        let path = format!("{of_plan}.{name}");
        let is_new = !self.names.knows(name) && !self.names.knows(&path);
        if !is_new || self.queues.len() + 1 >= MOST || !self.may_be_changed(None) {
            return None;
        }
        let made = MadeQueues {
            reserved: BTreeMap::from([(
                of_plan.clone(),
                vec![Reserved { name: name.to_owned(), part: 0.0, most: 0.0 }],
            )]),
            ..MadeQueues::default()
        };
        let bone = BareQueue {
            path,
            name: name.to_owned(),
            parent: Some(plan),
            children: Vec::new(),
            kind: CapacityQueueKind::Reservation,
            making: None,
            fault: None,
        };
        let place = plan + 1 + self.queues[plan].children.len();
        if let Err(error) = self.read_leaf(texts, &made, bone) {
            return Some(Err(error));
        }
        let queues = Arc::make_mut(&mut self.queues);
        let last = queues.len() - 1;
        queues[place..].rotate_right(1);
        let mut others = renumber(queues, Some(place), |before| match before {
            before if before == last => place,
            before => before + usize::from(before >= place),
        });
        queues[plan].children.push(place);
        if let Err(at) = others.binary_search(&plan) {
            others.insert(at, plan);
        }
        Arc::make_mut(&mut self.states)[place..].rotate_right(1);
        Arc::make_mut(&mut self.names).come(place, &self.queues[place]);
        Some(Ok(Shifted { leaf: place, others }))
    }

    /// Whether all other queues are read the same with another leaf, or without this one: none is listed twice, and
    /// there is another leaf, for which alone some settings of the whole scheduler are read.
    fn may_be_changed(&self, without: Option<usize>) -> bool {
        let is_other_leaf = |(place, queue): (usize, &CapacityQueue)| Some(place) != without && queue.kind.is_leaf();
        self.names.paths_in_all() == self.queues.len() && self.queues.iter().enumerate().any(is_other_leaf)
    }

    /// Reads a leaf behind all other queues.
    fn read_leaf(&mut self, texts: &Texts<'_>, made: &MadeQueues, bone: BareQueue) -> Result<(), CapacityFileError> {
        let mut all = texts.all.clone();
        let of_plan = {
            let source = Source::unlisted(texts.all);
            let plan = bone.parent.map_or("", |plan| self.queues[plan].path.as_str());
            self.templates.for_default_queue(&source, &Defaults::read(&source), plan, &bone.path)
        };
        for (name, value) in of_plan.iter().map(|(name, value)| (name, value)).chain(&*self.set_by_templates) {
            all.set(name, value.clone());
        }
        let (source, by_parent, before) = (Source::new(&all), ByParent::of(made), self.queues.len());
        let (defaults, labels) = (Defaults::read(&source), LabelsByQueue::read(&source)?);
        let mut builder = Builder {
            source: &source,
            settings: &self.settings,
            defaults: &defaults,
            labels: &labels,
            warnings: Warnings::new(&source),
            queues: std::mem::take(Arc::make_mut(&mut self.queues)),
            states: std::mem::take(Arc::make_mut(&mut self.states)),
            known: Vec::new(),
            made_apart: HashMap::new(),
            made: &by_parent,
            uncompared: &Uncompared::amounts(),
        };
        let outcome = builder.set_up(bone).and_then(|()| source.check_expansion());
        let Builder { mut queues, mut states, .. } = builder;
        if outcome.is_err() {
            queues.truncate(before);
            states.truncate(before);
        }
        (self.queues, self.states) = (Arc::new(queues), Arc::new(states));
        outcome.map_err(|error| error.placed(&all))
    }

    /// A leaf of a plan goes. `None`: the file has to be read without it, and is as it was.
    #[doc(hidden)]
    pub fn remove_leaf_of_plan(&mut self, place: usize) -> Option<Shifted> {
        let leaf = &self.queues[place];
        let is_of_plan = leaf.kind == CapacityQueueKind::Reservation;
        let plan = leaf.parent.filter(|_| is_of_plan && self.names.is_only(place, leaf))?;
        if !self.may_be_changed(Some(place)) {
            return None;
        }
        Arc::make_mut(&mut self.names).go(place, &self.queues[place]);
        Arc::make_mut(&mut self.states).remove(place);
        let queues = Arc::make_mut(&mut self.queues);
        queues.remove(place);
        queues[plan].children.retain(|child| *child != place);
        let mut others = renumber(queues, None, |before| before - usize::from(before > place));
        if let Err(at) = others.binary_search(&plan) {
            others.insert(at, plan);
        }
        Some(Shifted { leaf: place, others })
    }

    /// Whether each name stands for the same queue, or for none, as in another file.
    #[doc(hidden)]
    #[must_use]
    pub fn finds_as(&self, other: &CapacityFile) -> bool {
        self.names == other.names && self.set_by_templates == other.set_by_templates
    }
}
