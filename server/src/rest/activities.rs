//! `/scheduler/activities` and its like, and `/scheduler-conf`: what the CapacityScheduler alone has.

use super::asked::{Answer, Asked, Outcome};
use super::errors::Fault;
use crate::manager::ResourceManager;
use crate::scheduler::Kind;
use crate::time::date;
use crate::value::Object;

const NOT_HERE: &str = "Not Capacity Scheduler";

/// What cannot be grouped by, in words.
fn bad_grouping(asked: &Asked) -> Option<String> {
    let by = asked.query("groupBy").filter(|by| !by.eq_ignore_ascii_case("diagnostic"))?;
    Some(format!("Got invalid groupBy: {by}, valid groupBy types: [DIAGNOSTIC]"))
}

pub(crate) fn activities(of: &ResourceManager, asked: &Asked) -> Outcome {
    let node = asked.query("nodeId");
    let is_there = |id: &str| of.records().nodes().iter().any(|node| node.id() == id && !node.state.is_gone());
    let diagnostic = match (of.scheduler().basics().kind, bad_grouping(asked), node) {
        (Kind::Fair, ..) => NOT_HERE.to_owned(),
        (Kind::Capacity, Some(bad), _) => bad,
        (Kind::Capacity, None, None) if of.scheduler().nodes().is_empty() => {
            "No node manager running in the cluster".to_owned()
        }
        (Kind::Capacity, None, None) => "waiting for next allocation".to_owned(),
        (Kind::Capacity, None, Some(id)) if is_there(id) => "waiting for display".to_owned(),
        (Kind::Capacity, None, Some(_)) => "Cannot find node manager with given node id".to_owned(),
    };
    let answer = Object::new().maybe("nodeId", node).with("diagnostic", diagnostic);
    Ok(Answer::natural("activities", answer))
}

pub(crate) fn bulk(of: &ResourceManager, _: &Asked) -> Outcome {
    match of.scheduler().basics().kind {
        Kind::Fair => Err(Fault::bad_request(NOT_HERE)),
        Kind::Capacity => Ok(Answer::natural("bulkActivities", Object::new())),
    }
}

pub(crate) fn of_app(of: &ResourceManager, asked: &Asked) -> Outcome {
    let (now, id) = (of.now_ms(), asked.part("app"));
    let runs = || {
        let number = super::app::number(of, id).ok();
        number.is_some_and(|number| of.records().app(number).is_some_and(|app| !app.state.is_over()))
    };
    let diagnostic = match (of.scheduler().basics().kind, bad_grouping(asked)) {
        (Kind::Fair, _) => NOT_HERE.to_owned(),
        (Kind::Capacity, Some(bad)) => bad,
        (Kind::Capacity, None) if !id.starts_with("application_") => {
            "Cannot find application with given appId".to_owned()
        }
        (Kind::Capacity, None) if runs() => "waiting for display".to_owned(),
        (Kind::Capacity, None) => "fail to get application activities after finished".to_owned(),
    };
    let answer = Object::new()
        .with("applicationId", id)
        .with("diagnostic", diagnostic)
        .with("timestamp", now)
        .with("dateTime", date(now));
    Ok(Answer::natural("appActivities", answer))
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
