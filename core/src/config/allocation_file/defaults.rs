//! What Hadoop reads after the placement rules are in force: root's preemption defaults, reservation classes, then the
//! defaults of queues and users.

use super::AllocationFile;
use super::context::{Context, Field};
use super::error::AllocationFileError as Error;
use super::queue::warn_of_lost_vcores;
use super::read::Top;
use crate::config::names::ROOT;
use crate::config::resource_string::Missing;

pub(super) fn read_late(context: &mut Context<'_>, top: &Top<'_>, file: &mut AllocationFile) -> Result<(), Error> {
    let field = |tag: &str| top.get(tag).map(|element| Field { owner: "", element });
    // Where root has its own, the default is not even looked at.
    let root = file.queues.get(ROOT).cloned().unwrap_or_default();
    let timeout = field("defaultFairSharePreemptionTimeout").or_else(|| field("fairSharePreemptionTimeout"));
    if let (Some(field), None) = (timeout, root.fair_share_preemption_timeout_ms) {
        file.fair_share_preemption_timeout_ms = context.seconds(field)?;
    }
    if let (Some(field), None) = (field("defaultMinSharePreemptionTimeout"), root.min_share_preemption_timeout_ms) {
        file.min_share_preemption_timeout_ms = context.seconds(field)?;
    }
    if let (Some(field), None) = (field("defaultFairSharePreemptionThreshold"), root.fair_share_preemption_threshold) {
        file.fair_share_preemption_threshold = context.threshold(field)?;
    }
    if let Some(field) = field("reservation-agent") {
        file.reservation_agent = context.trimmed(field)?.to_owned();
    }
    if let Some(field) = field("reservation-policy") {
        file.reservation_policy = context.trimmed(field)?.to_owned();
    }
    if let Some(field) = field("reservation-planner") {
        file.reservation_planner = context.trimmed(field)?.to_owned();
    }
    if let Some(field) = field("queueMaxResourcesDefault") {
        file.queue_max_resources = context.limit(field, Missing::Max)?;
        warn_of_lost_vcores(context, field, Some(file.queue_max_resources));
    }
    if let Some(field) = field("userMaxAppsDefault") {
        file.user_max_apps = context.integer(field)?;
    }
    if let Some(field) = field("queueMaxAppsDefault") {
        file.queue_max_apps = context.integer(field)?;
    }
    if let Some(field) = field("queueMaxAMShareDefault") {
        file.queue_max_am_share = context.share(field)?;
    }
    Ok(())
}
