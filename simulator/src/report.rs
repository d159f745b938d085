//! The report of a simulation: one HTML file, everything in it, nothing fetched.

use std::cmp::Reverse;
use std::path::Path;

use plotters::prelude::*;

mod grid;

use crate::{Comparison, Facts, Interval, QueueSample, RunResult, Simulated, Spread, Verdict, figure, remarks};
use evenweave_tools::Failure;
use evenweave_tools::numbers::grouped;
use evenweave_tools::report::markup::{document, escape, put, section};
use evenweave_tools::report::plans::put_plans;
use evenweave_tools::report::plots::{
    COLOURS, Drawn, GRID, INK, Line, font, legend, over_time, points_a_mean, short, svg, thinned, timed,
};
use evenweave_tools::whole_files::Drafts;

const MIB_A_GIB: f64 = 1024.0;
/// More lines than this cannot be told apart.
const MAX_QUEUES: usize = 4;
/// More dots than these are one blot, and a file that no browser opens.
const MAX_POINTS: usize = 20_000;

/// Writes the report, whole or not at all.
///
/// # Errors
/// What the file system says.
pub fn write_simulation(simulated: &Simulated, path: &Path) -> Result<(), Failure> {
    let mut drafts = Drafts::default();
    put_simulation(simulated, path, &mut drafts)?;
    drafts.keep().map_err(|error| Failure::input(format!("report {}: {error}", path.display())))
}

/// The same, into a file that gets its name with others.
///
/// # Errors
/// What the file system says.
pub fn put_simulation(simulated: &Simulated, path: &Path, drafts: &mut Drafts) -> Result<(), Failure> {
    let written = drafts.put(path, &page(simulated));
    written.map_err(|error| Failure::input(format!("report {}: {error}", path.display())))
}

fn page(simulated: &Simulated) -> String {
    let mut body = "<h1>evenweave simulation</h1>\n".to_owned();
    let runs: Vec<&RunResult> = simulated.runs.iter().filter_map(|runs| runs.first()).collect();
    let seeds = simulated.runs.first().map_or(0, Vec::len);
    if let Some(run) = runs.first() {
        let [memory, vcores] = run.cluster;
        let jobs = grouped(run.figures.len() as f64);
        let (memory, vcores) = (grouped(memory as f64 / MIB_A_GIB), grouped(vcores as f64));
        put(
            &mut body,
            format_args!(
                "<p class=\"lead\">{jobs} jobs on a cluster of {memory} GiB and {vcores} vcores, {seeds} {}.</p>\n",
                if seeds == 1 { "seed" } else { "seeds" }
            ),
        );
    }
    let mut clusters: Vec<&str> = runs.iter().map(|run| run.nodes.as_str()).collect();
    clusters.dedup();
    clusters.iter().for_each(|said| put(&mut body, format_args!("<p class=\"lead\">{}.</p>\n", escape(said))));
    let comparisons = simulated.comparisons();
    if comparisons.is_empty() {
        attention(&mut body, simulated.attention().as_deref());
        attention(&mut body, simulated.caveat().as_deref());
    }
    if !simulated.axes().is_empty() {
        grid::put_grid(&mut body, simulated);
        return document("evenweave simulation", &body);
    }
    differences(&mut body, simulated, &comparisons);
    whole(&mut body, &runs);
    for run in &runs {
        queues(&mut body, run);
    }
    utilisation(&mut body, &runs);
    let highest = runs.iter().map(|run| highest_share(run)).fold(1.0, f64::max) * 1.08;
    let longest = runs.iter().map(|run| seconds(run)).fold(1.0, f64::max);
    for run in &runs {
        shares(&mut body, run, (longest, highest));
    }
    for run in &runs {
        put_plans(&mut body, &run.name, &run.booked, seconds(run));
    }
    for after in runs.iter().skip(1) {
        let before = runs[0];
        section(
            &mut body,
            "Job by job",
            &format!(
                "A point a job: its runtime under {} (across) and under {} (up). Below the line the job ends sooner under the second. \
                 Runtimes below 1 s are drawn as 1 s.",
                escape(&before.name),
                escape(&after.name)
            ),
            &scatter(before, after),
        );
    }
    document("evenweave simulation", &body)
}

