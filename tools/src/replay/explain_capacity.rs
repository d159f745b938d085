//! The same as [`explain`](mod@super::explain) for recordings of the CapacityScheduler.
//!
//! Its passes note nothing. Instead it is asked before each step that offers a node what that node would find, and
//! after it what came of it.

use std::fmt::Write;
use std::mem::discriminant;

use serde_json::Value;

use super::capacity_scenario::CapacityScenario;
use super::on_engine::OnEngine;
use super::options::{DriverChoice, ExplainOptions, When};
use super::reason_lines::Words;
use super::scenario::list;
use super::timeline::Timeline;
use crate::api::{CapacityAppView, CapacityReason};
use crate::failure::Failure;

/// A reason, how often it stood on a node, and when last.
struct Count {
    reason: CapacityReason,
    offers: usize,
    last: usize,
}

/// What has happened to the application since it last got something.
#[derive(Default)]
struct History {
    /// Step, node, container.
    got: Option<(usize, String, u64)>,
    offers: usize,
    /// By node, in the order in which they were first offered.
    nodes: Vec<(String, Vec<Count>)>,
}

impl History {
    fn add(&mut self, step: usize, node: &str, reasons: Vec<CapacityReason>) {
        self.offers += 1;
        let at = match self.nodes.iter().position(|(name, _)| name == node) {
            Some(at) => at,
            None => {
                self.nodes.push((node.to_owned(), Vec::new()));
                self.nodes.len() - 1
            }
        };
        let counts = &mut self.nodes[at].1;
        for reason in reasons {
            // By node they stand here.
            let reason = {
                let mut reason = reason;
                reason.nodes = None;
                reason
            };
            let alike = |count: &&mut Count| {
                count.reason.key == reason.key && discriminant(&count.reason.wait) == discriminant(&reason.wait)
            };
            match counts.iter_mut().find(alike) {
                Some(count) => *count = Count { reason, offers: count.offers + 1, last: step },
                None => counts.push(Count { reason, offers: 1, last: step }),
            }
        }
    }
}

fn text<'a>(step: &'a Value, field: &str) -> &'a str {
    step.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn number(of: &Value, field: &str) -> u64 {
    of.get(field).and_then(Value::as_u64).unwrap_or_default()
}

/// The step and whom it is about.
fn describe(step: &Value) -> String {
    let about = match (step.get("node"), step.get("app")) {
        (Some(node), _) => format!(" {}", node.as_str().unwrap_or_default()),
        (None, Some(app)) => format!(" {app}"),
        (None, None) => String::new(),
    };
    format!("{}{about}", text(step, "op"))
}

/// When what happens in it.
fn timeline(steps: &[Value]) -> Timeline {
    let mut timeline = Timeline::default();
    for step in steps {
        let app = || u32::try_from(number(step, "app")).unwrap_or_default();
        match text(step, "op") {
            "advance" => timeline.push(number(step, "ms"), None),
            "submit" => timeline.push(0, Some((app(), step.get("job").and_then(Value::as_str)))),
            _ => timeline.push(0, None),
        }
    }
    timeline
}

/// The answer, as lines.
pub(super) fn answer(scenario: &CapacityScenario, options: &ExplainOptions) -> Result<String, Failure> {
    let (name, steps) = (&scenario.name, scenario.steps());
    let timeline = timeline(steps);
    let (app, last) = timeline.find(name, options)?;
    let mut engine = OnEngine::new(scenario.whole(), DriverChoice::Stepped)
        .map_err(|message| Failure::input(format!("{name}: configuration: {message}")))?;
    let mut history = History::default();
    let (mut submitted, mut user, mut refused) = (0, String::new(), None);
    for (index, step) in steps.iter().enumerate().take(last + 1) {
        let offered = match text(step, "op") {
            "heartbeat" => vec![text(step, "node").to_owned()],
            "round" => engine.nodes(),
            _ => Vec::new(),
        };
        let is_there = engine.app(app).is_some();
        let found: Vec<_> = offered.into_iter().map(|node| (engine.why(app, Some(&node)), node)).collect();
        let shown = engine.step(step, false);
        if text(step, "op") == "submit" && number(step, "app") == u64::from(app) {
            refused = shown.get("error").map(|error| text(error, "kind").to_owned());
            (submitted, user) = (index, text(step, "user").to_owned());
        }
        let mut allocated = shown.get("allocated").and_then(Value::as_array).into_iter().flatten();
        let got = allocated.rfind(|container| number(container, "app") == u64::from(app));
        if let Some(container) = got {
            let got = (index, text(container, "node").to_owned(), number(container, "container"));
            history = History { got: Some(got), ..History::default() };
        } else if is_there {
            found.into_iter().for_each(|(reasons, node)| history.add(index, &node, reasons));
        }
    }
    let moment = if matches!(options.when, When::AtMs(_)) { timeline.moment(last) } else { format!("step {last}") };
    let mut out = format!("{name}, after {moment} {}: application {app}\n", describe(&steps[last]));
    match (engine.app(app), refused) {
        (Some(view), _) => {
            say_state(&mut out, &mut engine, &view, &user);
            say_history(&mut out, &mut engine, &history, submitted);
        }
        (None, Some(kind)) => {
            let _ = writeln!(out, "  it was refused at step {submitted}: {kind}");
        }
        (None, None) => out += "  it has ended\n",
    }
    Ok(out)
}

fn say_state(out: &mut String, engine: &mut OnEngine, view: &CapacityAppView, user: &str) {
    let reasons = engine.why(view.number, None);
    let queue = engine.queue(&view.queue);
    let types = engine.types().clone();
    let words = Words::new(&types);
    let _ = writeln!(out, "  {} in {}, user {user}, priority {}", view.state, view.queue, view.priority);
    for (what, amounts) in [("uses", &view.used), ("has reserved", &view.reserved), ("asks for", &view.pending)] {
        let _ = writeln!(out, "  {what}: {}", words.amounts(amounts));
    }
    if let Some(queue) = queue {
        let amounts = [&queue.used, &queue.guaranteed, &queue.maximum].map(|amounts| words.amounts(amounts));
        let [used, guaranteed, maximum] = amounts;
        let _ = writeln!(out, "  its queue: uses {used}; guaranteed {guaranteed}; maximum {maximum}");
    }
    for reason in reasons {
        let _ = writeln!(out, "  now: {reason}");
    }
}

fn say_history(out: &mut String, engine: &mut OnEngine, history: &History, submitted: usize) {
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
    if history.offers == 0 {
        let _ = writeln!(out, "  {since} no node was offered to anybody");
        return;
    }
    let of = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (offers, nodes) = (of(history.offers, "offer"), of(history.nodes.len(), "node"));
    let _ = writeln!(out, "  {since} {offers} of {nodes} gave it nothing:");
    for (node, counts) in &history.nodes {
        let _ = writeln!(out, "    {node}");
        for Count { reason, offers, last } in counts {
            let _ = writeln!(out, "      {offers} x {reason} (at step {last})");
        }
    }
    let silent: Vec<String> =
        engine.nodes().into_iter().filter(|node| history.nodes.iter().all(|(seen, _)| seen != node)).collect();
    if !silent.is_empty() {
        let _ = writeln!(out, "    not offered {since}: {}", list(silent.iter()));
    }
}
