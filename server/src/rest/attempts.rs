//! `/apps/{id}/appattempts`, one attempt, and its containers.

use evenweave::view::ContainerView;

use super::app::{self, DEFAULT_HTTP_PORT, DEFAULT_PORT, Seen, logs, named, rights, tracking_url};
use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use crate::java::place_of_text;
use crate::manager::ResourceManager;
use crate::records::{AppRecord, AppState, AttemptRecord, Records};
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

const UNREADABLE: &str = "java.lang.IllegalArgumentException";

fn no_attempt(id: &str) -> Fault {
    Fault::not_found_for(
        "org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException",
        format_args!("ApplicationAttempt with id '{id}' doesn't exist in RM."),
    )
}

/// What the name of an attempt says: the ResourceManager's start, the application's number, its own. As in Java they
/// may have a sign.
fn parts(id: &str) -> Result<(i64, i32, i32), Fault> {
    let rest = id.strip_prefix("appattempt_");
    let rest =
        rest.ok_or_else(|| Fault::bad_request_for(UNREADABLE, format_args!("Invalid AppAttemptId prefix: {id}")))?;
    let read = || -> Option<(i64, i32, i32)> {
        let mut numbers = rest.splitn(3, '_');
        let (start, app, own) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some((start.parse().ok()?, app.parse().ok()?, own.parse().ok()?))
    };
    read().ok_or_else(|| Fault::bad_request_for(UNREADABLE, format_args!("Invalid AppAttemptId: {id}")))
}

/// The number of the attempt that the path names.
fn number(of: &ResourceManager, app: &AppRecord, asked: &Asked) -> Result<u32, Fault> {
    let id = asked.part("attempt");
    let (timestamp, number, attempt) = parts(id)?;
    let is_his = u64::try_from(timestamp) == Ok(of.cluster().timestamp) && u32::try_from(number) == Ok(app.number);
    u32::try_from(attempt).ok().filter(|_| is_his).ok_or_else(|| no_attempt(id))
}

fn found<'r>(of: &ResourceManager, app: &'r AppRecord, asked: &Asked) -> Result<&'r AttemptRecord, Fault> {
    let number = number(of, app, asked)?;
    let id = of.cluster().attempt_id(app.number, number);
    app.attempt.as_ref().filter(|attempt| attempt.number == number).ok_or_else(|| no_attempt(&id))
}

pub(crate) fn attempt(of: &ResourceManager, asked: &Asked) -> Outcome {
    let (rights, seen) = (rights(of, asked)?, Seen::of(of));
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
        .with("diagnosticsInfo", seen.diagnostics_of(app, attempt))
        .with("appAttemptState", attempt.state.name())
        .maybe(
            "amContainerId",
            master.map(|master| of.cluster().container_id(app.number, attempt.number, master.container)),
        )
        .with("startedTime", attempt.started_ms)
        .with("finishedTime", attempt.finished_ms);
    Ok(Answer::mapped("appAttempt", answer))
}

/// Containers of one attempt.
struct Held<'r> {
    of: &'r ResourceManager,
    records: &'r Records,
    app: &'r AppRecord,
    attempt: u32,
    now_ms: u64,
}

