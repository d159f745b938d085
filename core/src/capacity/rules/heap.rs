//! `java.util.PriorityQueue`: a binary heap of which equals come out as they do in Java.
//!
//! Where several are equal it is the array that decides, so this is its array, step by step.

use std::cmp::Ordering;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct JavaHeap<T> {
    queue: Vec<T>,
}

impl<T> JavaHeap<T> {
    pub(crate) fn new() -> JavaHeap<T> {
        JavaHeap { queue: Vec::new() }
    }

    pub(crate) fn peek(&self) -> Option<&T> {
        self.queue.first()
    }

    /// In the order of the array, in which Java's iterator goes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.queue.iter()
    }

    pub(crate) fn push(&mut self, value: T, compare: impl Fn(&T, &T) -> Ordering) {
        self.queue.push(value);
        let mut at = self.queue.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if compare(&self.queue[at], &self.queue[parent]).is_ge() {
                break;
            }
            self.queue.swap(at, parent);
            at = parent;
        }
    }

    pub(crate) fn pop(&mut self, compare: impl Fn(&T, &T) -> Ordering) -> Option<T> {
        let last = self.queue.len().checked_sub(1)?;
        self.queue.swap(0, last);
        let first = self.queue.pop();
        let (mut at, end) = (0, self.queue.len());
        while 2 * at + 1 < end {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let smaller =
                if right < end && compare(&self.queue[left], &self.queue[right]).is_gt() { right } else { left };
            if compare(&self.queue[at], &self.queue[smaller]).is_le() {
                break;
            }
            self.queue.swap(at, smaller);
            at = smaller;
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_comes_first_and_equals_as_the_array_has_them() {
        let by_key = |a: &(i32, char), b: &(i32, char)| a.0.cmp(&b.0);
        let mut heap = JavaHeap::new();
        for item in [(1, 'a'), (1, 'b'), (1, 'c'), (0, 'd')] {
            heap.push(item, by_key);
        }
        let order: String = std::iter::from_fn(|| heap.pop(by_key)).map(|(_, name)| name).collect();
        assert_eq!(order, "dbca");
    }
}
