//! `rmadmin -refreshQueues | -refreshNodes [-g] | -updateNodeResource ID MB VCORES`, and what only this server has:
//! `-refreshTokens`, `-decommission`, `-recommission` and `-removeNode` of a node. Hadoop's tool says nothing where it
//! has done it. `-addToClusterNodeLabels`, `-removeFromClusterNodeLabels` and `-replaceLabelsOnNode` change node labels.

use serde_json::{Value, json};

use super::client::{Client, Failed, diagnostic, part};
use super::labels;
use super::said::Said;
use super::words::{Values, Words};

const KNOWN: &[(&str, Values)] = &[
    ("refreshQueues", Values::None),
    ("refreshNodes", Values::None),
    ("g", Values::None),
    ("graceful", Values::None),
    ("refreshTokens", Values::None),
    ("updateNodeResource", Values::Many),
    ("decommission", Values::One),
    ("recommission", Values::One),
    ("removeNode", Values::One),
    ("addToClusterNodeLabels", Values::One),
    ("removeFromClusterNodeLabels", Values::One),
    ("replaceLabelsOnNode", Values::Words),
    ("failOnUnknownNodes", Values::None),
];

const USAGE: &str = "rmadmin -refreshQueues | -refreshNodes [-g] | -refreshTokens | -updateNodeResource ID MB VCORES | -decommission \
                     ID | -recommission ID | -removeNode ID | -addToClusterNodeLabels \"NAME(exclusive=true),...\" | \
                     -removeFromClusterNodeLabels NAME,... | -replaceLabelsOnNode \"HOST[:PORT]=NAME ...\" [-failOnUnknownNodes]";

const OURS: &str = "/ws/v1/evenweave";

pub(super) fn run(client: &Client, words: Words<'_>) -> Said {
    let said = match words.read(KNOWN) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    let (graceful, known_alone) = (said.has("g") || said.has("graceful"), said.has("failOnUnknownNodes"));
    let commands: Vec<&'static str> = KNOWN
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !matches!(*name, "g" | "graceful" | "failOnUnknownNodes") && said.has(name))
        .collect();
    let command = match commands.as_slice() {
        [command]
            if (!graceful || *command == "refreshNodes") && (!known_alone || *command == "replaceLabelsOnNode") =>
        {
            *command
        }
        _ => return Said::wrong(USAGE),
    };
    let post = |path: &str, query: &[(&str, &str)]| client.post(&format!("{OURS}/{path}"), query, None);
    let node = |what: &str| {
        let id = said.value(command).unwrap_or_default();
        client.post(&format!("{OURS}/nodes/{}/{what}", part(id)), &[], None)
    };
    let outcome = match command {
        "refreshQueues" => post("refresh-queues", &[]),
        "refreshNodes" => post("refresh-nodes", &[("graceful", if graceful { "true" } else { "false" })]),
        "refreshTokens" => post("refresh-tokens", &[]),
        "decommission" => node("decommission"),
        "recommission" => node("recommission"),
        "removeNode" => node("remove"),
        "addToClusterNodeLabels" => match labels::new_labels(said.value(command).unwrap_or_default()) {
            Ok(body) => client.post("/ws/v1/cluster/add-node-labels", &[], Some(&body)),
            Err(why) => return Said::wrong(format!("{command}: {why}")),
        },
        "removeFromClusterNodeLabels" => {
            let labels: Vec<(&str, &str)> = said.list(command).into_iter().map(|label| ("labels", label)).collect();
            if labels.is_empty() {
                return Said::wrong(format!("{command}: {}", labels::NO_LABELS));
            }
            client.post("/ws/v1/cluster/remove-node-labels", &labels, None)
        }
        "replaceLabelsOnNode" => match labels::mappings(&said.words(command)) {
            Ok(nodes) => replace(client, &nodes, known_alone),
            Err(why) => return Said::wrong(format!("{command}: {why}")),
        },
        _ => match resized(&said.list("updateNodeResource")) {
            Ok((id, body)) => client.post(&format!("/ws/v1/cluster/nodes/{}/resource", part(id)), &[], Some(&body)),
            Err(why) => return Said::wrong(format!("{command}: {why}")),
        },
    };
    told(command, outcome)
}

/// Hadoop's REST takes nodes that are not known, so that it is looked here whether they are.
fn replace(client: &Client, nodes: &labels::Mappings, known_alone: bool) -> Result<Value, Failed> {
    if known_alone {
        let answer = client.get("/ws/v1/cluster/nodes", &[])?;
        let there = answer["nodes"]["node"].as_array().map(Vec::as_slice).unwrap_or_default();
        let unknown = labels::unknown(nodes, there);
        if !unknown.is_empty() {
            let message = format!("Failed to replace labels as there are unknown nodes:[{}]", unknown.join(", "));
            return Err(Failed::Refused { status: 400, exception: String::new(), message, found: Vec::new() });
        }
    }
    client.post("/ws/v1/cluster/replace-node-to-labels", &[], Some(&labels::body(nodes)))
}

fn resized<'w>(words: &[&'w str]) -> Result<(&'w str, Value), String> {
    let [id, memory, vcores] = words else {
        return Err(format!(
            "there are {} values, and it needs three: the node's id, its MB and its vcores",
            words.len()
        ));
    };
    let amount = |text: &str| text.parse::<i32>().ok().filter(|amount| *amount >= 0);
    match (amount(memory), amount(vcores)) {
        (Some(memory), Some(vcores)) => {
            Ok((id, json!({"resource": {"memory": memory, "vCores": vcores}, "overCommitTimeout": -1})))
        }
        _ => Err(format!("Invalid resource value: ({memory},{vcores}) for updateNodeResource.")),
    }
}

/// Nothing, where it was done; what was odd or wrong, a line each.
fn told(command: &str, outcome: Result<Value, Failed>) -> Said {
    match outcome {
        Ok(answer) => {
            let odd: Vec<String> =
                answer["refresh"]["diagnostics"].as_array().into_iter().flatten().map(diagnostic).collect();
            Said { err: odd.join("\n"), ..Said::default() }
        }
        Err(Failed::Refused { found, .. }) if !found.is_empty() => {
            Said::wrong(format!("{command}: {}", found.join("\n")))
        }
        Err(why) => Said::wrong(format!("{command}: {why}")),
    }
}
