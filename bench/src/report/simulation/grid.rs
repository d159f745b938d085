//! A grid of simulations: a table with a row a point, and a chart of waits by point.

use plotters::prelude::*;

use super::super::markup::{escape, put, section};
use super::super::plots::{COLOURS, Line, over};
use crate::numbers::grouped;
use crate::simulate::{PointFacts, RunResult, Simulated, about};

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

/// Where each point stands across: its value, where a single axis has numbers; else its number.
fn across(simulated: &Simulated, points: &[Point<'_>]) -> (String, Vec<f64>) {
    let differing: Vec<usize> = (0..simulated.axes().len())
        .filter(|axis| points.iter().any(|point| point.run.at[*axis].1 != points[0].run.at[*axis].1))
        .collect();
    let number = |point: &Point<'_>, axis: usize| {
        let text = &point.run.at[axis].1;
        text.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().ok()
    };
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
    let (axis, at) = across(simulated, points);
    let lines: Vec<Line> = queues(points)
        .into_iter()
        .zip(COLOURS)
        .map(|(name, colour): (&str, RGBColor)| {
            let wait = |point: &Point<'_>| {
                let queue = point.facts.queues.iter().find(|queue| queue.name == name)?;
                (queue.wait.count > 0).then_some(queue.wait.mean)
            };
            let mut line: Vec<(f64, f64)> =
                at.iter().zip(points).filter_map(|(at, point)| Some((*at, wait(point)?))).collect();
            line.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            Line { name: name.to_owned(), colour, dashed: name == points[0].facts.queues[0].name, points: line }
        })
        .collect();
    section(
        body,
        "What the grid changes",
        "Mean wait of jobs, from submission to the first task, by queue; dashed: all jobs.",
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
