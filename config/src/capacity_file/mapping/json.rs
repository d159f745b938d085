//! Mapping rules in JSON, as generous as Hadoop's reader: numbers stand for texts, what follows the document and fields
//! that are not known do not count.

use super::properties::{JSON, Problem, error};
use crate::capacity_file::error::CapacityFileError;
use crate::capacity_file::mapping_rules::{MappingRule, RuleAction, RuleFallback, RuleMatch};
use serde_json::{Deserializer, Map, Value};

const POLICIES: &str = "specified, reject, defaultQueue, user, primaryGroup, secondaryGroup, primaryGroupUser, \
                        secondaryGroupUser, applicationName, setDefaultQueue or custom";

pub(super) fn read(text: &str) -> Result<Vec<MappingRule>, CapacityFileError> {
    read_rules(text).map_err(|problem| error(JSON, problem))
}

fn read_rules(text: &str) -> Result<Vec<MappingRule>, Problem> {
    let document = Deserializer::from_str(text).into_iter::<Value>().next();
    let document = document.ok_or("is empty; write {\"rules\": [...]}")?.map_err(|error| error.to_string())?;
    let document = document.as_object().ok_or("is not an object {\"rules\": [...]}")?;
    let Some(rules) = document.get("rules") else { return Ok(Vec::new()) };
    let rules = rules.as_array().ok_or("has \"rules\" that are not a list [...]")?;
    let numbered = rules.iter().enumerate();
    numbered.map(|(at, rule)| read_rule(rule).map_err(|problem| format!("{problem} (rule {})", at + 1))).collect()
}

fn read_rule(rule: &Value) -> Result<MappingRule, Problem> {
    let fields = rule.as_object().ok_or("a rule is not an object {...}")?;
    let text = |field: &str| text(fields, field);
    let kind = text("type")?;
    let matches = text("matches")?;
    let policy = text("policy")?;
    let fallback = match text("fallbackResult")?.as_deref() {
        None | Some("skip") => RuleFallback::Skip,
        Some("placeDefault") => RuleFallback::PlaceDefault,
        Some("reject") => RuleFallback::Reject,
        Some(other) => return Err(format!("fallbackResult {other:?} must be skip, placeDefault or reject")),
    };
    let kind = kind.map(|kind| match kind.as_str() {
        "user" | "group" | "application" => Ok(kind),
        _ => Err(format!("type {kind:?} must be user, group or application")),
    });
    let (create, parent) = (flag(fields, "create")?.unwrap_or(true), text("parentQueue")?);
    let (custom, value) = (text("customPlacement")?, text("value")?);
    let place = |queue: &str| RuleAction::Place { queue: queue.to_owned(), create };
    let under = |queue: &str| place(&parent.as_ref().map_or(queue.to_owned(), |parent| format!("{parent}.{queue}")));
    let kind = kind.transpose()?;
    let action = match policy.as_deref() {
        None => None,
        Some("specified") => Some(place("%specified")),
        Some("reject") => Some(RuleAction::Reject),
        Some("defaultQueue") => Some(RuleAction::Place { queue: "%default".to_owned(), create: false }),
        Some("user") => Some(under("%user")),
        Some("primaryGroup") => Some(under("%primary_group")),
        Some("secondaryGroup") => Some(under("%secondary_group")),
        Some("primaryGroupUser") => Some(under("%primary_group.%user")),
        Some("secondaryGroupUser") => Some(under("%secondary_group.%user")),
        Some("applicationName") => Some(under("%application")),
        Some("setDefaultQueue") => {
            Some(RuleAction::SetDefault(value.ok_or("default queue is undefined: add \"value\"")?))
        }
        Some("custom") => Some(place(&custom.ok_or("custom queue is undefined: add \"customPlacement\"")?)),
        Some(other) => return Err(format!("policy {other:?} must be {POLICIES}")),
    };
    let action = action.ok_or_else(|| format!("Rule policy is undefined: it must be {POLICIES}"))?;
    let kind = kind.ok_or("Rule type is undefined: it must be user, group or application")?;
    let matches = matches.ok_or("Match string is undefined: add \"matches\"")?;
    let matches = match (kind.as_str(), matches.as_str()) {
        (_, "") => return Err("Match string is empty: name somebody, or * for all users".to_owned()),
        ("user", "*") => RuleMatch::Everybody,
        ("user", _) => RuleMatch::User(matches),
        ("group", "*") => return Err("Cannot match '*' for groups: use the type user".to_owned()),
        ("group", _) => RuleMatch::Group(matches),
        _ => RuleMatch::Application(matches),
    };
    Ok(MappingRule { matches, action, fallback })
}

/// A text; numbers and truth values are taken for one.
fn text(fields: &Map<String, Value>, field: &str) -> Result<Option<String>, Problem> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
        Some(Value::Array(_) | Value::Object(_)) => Err(format!("{field} is not a text")),
    }
}

/// A truth value; its name and integers are taken for one.
fn flag(fields: &Map<String, Value>, field: &str) -> Result<Option<bool>, Problem> {
    let wrong = || format!("{field} is neither true nor false");
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(Value::Number(number)) => number.as_i64().map(|number| Some(number != 0)).ok_or_else(wrong),
        Some(Value::String(text)) => match crate::java::trim(text) {
            "" => Ok(None),
            "true" | "True" | "TRUE" => Ok(Some(true)),
            "false" | "False" | "FALSE" => Ok(Some(false)),
            _ => Err(wrong()),
        },
        Some(Value::Array(_) | Value::Object(_)) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_whom_it_is_for_and_what_it_does() {
        let rules = read(
            r#"{"rules": [
                {"type": "user", "matches": "*", "policy": "primaryGroupUser", "parentQueue": "root.a", "create": "false"},
                {"type": "group", "matches": 5, "policy": "setDefaultQueue", "value": "root.b", "fallbackResult": "reject"}
            ], "more": 1} and more"#,
        );
        let rules = rules.unwrap();
        let action = RuleAction::Place { queue: "root.a.%primary_group.%user".into(), create: false };
        let first = MappingRule { matches: RuleMatch::Everybody, action, fallback: RuleFallback::Skip };
        assert_eq!(rules[0], first);
        assert_eq!(rules[1].matches, RuleMatch::Group("5".into()));
        assert_eq!(rules[1].action, RuleAction::SetDefault("root.b".into()));
        assert_eq!(read("{}"), Ok(Vec::new()));
    }

    #[test]
    fn a_rule_without_its_parts_is_refused() {
        for bad in [
            r#"{"type": "user", "matches": "al"}"#,
            r#"{"matches": "al", "policy": "user"}"#,
            r#"{"type": "user", "policy": "user"}"#,
            r#"{"type": "user", "matches": "", "policy": "user"}"#,
            r#"{"type": "group", "matches": "*", "policy": "user"}"#,
            r#"{"type": "user", "matches": "al", "policy": "custom"}"#,
            r#"{"type": "user", "matches": "al", "policy": "User"}"#,
            r#"{"type": "user", "matches": "al", "policy": "user", "create": "yes"}"#,
            "null",
        ] {
            assert!(read(&format!("{{\"rules\": [{bad}]}}")).is_err(), "{bad}");
        }
        for bad in ["", "[]", "null", "{\"rules\": null}", "{\"rules\": 1}", "{"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
