//! Candidates of an ask: the nodes of a partition that are offered together, and the order in which each policy tries
//! them (rules/multi-node.md 3 to 5).
//!
//! Plain lists of one worker's nodes, by place, which that worker owns. They are filled once a pass; a policy that
//! sorts by time keeps a list between passes. Nothing is allocated once the lists have grown.

use crate::id::{LabelId, NodeId};
use crate::policy::candidates::{CandidateAsk, CandidateNode, Candidates};
use crate::sync::Arc;
use std::cmp::Ordering;

/// A policy that a configuration names.
#[derive(Clone, Debug)]
pub(crate) struct Sorting {
    pub(crate) class: String,
    pub(crate) policy: Arc<dyn Candidates>,
    /// How often it sorts; 0: whenever its order is asked for.
    pub(crate) interval_ms: u64,
}

/// What is configured.
#[derive(Clone, Debug, Default)]
pub(crate) struct MultiNode {
    pub(crate) sortings: Vec<Sorting>,
    /// `skip-allocate-on-nodes-with-reserved-containers`
    pub(crate) skips_reserved: bool,
}

impl MultiNode {
    /// The policy of a class. None of it: there is no order, and the first node alone is tried.
    pub(crate) fn number_of(&self, class: Option<&str>) -> Option<u16> {
        let at = self.sortings.iter().position(|sorting| Some(&*sorting.class) == class)?;
        u16::try_from(at).ok()
    }
}

/// The nodes of a worker, as the lists see them.
pub(crate) trait Nodes {
    /// Those that are there, with their labels, in the order of their registration.
    fn present(&self) -> impl Iterator<Item = (u32, LabelId)>;

    fn id(&self, node: u32) -> NodeId;

    fn facts(&self, node: u32) -> CandidateNode<'_>;

    /// It is there, has this label and has reported lately.
    fn may_be_tried(&self, node: u32, label: LabelId) -> bool;

    /// The same, and it is not being emptied.
    fn may_be_offered(&self, node: u32, label: LabelId) -> bool;
}

/// One policy, and its order.
#[derive(Debug)]
struct Sorter {
    sorting: Sorting,
    /// When it sorts next, where it does by time.
    due_ms: u64,
    /// As it has sorted then: all nodes, whatever their labels. The id says whose place it was.
    by_time: Vec<(u32, NodeId)>,
    /// For the pass that is on.
    line: Vec<u32>,
    /// For which pass that is.
    pass: u64,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct CandidateLists {
    sorters: Vec<Sorter>,
    skips_reserved: bool,
    /// What is offered together, in the order of registration.
    together: Vec<u32>,
    /// The line of an application whose nodes are not sorted.
    first: Vec<u32>,
    label: LabelId,
    pass: u64,
}

fn compare(policy: &dyn Candidates, nodes: &impl Nodes, a: u32, b: u32) -> Ordering {
    let (a, b) = (nodes.facts(a), nodes.facts(b));
    policy.compare(&a, &b).then_with(|| a.name.cmp(b.name))
}

impl CandidateLists {
    pub(crate) fn new(configured: &MultiNode, now_ms: u64) -> CandidateLists {
        let sorter = |sorting| Sorter { sorting, due_ms: now_ms, by_time: Vec::new(), line: Vec::new(), pass: 0 };
        CandidateLists {
            sorters: configured.sortings.iter().cloned().map(sorter).collect(),
            skips_reserved: configured.skips_reserved,
            together: Vec::new(),
            first: Vec::new(),
            label: LabelId::NONE,
            pass: 0,
        }
    }

    pub(crate) fn skips_reserved(&self) -> bool {
        self.skips_reserved
    }

    /// Policies that sort by time do so, if that is due (rules/multi-node.md 5).
    pub(crate) fn sort_by_time(&mut self, nodes: &impl Nodes, now_ms: u64) {
        for sorter in self.sorters.iter_mut().filter(|sorter| sorter.sorting.interval_ms > 0) {
            let (interval, behind) = (sorter.sorting.interval_ms, now_ms.checked_sub(sorter.due_ms));
            let Some(behind) = behind else { continue };
            sorter.due_ms = now_ms.saturating_sub(behind % interval).saturating_add(interval);
            sorter.by_time.clear();
            sorter.by_time.extend(nodes.present().map(|(node, _)| (node, nodes.id(node))));
            let policy = &*sorter.sorting.policy;
            sorter.by_time.sort_unstable_by(|a, b| compare(policy, nodes, a.0, b.0));
        }
    }

    /// The nodes of a partition are offered together from now on. `reports`: the one that has led to it, which is
    /// offered alone if there is no other (rules/multi-node.md 3).
    pub(crate) fn offer(&mut self, nodes: &impl Nodes, label: LabelId, reports: Option<u32>) {
        self.label = label;
        self.together.clear();
        let of_label = nodes.present().filter(|(_, of)| *of == label).map(|(node, _)| node);
        self.together.extend(of_label.filter(|node| nodes.may_be_offered(*node, label)));
        if self.together.is_empty() {
            self.together.extend(reports);
        }
    }

    pub(crate) fn together(&self) -> &[u32] {
        &self.together
    }

    /// A pass begins: what has been granted meanwhile changes the order.
    pub(crate) fn begin_pass(&mut self) {
        self.pass += 1;
    }

