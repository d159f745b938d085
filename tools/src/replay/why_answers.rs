//! Recorded runs of the CapacityScheduler in which it is asked all the time why applications wait: the answers must fit
//! what follows, and the runs must be the recorded ones all the same.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::capacity_compare::difference;
use super::input::Suite;
use super::on_engine::OnEngine;
use super::options::DriverChoice;
use crate::api::{AppEnd, AppTried, CapacityPass, CapacityReason, CapacityWait, KeyEnd, PassCourse, QueueTried};

fn number(of: &Value, field: &str) -> u64 {
    of[field].as_u64().unwrap()
}

/// Containers or reservations of a step, as application, priority and node.
fn handed(shown: &Value, field: &str) -> Vec<(u64, i64, String)> {
    let all = shown[field].as_array().into_iter().flatten();
    all.map(|one| (number(one, "app"), one["priority"].as_i64().unwrap(), one["node"].as_str().unwrap().to_owned()))
        .collect()
}

fn is(reasons: &[CapacityReason], priority: i64, wanted: fn(&CapacityWait) -> bool) -> bool {
    reasons
        .iter()
        .any(|reason| reason.key.is_some_and(|(of_key, _)| i64::from(of_key) == priority) && wanted(&reason.wait))
}

/// What came of all answers.
#[derive(Debug, Default)]
struct Answers {
    offers: usize,
    /// First containers and reservations of a heartbeat that were foretold, and that were not.
    foretold: usize,
    surprises: Vec<String>,
    /// Heartbeats that came to nothing although something was foretold: siblings held it back
    /// (rules/capacity.md 12.1.5).
    held_back: Vec<String>,
    idle: usize,
    kinds: BTreeSet<String>,
    /// Passes that were told, that served whom they said, and those that did not.
    passes: usize,
    kept: usize,
    broken: Vec<String>,
    ends: BTreeSet<String>,
}

/// Whom a pass serves, and whether with a container or a reservation: application, priority, is a container.
fn served(pass: &CapacityPass) -> Option<(u64, i64, bool)> {
    fn of_app(app: &AppTried) -> Option<(u64, i64, bool)> {
        let is_container = match app.end {
            AppEnd::Allocates => true,
            AppEnd::Reserves => false,
            AppEnd::QueueAtMaximum | AppEnd::UserAtLimit | AppEnd::NothingWanted | AppEnd::Nothing => return None,
        };
        app.keys.last().map(|key| (u64::from(app.app), i64::from(key.priority), is_container))
    }
    fn of_queue(queue: &QueueTried) -> Option<(u64, i64, bool)> {
        queue.apps.iter().find_map(of_app).or_else(|| queue.queues.iter().find_map(of_queue))
    }
    match &pass.course {
        PassCourse::NodeFull | PassCourse::MostContainers { .. } => None,
        PassCourse::Reserved { app, .. } => of_app(app),
        PassCourse::Offered(root) => of_queue(root),
    }
}

fn all_ends(queue: &QueueTried, ends: &mut BTreeSet<String>) {
    let word = |of: &dyn std::fmt::Debug| format!("{of:?}").split([' ', '{']).next().unwrap().to_owned();
    ends.insert(format!("queue {}", word(&queue.end)));
    for app in &queue.apps {
        ends.insert(format!("app {}", word(&app.end)));
        ends.extend(app.keys.iter().flat_map(|key| &key.ends).map(|end: &KeyEnd| format!("key {}", word(end))));
    }
    queue.queues.iter().for_each(|below| all_ends(below, ends));
}

