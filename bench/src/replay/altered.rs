//! Recorded runs of the CapacityScheduler with steps left out, done twice or put elsewhere: nobody has recorded what Hadoop would do, but
//! the engine must do what the plain scheduler does.

use std::path::Path;

use evenweave::parts::capacity::{Plain, difference};
use serde_json::Value;

use super::input::Suite;
use super::on_engine::OnEngine;
use super::options::DriverChoice;
use crate::random::mix;

/// Families in which one thing hangs on another, and how often each scenario is altered: `wide` has ten.
const FAMILIES: [(&str, usize); 9] = [
    ("drf", 1),
    ("fair-leaf", 1),
    ("mixed", 1),
    ("move", 1),
    ("parallel", 1),
    ("preempt", 1),
    ("reload", 1),
    ("reserve", 1),
    ("wide", 20),
];

/// Numbers and nodes must be there once.
fn may_be_altered(step: &Value) -> bool {
    !matches!(step["op"].as_str(), Some("submit" | "node-add"))
}

/// Lots, the same each time.
struct Lots(u64);

impl Lots {
    fn below(&mut self, most: usize) -> usize {
        self.0 += 1;
        usize::try_from(mix(self.0) % most as u64).unwrap()
    }
}

fn altered(steps: &[Value], lots: &mut Lots) -> Vec<Value> {
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

#[test]
fn the_engine_does_with_altered_runs_what_the_plain_scheduler_does() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/capacity");
    // Another number alters them otherwise.
    let lot = std::env::var("EVENWEAVE_ALTERED").ok().and_then(|lot| lot.parse().ok()).unwrap_or(7_u64);
    let mut lots = Lots(lot << 32);
    let mut played = 0;
    for (family, times) in FAMILIES {
        let Suite::Capacity(scenarios) = Suite::read(&directory.join(format!("{family}.jsonl.gz"))).unwrap() else {
            panic!("{family} is of the CapacityScheduler");
        };
        for scenario in scenarios.iter().flat_map(|scenario| std::iter::repeat_n(scenario, times)) {
            let whole = scenario.whole();
            let steps = altered(whole["steps"].as_array().unwrap(), &mut lots);
            let mut plain = Plain::new(whole).unwrap();
            let mut engine = OnEngine::new(whole, DriverChoice::Stepped).unwrap();
            for (at, step) in steps.iter().enumerate() {
                let last = at + 1 == steps.len();
                let mut expected = plain.step(step);
                if last {
                    plain.show_end(&mut expected);
                }
                let shown = engine.step(step, last);
                let differs = difference(&expected, &shown);
                assert_eq!(differs, None, "{}, step {at} of the altered run: {step}", scenario.name);
            }
            played += 1;
        }
    }
    assert_eq!(played, 30 * (FAMILIES.len() - 1) + 10 * 20);
}
