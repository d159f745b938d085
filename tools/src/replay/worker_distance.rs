//! How far several workers get from a recording, and whether their books balance.
//!
//! Inputs are those of the recording. A step that names a container means the one that was its application's first,
//! second … there: numbers are given out in blocks, so those of several workers are others. Where the application has
//! not had as many, the step has no counterpart and is left out.
//!
//! The distance of a step is the largest difference in living containers, of an application and of a queue.

use std::collections::BTreeMap;

use super::deviation::{Deviation, Mismatch, Place};
use super::drive::Player;
use super::options::PlayOptions;
use super::scenario::{Expected, Scenario, Step};
use crate::api::{AllocatedView, Journal, QueueView, Resource, ResourceTypes};

/// How far one run, or the furthest of several, got from its recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Apart {
    /// The most containers that an application had more, or less, after some step.
    pub(crate) app: u64,
    /// The same of a queue.
    pub(crate) queue: u64,
    /// Steps that were refused here and not there, or for another reason, or the other way round; or had no
    /// counterpart.
    pub(crate) other_answers: u32,
    /// The most containers that came of one step.
    pub(crate) largest_step: u64,
}

impl Apart {
    pub(crate) fn most(self, other: Apart) -> Apart {
        Apart {
            app: self.app.max(other.app),
            queue: self.queue.max(other.queue),
            other_answers: self.other_answers + other.other_answers,
            largest_step: self.largest_step.max(other.largest_step),
        }
    }
}

/// What an application has had, in order, and what of it lives.
#[derive(Debug)]
struct AppHistory<T> {
    numbers: Vec<u32>,
    live: BTreeMap<u32, T>,
}

type Apps<T> = BTreeMap<u32, AppHistory<T>>;

fn live<T>(apps: &Apps<T>, app: u32) -> i64 {
    apps.get(&app).map_or(0, |had| i64::try_from(had.live.len()).expect("few containers"))
}

fn begin<T>(apps: &mut Apps<T>, app: u32, container: u32, what: T) {
    let had = apps.entry(app).or_insert_with(|| AppHistory { numbers: Vec::new(), live: BTreeMap::new() });
    had.numbers.push(container);
    had.live.insert(container, what);
}

fn end<T>(apps: &mut Apps<T>, app: u32, container: u32) {
    if let Some(had) = apps.get_mut(&app) {
        had.live.remove(&container);
    }
}

/// The number here of the container that the recording calls by that number; `None`: there is none yet.
fn counterpart(there: &Apps<()>, here: &Apps<Resource>, app: u32, container: u32) -> Option<u32> {
    let at = there.get(&app).and_then(|had| had.numbers.iter().position(|number| *number == container));
    match at {
        Some(at) => here.get(&app).and_then(|had| had.numbers.get(at)).copied(),
        // Never there, and so not here.
        None => Some(u32::MAX),
    }
}

/// Plays a scenario to its end on several workers.
///
/// # Errors
/// Where the books do not balance or a limit is broken.
pub(super) fn measure(scenario: &Scenario, how: PlayOptions) -> Result<Apart, Box<Deviation>> {
    let deviation = |place, mismatch| Box::new(Deviation { name: scenario.name.clone(), place, mismatch });
    let mut player = Player::new(scenario, how, false)
        .map_err(|message| deviation(Place::BeforeTheFirstStep, Mismatch::new("configuration", "taken", message)))?;
    let (mut there, mut here) = (Apps::<()>::new(), Apps::<Resource>::new());
    let mut free = Free::new();
    let mut apart = Apart::default();
    for (index, (step, expected)) in scenario.steps.iter().zip(&scenario.expect).enumerate() {
        let mut mine = step.clone();
        let mut has_counterpart = true;
        if let Step::Release { app, container, .. }
        | Step::Launch { app, container, .. }
        | Step::Complete { app, container, .. } = &mut mine
        {
            match counterpart(&there, &here, *app, *container) {
                Some(number) => *container = number,
                None => has_counterpart = false,
            }
        }
        if !has_counterpart {
            apart.other_answers += 1;
        } else {
            let (answer, outcome) = player.play(&mine);
            let refused = expected.error.as_ref().map(|error| &error.kind);
            apart.other_answers += u32::from(answer.as_ref().err().map(|refusal| &refusal.kind) != refused);
            apart.largest_step = apart.largest_step.max(outcome.allocated.len() as u64);
            for AllocatedView { app, container, resource, .. } in &outcome.allocated {
                begin(&mut here, *app, *container, *resource);
            }
            for (app, container, _) in &outcome.completed {
                end(&mut here, *app, *container);
            }
            balanced(&mut player, &here, &mut free, &outcome)
                .map_err(|mismatch| deviation(Place::Step(index, step.op()), mismatch))?;
        }
        record(&mut there, expected);
        distance(&mut player, &there, &here, &mut apart);
    }
    Ok(apart)
}

