//! Recorded runs of the CapacityScheduler as they are, and with steps left out, done twice or put elsewhere: nobody has
//! recorded what Hadoop would do with those, but the engine must do what it does when every pass goes the whole way.

use std::path::Path;

use serde_json::Value;

use super::capacity_compare::difference;
use super::input::Suite;
use super::on_engine::OnEngine;
use super::options::DriverChoice;
use crate::random::mix;

/// By folder: of each family so many runs are altered at least, of those with fewer recordings each one several times;
/// and how many families there are at least.
const FAMILIES: [(&str, usize, usize); 4] =
    [("capacity", 60, 37), ("capacity-labels", 4, 20), ("capacity-labelled", 4, 32), ("capacity-multinode", 4, 8)];

/// Numbers and nodes must be there once.
fn may_be_altered(step: &Value) -> bool {
    !matches!(step["op"].as_str(), Some("submit" | "node-add"))
}

/// Draws, the same each time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: usize) -> usize {
        self.0 += 1;
        usize::try_from(mix(self.0) % most as u64).unwrap()
    }
}

fn altered(steps: &[Value], lots: &mut Draws) -> Vec<Value> {
    let mut out = Vec::with_capacity(steps.len());
    for step in steps {
        let lot = lots.below(100);
        if lot < 6 && may_be_altered(step) {
            continue;
        }
        out.push(step.clone());
        if lot > 95 && may_be_altered(step) {
            out.push(step.clone());
        }
        let other = &steps[lots.below(steps.len())];
        if (90..94).contains(&lot) && may_be_altered(other) {
            out.push(other.clone());
        }
    }
    out
}

/// Plays steps both ways.
fn compare(name: &str, whole: &Value, steps: &[Value]) {
    let mut engine = OnEngine::new(whole, DriverChoice::Stepped).unwrap();
    let mut resorted = OnEngine::resorted(whole).unwrap();
    for (at, step) in steps.iter().enumerate() {
        let last = at + 1 == steps.len();
        let [kept, sorted] = [&mut engine, &mut resorted].map(|engine| engine.step(step, last));
        assert_eq!(difference(&sorted, &kept), None, "{name}, step {at}: {step}");
    }
}

#[test]
fn kept_order_decides_as_sorting_anew_in_recorded_and_in_altered_runs() {
    // Another number alters them otherwise.
    let lot = std::env::var("EVENWEAVE_ALTERED").ok().and_then(|lot| lot.parse().ok()).unwrap_or(7_u64);
    let mut lots = Draws(lot << 32);
    for (directory, runs, least) in FAMILIES {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(directory);
        let mut families: Vec<_> = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
        families.sort();
        let mut played = 0;
        for family in &families {
            let Suite::Capacity(scenarios) = Suite::read(family).unwrap() else {
                panic!("{family:?} is of the CapacityScheduler");
            };
            let times = runs.div_ceil(scenarios.len());
            for scenario in &scenarios {
                let (whole, steps) = (scenario.whole(), scenario.steps());
                compare(&scenario.name, whole, steps);
                for _ in 0..times {
                    compare(&format!("{}, altered", scenario.name), whole, &altered(steps, &mut lots));
                    played += 1;
                }
            }
        }
        assert!(played >= families.len() * runs && families.len() >= least, "{played} of {} families", families.len());
    }
}
