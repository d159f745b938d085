//! What Hadoop reads after the placement rules are in force: root's preemption defaults, reservation classes, then the
//! defaults of queues and users.

use super::context::{Context, Field, Owner};
use super::error::AllocationFileError as Error;
use super::file::AllocationFile;
use crate::names::ROOT;
use crate::xml::Element;
use std::collections::HashMap;

/// The single values at the top level, by tag; of two the last one counts.
pub(super) type Top<'e> = HashMap<&'e str, &'e Element<'e>>;

pub(super) fn read_late(context: &mut Context<'_>, top: &Top<'_>, file: &mut AllocationFile) -> Result<(), Error> {
    let field = |tag: &str| top.get(tag).map(|element| Field { owner: Owner::Top, element });
    // Where root has its own, the default is not even looked at.
    let root = file.queues.get(ROOT).cloned().unwrap_or_default();
    let timeout = field("defaultFairSharePreemptionTimeout").or_else(|| field("fairSharePreemptionTimeout"));
    if let (Some(field), None) = (timeout, root.fair_share_preemption_timeout_ms) {
        take(context, &mut file.fair_share_preemption_timeout_ms, field, Context::seconds)?;
    }
    if let (Some(field), None) = (field("defaultMinSharePreemptionTimeout"), root.min_share_preemption_timeout_ms) {
        take(context, &mut file.min_share_preemption_timeout_ms, field, Context::seconds)?;
    }
    if let (Some(field), None) = (field("defaultFairSharePreemptionThreshold"), root.fair_share_preemption_threshold) {
        take(context, &mut file.fair_share_preemption_threshold, field, Context::threshold)?;
    }
    if let Some(field) = field("reservation-agent") {
        take(context, &mut file.reservation_agent, field, owned)?;
    }
    if let Some(field) = field("reservation-policy") {
        take(context, &mut file.reservation_policy, field, owned)?;
    }
    if let Some(field) = field("reservation-planner") {
        take(context, &mut file.reservation_planner, field, owned)?;
    }
    if let Some(field) = field("queueMaxResourcesDefault") {
        take(context, &mut file.queue_max_resources, field, Context::maximum)?;
    }
    if let Some(field) = field("userMaxAppsDefault") {
        take(context, &mut file.user_max_apps, field, Context::integer)?;
    }
    if let Some(field) = field("queueMaxAppsDefault") {
        take(context, &mut file.queue_max_apps, field, Context::integer)?;
    }
    if let Some(field) = field("queueMaxAMShareDefault") {
        take(context, &mut file.queue_max_am_share, field, Context::share)?;
    }
    Ok(())
}

fn take<'a, 'e, T>(
    context: &mut Context<'a>,
    into: &mut T,
    field: Field<'e>,
    read: impl FnOnce(&mut Context<'a>, Field<'e>) -> Result<T, Error>,
) -> Result<(), Error> {
    let value = read(context, field);
    if let Some(value) = context.settle(value)? {
        *into = value;
    }
    Ok(())
}

fn owned(context: &mut Context<'_>, field: Field<'_>) -> Result<String, Error> {
    context.trimmed(field).map(str::to_owned)
}
