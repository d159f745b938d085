//! Who starts when there is room: lines of applications that wait, walked together in the order of their starts
//! (rules/fair-shares.md 7, rules/capacity.md 22).
//!
//! # What it costs
//! A walk ends with the last that may start, or where nobody in any line may: O(lines + those that it passes + those
//! that start × lines). It passes those whose user or queue has no room, as Hadoop does.

/// A list of waiting applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'u> {
    /// Of a leaf queue.
    Leaf(u32),
    /// Of a user.
    User(&'u str),
}

/// Those that wait, and the limits that they wait for. Applications are numbers of its own.
pub(crate) trait Crowd {
    /// Who stands in a line after a turn, or first, and with which turn.
    fn next_in(&self, line: Line<'_>, after: Option<u64>) -> Option<(u64, u32)>;

    fn start_ms(&self, app: u32) -> u64;

    /// False of one whose end has begun.
    fn goes_on(&self, app: u32) -> bool;

    /// Whether no limit keeps it waiting.
    fn has_room_for(&self, app: u32) -> bool;

    /// Whether some limit keeps everybody in a line waiting.
    fn is_hopeless(&self, line: Line<'_>) -> bool;

    /// It runs from now on. It is still in its lines.
    fn run(&mut self, app: u32);

    /// It waits no more.
    fn leave_lines(&mut self, app: u32);
}

/// Lets those run that may, in order of their start times, at most `most`; returns them. Who is met and ends waits no
/// more.
pub(crate) fn start_waiting(crowd: &mut impl Crowd, lines: &[Line<'_>], most: Option<usize>) -> Vec<u32> {
    let (mut started, mut ends, mut previous) = (Vec::new(), Vec::new(), None);
    let mut merged = Merged::default();
    for line in 0..lines.len() {
        merged.put(Head::of(crowd, lines, line, None));
    }
    let mut hopeless = lines.iter().all(|line| crowd.is_hopeless(*line));
    while !hopeless && most.is_none_or(|most| started.len() < most) {
        let Some(Head { line, turn, app, .. }) = merged.take() else { break };
        // Those that start leave their lines below.
        merged.put(Head::of(crowd, lines, line, Some(turn)));
        if previous.replace(app) == Some(app) {
            continue;
        }
        if !crowd.goes_on(app) {
            ends.push(app);
        } else if crowd.has_room_for(app) {
            crowd.run(app);
            started.push(app);
            hopeless = lines.iter().all(|line| crowd.is_hopeless(*line));
        }
    }
    started.iter().chain(&ends).for_each(|app| crowd.leave_lines(*app));
    started
}

/// Who stands first in a line, of those that were not taken yet.
#[derive(Clone, Copy, Debug)]
struct Head {
    line: usize,
    turn: u64,
    app: u32,
    start_ms: u64,
}

impl Head {
    fn of(crowd: &impl Crowd, lines: &[Line<'_>], line: usize, after: Option<u64>) -> Option<Head> {
        let (turn, app) = crowd.next_in(lines[line], after)?;
        Some(Head { line, turn, app, start_ms: crowd.start_ms(app) })
    }
}

/// The heads of several lines by start time; ties as a binary heap of lists gives them (`java.util.PriorityQueue`). A
/// line that has come to its end stands in it too, behind all others: it has a say in where these stand.
#[derive(Debug, Default)]
struct Merged(Vec<Option<Head>>);

/// Whether the first comes before the second.
fn before(a: Option<&Head>, b: Option<&Head>) -> bool {
    let key = |head: Option<&Head>| (head.is_none(), head.map(|head| head.start_ms));
    key(a) < key(b)
}

impl Merged {
    fn put(&mut self, new: Option<Head>) {
        let heap = &mut self.0;
        heap.push(new);
        let mut k = heap.len() - 1;
        while k > 0 {
            let parent = (k - 1) / 2;
            if !before(new.as_ref(), heap[parent].as_ref()) {
                break;
            }
            heap[k] = heap[parent];
            k = parent;
        }
        heap[k] = new;
    }

    /// The first one; none when no line has anybody left.
    fn take(&mut self) -> Option<Head> {
        let heap = &mut self.0;
        let last = heap.pop()?;
        let Some(head) = heap.first().copied() else { return last };
        let n = heap.len();
        let mut k = 0;
        while k < n / 2 {
            let mut child = 2 * k + 1;
            if child + 1 < n && before(heap[child + 1].as_ref(), heap[child].as_ref()) {
                child += 1;
            }
            if !before(heap[child].as_ref(), last.as_ref()) {
                break;
            }
            heap[k] = heap[child];
            k = child;
        }
        heap[k] = last;
        head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Leaf queues with lines and room, and how often a line was gone along.
    #[derive(Default)]
    struct Few {
        lines: Vec<Vec<u32>>,
        room: Vec<usize>,
        ends: Vec<u32>,
        /// All start at that time; else by their numbers.
        start_ms: Option<u64>,
        looks: Cell<usize>,
    }

    impl Few {
        fn of(lines: &[&[u32]], room: usize) -> Few {
            let lines: Vec<Vec<u32>> = lines.iter().map(|line| line.to_vec()).collect();
            Few { room: vec![room; lines.len()], lines, ..Few::default() }
        }

        fn line_of(&self, app: u32) -> usize {
            self.lines.iter().position(|line| line.contains(&app)).unwrap()
        }

        fn start(&mut self, most: Option<usize>) -> Vec<u32> {
            let lines: Vec<Line<'_>> = (0..).take(self.lines.len()).map(Line::Leaf).collect();
            start_waiting(self, &lines, most)
        }
    }

    impl Crowd for Few {
        fn next_in(&self, line: Line<'_>, after: Option<u64>) -> Option<(u64, u32)> {
            let Line::Leaf(leaf) = line else { return None };
            self.looks.set(self.looks.get() + 1);
            let at = after.map_or(0, |turn| turn + 1);
            Some((at, *self.lines[leaf as usize].get(usize::try_from(at).unwrap())?))
        }

        fn start_ms(&self, app: u32) -> u64 {
            self.start_ms.unwrap_or(app.into())
        }

        fn goes_on(&self, app: u32) -> bool {
            !self.ends.contains(&app)
        }

        fn has_room_for(&self, app: u32) -> bool {
            self.room[self.line_of(app)] > 0
        }

        fn is_hopeless(&self, line: Line<'_>) -> bool {
            matches!(line, Line::Leaf(leaf) if self.room[leaf as usize] == 0)
        }

        fn run(&mut self, app: u32) {
            let line = self.line_of(app);
            self.room[line] -= 1;
        }

        fn leave_lines(&mut self, app: u32) {
            self.lines.iter_mut().for_each(|line| line.retain(|other| *other != app));
        }
    }

    #[test]
    fn ties_go_to_the_first_list_as_the_heap_has_it() {
        // rules/fair-shares.md 7.5: lists b c d a by creation, one start time: b's first, then as the heap has them.
        let mut few = Few::of(&[&[1, 2], &[3, 4], &[5, 6], &[7, 8]], 2);
        few.start_ms = Some(7);
        assert_eq!(few.start(Some(1)), [1]);
        assert_eq!(Few::of(&[&[10, 30], &[20]], 2).start(None), [10, 20, 30]);
        assert!(Few::of(&[&[], &[]], 2).start(None).is_empty());
    }

    /// At the end of time nobody is taken for the end of a line.
    #[test]
    fn all_start_at_the_end_of_time() {
        let mut few = Few::of(&[&[1], &[], &[2, 3]], 9);
        few.start_ms = Some(u64::MAX);
        let mut started = few.start(None);
        started.sort_unstable();
        assert_eq!(started, [1, 2, 3]);
    }

    #[test]
    fn who_ends_is_passed_over_and_waits_no_more() {
        let mut few = Few::of(&[&[1, 2, 3], &[4]], 1);
        few.ends = vec![1, 4];
        assert_eq!(few.start(Some(1)), [2]);
        assert_eq!(few.lines, [vec![3], vec![4]], "the other was not met");
        few.room = vec![1; 2];
        assert_eq!((few.start(None), few.lines), (vec![3], vec![vec![], vec![]]));
    }

    #[test]
    fn nobody_is_looked_at_for_whom_there_is_no_room() {
        let many: Vec<u32> = (0..1000).collect();
        let mut few = Few::of(&[&many, &[5000]], 1);
        few.room[1] = 0;
        assert_eq!((few.start(None), few.looks.get()), (vec![0], 3));
        assert!(few.start(None).is_empty());
        assert_eq!(few.looks.get(), 5, "those that stand first");
    }
}
