//! The queues' names and kinds, before their settings are read.
//!
//! Follows rules/capacity.md 3.1 to 3.2; `CapacitySchedulerQueueManager.parseQueue`. The properties of whoever writes
//! the file decide how deep and how many: a few short lists can name very many queues, so all of that has an end.

use super::error::{CapacityFault, CapacityFileError};
use super::made_queues::{ByParent, MadeQueue, QueueMaking};
use super::source::Source;
use crate::java;
use crate::names::ROOT;
use std::collections::HashSet;

/// Levels of queues below root, as in a name that an application may ask for.
const DEEPEST: usize = 127;
/// The longest path in bytes.
const LONGEST: usize = 1024;
/// The most queues.
pub(super) const MOST: usize = 100_000;
/// The most that are listed twice: what is written for them is read as often.
const MAX_TWICE: usize = 100;

/// What kind of queue it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityQueueKind {
    /// It has child queues, or may get some by itself (`auto-queue-creation-v2`).
    Parent,
    /// Leaves are made in it from a template (`auto-create-child-queue`).
    ManagedParent,
    /// Applications run in it.
    Leaf,
    /// `reservable`: reservations divide it.
    Plan,
    /// In a plan queue: what has no reservation.
    Reservation,
}

impl CapacityQueueKind {
    /// Hadoop's class.
    #[must_use]
    pub fn hadoop_class(self) -> &'static str {
        match self {
            CapacityQueueKind::Parent => "ParentQueue",
            CapacityQueueKind::ManagedParent => "ManagedParentQueue",
            CapacityQueueKind::Leaf => "LeafQueue",
            CapacityQueueKind::Plan => "PlanQueue",
            CapacityQueueKind::Reservation => "ReservationQueue",
        }
    }

    /// Whether applications run in it.
    #[must_use]
    pub fn is_leaf(self) -> bool {
        match self {
            CapacityQueueKind::Leaf | CapacityQueueKind::Reservation => true,
            CapacityQueueKind::Parent | CapacityQueueKind::ManagedParent | CapacityQueueKind::Plan => false,
        }
    }
}

/// A queue without its settings. A parent stands before its children, and they in the order of its list.
#[derive(Debug)]
pub(super) struct BareQueue {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    pub(super) kind: CapacityQueueKind,
    /// It has made itself.
    pub(super) making: Option<QueueMaking>,
    /// What is wrong with its kind; told of when its turn comes.
    pub(super) fault: Option<CapacityFileError>,
}

/// Name, parent, its path, levels below root; the queue that has made itself, where it is one.
type Waiting<'a> = (String, Option<usize>, String, usize, Option<&'a MadeQueue>);

/// `made`: queues that have made themselves. They stand behind those that are listed; one that is listed by now is one
/// of these.
pub(super) fn read(source: &Source<'_>, made: &ByParent<'_>) -> Result<Vec<BareQueue>, CapacityFileError> {
    let mut bare_queues: Vec<BareQueue> = Vec::new();
    let (mut paths, mut twice) = (HashSet::new(), 0);
    // The next one last.
    let mut waiting: Vec<Waiting<'_>> = vec![(ROOT.to_owned(), None, ROOT.to_owned(), 0, None)];
    while let Some((name, parent, path, depth, itself)) = waiting.pop() {
        let (index, asked) = (bare_queues.len(), asked_as(&path));
        if let Some(parent) = parent {
            let parent: &mut BareQueue = &mut bare_queues[parent];
            parent.children.push(index);
        }
        twice += usize::from(!paths.insert(path.clone()));
        if twice > MAX_TWICE {
            let fault = CapacityFault::TooManyTwice { queue: path, most: MAX_TWICE };
            return Err(CapacityFileError::new(Source::of(parent_of(&asked), "queues"), fault));
        }
        let (kind, fault) = match itself {
            Some(itself) if itself.is_leaf => (CapacityQueueKind::Leaf, None),
            Some(_) => (CapacityQueueKind::Parent, None),
            None => kind(source, &asked, parent.is_none(), made.was_parent(&path)),
        };
        let listed = if itself.is_some() { Vec::new() } else { child_names(source, &asked) };
        let makes = matches!(kind, CapacityQueueKind::Parent | CapacityQueueKind::ManagedParent);
        let of_itself =
            made.children(&path).iter().filter(|(name, _)| makes && !listed.iter().any(|other| other == name));
        let of_itself: Vec<(String, &MadeQueue)> =
            of_itself.map(|(name, queue)| ((*name).to_owned(), *queue)).collect();
        let children: Vec<(String, Option<&MadeQueue>)> = listed
            .into_iter()
            .map(|name| (name, None))
            .chain(of_itself.into_iter().map(|(name, queue)| (name, Some(queue))))
            .collect();
        let property = Source::of(&asked, "queues");
        check_size(&property, &path, &children, depth, index + waiting.len())?;
        let below = children.into_iter().rev().map(|(child, itself)| {
            let path = format!("{path}.{child}");
            (child, Some(index), path, depth + 1, itself)
        });
        let making = itself.map(|itself| itself.making);
        if kind == CapacityQueueKind::Plan {
            let leaves: Vec<String> = match made.reserved(&path) {
                Some(leaves) => leaves.iter().map(|leaf| leaf.name.clone()).collect(),
                None => vec![format!("{name}-default")],
            };
            let children = (index + 1..=index + leaves.len()).collect();
            bare_queues.push(BareQueue { path: path.clone(), name, parent, children, kind, making, fault });
            let (kind, parent) = (CapacityQueueKind::Reservation, Some(index));
            bare_queues.extend(leaves.into_iter().map(|name| {
                let path = format!("{path}.{name}");
                BareQueue { path, name, parent, children: Vec::new(), kind, making: None, fault: None }
            }));
        } else {
            waiting.extend(below);
            bare_queues.push(BareQueue { path, name, parent, children: Vec::new(), kind, making, fault });
        }
    }
    Ok(bare_queues)
}

