//! Medians, spreads, the fastest mode, ratios. Plain computing.

use super::cells::Cell;
use super::results::Run;

/// The median of rounds, and from where to where they lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    /// `None` of nothing.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let half = values.len() / 2;
        let median =
            if values.len().is_multiple_of(2) { f64::midpoint(values[half - 1], values[half]) } else { values[half] };
        Some(Spread { median, min, max })
    }
}

/// One side in one mode.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) mode: String,
    /// Allocations a second, or milliseconds of an update.
    pub(super) speed: Spread,
    pub(super) cpu_s_per_1000: Spread,
    pub(super) peak_mib: u64,
    pub(super) rounds: usize,
    /// The least part of the cluster that was in use at the end of a run.
    pub(super) full: f64,
    /// By round: speed and processor time.
    by_round: Vec<(u32, f64, f64)>,
}

impl Side {
    /// `None` where it has not run.
    fn of(cell: &Cell, mode: &str, runs: &[&Run]) -> Option<Side> {
        let speed = |run: &&Run| {
            let figures = run.figures();
            if cell.of_updates() { figures.update_ms } else { Some(figures.rate) }
        };
        let by_round: Vec<(u32, f64, f64)> =
            runs.iter().filter_map(|run| Some((run.round, speed(run)?, run.figures().cpu_s_per_1000))).collect();
        Some(Side {
            mode: mode.to_owned(),
            speed: Spread::of(by_round.iter().map(|round| round.1))?,
            cpu_s_per_1000: Spread::of(by_round.iter().map(|round| round.2))?,
            peak_mib: runs.iter().map(|run| run.peak_mib).max().unwrap_or(0),
            rounds: by_round.len(),
            full: runs.iter().map(|run| run.figures().full).fold(f64::INFINITY, f64::min),
            by_round,
        })
    }
}

/// How many times better this side is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    /// Of the medians.
    pub(super) of_medians: f64,
    /// Of single rounds, least and most.
    pub(super) rounds: (f64, f64),
}

impl Ratio {
    /// `pairs`: of a round, and last of the medians, each as (more is better for us) numerator and denominator. `None`
    /// where there is nothing to divide by.
    fn of(medians: (f64, f64), pairs: &[(f64, f64)]) -> Option<Ratio> {
        let divide = |(above, below): (f64, f64)| (above > 0.0 && below > 0.0).then(|| above / below);
        let of_medians = divide(medians)?;
        let rounds = Spread::of(pairs.iter().filter_map(|pair| divide(*pair)));
        Some(Ratio { of_medians, rounds: rounds.map_or((of_medians, of_medians), |spread| (spread.min, spread.max)) })
    }
}

/// A comparison as far as it has been made.
#[derive(Clone, Debug)]
pub(super) struct CellSummary {
    pub(super) cell: Cell,
    pub(super) ours: Option<Side>,
    pub(super) theirs: Vec<Side>,
    /// Which of theirs is the fastest.
    pub(super) fastest: Option<usize>,
    /// Allocations a second, ours over theirs; of updates their time over ours.
    pub(super) wall: Option<Ratio>,
    /// Processor time of 1,000 allocations, theirs over ours; none of updates.
    pub(super) cpu: Option<Ratio>,
}

impl CellSummary {
    /// `None` where nothing has run.
    pub(super) fn of(cell: &Cell, theirs: &[(&str, Vec<&Run>)], ours: &[&Run]) -> Option<CellSummary> {
        let mode = ours.first().map_or("", |run| run.who.split(' ').next_back().unwrap_or_default());
        let ours = Side::of(cell, mode, ours);
        let theirs: Vec<Side> = theirs.iter().filter_map(|(mode, runs)| Side::of(cell, mode, runs)).collect();
        if ours.is_none() && theirs.is_empty() {
            return None;
        }
        let fastest = fastest(cell, &theirs);
        let (mut wall, mut cpu) = (None, None);
        if let (Some(ours), Some(best)) = (&ours, fastest.map(|index| &theirs[index])) {
            let rounds: Vec<_> = ours
                .by_round
                .iter()
                .filter_map(|our| best.by_round.iter().find(|their| their.0 == our.0).map(|their| (our, their)))
                .collect();
            let order = |our: f64, their: f64| if cell.of_updates() { (their, our) } else { (our, their) };
            let pairs: Vec<_> = rounds.iter().map(|(our, their)| order(our.1, their.1)).collect();
            wall = Ratio::of(order(ours.speed.median, best.speed.median), &pairs);
            if !cell.of_updates() {
                let pairs: Vec<_> = rounds.iter().map(|(our, their)| (their.2, our.2)).collect();
                cpu = Ratio::of((best.cpu_s_per_1000.median, ours.cpu_s_per_1000.median), &pairs);
            }
        }
        Some(CellSummary { cell: cell.clone(), ours, theirs, fastest, wall, cpu })
    }

    pub(super) fn best(&self) -> Option<&Side> {
        self.fastest.map(|index| &self.theirs[index])
    }

