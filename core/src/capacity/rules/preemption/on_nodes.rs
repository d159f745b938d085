//! Two selectors of preemption that look at nodes: they choose containers to preempt so that a reservation on the same
//! node becomes a container (rules/capacity.md 25.6). The first one may also move a reservation to another node.
//!
//! Follows `QueuePriorityContainerCandidateSelector` ([`by_priority`]) and `ReservedContainerCandidatesSelector`
//! ([`cheapest`]). Pure: the caller passes nodes and containers as plain data.

use super::ideal::Round;
use crate::capacity::rules::arith::Arith;
use crate::id::{ContainerNumber, LabelId};
use crate::resource::Resource;
use crate::resource::sorted;
use std::collections::{BTreeMap, BTreeSet};

/// A container or a reservation: the number of its application, and its own number there.
type Id = (u32, ContainerNumber);

/// A container that holds room on a node. It may have ended, if the node has not given back its room yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HoldsRoom {
    pub(crate) id: Id,
    pub(crate) size: Resource,
    /// The label that was asked for.
    pub(crate) asked: LabelId,
    pub(crate) am: bool,
    /// An earlier round has already made the container killable.
    pub(crate) killable: bool,
    /// The index of its leaf queue among the round's entries. `None` if Hadoop's name for the queue is not the path of
    /// a leaf.
    pub(crate) leaf: Option<usize>,
}

/// A node, as a selector sees it: a copy that the selector may change.
#[derive(Clone, Debug)]
pub(crate) struct SeenNode {
    /// The index of its partition among the rounds.
    pub(crate) part: usize,
    pub(crate) free: Resource,
    pub(crate) killable: Resource,
    pub(crate) held: Option<Held>,
    /// By age, the oldest container first.
    pub(crate) containers: Vec<HoldsRoom>,
}

/// The reservation of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) size: Resource,
    /// The index of its leaf queue, as in [`HoldsRoom::leaf`].
    pub(crate) leaf: Option<usize>,
    pub(crate) since_ms: u64,
    /// The ask can be served on another node, and the reservation has not been moved yet: Hadoop moves it once.
    pub(crate) may_move: bool,
}

/// What a selector works with: the round's figures by partition, and the budget that it may still spend on containers.
#[derive(Debug)]
pub(crate) struct Selection<'a> {
    /// They have the same queues.
    pub(crate) rounds: &'a [Round],
    pub(crate) cluster: Resource,
    pub(crate) budget: &'a mut Resource,
}

/// Sorts as `java.util.Collections.sort` does with a list of up to 31, which it sorts by binary insertion. The result
/// is Java's also if `is_less` is not transitive, as the comparisons of this file are not. Java sorts a longer list by
/// merging runs: with such a comparison it may then get another order, or throw `IllegalArgumentException`
/// (docs/deviations.md). O(n²) moves.
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

/// Says which leaf may take from which: the leaf whose path has the queue of higher priority, where the two paths part.
struct Priorities<'a> {
    round: &'a Round,
    /// By leaf: the queues from root to the leaf.
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

    /// Whether the leaf `taker` may take from the leaf `giver`.
    fn allow(&self, taker: usize, giver: usize) -> bool {
        let (Some(a), Some(b)) = (self.paths.get(&taker), self.paths.get(&giver)) else { return false };
        let parting = a.iter().zip(b).find(|(x, y)| x != y);
        parting.is_some_and(|(x, y)| self.round.entries[*x].priority > self.round.entries[*y].priority)
    }

    /// Whether containers or reservations of leaf `a` sort before those of leaf `b`: `a` may take from `b`. `None` if
    /// neither may take from the other.
    fn is_before(&self, a: Option<usize>, b: Option<usize>) -> Option<bool> {
        let (a, b) = a.zip(b)?;
        if self.allow(a, b) { Some(true) } else { self.allow(b, a).then_some(false) }
    }

    /// Whether the leaf `taker` may take from any leaf.
    fn allow_any(&self, taker: usize) -> bool {
        self.paths.keys().any(|giver| self.allow(taker, *giver))
    }
}

/// A container to preempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Victim {
    pub(crate) id: Id,
    /// The index of its leaf among the round's entries.
    pub(crate) leaf: usize,
    pub(crate) size: Resource,
    /// The index of its node's partition among the rounds.
    pub(crate) part: usize,
    /// The label that was asked for.
    pub(crate) asked: LabelId,
}

