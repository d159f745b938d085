//! Preemption: settings that are not in force, and values that mean something else
//! (rules/configuration.md 2.1 and 3.2).

use super::subject::{Subject, and_more};
use super::tree::Queue;
use crate::allocation_file::context::value_at;
use crate::java;
use crate::warnings::Warnings;
use crate::xml::Element;

const MIN_TIMEOUT: &str = "minSharePreemptionTimeout";
const FAIR_TIMEOUT: &str = "fairSharePreemptionTimeout";
const THRESHOLD: &str = "fairSharePreemptionThreshold";
const ALLOW: &str = "allowPreemptionFrom";
const DEFAULT_MIN_TIMEOUT: &str = "defaultMinSharePreemptionTimeout";
const DEFAULT_FAIR_TIMEOUT: &str = "defaultFairSharePreemptionTimeout";
const DEFAULT_THRESHOLD: &str = "defaultFairSharePreemptionThreshold";

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    for queue in &subject.tree.queues {
        for tag in [MIN_TIMEOUT, FAIR_TIMEOUT] {
            if let Some(element) = queue.field(tag) {
                negative_timeout(&queue.owner(), element, warnings);
            }
        }
        if let Some(element) = queue.field(THRESHOLD) {
            threshold(&queue.owner(), element, warnings);
        }
        allowed_in_vain(subject, queue, warnings);
    }
    let root = subject.tree.top();
    for (default, field, hides) in [
        (DEFAULT_MIN_TIMEOUT, MIN_TIMEOUT, root.settings.min_share_preemption_timeout_ms.is_some()),
        (DEFAULT_FAIR_TIMEOUT, FAIR_TIMEOUT, root.settings.fair_share_preemption_timeout_ms.is_some()),
        // The former name of the one before.
        (FAIR_TIMEOUT, FAIR_TIMEOUT, root.settings.fair_share_preemption_timeout_ms.is_some()),
        (DEFAULT_THRESHOLD, THRESHOLD, root.settings.fair_share_preemption_threshold.is_some()),
    ] {
        let Some(element) = subject.top.get(default) else { continue };
        if hides {
            let message = format!("<{default}>, while the queue \"root\" has its own {field}");
            warnings
                .warn("hidden-default", element.name_at(), message)
                .effect("Hadoop does not read it: all queues inherit root's")
                .help("remove one of them");
        } else if default == DEFAULT_THRESHOLD {
            threshold("", element, warnings);
        } else {
            negative_timeout("", element, warnings);
        }
    }
    switched_off(subject, warnings);
    never(subject, warnings);
}

/// "Unset" is -1 millisecond inside, which no number of seconds is.
fn negative_timeout(owner: &str, element: &Element<'_>, warnings: &mut Warnings<'_>) {
    let Some(seconds) =
        element.first_text().and_then(|text| java::parse_long(java::trim(text))).filter(|seconds| *seconds < 0)
    else {
        return;
    };
    let at = value_at(&warnings.places, element);
    warnings
        .warn("negative-timeout", at, format!("{owner}{} is {seconds}", element.name))
        .effect("a negative time is not \"never\": it is always over, and starved applications preempt at once")
        .help("remove it to inherit or for never, or write 0 to preempt at once");
}

fn threshold(owner: &str, element: &Element<'_>, warnings: &mut Warnings<'_>) {
    let Some(value) = element.first_text().and_then(java::parse_float).filter(|value| !(0.0..=1.0).contains(value))
    else {
        return;
    };
    let at = value_at(&warnings.places, element);
    let taken = if value > 1.0 { "1.0" } else { "0.0" };
    let effect = if value.is_nan() {
        "nobody is ever below it".to_owned()
    } else {
        format!("Hadoop takes it for {taken}: it is a fraction of the fair share, not a percentage")
    };
    warnings
        .warn("threshold-range", at, format!("{owner}{} is {value}", element.name))
        .effect(effect)
        .help("write a number from 0 to 1");
}

/// One queue above that forbids is enough.
fn allowed_in_vain(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let Some(element) = queue.field(ALLOW).filter(|_| queue.settings.preemptable.is_none()) else { return };
    let forbids = |above: &&Queue<'_>| above.settings.preemptable == Some(false);
    if let Some(above) = subject.tree.above(queue).find(forbids) {
        let at = value_at(&warnings.places, element);
        warnings
            .warn(
                "preemption-forbidden",
                at,
                format!("{}{ALLOW} is true, but {:?} forbids it", queue.owner(), above.name),
            )
            .effect("nothing is preempted from this queue: one above it that forbids is enough")
            .help(format!("forbid it in the other queues below {:?} instead", above.name));
    }
}

/// All elements about preemption, in the order of the file's queues.
fn elements<'a>(subject: &Subject<'a>) -> Vec<&'a Element<'a>> {
    let top = [DEFAULT_MIN_TIMEOUT, DEFAULT_FAIR_TIMEOUT, FAIR_TIMEOUT, DEFAULT_THRESHOLD];
    let mut found: Vec<&Element<'_>> = top.iter().filter_map(|tag| subject.top.get(tag).copied()).collect();
    for queue in &subject.tree.queues {
        found.extend([MIN_TIMEOUT, FAIR_TIMEOUT, THRESHOLD, ALLOW].iter().filter_map(|tag| queue.field(tag)));
    }
    found
}

fn switched_off(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    if subject.options.settings.is_none_or(|settings| settings.preemption) {
        return;
    }
    let found = elements(subject);
    let Some(first) = found.iter().min_by_key(|element| element.offset) else { return };
    let message = format!("<{}>{}, but preemption is off", first.name, and_more(found.len() - 1));
    warnings
        .warn("preemption-off", first.name_at(), message)
        .effect("it has no effect: yarn.scheduler.fair.preemption is not true")
        .help("set yarn.scheduler.fair.preemption to true in yarn-site.xml, or remove what is about it here");
}

/// Without a timeout anywhere nobody is ever starved for long enough.
fn never(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    if subject.options.settings.is_none_or(|settings| !settings.preemption) {
        return;
    }
    let timeouts = [DEFAULT_MIN_TIMEOUT, DEFAULT_FAIR_TIMEOUT, MIN_TIMEOUT, FAIR_TIMEOUT];
    if !elements(subject).iter().any(|element| timeouts.contains(&element.name)) {
        warnings
            .warn("preemption-never", subject.root.name_at(), "preemption is on, but the file has no timeout for it")
            .effect("the default is never: nothing is ever preempted")
            .help("add <defaultFairSharePreemptionTimeout>, or <defaultMinSharePreemptionTimeout> for queues with minResources");
    }
}
