//! What is changed by `PUT`: an application's state, queue and priority.

use evenweave::config::QueueAccess;

use super::app;
use super::body::members;
use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use crate::manager::{Killed, ResourceManager};
use crate::value::Object;

/// The application that the path names: number, state, queue, and whether the caller may change it.
fn target(of: &ResourceManager, asked: &Asked) -> Result<(u32, &'static str, String, bool), Fault> {
    let rights = app::rights(of, asked)?;
    let records = of.records();
    let app = app::named(of, &records, asked)?;
    Ok((app.number, app.state.name(), app.queue.clone(), rights.may(app)))
}

fn unauthorized(asked: &Asked, to: &str) -> Answer {
    let (id, user) = (asked.part("app"), &asked.user);
    Answer::sentence(403, format!("Unauthorized attempt to {to} appid {id} by remote user {user}"))
}

pub(crate) fn state(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = members(asked, "appstate")?;
    let (number, present, _, may) = target(of, asked)?;
    let answer = |state: &str| Answer::mapped("appstate", Object::new().with("state", state));
    let wanted = body.get("state").ok_or_else(|| Fault::null("the state"))?;
    if wanted == present {
        return Ok(answer(present));
    }
    if wanted != "KILLED" {
        return Err(Fault::bad_request("Only 'KILLED' is allowed as a target state."));
    }
    if !may {
        return Ok(unauthorized(asked, "kill"));
    }
    let diagnostics = body.get("diagnostics").map(String::as_str);
    let killed = of.kill(number, &asked.user, diagnostics).map_err(|_| app::unknown(asked.part("app")))?;
    Ok(match killed {
        Killed::Before => answer(present),
        Killed::Begun { at_once: true } => answer("FINAL_SAVING"),
        Killed::Begun { at_once: false } => {
            let (at, id) = (of.cluster().url(), of.cluster().app_id(number));
            let location = Some(format!("{at}/ws/v1/cluster/apps/{id}/state"));
            Answer { status: 202, location, ..answer(present) }
        }
    })
}

pub(crate) fn queue(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = members(asked, "appqueue")?;
    let (number, state, present, may) = target(of, asked)?;
    let answer = |queue: &str| Answer::bare("appqueue", Object::new().with("queue", queue));
    let wanted = body.get("queue");
    if wanted.is_some_and(|wanted| *wanted == present) {
        return Ok(answer(&present));
    }
    if !may {
        return Ok(unauthorized(asked, "move"));
    }
    let Some(wanted) = wanted else {
        return Err(match of.scheduler().basics().kind {
            crate::scheduler::Kind::Fair => Fault::null("the name"),
            crate::scheduler::Kind::Capacity => Fault::undeclared(),
        });
    };
    let scheduler = of.scheduler();
    let may_enter = |right: QueueAccess| !scheduler.basics().acls || scheduler.has_access(&asked.user, wanted, right);
    let is_closed = !may_enter(QueueAccess::Submit) && !may_enter(QueueAccess::Administer);
    if scheduler.basics().acls && (is_closed || !scheduler.has_queue(wanted)) {
        return Ok(unauthorized(asked, "move"));
    }
    if !matches!(state, "ACCEPTED" | "RUNNING") {
        return Ok(Answer::sentence(400, format!("App in {state} state cannot be moved.")));
    }
    of.move_app(number, wanted).map_err(|_| Fault::undeclared())?;
    let records = of.records();
    Ok(answer(records.app(number).map_or(wanted, |app| &app.queue)))
}

pub(crate) fn priority(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = members(asked, "applicationpriority")?;
    let (number, state, _, may) = target(of, asked)?;
    let present = of.scheduler().priority(number);
    let present = present.unwrap_or_else(|| of.records().app(number).map_or(0, |app| app.priority));
    let wanted = body.get("priority").and_then(|text| text.parse().ok()).unwrap_or(0);
    let answer = |priority: i32| Answer::bare("applicationpriority", Object::new().with("priority", priority));
    if wanted == present {
        return Ok(answer(present));
    }
    if !may {
        return Ok(unauthorized(asked, "change priority of"));
    }
    // Of one that has ended nothing changes, and nobody says so.
    if !matches!(state, "ACCEPTED" | "RUNNING") {
        return Ok(answer(present));
    }
    of.set_priority(number, &asked.user, wanted).map(answer).map_err(|_| Fault::undeclared())
}

/// Lifetimes are not changed here: what is asked for is read, and refused.
pub(crate) fn lifetime(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = members(asked, "timeout")?;
    target(of, asked)?;
    Err(Fault::no_time(body.get("expiryTime").map_or("", String::as_str)))
}