/// Takes in what the recording did.
fn record(there: &mut Apps<()>, expected: &Expected) {
    for container in &expected.allocated {
        begin(there, container.app, container.container, ());
    }
    for container in &expected.completed {
        end(there, container.app, container.container);
    }
}

fn distance(player: &mut Player<'_>, there: &Apps<()>, here: &Apps<Resource>, apart: &mut Apart) {
    let mut queues: BTreeMap<String, i64> = BTreeMap::new();
    for app in player.driver().apps() {
        let difference = live(here, app.id.number) - live(there, app.id.number);
        apart.app = apart.app.max(difference.unsigned_abs());
        let mut queue = Some(app.queue.as_str());
        while let Some(name) = queue {
            *queues.entry(name.to_owned()).or_default() += difference;
            queue = name.rsplit_once('.').map(|(above, _)| above);
        }
    }
    let most = queues.values().map(|difference| difference.unsigned_abs()).max().unwrap_or(0);
    apart.queue = apart.queue.max(most);
}

fn same(
    types: &ResourceTypes,
    field: impl FnOnce() -> String,
    want: &Resource,
    got: &Resource,
) -> Result<(), Mismatch> {
    let differs = (0..types.len()).any(|index| want.get(index) != got.get(index));
    if differs { Err(Mismatch::new(field(), want.to_string(), got.to_string())) } else { Ok(()) }
}

/// By name of a node: its total and what is free of it.
type Free = BTreeMap<String, (Resource, Resource)>;

/// The least that may be free on a node. A node whose total becomes smaller than what runs on it lacks the rest until
/// containers end, and nothing more is granted there.
fn least_free(before: Option<&(Resource, Resource)>, total: &Resource) -> Resource {
    let (total_before, free_before) = before.copied().unwrap_or((*total, Resource::ZERO));
    Resource::from_fn(|i| (free_before.get(i) + total.get(i) - total_before.get(i)).min(0))
}

/// I1, I2 and I4 at quiet. `free` is what was free after the step before, and is after this one.
fn balanced(
    player: &mut Player<'_>,
    here: &Apps<Resource>,
    free: &mut Free,
    outcome: &Journal,
) -> Result<(), Mismatch> {
    let types = player.types().clone();
    let (queues, apps, nodes) = {
        let driver = player.driver();
        (driver.queues(), driver.apps(), driver.nodes())
    };
    let sum = |parts: &mut dyn Iterator<Item = Resource>| parts.fold(Resource::ZERO, |sum, part| sum.plus(&part));
    for app in &apps {
        let held = here.get(&app.id.number).map_or(Resource::ZERO, |had| sum(&mut had.live.values().copied()));
        same(&types, || format!("I4: usage of application {}", app.id.number), &held, &app.usage)?;
    }
    let is_child =
        |child: &QueueView, of: &QueueView| child.name.rsplit_once('.').is_some_and(|(above, _)| above == of.name);
    for queue in &queues {
        let parts = if queue.leaf {
            sum(&mut apps.iter().filter(|app| app.queue == queue.name).map(|app| app.usage))
        } else {
            sum(&mut queues.iter().filter(|child| is_child(child, queue)).map(|child| child.usage))
        };
        same(&types, || format!("I4: usage of {}", queue.name), &parts, &queue.usage)?;
    }
    for node in &nodes {
        let least = least_free(free.get(&node.name), &node.total);
        if !least.fits_in(&node.free) {
            let want = format!("{least} or more");
            return Err(Mismatch::new(format!("I1: free on {}", node.name), want, node.free.to_string()));
        }
    }
    *free = nodes.iter().map(|node| (node.name.clone(), (node.total, node.free))).collect();
    let root = queues.iter().find(|queue| queue.name == "root").map_or(Resource::ZERO, |queue| queue.usage);
    let taken = sum(&mut nodes.iter().map(|node| node.total.minus(&node.free)));
    if !root.fits_in(&taken) {
        // More on the nodes is what has ended and was launched.
        return Err(Mismatch::new("I4: usage of all nodes", root.to_string(), taken.to_string()));
    }
    for container in &outcome.allocated {
        let Some(app) = apps.iter().find(|app| app.id.number == container.app) else { continue };
        for queue in &queues {
            let above =
                app.queue.strip_prefix(&queue.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            let over = |index| container.resource.get(index) > 0 && queue.usage.get(index) > queue.max_share.get(index);
            if above && (0..types.len()).any(over) {
                let field = format!("I2: usage of {} after a grant", queue.name);
                return Err(Mismatch::new(field, queue.max_share.to_string(), queue.usage.to_string()));
            }
        }
    }
    Ok(())
}