impl Held<'_> {
    fn live(&self, view: &ContainerView) -> bool {
        !view.ended && view.id.application_number() == self.app.number && view.id.attempt() == self.attempt
    }

    fn shown(&self, view: &ContainerView) -> Object {
        let types = &self.of.scheduler().basics().types;
        let key = (self.app.number, self.attempt, view.id.number());
        let id = self.of.cluster().container_id(key.0, key.1, key.2);
        let at = |port: u16| format!("{}:{port}", view.node);
        let started = self.records.container_made(key).unwrap_or(self.now_ms);
        let amounts = (0..types.len()).map(|index| (types.name(index).to_owned(), view.resource.get(index)));
        Object::new()
            .with("containerId", id.as_str())
            .with("allocatedMB", view.resource.memory_mb())
            .with("allocatedVCores", view.resource.vcores())
            .with("assignedNodeId", at(DEFAULT_PORT))
            .with("priority", view.priority)
            .with("startedTime", started)
            .with("finishedTime", 0)
            .with("elapsedTime", self.now_ms.saturating_sub(started))
            .with("logUrl", logs(&at(DEFAULT_HTTP_PORT), &id, &self.app.user))
            .with("containerExitStatus", 0)
            .with("containerState", "RUNNING")
            .with("nodeHttpAddress", format!("http://{}", at(DEFAULT_HTTP_PORT)))
            .with("nodeId", at(DEFAULT_PORT))
            .with("allocatedResources", Object::map(amounts))
            .with("exposedPorts", "")
    }
}

/// Answers something of the containers of the attempt that the path names, to those who may see its application.
fn of_containers(
    of: &ResourceManager,
    asked: &Asked,
    answer: impl FnOnce(&Held<'_>, &[ContainerView]) -> Outcome,
) -> Outcome {
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
    let attempt = found(of, app, asked)?.number;
    answer(&Held { of, records: &records, app, attempt, now_ms: of.now_ms() }, &all)
}

pub(crate) fn containers(of: &ResourceManager, asked: &Asked) -> Outcome {
    of_containers(of, asked, |held, all| {
        let containers: Vec<Value> =
            all.iter().filter(|view| held.live(view)).map(|view| held.shown(view).into()).collect();
        let answer = if containers.is_empty() { Object::new() } else { Object::new().with("container", containers) };
        Ok(Answer::mapped("containers", answer))
    })
}

/// What the name of a container says.
struct ContainerName {
    start: i64,
    app: i32,
    attempt: i32,
    number: i64,
}

/// Reads the name of a container. The epoch counts restarts, and an id is unique without it; what stands behind the
/// number is passed over.
fn container_name(id: &str) -> Result<ContainerName, Fault> {
    let rest = id.strip_prefix("container_");
    let rest =
        rest.ok_or_else(|| Fault::bad_request_for(UNREADABLE, format_args!("Invalid ContainerId prefix: {id}")))?;
    let read = || -> Option<ContainerName> {
        let mut parts = rest.split('_').peekable();
        if let Some(epoch) = parts.peek().and_then(|first| first.strip_prefix('e')) {
            epoch.parse::<i32>().ok()?;
            parts.next();
        }
        let (start, app) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(ContainerName { start, app, attempt: parts.next()?.parse().ok()?, number: parts.next()?.parse().ok()? })
    };
    read().ok_or_else(|| Fault::bad_request_for(UNREADABLE, format_args!("Invalid ContainerId: {id}")))
}

pub(crate) fn container(of: &ResourceManager, asked: &Asked) -> Outcome {
    let of_app = app::parts(asked.part("app"))?;
    let (attempt_start, attempt_app, attempt_number) = parts(asked.part("attempt"))?;
    let named = container_name(asked.part("container"))?;
    let ContainerName { start, app: app_number, number, .. } = named;
    if of_app != (attempt_start, attempt_app) {
        return Err(Fault::not_found("appId and appAttemptId don't match"));
    }
    if (attempt_start, attempt_app, attempt_number) != (start, app_number, named.attempt) {
        return Err(Fault::not_found("appAttemptId and containerId don't match"));
    }
    of_containers(of, asked, |held, all| {
        let view = all.iter().find(|view| held.live(view) && i64::from(view.id.number()) == number);
        let view = view.ok_or_else(|| {
            let id = format_args!("container_{start}_{app_number:04}_{attempt_number:02}_{number:06}");
            Fault::not_found_for(
                "org.apache.hadoop.yarn.exceptions.ContainerNotFoundException",
                format_args!("Container with id '{id}' doesn't exist in RM."),
            )
        })?;
        Ok(Answer::mapped("container", held.shown(view)))
    })
}
