//! `/apps/{id}/appattempts`, one attempt, and its containers.

use super::app::{DEFAULT_HTTP_PORT, DEFAULT_PORT, logs, named, rights, tracking_url};
use super::asked::{Answer, Asked, Outcome};
use super::errors::Fault;
use super::java::place_of_text;
use crate::manager::ResourceManager;
use crate::records::{AppRecord, AppState, AttemptRecord};
use crate::value::{Object, Value};

fn listed(of: &ResourceManager, app: &AppRecord, attempt: &AttemptRecord, may: bool) -> Object {
    let cluster = of.cluster();
    let master = attempt.master.as_ref().filter(|_| may).map(|master| {
        let id = cluster.container_id(app.number, attempt.number, master.container);
        let at = |port: u16| format!("{}:{port}", master.node);
        let http = at(DEFAULT_HTTP_PORT);
        let logs = logs(&http, &id, &app.user);
        (id, http, at(DEFAULT_PORT), logs)
    });
    let (system, ports) = if master.is_some() { (Some(""), "null") } else { (None, "") };
    let blacklist = match master {
        Some(_) => {
            let mut places: Vec<&str> = attempt.blacklist.iter().map(String::as_str).collect();
            places.sort_by_key(|name| place_of_text(name, attempt.blacklist.len()));
            places.join(", ")
        }
        None => String::new(),
    };
    let (container, http, node, logs) = master.unwrap_or_default();
    Object::new()
        .with("id", attempt.number)
        .with("startTime", attempt.started_ms)
        .with("finishedTime", attempt.finished_ms)
        .with("containerId", container)
        .with("nodeHttpAddress", http)
        .with("nodeId", node)
        .with("logsLink", logs)
        .with("blacklistedNodes", blacklist)
        .maybe("nodesBlacklistedBySystem", system)
        .with("appAttemptId", cluster.attempt_id(app.number, attempt.number))
        .with("exportPorts", ports)
        .with("appAttemptState", attempt.state.name())
}

pub(crate) fn attempts(of: &ResourceManager, asked: &Asked) -> Outcome {
    let rights = rights(of, asked)?;
    let records = of.records();
    let app = named(of, &records, asked)?;
    let may = rights.may(app);
    let found: Value = app.attempt.iter().map(|attempt| listed(of, app, attempt, may)).collect();
    Ok(Answer::natural("appAttempts", Object::new().with("appAttempt", found)))
}

/// The number of the attempt that the path names.
fn number(of: &ResourceManager, app: &AppRecord, asked: &Asked) -> Result<u32, Fault> {
    const CAUSE: &str = "java.lang.IllegalArgumentException";
    let id = asked.part("attempt");
    let rest = id.strip_prefix("appattempt_");
    let rest = rest.ok_or_else(|| Fault::bad_request_for(CAUSE, format_args!("Invalid AppAttemptId prefix: {id}")))?;
    let numbers: Option<Vec<u64>> = rest.split('_').map(|part| part.parse().ok()).collect();
    let invalid = || Fault::bad_request_for(CAUSE, format_args!("Invalid AppAttemptId: {id}"));
    let missing = || {
        Fault::not_found_for(
            "org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException",
            format_args!("ApplicationAttempt with id '{id}' doesn't exist in RM."),
        )
    };
    match numbers.as_deref() {
        Some([timestamp, number, attempt]) => {
            let is_his = *timestamp == of.cluster().timestamp && *number == u64::from(app.number);
            u32::try_from(*attempt).ok().filter(|_| is_his).ok_or_else(missing)
        }
        _ => Err(invalid()),
    }
}

fn found<'r>(of: &ResourceManager, app: &'r AppRecord, asked: &Asked) -> Result<&'r AttemptRecord, Fault> {
    let number = number(of, app, asked)?;
    let id = of.cluster().attempt_id(app.number, number);
    app.attempt.as_ref().filter(|attempt| attempt.number == number).ok_or_else(|| {
        Fault::not_found_for(
            "org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException",
            format_args!("ApplicationAttempt with id '{id}' doesn't exist in RM."),
        )
    })
}

