//! Configuration: text in, typed values out. The crate `evenweave-config`, and what of it only this crate needs.

pub(crate) use evenweave_config::internal::{
    Reader, decode_json, equals_ignore_case, float_to_int, float_to_long, hash_order, narrow, quoted, trim, type_order,
};
#[doc(inline)]
pub use evenweave_config::{
    AccessControlList, AllocationFile, AllocationFileError, AllocationSource, AllocationsError, CONTAINERS_PER_NODE,
    CheckOptions, Checked, Diagnostic, Expanded, FileSource, Included, LARGEST_FILE, Limit, LocateError, Missing,
    NumberKind, Origin, Parsed, Place, PlacementChange, PlacementError, PlacementRule, PolicyName, QueueAccess,
    QueueSettings, ROOT, ResourceStringError, RuleKind, SchedulerKind, Settings, SettingsBuilder, SettingsError,
    SettingsFault, SettingsProblem, Severity, SiteFile, SiteFileError, SiteFileProblem, SiteProperties, SiteProperty,
    TooManySubstitutions, Unresolved, default_rules, open_file, parse_resource, read_file, read_text_file, rooted,
    trim_java, valid_requested_name,
};

#[cfg(feature = "convert")]
#[doc(inline)]
pub use evenweave_config::convert;

/// The CapacityScheduler's configuration: `capacity-scheduler.xml`, its queues and their figures.
pub mod capacity {
    #[doc(inline)]
    pub use evenweave_config::capacity::{
        AppOrdering, CapacityFault, CapacityFigures, CapacityFile, CapacityFileError, CapacityMode, CapacityQueue,
        CapacityQueueKind, CapacityQueueRole, CapacitySettings, CapacityUnit, CapacityVector, FlexibleCreation,
        LabelCapacity, LabelFigures, LeafSettings, ManagedCreation, MappingRule, MappingRules, MixedFractions,
        Monitors, NodeLabelSettings, ParentSettings, PlanSettings, PreemptionOrder, PreemptionSettings, PriorityAcl,
        QueueMaking, QueueOrdering, QueueState, QueueTemplates, RejectedByRule, RuleAction, RuleFallback, RuleMatch,
        Template, ToPlace, WorkflowPriorities,
    };
    pub(crate) use evenweave_config::internal::{
        Cluster, KnownLabels, LateFault, LeafTemplate, MadeQueue, MadeQueues, Reserved, SHIPPED_SORTING_POLICIES,
        Shifted, Texts,
    };
}
