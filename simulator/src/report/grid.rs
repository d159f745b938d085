//! A grid of simulations: a table with a row a point, and a chart of waits by point.

use evenweave_tools::numbers::grouped;
use evenweave_tools::report::markup::{escape, put, section};
use evenweave_tools::report::plots::{COLOURS, Line, over};

use crate::{PointFacts, RunResult, Simulated, about};

/// A point, and what came of it.
struct Point<'s> {
    run: &'s RunResult,
    facts: PointFacts,
}

pub(super) fn put_grid(body: &mut String, simulated: &Simulated) {
    let mut points = Vec::with_capacity(simulated.runs.len());
    for runs in &simulated.runs {
        points.extend(runs.first().map(|run| Point { run, facts: PointFacts::of(runs) }));
    }
    chart(body, simulated, &points);
    table(body, simulated, &points);
}

/// The names of all queues that had jobs at any point, all together first.
fn queues<'p>(points: &'p [Point<'_>]) -> Vec<&'p str> {
    let mut names: Vec<&str> = Vec::new();
    for queue in points.iter().flat_map(|point| &point.facts.queues) {
        if !names.contains(&queue.name.as_str()) {
            names.push(&queue.name);
        }
    }
    names
}

/// What points have in common that are one line, and what tells them apart across.
struct Lines {
    /// The axis across, and where each point stands on it.
    axis: String,
    at: Vec<f64>,
    /// Of each point what its line is called beside the queue, and the number of the line.
    of: Vec<(String, usize)>,
}

/// The axis that is drawn across: where another than the number of nodes has numbers, a number of nodes is a line.
fn lines_of(simulated: &Simulated, points: &[Point<'_>]) -> Lines {
    let axes = simulated.axes();
    let differs = |axis: usize| points.iter().any(|point| point.run.at[axis].1 != points[0].run.at[axis].1);
    let nodes = axes.iter().position(|axis| *axis == "nodes").filter(|axis| differs(*axis));
    let others: Vec<usize> = (0..axes.len()).filter(|axis| Some(*axis) != nodes && differs(*axis)).collect();
    let one_file = points.iter().all(|point| point.run.name == points[0].run.name);
    if let (Some(nodes), [other], true) = (nodes, &others[..], one_file)
        && let Some(at) = points.iter().map(|point| number(point, *other)).collect::<Option<Vec<f64>>>()
    {
        let mut counts: Vec<&str> = Vec::new();
        let mut of = Vec::with_capacity(points.len());
        for point in points {
            let count = point.run.at[nodes].1.as_str();
            let line = counts.iter().position(|known| *known == count).unwrap_or_else(|| {
                counts.push(count);
                counts.len() - 1
            });
            of.push((format!(", {count} nodes"), line));
        }
        return Lines { axis: axes[*other].to_owned(), at, of };
    }
    let (axis, at) = across(simulated, points);
    Lines { axis, at, of: vec![(String::new(), 0); points.len()] }
}

/// A point's value on an axis, if it is a number.
fn number(point: &Point<'_>, axis: usize) -> Option<f64> {
    point.run.at[axis].1.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().ok()
}

/// Where each point stands across: its value, where a single axis has numbers; else its number.
fn across(simulated: &Simulated, points: &[Point<'_>]) -> (String, Vec<f64>) {
    let differing: Vec<usize> = (0..simulated.axes().len())
        .filter(|axis| points.iter().any(|point| point.run.at[*axis].1 != points[0].run.at[*axis].1))
        .collect();
    if let [axis] = differing[..]
        && let Some(values) = points.iter().map(|point| number(point, axis)).collect::<Option<Vec<f64>>>()
        && points.iter().all(|point| point.run.name == points[0].run.name)
    {
        return (simulated.axes()[axis].to_owned(), values);
    }
    let numbers = (1..=points.len()).map(|number| number as f64).collect();
    ("point, as numbered in the table".to_owned(), numbers)
}

fn chart(body: &mut String, simulated: &Simulated, points: &[Point<'_>]) {
    let Lines { axis, at, of } = lines_of(simulated, points);
    let count = of.iter().map(|(_, line)| line + 1).max().unwrap_or(1);
    let wait = |point: &Point<'_>, name: &str| {
        let queue = point.facts.queues.iter().find(|queue| queue.name == name)?;
        (queue.wait.count > 0).then_some(queue.wait.mean)
    };
    let mut lines: Vec<Line> = Vec::new();
    let names = queues(points);
    // A queue has all its lines or none: more than there are colours cannot be told apart.
    let shown = (COLOURS.len() / count).clamp(1, names.len().max(1));
    for (queue, name) in names.iter().take(shown).enumerate() {
        for line in 0..count {
            let own = || at.iter().zip(points).zip(&of).filter(|(_, (_, of))| *of == line);
            let mut drawn: Vec<(f64, f64)> =
                own().filter_map(|((at, point), _)| Some((*at, wait(point, name)?))).collect();
            drawn.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            let label = own().next().map(|(_, (label, _))| label.as_str()).unwrap_or_default();
            lines.push(Line {
                name: format!("{name}{label}"),
                colour: COLOURS[(queue * count + line) % COLOURS.len()],
                dashed: *name == points[0].facts.queues[0].name,
                points: drawn,
            });
        }
    }
    let left_out = match names.len() - shown.min(names.len()) {
        0 => String::new(),
        some => format!(" {some} queues more are in the table."),
    };
    section(
        body,
        "What the grid changes",
        &format!("Mean wait of jobs, from submission to the first task, by queue; dashed: all jobs.{left_out}"),
        &over("mean wait by point of the grid", (&escape(&axis), "mean wait (s)"), &lines),
    );
}

fn table(body: &mut String, simulated: &Simulated, points: &[Point<'_>]) {
    let several = points.iter().any(|point| point.run.name != points[0].run.name);
    let names = queues(points);
    body.push_str("<h2>Points</h2>\n");
    if !several {
        put(body, format_args!("<p class=\"note\">All under {}.</p>\n", escape(&points[0].run.name)));
    }
    body.push_str("<table class=\"narrow\"><tr><th rowspan=\"2\">point</th>");
    let axes = simulated.axes().into_iter().map(escape);
    let before = several.then(|| "file of queues".to_owned()).into_iter().chain(axes);
    before.for_each(|name| put(body, format_args!("<th rowspan=\"2\">{name}</th>")));
    for name in &names {
        put(body, format_args!("<th colspan=\"2\">{}</th>", escape(name)));
    }
    for name in ["ended / of", "not done", "memory used", "preempted", "Jain's index", "last end (h)"] {
        put(body, format_args!("<th rowspan=\"2\">{name}</th>"));
    }
    put(body, format_args!("</tr><tr>{}</tr>\n", "<th>wait (s)</th><th>runtime (s)</th>".repeat(names.len())));
    for (number, Point { run, facts }) in (1..).zip(points) {
        put(body, format_args!("<tr><td>{number}</td>"));
        let before = several.then_some(run.name.as_str()).into_iter();
        for value in before.chain(run.at.iter().map(|(_, value)| value.as_str())) {
            put(body, format_args!("<td>{}</td>", escape(value)));
        }
        for name in &names {
            match facts.queues.iter().find(|queue| queue.name == *name) {
                Some(queue) => {
                    let off = |index: usize| queue.give_or_take.map(|both| both[index]);
                    let (wait, runtime) = (about(queue.wait, off(0)), about(queue.runtime, off(1)));
                    put(body, format_args!("<td>{wait}</td><td>{runtime}</td>"));
                }
                None => body.push_str("<td></td><td></td>"),
            }
        }
        put(
            body,
            format_args!(
                "<td>{} / {}</td><td>{}</td><td>{:.1} %</td><td>{}</td><td>{:.3}</td><td>{:.2}</td></tr>\n",
                grouped(facts.ended as f64),
                grouped(facts.jobs as f64),
                facts.queues.first().map_or(0, |all| all.not_done),
                facts.memory * 100.0,
                grouped(facts.preempted),
                facts.jain,
                facts.makespan / 3600.0
            ),
        );
    }
    body.push_str(
        "</table>\n<p class=\"note\">Means; of several seeds over all of them, ± half of the 95 % confidence interval. Wait: from submission to \
         the first task. Jain's index is over the queues' slowdowns: 1 where all are slowed down alike. More of each point is in grid.csv.</p>\n",
    );
}