/// What must not be missed stands in a box.
fn attention(body: &mut String, said: Option<&str>) {
    if let Some(said) = said {
        put(body, format_args!("<p class=\"attention\">{}.</p>\n", escape(said)));
    }
}

/// Who wins and who loses.
fn differences(body: &mut String, simulated: &Simulated, comparisons: &[Comparison]) {
    for comparison in comparisons {
        let [before, after] = comparison.names.each_ref().map(|name| escape(name));
        let seeds = simulated.runs.first().map_or(1, Vec::len);
        let over = if seeds > 1 { "the means of the seeds" } else { "the jobs" };
        put(body, format_args!("<h2>Under {after} instead of {before}</h2>\n"));
        attention(body, comparison.attention().as_deref());
        put(body, format_args!("<p>{}</p>\n", escape(&comparison.headline())));
        attention(body, comparison.caveat.as_deref());
        body.push_str(
            "<table class=\"narrow\"><tr><th>queue</th><th>compared / of</th><th>change of the mean wait</th><th>change of the mean runtime</th>\
             <th>by ends and runtime, it</th></tr>",
        );
        for queue in &comparison.queues {
            let verdict = queue.verdict();
            let class = match verdict {
                Verdict::Wins => "good",
                Verdict::Loses | Verdict::NotCompared => "bad",
                Verdict::AsBefore | Verdict::CannotBeTold => "",
            };
            put(
                body,
                format_args!(
                    "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
                    escape(&queue.queue),
                    queue.compared_of(),
                    figure(queue.wait),
                    figure(queue.runtime),
                    verdict.as_str()
                ),
            );
        }
        put(
            body,
            format_args!(
                "</table>\n<p class=\"note\">Each job that came to the same end under both files is compared with itself; the others are not \
                 compared. A queue of which fewer jobs end loses, whatever the means of the rest are. Wait: from submission to the first \
                 task. Runtime: from submission to the end. ±: half of the 95 % confidence interval over {over}; a smaller change counts \
                 as chance.</p>\n"
            ),
        );
    }
}

/// The runs as wholes.
fn whole(body: &mut String, runs: &[&RunResult]) {
    body.push_str(
        "<h2>Runs</h2>\n<table class=\"narrow\"><tr><th>file of queues</th><th>last end (h)</th><th>memory used</th><th>vcores used</th>\
         <th>containers</th><th>preempted</th><th>work lost (GiB h)</th><th>Jain's index</th><th>share not had</th></tr>",
    );
    for run in runs {
        let facts = Facts::of(run);
        let lost: f64 = facts.queues.iter().map(|queue| queue.lost_gib_h).sum();
        put(
            body,
            format_args!(
                "<tr><td>{}</td><td>{:.2}</td><td>{:.1} %</td><td>{:.1} %</td><td>{}</td><td>{}</td><td>{lost:.1}</td><td>{:.3}</td>\
                 <td>{:.2} %</td></tr>",
                escape(&run.name),
                facts.makespan / 3600.0,
                run.utilisation[0] * 100.0,
                run.utilisation[1] * 100.0,
                grouped(run.granted as f64),
                grouped(run.preempted as f64),
                facts.jain,
                facts.missing_share * 100.0
            ),
        );
    }
    body.push_str(
        "</table>\n<p class=\"note\">Memory and vcores used: mean until the last end. Work lost: memory of each preempted container times how \
         long it had run. Jain's index is over the queues' slowdowns: 1 where all are slowed down alike. Share not had: the part of \
         the cluster that queues wanted and had a right to, and did not have.</p>\n",
    );
    for run in runs {
        for remark in remarks(run) {
            put(body, format_args!("<p class=\"note\">{}: {}.</p>\n", escape(&run.name), escape(&remark)));
        }
    }
}

