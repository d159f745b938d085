//! `/scheduler-overview`

use super::request::{Answer, Asked, Outcome};
use super::resource::resource;
use crate::manager::ResourceManager;
use crate::scheduler::Kind;
use crate::value::Object;

pub(crate) fn overview(of: &ResourceManager, _: &Asked) -> Outcome {
    let basics = of.scheduler().basics();
    let kind = match basics.kind {
        Kind::Fair => "Fair Scheduler",
        Kind::Capacity => "Capacity Scheduler",
    };
    let answer = Object::new()
        .with("schedulerType", kind)
        .with("schedulingResourceType", of.scheduling_types())
        .with("minimumAllocation", resource(&basics.types, &basics.minimum))
        .with("maximumAllocation", resource(&basics.types, &of.scheduler().largest()))
        .with("applicationPriority", basics.max_priority)
        .with("schedulerBusy", -1)
        .with("rmDispatcherEventQueueSize", 0)
        .with("schedulerDispatcherEventQueueSize", 0);
    Ok(Answer::mapped("scheduler", answer))
}
