//! Whose containers go so that what is reserved on their node can be had there, and what is reserved on another node
//! instead (rules/capacity.md 25.6).
//!
//! `QueuePriorityContainerCandidateSelector` and `ReservedContainerCandidatesSelector`. Pure: nodes and containers are
//! as the caller shows them.

use super::ideal::Round;
use crate::id::ContainerNumber;
use crate::resource::Resource;
use std::collections::{BTreeMap, BTreeSet};

/// A container or a reservation: its application and its number there.
type Id = (u32, ContainerNumber);

/// A container that stands on a node, also one that has ended and whose room the node has not given back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) id: Id,
    pub(crate) size: Resource,
    pub(crate) am: bool,
    /// It may go for others by now.
    pub(crate) killable: bool,
    /// Its leaf among the round's entries; none where Hadoop knows it by a name that is no leaf's path.
    pub(crate) leaf: Option<usize>,
}

/// A node, as a selector sees it.
#[derive(Clone, Debug)]
pub(crate) struct SeenNode {
    pub(crate) free: Resource,
    pub(crate) killable: Resource,
    pub(crate) held: Option<Held>,
    /// The oldest first.
    pub(crate) containers: Vec<Standing>,
}

/// What is reserved on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) size: Resource,
    /// Its leaf, as of a container.
    pub(crate) leaf: Option<usize>,
    pub(crate) since_ms: u64,
    /// Another node would do, and it has not been moved yet: Hadoop moves a reservation once.
    pub(crate) may_move: bool,
}

/// What a selector sees, and what it may take.
#[derive(Debug)]
pub(crate) struct Taker<'a> {
    pub(crate) round: &'a Round,
    pub(crate) cluster: Resource,
    pub(crate) budget: &'a mut Resource,
}

/// `java.util.Collections.sort` of a list of up to 31: its order also where a comparison does not give one. O(n²)
/// moves.
fn binary_insertion_sort<T>(list: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    if list.len() < 2 {
        return;
    }
    let descends = is_less(&list[1], &list[0]);
    let mut run = 2;
    while run < list.len() && is_less(&list[run], &list[run - 1]) == descends {
        run += 1;
    }
    if descends {
        list[..run].reverse();
    }
    for at in run..list.len() {
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = (low + high) / 2;
            if is_less(&list[at], &list[middle]) { high = middle } else { low = middle + 1 }
        }
        list[low..=at].rotate_right(1);
    }
}

/// Which leaves may take from which: by the priorities of the two queues in which their paths part.
struct Priorities<'a> {
    round: &'a Round,
    /// From the root on.
    paths: BTreeMap<usize, Vec<usize>>,
}

impl<'a> Priorities<'a> {
    fn of(round: &'a Round) -> Priorities<'a> {
        let (mut paths, mut open) = (BTreeMap::new(), vec![vec![0]]);
        while let Some(path) = open.pop() {
            let Some(at) = path.last().copied() else { continue };
            let entry = &round.entries[at];
            open.extend(entry.children.iter().map(|child| [path.as_slice(), &[*child]].concat()));
            if entry.children.is_empty() {
                paths.insert(at, path);
            }
        }
        Priorities { round, paths }
    }

    fn allow(&self, taker: usize, giver: usize) -> bool {
        let (Some(a), Some(b)) = (self.paths.get(&taker), self.paths.get(&giver)) else { return false };
        let parting = a.iter().zip(b).find(|(x, y)| x != y);
        parting.is_some_and(|(x, y)| self.round.entries[*x].priority > self.round.entries[*y].priority)
    }

    /// Whether what is of one leaf stands before what is of another; unknown where neither may take from the other.
    fn is_before(&self, a: Option<usize>, b: Option<usize>) -> Option<bool> {
        let (a, b) = a.zip(b)?;
        if self.allow(a, b) { Some(true) } else { self.allow(b, a).then_some(false) }
    }

    fn allow_any(&self, taker: usize) -> bool {
        self.paths.keys().any(|giver| self.allow(taker, *giver))
    }
}

/// A container that goes, with its leaf among the round's entries and its size.
pub(crate) type Victim = (Id, usize, Resource);

/// How the selector for queues of higher priority goes about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByPriority {
    pub(crate) now_ms: u64,
    /// What was reserved less than this ago has to wait.
    pub(crate) delay_ms: i64,
    /// What cannot be had on its node is moved to one where it can.
    pub(crate) moves: bool,
}

