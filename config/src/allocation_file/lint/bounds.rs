//! Limits against each other: of one queue, down the tree, against the cluster and the largest container.

use super::amounts::{amount, part};
use super::subject::{Subject, and_more};
use super::tree::{Queue, TOP};
use crate::allocation_file::context::value_at;
use crate::diagnostic::Span;
use crate::resource_string::Limit;
use crate::warnings::Warnings;
use crate::xml::Element;
use evenweave_resource::Resource;

/// From here on an amount is a way to say "no limit": Hadoop's own vcores end here.
const AS_GOOD_AS_UNBOUNDED: i64 = i32::MAX as i64;

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    for queue in &subject.tree.queues {
        min_above_max(subject, queue, warnings);
        max_above_parents(subject, queue, warnings);
        max_above_cluster(subject, queue, warnings);
        container(subject, queue, warnings);
    }
    mins_above_max(subject, warnings);
    default_for_all(subject, warnings);
}

/// Amounts that both are known, if need be on the cluster that was given.
fn absolute(subject: &Subject<'_>, limit: &Limit) -> Option<Resource> {
    limit.absolute().or_else(|| subject.options.cluster.map(|cluster| limit.of(&cluster)))
}

/// The first type in which `is` holds.
fn first_type(subject: &Subject<'_>, is: impl Fn(usize) -> bool) -> Option<usize> {
    (0..subject.options.types.len()).find(|i| is(*i))
}

/// A queue's limit: its own, or the default for all queues; and its element.
fn max_of<'a>(subject: &Subject<'a>, queue: &Queue<'a>) -> (Limit, Option<&'a Element<'a>>) {
    match queue.settings.max {
        Some(max) => (max, queue.field("maxResources")),
        None => (subject.file.queue_max_resources, subject.top.get("queueMaxResourcesDefault").copied()),
    }
}

/// Hadoop raises the maximum then.
fn min_above_max(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let (Some(min), Some(element)) = (queue.settings.min, queue.field("minResources")) else { return };
    let (max, Some(max_element)) = max_of(subject, queue) else { return };
    let Some(max) = absolute(subject, &max) else { return };
    // A maximum of -1 is warned of where it stands.
    let Some(i) = first_type(subject, |i| max.get(i) >= 0 && min.get(i) > max.get(i)) else { return };
    let (at, owner) = (value_at(&warnings.places, element), queue.owner());
    let (min, max) = (amount(subject, i, min.get(i)), max.get(i));
    warnings
        .warn("min-above-max", at, format!("{owner}minResources has {min}, {} only {max}", max_element.name))
        .effect("the minimum becomes the maximum too")
        .help("lower minResources, or raise maxResources");
}

/// The nearest queue above that allows less: a limit above it is never reached.
fn max_above_parents(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let (Some(max), Some(element)) = (queue.settings.max, queue.field("maxResources")) else { return };
    let tighter = |above: &Queue<'_>| {
        let limit = above.settings.max?;
        let (has, bound) = larger(subject, &max, &limit)?;
        Some((above.name.clone(), has, bound))
    };
    let Some((above, has, bound)) = subject.tree.above(queue).find_map(tighter) else { return };
    let at = value_at(&warnings.places, element);
    warnings
        .warn("max-above-parent", at, format!("{}maxResources is {has}, that of {above:?} only {bound}", queue.owner()))
        .effect(format!("it is never reached: what runs here counts in {above:?} too"))
        .help(format!("lower it, or raise that of {above:?}"));
}

/// Where `max` is larger than `limit`: both in words. A way to say "no limit" is not larger than anything.
fn larger(subject: &Subject<'_>, max: &Limit, limit: &Limit) -> Option<(String, String)> {
    if let (Limit::Percent(max), Limit::Percent(limit)) = (max, limit) {
        let i = first_type(subject, |i| max[i] > limit[i] && max[i] < 1.0)?;
        return Some((part(subject, i, max[i]), part(subject, i, limit[i])));
    }
    if matches!(max, Limit::Percent(parts) if parts.iter().any(|part| *part >= 1.0)) {
        return None;
    }
    let (max, limit) = (absolute(subject, max)?, absolute(subject, limit)?);
    let open = |i: usize| max.get(i) >= AS_GOOD_AS_UNBOUNDED;
    let i = first_type(subject, |i| max.get(i) > limit.get(i) && limit.get(i) >= 0 && !open(i))?;
    Some((amount(subject, i, max.get(i)), amount(subject, i, limit.get(i))))
}

fn max_above_cluster(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let (Some(cluster), Some(Limit::Absolute(max))) = (subject.options.cluster, queue.settings.max) else { return };
    let Some(element) = queue.field("maxResources") else { return };
    let Some((has, bound)) = larger(subject, &Limit::Absolute(max), &Limit::Absolute(cluster)) else { return };
    let at = value_at(&warnings.places, element);
    warnings
        .warn("max-above-cluster", at, format!("{}maxResources is {has}, the cluster has only {bound}", queue.owner()))
        .effect("it is never reached")
        .help("lower it, or remove it for no limit");
}