    /// Whether all ratios there are come to so much; `None` while there are none.
    pub(super) fn reached(&self, wanted: f64) -> Option<bool> {
        let wall = self.wall?.of_medians >= wanted;
        Some(wall && self.cpu.is_none_or(|cpu| cpu.of_medians >= wanted))
    }
}

/// The one with the most allocations a second, or the shortest update. Both ratios are taken against it.
fn fastest(cell: &Cell, sides: &[Side]) -> Option<usize> {
    let by_speed = |a: &usize, b: &usize| sides[*a].speed.median.total_cmp(&sides[*b].speed.median);
    if cell.of_updates() { (0..sides.len()).min_by(by_speed) } else { (0..sides.len()).max_by(by_speed) }
}

#[cfg(test)]
mod tests {
    use super::super::cells::chosen;
    use super::*;
    use serde_json::json;

    fn run(who: &str, round: u32, records: &[(f64, f64)]) -> Run {
        let record = |(speed, cpu): &(f64, f64)| {
            let update = json!({"n": 30, "min": 0.0, "p50": speed, "max": 9e9});
            json!({"allocations_per_s": speed, "cpu_s_per_1000": cpu, "full": 1.0, "update_ms": who.contains("update").then_some(update)})
        };
        let records: Vec<_> = records.iter().map(record).collect();
        serde_json::from_value(json!({
            "cell": "W2:S:fair", "who": who, "round": round, "arguments": "", "fingerprint": "", "commit": null, "date": "",
            "machine": {"cpu": null, "cores": 2}, "load": [0.0, 0.0], "peak_mib": 7, "command": "", "records": records,
        }))
        .unwrap()
    }

    fn cell(name: &str) -> Cell {
        chosen(&[name.to_owned()], &[1]).unwrap().remove(0)
    }

    #[test]
    fn a_spread_has_the_middle_and_the_ends() {
        let spread = |values: &[f64]| Spread::of(values.iter().copied());
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[3.0, 1.0, 2.0]), Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(spread(&[4.0, 1.0]), Some(Spread { median: 2.5, min: 1.0, max: 4.0 }));
    }

    /// A run counts with its median repeat, whatever order they are in, and with that one's processor time.
    #[test]
    fn a_run_counts_with_its_median_repeat() {
        let figures = run("theirs dyn", 1, &[(300.0, 3.0), (100.0, 1.0), (200.0, 9.0)]).figures();
        assert_eq!((figures.rate, figures.cpu_s_per_1000), (200.0, 9.0));
    }

    #[test]
    fn ratios_are_against_the_fastest_mode_and_spread_by_round() {
        let slow = [run("theirs one", 1, &[(90.0, 0.1)]), run("theirs one", 2, &[(80.0, 0.1)])];
        let fast = [run("theirs dyn", 1, &[(100.0, 10.0)]), run("theirs dyn", 2, &[(200.0, 5.0)])];
        let ours = [run("ours dyn", 1, &[(3_000.0, 0.2)]), run("ours dyn", 2, &[(5_000.0, 0.05)])];
        let theirs = [("one", slow.iter().collect()), ("dyn", fast.iter().collect())];
        let summary = CellSummary::of(&cell("W2:S:fair"), &theirs, &ours.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(summary.best().unwrap().mode, "dyn");
        // 4000 over 150; 30 and 25 by round.
        assert_eq!(summary.wall, Some(Ratio { of_medians: 4_000.0 / 150.0, rounds: (25.0, 30.0) }));
        assert_eq!(summary.cpu, Some(Ratio { of_medians: 7.5 / 0.125, rounds: (50.0, 100.0) }));
        assert_eq!((summary.reached(26.0), summary.reached(27.0)), (Some(true), Some(false)));
        assert_eq!(summary.ours.unwrap().mode, "dyn");
    }

    /// Of updates the shortest is the fastest, and there is no ratio of processor time.
    #[test]
    fn updates_are_compared_by_their_time() {
        let theirs = [run("theirs update()", 1, &[(40.0, 0.0)])];
        let ours = [run("ours update", 1, &[(0.5, 0.0)])];
        let summary =
            CellSummary::of(&cell("W3:L:fair"), &[("update()", theirs.iter().collect())], &[&ours[0]]).unwrap();
        assert_eq!((summary.wall.unwrap().of_medians, summary.cpu), (80.0, None));
        assert_eq!(summary.reached(80.0), Some(true));
    }

    #[test]
    fn one_side_alone_has_no_ratio() {
        let ours = [run("ours dyn", 1, &[(5.0, 1.0)])];
        let summary = CellSummary::of(&cell("W2:S:fair"), &[("dyn", Vec::new())], &[&ours[0]]).unwrap();
        assert_eq!((summary.wall, summary.fastest, summary.reached(1.0)), (None, None, None));
        assert!(CellSummary::of(&cell("W2:S:fair"), &[("dyn", Vec::new())], &[]).is_none());
    }
}
