//! Why an application has what it has, as `evenweave explain` tells it.
//!
//! The scenario is played up to the step with the core's reasons noted. What counts is what has happened to the
//! application since it last got a container: every walk over a node in which it came away empty, by node, with the
//! reason.

use std::fmt::Write;

use super::drive::Player;
use super::explain_capacity;
use super::input::Suite;
use super::options::{ExplainOptions, PlayOptions, When};
use super::reason_lines::{Reason, Words};
use super::scenario::{Scenario, Step, list};
use super::timeline::Timeline;
use crate::api::precedence;
use crate::api::{
    AppOutcome, AppView, AppVisit, Decision, KeyOutcome, NotOffered, PassEnd, Precedence, QueueOutcome, QueueVisit,
    ReservationOutcome,
};
use crate::failure::Failure;

/// The answer, as lines.
///
/// # Errors
/// A file without scenarios, and a scenario, step or application that is not there: the message says what is.
pub fn explain(options: &ExplainOptions) -> Result<String, Failure> {
    match Suite::read(&options.file)? {
        Suite::Scenarios(scenarios) => answer(chosen(&scenarios, |scenario| &scenario.name, options)?, options),
        Suite::Capacity(scenarios) => {
            explain_capacity::answer(chosen(&scenarios, |scenario| &scenario.name, options)?, options)
        }
        Suite::Vectors(_) => {
            let file = options.file.display();
            Err(Failure::input(format!("{file}: a vector file has no steps; `explain` takes a scenario file")))
        }
        Suite::Answers(_) => {
            let file = options.file.display();
            Err(Failure::input(format!("{file}: a recording of answers; `explain` takes a scenario file")))
        }
    }
}

/// The scenario that was named, or the only one.
fn chosen<'a, T>(scenarios: &'a [T], name: impl Fn(&T) -> &String, options: &ExplainOptions) -> Result<&'a T, Failure> {
    let names = || list(scenarios.iter().map(&name));
    match (&options.scenario, scenarios) {
        (Some(wanted), _) => {
            let found = scenarios.iter().find(|scenario| name(scenario) == wanted);
            found.ok_or_else(|| Failure::input(format!("there is no scenario {wanted:?}; there are: {}", names())))
        }
        (None, [only]) => Ok(only),
        (None, several) => {
            let (file, count) = (options.file.display(), several.len());
            Err(Failure::input(format!("{file} has {count} scenarios; choose one by --scenario: {}", names())))
        }
    }
}

/// What one walk over a node, or a pass without any, came to for the application.
enum Turn {
    /// A container.
    Got(u32),
    /// The node is reserved for it.
    Reserved(u32),
    /// Nothing.
    Not(Vec<Reason>),
}

/// A reason, and how often it stood on a node.
struct Count {
    reason: Reason,
    walks: usize,
    last: usize,
}

/// What has happened to the application since it last got something.
#[derive(Default)]
struct History {
    /// Step, node, container.
    got: Option<(usize, String, u32)>,
    walks: usize,
    /// By node, in the order in which they were first offered.
    nodes: Vec<(String, Vec<Count>)>,
}

impl History {
    fn add(&mut self, step: usize, node: &str, turn: Turn) {
        let reasons = match turn {
            Turn::Got(container) => {
                *self = History { got: Some((step, node.to_owned(), container)), ..History::default() };
                return;
            }
            Turn::Reserved(container) => {
                vec![Reason::new(format!("the node is reserved for container {container}"), "")]
            }
            Turn::Not(reasons) => reasons,
        };
        self.walks += 1;
        let at = match self.nodes.iter().position(|(name, _)| name == node) {
            Some(at) => at,
            None => {
                self.nodes.push((node.to_owned(), Vec::new()));
                self.nodes.len() - 1
            }
        };
        let counts = &mut self.nodes[at].1;
        for reason in reasons {
            match counts.iter_mut().find(|count| count.reason.what == reason.what) {
                Some(count) => *count = Count { reason, walks: count.walks + 1, last: step },
                None => counts.push(Count { reason, walks: 1, last: step }),
            }
        }
    }
}

fn find(visit: &QueueVisit, number: u32) -> Option<(&QueueVisit, &AppVisit)> {
    let here = visit.apps.iter().find(|app| app.app == number).map(|app| (visit, app));
    here.or_else(|| visit.queues.iter().find_map(|below| find(below, number)))
}

