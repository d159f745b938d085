//! `java.util.PriorityQueue`: a binary heap whose order among equal keys is that of its steps.

/// Values by key, the smallest first.
#[derive(Debug)]
pub struct Heap<T>(Vec<(i64, T)>);

impl<T: Copy> Default for Heap<T> {
    fn default() -> Heap<T> {
        Heap::new()
    }
}

impl<T: Copy> Heap<T> {
    /// An empty one.
    pub fn new() -> Heap<T> {
        Heap(Vec::new())
    }

    /// Adds a value.
    pub fn push(&mut self, key: i64, value: T) {
        let heap = &mut self.0;
        heap.push((key, value));
        let mut at = heap.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if key >= heap[parent].0 {
                break;
            }
            heap.swap(at, parent);
            at = parent;
        }
    }

    /// Takes the first.
    pub fn pop(&mut self) -> Option<(i64, T)> {
        let last = self.0.pop()?;
        let Some(top) = self.0.first().copied() else { return Some(last) };
        let (heap, mut at) = (&mut self.0, 0);
        loop {
            let mut child = 2 * at + 1;
            if child >= heap.len() {
                break;
            }
            if child + 1 < heap.len() && heap[child].0 > heap[child + 1].0 {
                child += 1;
            }
            if last.0 <= heap[child].0 {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        Some(top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a `java.util.PriorityQueue` of JDK 17 gives them.
    #[test]
    fn equal_keys_come_as_the_heap_has_them() {
        let mut heap = Heap::new();
        for (key, value) in [(1, 'a'), (1, 'b'), (1, 'c'), (0, 'd'), (1, 'e')] {
            heap.push(key, value);
        }
        let order: String = std::iter::from_fn(|| heap.pop()).map(|(_, value)| value).collect();
        assert_eq!(order, "debca");
        assert_eq!(heap.pop(), None);
    }
}
