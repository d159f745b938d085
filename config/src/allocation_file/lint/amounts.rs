//! Resource amounts, one by one: types that a notation leaves out, more than the whole, limits that nothing fits under.

use super::subject::Subject;
use crate::allocation_file::context::value_at;
use crate::resource_string::Limit;
use crate::warnings::Warnings;
use crate::xml::Element;
use evenweave_resource::Resource;

/// The type of every cluster: memory and vcores.
const STANDARD: [&str; 2] = ["memory", "vcores"];

/// An upper limit as written.
struct Maximum<'a> {
    owner: String,
    element: &'a Element<'a>,
    limit: Limit,
    /// What it is raised to at least.
    min: Resource,
}

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    for queue in &subject.tree.queues {
        let settings = queue.settings;
        for (tag, limit, min) in [
            ("maxResources", settings.max, settings.min.unwrap_or(Resource::ZERO)),
            ("maxChildResources", settings.max_child, Resource::ZERO),
            ("maxContainerAllocation", settings.max_container.map(Limit::Absolute), Resource::ZERO),
        ] {
            if let (Some(limit), Some(element)) = (limit, queue.field(tag)) {
                check_one(subject, &Maximum { owner: queue.owner(), element, limit, min }, warnings);
            }
        }
    }
    if let Some(element) = subject.top.get("queueMaxResourcesDefault") {
        let (owner, limit) = (String::new(), subject.file.queue_max_resources);
        check_one(subject, &Maximum { owner, element, limit, min: Resource::ZERO }, warnings);
    }
}

fn check_one(subject: &Subject<'_>, maximum: &Maximum<'_>, warnings: &mut Warnings<'_>) {
    custom_types(subject, maximum, warnings);
    above_the_whole(subject, maximum, warnings);
    // The largest container is a cap on each, not room for all: a small one makes containers small.
    if !zero_of_one(maximum, warnings) && !is_container(maximum) {
        below_smallest(subject, maximum, warnings);
    }
}

fn is_container(maximum: &Maximum<'_>) -> bool {
    maximum.element.name == "maxContainerAllocation"
}

/// The notations without names say nothing of custom types, which Hadoop takes for none of them.
fn custom_types(subject: &Subject<'_>, maximum: &Maximum<'_>, warnings: &mut Warnings<'_>) {
    let types = subject.options.types;
    let Some(text) = maximum.element.first_text() else { return };
    // `50%` alone is half of everything.
    let all_types = text.contains('%') && !text.trim_end_matches([',', ' ', '\t', '\n']).contains(',');
    if types.len() <= 2 || text.contains('=') || all_types {
        return;
    }
    let custom: Vec<&str> = types.names().skip(2).collect();
    let example = custom.iter().map(|name| format!(", {name}=...")).collect::<String>();
    let message = format!("{}{} says nothing of {}", maximum.owner, maximum.element.name, custom.join(", "));
    let at = value_at(&warnings.places, maximum.element);
    warnings
        .warn("custom-types-zero", at, message)
        .effect("in this notation Hadoop takes that for 0: nothing that needs it fits")
        .help(format!("write \"memory-mb=..., vcores=...{example}\"; what that one leaves out has no limit"));
}

fn above_the_whole(subject: &Subject<'_>, maximum: &Maximum<'_>, warnings: &mut Warnings<'_>) {
    let Limit::Percent(parts) = maximum.limit else { return };
    if let Some(i) = (0..subject.options.types.len()).find(|i| parts[*i] > 1.0) {
        let name = subject.options.types.name(i);
        let message = format!("{}{} is more than 100 % of {name}", maximum.owner, maximum.element.name);
        let at = value_at(&warnings.places, maximum.element);
        warnings
            .warn("percentage-above-100", at, message)
            .effect("the limit is never reached")
            .help("write at most 100%");
    }
}

/// A limit of zero in one of memory and vcores alone: both zero would be a queue that is closed on purpose.
fn zero_of_one(maximum: &Maximum<'_>, warnings: &mut Warnings<'_>) -> bool {
    let zero = |i| match maximum.limit {
        Limit::Absolute(amounts) => amounts.get(i) == 0 && maximum.min.get(i) <= 0,
        Limit::Percent(parts) => parts[i] == 0.0 && maximum.min.get(i) <= 0,
    };
    // -1 is a matter of its own.
    let open = |i| match maximum.limit {
        Limit::Absolute(amounts) => amounts.get(i) > 0,
        Limit::Percent(parts) => parts[i] > 0.0,
    };
    let Some(i) = [0, 1].into_iter().find(|i| zero(*i) && open(1 - *i)) else { return false };
    let name = STANDARD[i];
    let at = value_at(&warnings.places, maximum.element);
    let consequence = if is_container(maximum) { "every request with" } else { "nothing that has" };
    let refused = if is_container(maximum) { "is refused" } else { "fits, and every container has some" };
    warnings
        .warn("zero-limit", at, format!("{}{} is 0 for {name}", maximum.owner, maximum.element.name))
        .effect(format!("0 is not \"no limit\": {consequence} {name} {refused}"))
        .help(format!("write how much {name} there may be; 2147483647 for no limit"));
    true
}

/// Under the smallest container there is no room for any.
fn below_smallest(subject: &Subject<'_>, maximum: &Maximum<'_>, warnings: &mut Warnings<'_>) {
    let (Some(settings), Limit::Absolute(amounts)) = (subject.options.settings, maximum.limit) else { return };
    let amounts = amounts.most(&maximum.min);
    let below = |i: &usize| amounts.get(*i) > 0 && amounts.get(*i) < settings.minimum.get(*i);
    let Some(i) = [0, 1].into_iter().find(below) else { return };
    let (has, smallest) = (amount(subject, i, amounts.get(i)), settings.minimum.get(i));
    let at = value_at(&warnings.places, maximum.element);
    let message = format!("{}{} has only {has}", maximum.owner, maximum.element.name);
    warnings
        .warn("below-minimum-allocation", at, message)
        .effect(format!("the smallest container has {smallest} (yarn.scheduler.minimum-allocation): none fits"))
        .help("write more; memory is in MiB");
}

/// Amounts as an operator reads them: `8192 memory-mb`.
pub(super) fn amount(subject: &Subject<'_>, i: usize, value: i64) -> String {
    format!("{value} {}", subject.options.types.name(i))
}

/// A part of the cluster: `12.5 % of memory-mb`.
pub(super) fn part(subject: &Subject<'_>, i: usize, value: f64) -> String {
    // Twelve digits hide what halves and tenths leave behind.
    let percent = (value * 1e12).round() / 1e10;
    format!("{percent} % of {}", subject.options.types.name(i))
}