impl Victim {
    fn of(container: &HoldsRoom, leaf: usize, part: usize) -> Victim {
        let HoldsRoom { id, size, asked, .. } = *container;
        Victim { id, leaf, size, part, asked }
    }
}

/// The settings of [`by_priority`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByPriority {
    pub(crate) now_ms: u64,
    /// A reservation has to be this old before containers are preempted for it.
    pub(crate) delay_ms: i64,
    /// Whether a reservation that cannot be served on its node is moved to a node where it can.
    pub(crate) moves: bool,
}

/// Chooses containers of queues of lower priority for the reservations of queues that use less than their guarantee.
/// Returns the containers, and the moves of reservations in their order, each as indices of `nodes`: from and to.
///
/// `nodes` are in the order in which they are tried. Without moves only nodes with a reservation matter. Cost, with
/// moves: O(reservations x containers).
pub(crate) fn by_priority(
    selection: Selection<'_>,
    mut nodes: Vec<SeenNode>,
    how: ByPriority,
) -> (Vec<Victim>, Vec<(usize, usize)>) {
    let Selection { rounds, cluster, budget } = selection;
    // Priorities have no partition.
    let (arith, priorities) = (rounds[0].arith, Priorities::of(&rounds[0]));
    let takers = |(at, node): (usize, &SeenNode)| {
        let held = node.held.filter(|held| held.leaf.is_some_and(|leaf| priorities.allow_any(leaf)))?;
        Some((at, held))
    };
    let mut reserved: Vec<(usize, Held)> = nodes.iter().enumerate().filter_map(takers).collect();
    binary_insertion_sort(&mut reserved, |(_, a), (_, b)| {
        priorities.is_before(a.leaf, b.leaf).unwrap_or(a.since_ms < b.since_ms)
    });
    for node in nodes.iter_mut().filter(|_| !reserved.is_empty()) {
        // Hadoop sorts at each visit. Sorting a second time changes nothing, so once is enough.
        binary_insertion_sort(&mut node.containers, |a, b| priorities.is_before(a.leaf, b.leaf).unwrap_or(false));
    }
    let (mut chosen, mut moved, mut gained) = (Vec::new(), Vec::new(), BTreeMap::<(usize, usize), Resource>::new());
    for (at, held) in reserved {
        let age = i64::try_from(how.now_ms.saturating_sub(held.since_ms)).unwrap_or(i64::MAX);
        let Some(leaf) = held.leaf.filter(|_| age >= how.delay_ms) else { continue };
        let part = nodes[at].part;
        let (entry, gains) = (&rounds[part].entries[leaf], gained.entry((leaf, part)).or_default());
        let has = entry.used.minus(&entry.reserved).plus(gains);
        if !arith.is_less(&cluster, &has, &entry.guaranteed) {
            continue;
        }
        let lower_on = |node: &SeenNode, budget: &Resource| {
            victims_of_lower_priority(&priorities, leaf, node, &held.size, &cluster, budget)
        };
        if let Some(victims) = lower_on(&nodes[at], budget) {
            *gains = gains.plus(&held.size);
            *budget = victims.iter().fold(*budget, |left, victim| left.minus(&victim.size));
            chosen.extend(victims);
        } else if how.moves && held.may_move {
            // A node to which this round has moved a reservation is reserved by now.
            let would_do = |to: &usize| {
                nodes[*to].part == part && nodes[*to].held.is_none() && lower_on(&nodes[*to], budget).is_some()
            };
            // The move adds nothing to `gained`, and the next round chooses the containers there.
            if let Some(to) = (0..nodes.len()).find(would_do) {
                nodes[to].held = nodes[at].held.take();
                moved.push((at, to));
            }
        }
    }
    (chosen, moved)
}

/// The containers of queues of lower priority that have to be preempted on a node so that a container of `size` of the
/// leaf `taker` fits there. `None` if all of them are not enough.
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
    for container in &node.containers {
        let may_take = |leaf: &usize| priorities.allow(taker, *leaf) && !container.am;
        let Some(leaf) = container.leaf.filter(may_take) else { continue };
        if !arith.is_less(cluster, &left, &container.size) {
            left = left.minus(&container.size);
            lacking = lacking.minus(&container.size);
            victims.push(Victim::of(container, leaf, node.part));
        }
        if arith.fits_in(&lacking, &none) {
            return Some(victims);
        }
    }
    None
}

