//! The configuration of YARN's schedulers: text in, typed values out.
//!
//! `evenweave::config` passes all of it on; embedders need not name this crate.
//!
//! [`SiteFile`] is a file of properties, [`SiteProperties`] several over each other, [`Settings`] what the scheduler
//! makes of them, once; [`AllocationFile`] is the file of queues and limits, read again whenever it changes. Pure
//! functions over text, any thread; `file` alone opens files. Follows `FairSchedulerConfiguration` and
//! `AllocationFileLoaderService` of Hadoop 3.4.2.

mod acl;
#[cfg(feature = "check")]
mod acl_oddity;
mod allocation_file;
mod capacity_file;
#[cfg(feature = "convert")]
pub mod convert;
mod diagnostic;
mod encoding;
mod file;
mod findings;
#[doc(hidden)]
pub mod hash_order;
mod in_force;
mod java;
mod known;
mod names;
mod nearest;
mod placement_rules;
mod properties;
#[doc(hidden)]
pub mod quoted;
#[cfg(feature = "check")]
mod reservation_classes;
mod resource_string;
mod scheduler_class;
mod settings;
mod settings_error;
mod site;
mod source;
#[doc(hidden)]
pub mod type_order;
mod warnings;
mod xml;

pub use acl::{AccessControlList, QueueAccess};
pub use allocation_file::{
    AllocationFile, AllocationFileError, CheckOptions, Checked, NumberKind, Parsed, PlacementChange, PlacementError,
    PolicyName, QueueSettings,
};
pub use diagnostic::{Diagnostic, Place, Severity};
pub use file::{LARGEST_FILE, open_file, read_file, read_text_file};
pub use names::{ROOT, rooted, trim_java, valid_requested_name};
pub use placement_rules::{PlacementRule, RuleKind, default_rules};
pub use resource_string::{Limit, Missing, ResourceStringError, parse_resource};
pub use scheduler_class::SchedulerKind;
pub use settings::{CONTAINERS_PER_NODE, Settings, SettingsBuilder, SettingsFault};
pub use settings_error::{SettingsError, SettingsProblem};
pub use site::{
    Expanded, Included, Origin, SiteFile, SiteFileError, SiteFileProblem, SiteProperties, SiteProperty,
    TooManySubstitutions, Unresolved,
};
pub use source::{AllocationSource, AllocationsError, FileSource, LocateError};

/// The CapacityScheduler's configuration: `capacity-scheduler.xml`, its queues and their figures.
pub mod capacity {
    pub use super::capacity_file::{
        AppOrdering, CapacityFault, CapacityFigures, CapacityFile, CapacityFileError, CapacityMode, CapacityQueue,
        CapacityQueueKind, CapacityQueueRole, CapacitySettings, CapacityUnit, CapacityVector, FlexibleCreation,
        LabelCapacity, LabelFigures, LeafSettings, ManagedCreation, MappingRule, MappingRules, MixedFractions,
        Monitors, NodeLabelSettings, ParentSettings, PlanSettings, PreemptionOrder, PreemptionSettings, PriorityAcl,
        QueueMaking, QueueOrdering, QueueState, QueueTemplates, RejectedByRule, RuleAction, RuleFallback, RuleMatch,
        Template, ToPlace, WorkflowPriorities,
    };
}

/// What the schedulers need of it besides, and nobody else.
#[doc(hidden)]
pub mod internal {
    pub use crate::capacity_file::{
        Cluster, KnownLabels, LateFault, LeafTemplate, MadeQueue, MadeQueues, Reserved, SHIPPED_SORTING_POLICIES,
        Shifted, Texts,
    };
    pub use crate::encoding::decode_json;
    pub use crate::java::{equals_ignore_case, float_to_int, float_to_long, narrow, trim};
    pub use crate::source::Reader;
    pub use crate::{hash_order, quoted, type_order};
}
