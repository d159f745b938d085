//! `state`, and `log-level [-getlevel NAME | -setlevel NAME LEVEL]`.

use evenweave_tools::output;
use serde_json::{Value, json};

use super::client::Client;
use super::said::Said;
use super::words::{Values, Words};

/// What the state dump has; of a CapacityScheduler, and with `-json`, all of it as values.
pub(super) fn state(client: &Client, words: Words<'_>) -> Said {
    let said = match words.read(&[("json", Values::None)]) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    match client.get_as_it_is("/ws/v1/evenweave/state") {
        Ok(answer) => match answer["state"]["messages"].as_array().filter(|_| !said.has("json")) {
            Some(messages) => Said::out(
                messages
                    .iter()
                    .filter_map(Value::as_str)
                    .map(|message| format!("{}\n", output::line(message)))
                    .collect::<String>(),
            ),
            None => Said::out(format!("{}\n", output::json(&format!("{:#}", answer["state"])))),
        },
        Err(why) => Said::failed(why.to_string()),
    }
}

pub(super) fn log_level(client: &Client, words: Words<'_>) -> Said {
    const PATH: &str = "/ws/v1/evenweave/log-level";
    let said = match words.read(&[("getlevel", Values::One), ("setlevel", Values::Many)]) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    let answer = match (said.value("getlevel"), said.list("setlevel").as_slice()) {
        (None, []) => client.get(PATH, &[]),
        (Some(log), []) => client.get(PATH, &[("log", log)]),
        (None, [log, level]) => client.put(PATH, &json!({"log": log, "level": level})),
        _ => return Said::wrong("log-level [-getlevel NAME | -setlevel NAME LEVEL]"),
    };
    match answer {
        Ok(answer) => {
            let answer = &answer["logLevel"];
            Said::out(match answer["level"].as_str() {
                Some(level) => format!("Effective Level: {level}\n"),
                None => format!("{}\n", answer["levels"].as_str().unwrap_or_default()),
            })
        }
        Err(why) => Said::failed(why.to_string()),
    }
}