/// Chooses containers of queues that have too much, for the reservations on their nodes. Begins with the node where the
/// containers are smallest in relation to the reservation. `chosen`: the containers that earlier selectors have chosen.
pub(crate) fn cheapest(selection: Selection<'_>, nodes: &[SeenNode], chosen: &BTreeSet<Id>) -> Vec<Victim> {
    let Selection { rounds, cluster, budget } = selection;
    let arith = rounds[0].arith;
    let mut to_obtain: BTreeMap<(usize, usize), Resource> = BTreeMap::new();
    for (part, round) in rounds.iter().enumerate() {
        for (at, entry) in round.entries.iter().enumerate().filter(|(_, entry)| entry.children.is_empty()) {
            if !entry.disabled && arith.is_greater(&cluster, &entry.to_obtain, &Resource::ZERO) {
                to_obtain.insert((at, part), entry.to_obtain);
            }
        }
    }
    let mut remaining = Remaining { arith, to_obtain, budget, chosen: chosen.clone() };
    let mut costs: Vec<(f32, &SeenNode)> =
        nodes.iter().filter_map(|node| Some((remaining.needed_on(node, true)?.0, node))).collect();
    sorted::by(&mut costs, |(a, _), (b, _)| a.total_cmp(b));
    let mut victims = Vec::new();
    for (_, node) in costs {
        let Some((_, more)) = remaining.needed_on(node, false) else { continue };
        remaining.chosen.extend(more.iter().map(|victim| victim.id));
        victims.extend(more);
    }
    victims
}

/// What remains to be taken while [`cheapest`] chooses.
struct Remaining<'a> {
    arith: Arith,
    /// By leaf and partition that have to give: the amount that is still to be obtained there.
    to_obtain: BTreeMap<(usize, usize), Resource>,
    budget: &'a mut Resource,
    /// The containers that this selector and earlier ones have chosen.
    chosen: BTreeSet<Id>,
}

