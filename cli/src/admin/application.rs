//! `application -list | -status | -movetoqueue | -changeQueue | -kill | -updatePriority`.

use serde_json::{Value, json};

use super::client::{Client, Failed, part};
use super::layout::{columns, percent};
use super::said::{FAILED, Said, WRONG};
use super::words::{Chosen, Values, Words};

const KNOWN: &[(&str, Values)] = &[
    ("list", Values::None),
    ("appTypes", Values::Many),
    ("appStates", Values::Many),
    ("appTags", Values::Many),
    ("status", Values::One),
    ("kill", Values::Many),
    ("movetoqueue", Values::One),
    ("queue", Values::One),
    ("changeQueue", Values::One),
    ("updatePriority", Values::One),
    ("appId", Values::One),
];

const USAGE: &str = "application -list [-appTypes TYPES] [-appStates STATES] [-appTags TAGS] | -status ID | -kill ID... | \
                     -movetoqueue ID -queue NAME | -changeQueue NAME -appId ID | -updatePriority N -appId ID";

/// In the order of Hadoop's enumeration.
const STATES: [&str; 8] = ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"];
/// Those that are listed where nothing is said.
const LISTED: [&str; 3] = ["SUBMITTED", "ACCEPTED", "RUNNING"];
const WIDTHS: [usize; 9] = [30, 20, 20, 10, 10, 18, 18, 15, 35];

pub(super) fn run(client: &Client, words: Words<'_>) -> Said {
    let said = match words.read(KNOWN) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    let outcome = if let Some(id) = said.value("status") {
        status(client, id)
    } else if said.has("list") {
        list(client, &said)
    } else if said.has("kill") {
        kill(client, &said.list("kill"))
    } else {
        match (said.value("movetoqueue"), said.value("queue"), said.value("changeQueue"), said.value("updatePriority"))
        {
            (Some(id), Some(queue), None, None) => move_to(client, id, queue),
            (None, None, Some(queue), None) if said.has("appId") => move_to(client, id_of(&said), queue),
            (None, None, None, Some(priority)) if said.has("appId") => update_priority(client, id_of(&said), priority),
            _ => return Said::wrong(USAGE),
        }
    };
    outcome.unwrap_or_else(|why| Said::failed(why.to_string()))
}

fn id_of(said: &Chosen) -> &str {
    said.value("appId").unwrap_or_default()
}

fn path(id: &str) -> String {
    format!("/ws/v1/cluster/apps/{}", part(id))
}

fn text<'v>(of: &'v Value, member: &str) -> &'v str {
    of[member].as_str().unwrap_or_default()
}

/// As a part of the whole, in 32 bits, as Hadoop reports it.
#[expect(clippy::cast_possible_truncation, reason = "it was written from 32 bits")]
fn progress(app: &Value) -> String {
    percent(f64::from(app["progress"].as_f64().unwrap_or_default() as f32 / 100.0))
}

fn is_over(app: &Value) -> bool {
    matches!(text(app, "state"), "FINISHED" | "FAILED" | "KILLED")
}

