//! The order of reading: document, top level and queues, placement, then what Hadoop reads last.

use super::context::{Context, Field, Owner};
use super::defaults::{Top, read_late};
use super::elements::TOP_LEVEL;
use super::error::AllocationFileError as Error;
use super::file::{AllocationFile, Parsed};
use super::placement::read_policy;
use super::policy_name::PolicyName;
use super::queue::read_queues;
use super::user::read_user;
use crate::diagnostic::Places;
use crate::encoding::ReadAs;
use crate::java;
use crate::xml::{self, Element};
use bumpalo::Bump;
use evenweave_resource::ResourceTypes;

pub(super) fn read(
    text: &str,
    source_name: &str,
    types: &ResourceTypes,
    custom_policies: &[String],
) -> Result<Parsed, Error> {
    let places = Places::new(source_name, text);
    let arena = Bump::new();
    let root = read_document(text, &arena, &places)?;
    let mut context = Context::new(places, types, custom_policies);
    let file = read_allocations(&mut context, &root)?;
    Ok(Parsed { file, warnings: context.into_findings().0.into_list() })
}

/// The root element.
pub(super) fn read_document<'t>(text: &'t str, arena: &'t Bump, places: &Places<'_>) -> Result<Element<'t>, Error> {
    let root = xml::parse(text, arena, ReadAs::Allocations)
        .map_err(|error| Error::Malformed { at: places.at(error.offset), problem: error.problem })?;
    if root.name != "allocations" {
        return Err(Error::RootElement { at: places.span(root.name_at()), found: root.name.to_owned() });
    }
    Ok(root)
}

/// What the root element says.
pub(super) fn read_allocations(context: &mut Context<'_>, root: &Element<'_>) -> Result<AllocationFile, Error> {
    context.warn_of_attributes(root, &[]);
    context.warn_of_stray_text(root);
    let mut file = AllocationFile {
        min_share_preemption_timeout_ms: i64::MAX,
        fair_share_preemption_timeout_ms: i64::MAX,
        fair_share_preemption_threshold: 0.5,
        types: Some(context.types.clone()),
        ..AllocationFile::default()
    };
    let mut top = Top::new();
    let (mut queues, mut policy) = (Vec::new(), None);
    for element in root.elements() {
        match element.name {
            "queue" | "pool" => queues.push(element),
            "user" => read_user(context, element, &mut file)?,
            "queuePlacementPolicy" => policy = keep_last(context, policy, element),
            tag if TOP_LEVEL.contains(&tag) => {
                let tag = current_name(tag);
                let before = top.get(tag).copied();
                top.extend(keep_last(context, before, element).map(|element| (tag, element)));
            }
            _ => context.warn_of_ignored(Field { owner: Owner::Top, element }, "allocations", TOP_LEVEL),
        }
    }
    if let Some(element) = top.get("defaultQueueSchedulingPolicy") {
        let named = context.policy(Field { owner: Owner::Top, element });
        match context.settle(named)? {
            // Hadoop refuses the word alone.
            Some(PolicyName::Fifo)
                if element.first_text().is_some_and(|text| java::equals_ignore_case(java::trim(text), "fifo")) =>
            {
                let at = context.warnings.places.span(context.value_at(element));
                context.settle::<()>(Err(Error::FifoDefault { at }))?;
            }
            Some(named) => file.default_policy = named,
            None => {}
        }
    }
    read_queues(context, &queues, &mut file)?;
    if let Some(policy) = policy {
        file.has_placement_policy = true;
        file.placement = read_policy(context, policy)?;
    }
    // Here Hadoop has already put the rules in force.
    let early = context.errors_so_far();
    let placement = file.placement_change();
    let wrap = |cause| Error::AfterPlacement { cause: Box::new(cause), placement: placement.clone() };
    read_late(context, &top, &mut file).map_err(wrap)?;
    context.rewrite_errors(early, wrap);
    Ok(file)
}

/// Two names of one thing.
pub(super) fn current_name(tag: &str) -> &str {
    if tag == "defaultQueueSchedulingMode" { "defaultQueueSchedulingPolicy" } else { tag }
}

fn keep_last<'e>(
    context: &mut Context<'_>,
    before: Option<&'e Element<'e>>,
    element: &'e Element<'e>,
) -> Option<&'e Element<'e>> {
    if let Some(before) = before {
        let line = context.warnings.places.at(before.offset).line;
        let message = format!("<{}> is given twice; the first is <{}> in line {line}", element.name, before.name);
        context
            .warnings
            .warn("duplicate-element", element.name_at(), message)
            .effect("the last one counts")
            .help("remove one");
    }
    Some(element)
}
