//! The CapacityScheduler's configuration: capacity-scheduler.xml, parsed and checked.
//!
//! From properties to a queue tree with all settings, and from that to what capacities come to on a cluster. Pure
//! functions, any thread. Follows rules/capacity.md 1 to 5, 7, 26 and 27; Hadoop's
//! `CapacitySchedulerConfiguration`, `CapacitySchedulerQueueManager` and the set-up of the queue classes.

mod access;

#[cfg(feature = "check")]
mod acl_lint;

#[cfg(feature = "check")]
mod amount_lint;

mod amounts;

mod capacities;

#[cfg(feature = "check")]
mod check;

#[cfg(feature = "check")]
mod creation_lint;

mod defaults;

mod error;

mod figures;

mod figuring;

mod file;

mod keys;

mod property_names;

mod label_capacity;

#[cfg(feature = "check")]
mod label_lint;

mod labels;

mod refresh_end;

mod plan_leaves;

mod legacy;

#[cfg(feature = "check")]
mod lint;

mod made_queues;

mod made_settings;

mod mapping;

mod mapping_rules;

mod maximum_allocation;

mod mixed;

mod names;

mod node_labels;

mod ordering;

#[cfg(feature = "check")]
mod plan_lint;

mod preemption;

mod priority_acl;

mod queue;

mod reading;

mod settings;

mod siblings;

mod skeleton;

mod source;

mod templates;

#[cfg(test)]
mod tests;

mod tree;

mod uncompared;

mod unsupported;

mod user_weights;

mod vector;

mod warnings;

mod workflow;

pub use error::{CapacityFault, CapacityFileError};
pub use figures::{CapacityFigures, Cluster, LabelFigures};
pub use file::CapacityFile;
pub use label_capacity::{KnownLabels, LabelCapacity};
pub use made_queues::QueueMaking;
pub use made_queues::{MadeQueue, MadeQueues, Reserved};
pub use mapping::{RejectedByRule, ToPlace};
pub use mapping_rules::{MappingRule, MappingRules, RuleAction, RuleFallback, RuleMatch};
pub use mixed::MixedFractions;
pub use node_labels::NodeLabelSettings;
pub use ordering::{AppOrdering, QueueOrdering};
pub use plan_leaves::{Shifted, Texts};
pub use preemption::{Monitors, PreemptionOrder, PreemptionSettings};
pub use priority_acl::PriorityAcl;
pub use queue::{
    CapacityMode, CapacityQueue, CapacityQueueRole, LeafSettings, ParentSettings, PlanSettings, QueueState,
};
pub use refresh_end::LateFault;
pub use settings::{CapacitySettings, SHIPPED_SORTING_POLICIES};
pub use skeleton::CapacityQueueKind;
pub use templates::LeafTemplate;
pub use templates::{FlexibleCreation, ManagedCreation, QueueTemplates, Template};
pub use vector::{CapacityUnit, CapacityVector};
pub use workflow::WorkflowPriorities;
