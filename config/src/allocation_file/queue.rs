//! Queue elements.

use super::context::{Context, Field, Owner};
use super::elements::{QUEUE, is_child_queue};
use super::error::AllocationFileError as Error;
use super::file::AllocationFile;
use super::queue_settings::QueueSettings;
use crate::acl::AccessControlList;
use crate::names::{ROOT, rooted, trim_java};
use crate::nearest::nearest;
use crate::quoted::{shortened, shown};
use crate::resource_string::Missing;
use crate::xml::Element;
use evenweave_resource::LONGEST_NAME;
use std::collections::HashSet;

/// The attributes of a queue.
const ATTRIBUTES: [&str; 2] = ["name", "type"];

/// Reads the queues at the top level.
pub(super) fn read_queues(
    context: &mut Context<'_>,
    elements: &[&Element<'_>],
    file: &mut AllocationFile,
) -> Result<(), Error> {
    for element in elements {
        let is_root = is_top(element);
        if is_root && elements.len() > 1 {
            let at = element.attribute_named("name").map_or(element.name_at(), |name| name.value_at);
            let siblings = Err(Error::RootSiblings { at: context.warnings.places.span(at) });
            context.settle::<()>(siblings)?;
        }
        read_queue(context, element, (!is_root).then_some(ROOT), file)?;
    }
    Ok(())
}

/// Whether a queue element of the top level is the top itself: there the name counts untrimmed and in any case.
pub(super) fn is_top(element: &Element<'_>) -> bool {
    element.attribute("name").is_some_and(|name| name.eq_ignore_ascii_case(ROOT))
}

/// A queue's own part of its name.
pub(super) fn name_of<'e>(element: &'e Element<'_>) -> &'e str {
    trim_java(element.attribute("name").unwrap_or_default())
}

/// The key of a queue under that of its parent. The top may be spelt `ROOT`: then its settings, and those below, stand
/// under names that no queue has.
pub(super) fn key_of(element: &Element<'_>, parent: Option<&str>) -> String {
    let name = name_of(element);
    parent.map_or_else(|| name.to_owned(), |parent| format!("{parent}.{name}"))
}

fn read_queue(
    context: &mut Context<'_>,
    element: &Element<'_>,
    parent: Option<&str>,
    file: &mut AllocationFile,
) -> Result<(), Error> {
    let name = name_of(element);
    if name.is_empty() || name.contains('.') {
        let refused = Err(bad_name(context, element, parent.unwrap_or(ROOT)));
        context.settle::<()>(refused)?;
        // Without a name there is nothing to go on with.
        if name.is_empty() {
            return Ok(());
        }
    }
    context.warn_of_attributes(element, &ATTRIBUTES);
    let key = key_of(element, parent);
    let name = rooted(&key);
    if name.len() > LONGEST_NAME {
        let given = element.attribute_named("name").map_or(element.name_at(), |name| name.value_at);
        let at = context.warnings.places.span(given);
        let refused = Err(Error::LongQueueName { at, name: shortened(&name).into_owned(), longest: LONGEST_NAME });
        return context.settle::<()>(refused).map(|_| ());
    }
    warn_of_root_spelling(context, element, parent, &name);
    // Elements of one name are merged, field by field.
    let settings = file.queues.entry(key.clone()).or_default();
    let children = read_fields(context, element, &name, settings)?;
    let reservation = element.has("reservation");
    if !children.is_empty() || element.attribute("type") == Some("parent") {
        if let Some(misplaced) = element.elements().find(|e| e.name == "maxAMShare" || e.name == "reservation") {
            let at = context.warnings.places.span(misplaced.name_at());
            let refused = Err(Error::OnlyForLeaves { at, queue: name.clone(), element: misplaced.name.to_owned() });
            context.settle::<()>(refused)?;
        }
        file.parents.insert(name);
    } else if reservation {
        settings.reservation = true;
        file.parents.insert(name);
    } else {
        file.leaves.insert(name);
    }
    children.into_iter().try_for_each(|child| read_queue(context, child, Some(&key), file))
}

fn bad_name(context: &Context<'_>, element: &Element<'_>, parent: &str) -> Error {
    let (given, parent) = (element.attribute_named("name"), parent.to_owned());
    let misspelt = element.attributes.iter().find(|attribute| nearest(attribute.name, ["name"]).is_some());
    if let (None, Some(misspelt)) = (given, misspelt) {
        let at = context.warnings.places.span(misspelt.name_at);
        return Error::MisspeltName { at, parent, attribute: misspelt.name.to_owned() };
    }
    let at = given.filter(|name| !name.value.is_empty()).map_or(element.name_at(), |name| name.value_at);
    Error::QueueName { at: context.warnings.places.span(at), parent, name: name_of(element).to_owned() }
}

/// Only `root` itself is the top: another case, or white space around it, makes a queue below it.
fn warn_of_root_spelling(context: &mut Context<'_>, element: &Element<'_>, parent: Option<&str>, name: &str) {
    let lost = parent.is_none() && name != ROOT;
    let Some(given) = element.attribute_named("name") else { return };
    let meant = lost || (parent == Some(ROOT) && name_of(element).eq_ignore_ascii_case(ROOT));
    if !meant {
        return;
    }
    let effect = if lost {
        format!("Hadoop makes a queue {name:?} below the top, and the settings are lost")
    } else {
        format!("Hadoop makes a queue {name:?} below the top")
    };
    let message = format!("{:?} is not the top queue", given.value);
    context.warnings.warn("root-spelling", given.value_at, message).effect(effect).help(format!("write {ROOT:?}"));
}

/// The elements that a queue has had.
#[derive(Default)]
struct Seen<'e> {
    /// A bit for each of `QUEUE`.
    known: u32,
    unknown: HashSet<&'e str>,
}

