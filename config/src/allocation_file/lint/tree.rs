//! The queues of a document, elements of one name merged, each with the elements that count.
//!
//! Built once a check, in the order of the document. The same walk as in reading (`queue`), which gives the values.

use crate::allocation_file::elements::is_child_queue;
use crate::allocation_file::file::AllocationFile;
use crate::allocation_file::queue::{is_top, key_of, name_of};
use crate::allocation_file::queue_settings::QueueSettings;
use crate::diagnostic::Span;
use crate::names::{ROOT, rooted};
use crate::xml::Element;
use evenweave_resource::LONGEST_NAME;
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
    /// The element of a field; of several the last.
    pub(super) fn field(&self, tag: &str) -> Option<&'a Element<'a>> {
        self.last_field(&[tag])
    }

    /// The last element of any of these names.
    pub(super) fn last_field(&self, tags: &[&str]) -> Option<&'a Element<'a>> {
        let of = |element: &&'a Element<'a>| element.elements().filter(|field| tags.contains(&field.name)).last();
        self.elements.iter().rev().find_map(of)
    }

    /// The value of the name attribute where it is first declared.
    pub(super) fn name_at(&self) -> Option<Span> {
        self.elements.first().map(|element| declared_at(element))
    }

    /// `queue "root.a": `
    pub(super) fn owner(&self) -> String {
        format!("queue {:?}: ", self.name)
    }
}

/// The value of a queue element's name.
pub(super) fn declared_at(element: &Element<'_>) -> Span {
    element.attribute_named("name").map_or(element.name_at(), |name| name.value_at)
}

/// The queues by number; a parent's is smaller than its children's.
pub(super) struct Tree<'a> {
    pub(super) queues: Vec<Queue<'a>>,
}

impl<'a> Tree<'a> {
    /// `blank` is for queues whose settings are lost: those below a top spelt `ROOT`.
    pub(super) fn new(root: &'a Element<'a>, file: &'a AllocationFile, blank: &'a QueueSettings) -> Tree<'a> {
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
        // What is still to be visited, the next one last, with its parent's number and key.
        let top_level = root.elements().filter(|element| matches!(element.name, "queue" | "pool"));
        let mut open: Vec<(&Element<'_>, usize, Option<String>)> =
            top_level.map(|element| (element, TOP, (!is_top(element)).then(|| ROOT.to_owned()))).collect();
        open.reverse();
        while let Some((element, parent, parent_key)) = open.pop() {
            let key = key_of(element, parent_key.as_deref());
            let name = rooted(&key);
            // What could not be read, for want of a name or because of its length.
            if name_of(element).is_empty() || !file.names(&name) {
                continue;
            }
            // An error already, and not to be repeated below.
            if name.len() > LONGEST_NAME {
                continue;
            }
            let number = *numbers.entry(name.clone()).or_insert_with(|| {
                let number = tree.queues.len();
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