fn play(family: &str, driver: DriverChoice, answers: &mut Answers) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/capacity");
    let Suite::Capacity(scenarios) = Suite::read(&directory.join(format!("{family}.jsonl.gz"))).unwrap() else {
        panic!("{family} is of the CapacityScheduler");
    };
    for scenario in &scenarios {
        let whole = scenario.whole();
        let mut engine = OnEngine::new(whole, driver).unwrap();
        let (steps, expected) = (scenario.steps(), whole["expect"].as_array().unwrap());
        let mut reserved: Vec<(u64, i64, String)> = Vec::new();
        let is_asynchronous = whole["capacity"]["yarn.scheduler.capacity.schedule-asynchronously.enable"] == "true";
        for (at, (step, expected)) in steps.iter().zip(expected).enumerate() {
            let place = format!("{}, step {at}", scenario.name);
            // With asynchronous scheduling a heartbeat offers nothing, and after a restart some nodes are not there
            // yet.
            let offers = step["op"] == "heartbeat" && !is_asynchronous && expected.get("error").is_none();
            let node = step["node"].as_str().filter(|_| offers);
            let apps = engine.apps();
            let asked: Vec<(u64, Vec<CapacityReason>)> = match node {
                Some(node) => {
                    apps.iter().map(|app| (u64::from(app.number), engine.why(app.number, Some(node)))).collect()
                }
                None => apps.iter().map(|app| (u64::from(app.number), engine.why(app.number, None))).collect(),
            };
            for (_, reasons) in &asked {
                answers.kinds.extend(reasons.iter().map(|reason| {
                    let shown = format!("{:?}", reason.wait);
                    shown.split([' ', '{']).next().unwrap().to_owned()
                }));
                assert!(!reasons.is_empty(), "{place}: no answer");
            }
            if let Some(node) = node {
                engine.watch(node);
            }
            let shown = engine.step(step, at + 1 == steps.len());
            let passes = engine.watched();
            assert_eq!(difference(expected, &shown), None, "{place}: a question has changed something");
            let now = handed(&shown, "reserved");
            let Some(node) = node.filter(|_| shown.get("error").is_none()) else {
                reserved = now;
                continue;
            };
            answers.offers += 1;
            // A node that is being emptied is offered to nobody.
            if let [pass] = &passes[..] {
                if let PassCourse::Offered(root) = &pass.course {
                    all_ends(root, &mut answers.ends);
                }
                answers.passes += 1;
                let made = handed(&shown, "allocated").first().map(|(app, priority, _)| (*app, *priority, true));
                let stands = |app, priority| now.contains(&(app, priority, node.to_owned()));
                let is_kept = match served(pass) {
                    Some((app, priority, false)) => made.is_none() && stands(app, priority),
                    told => told == made,
                };
                // A pass tells what it chooses. What the commit refuses, as on a node that is being emptied, `why` has
                // not promised.
                let promised = |(app, priority, _): (u64, i64, bool)| {
                    let all = asked.iter().find(|(other, _)| *other == app).map_or(&[][..], |(_, reasons)| reasons);
                    is(all, priority, |wait| matches!(wait, CapacityWait::Offer | CapacityWait::WillReserve { .. }))
                };
                let is_refused = made.is_none() && !served(pass).is_some_and(promised);
                if is_kept || is_refused {
                    answers.kept += usize::from(is_kept);
                } else {
                    answers.broken.push(format!("{place}: {made:?}, {pass:?}"));
                }
            }
            let of = |app: u64| asked.iter().find(|(other, _)| *other == app).map_or(&[][..], |(_, reasons)| reasons);
            let made = handed(&shown, "allocated");
            let new: Vec<_> = now.iter().filter(|one| one.2 == node && !reserved.contains(one)).collect();
            if let Some((app, priority, _)) = made.first() {
                let told = is(of(*app), *priority, |wait| *wait == CapacityWait::Offer);
                if told {
                    answers.foretold += 1
                } else {
                    answers.surprises.push(format!("{place}: {app}: {:?}", of(*app)))
                }
            } else if let [(app, priority, _)] = new[..] {
                let told = is(of(*app), *priority, |wait| matches!(wait, CapacityWait::WillReserve { .. }));
                if told {
                    answers.foretold += 1
                } else {
                    answers.surprises.push(format!("{place}: {app}: {:?}", of(*app)))
                }
            } else if made.is_empty() {
                answers.idle += 1;
                let promised =
                    |wait: &CapacityWait| matches!(wait, CapacityWait::Offer | CapacityWait::WillReserve { .. });
                if let Some((app, reasons)) =
                    asked.iter().find(|(_, reasons)| reasons.iter().any(|one| promised(&one.wait)))
                {
                    answers.held_back.push(format!("{place}: {app}: {reasons:?}"));
                }
            }
            reserved = now;
        }
    }
}

#[test]
fn answers_fit_what_follows_and_change_nothing() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/capacity");
    let mut answers = Answers::default();
    for file in std::fs::read_dir(directory).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        play(name.trim_end_matches(".jsonl.gz"), DriverChoice::Stepped, &mut answers);
    }
    let Answers { offers, foretold, surprises, held_back, idle, kinds, passes, kept, broken, ends } = &answers;
    let enough = *offers > 19_000 && *foretold > 8_500 && *idle > 10_000;
    assert!(enough, "{offers} offers, {foretold} foretold, {idle} idle");
    assert!(kinds.len() > 15, "{kinds:?}");
    assert!(surprises.is_empty(), "{} differ: {surprises:#?}", surprises.len());
    assert!(held_back.is_empty(), "{} differ: {held_back:#?}", held_back.len());
    assert!(broken.is_empty(), "{} passes did not what they said: {broken:#?}", broken.len());
    assert!(*kept > 20_000, "{kept} of {passes} passes did what they said");
    assert!(ends.len() > 20, "{ends:?}");
}
