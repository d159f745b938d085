//! The placement policy: `queuePlacementPolicy` and its rules.
//!
//! Follows rules/configuration.md 6.3 to 6.6; Hadoop's `QueuePlacementPolicy.fromXml`.

use super::context::{Context, Field, Owner};
use super::elements::{RULE, is_rule};
use super::error::AllocationFileError as Error;
use super::placement_error::PlacementError;
use crate::diagnostic::Span;
use crate::names::{rooted, valid_requested_name};
use crate::placement_rules::{PlacementRule, RuleKind};
use crate::xml::Element;

/// The rules, or `None` when there is no rule element: then the old rules stay. Also `None` after errors passed over.
pub(super) fn read_policy(
    context: &mut Context<'_>,
    policy: &Element<'_>,
) -> Result<Option<Vec<PlacementRule>>, Error> {
    context.warn_of_attributes(policy, &[]);
    if policy.children.is_empty() {
        let empty = refuse(context, policy.name_at(), PlacementError::Empty);
        context.settle::<()>(empty)?;
        return Ok(None);
    }
    context.warn_of_stray_text(policy);
    let mut rules = Vec::new();
    let mut good = true;
    for element in policy.elements() {
        if !is_rule(element.name) {
            context.warn_of_ignored(Field { owner: Owner::PlacementPolicy, element }, policy.name, [RULE]);
            continue;
        }
        let rule = read_rule(context, element, true);
        match context.settle(rule)? {
            Some(rule) => rules.push((rule, element)),
            None => good = false,
        }
    }
    if rules.is_empty() && good {
        context
            .warnings
            .warn("placement-without-rules", policy.name_at(), "queuePlacementPolicy has no rule")
            .effect("Hadoop keeps the rules that it has, at its start those of yarn-site.xml")
            .help("write rules, or remove the element");
    }
    if rules.is_empty() || !good {
        return Ok(None);
    }
    // As in Hadoop: an error in any rule comes first, then one of their order, then one of what is inside a rule.
    let checked = check_order(context, &rules);
    good &= context.settle(checked)?.is_some();
    for (rule, element) in &rules {
        let checked = check_inside(context, rule, element);
        good &= context.settle(checked)?.is_some();
    }
    Ok(good.then(|| rules.into_iter().map(|(rule, _)| rule).collect()))
}

/// Exactly the last rule has to be one that always decides.
fn check_order(context: &Context<'_>, rules: &[(PlacementRule, &Element<'_>)]) -> Result<(), Error> {
    let Some(((last, place), before)) = rules.split_last() else { return Ok(()) };
    for (i, (rule, element)) in before.iter().enumerate() {
        if rule.is_terminal() && !context.unordered_rules {
            let problem = PlacementError::NotLast { number: i + 1, kind: rule.kind };
            return refuse(context, name_at(element), problem);
        }
    }
    if last.is_terminal() {
        return Ok(());
    }
    refuse(context, name_at(place), PlacementError::Undecided { kind: last.kind })
}

/// A rule may take no rule inside, or none of its own kind. Hadoop's rules say so when they are initialised.
fn check_inside(context: &Context<'_>, rule: &PlacementRule, element: &Element<'_>) -> Result<(), Error> {
    let inner = element.elements().filter(|inner| is_rule(inner.name)).last();
    let Some((parent, inner)) = rule.parent.as_ref().zip(inner) else { return Ok(()) };
    let problem = if matches!(rule.kind, RuleKind::Specified | RuleKind::Default | RuleKind::Reject) {
        PlacementError::NothingInside { kind: rule.kind }
    } else if parent.kind == rule.kind {
        PlacementError::SameKind { name: inner.attribute("name").unwrap_or_default().to_owned() }
    } else {
        return Ok(());
    };
    refuse(context, name_at(inner), problem)
}

/// A rule's name, or its tag where it has none.
fn name_at(element: &Element<'_>) -> Span {
    element
        .attribute_named("name")
        .filter(|name| !name.value.is_empty())
        .map_or(element.name_at(), |name| name.value_at)
}

