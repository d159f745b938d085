//! Placement rules that never place, or place where nothing can run (rules/configuration.md 6).

use super::subject::Subject;
use crate::allocation_file::elements::is_rule;
use crate::diagnostic::Span;
use crate::names::ROOT;
use crate::nearest::nearest;
use crate::placement_rules::{PlacementRule, RuleKind};
use crate::warnings::Warnings;
use crate::xml::Element;
use evenweave_resource::LONGEST_NAME;
use std::collections::BTreeSet;

/// With how many of the rules before it, the first ones, a rule is compared. A sensible policy has five.
const MAX_COMPARED: usize = 100;

/// What may be spent on looking for the queues that rules meant: letters of a rule's queue times letters of all leaves.
/// A file can have as many of either as it has lines.
const MAX_COMPARISONS: usize = 20_000_000;

/// The leaves that rules may have meant, as long as looking for them can be afforded.
struct Meant<'a> {
    leaves: &'a BTreeSet<String>,
    /// The letters of all of them.
    letters: usize,
    left: usize,
}

impl<'a> Meant<'a> {
    fn new(leaves: &'a BTreeSet<String>) -> Meant<'a> {
        Meant { leaves, letters: leaves.iter().map(String::len).sum(), left: MAX_COMPARISONS }
    }

    fn nearest(&mut self, queue: &str) -> Option<&'a str> {
        self.left = self.left.checked_sub(queue.len().saturating_mul(self.letters))?;
        nearest(queue, self.leaves.iter().map(String::as_str))
    }
}

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let (Some(rules), Some(policy)) = (&subject.file.placement, subject.top.get("queuePlacementPolicy")) else {
        return;
    };
    let elements: Vec<&Element<'_>> = policy.elements().filter(|element| is_rule(element.name)).collect();
    let mut meant = Meant::new(&subject.file.leaves);
    for (i, (rule, element)) in rules.iter().zip(&elements).enumerate() {
        if warnings.is_full() {
            break;
        }
        // Of one kind and with one parent, an earlier rule has had every chance that this one has.
        let tried = |before: &PlacementRule| {
            before.kind == rule.kind
                && before.queue == rule.queue
                && before.parent == rule.parent
                && (before.create || !rule.create)
        };
        if let Some(before) = rules[..i.min(MAX_COMPARED)].iter().position(tried) {
            let message = format!("rule {} ({}) is the same as rule {}", i + 1, rule.kind, before + 1);
            warnings
                .warn("repeated-rule", at(element, "name"), message)
                .effect("it never places anything: what it would place, the other one has placed")
                .help("remove it");
        }
        if rule.kind == RuleKind::Default {
            default_rule(subject, &mut meant, rule, element, warnings);
        }
        if let (Some(parent), Some(inner)) =
            (&rule.parent, element.elements().filter(|inner| is_rule(inner.name)).last())
        {
            parent_rule(subject, parent, inner, warnings);
        }
    }
    undeclared_queues(subject, rules, &elements, warnings);
}

/// An attribute's value, or the tag.
fn at(element: &Element<'_>, attribute: &str) -> Span {
    element.attribute_named(attribute).map_or(element.name_at(), |attribute| attribute.value_at)
}

/// Whether a declared leaf stands above a name.
fn leaf_above<'n>(subject: &Subject<'_>, name: &'n str) -> Option<&'n str> {
    // No declared queue has a longer name.
    let dots = name.match_indices('.').take_while(|(at, _)| *at <= LONGEST_NAME);
    dots.map(|(at, _)| &name[..at]).find(|above| is_leaf(subject, above))
}

fn is_leaf(subject: &Subject<'_>, name: &str) -> bool {
    subject.file.leaves.contains(name) && !subject.file.parents.contains(name)
}

fn default_rule(
    subject: &Subject<'_>,
    meant: &mut Meant<'_>,
    rule: &PlacementRule,
    element: &Element<'_>,
    warnings: &mut Warnings<'_>,
) {
    let Some(queue) = rule.queue.as_deref().filter(|queue| !is_leaf(subject, queue)) else { return };
    let place = at(element, "queue");
    // What is placed in a plan goes into its default child.
    if subject.file.queues.get(queue).is_some_and(|own| own.reservation) {
        return;
    }
    if queue == ROOT || subject.file.parents.contains(queue) {
        warnings
            .warn(
                "default-queue-parent",
                place,
                format!("rule \"default\" places in {queue:?}, which is a parent queue"),
            )
            .effect("every application that it places is rejected: only leaf queues take any")
            .help("name a leaf queue");
    } else if let Some(leaf) = leaf_above(subject, queue) {
        warnings
            .warn(
                "default-queue-below-leaf",
                place,
                format!("rule \"default\" places in {queue:?}, below the leaf {leaf:?}"),
            )
            .effect("the queue cannot be made, so every application that the rule places is rejected")
            .help("name a leaf queue that the file declares");
    } else if element.attribute("queue").is_some_and(|given| !given.is_empty()) && queue != "root.default" {
        let message = format!("rule \"default\" places in {queue:?}, which the file does not declare");
        let effect = if rule.create {
            "the queue is made when it is first used, with the defaults of the file"
        } else {
            "with create=\"false\" the rule places nothing"
        };
        let help = match meant.nearest(queue) {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => "declare the queue".to_owned(),
        };
        warnings.warn("default-queue-undeclared", place, message).effect(effect).help(help);
    }
}

/// The inner rule gives a parent, which an existing leaf cannot be.
fn parent_rule(subject: &Subject<'_>, rule: &PlacementRule, element: &Element<'_>, warnings: &mut Warnings<'_>) {
    let Some(queue) = rule.queue.as_deref() else { return };
    let leaf = if is_leaf(subject, queue) { Some(queue) } else { leaf_above(subject, queue) };
    if let Some(leaf) = leaf {
        let message = format!("the rule inside gives {queue:?} as parent, but {leaf:?} is a leaf");
        warnings
            .warn("parent-rule-leaf", at(element, "queue"), message)
            .effect("the outer rule never places anything")
            .help(format!("give {leaf:?} type=\"parent\" in its declaration, or name another queue"));
    }
}

/// A property for the default rules alone.
fn undeclared_queues(
    subject: &Subject<'_>,
    rules: &[PlacementRule],
    elements: &[&Element<'_>],
    warnings: &mut Warnings<'_>,
) {
    if subject.options.settings.is_none_or(|settings| settings.allow_undeclared_pools) {
        return;
    }
    let makes = |rule: &PlacementRule| match rule.kind {
        RuleKind::Specified | RuleKind::User | RuleKind::PrimaryGroup => rule.create,
        RuleKind::SecondaryGroupExisting | RuleKind::Default | RuleKind::Reject => false,
    };
    let Some(first) = rules.iter().position(makes) else { return };
    let message = format!("rule {} ({}) makes queues", first + 1, rules[first].kind);
    warnings
        .warn("undeclared-pools-ignored", at(elements[first], "name"), message)
        .effect("yarn.scheduler.fair.allow-undeclared-pools is false, but means nothing beside a placement policy")
        .help("give the rule create=\"false\" and end with one that decides, or remove the property");
}
