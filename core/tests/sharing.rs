//! What two workers share for an allocation, in steps: the same calls in the same order every time. Counts differ by a
//! few percent, because which words share a line depends on where memory lies. `docs/benchmarks.md` has the workloads,
//! and says what is counted.
//!
//! Each worker's steps, the reports of its nodes and the calls of the applications whose home it is are on its account,
//! as where its thread plays them.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod churn;

use churn::{Churn, Core, Size};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Heartbeat, Location, NodeHandle, Resource, SchedulerApi, Sharing, Stepped,
    Submission,
};
use std::sync::Mutex;

/// All threads of the process count into the same table.
static ALONE: Mutex<()> = Mutex::new(());

struct OnAccount(Stepped);

impl Core for OnAccount {
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> NodeHandle {
        Core::add_node(&mut self.0, name, rack, total)
    }

    fn submit(&mut self, submission: Submission) -> AppHandle {
        Core::submit(&mut self.0, submission)
    }

    fn location(&self, name: &str) -> Location {
        Core::location(&self.0, name)
    }

    fn update(&mut self) {
        self.0.update_now();
    }

    fn heartbeat(&mut self, heartbeat: Heartbeat) {
        self.0.heartbeat(&heartbeat);
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) {
        Sharing::on_account_of(app.worker(), || SchedulerApi::allocate(&mut self.0, app, request, answer)).unwrap();
    }

    fn running(&mut self) -> u64 {
        self.0.stats().running
    }
}

/// R: with the default the two workers take long to part.
const EVERY: u32 = 1024;
/// Rounds of churn a node before those that count. What is on a node has been granted anew more than once by then.
const WARM_UP: u32 = 40;

/// What an allocation takes.
#[derive(Debug)]
struct Share {
    locked: f64,
    messages: f64,
    lines: f64,
}

/// Counts what `run` does.
fn count(
    name: &str,
    (workers, slack): (usize, u32),
    churn: &mut Churn<OnAccount>,
    run: impl FnOnce(&mut Churn<OnAccount>),
) -> Share {
    let (before, stats) = (Sharing::now(), churn.core.0.stats());
    run(churn);
    let (counted, now) = (Sharing::now().since(&before), churn.core.0.stats());
    let granted = (now.granted - stats.granted) as f64;
    let each = |count: u64| count as f64 / granted;
    let total = counted.total();
    let share = Share { locked: each(total.locked), messages: each(total.messages), lines: each(total.lines()) };
    let near = each(now.node_local - stats.node_local);
    eprintln!("{name}, {workers} workers, slack {slack}: {granted} allocations, {near:.2} node-local, {share:.2?}");
    for ((file, line), counts) in counted.places().into_iter().take(12) {
        let [read, written] = [counts.lines_read, counts.lines_written].map(each);
        eprintln!("    {read:6.3} read {written:6.3} written  {file}:{line}");
    }
    share
}

fn scheduler(size: Size, (workers, slack): (usize, u32)) -> OnAccount {
    OnAccount(size.builder("").workers(workers).fold_every(EVERY).slack(slack).stepped().unwrap())
}

fn churn(name: &str, size: Size, how: (usize, u32), locality: bool) -> Share {
    let _alone = ALONE.lock().unwrap();
    let mut churn = Churn::full(scheduler(size, how), size, locality);
    (0..WARM_UP * size.nodes).for_each(|_| churn.round());
    count(name, how, &mut churn, |churn| (0..size.nodes).for_each(|_| churn.round()))
}

fn fill(name: &str, size: Size, how: (usize, u32)) -> Share {
    let _alone = ALONE.lock().unwrap();
    let mut churn = Churn::new(scheduler(size, how), size, false);
    count(name, how, &mut churn, |churn| churn.offer_nodes(size.nodes))
}

/// As by default, of this R.
const SLACK: u32 = EVERY / 32;

/// With one worker nobody else writes anything; with two that order by usage alone nearly every other grant is to a
/// stranger. This tells that the counts are counts.
#[test]
fn two_workers_share_what_one_does_not() {
    let one = churn("W2 S", Size::S, (1, SLACK), false);
    assert!(one.lines < 0.01 && one.locked > 1.0 && one.messages > 0.1, "{one:?}");
    let two = churn("W2 S", Size::S, (2, 0), false);
    assert!(two.lines > 5.0 && two.locked > one.locked, "{two:?}");
}

/// Most lines that an allocation may share with two workers, a tenth above what was counted last.
#[test]
fn an_allocation_shares_no_more_lines_than_it_did() {
    let two = (2, SLACK);
    let counted = [
        ("W1 M5", fill("W1 M5", Size::M5, two), 3.0),
        ("W2 S", churn("W2 S", Size::S, two, false), 6.0),
        ("W2 M", churn("W2 M", Size::M, two, false), 5.5),
        ("W2 L", churn("W2 L", Size::L, two, false), 6.5),
        ("W4 M", churn("W4 M", Size::M, two, true), 13.8),
    ];
    for (name, share, most) in counted {
        assert!(share.lines <= most, "{name}: {share:?}, at most {most} lines");
    }
}
