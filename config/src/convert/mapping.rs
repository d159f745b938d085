//! Placement rules as a JSON document of mapping rules.
//!
//! Hadoop's `QueuePlacementConverter`.

use super::error::ConvertError;
use super::property_prefixes::of_queue;
use super::rules::{RuleHandler, Unsupported};
use crate::placement_rules::{PlacementRule, RuleKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const DEFAULT: &str = "root.default";
const PRIMARY: &str = "root.<primaryGroup>";
const SECONDARY: &str = "root.<secondaryGroup>";

/// A mapping rule to be written; it matches every user, and goes on to the next where it cannot place.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    policy: &'static str,
    parent: Option<String>,
    create: bool,
    custom: Option<String>,
}

/// The document. `properties`: those of the queues so far; `percentages`: queues have these, so none makes itself.
pub(super) fn document(
    rules: &[PlacementRule],
    percentages: bool,
    properties: &BTreeMap<String, String>,
    handler: &mut RuleHandler<'_>,
) -> Result<String, ConvertError> {
    let converter = Converter { percentages, properties };
    let rules: Vec<Rule> = rules.iter().map(|rule| converter.rule(rule, handler)).collect::<Result<_, _>>()?;
    Ok(text(&rules))
}

struct Converter<'a> {
    percentages: bool,
    properties: &'a BTreeMap<String, String>,
}

impl Converter<'_> {
    fn rule(&self, rule: &PlacementRule, handler: &mut RuleHandler<'_>) -> Result<Rule, ConvertError> {
        match (rule.kind, &rule.parent) {
            (RuleKind::User, Some(parent)) => self.nested(rule.create, parent, handler),
            (RuleKind::User, None) => self.simple("user", rule.create, handler),
            (RuleKind::Specified, _) => self.simple("specified", rule.create, handler),
            (RuleKind::PrimaryGroup, _) => self.simple("primaryGroup", rule.create, handler),
            (RuleKind::SecondaryGroupExisting, _) => self.simple("secondaryGroup", rule.create, handler),
            (RuleKind::Reject, _) => self.simple("reject", false, handler),
            (RuleKind::Default, _) => match queue_of(rule) {
                DEFAULT => self.simple("defaultQueue", rule.create, handler),
                queue => {
                    let made = self.simple("custom", rule.create, handler)?;
                    Ok(Rule { custom: Some(queue.to_owned()), ..made })
                }
            },
        }
    }

    fn simple(&self, policy: &'static str, create: bool, handler: &mut RuleHandler<'_>) -> Result<Rule, ConvertError> {
        let group = match policy {
            "primaryGroup" | "primaryGroupUser" => Some(PRIMARY),
            "secondaryGroup" | "secondaryGroupUser" => Some(SECONDARY),
            _ => None,
        };
        if let Some(path) = group.filter(|_| self.percentages && create) {
            handler.handle(Unsupported::QueueDynamicCreate { path })?;
        }
        let below_root = !self.percentages && (policy == "user" || group.is_some());
        Ok(Rule { policy, parent: below_root.then(|| "root".to_owned()), create, custom: None })
    }

    fn nested(
        &self,
        create: bool,
        parent: &PlacementRule,
        handler: &mut RuleHandler<'_>,
    ) -> Result<Rule, ConvertError> {
        let (policy, name, path) = match parent.kind {
            RuleKind::PrimaryGroup => ("primaryGroupUser", "PRIMARY_GROUP_USER", PRIMARY),
            RuleKind::SecondaryGroupExisting => ("secondaryGroupUser", "SECONDARY_GROUP_USER", SECONDARY),
            RuleKind::Default => ("user", "USER", queue_of(parent)),
            RuleKind::Specified | RuleKind::User | RuleKind::Reject => {
                let class = parent.kind.hadoop_class();
                return Err(ConvertError::fatal(format!(
                    "Unsupported parent nested rule: org.apache.hadoop.yarn.server.resourcemanager.placement.{class}"
                )));
            }
        };
        let mut rule = self.simple(policy, create, handler)?;
        if policy == "user" {
            rule.parent = Some(path.to_owned());
        }
        if !self.percentages {
            rule.create = create || parent.create;
            if create != parent.create {
                handler.handle(Unsupported::CreateDiffers { policy: name })?;
            }
            return Ok(rule);
        }
        if parent.create {
            handler.handle(Unsupported::ParentDynamicCreate { path })?;
        }
        if create && policy == "user" {
            handler.handle(Unsupported::QueueDynamicCreate { path })?;
            if self.properties.contains_key(&of_queue(path, "queues")) {
                handler.handle(Unsupported::StaticDynamicConflict { path })?;
            }
        }
        Ok(rule)
    }
}