fn list(client: &Client, said: &Chosen) -> Result<Said, Failed> {
    let mut states = Vec::new();
    for wanted in said.list("appStates") {
        if wanted.eq_ignore_ascii_case("ALL") {
            states = STATES.to_vec();
            break;
        }
        match STATES.into_iter().find(|state| state.eq_ignore_ascii_case(wanted)) {
            Some(state) => states.push(state),
            None => {
                let known = STATES.join(",");
                let out = format!(
                    "The application state {wanted} is invalid.\nThe valid application state can be one of the following: ALL,{known}\n"
                );
                return Ok(Said { out, code: WRONG, ..Said::default() });
            }
        }
    }
    if states.is_empty() {
        states = LISTED.to_vec();
    }
    states.sort_by_key(|state| STATES.iter().position(|other| other == state));
    states.dedup();
    let types: Vec<String> = said.list("appTypes").into_iter().map(str::to_uppercase).collect();
    let tags = said.list("appTags").join(",");
    let (wanted, kinds) = (states.join(","), types.join(","));
    let mut query = vec![("states", wanted.as_str())];
    query.extend(
        [("applicationTypes", kinds.as_str()), ("applicationTags", tags.as_str())]
            .iter()
            .filter(|(_, list)| !list.is_empty()),
    );
    let answer = client.get("/ws/v1/cluster/apps", &query)?;
    let apps = answer["apps"]["app"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (of_types, in_states, with_tags) = (types.join(", "), states.join(", "), said.list("appTags").join(", "));
    let mut out = format!(
        "Total number of applications (application-types: [{of_types}], states: [{in_states}] and tags: [{with_tags}]):{}\n",
        apps.len()
    );
    out.push_str(&columns(
        &WIDTHS,
        &[
            "Application-Id",
            "Application-Name",
            "Application-Type",
            "User",
            "Queue",
            "State",
            "Final-State",
            "Progress",
            "Tracking-URL",
        ],
    ));
    for app in apps {
        let member = |name: &str| text(app, name);
        let row = [
            member("id"),
            member("name"),
            member("applicationType"),
            member("user"),
            member("queue"),
            member("state"),
            member("finalStatus"),
            &progress(app),
            "N/A",
        ];
        out.push_str(&columns(&WIDTHS, &row));
    }
    Ok(Said::out(out))
}

/// The application; none where there is none.
fn found(client: &Client, id: &str) -> Result<Option<Value>, Failed> {
    match client.get(&path(id), &[]) {
        Ok(answer) => Ok(Some(answer["app"].clone())),
        Err(why) if why.is_not_found() => Ok(None),
        Err(why) => Err(why),
    }
}

fn status(client: &Client, id: &str) -> Result<Said, Failed> {
    let Some(app) = found(client, id)? else {
        let out = format!("Application with id '{id}' doesn't exist in RM or Timeline Server.\n");
        return Ok(Said { out, code: WRONG, ..Said::default() });
    };
    let attempts = client.get(&format!("{}/appattempts", path(id)), &[]).unwrap_or_default();
    let last = attempts["appAttempts"]["appAttempt"]
        .as_array()
        .and_then(|all| all.last())
        .map(|last| text(last, "appAttemptId").to_owned());
    let attempt = match last {
        Some(last) => client.get(&format!("{}/appattempts/{}", path(id), part(&last)), &[]).unwrap_or_default(),
        None => Value::Null,
    };
    Ok(Said::out(report(&app, &attempt)))
}

/// What YARN's tool prints of an application and its last attempt.
fn report(app: &Value, attempt: &Value) -> String {
    let member = |name: &str| text(app, name);
    let of_attempt = |name: &str, otherwise: &str| {
        attempt[name].as_str().filter(|text| !text.is_empty()).unwrap_or(otherwise).to_owned()
    };
    // A label that is not said, and one that is the default partition's.
    let label = |name: &str| match app[name].as_str() {
        None => "<Not set>".to_owned(),
        Some(label) if label.trim().is_empty() => "<DEFAULT_PARTITION>".to_owned(),
        Some(label) => label.to_owned(),
    };
    let mut lines: Vec<(&str, String)> = vec![
        ("Application-Id", member("id").to_owned()),
        ("Application-Name", member("name").to_owned()),
        ("Application-Type", member("applicationType").to_owned()),
        ("User", member("user").to_owned()),
        ("Queue", member("queue").to_owned()),
        ("Application Priority", app["priority"].to_string()),
        ("Start-Time", app["startedTime"].to_string()),
        ("Finish-Time", app["finishedTime"].to_string()),
        ("Progress", progress(app)),
        ("State", member("state").to_owned()),
        ("Final-State", member("finalStatus").to_owned()),
        ("Tracking-URL", of_attempt("originalTrackingUrl", "N/A")),
        ("RPC Port", of_attempt("rpcPort", "-1")),
        ("AM Host", of_attempt("host", "N/A")),
        (
            "Aggregate Resource Allocation",
            format!("{} MB-seconds, {} vcore-seconds", app["memorySeconds"], app["vcoreSeconds"]),
        ),
        (
            "Aggregate Resource Preempted",
            format!("{} MB-seconds, {} vcore-seconds", app["preemptedMemorySeconds"], app["preemptedVcoreSeconds"]),
        ),
        ("Log Aggregation Status", app["logAggregationStatus"].as_str().unwrap_or("N/A").to_owned()),
        ("Diagnostics", member("diagnostics").to_owned()),
        ("Unmanaged Application", app["unmanagedApplication"].to_string()),
        ("Application Node Label Expression", label("appNodeLabelExpression")),
        ("AM container Node Label Expression", label("amNodeLabelExpression")),
    ];
    for timeout in app["timeouts"]["timeout"].as_array().into_iter().flatten() {
        let (kind, expiry, left) =
            (text(timeout, "type"), text(timeout, "expiryTime"), &timeout["remainingTimeInSeconds"]);
        lines.push(("TimeoutType", format!("{kind}\tExpiryTime : {expiry}\tRemainingTime : {left}seconds")));
    }
    let lines: String = lines.into_iter().map(|(name, value)| format!("\t{name} : {value}\n")).collect();
    format!("Application Report : \n{lines}\n")
}

fn kill(client: &Client, ids: &[&str]) -> Result<Said, Failed> {
    let mut said = Said { code: WRONG, ..Said::default() };
    for id in ids {
        let Some(app) = found(client, id)? else {
            said.out.push_str(&format!("Application with id '{id}' doesn't exist in RM.\n"));
            continue;
        };
        if is_over(&app) {
            said.out.push_str(&format!("Application {id} has already finished \n"));
        } else {
            said.out.push_str(&format!("Killing application {id}\n"));
            if let Err(why) = client.put(&format!("{}/state", path(id)), &json!({"state": "KILLED"})) {
                return Ok(Said { err: why.to_string(), code: FAILED, ..said });
            }
        }
        said.code = 0;
    }
    Ok(said)
}

fn missing(id: &str) -> Said {
    Said::failed(format!("Application with id '{id}' doesn't exist in RM."))
}

fn move_to(client: &Client, id: &str, queue: &str) -> Result<Said, Failed> {
    let Some(app) = found(client, id)? else { return Ok(missing(id)) };
    if is_over(&app) {
        return Ok(Said::out(format!("Application {id} has already finished \n")));
    }
    let mut out = format!("Moving application {id} to queue {queue}\n");
    if let Err(why) = client.put(&format!("{}/queue", path(id)), &json!({"queue": queue})) {
        return Ok(Said { out, err: why.to_string(), code: FAILED });
    }
    out.push_str("Successfully completed move.\n");
    Ok(Said::out(out))
}

fn update_priority(client: &Client, id: &str, priority: &str) -> Result<Said, Failed> {
    let Ok(wanted) = priority.parse::<i32>() else {
        return Ok(Said::failed(format!("{priority:?} is no priority: it is a whole number")));
    };
    let mut out = format!("Updating priority of an application {id}\n");
    match client.put(&format!("{}/priority", path(id)), &json!({"priority": wanted})) {
        Ok(answer) if answer["priority"] == wanted => {
            out.push_str(&format!("Successfully updated the application {id} with priority '{priority}'\n"));
        }
        Ok(_) => out.push_str(&format!(
            "Updated priority of an application  {id} to cluster max priority OR keeping old priority as application is in final states\n"
        )),
        Err(why) => return Ok(Said { out, err: why.to_string(), code: FAILED }),
    }
    Ok(Said::out(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_looks_as_yarn_prints_it() {
        let app = json!({
            "id": "application_7_0001", "name": "sort", "applicationType": "MAPREDUCE", "user": "ann", "queue": "root.a", "priority": 3,
            "startedTime": 5, "finishedTime": 0, "progress": 12.5, "state": "RUNNING", "finalStatus": "UNDEFINED", "memorySeconds": 0,
            "vcoreSeconds": 0, "preemptedMemorySeconds": 0, "preemptedVcoreSeconds": 0, "logAggregationStatus": "DISABLED",
            "diagnostics": "", "unmanagedApplication": false, "amNodeLabelExpression": "",
            "timeouts": {"timeout": [{"type": "LIFETIME", "expiryTime": "UNLIMITED", "remainingTimeInSeconds": -1}]},
        });
        let attempt = json!({"originalTrackingUrl": "N/A", "rpcPort": "10020", "host": "n1"});
        let expected = "Application Report : \n\tApplication-Id : application_7_0001\n\tApplication-Name : \
                        sort\n\tApplication-Type : MAPREDUCE\n\tUser : ann\n\tQueue : root.a\n\tApplication Priority : 3\n\tStart-Time : \
                        5\n\tFinish-Time : 0\n\tProgress : 12.5%\n\tState : RUNNING\n\tFinal-State : UNDEFINED\n\tTracking-URL : \
                        N/A\n\tRPC Port : 10020\n\tAM Host : n1\n\tAggregate Resource Allocation : 0 MB-seconds, 0 \
                        vcore-seconds\n\tAggregate Resource Preempted : 0 MB-seconds, 0 vcore-seconds\n\tLog Aggregation Status : \
                        DISABLED\n\tDiagnostics : \n\tUnmanaged Application : false\n\tApplication Node Label Expression : <Not \
                        set>\n\tAM container Node Label Expression : <DEFAULT_PARTITION>\n\tTimeoutType : LIFETIME\tExpiryTime : \
                        UNLIMITED\tRemainingTime : -1seconds\n\n";
        assert_eq!(report(&app, &attempt), expected);
    }
}
