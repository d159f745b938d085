//! Reservable queues: plans in which nothing can be reserved, and rights that are otherwise than they look
//! (rules/reservations.md 1, 3 and 5.3).

use super::subject::{Subject, and_more};
use super::tree::Queue;
use crate::acl::AccessControlList;
use crate::allocation_file::context::value_at;
use crate::allocation_file::policy_name::PolicyName;
use crate::quoted::shown;
use crate::reservation_classes::RESERVATION_CLASSES;
use crate::warnings::Warnings;
use std::collections::BTreeMap;

const ADMINISTER: &str = "aclAdministerReservations";
const LISTS: [&str; 3] = ["aclSubmitReservations", "aclListReservations", ADMINISTER];

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let plans: Vec<&Queue<'_>> = subject.tree.queues.iter().filter(|queue| queue.settings.reservation).collect();
    classes(subject, warnings);
    without_vcores(subject, &plans, warnings);
    open(&plans, warnings);
    against_settings(subject, &plans, warnings);
}

/// A class that Hadoop does not have has to come from elsewhere.
fn classes(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let file = subject.file;
    let named = [&file.reservation_agent, &file.reservation_policy, &file.reservation_planner];
    for (of, class) in RESERVATION_CLASSES.iter().zip(named) {
        let Some(element) = subject.top.get(of.named_by).filter(|_| !of.has(class)) else { continue };
        let at = value_at(&warnings.places, element);
        let message = format!("{} is {}, which is no class of Hadoop's", of.named_by, shown(class));
        warnings
            .warn("reservation-class", at, message)
            .effect("with reservations on and a reservable queue the ResourceManager does not start, unless the class is on its class path")
            .help(of.instead_of(class));
    }
}

/// Below `fair` only memory is shared out ahead of time, and a plan has what its queue's steady share is.
fn without_vcores(subject: &Subject<'_>, plans: &[&Queue<'_>], warnings: &mut Warnings<'_>) {
    // The plans of one parent are one mistake: the first of them, and how many more.
    let mut found: BTreeMap<usize, (&Queue<'_>, usize)> = BTreeMap::new();
    for plan in plans {
        let Some(parent) = plan.parent else { continue };
        // One that is `drf` itself is not even made, which is told elsewhere.
        let is_told = *subject.policy(plan) == PolicyName::Drf;
        if *subject.policy(&subject.tree.queues[parent]) == PolicyName::Fair && !is_told {
            found.entry(parent).and_modify(|(_, more)| *more += 1).or_insert((plan, 0));
        }
    }
    for (parent, (plan, more)) in found {
        let of = &subject.tree.queues[parent].name;
        let at = plan.field("reservation").map(|element| element.name_at()).unwrap_or_default();
        let message = format!("queue {:?}{} is reservable, and its parent {of:?} is fair", plan.name, and_more(more));
        warnings
            .warn("plan-without-vcores", at, message)
            .effect("it has no vcores to promise: every reservation that asks for some is refused")
            .help(format!("write <schedulingPolicy>drf</schedulingPolicy> in {of:?}, and in all queues above it"));
    }
}

/// Who may administer may do all, and without a list that is everybody.
fn open(plans: &[&Queue<'_>], warnings: &mut Warnings<'_>) {
    for plan in plans {
        let own = plan.settings;
        let is_open = |list: &Option<AccessControlList>| list.as_ref().is_none_or(|list| list.everybody);
        let others = [&own.acl_submit_reservations, &own.acl_list_reservations];
        let in_vain = LISTS.iter().zip(others).find(|(_, list)| !is_open(list));
        let (Some((tag, _)), true) = (in_vain, is_open(&own.acl_administer_reservations)) else { continue };
        let Some(element) = plan.field(tag) else { continue };
        let at = value_at(&warnings.places, element);
        let by_default = if own.acl_administer_reservations.is_none() { " by default" } else { "" };
        let effect = format!("{ADMINISTER} is for everybody{by_default}, and who may administer may submit and list");
        warnings
            .warn("reservation-acl-open", at, format!("{}{tag} keeps nobody out", plan.owner()))
            .effect(effect)
            .help(format!("add <{ADMINISTER}> with fewer names, or a single space for nobody"));
    }
}

/// What the settings make of it.
fn against_settings(subject: &Subject<'_>, plans: &[&Queue<'_>], warnings: &mut Warnings<'_>) {
    let Some(settings) = subject.options.settings else { return };
    let rights_count = settings.acl_enable && settings.reservation_acl_enable;
    if let Some(plan) = plans.first().filter(|_| !settings.reservation_system) {
        let at = plan.field("reservation").map(|element| element.name_at()).unwrap_or_default();
        let message = format!(
            "queue {:?}{} is reservable, but there is no reservation system",
            plan.name,
            and_more(plans.len() - 1)
        );
        warnings
            .warn("reservations-off", at, message)
            .effect("nothing can be reserved; it is a parent, whose applications are in a child of their own")
            .help(
                "set yarn.resourcemanager.reservation-system.enable to true in yarn-site.xml, or remove <reservation/>",
            );
    }
    let lists: Vec<_> = plans.iter().flat_map(|plan| LISTS.iter().filter_map(|tag| plan.field(tag))).collect();
    if let Some(first) = lists.iter().min_by_key(|element| element.offset).filter(|_| !rights_count) {
        let off = if settings.acl_enable { "yarn.acl.reservation-enable" } else { "yarn.acl.enable" };
        let message = format!("<{}>{}, but {off} is false", first.name, and_more(lists.len() - 1));
        warnings
            .warn("reservation-acl-disabled", first.name_at(), message)
            .effect("it has no effect: everybody may reserve, update, delete and list")
            .help(format!("set {off} to true in yarn-site.xml, or remove the lists"));
    }
    if !(settings.reservation_system && rights_count) {
        return;
    }
    let is_leaf = |queue: &&Queue<'_>| subject.file.leaves.contains(&queue.name);
    let leaves: Vec<&Queue<'_>> = subject.tree.queues.iter().filter(is_leaf).collect();
    if let Some(first) = leaves.first() {
        let others = and_more(leaves.len() - 1);
        let message =
            format!("queue {:?}{others} is not reservable, and yarn.acl.reservation-enable is true", first.name);
        warnings
            .warn("reservation-acls-refuse", first.name_at().unwrap_or_default(), message)
            .effect("every application for it is refused: the right to reserve is asked for first, whatever the queue")
            .help("set yarn.acl.reservation-enable to false, unless all applications go to reservable queues");
    }
}
