//! Queues and users as declared: twice, in the wrong place, with what has no effect there.

use super::subject::Subject;
use super::tree::{Queue, Tree, declared_at};
use crate::allocation_file::context::value_at;
use crate::diagnostic::Span;
use crate::java;
use crate::quoted::shown;
use crate::warnings::Warnings;
use crate::xml::Element;
use std::collections::HashMap;

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    for queue in &subject.tree.queues {
        declared_again(subject, queue, warnings);
        type_text(subject, queue, warnings);
        weight(queue, warnings);
        max_child_of_leaf(subject, queue, warnings);
        reservation(queue, warnings);
    }
    without_effect_on_root(&subject.tree, warnings);
    users(subject.root, warnings);
}

/// Elements of one name are merged field by field.
fn declared_again(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let Some((first, again)) = queue.elements.split_first() else { return };
    let both = subject.file.leaves.contains(&queue.name) && subject.file.parents.contains(&queue.name);
    for element in again {
        let line = warnings.places.at(first.offset).line;
        let (name, at) = (&queue.name, declared_at(element));
        if both {
            let message = format!("queue {name:?} is declared as a leaf and as a parent; the first is in line {line}");
            warnings
                .warn("leaf-and-parent", at, message)
                .effect(
                    "Hadoop merges their fields and makes a leaf, which gives way to a parent as soon as it holds no \
                     application",
                )
                .help("declare it once");
        } else {
            warnings
                .warn("duplicate-queue", at, format!("queue {name:?} is declared again; the first is in line {line}"))
                .effect("Hadoop merges them: of a field that both have the last counts, child queues add up")
                .help("declare it once");
        }
    }
}

/// Only `parent` to the letter means anything. `leaf` in a leaf says what is so.
fn type_text(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    for element in &queue.elements {
        let Some(given) = element.attribute_named("type").filter(|given| given.value != "parent") else { continue };
        let is_parent = subject.file.parents.contains(&queue.name);
        if !is_parent && given.value.eq_ignore_ascii_case("leaf") {
            continue;
        }
        let kind = if is_parent { "a parent" } else { "a leaf" };
        warnings
            .warn("queue-type", given.value_at, format!("queue {:?}: type={:?} means nothing", queue.name, given.value))
            .effect(format!("Hadoop knows type=\"parent\" alone, in lower case, and takes this queue for {kind}"))
            .help("write type=\"parent\" for a parent without declared children, else remove the attribute");
    }
}

fn weight(queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let (Some(weight), Some(element)) = (queue.settings.weight, queue.field("weight")) else { return };
    if weight > 0.0 && weight.is_finite() {
        return;
    }
    let at = value_at(&warnings.places, element);
    let warning = warnings.warn("weight-not-positive", at, format!("{}weight is {weight}", queue.owner()));
    if weight <= 0.0 {
        warning.effect(
            "its fair share is its minResources and nothing more; under fair it comes last, under drf a weight of 0 can \
             even come first",
        );
    } else {
        warning.effect("shares and order among its siblings are no longer meaningful");
    }
    warning.help("write a number above 0; to close a queue set maxRunningApps to 0");
}

/// `maxChildResources` is for ad hoc queues directly below.
fn max_child_of_leaf(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    if subject.file.parents.contains(&queue.name) || queue.parent.is_none() {
        return;
    }
    if let Some(element) = queue.field("maxChildResources") {
        warnings
            .warn("max-child-of-leaf", element.name_at(), format!("{}maxChildResources in a leaf queue", queue.owner()))
            .effect("it has no effect: it is for queues that submissions make below this one, and below a leaf there are none")
            .help("write maxResources for this queue itself, or give the queue type=\"parent\"");
    }
}

fn reservation(queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    if let Some(element) = queue.field("reservation") {
        let text = java::trim(element.first_text().unwrap_or_default());
        if !text.is_empty() && !text.eq_ignore_ascii_case("true") {
            let at = value_at(&warnings.places, element);
            warnings
                .warn("reservation-text", at, format!("{}reservation says {}", queue.owner(), shown(text)))
                .effect("Hadoop does not read it: the element alone makes the queue reservable")
                .help("remove the element, or write <reservation/>");
        }
    }
    if queue.settings.reservation {
        return;
    }
    for tag in ["aclAdministerReservations", "aclListReservations", "aclSubmitReservations"] {
        if let Some(element) = queue.field(tag) {
            warnings
                .warn(
                    "reservation-acl-unused",
                    element.name_at(),
                    format!("{}{tag} without <reservation/>", queue.owner()),
                )
                .effect("it has no effect: these rights are asked of reservable queues alone, and are not inherited")
                .help("move it into the queue with <reservation/>, or remove it");
        }
    }
}

/// Root has no siblings to share with.
fn without_effect_on_root(tree: &Tree<'_>, warnings: &mut Warnings<'_>) {
    let root = tree.top();
    let weight = root.field("weight").filter(|_| root.settings.weight.is_some_and(|weight| weight != 1.0));
    let min = root.field("minResources").filter(|_| root.settings.min.is_some_and(|min| !min.is_zero()));
    for element in [weight, min].into_iter().flatten() {
        warnings
            .warn("no-effect-on-root", element.name_at(), format!("queue \"root\": {}", element.name))
            .effect("it has no effect: root has no siblings, and its share is the whole cluster")
            .help("remove it, or move it into the queue that it was meant for");
    }
}

fn users(root: &Element<'_>, warnings: &mut Warnings<'_>) {
    let mut first: HashMap<&str, Span> = HashMap::new();
    for user in root.elements().filter(|element| element.name == "user") {
        let Some(name) = user.attribute_named("name").filter(|name| !name.value.is_empty()) else { continue };
        if !user.has("maxRunningApps") {
            warnings
                .warn("user-without-limit", name.value_at, format!("user {:?} has no maxRunningApps", name.value))
                .effect("it has no effect: that is all that a user can have here")
                .help("add <maxRunningApps>, or remove the user");
        }
        if java::trim(name.value) != name.value {
            warnings
                .warn(
                    "user-white-space",
                    name.value_at,
                    format!("user {:?} has white space around the name", name.value),
                )
                .effect("it applies to nobody: names are compared as they stand")
                .help(format!("write {:?}", java::trim(name.value)));
        }
        let before = *first.entry(name.value).or_insert(name.value_at);
        if before != name.value_at {
            let line = warnings.places.at(before.offset).line;
            let message = format!("user {:?} is given again; the first is in line {line}", name.value);
            warnings.warn("duplicate-user", name.value_at, message).effect("the last limit counts").help("remove one");
        }
    }
}
