//! `/scheduler/activities` and its like, and `/scheduler-conf`: what the CapacityScheduler alone has.

use super::asked::{Answer, Asked, Outcome};
use super::errors::Fault;
use crate::manager::ResourceManager;
use crate::scheduler::Kind;
use crate::time::date;
use crate::value::Object;

const NOT_HERE: &str = "Not Capacity Scheduler";

pub(crate) fn activities(of: &ResourceManager, asked: &Asked) -> Outcome {
    let diagnostic = match of.scheduler().basics().kind {
        Kind::Fair => NOT_HERE,
        Kind::Capacity => "waiting for next allocation",
    };
    let answer = Object::new().maybe("nodeId", asked.query("nodeId")).with("diagnostic", diagnostic);
    Ok(Answer::natural("activities", answer))
}

pub(crate) fn bulk(_: &ResourceManager, _: &Asked) -> Outcome {
    Err(Fault::bad_request(NOT_HERE))
}

pub(crate) fn of_app(of: &ResourceManager, asked: &Asked) -> Outcome {
    let now = of.now_ms();
    let diagnostic = match of.scheduler().basics().kind {
        Kind::Fair => NOT_HERE,
        Kind::Capacity => "waiting for display",
    };
    let answer = Object::new()
        .with("applicationId", asked.part("app"))
        .with("diagnostic", diagnostic)
        .with("timestamp", now)
        .with("dateTime", date(now));
    Ok(Answer::natural("appActivities", answer))
}

/// The scheduler's configuration can be changed by nobody here.
pub(crate) fn configuration(of: &ResourceManager, _: &Asked) -> Outcome {
    let class = match of.scheduler().basics().kind {
        Kind::Fair => "FairScheduler is not an instance of MutableConfScheduler",
        Kind::Capacity => "",
    };
    let sentence = match of.scheduler().basics().kind {
        Kind::Fair => format!(
            "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath \
             scheduler {class}"
        ),
        Kind::Capacity => "Configuration retrieval only supported by MutableConfigScheduler.".to_owned(),
    };
    Ok(Answer::sentence(400, sentence))
}
