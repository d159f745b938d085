//! Queues that will not exist: their parent's policy does not allow theirs (rules/fair-shares.md 11).

use super::subject::{Subject, and_more};
use super::tree::{Queue, TOP};
use crate::allocation_file::context::value_at;
use crate::allocation_file::policy_name::PolicyName;
use crate::diagnostic::Span;
use crate::warnings::Warnings;

const NOT_MADE: &str = "Hadoop does not make it, nor any queue below it; it only logs an error";

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let mut open = vec![TOP];
    while let Some(number) = open.pop() {
        let queue = &subject.tree.queues[number];
        if number == TOP && *subject.policy(queue) == PolicyName::Fifo {
            let at = policy_at(queue, warnings).unwrap_or_else(|| default_at(subject, warnings));
            warnings
                .warn("fifo-parent", at, "queue \"root\": schedulingPolicy is fifo")
                .effect("Hadoop makes no queue below root, because fifo is for leaf queues; it only logs errors")
                .help("write fair or drf");
            continue;
        }
        check_children(subject, queue, &mut open, warnings);
    }
}

/// Warns of children that are not made, and leaves the others to be visited.
fn check_children(subject: &Subject<'_>, parent: &Queue<'_>, open: &mut Vec<usize>, warnings: &mut Warnings<'_>) {
    // Those that have the policy by default, which is one mistake: the first and how many.
    let (mut first, mut count) = (None, 0);
    for number in &parent.children {
        let child = &subject.tree.queues[*number];
        if *subject.policy(child) == PolicyName::Fifo && subject.file.parents.contains(&child.name) {
            let at = policy_at(child, warnings).or_else(|| child.name_at()).unwrap_or_default();
            let message = format!("{}schedulingPolicy is fifo, but it is a parent", child.owner());
            warnings
                .warn("fifo-parent", at, message)
                .effect(format!("{NOT_MADE}: fifo is for leaf queues"))
                .help("write fair or drf");
        } else if *subject.policy(parent) == PolicyName::Fair && *subject.policy(child) == PolicyName::Drf {
            if let Some(at) = policy_at(child, warnings) {
                drf_under_fair(parent, &child.owner(), at, warnings);
            } else {
                first = first.or(Some(child));
                count += 1;
            }
        } else {
            open.push(*number);
        }
    }
    if let Some(child) = first {
        let owner = format!("queue {:?}{}: ", child.name, and_more(count - 1));
        drf_under_fair(parent, &owner, child.name_at().unwrap_or_default(), warnings);
    }
}

fn drf_under_fair(parent: &Queue<'_>, owner: &str, at: Span, warnings: &mut Warnings<'_>) {
    let of = &parent.name;
    let message = format!("{owner}schedulingPolicy is drf, that of its parent {of:?} is fair");
    warnings
        .warn("drf-under-fair", at, message)
        .effect(format!("{NOT_MADE}: below fair there can be fair and fifo alone"))
        .help(format!("write <schedulingPolicy>drf</schedulingPolicy> in {of:?} too, and in all queues above it"));
}

/// Where the default policy stands.
fn default_at(subject: &Subject<'_>, warnings: &Warnings<'_>) -> Span {
    let names = ["defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode"];
    let element = names.iter().find_map(|name| subject.top.get(name));
    element.map_or(subject.root.name_at(), |element| value_at(&warnings.places, element))
}

/// Where a queue's own policy stands.
fn policy_at(queue: &Queue<'_>, warnings: &Warnings<'_>) -> Option<Span> {
    let element = queue.last_field(&["schedulingPolicy", "schedulingMode"]);
    element.filter(|_| queue.settings.policy.is_some()).map(|element| value_at(&warnings.places, element))
}
