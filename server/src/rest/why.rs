//! `/ws/v1/evenweave/why`: why an application waits, or those of a queue. An endpoint of our own.
//!
//! The scheduler's workers are asked, between two messages. One question is worked out at a time, so that many who ask
//! keep neither them nor the threads that answer: whoever comes meanwhile is told to come again.

use std::collections::BTreeSet;
use std::sync::{Mutex, TryLockError};

use super::app;
use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use super::rights::Rights;
use crate::manager::ResourceManager;
use crate::records::AppRecord;
use crate::scheduler::Why;
use crate::value::{Object, Value};

/// Of a queue so many applications are told of: what one waits for, the others mostly wait for too.
const OF_A_QUEUE: usize = 5;

const OTHERS_ASK: &str = "Another question is being worked out. Ask again in a second.";

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn shown(why: Why) -> Object {
    let mut out = Object::new();
    if let Some((priority, request)) = why.key {
        out.push("priority", priority);
        out.push("allocationRequestId", request);
    }
    if let Some((count, first)) = why.nodes {
        out.push("nodes", count);
        out.push("firstNode", first);
    }
    out.with("reason", why.what)
}

/// An application and its reasons; nothing of one that is not accepted yet.
fn told(of: &ResourceManager, number: u32) -> Result<Object, Fault> {
    let (state, queue, handle) = {
        let records = of.records();
        let app = records.app(number).ok_or_else(|| app::unknown(&of.cluster().app_id(number)))?;
        (app.state, app.queue.clone(), app.attempt.as_ref().and_then(|attempt| attempt.handle.clone()))
    };
    let mut out = Object::new().with("appId", of.cluster().app_id(number)).with("queue", queue);
    let reasons = match handle.filter(|_| !state.is_over()) {
        Some(handle) => of.scheduler().why_waiting(&handle).map_err(Fault::bad_request)?,
        None => vec![Why {
            key: None,
            nodes: None,
            what: if state.is_over() { "it has ended" } else { "its queue has not taken it yet" }.to_owned(),
        }],
    };
    out.push("reasons", reasons.into_iter().map(shown).collect::<Value>());
    Ok(out)
}

/// `?app=` one application; `?queue=` the first of those below a queue that ask for something.
pub(crate) fn why(of: &ResourceManager, asked: &Asked) -> Outcome {
    let _turn = match ONE_AT_A_TIME.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        Err(TryLockError::WouldBlock) => return Ok(Answer::sentence(503, OTHERS_ASK.to_owned())),
    };
    let (numbers, waiting) = match (asked.query("app"), asked.query("queue")) {
        (Some(id), None) => {
            let number = app::number(of, id)?;
            let rights = Rights::of(of, &asked.user, |records| records.app(number).into_iter().collect());
            if of.records().app(number).is_some_and(|app| !rights.may(app)) {
                let user = &asked.user;
                return Err(Fault::forbidden(format_args!("User {user} may not see what {id} waits for.")));
            }
            (vec![number], None)
        }
        (None, Some(queue)) => {
            if !of.scheduler().has_queue(queue) {
                return Err(Fault::not_found(format_args!("there is no queue {queue}")));
            }
            let below = format!("{queue}.");
            let wanting: BTreeSet<u32> =
                of.scheduler().requests().into_iter().map(|request| request.attempt.application.number).collect();
            let is_there = |app: &&AppRecord| {
                wanting.contains(&app.number) && (app.queue == queue || app.queue.starts_with(&below))
            };
            let rights = Rights::of(of, &asked.user, |records| records.apps().filter(is_there).collect());
            let mut all: Vec<u32> = {
                let records = of.records();
                records.apps().filter(is_there).filter(|app| rights.may(app)).map(|app| app.number).collect()
            };
            all.sort_unstable();
            let count = all.len();
            (all.into_iter().take(OF_A_QUEUE).collect(), Some(count))
        }
        _ => return Err(Fault::bad_request("Give either app=application_… or queue=root.…")),
    };
    let apps = numbers.into_iter().map(|number| told(of, number)).collect::<Result<Vec<Object>, Fault>>()?;
    let answer = Object::new().maybe("waiting", waiting).with("app", apps.into_iter().collect::<Value>());
    Ok(Answer::natural("why", answer))
}
