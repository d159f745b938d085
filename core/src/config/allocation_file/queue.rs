//! Queue elements.

use super::context::{Context, Field};
use super::error::AllocationFileError as Error;
use super::read::{TOP_LEVEL, USER};
use super::{AllocationFile, QueueSettings};
use crate::config::acl::AccessControlList;
use crate::config::names::{ROOT, rooted, trim_java};
use crate::config::nearest::hint;
use crate::config::resource_string::{Limit, Missing};
use crate::config::xml::Element;
use std::collections::HashSet;

/// The elements that mean something in a queue, child queues aside.
pub(super) const QUEUE: [&str; 19] = [
    "minResources",
    "maxResources",
    "maxChildResources",
    "maxContainerAllocation",
    "maxRunningApps",
    "maxAMShare",
    "weight",
    "schedulingPolicy",
    "schedulingMode",
    "minSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "fairSharePreemptionThreshold",
    "allowPreemptionFrom",
    "aclSubmitApps",
    "aclAdministerApps",
    "aclAdministerReservations",
    "aclListReservations",
    "aclSubmitReservations",
    "reservation",
];

/// Reads the queues at the top level.
pub(super) fn read_queues(
    context: &mut Context<'_>,
    elements: &[&Element],
    file: &mut AllocationFile,
) -> Result<(), Error> {
    for element in elements {
        // Here the name counts as it stands, untrimmed and in any case.
        let is_root = element.attribute("name").is_some_and(|name| name.eq_ignore_ascii_case(ROOT));
        if is_root && elements.len() > 1 {
            return Err(Error::RootSiblings { at: context.places.at(element.offset) });
        }
        read_queue(context, element, (!is_root).then_some(ROOT), file)?;
    }
    Ok(())
}

fn name_of(element: &Element) -> &str {
    trim_java(element.attribute("name").unwrap_or_default())
}

/// A nested element is a queue when its tag is `pool` or the end of the word `queue`: `'queue'.endsWith(tag)`.
fn is_child_queue(tag: &str) -> bool {
    tag == "pool" || "queue".ends_with(tag)
}

fn read_queue(
    context: &mut Context<'_>,
    element: &Element,
    parent: Option<&str>,
    file: &mut AllocationFile,
) -> Result<(), Error> {
    let name = name_of(element);
    if name.is_empty() || name.contains('.') {
        let (parent, name) = (parent.unwrap_or(ROOT).to_owned(), name.to_owned());
        return Err(Error::QueueName { at: context.places.at(element.offset), parent, name });
    }
    // The top may be spelt `ROOT`: then its settings, and those below, stand under names that no queue has.
    let key = parent.map_or_else(|| name.to_owned(), |parent| format!("{parent}.{name}"));
    let name = rooted(&key);
    if parent.is_none() && key != ROOT {
        let message = format!("this is not root but a queue {name:?}, and its settings are lost; write \"{ROOT}\"");
        context.warn(element, message);
    }
    // Elements of one name are merged, field by field.
    let mut settings = file.queues.remove(&key).unwrap_or_default();
    let children = read_fields(context, element, &name, &mut settings)?;
    let reservation = element.has("reservation");
    if !children.is_empty() || element.attribute("type") == Some("parent") {
        if let Some(misplaced) = element.elements().find(|e| e.name == "maxAMShare" || e.name == "reservation") {
            let (at, element) = (context.places.at(misplaced.offset), misplaced.name.clone());
            return Err(Error::OnlyForLeaves { at, queue: name, element });
        }
        file.parents.insert(name.clone());
    } else if reservation {
        settings.reservation = true;
        file.parents.insert(name.clone());
    } else {
        file.leaves.insert(name.clone());
    }
    warn_of_contradictions(context, element, &name, &settings, file);
    file.queues.insert(key.clone(), settings);
    children.into_iter().try_for_each(|child| read_queue(context, child, Some(&key), file))
}

