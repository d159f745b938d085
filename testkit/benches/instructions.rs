//! How many instructions the hot path takes, counted by valgrind and compared with the committed `instructions.json`.
//!
//! A count hardly knows noise: with the same compiler two runs are all but equal, so a few percent are a change of the
//! code. Each case runs in a process of its own under callgrind, which collects within [`in_the_scheduler`] alone:
//! neither the set-up nor the books of the driver count. The scheduler is the stepped one: the code of the workers, on
//! one thread.
//!
//! `.ci/instructions.sh` compares, `--update` writes the counts of now; `cargo test` runs each case once on a small
//! cluster without valgrind. A harness of our own because counts are per allocation and their baseline is a file of the
//! repository, and so that valgrind is all that must be installed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::thread;

#[path = "../../core/tests/churn/mod.rs"]
mod churn;

use churn::{Churn, Core, Size};
use evenweave::SchedulerApi;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Heartbeat, Location, NodeHandle, Resource, Stepped, Submission,
};

const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.json");
/// In percent. Another compiler or C library moves counts by less, mostly.
const TOLERANCE: f64 = 3.0;
/// Rounds of churn a node before those that count.
const WARM_UP: u32 = 4;
/// Nodes of a cluster on which a case is only tried.
const FEW: u32 = 10;

/// One count, divided by what it is per.
struct Case {
    name: &'static str,
    per: &'static str,
    size: Size,
    /// Runs it on a cluster of this size; gives how many there were of what it is per.
    run: fn(Size) -> u64,
}

/// Queues and applications of L on fewer nodes: what counts does not hang on these, and valgrind takes half the time.
const L: Size = Size::L.on(250);

/// Those that take long come first, so that they run beside each other.
const CASES: [Case; 10] = [
    Case { name: "churn_l", per: "allocation", size: L, run: churn },
    Case { name: "update_l", per: "update", size: L, run: update },
    Case { name: "update_l_shares", per: "update", size: L, run: update_all_shares },
    Case { name: "churn_m", per: "allocation", size: Size::M, run: churn },
    Case { name: "churn_s", per: "allocation", size: Size::S, run: churn },
    Case { name: "churn_locality", per: "allocation", size: Size::S.on(100), run: churn_with_locality },
    Case { name: "fill_m", per: "allocation", size: Size::M, run: fill },
    Case { name: "fill_m5", per: "allocation", size: Size::M5, run: fill },
    Case { name: "update_m", per: "update", size: Size::M, run: update },
    Case { name: "allocate_without_asks_m", per: "call", size: Size::M, run: allocate_without_asks },
];

// ---------------------------------------------------------------------------------------------------- the cases

/// What counts: nothing outside of it is collected, and it must not be within itself.
#[inline(never)]
fn in_the_scheduler<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// The stepped scheduler, whose calls count once that is switched on.
struct Counted {
    stepped: Stepped,
    on: bool,
}

impl Counted {
    fn new(size: Size) -> Counted {
        Counted { stepped: size.builder("").stepped().expect("one worker"), on: false }
    }

    fn granted(&self) -> u64 {
        self.stepped.stats().granted
    }

    fn call<T>(&mut self, run: impl FnOnce(&mut Stepped) -> T) -> T {
        let stepped = &mut self.stepped;
        if self.on { in_the_scheduler(|| run(stepped)) } else { run(stepped) }
    }
}

impl Core for Counted {
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> NodeHandle {
        Core::add_node(&mut self.stepped, name, rack, total)
    }

    fn submit(&mut self, submission: Submission) -> AppHandle {
        Core::submit(&mut self.stepped, submission)
    }

    fn location(&self, name: &str) -> Location {
        Core::location(&self.stepped, name)
    }

    fn update(&mut self) {
        self.call(Stepped::update_now);
    }

    fn heartbeat(&mut self, heartbeat: Heartbeat) {
        self.call(|stepped| stepped.heartbeat(&heartbeat));
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) {
        self.call(|stepped| SchedulerApi::allocate(stepped, app, request, answer)).expect("a valid call");
    }

    fn running(&mut self) -> u64 {
        self.stepped.stats().running
    }
}

/// W2: every node once, when as much is granted with a heartbeat as completes with it. In mode `dyn` that takes some
/// rounds.
fn churn(size: Size) -> u64 {
    rounds(Churn::full(Counted::new(size), size, false), size)
}

/// W4 on a small cluster.
fn churn_with_locality(size: Size) -> u64 {
    rounds(Churn::full(Counted::new(size), size, true), size)
}

fn rounds(mut churn: Churn<Counted>, size: Size) -> u64 {
    (0..WARM_UP * size.nodes).for_each(|_| churn.round());
    let before = churn.core.granted();
    churn.core.on = true;
    (0..size.nodes).for_each(|_| churn.round());
    churn.core.granted() - before
}

/// W1: the first thousand nodes of an empty cluster once.
fn fill(size: Size) -> u64 {
    let mut churn = Churn::new(Counted::new(size), size, false);
    churn.core.on = true;
    churn.offer_nodes(size.nodes.min(1_000));
    churn.core.granted()
}

/// W3: a hundredth of the applications has changed what it wants.
fn update(size: Size) -> u64 {
    updates(size, |_, _| {})
}

/// Besides, there is one more node each time, so that every share is another.
fn update_all_shares(size: Size) -> u64 {
    updates(size, |stepped, round| {
        let more = Resource::new(131_072, 64);
        SchedulerApi::add_node(stepped, &format!("more{round}"), "/more", more).expect("a new name");
    })
}

fn updates(size: Size, before_each: fn(&mut Stepped, u64)) -> u64 {
    const UPDATES: u64 = 3;
    let mut churn = Churn::full(Counted::new(size), size, false);
    for round in 0..UPDATES {
        churn.core.on = false;
        before_each(&mut churn.core.stepped, round);
        churn.change_some(usize::try_from(round).expect("a few"));
        churn.core.on = true;
        churn.core.update();
    }
    UPDATES
}