impl Remaining<'_> {
    /// The containers to preempt on a node so that its reservation fits, and the ratio of their sum to the reservation.
    /// `None` if the node has no reservation, if the reservation fits already, or if the containers are not enough.
    /// With `only_looks` nothing is subtracted, so each container is compared with all that remains.
    fn needed_on(&mut self, node: &SeenNode, only_looks: bool) -> Option<(f32, Vec<Victim>)> {
        let (arith, held) = (self.arith, node.held?);
        let (mut has, mut goes, mut victims) = (node.free.plus(&node.killable), Resource::ZERO, Vec::new());
        if arith.fits_in(&held.size, &has) {
            return None;
        }
        let mut newest_first: Vec<&HoldsRoom> = node.containers.iter().collect();
        sorted::by_key(&mut newest_first, |container| std::cmp::Reverse(container.id));
        for container in newest_first.into_iter().filter(|container| !container.killable && !container.am) {
            let of_leaf = container.leaf.and_then(|leaf| Some((leaf, self.to_obtain.get_mut(&(leaf, node.part))?)));
            let Some((leaf, left)) = of_leaf else { continue };
            let size = container.size;
            if !arith.fits_in(&size, left) || !arith.fits_in(&size, self.budget) {
                continue;
            }
            if !only_looks {
                *left = left.minus(&size);
                *self.budget = self.budget.minus(&size);
            }
            if !self.chosen.contains(&container.id) {
                victims.push(Victim::of(container, leaf, node.part));
                goes = goes.plus(&size);
            }
            has = has.plus(&size);
            if arith.fits_in(&held.size, &has) {
                return Some((arith.ratio(&goes, &held.size), victims));
            }
        }
        // As in Hadoop, the leaves get back what was subtracted, and the budget does not.
        for victim in victims.iter().filter(|_| !only_looks) {
            if let Some(left) = self.to_obtain.get_mut(&(victim.leaf, victim.part)) {
                *left = left.plus(&victim.size);
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

    /// A node with 10 free, a reservation of 20 of the first leaf, and three containers of 6 of the second leaf.
    fn node() -> SeenNode {
        let container = |number| HoldsRoom {
            id: (7, ContainerNumber::granted(1, 0, number)),
            size: memory(6),
            asked: LabelId::NONE,
            am: false,
            killable: false,
            leaf: Some(2),
        };
        SeenNode {
            part: 0,
            free: memory(10),
            killable: memory(0),
            held: Some(Held { size: memory(20), leaf: Some(1), since_ms: 1000, may_move: true }),
            containers: vec![container(3), container(4), container(5)],
        }
    }

    /// The same node with AMs, which this selector does not preempt.
    fn node_of_ams() -> SeenNode {
        let mut node = node();
        node.containers.iter_mut().for_each(|container| container.am = true);
        node
    }

    /// The same node without a reservation.
    fn unreserved_node() -> SeenNode {
        SeenNode { held: None, ..node() }
    }

    fn moves(nodes: Vec<SeenNode>) -> (Vec<u32>, Vec<(usize, usize)>) {
        let (round, mut budget) = (round(), memory(100));
        let selection = Selection { rounds: &[round], cluster: memory(100), budget: &mut budget };
        let (victims, moves) = by_priority(selection, nodes, ByPriority { now_ms: 9000, delay_ms: 0, moves: true });
        (ids(&victims), moves)
    }

    #[test]
    fn what_cannot_be_had_on_its_node_is_moved_to_the_first_where_it_can_and_nothing_goes_for_it_yet() {
        let too_small = SeenNode { free: memory(1), ..unreserved_node() };
        assert_eq!(
            moves(vec![node_of_ams(), too_small, node(), unreserved_node(), unreserved_node()]),
            (vec![3, 4], vec![(0, 3)])
        );
    }

    #[test]
    fn two_do_not_move_to_one_node_and_one_may_move_to_where_another_left() {
        assert_eq!(moves(vec![node_of_ams(), node_of_ams(), unreserved_node()]), (vec![], vec![(0, 2)]));
        let mut larger = node_of_ams();
        larger.containers[0].am = false;
        larger.containers[1].am = false;
        larger.held = Some(Held { size: memory(30), leaf: Some(1), since_ms: 500, may_move: true });
        let roomy = SeenNode { free: memory(30), ..unreserved_node() };
        assert_eq!(moves(vec![larger, node_of_ams(), roomy]), (vec![], vec![(0, 2), (1, 0)]));
    }

    #[test]
    fn what_has_moved_or_wants_this_very_node_stays() {
        let mut fixed = node_of_ams();
        fixed.held = fixed.held.map(|held| Held { may_move: false, ..held });
        assert_eq!(moves(vec![fixed, unreserved_node()]), (vec![], vec![]));
    }

    fn ids(victims: &[Victim]) -> Vec<u32> {
        victims.iter().map(|victim| victim.id.1.number).collect()
    }

    #[test]
    fn by_priority_the_oldest_go_once_the_reservation_is_old_enough() {
        let round = round();
        let mut budget = memory(100);
        let mut choose = |now_ms, delay_ms| {
            let how = ByPriority { now_ms, delay_ms, moves: false };
            by_priority(
                Selection { rounds: std::slice::from_ref(&round), cluster: memory(100), budget: &mut budget },
                vec![node()],
                how,
            )
            .0
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
            let selection = Selection { rounds: &[round], cluster: memory(100), budget: &mut budget };
            let how = ByPriority { now_ms: 9000, delay_ms: 0, moves: true };
            assert_eq!(by_priority(selection, vec![node_of_ams(), unreserved_node()], how), (vec![], vec![]));
        }
    }

    #[test]
    fn the_newest_go_on_the_cheapest_node_and_the_budget_of_a_failed_one_is_lost() {
        let mut round = round();
        round.entries[2].to_obtain = memory(13);
        let mut cheap = node();
        cheap.free = memory(15);
        let only = (8, ContainerNumber::granted(1, 0, 1));
        cheap.containers = vec![HoldsRoom { id: only, ..cheap.containers[0] }];
        let nodes = [node(), cheap];
        let mut budget = memory(100);
        let victims = cheapest(
            Selection { rounds: std::slice::from_ref(&round), cluster: memory(100), budget: &mut budget },
            &nodes,
            &BTreeSet::new(),
        );
        // On the other node one fits what is left, and that is not enough.
        assert_eq!(victims, [Victim { id: only, leaf: 2, size: memory(6), part: 0, asked: LabelId::NONE }]);
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
