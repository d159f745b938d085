//! `cluster --list-node-labels`.

use serde_json::Value;

use super::client::Client;
use super::said::Said;
use super::words::{Values, Words};

const KNOWN: &[(&str, Values)] = &[("list-node-labels", Values::None), ("lnl", Values::None)];

pub(super) fn run(client: &Client, words: Words<'_>) -> Said {
    let said = match words.read(KNOWN) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    if !said.has("list-node-labels") && !said.has("lnl") {
        return Said::wrong("cluster --list-node-labels");
    }
    match client.get("/ws/v1/cluster/get-node-labels", &[]) {
        Ok(answer) => Said::out(format!("Node Labels: {}\n", listed(&answer))),
        Err(why) => Said::failed(why.to_string()),
    }
}

/// As Hadoop writes labels, by name. One alone is in no list.
fn listed(answer: &Value) -> String {
    let of = &answer["nodeLabelInfo"];
    let labels = if of.is_object() { std::slice::from_ref(of) } else { of.as_array().map_or(&[][..], Vec::as_slice) };
    let shown = |label: &Value| {
        let text = |member: &str| label[member].as_str().unwrap_or_default().to_owned();
        (text("name"), text("exclusivity"))
    };
    let mut labels: Vec<(String, String)> = labels.iter().map(shown).collect();
    labels.sort();
    let labels = labels.into_iter().map(|(name, exclusivity)| format!("<{name}:exclusivity={exclusivity}>"));
    labels.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_are_listed_by_name() {
        let label = |name: &str, exclusivity: &str| json!({"name": name, "exclusivity": exclusivity});
        assert_eq!(listed(&json!({})), "");
        assert_eq!(listed(&json!({"nodeLabelInfo": label("x", "true")})), "<x:exclusivity=true>");
        let two = json!({"nodeLabelInfo": [label("y", "false"), label("x", "true")]});
        assert_eq!(listed(&two), "<x:exclusivity=true>,<y:exclusivity=false>");
    }
}