/// For queues that have less than is guaranteed to them, from queues of lower priority. Gives also what is reserved
/// elsewhere from now on: from and to which of the nodes, in the order in which it moves. Without moves only nodes on
/// which something is reserved matter. Nodes come in the order in which they are tried. Cost, with moves:
/// O(reservations x containers).
pub(crate) fn by_priority(
    taker: Taker<'_>,
    mut nodes: Vec<SeenNode>,
    how: ByPriority,
) -> (Vec<Victim>, Vec<(usize, usize)>) {
    let Taker { round, cluster, budget } = taker;
    let (arith, priorities) = (round.arith, Priorities::of(round));
    let of_takers = |(at, node): (usize, &SeenNode)| {
        let held = node.held.filter(|held| held.leaf.is_some_and(|leaf| priorities.allow_any(leaf)))?;
        Some((at, held))
    };
    let mut reserved: Vec<(usize, Held)> = nodes.iter().enumerate().filter_map(of_takers).collect();
    binary_insertion_sort(&mut reserved, |(_, a), (_, b)| {
        priorities.is_before(a.leaf, b.leaf).unwrap_or(a.since_ms < b.since_ms)
    });
    for node in nodes.iter_mut().filter(|_| !reserved.is_empty()) {
        // They stand as they came. Hadoop does so with each visit, and once more changes nothing.
        binary_insertion_sort(&mut node.containers, |a, b| priorities.is_before(a.leaf, b.leaf).unwrap_or(false));
    }
    let (mut chosen, mut moved, mut gained) = (Vec::new(), Vec::new(), BTreeMap::<usize, Resource>::new());
    for (at, held) in reserved {
        let age = i64::try_from(how.now_ms.saturating_sub(held.since_ms)).unwrap_or(i64::MAX);
        let Some(leaf) = held.leaf.filter(|_| age >= how.delay_ms) else { continue };
        let (entry, gains) = (&round.entries[leaf], gained.entry(leaf).or_default());
        let has = entry.used.minus(&entry.reserved).plus(gains);
        if !arith.is_less(&cluster, &has, &entry.guaranteed) {
            continue;
        }
        let lower_on = |node: &SeenNode, budget: &Resource| {
            victims_of_lower_priority(&priorities, leaf, node, &held.size, &cluster, budget)
        };
        if let Some(victims) = lower_on(&nodes[at], budget) {
            *gains = gains.plus(&held.size);
            *budget = victims.iter().fold(*budget, |left, (_, _, size)| left.minus(size));
            chosen.extend(victims);
        } else if how.moves && held.may_move {
            // Nodes that this round has touched are reserved by now.
            let would_do = |to: &usize| nodes[*to].held.is_none() && lower_on(&nodes[*to], budget).is_some();
            // The queue gains nothing by it, and what would have to go there is left for the next round.
            if let Some(to) = (0..nodes.len()).find(would_do) {
                nodes[to].held = nodes[at].held.take();
                moved.push((at, to));
            }
        }
    }
    (chosen, moved)
}

/// What of queues of lower priority has to go from a node so that something fits there; nothing where that is not
/// enough.
fn victims_of_lower_priority(
    priorities: &Priorities<'_>,
    taker: usize,
    node: &SeenNode,
    size: &Resource,
    cluster: &Resource,
    budget: &Resource,
) -> Option<Vec<Victim>> {
    let (arith, none) = (priorities.round.arith, Resource::ZERO);
    let (mut lacking, mut left, mut victims) = (size.minus(&node.free), *budget, Vec::new());
    if arith.fits_in(&lacking, &none) {
        return Some(victims);
    }
    for standing in &node.containers {
        let Some(leaf) = standing.leaf.filter(|leaf| priorities.allow(taker, *leaf) && !standing.am) else { continue };
        if !arith.is_less(cluster, &left, &standing.size) {
            left = left.minus(&standing.size);
            lacking = lacking.minus(&standing.size);
            victims.push((standing.id, leaf, standing.size));
        }
        if arith.fits_in(&lacking, &none) {
            return Some(victims);
        }
    }
    None
}

