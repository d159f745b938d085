//! `/scheduler/activities` and its like, and `/scheduler-conf`: what the CapacityScheduler alone has.
//!
//! A question arms the scheduler: what its next passes try is told, and shown to the next question. One question is
//! answered at a time; whoever comes meanwhile is told to come again, as YARN tells one who has come too early.

mod answers;

mod names;

mod tree;

mod visits;

mod words;

use std::collections::HashSet;
use std::str::FromStr;

use evenweave::reason::Watch;

use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use crate::manager::ResourceManager;
use crate::records::{FinalStatus, NodeRecord};
use crate::scheduler::Kind;
use crate::time::date;
use crate::value::{Object, Value};
use names::Names;
use visits::{Wanted, summary, visit};

/// An application is watched for no longer after a question.
const LONGEST_WATCH_MS: u64 = 60_000;

/// Also where somebody else is being answered: whoever asks again gets what there is.
const WAITING: &str = "waiting for display";

const NOT_HERE: &str = "Not Capacity Scheduler";

/// Whether nodes are grouped by what came of them.
fn grouping(asked: &Asked) -> Result<bool, String> {
    match asked.query("groupBy") {
        None => Ok(false),
        Some(by) if by.eq_ignore_ascii_case("diagnostic") => Ok(true),
        Some(by) => Err(format!("Got invalid groupBy: {by}, valid groupBy types: [DIAGNOSTIC]")),
    }
}

/// Whether an application is there that has not said how it ended.
fn runs(of: &ResourceManager, number: u32) -> bool {
    of.records().app(number).is_some_and(|app| app.status == FinalStatus::Undefined)
}

pub(crate) fn activities(of: &ResourceManager, asked: &Asked) -> Outcome {
    let node = asked.query("nodeId");
    let answer = |what: Object| Ok(Answer::natural("activities", what));
    let refused = |why: String| answer(Object::new().maybe("nodeId", node).with("diagnostic", why));
    let scheduler = of.scheduler();
    if scheduler.basics().kind == Kind::Fair {
        return refused(NOT_HERE.to_owned());
    }
    let by_diagnostic = match grouping(asked) {
        Ok(by_diagnostic) => by_diagnostic,
        Err(why) => return refused(why),
    };
    if scheduler.nodes().is_empty() {
        return refused("No node manager running in the cluster".to_owned());
    }
    let names = Names::of(of);
    let found = match node {
        None => None,
        Some(id) => {
            let is_meant = |node: &&NodeRecord| !node.state.is_gone() && (node.name == id || node.id() == id);
            match names.nodes.iter().find(is_meant) {
                Some(found) => Some(found),
                None => return refused("Cannot find node manager with given node id".to_owned()),
            }
        }
    };
    let node = found.map(NodeRecord::id);
    let Some(kept) = of.activities().kept(scheduler, |number| runs(of, number)) else {
        return answer(answers::pass(None, node, &names, by_diagnostic));
    };
    scheduler.watch(found.map_or(Watch::AnyNode, |node| Watch::Node(node.name.clone())));
    let pass = match found {
        Some(node) => kept.on_node(&node.name),
        None => kept.last(),
    };
    answer(answers::pass(pass, node, &names, by_diagnostic))
}

/// What was told since this was last asked for. It does not wait, as Hadoop does until enough was.
pub(crate) fn bulk(of: &ResourceManager, asked: &Asked) -> Outcome {
    let scheduler = of.scheduler();
    if scheduler.basics().kind == Kind::Fair {
        return Err(Fault::bad_request(NOT_HERE));
    }
    let by_diagnostic = grouping(asked).map_err(Fault::bad_request)?;
    if scheduler.nodes().is_empty() {
        return Err(Fault::bad_request("No node manager running in the cluster"));
    }
    let names = Names::of(of);
    let Some(mut kept) = of.activities().kept(scheduler, |number| runs(of, number)) else {
        return Ok(Answer::natural("bulkActivities", Object::new()));
    };
    let passes = kept.take_many();
    drop(kept);
    scheduler.watch(Watch::AnyNode);
    let one = |pass| answers::pass(Some(pass), Some(names.node(&pass.node)), &names, by_diagnostic);
    let all: Value = passes.iter().map(one).collect();
    Ok(Answer::natural("bulkActivities", Object::new().with("activities", all)))
}

/// Numbers of a list that commas and repetition make.
fn numbers<T: FromStr + Eq + std::hash::Hash>(asked: &Asked, name: &str) -> Option<HashSet<T>> {
    asked.queries(name).flat_map(|value| value.split(',')).map(|part| part.parse().ok()).collect()
}

