//! Why a CapacityScheduler configuration cannot be taken.

use crate::diagnostic::{Diagnostic, Place};
use crate::java;
use crate::known::TYPES;
use crate::nearest::nearest;
use crate::quoted::one_line;
use crate::settings_error::{SettingsError, SettingsProblem};
use crate::site::SiteProperties;
use std::fmt;

/// Why a CapacityScheduler configuration cannot be taken: the property, what is wrong, what would be right.
///
/// Where Hadoop has a sentence for it, the message has that sentence. The property may be one that is missing, and then
/// is where it belongs; for a fault of several children it is their parent's list of queues.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CapacityFileError {
    /// The property's full name.
    pub property: String,
    /// Where its value stands, if it comes from a file.
    pub at: Option<Place>,
    /// What is wrong with it.
    pub fault: Box<CapacityFault>,
}

impl fmt::Display for CapacityFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        // Names of classes, queues and labels are shown as they are, and may have line ends in them.
        f.write_str(&one_line(format!("{}: {}", self.property, self.fault)))
    }
}

impl std::error::Error for CapacityFileError {}

/// What is wrong with a property. Numbers are in the notation of Java.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CapacityFault {
    /// A number that is none.
    #[error("{text:?} is not {expected}")]
    NotANumber {
        /// The property's text.
        text: String,
        /// What would be right.
        expected: &'static str,
    },
    /// Expansion of `${name}` that makes too much text.
    #[error("${{name}} in this and other values makes more than {most} bytes; write shorter values")]
    Expansion {
        /// The most that is taken of all values together.
        most: usize,
    },
    /// One of the properties of yarn-site.
    #[error("{0}")]
    Site(String),
    /// A minimum allocation that is not positive, or above the maximum.
    #[error(
        "Invalid resource scheduler {kind} allocation configuration, yarn.scheduler.minimum-allocation-{unit}={minimum}, \
         yarn.scheduler.maximum-allocation-{unit}={maximum}, min and max should be greater than 0, max should be no \
         smaller than min."
    )]
    AllocationBounds {
        /// `memory` or `vcores`.
        kind: &'static str,
        /// The last part of the properties: `mb` or `vcores`.
        unit: &'static str,
        /// The minimum.
        minimum: i32,
        /// The maximum.
        maximum: i32,
    },
    /// A resource calculator that there is not.
    #[error("Class {name} not found: it must be {known}")]
    UnknownCalculator {
        /// The class as written.
        name: String,
        /// The ones there are.
        known: &'static str,
    },
    /// The default calculator, which knows memory alone, with more types than memory and vcores.
    #[error(
        "RM uses DefaultResourceCalculator which used only memory as resource-type but invalid resource-types specified \
         {types}. Use DominantResourceCalculator instead to make effective use of these resource-types"
    )]
    TooManyTypes {
        /// The types, separated by commas.
        types: String,
    },
    /// Root without children.
    #[error("Queue configuration missing child queue names for {queue}: list its queues, separated by commas")]
    NoChildren {
        /// The queue's path.
        queue: String,
    },
    /// Queues nested too deep.
    #[error("the queue {queue:?} would be more than {most} levels below root; nest the queues less deep")]
    TooDeep {
        /// The queue's path, shortened.
        queue: String,
        /// The most that is taken.
        most: usize,
    },
    /// A path that is too long.
    #[error("the path of the queue {queue:?}... has more than {most} bytes; give the queues shorter names")]
    TooLong {
        /// The path's beginning.
        queue: String,
        /// The most that is taken.
        most: usize,
    },
    /// Too many queues.
    #[error("there are more than {most} queues")]
    TooManyQueues {
        /// The most that is taken.
        most: usize,
    },
    /// Too many queues listed twice.
    #[error("the queue {queue:?} is there again; more than {most} are, so name each once")]
    TooManyTwice {
        /// The queue's path.
        queue: String,
        /// The most that is taken.
        most: usize,
    },
    /// A reservable queue with children.
    #[error("Only Leaf Queues can be reservable for {queue}: remove its queues or this property")]
    ReservableParent {
        /// The queue's path.
        queue: String,
    },
    /// A percentage out of range.
    #[error("Illegal capacity of {value} for queue {queue}: a percentage is from 0 to 100")]
    Capacity {
        /// The queue's path.
        queue: String,
        /// The percentage.
        value: String,
    },
    /// A label's percentage out of range.
    #[error(
        "Illegal capacity of {value} for node-label={label} in queue={queue}, valid capacity should in range of [0, 100]."
    )]
    LabelCapacity {
        /// The queue's path.
        queue: String,
        /// The label.
        label: String,
        /// The percentage.
        value: String,
    },
    /// A weight out of range.
    #[error(
        "Illegal weight={value} for queue={queue}label={label}. Acceptable values: [0, 10000], -1 is same as not set"
    )]
    Weight {
        /// The queue's path.
        queue: String,
        /// The label; empty for none.
        label: String,
        /// The weight.
        value: String,
    },
    /// An amount that in MiB does not fit 64 bits.
    #[error("{text:?} is too large; in Mi it must be below 2^63")]
    AmountTooLarge {
        /// The amount and its unit.
        text: String,
    },
    /// An absolute maximum above the parent's.
    #[error("Max resource configuration {maximum} is greater than parents max value:{parent} in queue:{queue}")]
    AboveParentMaximum {
        /// The queue's path.
        queue: String,
        /// Its maximum.
        maximum: String,
        /// The parent's.
        parent: String,
    },
    /// An absolute minimum above the maximum.
    #[error("Min resource configuration {minimum} is greater than its max value:{maximum} in queue:{queue}")]
    AboveMaximum {
        /// The queue's path.
        queue: String,
        /// The minimum.
        minimum: String,
        /// The maximum.
        maximum: String,
    },
    /// Labels of one queue in both modes.
    #[error(
        "Queue '{queue}' should use either percentage based capacity configuration or absolute resource. (It has one for \
         some labels and the other for others.)"
    )]
    BothModes {
        /// The queue's path.
        queue: String,
    },
    /// Children in several modes.
    #[error(
        "Parent queue '{queue}' have children queue used mixed of  weight mode, percentage and absolute mode, it is not \
         allowed, please double check, details:{details}"
    )]
    MixedChildren {
        /// The parent's path.
        queue: String,
        /// Which child uses what.
        details: String,
    },
    /// Absolute and other capacities above each other.
    #[error(
        "Parent={queue}: When absolute minResource is used, we must make sure both parent and child all use absolute \
         minResource"
    )]
    AbsoluteAndOther {
        /// The parent's path.
        queue: String,
    },
    /// A parent smaller than its children together.
    #[error("Parent Queues capacity: {parent} is less than to its children:{children} for queue:{queue}")]
    ParentTooSmall {
        /// The parent's short name.
        queue: String,
        /// The parent's minimum.
        parent: String,
        /// The sum of the children's.
        children: String,
    },
    /// Percentages that do not add up.
    #[error("Illegal capacity sum of {sum} for children of queue {queue} for label={label}. {rule}")]
    CapacitySum {
        /// The parent's short name.
        queue: String,
        /// The label; empty for none.
        label: String,
        /// The sum as a fraction.
        sum: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// A maximum below the capacity of a reservable queue.
    #[error(
        "Illegal call to setMaxCapacity. Queue '{queue}' has an absolute capacity ({capacity}) greater than its absolute \
         maximumCapacity ({maximum})"
    )]
    BelowCapacity {
        /// The path of the queue for what has no reservation.
        queue: String,
        /// The capacity, a fraction of the cluster.
        capacity: String,
        /// The maximum, a fraction of the cluster.
        maximum: String,
    },
    /// A maximum that is a weight, with the legacy queue mode off.
    #[error(
        "Resource {name} has WEIGHT maximum capacity type, which is not supported: write an amount or a percentage"
    )]
    WeightMaximum {
        /// The resource type.
        name: String,
    },
    /// A capacity in a resource type that there is not, of a parent with the legacy queue mode off.
    #[error("Unknown resource '{name}'; known are {known}")]
    UnknownResource {
        /// The name.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// A maximum allocation that is no resource.
    #[error("{text:?} {problem}")]
    MaximumAllocationText {
        /// The property's text.
        text: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A maximum allocation above the cluster's.
    #[error(
        "Queue maximum allocation cannot be larger than the cluster setting for queue {queue} max allocation per queue: \
         {maximum} cluster setting: {cluster}"
    )]
    MaximumAllocation {
        /// The queue's path.
        queue: String,
        /// The queue's maximum.
        maximum: String,
        /// The cluster's.
        cluster: String,
    },
    /// A state that cannot be configured.
    #[error("Invalid queue state configuration. We can only use RUNNING or STOPPED. ({text:?} is neither.)")]
    State {
        /// The property's text.
        text: String,
    },
    /// A running queue in a stopped one.
    #[error("The parent queue:{parent} cannot be STOPPED as the child queue:{queue} is in RUNNING state.")]
    StoppedParent {
        /// The parent's path.
        parent: String,
        /// The queue's path.
        queue: String,
    },
    /// An order of applications that there is not.
    #[error("Unable to construct ordering policy for: {name}: it must be {known}")]
    UnknownOrdering {
        /// The property's text.
        name: String,
        /// The ones there are.
        known: &'static str,
    },
    /// An order of queues that there is not.
    #[error("Unable to construct queue ordering policy={name} queue={queue}: it must be {known}")]
    UnknownQueueOrdering {
        /// The property's text, trimmed.
        name: String,
        /// The queue's path.
        queue: String,
        /// The ones there are.
        known: &'static str,
    },
    /// A default lifetime above the maximum.
    #[error("Default lifetime {default} can't exceed maximum lifetime {maximum}")]
    Lifetime {
        /// The default in seconds.
        default: i64,
        /// The maximum in seconds.
        maximum: i64,
    },
    /// A user's weight out of range.
    #[error(
        "Weight ({weight}) for user \"{user}\" must be between 0 and 100 / {limit} (= {most}, the number of concurrent \
         active users in {queue})"
    )]
    UserWeight {
        /// The user.
        user: String,
        /// The weight.
        weight: String,
        /// The leaf's minimum-user-limit-percent, 100 at most.
        limit: String,
        /// The largest weight.
        most: String,
        /// The leaf's path.
        queue: String,
    },
    /// A priority ACL that is none.
    #[error("{text:?} {problem}")]
    PriorityAcl {
        /// The property's text.
        text: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A property of a label without the label's name or without what it sets.
    #[error("no label can be made out; write <queue>.accessible-node-labels.<label>.capacity")]
    LabelProperty,
    /// A queue that may use every label, in one that may not.
    #[error(
        "Parent's accessible queue is not ANY(*), but child's accessible queue is *: name labels of the parent {parent}"
    )]
    AnyLabel {
        /// The parent's path.
        parent: String,
    },
    /// Labels that the parent has not.
    #[error("Some labels of child queue is not a subset of parent queue, these labels=[{labels}]")]
    LabelsNotOfParent {
        /// The labels, separated by commas.
        labels: String,
    },
    /// A default label expression with a label that the queue may not use.
    #[error(
        "Invalid default label expression of  queue={queue} doesn't have permission to access all labels in default label \
         expression. labelExpression of resource request={expression}. Queue labels={labels}"
    )]
    DefaultLabel {
        /// The queue's path.
        queue: String,
        /// The expression.
        expression: String,
        /// The queue's labels, separated by commas.
        labels: String,
    },
    /// An absolute capacity for a label of which the parent has no capacity.
    #[error("the parent {parent} has no capacity for the label {label:?}; give it one")]
    LabelWithoutParent {
        /// The parent's path.
        parent: String,
        /// The label.
        label: String,
    },
    /// A template in amounts, under a parent in percent.
    #[error("Managed Parent Queue {queue} config type is different from leaf queue template config type")]
    TemplateMode {
        /// The parent's path.
        queue: String,
    },
    /// A template's label that its parent may not use.
    #[error("Invalid node label {label} on configured leaf template on parent queue {queue}")]
    TemplateLabel {
        /// The label.
        label: String,
        /// The parent's path.
        queue: String,
    },
    /// A class that there is not.
    #[error("Could not instantiate {what}: {name}: it must be {known}")]
    UnknownClass {
        /// What it would be.
        what: &'static str,
        /// The class as written.
        name: String,
        /// The ones there are.
        known: &'static str,
    },
    /// A policy for sorting nodes without a class.
    #[error("{policy} Class is not configured or not an instance of {class}; set this property to {known}")]
    SortingPolicyWithoutClass {
        /// The policy's name.
        policy: String,
        /// What it must be an instance of.
        class: &'static str,
        /// The class there is.
        known: &'static str,
    },
    /// A negative interval for sorting nodes.
    #[error("{policy} multi-node policy is configured with invalid sorting-interval:{interval}")]
    SortingInterval {
        /// The policy's name.
        policy: String,
        /// The interval in milliseconds.
        interval: i64,
    },
    /// An order of preemption that there is not.
    #[error("{text:?} is no order of preemption: it must be userlimit_first or priority_first")]
    PreemptionOrder {
        /// The property's text.
        text: String,
    },
    /// The same engine of placement rules twice.
    #[error("Invalid PlacementRule inputs which contains duplicate rule strings: {name:?} is there twice")]
    EngineTwice {
        /// The engine.
        name: String,
    },
    /// A mapping of applications to queues that cannot be taken.
    #[error("{0}")]
    Mapping(String),
}