/// From queues that have too much, on nodes where the least has to go for what is reserved there. `chosen`: by the
/// selectors before.
pub(crate) fn cheapest(taker: Taker<'_>, nodes: &[SeenNode], chosen: &BTreeSet<Id>) -> Vec<Victim> {
    let Taker { round, cluster, budget } = taker;
    let mut to_obtain: BTreeMap<usize, Resource> = BTreeMap::new();
    for (at, entry) in round.entries.iter().enumerate().filter(|(_, entry)| entry.children.is_empty()) {
        if !entry.disabled && round.arith.is_greater(&cluster, &entry.to_obtain, &Resource::ZERO) {
            to_obtain.insert(at, entry.to_obtain);
        }
    }
    let mut seen = Seen { round, to_obtain, budget, chosen: chosen.clone() };
    let mut costs: Vec<(f32, &SeenNode)> =
        nodes.iter().filter_map(|node| Some((seen.needed_on(node, true)?.0, node))).collect();
    costs.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut victims = Vec::new();
    for (_, node) in costs {
        let Some((_, more)) = seen.needed_on(node, false) else { continue };
        seen.chosen.extend(more.iter().map(|(id, _, _)| *id));
        victims.extend(more);
    }
    victims
}

/// What is left to be obtained from each leaf that has to give, and of the budget.
struct Seen<'a> {
    round: &'a Round,
    to_obtain: BTreeMap<usize, Resource>,
    budget: &'a mut Resource,
    chosen: BTreeSet<Id>,
}