fn refuse<T>(context: &Context<'_>, at: Span, source: PlacementError) -> Result<T, Error> {
    Err(Error::Placement { at: context.warnings.places.span(at), source })
}

fn read_rule(context: &mut Context<'_>, element: &Element<'_>, top: bool) -> Result<PlacementRule, Error> {
    let name = element.attribute("name").unwrap_or_default();
    if name.is_empty() {
        return refuse(context, element.name_at(), PlacementError::NoName);
    }
    let Some((_, kind)) = RuleKind::NAMES.into_iter().find(|(known, _)| *known == name) else {
        return refuse(context, name_at(element), PlacementError::UnknownRule { name: name.to_owned() });
    };
    context.warn_of_attributes(element, &["name", "create", "queue"]);
    context.warn_of_stray_text(element);
    let mut rule = PlacementRule::new(kind, read_create(context, element, kind));
    read_queue_of(context, element, &mut rule);
    let (nested, other): (Vec<&Element<'_>>, Vec<&Element<'_>>) =
        element.elements().partition(|inner| is_rule(inner.name));
    for element in other {
        context.warn_of_ignored(Field { owner: Owner::PlacementPolicy, element }, RULE, [RULE]);
    }
    if let Some((last, before)) = nested.split_last() {
        for ignored in if top { before } else { nested.as_slice() } {
            let message =
                if top { "one of several rules inside a rule" } else { "a rule nested deeper than one level" };
            context
                .warnings
                .warn("ignored-rule", name_at(ignored), message)
                .effect(if top { "only the last of them counts" } else { "Hadoop ignores it" })
                .help("remove it");
        }
        if top {
            rule.parent = Some(Box::new(read_parent(context, last)?));
        }
    }
    if name == "nestedUserQueue" && rule.parent.is_none() && top {
        return refuse(context, name_at(element), PlacementError::NoParentRule);
    }
    Ok(rule)
}

fn read_create(context: &mut Context<'_>, element: &Element<'_>, kind: RuleKind) -> bool {
    let Some(create) = element.attribute_named("create").filter(|create| !create.value.is_empty()) else { return true };
    let yes = create.value.eq_ignore_ascii_case("true");
    if !yes && !create.value.eq_ignore_ascii_case("false") {
        context
            .warnings
            .warn("create-text", create.value_at, format!("create={:?} is neither true nor false", create.value))
            .effect("Hadoop takes everything but \"true\" for false: the rule places in existing queues alone")
            .help("write true or false");
    }
    if yes && matches!(kind, RuleKind::SecondaryGroupExisting | RuleKind::Reject) {
        context
            .warnings
            .warn("create-ignored", create.name_at, format!("rule \"{kind}\" has create=\"true\""))
            .effect("Hadoop ignores it: this rule never makes a queue")
            .help("remove the attribute");
    }
    kind == RuleKind::Reject || yes
}

fn read_queue_of(context: &mut Context<'_>, element: &Element<'_>, rule: &mut PlacementRule) {
    let Some(queue) = element.attribute_named("queue").filter(|queue| !queue.value.is_empty()) else { return };
    if rule.kind != RuleKind::Default {
        context
            .warnings
            .warn("rule-queue-ignored", queue.name_at, format!("rule \"{}\" has a queue", rule.kind))
            .effect("Hadoop ignores it: only the rule \"default\" has one")
            .help("remove the attribute, or for the parent queue put <rule name=\"default\" queue=\"...\"/> inside");
    } else if valid_requested_name(queue.value) {
        rule.queue = Some(rooted(queue.value));
    } else {
        context
            .warnings
            .warn("default-queue-name", queue.value_at, format!("queue {:?} is no valid name", queue.value))
            .effect("Hadoop takes root.default instead")
            .help("write a name without white space or a dot at its ends");
    }
}

fn read_parent(context: &mut Context<'_>, element: &Element<'_>) -> Result<PlacementRule, Error> {
    let rule = read_rule(context, element, false)?;
    match element.attribute("name").unwrap_or_default() {
        name @ ("reject" | "nestedUserQueue") => {
            refuse(context, name_at(element), PlacementError::NotInside { name: name.to_owned() })
        }
        _ => Ok(rule),
    }
}
