//! A comparison as a page: plots, the table, and every run with its command.

use std::path::Path;

use evenweave_tools::Failure;
use evenweave_tools::report::{Bar, bars, document, escape};
use evenweave_tools::whole_files::write_whole;

use super::machine::Build;
use super::results::Run;
use super::summary::{CellSummary, Ratio};
use super::tables::{HEADER, NOTE, rows};

/// Colours of the plots: this side, the peers, processor time.
const OURS: usize = 0;
const THEIRS: usize = 1;
const CPU: usize = 2;

/// Writes the page, whole or not at all.
///
/// # Errors
/// What the file system says.
pub(super) fn write(path: &Path, build: &Build, summaries: &[CellSummary], runs: &[&Run]) -> Result<(), Failure> {
    let text = document("evenweave against its peers", &body(build, summaries, runs));
    write_whole(path, &text).map_err(|error| Failure::input(format!("--report {}: {error}", path.display())))
}

fn body(build: &Build, summaries: &[CellSummary], runs: &[&Run]) -> String {
    let dates: Vec<&str> = runs.iter().map(|run| &*run.date).collect();
    let (first, last) = (dates.iter().min().unwrap_or(&""), dates.iter().max().unwrap_or(&""));
    let loads = || runs.iter().flat_map(|run| run.load);
    let (quiet, busy) = (loads().fold(f64::INFINITY, f64::min), loads().fold(0.0, f64::max));
    let mut text = format!(
        "<h1>evenweave against its peers</h1>\n<p class=\"lead\">{}; load average {} to {busy:.1}; commit {}; {first} to {last}; {} runs.</p>\n",
        escape(&build.machine.told()),
        if quiet.is_finite() { format!("{quiet:.1}") } else { "unknown".to_owned() },
        escape(build.commit.as_deref().unwrap_or("unknown")),
        runs.len(),
    );
    let figure = |title: &str, plot: &str| format!("<h2>{title}</h2>\n<figure>{plot}</figure>\n");
    let (updates, churns): (Vec<&CellSummary>, Vec<&CellSummary>) =
        summaries.iter().partition(|summary| summary.cell.of_updates());
    if !churns.is_empty() {
        text += &figure(
            "Allocations per second",
            &bars("allocations per second, ours and theirs", "allocations/s (log)", &speeds(&churns)),
        );
    }
    if !updates.is_empty() {
        text += &figure(
            "Time of an update",
            &bars("milliseconds of an update, ours and theirs", "ms (log)", &speeds(&updates)),
        );
    }
    let ratios = ratios(summaries);
    if !ratios.is_empty() {
        text += &figure("How many times", &bars("ratios of wall and processor time", "times (log)", &ratios));
        text +=
            "<p class=\"note\">Lines across a bar: what must be reached (solid) and what is aimed at (dashed).</p>\n";
    }
    text += &figures(summaries);
    text += &every_run(runs);
    text
}

/// A bar for each mode of theirs, and ours.
fn speeds(summaries: &[&CellSummary]) -> Vec<Bar> {
    let of = |summary: &&CellSummary| {
        let name = summary.cell.name();
        let theirs = summary.theirs.iter().map(|side| (format!("{name} {}", side.mode), THEIRS, side.speed));
        let ours = summary.ours.iter().map(|side| (format!("{name} evenweave"), OURS, side.speed));
        let all: Vec<_> = theirs.chain(ours).collect();
        all.into_iter().map(|(name, colour, speed)| Bar {
            name,
            colour,
            value: speed.median,
            spread: (speed.min, speed.max),
            must: None,
            aim: None,
        })
    };
    summaries.iter().flat_map(of).collect()
}

fn ratios(summaries: &[CellSummary]) -> Vec<Bar> {
    let bar = |summary: &CellSummary, what: &str, colour, ratio: Ratio| Bar {
        name: format!("{} {what}", summary.cell.name()),
        colour,
        value: ratio.of_medians,
        spread: ratio.rounds,
        must: summary.cell.target.map(|target| target.must),
        aim: summary.cell.target.and_then(|target| target.aim),
    };
    let both = |summary: &CellSummary| {
        let wall = summary.wall.map(|ratio| bar(summary, "wall", OURS, ratio));
        let cpu = summary.cpu.map(|ratio| bar(summary, "CPU", CPU, ratio));
        wall.into_iter().chain(cpu)
    };
    summaries.iter().flat_map(both).collect()
}

fn row(tag: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
    format!("<tr>{cells}</tr>\n")
}

fn figures(summaries: &[CellSummary]) -> String {
    let body: String = summaries.iter().flat_map(rows).map(|cells| row("td", &cells)).collect();
    format!(
        "<h2>Figures</h2>\n<p class=\"note\">{NOTE}</p>\n<table>{}{body}</table>\n",
        row("th", &HEADER.map(str::to_owned))
    )
}

fn every_run(runs: &[&Run]) -> String {
    let header =
        ["cell", "round", "who", "result", "peak MiB", "load before, after", "date", "command"].map(str::to_owned);
    let line = |run: &&Run| {
        let load = format!("{:.1}, {:.1}", run.load[0], run.load[1]);
        let (round, peak) = (run.round.to_string(), run.peak_mib.to_string());
        row(
            "td",
            &[run.cell.clone(), round, run.who.clone(), run.told(), peak, load, run.date.clone(), run.command.clone()],
        )
    };
    format!("<h2>Every run</h2>\n<table>{}{}</table>\n", row("th", &header), runs.iter().map(line).collect::<String>())
}