    /// The nodes in the order in which an application tries them. Given back by [`put_back`](Self::put_back).
    pub(crate) fn take_line(&mut self, nodes: &impl Nodes, number: Option<u16>) -> Vec<u32> {
        let CandidateLists { sorters, together, first, label, pass, .. } = self;
        // One node is in order.
        let sorter = number.filter(|_| together.len() > 1).and_then(|number| sorters.get_mut(usize::from(number)));
        let Some(sorter) = sorter else {
            first.clear();
            first.extend(together.first());
            return std::mem::take(first);
        };
        if sorter.pass != *pass {
            sorter.pass = *pass;
            sorter.line.clear();
            if sorter.sorting.interval_ms > 0 {
                let there = sorter.by_time.iter().filter(|(node, id)| nodes.id(*node) == *id);
                sorter.line.extend(there.map(|(node, _)| *node).filter(|node| nodes.may_be_tried(*node, *label)));
            } else {
                sorter.line.extend_from_slice(together);
                let policy = &*sorter.sorting.policy;
                sorter.line.sort_unstable_by(|a, b| compare(policy, nodes, *a, *b));
            }
        }
        std::mem::take(&mut sorter.line)
    }

    pub(crate) fn put_back(&mut self, number: Option<u16>, line: Vec<u32>) {
        let sorter = number.filter(|_| self.together.len() > 1);
        match sorter.and_then(|number| self.sorters.get_mut(usize::from(number))) {
            Some(sorter) => sorter.line = line,
            None => self.first = line,
        }
    }

    /// Whether the policy lets a node serve an ask.
    pub(crate) fn may(&self, number: Option<u16>, ask: &CandidateAsk<'_>, node: &CandidateNode<'_>) -> bool {
        let sorter = number.and_then(|number| self.sorters.get(usize::from(number)));
        sorter.is_none_or(|sorter| sorter.sorting.policy.may(ask, node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::candidates::{EmptiestFirst, LeastAllocated};
    use crate::resource::Resource;

    /// By place: the id, the name, what is allocated in GiB, and whether it may be tried.
    struct Few(Vec<(u32, &'static str, i64, bool)>);

    impl Nodes for Few {
        fn present(&self) -> impl Iterator<Item = (u32, LabelId)> {
            (0..).zip(&self.0).map(|(place, _)| (place, LabelId::NONE))
        }

        fn id(&self, node: u32) -> NodeId {
            NodeId(self.0[node as usize].0)
        }

        fn facts(&self, node: u32) -> CandidateNode<'_> {
            let (_, name, allocated, _) = self.0[node as usize];
            CandidateNode::new(name, Resource::new(16, 16)).with_allocated(Resource::new(allocated, 1))
        }

        fn may_be_tried(&self, node: u32, _label: LabelId) -> bool {
            self.0[node as usize].3
        }

        fn may_be_offered(&self, node: u32, label: LabelId) -> bool {
            self.may_be_tried(node, label)
        }
    }

    fn lists(interval_ms: u64) -> CandidateLists {
        let of = |class: &str, policy| Sorting { class: class.to_owned(), policy, interval_ms };
        let sortings =
            vec![of("least", Arc::new(LeastAllocated) as Arc<dyn Candidates>), of("empty", Arc::new(EmptiestFirst))];
        CandidateLists::new(&MultiNode { sortings, skips_reserved: false }, 100)
    }

    fn line(lists: &mut CandidateLists, nodes: &Few, number: Option<u16>) -> Vec<u32> {
        lists.begin_pass();
        let line = lists.take_line(nodes, number);
        lists.put_back(number, line.clone());
        line
    }

    #[test]
    fn nodes_come_in_the_order_of_the_policy_and_equal_ones_by_name() {
        let mut nodes = Few(vec![(1, "b", 4, true), (2, "c", 2, true), (3, "a", 4, true), (4, "d", 0, false)]);
        let mut lists = lists(0);
        lists.offer(&nodes, LabelId::NONE, Some(3));
        assert_eq!(lists.together(), [0, 1, 2]);
        assert_eq!(line(&mut lists, &nodes, Some(0)), [1, 2, 0]);
        assert_eq!(line(&mut lists, &nodes, None), [0], "nobody sorts: the first alone");
        nodes.0[1].2 = 8;
        assert_eq!(line(&mut lists, &nodes, Some(1)), [2, 0, 1], "sorted anew for each pass");
        nodes.0.iter_mut().for_each(|node| node.3 = false);
        lists.offer(&nodes, LabelId::NONE, Some(3));
        assert_eq!(line(&mut lists, &nodes, Some(0)), [3], "where there is no other, the one that reports");
    }

    #[test]
    fn a_list_by_time_stays_until_it_is_due() {
        let mut nodes = Few(vec![(1, "a", 4, true), (2, "b", 2, true)]);
        let mut lists = lists(1000);
        let mut at = |nodes: &Few, now_ms| {
            lists.sort_by_time(nodes, now_ms);
            lists.offer(nodes, LabelId::NONE, None);
            line(&mut lists, nodes, Some(0))
        };
        assert_eq!(at(&nodes, 100), [1, 0]);
        nodes.0[1].2 = 8;
        nodes.0.push((3, "c", 0, true));
        assert_eq!(at(&nodes, 1099), [1, 0], "neither the new order nor the new node");
        assert_eq!(at(&nodes, 2400), [2, 0, 1]);
        nodes.0[2] = (4, "d", 0, true);
        assert_eq!(at(&nodes, 3099), [0, 1], "another node has the place");
        assert_eq!(at(&nodes, 3100), [2, 0, 1], "due at multiples of the interval");
    }
}