fn allocate_without_asks(size: Size) -> u64 {
    let mut churn = Churn::full(Counted::new(size), size, false);
    churn.core.on = true;
    (0..size.apps).for_each(|_| churn.call_without_asks());
    u64::from(size.apps)
}

// ---------------------------------------------------------------------------------------------------- counting

/// The committed counts, and what they were counted with.
#[derive(Debug, Deserialize, Serialize)]
struct Baseline {
    rustc: String,
    valgrind: String,
    /// By case: instructions for one of what it is per.
    instructions: BTreeMap<String, f64>,
}

fn version_of(program: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").output().map_err(|error| format!("{program}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Instructions of a case for one of what it is per.
fn count(case: &Case) -> Result<f64, String> {
    let failed = |what: String| format!("{}: {what}", case.name);
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*in_the_scheduler*"])
        .arg(program)
        .args(["--case", case.name])
        .output()
        .map_err(|error| failed(format!("valgrind: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(failed(format!("valgrind ended with {}:\n{said}", output.status)));
    }
    let counted = said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<u64>().ok());
    let times = String::from_utf8_lossy(&output.stdout).trim().parse::<u64>();
    match (counted, times) {
        (Some(counted @ 1..), Ok(times @ 1..)) => Ok(counted as f64 / times as f64),
        _ => Err(failed(format!("nothing was collected; is `in_the_scheduler` in the program?\n{said}"))),
    }
}

/// All cases, as many at once as there are processors: one does not show in another's count.
fn count_all() -> Result<BTreeMap<String, f64>, String> {
    let waiting = Mutex::new(CASES.iter());
    let counts = Mutex::new(Ok(BTreeMap::new()));
    let work = || {
        // Taken in a statement of its own: nobody waits while another counts.
        let next = || waiting.lock().expect("nobody panics with it").next();
        while let Some(case) = next() {
            let counted = count(case);
            let mut counts = counts.lock().expect("nobody panics with it");
            match (&mut *counts, counted) {
                (Ok(all), Ok(counted)) => drop(all.insert(case.name.to_owned(), (counted * 10.0).round() / 10.0)),
                (Ok(_), Err(error)) => *counts = Err(error),
                (Err(_), _) => {}
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    counts.into_inner().expect("nobody panics with it")
}

/// Whether no case takes more than the tolerance above its baseline; says how each compares.
fn compare(counts: &BTreeMap<String, f64>, baseline: &Baseline) -> bool {
    let (mut good, mut fewer) = (true, false);
    for Case { name, per, .. } in &CASES {
        let now = counts[*name];
        let Some(before) = baseline.instructions.get(*name) else {
            println!("{name:24} {now:12.1} instructions for one {per}, and no baseline FAILED");
            good = false;
            continue;
        };
        let percent = 100.0 * (now / before - 1.0);
        let verdict = if percent > TOLERANCE { "FAILED" } else { "" };
        println!("{name:24} {now:12.1} instructions for one {per}, {percent:+.1} % to {before:.1} {verdict}");
        good &= percent <= TOLERANCE;
        fewer |= percent < -TOLERANCE;
    }
    for name in baseline.instructions.keys().filter(|name| !counts.contains_key(*name)) {
        println!("{name:24} is in the baseline and no case any more: FAILED");
        good = false;
    }
    if fewer {
        println!("fewer than the baseline: `.ci/instructions.sh --update` keeps what was gained");
    }
    good
}

fn read_baseline() -> Result<Baseline, String> {
    let text = std::fs::read_to_string(BASELINE).map_err(|error| format!("{BASELINE}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{BASELINE}: {error}"))
}

/// Counts and compares, or writes what was counted; says whether all is as it should be.
fn count_and_compare(update: bool) -> Result<bool, String> {
    let valgrind = version_of("valgrind").map_err(|error| {
        format!("instructions are counted by valgrind; install it: apt-get install valgrind ({error})")
    })?;
    let rustc = version_of("rustc")?;
    let counts = count_all()?;
    if update {
        let baseline = Baseline { rustc, valgrind, instructions: counts };
        let text = serde_json::to_string_pretty(&baseline).expect("plain values") + "\n";
        std::fs::write(BASELINE, text).map_err(|error| format!("{BASELINE}: {error}"))?;
        println!("written: {BASELINE}");
        return Ok(true);
    }
    let baseline = read_baseline()?;
    let good = compare(&counts, &baseline);
    if !good {
        println!(
            "more than {TOLERANCE} % above the baseline, or not in it. If that is meant: `.ci/instructions.sh --update`, \
             and say why in the commit."
        );
    }
    if !good && (&baseline.rustc, &baseline.valgrind) != (&rustc, &valgrind) {
        println!(
            "The baseline was counted with {} and {}, this with {rustc} and {valgrind}.",
            baseline.rustc, baseline.valgrind
        );
    }
    Ok(good)
}

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let outcome = match options[..] {
        ["--case", name] => match CASES.iter().find(|case| case.name == name) {
            Some(case) => {
                println!("{}", (case.run)(case.size));
                Ok(true)
            }
            None => Err(format!("no case `{name}`")),
        },
        ["--bench"] => count_and_compare(false),
        ["--update", "--bench"] => count_and_compare(true),
        // As of `cargo test`.
        [] | ["--test"] => {
            CASES.iter().for_each(|case| assert_ne!((case.run)(case.size.on(FEW)), 0, "{}", case.name));
            read_baseline().map(|_| true)
        }
        _ => Err(format!("instructions: `{}`; there is `--update` and nothing else", options.join(" "))),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
