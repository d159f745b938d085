//! What the engine is told of the site: the settings that mean the same whichever scheduler decides.

use crate::config::AccessControlList;
use crate::matching::size::Steps;
use crate::resource::Resource;

/// See the module's text. The decider has settings of its own.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// What asks are rounded to.
    pub(crate) steps: Steps,
    /// The largest container as configured.
    pub(crate) maximum: Resource,
    /// A container that was acquired so long ago and is not launched ends.
    pub(crate) container_expiry_ms: u64,
    /// A report offers its node; else only rounds do.
    pub(crate) reports_offer: bool,
    /// A node that has not reported for longer is passed over by rounds.
    pub(crate) silent_after_ms: u64,
    /// All nodes are offered so often beside their reports; `None`: never.
    pub(crate) offers_every_ms: Option<u64>,
    /// All nodes are offered in an order of the decider's so often; `None`: never.
    pub(crate) continuous_every_ms: Option<u64>,
    /// Containers may be taken back.
    pub(crate) preemption: bool,
    /// `yarn.acl.enable`
    pub(crate) acl_enable: bool,
    /// `yarn.node-labels.enabled`
    pub(crate) node_labels: bool,
    /// `yarn.admin.acl`
    pub(crate) admin_acl: AccessControlList,
}