/// The queue of a `default` rule.
fn queue_of(rule: &PlacementRule) -> &str {
    rule.queue.as_deref().unwrap_or(DEFAULT)
}

/// As Jackson's pretty printer lays it out.
fn text(rules: &[Rule]) -> String {
    let mut out = "{\n  \"rules\" : [".to_owned();
    for (at, rule) in rules.iter().enumerate() {
        out.push_str(if at == 0 { " {\n" } else { ", {\n" });
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let fields = [
            Some(("type", quoted("user"))),
            Some(("matches", quoted("*"))),
            Some(("policy", quoted(rule.policy))),
            rule.parent.as_deref().map(|parent| ("parentQueue", quoted(parent))),
            Some(("fallbackResult", quoted("skip"))),
            Some(("create", rule.create.to_string())),
            rule.custom.as_deref().map(|custom| ("customPlacement", quoted(custom))),
        ];
        let lines: Vec<String> =
            fields.into_iter().flatten().map(|(name, value)| format!("    \"{name}\" : {value}")).collect();
        // Writing into a text does not fail.
        let _ = write!(out, "{}\n  }}", lines.join(",\n"));
    }
    out.push_str(" ]\n}");
    out
}

#[cfg(test)]
mod tests {
    use super::super::rules::ConversionRules;
    use super::*;

    fn converted(rules: &[PlacementRule], percentages: bool, properties: &[(&str, &str)]) -> (String, Vec<String>) {
        let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let actions = ConversionRules::default();
        let mut handler = RuleHandler::new(&actions, false);
        (document(rules, percentages, &properties, &mut handler).unwrap(), handler.warnings)
    }

    #[test]
    fn the_layout_is_jacksons() {
        let rules = [PlacementRule::new(RuleKind::User, true), PlacementRule::new(RuleKind::Reject, true)];
        let expected = "{\n  \"rules\" : [ {\n    \"type\" : \"user\",\n    \"matches\" : \"*\",\n    \"policy\" : \"user\",\n    \
                        \"parentQueue\" : \"root\",\n    \"fallbackResult\" : \"skip\",\n    \"create\" : true\n  }, {\n    \
                        \"type\" : \"user\",\n    \"matches\" : \"*\",\n    \"policy\" : \"reject\",\n    \
                        \"fallbackResult\" : \"skip\",\n    \"create\" : false\n  } ]\n}";
        assert_eq!(converted(&rules, false, &[]).0, expected);
    }

    #[test]
    fn a_default_parent_gets_three_warnings_with_percentages() {
        let nested = PlacementRule {
            parent: Some(Box::new(PlacementRule::new(RuleKind::Default, true))),
            ..PlacementRule::new(RuleKind::User, true)
        };
        let properties = [("yarn.scheduler.capacity.root.default.queues", "a")];
        let (text, warnings) = converted(std::slice::from_ref(&nested), true, &properties);
        assert!(text.contains("\"parentQueue\" : \"root.default\""), "{text}");
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        let other = PlacementRule { create: false, ..nested };
        let (text, warnings) = converted(&[other], false, &[]);
        assert!(
            text.contains("\"create\" : true") && warnings[0].contains("the policy USER originally"),
            "{warnings:?}"
        );
    }
}
