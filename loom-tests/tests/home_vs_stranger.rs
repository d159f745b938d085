//! Two workers serve the applications that are at home with them first, each by its view: nobody gets further ahead than
//! the views are apart, and the slack.
#![cfg(loom)]

use evenweave::engine::books::affinity::usage_of_stranger;
use evenweave::engine::books::pace::{Lag, Pace};
use evenweave::engine::books::usage::UsageCell;
use evenweave::resource::Resource;
use evenweave::sync::thread::spawn;
use evenweave::sync::{Arc, Mutex};
use evenweave_loom_tests::check;

const R: u32 = 1;
const SIZE: Resource = Resource::new(1, 1);
const TYPES: usize = 1;
/// Containers of each when it begins, half with each worker: enough for a stranger to count more than the slack allows.
const BEFORE: i64 = 64;

/// What two applications use, by worker; the home of application `i` is worker `i`.
struct Books {
    pace: Pace,
    cells: [[UsageCell; 2]; 2],
    /// In the order of the grants.
    exact: Mutex<[i64; 2]>,
}

impl Books {
    fn usage(&self, app: usize) -> Resource {
        self.cells.iter().fold(Resource::ZERO, |sum, of| sum.plus(&of[app].read()))
    }
}

/// One worker's view, and how it chooses.
struct Worker<'a> {
    books: &'a Books,
    number: usize,
    slack: u32,
    lag: Lag,
    view: [Resource; 2],
}

impl Worker<'_> {
    fn grant(&mut self) {
        if self.lag.is_due(&self.books.pace, 0) {
            self.lag.begin_fold(&self.books.pace);
            self.view = [0, 1].map(|app| self.books.usage(app));
        }
        let home = self.number;
        let stranger = usage_of_stranger(self.slack, &self.view[1 - home], &SIZE);
        let app = if self.view[home].get(0) <= stranger.get(0) { home } else { 1 - home };
        self.view[app] = self.view[app].plus(&SIZE);
        self.books.cells[self.number][app].add(TYPES, &SIZE);
        self.lag.note_change(&self.books.pace, 0);
        let mut exact = self.books.exact.lock();
        exact[app] += 1;
        let bound = u64::from(R) + u64::from(self.slack) + 1;
        assert!(
            exact[0].abs_diff(exact[1]) <= bound,
            "I8: siblings are no further apart than R, the slack and one container"
        );
    }
}

fn both_want_more(name: &'static str, slack: u32) {
    const GRANTS: [usize; 2] = [4, 1];
    check(name, move || {
        let cell = || {
            let cell = UsageCell::default();
            cell.add(TYPES, &Resource::new(BEFORE / 2, 0));
            cell
        };
        let cells = [[cell(), cell()], [cell(), cell()]];
        let books = Arc::new(Books { pace: Pace::new(2, Some(R)), cells, exact: Mutex::new([BEFORE; 2]) });
        let serve = move |books: &Books, number: usize| {
            let view = [Resource::new(BEFORE, 0); 2];
            let mut worker = Worker { books, number, slack, lag: Lag::default(), view };
            (0..GRANTS[number]).for_each(|_| worker.grant());
        };
        let others = books.clone();
        let other = spawn(move || serve(&others, 1));
        serve(&books, 0);
        other.join().unwrap();
    });
}

/// Claim: I8: without slack siblings are no further apart than what a worker misses, and one container
/// Threads: 2
/// Break: a stranger counts more than the slack allows -> *I8: siblings are no further apart than R, the slack and one
///   container*
#[test]
fn without_slack_only_the_views_are_apart() {
    both_want_more("home_vs_stranger/without_slack_only_the_views_are_apart", 0);
}

/// Claim: I8: a worker that serves its own first gets them ahead by no more than the slack besides
/// Threads: 2
/// Break: as above -> *I8: siblings are no further apart than R, the slack and one container*
#[test]
fn own_are_ahead_by_the_slack_at_most() {
    both_want_more("home_vs_stranger/own_are_ahead_by_the_slack_at_most", 1);
}
