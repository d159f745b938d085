//! A pass as a tree, as Hadoop's `NodeAllocation` makes it: of entries that name their parent, each name once.
//!
//! Names are not unique (two applications may both have `request_1_-1`): then the tree is Hadoop's all the same.

use evenweave::reason::{AppEnd, AppTried, CapacityPass, KeyEnd, KeyTried, PassCourse, QueueEnd, QueueTried};

use super::names::Names;
use super::words::{Level, MAX_CONTAINERS, NODE_FULL, NOTHING_WANTED, Said, of_app, of_queue, of_try};
use crate::rest::app::request_id;

/// One entry, with those below it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Option<String>,
    parent: String,
    pub(super) said: Said,
    pub(super) app_priority: Option<i32>,
    /// Priority and allocation request id.
    pub(super) request: Option<(i32, i64)>,
    /// The node's id.
    pub(super) node: Option<String>,
    pub(super) children: Vec<Entry>,
}

/// A pass as it is shown.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// How it ends.
    pub(super) state: &'static str,
    /// Of a reservation that was served or stays.
    pub(super) container: Option<String>,
    pub(super) root: Entry,
}

fn entry(parent: &str, name: Option<String>, said: Said) -> Entry {
    let (parent, children) = (parent.to_owned(), Vec::new());
    Entry { name, parent, said, app_priority: None, request: None, node: None, children }
}

/// The full name of the queue above; empty above root.
fn above(queue: &str) -> &str {
    queue.rsplit_once('.').map_or("", |(above, _)| above)
}

/// The entries of a pass, in the order in which Hadoop notes them: from below.
struct Notes<'n> {
    names: &'n Names<'n>,
    node: &'n str,
    entries: Vec<Entry>,
}

impl Notes<'_> {
    fn queue(&mut self, queue: &str, said: Said) {
        self.entries.push(entry(above(queue), Some(queue.to_owned()), said));
    }

    fn app(&mut self, app: &AppTried, said: Said) {
        let mut of = entry(&app.queue, Some(self.names.app(app.app)), said);
        of.app_priority = Some(app.priority);
        self.entries.push(of);
    }

    fn request(&mut self, app: &AppTried, key: &KeyTried, said: Said) {
        let state = said.state;
        let mut of = entry(&self.names.app(app.app), Some(request_name(key)), said);
        of.request = Some((key.priority, request_id(key.allocation_request_id)));
        self.entries.push(of);
        self.app(app, Said::plain(state));
    }

    fn tries(&mut self, app: &AppTried, container: Option<u32>) {
        for key in &app.keys {
            for end in &key.ends {
                let (level, said) = of_try(end, self.names.basics);
                if level == Level::Request {
                    self.request(app, key, said);
                    continue;
                }
                let name = if let KeyEnd::Allocated { size } = end {
                    Some(self.names.container(self.node, app, key, size, container))
                } else {
                    None
                };
                let state = said.state;
                let mut of = entry(&request_name(key), name, said);
                of.node = Some(self.names.node(self.node));
                self.entries.push(of);
                self.request(app, key, Said::plain(state));
            }
        }
    }

    fn below(&mut self, queue: &QueueTried) {
        queue.queues.iter().for_each(|below| self.below(below));
        for app in &queue.apps {
            match app.end {
                AppEnd::QueueAtMaximum | AppEnd::UserAtLimit => self.app(app, of_app(app.end, false)),
                AppEnd::NothingWanted => self.app(app, Said::because("SKIPPED", NOTHING_WANTED)),
                AppEnd::Nothing | AppEnd::Allocates | AppEnd::Reserves => self.tries(app, None),
            }
        }
        let said = of_queue(queue.end, queue.queues.is_empty(), |app| self.names.app(app));
        self.queue(&queue.queue, said);
    }

    /// Each name once, where it was noted last; then below whom it names.
    fn into_root(self) -> Option<Entry> {
        let mut seen = std::collections::HashSet::new();
        let mut last: Vec<Entry> = self
            .entries
            .into_iter()
            .rev()
            .filter(|entry| entry.name.as_ref().is_none_or(|name| seen.insert(name.clone())))
            .collect();
        last.reverse();
        let mut tree: Vec<Entry> = Vec::new();
        for mut entry in last {
            while let Some(name) = &entry.name
                && tree.last().is_some_and(|last| last.parent == *name)
                && let Some(child) = tree.pop()
            {
                entry.children.insert(0, child);
            }
            tree.push(entry);
        }
        tree.into_iter().next()
    }
}

fn request_name(key: &KeyTried) -> String {
    format!("request_{}_{}", key.priority, request_id(key.allocation_request_id))
}

/// `None`: nothing was tried.
pub(super) fn shown(pass: &CapacityPass, names: &Names<'_>) -> Option<Shown> {
    let mut notes = Notes { names, node: &pass.node, entries: Vec::new() };
    let (state, container) = match &pass.course {
        PassCourse::NodeFull => {
            notes.queue("root", Said::because("REJECTED", NODE_FULL));
            ("SKIPPED", None)
        }
        PassCourse::MostContainers { .. } => {
            notes.queue("root", Said::because("REJECTED", MAX_CONTAINERS));
            ("SKIPPED", None)
        }
        PassCourse::Offered(root) => {
            notes.below(root);
            let state = match root.end {
                QueueEnd::Allocates => "ALLOCATED",
                QueueEnd::Reserves => "RESERVED",
                QueueEnd::NothingWanted
                | QueueEnd::NodeFull
                | QueueEnd::AtMaximum
                | QueueEnd::NoRoom { .. }
                | QueueEnd::Nothing => "SKIPPED",
            };
            (state, None)
        }
        PassCourse::Reserved { queue, container, app } => {
            notes.tries(app, Some(*container));
            let id = names.container_id(app.app, *container);
            match app.end {
                AppEnd::Allocates => {
                    notes.queue(queue, Said::plain("ACCEPTED"));
                    ("ALLOCATED_FROM_RESERVED", Some(id))
                }
                AppEnd::Reserves => {
                    notes.queue(queue, Said::plain("RE_RESERVED"));
                    ("RESERVED", Some(id))
                }
                AppEnd::QueueAtMaximum | AppEnd::UserAtLimit | AppEnd::NothingWanted | AppEnd::Nothing => {
                    ("DEFAULT", None)
                }
            }
        }
    };
    Some(Shown { state, container, root: notes.into_root()? })
}