pub(crate) fn attempt(of: &ResourceManager, asked: &Asked) -> Outcome {
    let rights = rights(of, asked)?;
    let records = of.records();
    let app = named(of, &records, asked)?;
    number(of, app, asked)?;
    let id = asked.part("attempt");
    if !rights.may(app) {
        let user = &asked.user;
        return Err(Fault::no_privilege(format_args!("User {user} does not have privilege to see this attempt {id}")));
    }
    let attempt = found(of, app, asked)?;
    let url = tracking_url(of, app);
    let ended_badly = matches!(app.state, AppState::Failed | AppState::Killed);
    let (host, port) = attempt.rpc.as_ref().map_or(("N/A", -1), |(host, port)| (host.as_str(), *port));
    let master = attempt.master.as_ref();
    let answer = Object::new()
        .with("appAttemptId", of.cluster().attempt_id(app.number, attempt.number))
        .with("host", host)
        .with("rpcPort", port)
        .with("trackingUrl", if app.unmanaged && !ended_badly { "N/A".to_owned() } else { url.clone() })
        .with("originalTrackingUrl", if ended_badly { url.as_str() } else { "N/A" })
        .with("diagnosticsInfo", attempt.diagnostics.as_str())
        .with("appAttemptState", attempt.state.name())
        .maybe(
            "amContainerId",
            master.map(|master| of.cluster().container_id(app.number, attempt.number, master.container)),
        )
        .with("startedTime", attempt.started_ms)
        .with("finishedTime", attempt.finished_ms);
    Ok(Answer::mapped("appAttempt", answer))
}

pub(crate) fn containers(of: &ResourceManager, asked: &Asked) -> Outcome {
    let rights = rights(of, asked)?;
    let all = of.scheduler().containers();
    let records = of.records();
    let app = named(of, &records, asked)?;
    if !rights.may(app) {
        let (user, id) = (&asked.user, of.cluster().app_id(app.number));
        return Err(Fault::no_privilege(format_args!(
            "User {user} does not have privilege to see this application {id}"
        )));
    }
    let number = found(of, app, asked)?.number;
    let (types, now) = (&of.scheduler().basics().types, of.now_ms());
    let his = all.iter().filter(|view| !view.ended && view.id.application_number() == app.number);
    let his = his.filter(|view| view.id.attempt() == number);
    let containers = his.map(|view| {
        let id = of.cluster().container_id(app.number, number, view.id.number());
        let at = |port: u16| format!("{}:{port}", view.node);
        let started = records.container_made((app.number, number, view.id.number())).unwrap_or(now);
        let amounts = (0..types.len()).map(|index| (types.name(index).to_owned(), view.resource.get(index)));
        Object::new()
            .with("containerId", id.as_str())
            .with("allocatedMB", view.resource.memory_mb())
            .with("allocatedVCores", view.resource.vcores())
            .with("assignedNodeId", at(DEFAULT_PORT))
            .with("priority", view.priority)
            .with("startedTime", started)
            .with("finishedTime", 0)
            .with("elapsedTime", now.saturating_sub(started))
            .with("logUrl", logs(&at(DEFAULT_HTTP_PORT), &id, &app.user))
            .with("containerExitStatus", 0)
            .with("containerState", "RUNNING")
            .with("nodeHttpAddress", format!("http://{}", at(DEFAULT_HTTP_PORT)))
            .with("nodeId", at(DEFAULT_PORT))
            .with("allocatedResources", Object::map(amounts))
            .with("exposedPorts", "")
    });
    let containers: Vec<Value> = containers.map(Value::from).collect();
    let answer = if containers.is_empty() { Object::new() } else { Object::new().with("container", containers) };
    Ok(Answer::mapped("containers", answer))
}
