//! Recorded runs of the FairScheduler in which it is asked all the time why applications wait: the answers must fit
//! what follows, and the runs must be the recorded ones all the same.

use std::collections::BTreeSet;
use std::path::Path;

use super::compare;
use super::drive::Player;
use super::input::Suite;
use super::options::PlayOptions;
use super::scenario::Step;
use crate::api::{FairReason, FairWait};

/// What came of all answers.
#[derive(Debug, Default)]
struct Answers {
    offers: usize,
    /// First containers and reservations of a heartbeat that were foretold, and that were not.
    foretold: usize,
    surprises: Vec<String>,
    idle: usize,
    /// Heartbeats that came to nothing although something was foretold.
    held_back: Vec<String>,
    kinds: BTreeSet<String>,
}

fn told(reasons: &[FairReason], priority: i32, wanted: fn(&FairWait) -> bool) -> bool {
    reasons.iter().any(|reason| reason.key.is_some_and(|(of_key, _)| of_key == priority) && wanted(&reason.wait))
}

fn is_offer(wait: &FairWait) -> bool {
    *wait == FairWait::Offer
}

fn is_reserving(wait: &FairWait) -> bool {
    matches!(wait, FairWait::WillReserve { .. })
}

fn kind(wait: &FairWait) -> String {
    let name = |shown: String| shown.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
    if let FairWait::Obstacle { obstacle, .. } = wait {
        name(format!("{obstacle:?}"))
    } else if let FairWait::NotOffered(why) = wait {
        name(format!("{why:?}"))
    } else {
        name(format!("{wait:?}"))
    }
}

fn play(family: &Path, answers: &mut Answers) {
    let Suite::Scenarios(scenarios) = Suite::read(family).unwrap() else { return };
    for scenario in &scenarios {
        let mut player = Player::new(scenario, PlayOptions::EXACT, false).unwrap();
        let types = player.types().clone();
        let continuous = scenario.steps.iter().any(|step| matches!(step, Step::Continuous));
        let mut reserved = Vec::new();
        for (at, (step, expected)) in scenario.steps.iter().zip(&scenario.expect).enumerate() {
            let place = format!("{}, step {at}", scenario.name);
            let last = at + 1 == scenario.steps.len();
            // With continuous scheduling a heartbeat offers nothing, or not always.
            let node = if let Step::Heartbeat { node, .. } = step { Some(node).filter(|_| !continuous) } else { None };
            let mut asked: Vec<(u32, Vec<FairReason>)> = Vec::new();
            if let Some(node) = node {
                for app in player.driver().apps() {
                    let number = app.id.number;
                    asked.push((number, player.driver().why_waiting_on(number, node)));
                }
            }
            answers.kinds.extend(asked.iter().flat_map(|(_, reasons)| reasons).map(|reason| kind(&reason.wait)));
            let all = last || expected.queues.is_some() || expected.apps.is_some();
            let seen = player.step(step, all);
            let difference = compare::difference(&types, expected, &seen, last);
            assert!(difference.is_none(), "{place}: a question has changed something");
            let now = seen.reserved;
            let Some(node) = node.filter(|_| seen.error.is_none()) else {
                reserved = now;
                continue;
            };
            answers.offers += 1;
            let of = |app: u32| asked.iter().find(|(other, _)| *other == app).map_or(&[][..], |(_, reasons)| reasons);
            let new = now.iter().find(|one| one.node == *node && !reserved.contains(*one));
            let first = seen.allocated.first().map(|made| (made, is_offer as fn(&FairWait) -> bool));
            if let Some((made, wanted)) = first.or(new.map(|new| (new, is_reserving as fn(&FairWait) -> bool))) {
                if told(of(made.app), made.priority, wanted) {
                    answers.foretold += 1;
                } else {
                    answers.surprises.push(format!("{place}: {}: {:?}", made.app, of(made.app)));
                }
            } else {
                answers.idle += 1;
                let promised = |reason: &FairReason| is_offer(&reason.wait) || is_reserving(&reason.wait);
                if let Some((app, reasons)) = asked.iter().find(|(_, reasons)| reasons.iter().any(promised)) {
                    answers.held_back.push(format!("{place}: {app}: {reasons:?}"));
                }
            }
            reserved = now;
        }
    }
}

#[test]
fn answers_fit_what_follows_and_change_nothing() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scenarios");
    let mut answers = Answers::default();
    for directory in [scenarios.clone(), scenarios.join("more"), scenarios.join("preemption")] {
        for file in std::fs::read_dir(directory).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "gz") {
                play(&path, &mut answers);
            }
        }
    }
    let Answers { offers, foretold, surprises, held_back, idle, kinds } = &answers;
    let enough = *offers > 11_000 && *foretold > 6_000 && *idle > 5_500;
    assert!(enough, "{offers} offers, {foretold} foretold, {idle} idle");
    assert!(kinds.len() > 17, "{kinds:?}");
    assert!(surprises.is_empty(), "{} differ: {surprises:#?}", surprises.len());
    assert!(held_back.is_empty(), "{} differ: {held_back:#?}", held_back.len());
}