fn queues(body: &mut String, run: &RunResult) {
    put(
        body,
        format_args!(
            "<h2>Queues under {}</h2>\n<p class=\"note\">The mean, and what 50, 95 and 99 of a hundred jobs stay below, of those that ended or, for waits, ran a task. Slowdown: the runtime \
             divided by that of the longest map and the longest reduce, one after the other.</p>\n<table class=\"narrow\"><tr>\
             <th rowspan=\"2\">queue</th><th rowspan=\"2\">ended / of</th>",
            escape(&run.name)
        ),
    );
    for what in ["wait (s)", "runtime (s)", "slowdown"] {
        put(body, format_args!("<th colspan=\"4\">{what}</th>"));
    }
    body.push_str("<th rowspan=\"2\">preempted</th><th rowspan=\"2\">lost (GiB h)</th></tr><tr>");
    body.push_str(&"<th>mean</th><th>50 %</th><th>95 %</th><th>99 %</th>".repeat(3));
    body.push_str("</tr>");
    for queue in Facts::of(run).queues {
        let (ended, jobs) = (grouped(queue.ended as f64), grouped(queue.jobs as f64));
        put(body, format_args!("<tr><td>{}</td><td>{ended} / {jobs}</td>", escape(&queue.name)));
        for value in [queue.wait, queue.runtime, queue.slowdown].iter().flat_map(Spread::figures) {
            let value = value.map_or("-".to_owned(), |value| format!("{value:.1}"));
            put(body, format_args!("<td>{value}</td>"));
        }
        let (preempted, lost) = (grouped(queue.preempted as f64), queue.lost_gib_h);
        put(body, format_args!("<td>{preempted}</td><td>{lost:.1}</td></tr>"));
    }
    body.push_str("</table>\n");
}

fn seconds(run: &RunResult) -> f64 {
    run.intervals.last().map_or(1.0, |interval| interval.at_ms as f64 / 1000.0)
}

/// What of a run is drawn over time, in s.
fn course(run: &RunResult, of: impl Fn(&Interval) -> f64) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = run.intervals.iter().map(|at| (at.at_ms as f64 / 1000.0, of(at))).collect();
    thinned(&points)
}

/// How often a point is drawn, in words.
fn drawn_each(run: &RunResult) -> String {
    let every = run.intervals.first().map_or(1.0, |interval| interval.at_ms as f64 / 1000.0);
    match points_a_mean(run.intervals.len()) {
        1 => "at the end of each interval".to_owned(),
        several => {
            let span = every * several as f64;
            let (span, unit) = if span >= 120.0 { (span / 60.0, "min") } else { (span, "s") };
            format!("as means over {} {unit}", short(span))
        }
    }
}

fn utilisation(body: &mut String, runs: &[&RunResult]) {
    let line = |(run, colour): (&&RunResult, RGBColor)| Line {
        name: run.name.clone(),
        colour,
        dashed: false,
        points: course(run, |at| at.utilisation[0] * 100.0),
    };
    let lines: Vec<Line> = runs.iter().zip(COLOURS).map(line).collect();
    let longest = runs.iter().map(|run| seconds(run)).fold(1.0, f64::max);
    section(
        body,
        "How full the cluster was",
        &format!("Memory that is allocated, {}.", runs.first().map(|run| drawn_each(run)).unwrap_or_default()),
        &over_time("utilisation over time", "memory used (%)", longest, &lines, Some(105.0), &[]),
    );
}

/// The most that a queue which is drawn uses, or has a right to, in GiB.
fn highest_share(run: &RunResult) -> f64 {
    let drawn = |index: usize, of: fn(&QueueSample) -> i64| {
        course(run, |at| at.queues.get(index).map_or(0.0, |queue| of(queue) as f64 / MIB_A_GIB))
    };
    let of = |index: usize| [drawn(index, |queue| queue.usage), drawn(index, |queue| queue.share)].concat();
    shown_queues(run).into_iter().flat_map(of).map(|(_, value)| value).fold(0.0, f64::max)
}

/// A plot for each queue, all of all runs with the same axes: so long, and so high.
fn shares(body: &mut String, run: &RunResult, (longest, highest): (f64, f64)) {
    const SIZE: (u32, u32) = (860, 170);
    let shown = shown_queues(run);
    let gib = |index: usize, of: fn(&QueueSample) -> i64| {
        course(run, |at| at.queues.get(index).map_or(0.0, |queue| of(queue) as f64 / MIB_A_GIB))
    };
    let lines = |index: usize, colour| {
        let usage = gib(index, |queue| queue.usage);
        let share = gib(index, |queue| queue.share);
        let line = |name: &str, colour, dashed, points| Line { name: name.to_owned(), colour, dashed, points };
        [line("usage", colour, false, usage), line("share", INK, true, share)]
    };
    let drawn: Vec<(&str, [Line; 2])> = shown
        .into_iter()
        .zip(COLOURS)
        .map(|(index, colour)| (run.queues[index].0.as_str(), lines(index, colour)))
        .collect();
    let mut figure = String::new();
    for (name, lines) in &drawn {
        let name = escape(name);
        let label = format!("usage and share of {name} over time");
        let plot = timed(&label, "memory (GiB)", SIZE, longest, lines, Some(highest), &[]);
        put(&mut figure, format_args!("<p>{name}</p>{plot}"));
    }
    section(
        body,
        &format!("Usage and shares under {}", escape(&run.name)),
        &format!(
            "What a queue uses (solid), and its fair share or what its capacity guarantees (dashed), {}. intervals-N.csv has all queues.",
            drawn_each(run)
        ),
        &figure,
    );
}