impl<'e> Seen<'e> {
    /// Notes an element down; true when it has been there before.
    fn again(&mut self, tag: &'e str) -> bool {
        match QUEUE.iter().position(|known| *known == tag) {
            Some(place) => {
                let bit = 1 << place;
                let again = self.known & bit != 0;
                self.known |= bit;
                again
            }
            None => !self.unknown.insert(tag),
        }
    }
}

/// Reads all fields and gives the child queues.
fn read_fields<'e>(
    context: &mut Context<'_>,
    element: &'e Element<'e>,
    queue: &str,
    settings: &mut QueueSettings,
) -> Result<Vec<&'e Element<'e>>, Error> {
    let owner = Owner::Queue(queue);
    let mut children = Vec::new();
    let mut seen = Seen::default();
    for element in element.elements() {
        let field = Field { owner, element };
        let tag = element.name;
        if is_child_queue(tag) {
            if tag != "pool" && tag != "queue" {
                let message = format!("{owner}<{tag}> is no element that there is");
                context
                    .warnings
                    .warn("odd-queue-tag", element.name_at(), message)
                    .effect("Hadoop takes it for a child queue, as any ending of the word \"queue\"")
                    .help("write <queue>");
            }
            children.push(element);
            continue;
        }
        if seen.again(tag) {
            context
                .warnings
                .warn("duplicate-element", element.name_at(), format!("{owner}<{tag}> is given twice"))
                .effect(if tag == "allowPreemptionFrom" {
                    "one of them that forbids is enough"
                } else {
                    "the last one counts"
                })
                .help("remove one");
        }
        let read = read_field(context, field, settings);
        context.settle(read)?;
    }
    context.warn_of_stray_text(element);
    Ok(children)
}

fn read_field(context: &mut Context<'_>, field: Field<'_>, settings: &mut QueueSettings) -> Result<(), Error> {
    match field.element.name {
        "minResources" => settings.min = context.amounts(field, Missing::Zero)?,
        "maxResources" => settings.max = Some(context.maximum(field)?),
        "maxChildResources" => settings.max_child = Some(context.maximum(field)?),
        "maxContainerAllocation" => settings.max_container = context.amounts(field, Missing::Max)?,
        "maxRunningApps" => settings.max_running_apps = Some(context.integer(field)?),
        "maxAMShare" => settings.max_am_share = Some(context.share(field)?),
        "weight" => settings.weight = Some(context.narrowed(field)?),
        "schedulingPolicy" | "schedulingMode" => settings.policy = Some(context.policy(field)?),
        "minSharePreemptionTimeout" => settings.min_share_preemption_timeout_ms = Some(context.seconds(field)?),
        "fairSharePreemptionTimeout" => settings.fair_share_preemption_timeout_ms = Some(context.seconds(field)?),
        "fairSharePreemptionThreshold" => settings.fair_share_preemption_threshold = Some(context.threshold(field)?),
        "allowPreemptionFrom" => read_preemptable(context, field, settings)?,
        "aclSubmitApps" => settings.acl_submit = Some(acl(context, field)?),
        "aclAdministerApps" => settings.acl_administer = Some(acl(context, field)?),
        "aclAdministerReservations" => settings.acl_administer_reservations = Some(acl(context, field)?),
        "aclListReservations" => settings.acl_list_reservations = Some(acl(context, field)?),
        "aclSubmitReservations" => settings.acl_submit_reservations = Some(acl(context, field)?),
        // Looked at when all of the queue is known.
        "reservation" => {}
        _ => context.warn_of_ignored(field, "queue", QUEUE.into_iter().chain(["queue"])),
    }
    Ok(())
}

fn read_preemptable(context: &mut Context<'_>, field: Field<'_>, settings: &mut QueueSettings) -> Result<(), Error> {
    let text = context.trimmed(field)?;
    if text.to_lowercase() != "true" {
        settings.preemptable = Some(false);
        if !text.eq_ignore_ascii_case("false") {
            let at = context.value_at(field.element);
            context
                .warnings
                .warn("not-boolean", at, format!("{} {} is neither true nor false", field.subject(), shown(text)))
                .effect("Hadoop takes everything but \"true\" for false: the queue cannot be preempted from")
                .help("write true or false");
        }
    }
    Ok(())
}

fn acl(context: &mut Context<'_>, field: Field<'_>) -> Result<AccessControlList, Error> {
    const REMEDY: &str =
        "write a single space for nobody, or remove it: without one it is nobody, and in root everybody";
    context.text_or(field, REMEDY).map(AccessControlList::parse)
}
