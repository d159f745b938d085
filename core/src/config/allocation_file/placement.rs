//! The placement policy: `queuePlacementPolicy` and its rules.
//!
//! Configuration reference 6.3 to 6.6; Hadoop's `QueuePlacementPolicy.fromXml`.

use super::context::Context;
use super::error::AllocationFileError as Error;
use crate::config::names::{rooted, valid_requested_name};
use crate::config::nearest::hint;
use crate::config::placement_rules::{PlacementRule, RuleKind};
use crate::config::xml::Element;

/// The rules, or `None` when there is no rule element: then the old rules stay.
pub(super) fn read_policy(context: &mut Context<'_>, policy: &Element) -> Result<Option<Vec<PlacementRule>>, Error> {
    if policy.children.is_empty() {
        return refuse(context, policy, "is empty; write rules, or remove it for the default ones");
    }
    let mut rules = Vec::new();
    let mut places = Vec::new();
    for element in policy.elements() {
        if is_rule(element) {
            rules.push(read_rule(context, element, true)?);
            places.push(element);
        } else {
            context.warn(element, format!("<{}> is no rule and ignored; write <rule name=\"...\">", element.name));
        }
    }
    let Some((last, before)) = places.split_last() else {
        context.warn(policy, "queuePlacementPolicy has no rule: the rules in force stay".to_owned());
        return Ok(None);
    };
    for (i, element) in before.iter().enumerate() {
        if rules[i].is_terminal() {
            let problem = format!(
                "rule {} ({}) always decides, so the rules after it are never reached; give it create=\"false\" or make it \
                 the last",
                i + 1,
                rules[i].kind
            );
            return refuse(context, element, problem);
        }
    }
    if rules.last().is_some_and(|rule| !rule.is_terminal()) {
        let problem = "the last rule may leave an application without a queue; end with <rule name=\"default\"/> or \
                       <rule name=\"reject\"/>";
        return refuse(context, last, problem);
    }
    Ok(Some(rules))
}

fn refuse<T>(context: &Context<'_>, element: &Element, problem: impl Into<String>) -> Result<T, Error> {
    Err(Error::Placement { at: context.places.at(element.offset), problem: problem.into() })
}

fn is_rule(element: &Element) -> bool {
    element.name.eq_ignore_ascii_case("rule")
}

fn read_rule(context: &mut Context<'_>, element: &Element, top: bool) -> Result<PlacementRule, Error> {
    let name = element.attribute("name").unwrap_or_default();
    let names = RuleKind::NAMES.map(|(name, _)| name);
    if name.is_empty() {
        return refuse(context, element, format!("a rule has no name; known are {}", names.join(", ")));
    }
    let Some((_, kind)) = RuleKind::NAMES.into_iter().find(|(known, _)| *known == name) else {
        let problem = format!("rule {name:?} is not known; known are {}{}", names.join(", "), hint(name, names));
        return refuse(context, element, problem);
    };
    let create = element.attribute("create").filter(|text| !text.is_empty());
    let create = kind == RuleKind::Reject || create.is_none_or(|text| text.eq_ignore_ascii_case("true"));
    let mut rule = PlacementRule::new(kind, create);
    if let (RuleKind::Default, Some(queue)) = (kind, element.attribute("queue").filter(|queue| !queue.is_empty())) {
        if valid_requested_name(queue) {
            rule.queue = Some(rooted(queue));
        } else {
            context.warn(element, format!("queue {queue:?} is no valid name; root.default is taken"));
        }
    }
    let nested: Vec<&Element> = element.elements().filter(|element| is_rule(element)).collect();
    if let Some((last, before)) = nested.split_last() {
        if !top {
            context.warn(last, "a rule nested deeper than one level is ignored".to_owned());
        } else {
            for ignored in before {
                context.warn(ignored, "of several nested rules only the last counts".to_owned());
            }
            rule.parent = Some(Box::new(read_parent(context, last, kind)?));
        }
    }
    if name == "nestedUserQueue" && rule.parent.is_none() && top {
        return refuse(
            context,
            element,
            "rule \"nestedUserQueue\" needs a rule inside it, which gives the parent queue",
        );
    }
    Ok(rule)
}

fn read_parent(context: &mut Context<'_>, element: &Element, of: RuleKind) -> Result<PlacementRule, Error> {
    let rule = read_rule(context, element, false)?;
    let name = element.attribute("name").unwrap_or_default();
    if matches!(name, "reject" | "nestedUserQueue") {
        return refuse(context, element, format!("rule {name:?} cannot be inside another rule"));
    }
    if matches!(of, RuleKind::Specified | RuleKind::Default | RuleKind::Reject) {
        return refuse(context, element, format!("rule {:?} cannot have a rule inside", of.to_string()));
    }
    if rule.kind == of {
        return refuse(context, element, format!("rule {name:?} cannot be inside one of the same kind"));
    }
    Ok(rule)
}
