//! A comparison as a table and as JSON.

use comfy_table::Table;
use evenweave_tools::numbers::{grouped, micros};
use serde_json::{Value, json};

use super::cells::Cell;
use super::machine::Build;
use super::summary::{CellSummary, Ratio, Side, Spread};

/// What the table's columns are.
pub(super) const NOTE: &str = "Medians of rounds (least to most). wall: allocations a second, ours over theirs, in W3 the times of an \
update; CPU: processor seconds of 1,000 allocations, theirs over ours. Both against the peer's fastest mode, marked *.";

/// What is wanted and what came of it: `25 yes`.
fn verdict(summary: &CellSummary, wanted: Option<f64>) -> String {
    let Some(wanted) = wanted else { return "–".to_owned() };
    let reached = match summary.reached(wanted) {
        Some(true) => " yes",
        Some(false) => " no",
        None => "",
    };
    format!("{}{reached}", grouped(wanted))
}

/// Of a ratio, with more digits where it is small.
fn times(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { grouped(value) }
}

fn spread(spread: Spread, rounds: usize, told: &dyn Fn(f64) -> String) -> String {
    if rounds < 2 {
        return told(spread.median);
    }
    format!("{} ({} to {})", told(spread.median), told(spread.min), told(spread.max))
}

/// Allocations a second, or an update's time.
pub(super) fn speed(cell: &Cell, side: &Side) -> String {
    let told = |value: f64| if cell.of_updates() { micros(value * 1e3) } else { format!("{}/s", grouped(value)) };
    spread(side.speed, side.rounds, &told)
}

/// Processor seconds of 1,000 allocations.
pub(super) fn cpu(cell: &Cell, side: &Side) -> String {
    if cell.of_updates() {
        return "–".to_owned();
    }
    spread(side.cpu_s_per_1000, side.rounds, &|value| format!("{value:.5}"))
}

pub(super) fn ratio(ratio: Option<Ratio>, rounds: usize) -> String {
    let Some(Ratio { of_medians, rounds: (least, most) }) = ratio else { return "–".to_owned() };
    spread(Spread { median: of_medians, min: least, max: most }, rounds, &times)
}

/// The header of the rows.
pub(super) const HEADER: [&str; 8] = ["cell", "who", "speed", "CPU s per 1,000", "wall ×", "CPU ×", "must", "aim"];

/// One row a mode, ours last with the ratios.
pub(super) fn rows(summary: &CellSummary) -> Vec<[String; 8]> {
    let cell = &summary.cell;
    let none = String::new;
    let mut rows: Vec<[String; 8]> = summary
        .theirs
        .iter()
        .enumerate()
        .map(|(index, side)| {
            let mark = if Some(index) == summary.fastest { " *" } else { "" };
            // A fill that was cut short had not the whole way to go.
            let cut = if side.full < 0.895 { format!(", {:.0} % full", side.full * 100.0) } else { String::new() };
            let who = format!("{} {}{mark}{cut}", cell.peer.name(), side.mode);
            [cell.name(), who, speed(cell, side), self::cpu(cell, side), none(), none(), none(), none()]
        })
        .collect();
    let (must, aim) = (cell.target.map(|target| target.must), cell.target.and_then(|target| target.aim));
    if let Some(ours) = &summary.ours {
        let rounds = ours.rounds;
        rows.push([
            cell.name(),
            format!("evenweave {}", ours.mode),
            speed(cell, ours),
            self::cpu(cell, ours),
            ratio(summary.wall, rounds),
            ratio(summary.cpu, rounds),
            verdict(summary, must),
            verdict(summary, aim),
        ]);
    }
    rows
}

/// For people.
pub(super) fn table(summaries: &[CellSummary]) -> Table {
    let mut table = evenweave_tools::report::table(&HEADER);
    for row in summaries.iter().flat_map(rows) {
        table.add_row(row);
    }
    table
}

/// For programs. `whole`: whether every run that was wanted is there.
pub(super) fn json(build: &Build, summaries: &[CellSummary], whole: bool) -> Value {
    let spread = |spread: Spread| json!({"median": spread.median, "min": spread.min, "max": spread.max});
    let ratio = |ratio: Option<Ratio>| {
        ratio.map(|ratio| json!({"of_medians": ratio.of_medians, "min": ratio.rounds.0, "max": ratio.rounds.1}))
    };
    let side = |cell: &Cell, side: &Side| {
        let speed = if cell.of_updates() { "update_ms" } else { "allocations_per_s" };
        json!({
            "mode": side.mode, speed: spread(side.speed), "rounds": side.rounds, "full": side.full, "peak_mib": side.peak_mib,
            "cpu_s_per_1000": (!cell.of_updates()).then(|| spread(side.cpu_s_per_1000)),
        })
    };
    let cell = |summary: &CellSummary| {
        let cell = &summary.cell;
        let target = cell.target;
        json!({
            "cell": cell.name(),
            "ours": summary.ours.as_ref().map(|ours| side(cell, ours)),
            "theirs": summary.theirs.iter().map(|theirs| side(cell, theirs)).collect::<Vec<_>>(),
            "fastest": summary.best().map(|best| best.mode.clone()),
            "wall_ratio": ratio(summary.wall),
            "cpu_ratio": ratio(summary.cpu),
            "must": target.map(|target| target.must),
            "must_reached": target.and_then(|target| summary.reached(target.must)),
            "aim": target.and_then(|target| target.aim),
            "aim_reached": target.and_then(|target| summary.reached(target.aim?)),
        })
    };
    json!({
        "commit": build.commit,
        "machine": build.machine,
        "complete": whole,
        "cells": summaries.iter().map(cell).collect::<Vec<_>>(),
    })
}
