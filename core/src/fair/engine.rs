//! The engine under the FairScheduler: its records, with the FairScheduler's parts in them.

use crate::config::Settings;
use crate::matching::size::Steps;

/// The FairScheduler's settings, and what the embedder has chosen of its decisions beside.
#[derive(Clone, Debug, Default)]
pub(crate) struct FairDecider {
    pub(crate) settings: Settings,
    /// Children are sorted anew for every container, as the classic design does.
    pub(crate) resort: bool,
    /// Why each step did what it did is noted.
    pub(crate) trace: bool,
}

impl FairDecider {
    /// What the engine is told of the settings.
    pub(crate) fn engine_settings(&self) -> crate::engine::Settings {
        let settings = &self.settings;
        let (types, minimum, increment) = (settings.types.len(), settings.minimum, settings.increment);
        let (offers_ms, continuous_ms) =
            (settings.schedule_asynchronously_interval_ms, settings.continuous_scheduling_sleep_ms);
        crate::engine::Settings {
            steps: Steps { types, minimum, increment },
            maximum: settings.maximum,
            container_expiry_ms: settings.container_expiry_ms,
            reports_offer: true,
            silent_after_ms: settings.node_heartbeat_interval_ms.saturating_mul(2),
            offers_every_ms: settings.schedule_asynchronously.then_some(offers_ms),
            continuous_every_ms: settings.continuous_scheduling.then_some(continuous_ms),
            preemption: settings.preemption,
            node_labels: false,
            acl_enable: settings.acl_enable,
            admin_acl: settings.admin_acl.clone(),
        }
    }
}

pub(crate) type Shard = crate::engine::shard::Shard<FairDecider>;
pub(crate) type QueueLocal = crate::engine::records::queue::QueueLocal<FairDecider>;
pub(crate) type AppLocal = crate::engine::records::app::AppLocal<FairDecider>;
pub(crate) type KeyLocal = crate::engine::records::key::KeyLocal<FairDecider>;
pub(crate) type Node = crate::engine::records::node::Node<FairDecider>;
pub(crate) type Lent = crate::engine::Lent<FairDecider>;
pub(crate) type AtRest = crate::engine::AtRest<FairDecider>;
#[cfg(test)]
pub(crate) type Stepper = crate::engine::Stepper<FairDecider>;
pub(crate) type QueueSnapshot = crate::engine::publish::snapshot::QueueSnapshot<FairDecider>;
pub(crate) type Structure = crate::engine::publish::snapshot::Structure<FairDecider>;
pub(crate) type SchedulerSnapshot = crate::engine::publish::snapshot::SchedulerSnapshot<FairDecider>;
pub(crate) type Shared = crate::engine::shared::Shared<FairDecider>;
pub(crate) type Internal = crate::engine::intake::to_worker::Internal<FairDecider>;
pub(crate) type ControlMessage = crate::engine::intake::to_control::ControlMessage<FairDecider>;
pub(crate) type Control = crate::engine::control::Control<FairDecider>;
pub(crate) type Call = crate::engine::intake::to_control::Call<FairDecider>;
