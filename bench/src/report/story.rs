//! What a load with preemption tells: when what happened, and what it cost the others. One list for the terminal and
//! the page.

use evenweave_tools::numbers::grouped;
use evenweave_tools::report::plots::{COLOURS, Line, Mark};

use crate::load::{Point, Rates, Story};

const MIB_A_TIB: f64 = 1024.0 * 1024.0;
/// The seconds over which rates are taken.
const RATE_OVER: f64 = 1.0;

/// One event: what, when, and what is to be said of it.
pub(super) struct Event {
    pub(super) what: &'static str,
    /// A word for the plots.
    short: &'static str,
    /// Seconds since the run began; `None` where it did not come to that.
    pub(super) at: Option<f64>,
    pub(super) note: String,
}

/// The threshold of the late queue's leaves, in percent.
fn threshold(story: &Story) -> String {
    let mut parts: Vec<String> =
        story.late.leaves.iter().map(|leaf| format!("{:.0} %", leaf.threshold * 100.0)).collect();
    parts.dedup();
    parts.join(", ")
}

/// What happened, in the order in which it is to be expected.
pub(super) fn events(story: &Story) -> Vec<Event> {
    let late = &story.late;
    let apps: u64 = late.leaves.iter().map(|leaf| leaf.apps).sum();
    let containers: u64 = late.leaves.iter().map(|leaf| leaf.apps * leaf.containers).sum();
    let event = |what, short, at, note| Event { what, short, at, note };
    let mut events = vec![event(
        "the late queue's applications come",
        "arrival",
        story.arrived,
        format!("{apps} applications ask for {} containers, their queue's share", grouped(containers as f64)),
    )];
    let timeout = late.timeout_ms.map_or("never".to_owned(), |ms| format!("{:.1} s", ms as f64 / 1e3));
    events.push(event(
        "starved",
        "starved",
        story.starved,
        format!(
            "below the threshold for longer than the timeout, {timeout}; short of {} GiB then",
            grouped(story.short_of_mib as f64 / 1024.0)
        ),
    ));
    let warned = format!("{} containers in all, in the answers to the AMs", grouped(story.warnings as f64));
    events.push(event("first warning", "warning", story.warned, warned));
    if late.give_back > 0.0 {
        let count = grouped(story.given_back as f64);
        let note = format!("{count} containers in all, by {:.0} % of the AMs", late.give_back * 100.0);
        events.push(event("first container given back", "given back", story.first_given_back, note));
    }
    let wait = late.wait_before_kill_ms as f64 / 1e3;
    let killed = grouped(story.killed as f64);
    let note = format!(
        "waitTimeBeforeKill, {wait:.1} s, after its warning; {killed} in all, of them {} AMs",
        story.ams_killed
    );
    events.push(event("first kill", "kill", story.first_killed, note));
    let note =
        format!("{} of the fair share, less what is smaller than a container of each application", threshold(story));
    events.push(event("the threshold is reached", "reached", story.reached, note));
    events
}

/// Seconds after the arrival.
pub(super) fn after_arrival(story: &Story, at: Option<f64>) -> String {
    match (at, story.arrived) {
        (Some(at), Some(arrived)) => format!("{:+.2} s", at - arrived),
        _ => "–".to_owned(),
    }
}

/// A time of the run.
pub(super) fn second(at: Option<f64>) -> String {
    at.map_or("not in this run".to_owned(), |at| format!("{at:.2} s"))
}

/// What is to be said where the share was not reached.
pub(super) fn shortfall(story: &Story) -> Option<String> {
    if story.reached.is_some() {
        return None;
    }
    let Some(arrived) = story.arrived else {
        return Some("The run was over before the late queue came.".to_owned());
    };
    let least = (story.late.timeout_ms.unwrap_or(0) + story.late.wait_before_kill_ms) as f64 / 1e3;
    Some(format!(
        "The threshold was not reached in the {:.1} s that were left of the run. Timeout and waitTimeBeforeKill alone are \
         {least:.1} s; a longer --duration, or more to take from, may help.",
        story.ended - arrived
    ))
}

/// What preemption cost.
pub(super) fn cost(story: &Story) -> String {
    format!(
        "preempted {} containers (killed {}, given back by their AMs {}, AMs among them {}), which had run for {} container \
         seconds; warned of {}, and {} of these ended by themselves or still run",
        grouped((story.killed + story.given_back) as f64),
        grouped(story.killed as f64),
        grouped(story.given_back as f64),
        story.ams_killed,
        grouped(story.lost_seconds),
        grouped(story.warnings as f64),
        grouped(story.warnings.saturating_sub(story.killed + story.given_back) as f64),
    )
}

/// A part of the run: its name, from when to when, the others' tasks done and the heartbeats of all nodes in a second.
pub(super) fn parts(story: &Story) -> Vec<[String; 4]> {
    let row = |(name, rates): (&str, Option<Rates>)| {
        rates.map(|rates| {
            [
                name.to_owned(),
                format!("{:.1} to {:.1} s", rates.from, rates.to),
                grouped(rates.done_per_s),
                grouped(rates.heartbeats_per_s),
            ]
        })
    };
    story.parts().into_iter().filter_map(row).collect()
}

/// The events that happened, for the plots.
pub(super) fn marks(story: &Story) -> Vec<Mark> {
    let mark = |event: Event| event.at.map(|at| Mark { at, name: format!("{} {at:.1} s", event.short) });
    events(story).into_iter().filter_map(mark).collect()
}

/// The late queue and the others: usage, fair share, and what is to be reached.
pub(super) fn usage(story: &Story) -> Vec<Line> {
    let line = |name: String, colour, dashed, of: &dyn Fn(&Point) -> f64| Line {
        name,
        colour,
        dashed,
        points: story.points.iter().map(|point| (point.at, of(point) / MIB_A_TIB)).collect(),
    };
    let late = &story.late.queue;
    vec![
        line(format!("{late}: usage"), COLOURS[0], false, &|point| point.usage[0] as f64),
        line(format!("{late}: fair share"), COLOURS[0], true, &|point| point.share[0] as f64),
        line(format!("{} of it", threshold(story)), COLOURS[2], true, &|point| point.target),
        line("the others: usage".to_owned(), COLOURS[1], false, &|point| point.usage[1] as f64),
        line("the others: fair share".to_owned(), COLOURS[1], true, &|point| point.share[1] as f64),
    ]
}

/// Warned, killed, given back.
pub(super) fn containers(story: &Story) -> Vec<Line> {
    let line = |name: &str, colour, of: fn(&Point) -> u64| Line {
        name: name.to_owned(),
        colour,
        dashed: false,
        points: story.points.iter().map(|point| (point.at, of(point) as f64)).collect(),
    };
    let mut lines = vec![
        line("warned of, and still running", COLOURS[4], |point| point.warned),
        line("killed since the run began", COLOURS[1], |point| point.killed),
    ];
    if story.late.give_back > 0.0 {
        lines.push(line("given back since the run began", COLOURS[2], |point| point.given_back));
    }
    lines
}

/// Tasks of the others that were done in a second.
pub(super) fn throughput(story: &Story) -> Vec<Line> {
    let points = &story.points;
    let mut first = 0;
    let mut rates = Vec::new();
    for point in points {
        while points[first].at < point.at - RATE_OVER {
            first += 1;
        }
        let span = point.at - points[first].at;
        if span > RATE_OVER / 2.0 {
            rates.push((point.at, (point.done - points[first].done) as f64 / span));
        }
    }
    let name = "tasks of the others done, mean of the second before".to_owned();
    vec![Line { name, colour: COLOURS[1], dashed: false, points: rates }]
}
