//! Configuration: text in, typed values out.
//!
//! [`Settings`] are the yarn-site properties, read once; [`AllocationFile`] is the file of queues and limits, read again
//! whenever it changes. Pure functions over text, any thread, no file access. Follows `FairSchedulerConfiguration` and
//! `AllocationFileLoaderService` of Hadoop 3.4.2 (configuration reference).

mod acl;

mod allocation_file;

mod capacity_file;

mod diagnostic;

mod java;

mod names;

mod nearest;

mod placement_rules;

mod properties;

mod resource_string;

mod settings;

mod xml;

pub use acl::AccessControlList;
pub use allocation_file::{AllocationFile, AllocationFileError, Parsed, PlacementChange, PolicyName, QueueSettings};
pub use capacity_file::{
    AppOrdering, CapacityFault, CapacityFigures, CapacityFile, CapacityFileError, CapacityMode, CapacityQueue,
    CapacityQueueKind, CapacityQueueRole, CapacitySettings, CapacityUnit, CapacityVector, FlexibleCreation,
    LabelCapacity, LabelFigures, LeafSettings, ManagedCreation, MappingRule, MappingRules, Monitors, ParentSettings,
    PlanSettings, PreemptionOrder, PreemptionSettings, PriorityAcl, PropertyWarning, QueueAccess, QueueOrdering,
    QueueState, QueueTemplates, RuleAction, RuleFallback, RuleMatch, Template, WorkflowPriorities,
};
pub use diagnostic::{Diagnostic, Place, Severity};
pub use names::{ROOT, rooted, trim_java, valid_requested_name};
pub use placement_rules::{PlacementRule, RuleKind, default_rules};
pub use resource_string::{Limit, Missing, ResourceStringError, parse_resource};
pub use settings::{Settings, SettingsError};
