//! Names that Hadoop still reads beside the current ones. One warning a name, however often it is used.

use super::subject::{Subject, and_more};
use crate::warnings::Warnings;
use crate::xml::Element;

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let top = || subject.root.elements();
    let in_queues =
        || subject.tree.queues.iter().flat_map(|queue| &queue.elements).flat_map(|element| element.elements());
    former_name("pool", "queue", top().chain(in_queues()), warnings);
    former_name("schedulingMode", "schedulingPolicy", in_queues(), warnings);
    former_name("defaultQueueSchedulingMode", "defaultQueueSchedulingPolicy", top(), warnings);
    let (former, current) = ("fairSharePreemptionTimeout", "defaultFairSharePreemptionTimeout");
    match (subject.top.get(former), subject.top.get(current)) {
        (Some(element), Some(_)) => {
            warnings
                .warn("hidden-default", element.name_at(), format!("<{former}> beside <{current}>, its current name"))
                .effect("Hadoop does not read it")
                .help("remove it");
        }
        _ => former_name(former, current, top(), warnings),
    }
}

fn former_name<'e>(
    former: &str,
    current: &str,
    elements: impl Iterator<Item = &'e Element<'e>>,
    warnings: &mut Warnings<'_>,
) {
    let mut used = elements.filter(|element| element.name == former);
    let Some(first) = used.next() else { return };
    let message = format!("<{former}>{} is a name of former times", and_more(used.count()));
    warnings
        .warn("legacy-name", first.name_at(), message)
        .effect(format!("Hadoop takes it for <{current}>"))
        .help(format!("write <{current}>"));
}
