//! The queue of starved applications: Java's binary heap, with Hadoop's comparator that knows no ties.
//!
//! `FSStarvedApps`: `compare(a, b)` is -1 if a's starvation fits in b's, else 1, never 0. Of two equal ones the left
//! argument is the smaller. So the order depends on which comparisons the heap makes, and this heap makes those of
//! `java.util.PriorityQueue`. Each comparison reads the starvation of that moment; a later change moves nothing that is
//! already in the heap.

use crate::resource::Resource;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct StarvedQueue<T> {
    items: Vec<T>,
}

impl<T> Default for StarvedQueue<T> {
    fn default() -> Self {
        StarvedQueue { items: Vec::new() }
    }
}

impl<T: Copy + PartialEq> StarvedQueue<T> {
    /// Whether an application waits.
    pub(crate) fn contains(&self, item: T) -> bool {
        self.items.contains(&item)
    }

    /// Adds one, by the starvation that each has now.
    pub(crate) fn add(&mut self, item: T, starvation: impl Fn(T) -> Resource) {
        let mut at = self.items.len();
        self.items.push(item);
        let own = starvation(item);
        while at > 0 {
            let parent = (at - 1) / 2;
            if !own.fits_in(&starvation(self.items[parent])) {
                break;
            }
            self.items[at] = self.items[parent];
            at = parent;
        }
        self.items[at] = item;
    }

    /// Takes the first.
    pub(crate) fn take(&mut self, starvation: impl Fn(T) -> Resource) -> Option<T> {
        let last = self.items.pop()?;
        let Some(first) = self.items.first().copied() else { return Some(last) };
        let own = starvation(last);
        let length = self.items.len();
        let mut at = 0;
        while at < length / 2 {
            let mut child = 2 * at + 1;
            let right = child + 1;
            if right < length && !starvation(self.items[child]).fits_in(&starvation(self.items[right])) {
                child = right;
            }
            if own.fits_in(&starvation(self.items[child])) {
                break;
            }
            self.items[at] = self.items[child];
            at = child;
        }
        self.items[at] = last;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(starvation: &[i64]) -> Vec<usize> {
        let of = |app: usize| Resource::new(starvation[app], 0);
        let mut queue = StarvedQueue::default();
        for app in 0..starvation.len() {
            assert!(!queue.contains(app));
            queue.add(app, of);
            assert!(queue.contains(app));
        }
        std::iter::from_fn(|| queue.take(of)).collect()
    }

    #[test]
    fn the_smaller_starvation_is_served_first() {
        assert_eq!(order(&[3, 1, 2, 5, 4]), [1, 2, 0, 4, 3]);
    }

    /// Of equals a newcomer goes to the front; what is then taken is what the sifting leaves there.
    #[test]
    fn equals_come_as_javas_heap_has_them() {
        assert_eq!(order(&[7, 7]), [1, 0]);
        assert_eq!(order(&[7, 7, 7]), [2, 1, 0]);
        assert_eq!(order(&[7, 7, 7, 7]), [3, 0, 1, 2]);
    }
}
