//! The order in which Java's `TreeSet` would walk siblings, for comparators that are not transitive.
//!
//! With a consistent comparator this is sorting. Hadoop's `drf` is not consistent once a weight is 0 (0/0 ties with
//! everyone) or the cluster empty; what it then does depends on red-black insertion, which is reproduced here with
//! `java.util.TreeMap`'s rotations. The slow path: O(k log k) a walk.

use std::cmp::Ordering;

const NIL: usize = usize::MAX;

struct Entry {
    item: u32,
    parent: usize,
    /// Left, right.
    child: [usize; 2],
    black: bool,
}

struct Tree {
    entries: Vec<Entry>,
    root: usize,
}

impl Tree {
    fn rotate(&mut self, p: usize, left: bool) {
        let (near, far) = if left { (0, 1) } else { (1, 0) };
        let r = self.entries[p].child[far];
        let inner = self.entries[r].child[near];
        self.entries[p].child[far] = inner;
        if inner != NIL {
            self.entries[inner].parent = p;
        }
        let above = self.entries[p].parent;
        self.entries[r].parent = above;
        if above == NIL {
            self.root = r;
        } else {
            let side = usize::from(self.entries[above].child[1] == p);
            self.entries[above].child[side] = r;
        }
        self.entries[r].child[near] = p;
        self.entries[p].parent = r;
    }

    fn insert(&mut self, item: u32, compare: &mut impl FnMut(u32, u32) -> Ordering) {
        let mut parent = NIL;
        let mut side = 0;
        let mut at = self.root;
        while at != NIL {
            parent = at;
            side = match compare(item, self.entries[at].item) {
                Ordering::Less => 0,
                Ordering::Greater => 1,
                Ordering::Equal => return,
            };
            at = self.entries[at].child[side];
        }
        let new = self.entries.len();
        self.entries.push(Entry { item, parent, child: [NIL; 2], black: parent == NIL });
        if parent == NIL {
            self.root = new;
        } else {
            self.entries[parent].child[side] = new;
            self.repair(new);
        }
    }

    /// `TreeMap.fixAfterInsertion`.
    fn repair(&mut self, mut x: usize) {
        while x != self.root && !self.entries[self.entries[x].parent].black {
            let parent = self.entries[x].parent;
            let grand = self.entries[parent].parent;
            // The root is black, so a red parent has a parent.
            let on_left = self.entries[grand].child[0] == parent;
            let uncle = self.entries[grand].child[usize::from(on_left)];
            if uncle != NIL && !self.entries[uncle].black {
                self.entries[parent].black = true;
                self.entries[uncle].black = true;
                self.entries[grand].black = false;
                x = grand;
                continue;
            }
            if x == self.entries[parent].child[usize::from(on_left)] {
                x = parent;
                self.rotate(x, on_left);
            }
            let parent = self.entries[x].parent;
            let grand = self.entries[parent].parent;
            self.entries[parent].black = true;
            self.entries[grand].black = false;
            self.rotate(grand, !on_left);
        }
        let root = self.root;
        self.entries[root].black = true;
    }
}

/// Puts `items` into `out` in the order in which a `TreeSet` filled in their order walks them; items that compare equal
/// to one already in are left out.
pub(crate) fn java_order(
    items: impl IntoIterator<Item = u32>,
    mut compare: impl FnMut(u32, u32) -> Ordering,
    out: &mut Vec<u32>,
) {
    let mut tree = Tree { entries: Vec::new(), root: NIL };
    for item in items {
        tree.insert(item, &mut compare);
    }
    let mut stack = Vec::new();
    let mut at = tree.root;
    while at != NIL || !stack.is_empty() {
        while at != NIL {
            stack.push(at);
            at = tree.entries[at].child[0];
        }
        if let Some(top) = stack.pop() {
            out.push(tree.entries[top].item);
            at = tree.entries[top].child[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_consistent_comparator_sorts(items in proptest::collection::vec(0_u32..50, 0..60)) {
            let mut out = vec![];
            java_order(items.iter().copied(), |a, b| a.cmp(&b), &mut out);
            let mut sorted = items;
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(out, sorted);
        }
    }
}