/// Of siblings of which one was served: that it came first, and why it came before the next.
fn came_first<T>(
    siblings: &[T],
    is_served: impl Fn(&T) -> bool,
    name: impl Fn(&T) -> String,
    precedes: impl Fn(&T) -> Option<Precedence>,
) -> Turn {
    let Some(at) = siblings.iter().position(is_served) else { return Turn::Not(Vec::new()) };
    let first = name(&siblings[at]);
    let figures = match (siblings.get(at + 1), precedes(&siblings[at])) {
        (Some(next), Some(why)) => format!("{first} came before {}: {}", name(next), precedence(why)),
        _ => String::new(),
    };
    Turn::Not(vec![Reason::new(format!("{first} came first"), figures)])
}

/// What one walk came to for an application of a leaf queue.
fn turn(words: &Words<'_>, root: &QueueVisit, number: u32, leaf: &str) -> Turn {
    if let Some((queue, app)) = find(root, number) {
        let made = app.keys.iter().find_map(|key| match key.outcome {
            KeyOutcome::Placed { container, .. } => Some(Turn::Got(container)),
            KeyOutcome::Reserved { container, .. } => Some(Turn::Reserved(container)),
            KeyOutcome::NotReached | KeyOutcome::PassedOver(_) | _ => None,
        });
        if let Some(made) = made {
            return made;
        }
        if app.outcome != AppOutcome::NotReached {
            return Turn::Not(words.app_stopped(app));
        }
        let is_served = |app: &AppVisit| matches!(app.outcome, AppOutcome::Placed | AppOutcome::Reserved);
        return came_first(&queue.apps, is_served, |app| format!("application {}", app.app), |app| app.precedes);
    }
    // Its leaf was not visited: somewhere above it the walk took another way or stopped.
    let mut at = root;
    loop {
        if let Some(reason) = words.queue_stopped(at) {
            return Turn::Not(vec![reason]);
        }
        let is_above = |queue: &&QueueVisit| {
            leaf.strip_prefix(queue.queue.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        match at.queues.iter().find(is_above) {
            Some(below) if below.outcome == QueueOutcome::NotReached => {
                let is_served =
                    |queue: &QueueVisit| matches!(queue.outcome, QueueOutcome::Placed | QueueOutcome::Reserved);
                return came_first(&at.queues, is_served, |queue| queue.queue.clone(), |queue| queue.precedes);
            }
            Some(below) => at = below,
            None => return Turn::Not(vec![Reason::new("it was not in its queue then", "")]),
        }
    }
}

/// What a pass came to for an application, walk by walk.
fn turns(words: &Words<'_>, pass: &Decision, number: u32, leaf: &str) -> Vec<Turn> {
    let mut out = Vec::new();
    if let Some(reservation) = &pass.reservation {
        let its_own = reservation.app == number;
        let is_dropped =
            matches!(reservation.outcome, ReservationOutcome::Dropped(_) | ReservationOutcome::DroppedForAmShare(_));
        if its_own && matches!(reservation.outcome, ReservationOutcome::Fulfilled { .. }) {
            out.push(Turn::Got(reservation.container));
        } else if its_own {
            let Reason { what, figures } = words.reservation(reservation);
            out.push(Turn::Not(vec![Reason::new(format!("its reservation of the node: {what}"), figures)]));
        } else if !is_dropped {
            let what = format!("the node is reserved for application {}", reservation.app);
            out.push(Turn::Not(vec![Reason::new(what, "")]));
        }
    }
    out.extend(pass.descents.iter().map(|root| turn(words, root, number, leaf)));
    if out.is_empty() || matches!(pass.end, PassEnd::BelowMinimum | PassEnd::SameFreeMemory) {
        out.push(Turn::Not(vec![Reason::new(words.end(pass.end), "")]));
    }
    out
}

/// What became of the application itself.
#[derive(Default)]
struct Submitted {
    /// At which step.
    at: Option<usize>,
    /// Why it was refused.
    refused: Option<String>,
}

/// The same of one scenario.
fn answer(scenario: &Scenario, options: &ExplainOptions) -> Result<String, Failure> {
    let name = &scenario.name;
    let timeline = timeline(scenario);
    let (number, last) = timeline.find(name, options)?;
    let mut player = Player::new(scenario, PlayOptions::EXACT, true)
        .map_err(|message| Failure::input(format!("{name}: configuration: {message}")))?;
    let types = player.types().clone();
    let words = Words::new(&types);
    let (mut submitted, mut history) = (Submitted::default(), History::default());
    for (index, step) in scenario.steps.iter().enumerate().take(last + 1) {
        // Where it is when nodes are offered: a step that offers them moves nobody.
        let leaf = player.app(number).map(|(view, _)| view.queue);
        let seen = player.step(step, false);
        if matches!(step, Step::Submit { app, .. } if *app == number) {
            submitted = Submitted { at: Some(index), refused: seen.error };
        }
        for pass in player.take_trace() {
            if let Some(leaf) = &leaf {
                for turn in turns(&words, &pass, number, leaf) {
                    history.add(index, &pass.node, turn);
                }
            }
        }
    }
    let moment = if matches!(options.when, When::AtMs(_)) { timeline.moment(last) } else { format!("step {last}") };
    let mut out = format!("{name}, after {moment} {}: application {number}\n", scenario.steps[last]);
    match player.app(number) {
        Some((view, not_offered)) => {
            say_state(&mut out, &words, &mut player, &view);
            say_history(&mut out, &words, &mut player, &history, not_offered.as_ref(), submitted.at.unwrap_or(0));
        }
        None => {
            let why = match submitted {
                Submitted { at: Some(at), refused: Some(kind) } => format!("it was refused at step {at}: {kind}"),
                Submitted { .. } => "it has ended".to_owned(),
            };
            let _ = writeln!(out, "  {why}");
        }
    }
    Ok(out)
}

/// When what happens in it.
fn timeline(scenario: &Scenario) -> Timeline {
    let mut timeline = Timeline::default();
    for step in &scenario.steps {
        let advance_ms = if let Step::Advance { ms } = step { *ms } else { 0 };
        let submitted = if let Step::Submit { app, job, .. } = step { Some((*app, job.as_deref())) } else { None };
        timeline.push(advance_ms, submitted);
    }
    timeline
}

fn say_state(out: &mut String, words: &Words<'_>, player: &mut Player<'_>, view: &AppView) {
    let runs = if view.runnable { "runnable" } else { "waiting" };
    let _ = writeln!(out, "  {runs} in {}, user {}", view.queue, view.user);
    let rows = [
        ("uses", &view.usage),
        ("asks for", &view.outstanding),
        ("demand at the last update", &view.demand),
        ("fair share at the last update", &view.fair_share),
    ];
    for (what, amounts) in rows {
        let _ = writeln!(out, "  {what}: {}", words.amounts(amounts));
    }
    if view.reserved_nodes > 0 {
        let _ = writeln!(out, "  nodes reserved for it: {}", view.reserved_nodes);
    }
    if let Some(queue) = player.queue(&view.queue) {
        let (uses, share) = (words.amounts(&queue.usage), words.amounts(&queue.fair_share));
        let max = words.amounts(&queue.max_share);
        let _ = writeln!(out, "  its queue ({}): uses {uses}; fair share {share}; max share {max}", queue.policy);
    }
}

fn say_history(
    out: &mut String,
    words: &Words<'_>,
    player: &mut Player<'_>,
    history: &History,
    not_offered: Option<&NotOffered>,
    submitted: usize,
) {
    if let Some(why) = not_offered {
        let _ = writeln!(out, "  no node will do: {}", words.not_offered(why));
    }
    let since = match &history.got {
        Some((step, node, container)) => {
            let _ = writeln!(out, "  last container: {container} on {node}, at step {step}");
            "since then"
        }
        None => {
            let _ = writeln!(out, "  it has had no container since it was submitted at step {submitted}");
            "in that time"
        }
    };
    let of = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    if history.walks == 0 {
        let _ = writeln!(out, "  {since} no node was offered to anybody");
    } else {
        let (walks, nodes) = (of(history.walks, "walk"), of(history.nodes.len(), "node"));
        let _ = writeln!(out, "  {since} {walks} over {nodes} gave it nothing:");
    }
    for (node, counts) in &history.nodes {
        let _ = writeln!(out, "    {node}");
        for Count { reason: Reason { what, figures }, walks, last } in counts {
            let _ = writeln!(out, "      {walks} x {what}");
            if !figures.is_empty() {
                let _ = writeln!(out, "          at step {last}: {figures}");
            }
        }
    }
    let silent: Vec<String> =
        player.nodes().into_iter().filter(|node| history.nodes.iter().all(|(seen, _)| seen != node)).collect();
    if history.walks > 0 && !silent.is_empty() {
        let _ = writeln!(out, "    not offered {since}: {}", list(silent.iter()));
    }
}
