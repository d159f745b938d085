//! The queues of an allocation file for the lints. Several `<queue>` elements of one name make one queue; each queue
//! keeps its elements. Built once per check, in the file's order. It walks as the reader in `queue` does, and takes the
//! settings that this has read.

use crate::allocation_file::elements::is_child_queue;
use crate::allocation_file::file::AllocationFile;
use crate::allocation_file::queue::{is_top, key_of, name_of};
use crate::allocation_file::queue_settings::QueueSettings;
use crate::diagnostic::Span;
use crate::names::{ROOT, rooted};
use crate::xml::Element;
use std::collections::HashMap;

/// The number of root in a tree.
pub(super) const TOP: usize = 0;

/// A queue.
pub(super) struct Queue<'a> {
    pub(super) number: usize,
    /// The full name.
    pub(super) name: String,
    /// `None` for root alone.
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The elements that declare it; root may have none.
    pub(super) elements: Vec<&'a Element<'a>>,
    pub(super) settings: &'a QueueSettings,
}

impl<'a> Queue<'a> {
    /// The last element of this name.
    pub(super) fn field(&self, tag: &str) -> Option<&'a Element<'a>> {
        self.last_field(&[tag])
    }

    /// The last element of any of these names.
    pub(super) fn last_field(&self, tags: &[&str]) -> Option<&'a Element<'a>> {
        let of = |element: &&'a Element<'a>| element.elements().filter(|field| tags.contains(&field.name)).last();
        self.elements.iter().rev().find_map(of)
    }

    /// Where the queue's name first stands in the file. `None` for a root without an element.
    pub(super) fn name_at(&self) -> Option<Span> {
        self.elements.first().map(|element| declared_at(element))
    }

    /// How a message about this queue begins: `queue "root.a": `.
    pub(super) fn owner(&self) -> String {
        format!("queue {:?}: ", self.name)
    }
}

/// Where a queue element's name stands; the place of its tag if it has no `name`.
pub(super) fn declared_at(element: &Element<'_>) -> Span {
    element.attribute_named("name").map_or(element.name_at(), |name| name.value_at)
}

/// The queues by number; a parent's is smaller than its children's.
pub(super) struct Tree<'a> {
    pub(super) queues: Vec<Queue<'a>>,
}

impl<'a> Tree<'a> {
    /// `blank`: the settings of queues for which the file has none. Hadoop stores what stands in `<queue name="ROOT">`
    /// and below under names that no queue has, so these settings are lost.
    pub(super) fn new(document: &'a Element<'a>, file: &'a AllocationFile, blank: &'a QueueSettings) -> Tree<'a> {
        let top = Queue {
            number: TOP,
            name: ROOT.to_owned(),
            parent: None,
            children: Vec::new(),
            elements: Vec::new(),
            settings: file.queues.get(ROOT).unwrap_or(blank),
        };
        let mut tree = Tree { queues: vec![top] };
        let mut numbers = HashMap::from([(ROOT.to_owned(), TOP)]);
        let top_level = document.elements().filter(|element| matches!(element.name, "queue" | "pool"));
        // A stack of elements to visit, with the number and key of each one's parent.
        let mut open: Vec<(&Element<'_>, usize, Option<String>)> =
            top_level.map(|element| (element, TOP, (!is_top(element)).then(|| ROOT.to_owned()))).collect();
        open.reverse();
        while let Some((element, parent, parent_key)) = open.pop() {
            let key = key_of(element, parent_key.as_deref());
            let name = rooted(&key);
            // Reading has reported these as errors: an element without a name, or with a full name that is too long.
            if name_of(element).is_empty() || !file.names(&name) {
                continue;
            }
            let number = *numbers.entry(name.clone()).or_insert_with(|| {
                let number = tree.queues.len();
                // Below `<queue name="ROOT">` the key is not the queue's name, and settings under that key are lost.
                let settings = if name == key { file.queues.get(&key) } else { None };
                let settings = settings.unwrap_or(blank);
                tree.queues[parent].children.push(number);
                let (children, elements) = (Vec::new(), Vec::new());
                tree.queues.push(Queue { number, name, parent: Some(parent), children, elements, settings });
                number
            });
            tree.queues[number].elements.push(element);
            let children = element.elements().filter(|inner| is_child_queue(inner.name));
            let from = open.len();
            open.extend(children.map(|child| (child, number, Some(key.clone()))));
            open[from..].reverse();
        }
        tree
    }

    pub(super) fn top(&self) -> &Queue<'a> {
        &self.queues[TOP]
    }

    /// The queues above one, the nearest first.
    pub(super) fn above(&self, queue: &Queue<'a>) -> impl Iterator<Item = &Queue<'a>> {
        std::iter::successors(queue.parent, |number| self.queues[*number].parent).map(|number| &self.queues[number])
    }
}