/// The largest container against the scheduler's, and against what the queue may hold at all.
fn container(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let (Some(container), Some(element)) = (queue.settings.max_container, queue.field("maxContainerAllocation")) else {
        return;
    };
    let container = Limit::Absolute(container);
    let at = value_at(&warnings.places, element);
    let owner = queue.owner();
    let scheduler = subject.options.settings.map(|settings| Limit::Absolute(settings.maximum));
    if let Some((has, bound)) = scheduler.and_then(|bound| larger(subject, &container, &bound)) {
        let message = format!("{owner}maxContainerAllocation is {has}, that of the scheduler only {bound}");
        warnings
            .warn("container-above-maximum", at, message)
            .effect("it has no effect: yarn.scheduler.maximum-allocation is the smaller one")
            .help("lower it, or raise yarn.scheduler.maximum-allocation in yarn-site.xml");
        return;
    }
    let max = queue.settings.max.map(|max| match (max, queue.settings.min) {
        (Limit::Absolute(max), Some(min)) => Limit::Absolute(max.most(&min)),
        (max, _) => max,
    });
    // Where no container fits at all there is a warning of its own.
    let Some((has, bound)) =
        max.and_then(|max| larger(subject, &container, &max)).filter(|(_, b)| !b.starts_with("0 "))
    else {
        return;
    };
    let message = format!("{owner}maxContainerAllocation is {has}, maxResources only {bound}");
    warnings
        .warn("container-above-max", at, message)
        .effect("a request of that size is accepted and waits for ever")
        .help("lower it, or raise maxResources");
}

/// What the queues below are promised together against what there may be of it.
fn mins_above_max(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let queues = &subject.tree.queues;
    // From the leaves up, as a parent's number is smaller than its children's.
    let mut promised_below = vec![Resource::ZERO; queues.len()];
    for (number, queue) in queues.iter().enumerate().rev() {
        let below = promised_below[number];
        let min = queue.settings.min.unwrap_or(Resource::ZERO).most(&Resource::ZERO);
        // A limit by default is warned of where it stands; one of -1 too.
        let own = queue.settings.max.and_then(|max| absolute(subject, &max)).map(|max| max.most(&min));
        let too_much = |bound: Resource| first_type(subject, |i| bound.get(i) >= 0 && below.get(i) > bound.get(i));
        if let Some((bound, i)) = own.and_then(|bound| Some((bound, too_much(bound)?))) {
            let at = queue.field("maxResources").map_or(subject.root.name_at(), |max| value_at(&warnings.places, max));
            promised_too_much(
                subject,
                at,
                (&format!("queue {:?}", queue.name), bound.get(i), below.get(i)),
                i,
                warnings,
            );
        } else if number == TOP
            && let Some((bound, i)) = subject.options.cluster.and_then(|bound| Some((bound, too_much(bound)?)))
        {
            let at = queue.name_at().unwrap_or(subject.root.name_at());
            promised_too_much(subject, at, ("the cluster", bound.get(i), below.get(i)), i, warnings);
        }
        let bound = |i| own.map(|max| max.get(i)).filter(|max| *max >= 0).unwrap_or(i64::MAX);
        if let Some(parent) = queue.parent {
            let above = promised_below[parent];
            promised_below[parent] =
                Resource::from_fn(|i| above.get(i).saturating_add(below.get(i).min(bound(i)).max(min.get(i))));
        }
    }
}

fn promised_too_much(
    subject: &Subject<'_>,
    at: Span,
    (who, bound, below): (&str, i64, i64),
    i: usize,
    warnings: &mut Warnings<'_>,
) {
    let (bound, below) = (amount(subject, i, bound), amount(subject, i, below));
    warnings
        .warn("mins-above-max", at, format!("{who} has at most {bound}, but the queues below are promised {below}"))
        .effect("their minResources cannot all be met at once")
        .help("lower minResources below, or raise the limit");
}

/// `queueMaxResourcesDefault` and `queueMaxAppsDefault` are for root and parents too.
fn default_for_all(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let limited = |i: usize| match subject.file.queue_max_resources {
        Limit::Absolute(max) => max.get(i) < AS_GOOD_AS_UNBOUNDED,
        Limit::Percent(parts) => parts[i] < 1.0,
    };
    if first_type(subject, limited).is_some() {
        let own = |queue: &Queue<'_>| queue.settings.max.is_some();
        bound_by_default(subject, ("queueMaxResourcesDefault", "maxResources", "100%"), own, warnings);
    }
    if subject.file.queue_max_apps < i32::MAX {
        let own = |queue: &Queue<'_>| queue.settings.max_running_apps.is_some();
        bound_by_default(subject, ("queueMaxAppsDefault", "maxRunningApps", "2147483647"), own, warnings);
    }
}

fn bound_by_default(
    subject: &Subject<'_>,
    (default, field, unlimited): (&str, &str, &str),
    has_own: impl Fn(&Queue<'_>) -> bool,
    warnings: &mut Warnings<'_>,
) {
    let Some(element) = subject.top.get(default) else { return };
    // With one child a parent is as good as that child.
    let bound = |queue: &&Queue<'_>| !has_own(queue) && (queue.parent.is_none() || queue.children.len() > 1);
    let mut bound = subject.tree.queues.iter().filter(bound);
    let Some(first) = bound.next() else { return };
    let more = and_more(bound.count());
    let name = &first.name;
    let at = element.name_at();
    let effect = if first.parent.is_none() {
        "the whole cluster gives out no more than this"
    } else {
        "its children together get no more than one of them may have alone"
    };
    warnings
        .warn("default-for-all", at, format!("<{default}> also limits the parent {name:?}{more}"))
        .effect(effect)
        .help(format!("give {name:?} its own <{field}>, {unlimited} for no limit"));
}