impl CapacityFileError {
    pub(super) fn new(property: impl Into<String>, fault: CapacityFault) -> CapacityFileError {
        CapacityFileError { property: property.into(), at: None, fault: Box::new(fault) }
    }

    /// The same at the place of its property's value.
    pub(super) fn placed(self, all: &SiteProperties) -> CapacityFileError {
        CapacityFileError { at: all.origin(&self.property).and_then(|origin| origin.at()).cloned(), ..self }
    }

    /// The same as a diagnostic.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("{}: {}", self.property, self.fault);
        let mut diagnostic = Diagnostic::error(self.fault.code(), self.at.clone(), message);
        diagnostic.effect("the scheduler does not start, and a refresh leaves everything as it was");
        if let Some(near) = self.fault.meant() {
            diagnostic.help(format!("did you mean {near}?"));
        }
        diagnostic
    }
}

impl CapacityFault {
    /// Of an unknown class the one that there is whose name is nearest.
    fn meant(&self) -> Option<&'static str> {
        let (CapacityFault::UnknownClass { name, known, .. } | CapacityFault::UnknownCalculator { name, known }) = self
        else {
            return None;
        };
        // The ones there are stand in a sentence.
        let mut classes = known.split([' ', ',']).filter(|word| word.contains('.') && !word.ends_with('.'));
        let name = java::trim(name);
        let near = nearest(name, classes.clone());
        // The name without its package.
        near.or_else(|| classes.find(|class| class.rsplit('.').next() == Some(name)))
    }

    /// A short stable name of its kind.
    fn code(&self) -> &'static str {
        match self {
            CapacityFault::NotANumber { .. } | CapacityFault::AmountTooLarge { .. } => "not-a-number",
            CapacityFault::Expansion { .. } => "substitution",
            CapacityFault::Site(_)
            | CapacityFault::UnknownCalculator { .. }
            | CapacityFault::TooManyTypes { .. }
            | CapacityFault::UnknownResource { .. } => "resource-types",
            CapacityFault::AllocationBounds { .. } => "minimum-allocation",
            CapacityFault::MaximumAllocationText { .. } | CapacityFault::MaximumAllocation { .. } => {
                "maximum-allocation"
            }
            CapacityFault::NoChildren { .. }
            | CapacityFault::TooDeep { .. }
            | CapacityFault::TooLong { .. }
            | CapacityFault::TooManyQueues { .. }
            | CapacityFault::TooManyTwice { .. }
            | CapacityFault::ReservableParent { .. } => "queues",
            CapacityFault::Capacity { .. }
            | CapacityFault::LabelCapacity { .. }
            | CapacityFault::Weight { .. }
            | CapacityFault::WeightMaximum { .. } => "capacity",
            CapacityFault::AboveParentMaximum { .. }
            | CapacityFault::AboveMaximum { .. }
            | CapacityFault::BelowCapacity { .. } => "maximum-capacity",
            CapacityFault::BothModes { .. }
            | CapacityFault::MixedChildren { .. }
            | CapacityFault::AbsoluteAndOther { .. }
            | CapacityFault::TemplateMode { .. } => "mixed-capacities",
            CapacityFault::ParentTooSmall { .. } | CapacityFault::CapacitySum { .. } => "capacity-sum",
            CapacityFault::State { .. } | CapacityFault::StoppedParent { .. } => "state",
            CapacityFault::UnknownOrdering { .. } | CapacityFault::UnknownQueueOrdering { .. } => "ordering-policy",
            CapacityFault::Lifetime { .. } => "lifetime",
            CapacityFault::UserWeight { .. } => "user-weight",
            CapacityFault::PriorityAcl { .. } => "priority-acl",
            CapacityFault::LabelProperty
            | CapacityFault::AnyLabel { .. }
            | CapacityFault::LabelsNotOfParent { .. }
            | CapacityFault::DefaultLabel { .. }
            | CapacityFault::LabelWithoutParent { .. }
            | CapacityFault::TemplateLabel { .. } => "node-labels",
            CapacityFault::UnknownClass { .. } | CapacityFault::EngineTwice { .. } => "class",
            CapacityFault::SortingPolicyWithoutClass { .. } | CapacityFault::SortingInterval { .. } => "node-sorting",
            CapacityFault::PreemptionOrder { .. } => "preemption",
            CapacityFault::Mapping(_) => "mapping",
        }
    }
}

impl From<SettingsError> for CapacityFileError {
    fn from(error: SettingsError) -> CapacityFileError {
        let of = |property: String, fault| CapacityFileError::new(property, fault);
        match *error.problem {
            SettingsProblem::NotANumber { property, value, expected } => {
                of(property, CapacityFault::NotANumber { text: value, expected })
            }
            SettingsProblem::Substitution { property, source, .. } => {
                of(property, CapacityFault::Site(source.to_string()))
            }
            SettingsProblem::Unit { property, source } => of(property, CapacityFault::Site(source.to_string())),
            problem @ (SettingsProblem::MinimumAllocation { .. }
            | SettingsProblem::Increment { .. }
            | SettingsProblem::IncrementFormat { .. }
            | SettingsProblem::IncrementTooLarge { .. }
            | SettingsProblem::UnitOfKnownType { .. }
            | SettingsProblem::TypeKind { .. }
            | SettingsProblem::TypeName { .. }
            | SettingsProblem::Types { .. }) => of(TYPES.to_owned(), CapacityFault::Site(problem.to_string())),
        }
    }
}
