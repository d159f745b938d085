//! The engine under the CapacityScheduler: its records, with the CapacityScheduler's parts in them.

use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::candidates::MultiNode;
use crate::config::capacity::CapacitySettings;
use crate::matching::size::Steps;

/// The CapacityScheduler's settings as the scheduler was built with: what a refresh of the queues does not change.
#[derive(Clone, Debug)]
pub(crate) struct CapacityDecider {
    pub(crate) settings: CapacitySettings,
    /// Every pass goes the whole way, as Hadoop does: children are sorted anew, all applications of a leaf are looked
    /// at, in lists that are searched from the front, and what a leaf may use is stored at each visit.
    pub(crate) resort: bool,
    /// Nodes of a partition are offered together, where that is on.
    pub(crate) multi_node: Option<MultiNode>,
}

fn milliseconds(setting: i64) -> u64 {
    u64::try_from(setting).unwrap_or_default()
}

impl CapacityDecider {
    pub(crate) fn arith(&self) -> Arith {
        Arith { calculator: self.settings.calculator, types: self.settings.types.len() }
    }

    /// What the engine is told of the settings.
    pub(crate) fn engine_settings(&self) -> crate::engine::Settings {
        let settings = &self.settings;
        let minimum = settings.minimum;
        crate::engine::Settings {
            steps: Steps { types: settings.types.len(), minimum, increment: minimum },
            maximum: settings.maximum,
            container_expiry_ms: milliseconds(settings.container_expiry_ms),
            reports_offer: !settings.schedule_asynchronously,
            silent_after_ms: milliseconds(settings.node_heartbeat_interval_ms)
                .saturating_mul(milliseconds(i64::from(settings.skip_node_multiplier))),
            offers_every_ms: settings
                .schedule_asynchronously
                .then(|| milliseconds(settings.schedule_asynchronously_interval_ms)),
            continuous_every_ms: None,
            preemption: false,
            node_labels: settings.node_labels.enabled,
            acl_enable: settings.acl_enable,
            admin_acl: settings.admin_acl.clone(),
        }
    }
}

pub(crate) type Shard = crate::engine::shard::Shard<CapacityDecider>;
pub(crate) type QueueLocal = crate::engine::records::queue::QueueLocal<CapacityDecider>;
pub(crate) type AppLocal = crate::engine::records::app::AppLocal<CapacityDecider>;
pub(crate) type KeyLocal = crate::engine::records::key::KeyLocal<CapacityDecider>;
pub(crate) type Node = crate::engine::records::node::Node<CapacityDecider>;
pub(crate) type QueueSnapshot = crate::engine::publish::snapshot::QueueSnapshot<CapacityDecider>;
pub(crate) type SchedulerSnapshot = crate::engine::publish::snapshot::SchedulerSnapshot<CapacityDecider>;
pub(crate) type Shared = crate::engine::shared::Shared<CapacityDecider>;
pub(crate) type Internal = crate::engine::intake::to_worker::Internal<CapacityDecider>;
pub(crate) type Control = crate::engine::control::Control<CapacityDecider>;
