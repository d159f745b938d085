//! The order of reading: document, top level and queues, placement, then what Hadoop reads last.

use super::context::{Context, Field};
use super::defaults::read_late;
use super::error::AllocationFileError as Error;
use super::placement::read_policy;
use super::queue::{QUEUE, read_queues, read_user};
use super::{AllocationFile, Parsed, PolicyName};
use crate::config::diagnostic::Places;
use crate::config::nearest::hint;
use crate::config::xml::{self, Element};
use crate::resource::ResourceTypes;
use std::collections::HashMap;

/// The elements that mean something at the top level.
pub(super) const TOP_LEVEL: [&str; 17] = [
    "queue",
    "pool",
    "user",
    "userMaxAppsDefault",
    "queueMaxAppsDefault",
    "queueMaxResourcesDefault",
    "queueMaxAMShareDefault",
    "defaultQueueSchedulingPolicy",
    "defaultQueueSchedulingMode",
    "defaultFairSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "defaultMinSharePreemptionTimeout",
    "defaultFairSharePreemptionThreshold",
    "queuePlacementPolicy",
    "reservation-agent",
    "reservation-policy",
    "reservation-planner",
];

/// The elements that mean something in a user.
pub(super) const USER: [&str; 1] = ["maxRunningApps"];

/// The single values at the top level, by tag; of two the last one counts.
pub(super) type Top<'e> = HashMap<&'e str, &'e Element>;

pub(super) fn read(
    text: &str,
    source_name: &str,
    types: &ResourceTypes,
    custom_policies: &[String],
) -> Result<Parsed, Error> {
    let places = Places::new(source_name, text);
    let root =
        xml::parse(text).map_err(|error| Error::Malformed { at: places.at(error.offset), problem: error.problem })?;
    let mut context = Context { places, types, custom_policies, warnings: Vec::new() };
    if root.name != "allocations" {
        return Err(Error::RootElement { at: context.places.at(root.offset), found: root.name });
    }
    context.warn_stray_text(&root);
    let mut file = AllocationFile {
        min_share_preemption_timeout_ms: i64::MAX,
        fair_share_preemption_timeout_ms: i64::MAX,
        fair_share_preemption_threshold: 0.5,
        ..AllocationFile::default()
    };
    let mut top = Top::new();
    let (mut queues, mut policy) = (Vec::new(), None);
    for element in root.elements() {
        match element.name.as_str() {
            "queue" | "pool" => queues.push(element),
            "user" => read_user(&mut context, element, &mut file)?,
            "queuePlacementPolicy" => policy = keep_last(&mut context, policy, element),
            tag if TOP_LEVEL.contains(&tag) => {
                // Two names of one thing.
                let tag = if tag == "defaultQueueSchedulingMode" { "defaultQueueSchedulingPolicy" } else { tag };
                let before = top.get(tag).copied();
                top.extend(keep_last(&mut context, before, element).map(|element| (tag, element)));
            }
            tag if QUEUE.contains(&tag) => {
                context.warn(element, format!("{tag} is ignored here; it belongs into a <queue>"));
            }
            tag => {
                let hint = hint(tag, TOP_LEVEL);
                context.warn(element, format!("<{tag}> is unknown and ignored{hint}"));
            }
        }
    }
    if let Some(element) = top.get("defaultQueueSchedulingPolicy") {
        file.default_policy = context.policy(Field { owner: "", element })?;
        if file.default_policy == PolicyName::Fifo {
            return Err(Error::FifoDefault { at: context.places.at(element.offset) });
        }
    }
    read_queues(&mut context, &queues, &mut file)?;
    if let Some(policy) = policy {
        file.has_placement_policy = true;
        file.placement = read_policy(&mut context, policy)?;
    }
    // Hadoop has put the rules in force by now.
    if let Err(cause) = read_late(&mut context, &top, &mut file) {
        return Err(Error::AfterPlacement { cause: Box::new(cause), placement: file.placement_change() });
    }
    Ok(Parsed { file, warnings: context.warnings })
}

fn keep_last<'e>(context: &mut Context<'_>, before: Option<&'e Element>, element: &'e Element) -> Option<&'e Element> {
    if let Some(before) = before {
        let line = context.places.at(before.offset).line;
        context.warn(element, format!("{} replaces {} of line {line}", element.name, before.name));
    }
    Some(element)
}
