//! Bookings, a line each: no definition makes a plan panic or compute for long, a refused one leaves no trace, and
//! nothing beyond the plan is promised. The first line has the names of an agent and of a policy.

#![no_main]

use evenweave::config::AllocationFile;
use evenweave::reservation::{
    Caller, Interpreter, PlanBooks, PlanChild, PlanQueue, PlanQueues, ReservationDefinition, ReservationId,
    ReservationOptions, ReservationQuery, ReservationRequests, ReservationSubmission, ReservationSystem, Stage,
};
use evenweave::resource::ResourceTypes;
use evenweave::{ApplicationId, Resource, Settings};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use std::str::SplitWhitespace;

const PLAN: &str = "root.p";

/// One plan, with what it has, and the leaves in it with their weights.
struct Queues {
    share: Resource,
    leaves: BTreeMap<String, f32>,
}

impl PlanQueues for Queues {
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue> {
        (queue == PLAN).then_some(PlanQueue { identity: 1, parent: true, share: self.share })
    }

    fn largest_container(&self) -> Resource {
        Resource::new(8192, 8)
    }

    fn children(&self, _: &str) -> Vec<PlanChild> {
        self.leaves.keys().map(|name| PlanChild { name: name[PLAN.len() + 1..].to_owned(), leaf: true }).collect()
    }

    fn share(&self, queue: &str) -> Option<Resource> {
        self.leaves.contains_key(queue).then_some(Resource::ZERO)
    }

    fn part(&self, queue: &str) -> Option<f32> {
        self.leaves.get(queue).copied()
    }

    fn make_leaf(&mut self, _: &str, queue: &str) {
        self.leaves.entry(queue.to_owned()).or_insert(1.0);
    }

    fn entitle(&mut self, queue: &str, part: f32, _: f32) -> bool {
        assert!(part >= 0.0 || queue.ends_with("-default"), "{queue} has {part}");
        self.leaves.insert(queue.to_owned(), part);
        true
    }

    fn apps(&self, _: &str) -> Vec<ApplicationId> {
        Vec::new()
    }

    fn move_app(&mut self, _: ApplicationId, _: &str) -> bool {
        true
    }

    fn kill_apps(&mut self, _: &str) {}

    fn remove(&mut self, queue: &str) {
        self.leaves.remove(queue);
    }
}