/// Which of `refresh` and `get` is wanted; without a word both.
fn actions(asked: &Asked) -> Result<(bool, bool), String> {
    let named: Vec<&str> = asked.queries("actions").flat_map(|value| value.split(',')).collect();
    let (mut refresh, mut get) = (named.is_empty(), named.is_empty());
    for action in named {
        match action.to_uppercase().as_str() {
            "REFRESH" => refresh = true,
            "GET" => get = true,
            _ => return Err(format!("Got invalid action: {action}, valid actions: [REFRESH, GET]")),
        }
    }
    Ok((refresh, get))
}

/// `limit`, where there is one.
fn limit(asked: &Asked) -> Result<Option<usize>, String> {
    let Some(text) = asked.query("limit") else { return Ok(None) };
    match text.parse::<i32>().map(usize::try_from) {
        Err(_) => Err("limit must be integer!".to_owned()),
        Ok(Err(_) | Ok(0)) => Err("limit must be greater than 0!".to_owned()),
        Ok(Ok(limit)) => Ok(Some(limit)),
    }
}

/// `maxTime`, in ms.
#[expect(
    clippy::cast_possible_truncation,
    reason = "as a cast in Java: what is no number is 0, what is too large the largest"
)]
fn max_time_ms(asked: &Asked) -> Result<i64, Fault> {
    let Some(text) = asked.query("maxTime") else { return Ok(3_000) };
    let text = if text.contains('.') { text.to_owned() } else { format!("{text}.0") };
    let seconds: f64 = text.parse().map_err(|_| Fault::no_number(&text))?;
    Ok((seconds * 1000.0) as i64)
}

pub(crate) fn of_app(of: &ResourceManager, asked: &Asked) -> Outcome {
    let (now, id, scheduler) = (of.now_ms(), asked.part("app"), of.scheduler());
    let answer = |what: Object| Ok(Answer::natural("appActivities", what));
    let said = |why: &str| {
        let what = Object::new().with("applicationId", id).with("diagnostic", why);
        answer(what.with("timestamp", now).with("dateTime", date(now)))
    };
    if scheduler.basics().kind == Kind::Fair {
        return said(NOT_HERE);
    }
    let checked = grouping(asked).and_then(|by| actions(asked).map(|actions| (by, actions)));
    let (by_diagnostic, (refresh, get)) = match checked {
        Ok(checked) => checked,
        Err(why) => return said(&why),
    };
    let Some(priorities) = numbers(asked, "requestPriorities") else {
        return said("request priorities must be integers!");
    };
    let Some(ids) = numbers(asked, "allocationRequestIds") else {
        return said("allocation request Ids must be integers!");
    };
    let most = match limit(asked) {
        Ok(most) => most,
        Err(why) => return said(&why),
    };
    let within_ms = max_time_ms(asked)?;
    let Ok(number) = super::app::number(of, id) else { return said("Cannot find application with given appId") };
    let Some(kept) = of.activities().kept(scheduler, |number| runs(of, number)) else {
        return said(WAITING);
    };
    // While an application is watched each pass is worked out twice: not for ever, and not for one that has ended.
    if refresh && runs(of, number) {
        let for_ms = u64::try_from(within_ms).unwrap_or_default().min(LONGEST_WATCH_MS);
        scheduler.watch(Watch::App { app: number, for_ms });
    }
    if !get {
        let named: Vec<&str> = asked.queries("actions").collect();
        let actions = if named.len() == 1 { "action" } else { "actions" };
        return said(&format!("Successfully received {actions}: {}", named.join(",")));
    }
    if !runs(of, number) {
        return said("fail to get application activities after finished");
    }
    let Some(found) = kept.of_app(number) else { return said(WAITING) };
    let names = Names::of(of);
    let mut visits = Wanted { priorities, ids }.of(found.iter().map(|of| visit(of, &names)).collect());
    if asked.query("summarize").is_some_and(|text| text.eq_ignore_ascii_case("true"))
        && let Some(summary) = summary(&visits, within_ms)
    {
        visits = vec![summary];
    }
    let first = most.map_or(0, |most| visits.len().saturating_sub(most));
    let shown: Value = visits[first..].iter().rev().map(|of| answers::visit(of, by_diagnostic)).collect();
    answer(Object::new().with("applicationId", id).with("allocations", shown))
}

/// The scheduler's configuration can be changed by nobody here.
pub(crate) fn configuration(of: &ResourceManager, asked: &Asked) -> Outcome {
    if of.scheduler().basics().acls && !of.scheduler().is_admin(&asked.user) {
        return Err(Fault::forbidden("Only admins can carry out this operation."));
    }
    let class = match of.scheduler().basics().kind {
        Kind::Fair => "FairScheduler",
        Kind::Capacity => "CapacityScheduler",
    };
    let sentence = format!(
        "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath scheduler \
         {class} is not an instance of MutableConfScheduler"
    );
    Ok(Answer::sentence(400, sentence))
}