/// The queues that are drawn: the uppermost that have sisters, and of many those that use most.
fn shown_queues(run: &RunResult) -> Vec<usize> {
    let below = |parent: &str| -> Vec<usize> {
        let is = |name: &str| name.rsplit_once('.').is_some_and(|(above, _)| above == parent);
        (0..run.queues.len()).filter(|index| is(&run.queues[*index].0)).collect()
    };
    let mut shown = below("root");
    while let [only] = shown[..] {
        let further = below(&run.queues[only].0);
        if further.is_empty() {
            break;
        }
        shown = further;
    }
    let used =
        |index: &usize| -> i64 { run.intervals.iter().filter_map(|at| Some(at.queues.get(*index)?.usage)).sum() };
    shown.sort_by_cached_key(|index| Reverse(used(index)));
    shown.truncate(MAX_QUEUES);
    shown.sort_unstable();
    shown
}

/// Runtimes of the same jobs under two files.
fn scatter(before: &RunResult, after: &RunResult) -> String {
    let mut others = after.figures.iter().peekable();
    let mut points: Vec<(f64, f64, &str)> = Vec::new();
    let step = before.figures.len() / MAX_POINTS + 1;
    // Both are by key.
    for job in before.figures.iter().step_by(step) {
        while others.next_if(|other| other.key < job.key).is_some() {}
        let Some(other) = others.next_if(|other| other.key == job.key) else { continue };
        let queue = before.sums.get(job.queue as usize).map_or("", |sums| sums.name.as_str());
        points.extend(job.runtime_ms().zip(other.runtime_ms()).map(|(ms, up)| (ms / 1000.0, up / 1000.0, queue)));
    }
    let most = points.iter().map(|(across, up, _)| across.max(*up)).fold(10.0, f64::max) * 1.1;
    let mut names: Vec<&str> = before.sums.iter().map(|sums| sums.name.as_str()).collect();
    names.sort_unstable();
    let (named, others) = names.split_at(names.len().min(COLOURS.len() - 1));
    let colour = |queue: &str| COLOURS[named.iter().position(|name| *name == queue).unwrap_or(COLOURS.len() - 1)];
    let entry = |name: &str, colour| Line { name: name.to_owned(), colour, dashed: false, points: Vec::new() };
    let mut entries: Vec<Line> = named.iter().map(|name| entry(name, colour(name))).collect();
    if !others.is_empty() {
        entries.push(entry(&format!("{} other queues", others.len()), colour("")));
    }
    svg("runtime of each job under both files", (860, 520), |area| -> Drawn {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .x_label_area_size(38)
            .y_label_area_size(66)
            .build_cartesian_2d((1.0..most).log_scale(), (1.0..most).log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc(format!("runtime (s) under {}", in_short(before)))
            .y_desc(format!("runtime (s) under {}", in_short(after)))
            .x_label_formatter(&|value| short(*value))
            .y_label_formatter(&|value| short(*value))
            .draw()?;
        chart.draw_series(std::iter::once(PathElement::new(vec![(1.0, 1.0), (most, most)], INK)))?;
        let dots = points
            .iter()
            .map(|(across, up, queue)| Circle::new((across.max(1.0), up.max(1.0)), 2, colour(queue).mix(0.5).filled()));
        chart.draw_series(dots)?;
        Ok(())
    }) + &legend(&entries)
}

/// A file of queues without its folders.
fn in_short(run: &RunResult) -> String {
    let name = Path::new(&run.name).file_name().map_or(run.name.as_str().into(), |name| name.to_string_lossy());
    escape(&name)
}