fn number<T: std::str::FromStr + Default>(words: &mut SplitWhitespace<'_>) -> T {
    words.next().and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// `MEMORY:VCORES:CONTAINERS:CONCURRENCY:DURATION`
fn stage(text: &str) -> Option<Stage> {
    let mut parts = text.split(':');
    let mut amount = || parts.next()?.parse::<i64>().ok();
    let capability = Resource::new(amount()?, amount()?);
    let (containers, concurrency) = (i32::try_from(amount()?).ok()?, i32::try_from(amount()?).ok()?);
    Some(Stage::new(capability, containers, amount()?).in_gangs_of(concurrency))
}

/// `ARRIVAL DEADLINE INTERPRETER RECURRENCE STAGE…`
fn definition(words: &mut SplitWhitespace<'_>) -> ReservationDefinition {
    let (arrival, deadline) = (number(words), number(words));
    let interpreter = match words.next() {
        Some("any") => Some(Interpreter::Any),
        Some("all") => Some(Interpreter::All),
        Some("order") => Some(Interpreter::Order),
        Some("no-gap") => Some(Interpreter::OrderNoGap),
        _ => None,
    };
    let recurrence = words.next().filter(|word| *word != "-").map(str::to_owned);
    let stages = words.filter_map(stage).collect();
    let requests = Some(ReservationRequests { interpreter, stages });
    ReservationDefinition { arrival, deadline, requests, name: None, recurrence }
}

/// All that a plan shows of itself.
fn shown(system: &mut ReservationSystem, queues: &Queues) -> String {
    let books = books(system, queues);
    let all: Vec<_> = books.reservations().map(|one| (one.id(), one.user(), one.pieces())).collect();
    format!("{all:?}")
}

fn books(system: &mut ReservationSystem, queues: &Queues) -> PlanBooks {
    let mut plans = system.plans(queues);
    plans.next().expect("there is a plan").1.clone()
}

/// Nothing beyond the plan is promised where it has never had less, and nothing recurs: see the property tests.
fn check_promises(books: &PlanBooks) {
    if books.reservations().any(|one| one.period() > 0) {
        return;
    }
    let starts = books.reservations().flat_map(|one| one.pieces().iter().map(|piece| piece.from));
    for at in starts {
        let promised = books.committed().value_at(at);
        assert!(promised.memory_mb() <= books.capacity().memory_mb(), "{promised} at {at} of {}", books.capacity());
    }
}

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let mut classes = lines.next().unwrap_or_default().split_whitespace();
    let class = |package: &str, name: &str| {
        format!("org.apache.hadoop.yarn.server.resourcemanager.reservation.{package}{name}")
    };
    let agent = match classes.next() {
        Some("greedy") => class("planning.", "GreedyReservationAgent"),
        _ => class("planning.", "AlignedPlannerWithGreedy"),
    };
    let policy = class("", if classes.next() == Some("none") { "NoOverCommitPolicy" } else { "CapacityOverTimePolicy" });
    let file = format!(
        "<allocations><queue name=\"p\"><reservation/></queue><reservation-agent>{agent}</reservation-agent>\
         <reservation-policy>{policy}</reservation-policy></allocations>"
    );
    let file = AllocationFile::parse(&file, "f.xml", &ResourceTypes::standard(), &[]).expect("a file").file;
    let mut queues = Queues { share: Resource::new(16_384, 16), leaves: BTreeMap::new() };
    let Ok(mut system) =
        ReservationSystem::new(&Settings::default(), ReservationOptions::default(), &file, &queues, 0)
    else {
        return;
    };
    let (mut now, mut shrank) = (0_i64, false);
    for line in lines.take(16) {
        let mut words = line.split_whitespace();
        let verb = words.next();
        if matches!(verb, Some("book" | "change" | "drop")) {
            let id = Some(ReservationId { cluster_timestamp: 0, number: number(&mut words) });
            let caller = Caller { user: words.next().unwrap_or("u"), groups: &[] };
            let before = shown(&mut system, &queues);
            let (refused, definition) = match verb {
                Some("drop") => (system.delete(&queues, &caller, id).is_err(), None),
                verb => {
                    let definition = definition(&mut words);
                    let outcome = if verb == Some("book") {
                        let request =
                            ReservationSubmission { id, queue: Some(PLAN), definition: Some(&definition) };
                        system.submit(&mut queues, now, &caller, &request).err()
                    } else {
                        system.update(&mut queues, now, &caller, id, Some(&definition)).err()
                    };
                    (outcome.is_some(), Some(definition))
                }
            };
            let after = shown(&mut system, &queues);
            // A change that is refused may lose the old version, as in Hadoop.
            assert!(!refused || before == after || verb == Some("change"), "{definition:?}: {before} and then {after}");
        } else if verb == Some("follow") {
            now = now.saturating_add(number::<i64>(&mut words).clamp(0, 1 << 40));
            system.follow(&mut queues, now);
        } else if verb == Some("share") {
            let share = Resource::new(number::<i64>(&mut words).clamp(0, 1 << 30), number::<i64>(&mut words).clamp(0, 1 << 20));
            shrank |= !queues.share.fits_in(&share);
            queues.share = share;
        } else if verb == Some("list") {
            let query = ReservationQuery { queue: Some(PLAN), id: words.next().unwrap_or_default(), from: number(&mut words), to: number(&mut words) };
            let _ = system.list(&queues, &Caller { user: "u", groups: &[] }, &query);
        }
        if !shrank {
            check_promises(&books(&mut system, &queues));
        }
    }
});