impl Seen<'_> {
    /// What has to go from a node, and how much that is beside what is reserved there. With `only_looks` each container
    /// is looked at as if it were the only one.
    fn needed_on(&mut self, node: &SeenNode, only_looks: bool) -> Option<(f32, Vec<Victim>)> {
        let (arith, held) = (self.round.arith, node.held?);
        let (mut has, mut goes, mut victims) = (node.free.plus(&node.killable), Resource::ZERO, Vec::new());
        if arith.fits_in(&held.size, &has) {
            return None;
        }
        let mut newest_first: Vec<&Standing> = node.containers.iter().collect();
        newest_first.sort_by_key(|standing| std::cmp::Reverse(standing.id));
        for standing in newest_first.into_iter().filter(|standing| !standing.killable && !standing.am) {
            let Some((leaf, left)) = standing.leaf.and_then(|leaf| Some((leaf, self.to_obtain.get_mut(&leaf)?))) else {
                continue;
            };
            let size = standing.size;
            if !arith.fits_in(&size, left) || !arith.fits_in(&size, self.budget) {
                continue;
            }
            if !only_looks {
                *left = left.minus(&size);
                *self.budget = self.budget.minus(&size);
            }
            if !self.chosen.contains(&standing.id) {
                victims.push((standing.id, leaf, size));
                goes = goes.plus(&size);
            }
            has = has.plus(&size);
            if arith.fits_in(&held.size, &has) {
                return Some((arith.ratio(&goes, &held.size), victims));
            }
        }
        // The leaves have it back, the budget does not, as in Hadoop.
        for (_, leaf, size) in victims.iter().filter(|_| !only_looks) {
            if let Some(left) = self.to_obtain.get_mut(leaf) {
                *left = left.plus(size);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::rules::arith::Arith;
    use crate::capacity::rules::preemption::Entry;
    use crate::resource::Calculator;

    fn memory(amount: i64) -> Resource {
        Resource::new(amount, 0)
    }

    /// Two leaves below the root, the first of higher priority.
    fn round() -> Round {
        let root = Entry { children: vec![1, 2], ..Entry::default() };
        let first = Entry { priority: 2, guaranteed: memory(50), used: memory(10), ..Entry::default() };
        let second = Entry { priority: 1, guaranteed: memory(50), used: memory(90), ..Entry::default() };
        Round {
            arith: Arith { calculator: Calculator::Memory, types: 2 },
            entries: vec![root, first, second],
            under_served: Vec::new(),
            max_ignored_over_capacity: 0.0,
            natural_termination_factor: 1.0,
            counts_reserved: false,
        }
    }

    /// Something of 20 is reserved for the first; 10 are free, and three containers of 6 of the second stand there.
    fn node() -> SeenNode {
        let standing = |number| Standing {
            id: (7, ContainerNumber::granted(1, 0, number)),
            size: memory(6),
            am: false,
            killable: false,
            leaf: Some(2),
        };
        SeenNode {
            free: memory(10),
            killable: memory(0),
            held: Some(Held { size: memory(20), leaf: Some(1), since_ms: 1000, may_move: true }),
            containers: vec![standing(3), standing(4), standing(5)],
        }
    }

    /// The same with what does not go for it.
    fn firm() -> SeenNode {
        let mut firm = node();
        firm.containers.iter_mut().for_each(|standing| standing.am = true);
        firm
    }

    /// The same with nothing reserved.
    fn soft() -> SeenNode {
        SeenNode { held: None, ..node() }
    }

    fn moves(nodes: Vec<SeenNode>) -> (Vec<u32>, Vec<(usize, usize)>) {
        let (round, mut budget) = (round(), memory(100));
        let taker = Taker { round: &round, cluster: memory(100), budget: &mut budget };
        let (victims, moves) = by_priority(taker, nodes, ByPriority { now_ms: 9000, delay_ms: 0, moves: true });
        (ids(&victims), moves)
    }

    #[test]
    fn what_cannot_be_had_on_its_node_is_moved_to_the_first_where_it_can_and_nothing_goes_for_it_yet() {
        let too_small = SeenNode { free: memory(1), ..soft() };
        assert_eq!(moves(vec![firm(), too_small, node(), soft(), soft()]), (vec![3, 4], vec![(0, 3)]));
    }

    #[test]
    fn two_do_not_move_to_one_node_and_one_may_move_to_where_another_left() {
        assert_eq!(moves(vec![firm(), firm(), soft()]), (vec![], vec![(0, 2)]));
        let mut larger = firm();
        larger.containers[0].am = false;
        larger.containers[1].am = false;
        larger.held = Some(Held { size: memory(30), leaf: Some(1), since_ms: 500, may_move: true });
        let roomy = SeenNode { free: memory(30), ..soft() };
        assert_eq!(moves(vec![larger, firm(), roomy]), (vec![], vec![(0, 2), (1, 0)]));
    }

    #[test]
    fn what_has_moved_or_wants_this_very_node_stays() {
        let mut fixed = firm();
        fixed.held = fixed.held.map(|held| Held { may_move: false, ..held });
        assert_eq!(moves(vec![fixed, soft()]), (vec![], vec![]));
    }

    fn ids(victims: &[Victim]) -> Vec<u32> {
        victims.iter().map(|((_, number), _, _)| number.number).collect()
    }

    #[test]
    fn by_priority_the_oldest_go_once_the_reservation_is_old_enough() {
        let round = round();
        let mut budget = memory(100);
        let mut choose = |now_ms, delay_ms| {
            let how = ByPriority { now_ms, delay_ms, moves: false };
            by_priority(Taker { round: &round, cluster: memory(100), budget: &mut budget }, vec![node()], how).0
        };
        assert!(choose(1999, 1000).is_empty());
        assert_eq!(ids(&choose(2000, 1000)), [3, 4]);
        assert_eq!(budget, memory(88));
    }

    #[test]
    fn by_priority_nothing_goes_for_one_that_has_its_guarantee_or_of_one_of_equal_priority() {
        let mut satisfied = round();
        satisfied.entries[1].used = memory(50);
        let mut equal = round();
        equal.entries[2].priority = 2;
        for round in [satisfied, equal] {
            let mut budget = memory(100);
            let taker = Taker { round: &round, cluster: memory(100), budget: &mut budget };
            let how = ByPriority { now_ms: 9000, delay_ms: 0, moves: true };
            assert_eq!(by_priority(taker, vec![firm(), soft()], how), (vec![], vec![]));
        }
    }

    #[test]
    fn the_newest_go_on_the_cheapest_node_and_the_budget_of_a_failed_one_is_lost() {
        let mut round = round();
        round.entries[2].to_obtain = memory(13);
        let mut cheap = node();
        cheap.free = memory(15);
        let only = (8, ContainerNumber::granted(1, 0, 1));
        cheap.containers = vec![Standing { id: only, ..cheap.containers[0] }];
        let nodes = [node(), cheap];
        let mut budget = memory(100);
        let victims =
            cheapest(Taker { round: &round, cluster: memory(100), budget: &mut budget }, &nodes, &BTreeSet::new());
        // On the other node one fits what is left, and that is not enough.
        assert_eq!(victims, [(only, 2, memory(6))]);
        assert_eq!(budget, memory(88));
    }

    #[test]
    fn a_comparison_that_goes_round_is_sorted_as_by_insertion() {
        // 0 before 1, 1 before 2, 2 before 0.
        let before = |a: &i32, b: &i32| (a + 1) % 3 == *b;
        let mut list = vec![2, 1, 0];
        binary_insertion_sort(&mut list, before);
        assert_eq!(list, [0, 1, 2]);
        let mut list = vec![0, 2, 1];
        binary_insertion_sort(&mut list, before);
        assert_eq!(list, [1, 2, 0]);
    }
}