/// The path under which a queue's list and kind are looked up: white space around its last dot does not count.
fn asked_as(path: &str) -> String {
    match path.rsplit_once('.') {
        Some((parent, name)) => format!("{}.{}", java::trim(parent), java::trim(name)),
        None => path.to_owned(),
    }
}

fn parent_of(path: &str) -> &str {
    path.rsplit_once('.').map_or(ROOT, |(parent, _)| parent)
}

fn child_names(source: &Source<'_>, asked: &str) -> Vec<String> {
    let list = source.text(&Source::of(asked, "queues")).unwrap_or_default();
    list.split(',').filter(|name| !name.is_empty()).map(|name| java::trim(name).to_owned()).collect()
}

fn kind(
    source: &Source<'_>,
    asked: &str,
    root: bool,
    was_parent: bool,
) -> (CapacityQueueKind, Option<CapacityFileError>) {
    let on = |key| source.flag(&Source::of(asked, key), false);
    let managed = on("auto-create-child-queue.enabled");
    let makes = managed || was_parent || on("auto-queue-creation-v2.enabled");
    let parent = makes || !child_names(source, asked).is_empty();
    let reservable = on("reservable");
    let fault = |key, fault| Some(CapacityFileError::new(Source::of(asked, key), fault));
    let queue = asked.to_owned();
    match (parent, managed) {
        (false, _) if root => (CapacityQueueKind::Leaf, fault("queues", CapacityFault::NoChildren { queue })),
        (false, _) if reservable => (CapacityQueueKind::Plan, None),
        (false, _) => (CapacityQueueKind::Leaf, None),
        (true, _) if reservable => {
            (CapacityQueueKind::Parent, fault("reservable", CapacityFault::ReservableParent { queue }))
        }
        (true, true) => (CapacityQueueKind::ManagedParent, None),
        (true, false) => (CapacityQueueKind::Parent, None),
    }
}

/// Refuses before the children's paths are made.
fn check_size(
    property: &str,
    path: &str,
    children: &[(String, Option<&MadeQueue>)],
    depth: usize,
    before: usize,
) -> Result<(), CapacityFileError> {
    let beginning: String = path.chars().take(64).collect();
    let fault = if before + children.len() >= MOST {
        CapacityFault::TooManyQueues { most: MOST }
    } else if !children.is_empty() && depth == DEEPEST {
        CapacityFault::TooDeep { queue: beginning, most: DEEPEST }
    } else if children.iter().any(|(child, _)| path.len() + 1 + child.len() > LONGEST) {
        CapacityFault::TooLong { queue: beginning, most: LONGEST }
    } else {
        return Ok(());
    };
    Err(CapacityFileError::new(property, fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(pairs: &[(&str, &str)]) -> Result<Vec<String>, CapacityFault> {
        let pairs: Vec<(String, String)> = pairs
            .iter()
            .map(|(name, value)| (format!("yarn.scheduler.capacity.{name}"), (*value).to_owned()))
            .collect();
        let site = pairs.into_iter().collect();
        let bare_queues = read(&Source::new(&site), &ByParent::default()).map_err(|error| *error.fault)?;
        Ok(bare_queues.into_iter().map(|bone| format!("{} {}", bone.path, bone.kind.hadoop_class())).collect())
    }

    #[test]
    fn a_parent_stands_before_its_children_and_they_in_the_order_of_the_list() {
        let tree = [("root.queues", "b, a,,"), ("root.b.queues", "x"), ("root.a.reservable", "true")];
        assert_eq!(
            paths(&tree).unwrap(),
            [
                "root ParentQueue",
                "root.b ParentQueue",
                "root.b.x LeafQueue",
                "root.a PlanQueue",
                "root.a.a-default ReservationQueue"
            ]
        );
    }

    #[test]
    fn a_list_of_white_space_is_one_queue_without_a_name() {
        assert_eq!(paths(&[("root.queues", " ")]).unwrap(), ["root ParentQueue", "root. LeafQueue"]);
    }

    #[test]
    fn depth_number_and_length_have_an_end() {
        let nested = |depth: usize| {
            let path = |at: usize| format!("root{}.queues", ".a".repeat(at));
            (0..depth).map(|at| (path(at), "a".to_owned())).collect::<Vec<_>>()
        };
        let read = |pairs: Vec<(String, String)>| {
            paths(&pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>())
        };
        assert_eq!(read(nested(127)).unwrap().len(), 128);
        assert!(matches!(read(nested(128)), Err(CapacityFault::TooDeep { .. })));
        // Each list names its queue twice, so that the number doubles with every level.
        let twice = nested(40).into_iter().map(|(name, _)| (name, "a,a".to_owned())).collect();
        assert!(matches!(read(twice), Err(CapacityFault::TooManyTwice { .. })));
        let many = (0..100_000).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
        assert!(matches!(read(vec![("root.queues".to_owned(), many)]), Err(CapacityFault::TooManyQueues { .. })));
        let long = vec![("root.queues".to_owned(), "a".repeat(1100))];
        assert!(matches!(read(long), Err(CapacityFault::TooLong { .. })));
    }
}