/// Reads all fields and gives the child queues.
fn read_fields<'e>(
    context: &mut Context<'_>,
    element: &'e Element,
    queue: &str,
    settings: &mut QueueSettings,
) -> Result<Vec<&'e Element>, Error> {
    let owner = format!("queue {queue:?}: ");
    let mut children = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for element in element.elements() {
        let field = Field { owner: &owner, element };
        let tag = element.name.as_str();
        if is_child_queue(tag) {
            if tag != "pool" && tag != "queue" {
                context.warn_field(field, "is taken for a child queue; write <queue>");
            }
            children.push(element);
            continue;
        }
        if !seen.insert(tag) {
            context.warn_field(field, "is given twice in this queue element");
        }
        match tag {
            "minResources" => settings.min = context.amounts(field, Missing::Zero)?,
            "maxResources" => settings.max = Some(maximum(context, field)?),
            "maxChildResources" => settings.max_child = Some(maximum(context, field)?),
            "maxContainerAllocation" => {
                settings.max_container = context.amounts(field, Missing::Max)?;
                warn_of_lost_vcores(context, field, settings.max_container.map(Limit::Absolute));
            }
            "maxRunningApps" => settings.max_running_apps = Some(context.integer(field)?),
            "maxAMShare" => settings.max_am_share = Some(context.share(field)?),
            "weight" => settings.weight = Some(context.narrowed(field)?),
            "schedulingPolicy" | "schedulingMode" => settings.policy = Some(context.policy(field)?),
            "minSharePreemptionTimeout" => {
                settings.min_share_preemption_timeout_ms = Some(context.seconds(field)?);
            }
            "fairSharePreemptionTimeout" => {
                settings.fair_share_preemption_timeout_ms = Some(context.seconds(field)?);
            }
            "fairSharePreemptionThreshold" => {
                settings.fair_share_preemption_threshold = Some(context.threshold(field)?);
            }
            "allowPreemptionFrom" => read_preemptable(context, field, settings)?,
            "aclSubmitApps" => settings.acl_submit = Some(acl(context, field)?),
            "aclAdministerApps" => settings.acl_administer = Some(acl(context, field)?),
            "aclAdministerReservations" => settings.acl_administer_reservations = Some(acl(context, field)?),
            "aclListReservations" => settings.acl_list_reservations = Some(acl(context, field)?),
            "aclSubmitReservations" => settings.acl_submit_reservations = Some(acl(context, field)?),
            // Looked at when all of the queue is known.
            "reservation" => {}
            _ if TOP_LEVEL.contains(&tag) => {
                context.warn_field(field, "is ignored here; it belongs directly into <allocations>");
            }
            _ => {
                let hint = hint(tag, QUEUE.into_iter().chain(["queue"]));
                context.warn_field(field, &format!("is unknown and ignored{hint}"));
            }
        }
    }
    context.warn_stray_text(element);
    Ok(children)
}

fn maximum(context: &mut Context<'_>, field: Field<'_>) -> Result<Limit, Error> {
    let limit = context.limit(field, Missing::Max)?;
    warn_of_lost_vcores(context, field, Some(limit));
    Ok(limit)
}

/// `memory-mb=4096` alone forbids all vcores, which nobody means.
pub(super) fn warn_of_lost_vcores(context: &mut Context<'_>, field: Field<'_>, limit: Option<Limit>) {
    if limit.and_then(|limit| limit.absolute()).is_some_and(|amounts| amounts.vcores() < 0) {
        context.warn_field(
            field,
            "names no vcores, which Hadoop takes for -1: nothing that needs vcores fits; add vcores=",
        );
    }
}

fn read_preemptable(context: &mut Context<'_>, field: Field<'_>, settings: &mut QueueSettings) -> Result<(), Error> {
    let text = context.trimmed(field)?.to_lowercase();
    if text != "true" {
        settings.preemptable = Some(false);
        if text != "false" {
            context.warn_field(field, "is neither true nor false and counts as false");
        }
    }
    Ok(())
}

fn acl(context: &Context<'_>, field: Field<'_>) -> Result<AccessControlList, Error> {
    context.text(field).map(AccessControlList::parse)
}

fn warn_of_contradictions(
    context: &mut Context<'_>,
    element: &Element,
    queue: &str,
    settings: &QueueSettings,
    file: &AllocationFile,
) {
    if file.leaves.contains(queue) && file.parents.contains(queue) {
        context.warn(element, format!("queue {queue:?} is declared as a leaf and as a parent"));
    }
    let (Some(min), Some(max)) = (settings.min, settings.max.and_then(|max| max.absolute())) else { return };
    let above = (0..context.types.len()).find(|i| min.get(*i) > max.get(*i));
    if let Some((i, name)) = above.map(|i| (i, context.types.name(i).to_owned())) {
        let (min, max) = (min.get(i), max.get(i));
        let message = format!(
            "queue {queue:?}: minResources has {min} {name}, maxResources only {max}; {min} is the maximum then"
        );
        context.warn(element, message);
    }
}

/// Reads a `user` element.
pub(super) fn read_user(context: &mut Context<'_>, element: &Element, file: &mut AllocationFile) -> Result<(), Error> {
    let name = element.attribute("name").unwrap_or_default();
    if name.is_empty() {
        context.warn(element, "<user> has no name and applies to nobody; add name=\"...\"".to_owned());
    }
    let owner = format!("user {name:?}: ");
    for element in element.elements() {
        let field = Field { owner: &owner, element };
        let tag = element.name.as_str();
        if tag == "maxRunningApps" {
            file.users.insert(name.to_owned(), context.integer(field)?);
        } else if QUEUE.contains(&tag) || TOP_LEVEL.contains(&tag) {
            context.warn_field(field, "is ignored here; a user has maxRunningApps alone");
        } else {
            context.warn_field(field, &format!("is unknown and ignored{}", hint(tag, USER)));
        }
    }
    context.warn_stray_text(element);
    Ok(())
}
