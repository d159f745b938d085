//! The settings of one queue.
//!
//! Follows rules/capacity.md 2.2, 3.6, 5.6 and 7; `AbstractCSQueue.setupQueueConfigs` and what its subclasses add. They
//! are read in Hadoop's order, so that of several mistakes the same one is told of.

use super::defaults::Defaults;
use super::error::{CapacityFault, CapacityFileError};
use super::label_capacity::LabelCapacity;
use super::made_queues::QueueMaking;
use super::ordering::{AppOrdering, QueueOrdering};
use super::priority_acl::{self, PriorityAcl};
use super::settings::CapacitySettings;
use super::skeleton::CapacityQueueKind;
use super::source::Source;
use super::templates::{FlexibleCreation, LEAF_TEMPLATE, ManagedCreation, Template};
use super::user_weights::UserWeights;
use super::warnings::Warnings;
use crate::acl::AccessControlList;
use crate::names::ROOT;
use evenweave_resource::Resource;
use std::collections::BTreeSet;

/// How capacities are meant. Weights count as percentages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityMode {
    /// Parts of the parent.
    Percentage,
    /// Amounts.
    AbsoluteResource,
}

/// Whether a queue takes applications, as configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueState {
    /// It does.
    Running,
    /// It does not, and lets those it has run to their end.
    Stopped,
}

/// The settings of a queue, those that it has from its ancestors included.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacityQueue {
    /// The full path, such as `root.a.b`.
    pub path: String,
    /// The name under which its parent lists it. It may have dots.
    pub name: String,
    /// Its parent's place among the queues; none of root.
    pub parent: Option<usize>,
    /// Its children's places among the queues, in the order of `queues`.
    pub children: Vec<usize>,
    /// What kind of queue it is.
    pub kind: CapacityQueueKind,
    /// How its capacity is meant.
    pub mode: CapacityMode,
    /// Its configured capacities by label; the first is that of no label.
    pub capacities: Vec<LabelCapacity>,
    /// `accessible-node-labels`, where the queue says; see
    /// [`CapacityFile::accessible_labels`](super::CapacityFile::accessible_labels).
    pub own_accessible_labels: Option<BTreeSet<String>>,
    /// `default-node-label-expression`, where the queue says; see
    /// [`CapacityFile::default_label_expression`](super::CapacityFile::default_label_expression).
    pub own_default_label_expression: Option<String>,
    /// `acl_submit_applications`
    pub acl_submit: AccessControlList,
    /// `acl_administer_queue`
    pub acl_administer: AccessControlList,
    /// `maximum-allocation`, `maximum-allocation-mb` and `maximum-allocation-vcores`
    pub maximum_allocation: Resource,
    /// `state`
    pub state: QueueState,
    /// `state`, where the queue says.
    pub own_state: Option<QueueState>,
    /// `priority`
    pub priority: i32,
    /// `max-parallel-apps`
    pub max_parallel_apps: i32,
    /// `disable_preemption`; always while the monitors are off.
    pub preemption_disabled: bool,
    /// `intra-queue-preemption.disable_preemption`; always while preemption within queues is off, or preemption of
    /// this.
    pub intra_queue_preemption_disabled: bool,
    /// `maximum-application-lifetime` in seconds; 0 or below is none.
    pub maximum_lifetime_seconds: i64,
    /// `default-application-lifetime` in seconds; 0 or below is none.
    pub default_lifetime_seconds: i64,
    /// `multi-node-sorting.policy`, where the queue says; empty for none. Else the cluster's.
    pub own_multi_node_sorting_policy: Option<String>,
    /// The class of the policy that holds here, the queue's or the cluster's; `None`: nodes are not sorted.
    pub multi_node_sorting_class: Option<String>,
    /// `leaf-queue-template.*`, as it is written, whether or not leaves are made from it.
    pub leaf_template: Template,
    /// How it has made itself, where it has.
    pub making: Option<QueueMaking>,
    /// What only its kind of queue has.
    pub role: CapacityQueueRole,
    /// `user-settings.<user>.weight`
    pub(super) user_weights: UserWeights,
    /// Whether preemption within the queue is off here or above.
    pub(super) preemption_disabled_within: bool,
    /// `auto-queue-creation-v2.queue-auto-removal.enable` of one that has made itself the flexible way: it goes when
    /// nobody needs it.
    #[doc(hidden)]
    pub removes_itself: bool,
    /// Whether a default lifetime is configured here or above.
    pub(super) default_lifetime_given: bool,
    /// The queue whose accessible labels these are.
    pub(super) accessible_from: usize,
    /// The queue whose default expression this is.
    pub(super) default_label_from: Option<usize>,
}

/// What only parents or only leaves have.
#[derive(Clone, Debug, PartialEq)]
pub enum CapacityQueueRole {
    /// Of a queue with children, actual or possible ones.
    Parent(ParentSettings),
    /// Of a queue for applications.
    Leaf(LeafSettings),
}

/// What only parents have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParentSettings {
    /// `ordering-policy`
    pub ordering: QueueOrdering,
    /// `allow-zero-capacity-sum`
    pub allow_zero_capacity_sum: bool,
    /// `auto-queue-creation-v2.*`; the templates are [`CapacityFile::templates`](super::CapacityFile::templates).
    pub flexible_creation: FlexibleCreation,
    /// `auto-create-child-queue.*` of a managed parent.
    pub managed_creation: Option<ManagedCreation>,
    /// `reservation-*` and the like of a plan.
    pub plan: Option<PlanSettings>,
}

/// What only plans have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanSettings {
    /// `maximum-applications` of each of its leaves; -1 where it is not given.
    pub maximum_applications: i32,
    /// `reservation-window`
    pub window_ms: i64,
    /// `average-capacity` in percent.
    pub average_capacity: f32,
    /// `instantaneous-max-capacity` in percent.
    pub instantaneous_max_capacity: f32,
    /// `reservation-policy`, a class.
    pub policy: String,
    /// `reservation-agent`, a class.
    pub agent: String,
    /// `reservation-planner`, a class.
    pub planner: String,
    /// `reservation-move-on-expiry`
    pub move_on_expiry: bool,
    /// `reservation-enforcement-window`
    pub enforcement_window_ms: i64,
    /// `show-reservations-as-queues`
    pub show_reservations_as_queues: bool,
}

/// What only leaves have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeafSettings {
    /// `ordering-policy`
    pub ordering: AppOrdering,
    /// `minimum-user-limit-percent`
    pub user_limit: f32,
    /// `user-limit-factor`; -1 for none.
    pub user_limit_factor: f32,
    /// `maximum-am-resource-percent`, a fraction.
    pub max_am_resource_percent: f32,
    /// `maximum-applications`; negative where the figures of a cluster give it.
    pub maximum_applications: i32,
    /// `acl_application_max_priority`
    pub priority_acls: Vec<PriorityAcl>,
    /// `default-application-priority`
    pub default_application_priority: i32,
    /// How much above the least container the largest is: (maximum - minimum) / maximum.
    pub minimum_allocation_factor: f32,
}

impl CapacityQueue {
    /// What only a parent has.
    #[must_use]
    pub fn as_parent(&self) -> Option<&ParentSettings> {
        match &self.role {
            CapacityQueueRole::Parent(parent) => Some(parent),
            CapacityQueueRole::Leaf(_) => None,
        }
    }

    /// What only a leaf has.
    #[must_use]
    pub fn as_leaf(&self) -> Option<&LeafSettings> {
        match &self.role {
            CapacityQueueRole::Leaf(leaf) => Some(leaf),
            CapacityQueueRole::Parent(_) => None,
        }
    }

    /// Where a label stands among the capacities. O(log labels).
    #[doc(hidden)]
    #[must_use]
    pub fn slot(&self, label: &str) -> Option<usize> {
        self.capacities.binary_search_by(|capacity| capacity.label.as_str().cmp(label)).ok()
    }
}

/// An access control list of a queue. The default queue of a plan has its plan's template's.
pub(super) fn acl(
    source: &Source<'_>,
    path: &str,
    kind: CapacityQueueKind,
    plan: &str,
    key: &str,
) -> AccessControlList {
    let property = if kind == CapacityQueueKind::Reservation {
        Source::of(&format!("{plan}.{LEAF_TEMPLATE}"), key)
    } else {
        Source::of(path, key)
    };
    let default = if path == ROOT { "*" } else { " " };
    AccessControlList::parse(&source.text(&property).unwrap_or_else(|| default.to_owned()))
}

/// The state as configured, the parent's where it is not; and whether it is.
pub(super) fn state(
    source: &Source<'_>,
    path: &str,
    parent: Option<&CapacityQueue>,
) -> Result<(QueueState, bool), CapacityFileError> {
    let property = Source::of(path, "state");
    let Some(text) = source.text(&property) else {
        return Ok((parent.map_or(QueueState::Running, |parent| parent.state), false));
    };
    match text.to_uppercase().as_str() {
        "STOPPED" => Ok((QueueState::Stopped, true)),
        "RUNNING" => match parent.filter(|parent| parent.state == QueueState::Stopped) {
            None => Ok((QueueState::Running, true)),
            Some(parent) => {
                let (parent, queue) = (parent.path.clone(), path.to_owned());
                Err(CapacityFileError::new(property, CapacityFault::StoppedParent { parent, queue }))
            }
        },
        _ => Err(CapacityFileError::new(property, CapacityFault::State { text })),
    }
}

/// Whether preemption is off, between queues and within them. Both are the parent's where the queue does not say.
pub(super) fn preemption_disabled(
    source: &Source<'_>,
    defaults: &Defaults,
    path: &str,
    parent: Option<&CapacityQueue>,
) -> (bool, bool) {
    let flag = |key, default| source.flag(&Source::of(path, key), default);
    let above = parent.map(|parent| (parent.preemption_disabled, parent.preemption_disabled_within));
    let (between, within) = above.unwrap_or_default();
    let between = !defaults.monitors || flag("disable_preemption", between);
    (between, !defaults.preemption_within || flag("intra-queue-preemption.disable_preemption", within))
}

/// Lifetimes in seconds, the maximum and the default, and whether a default is configured here or above.
pub(super) fn lifetimes(
    source: &Source<'_>,
    path: &str,
    parent: Option<&CapacityQueue>,
) -> Result<(i64, i64, bool), CapacityFileError> {
    let property = Source::of(path, "default-application-lifetime");
    let maximum = source.long(&Source::of(path, "maximum-application-lifetime"), -1)?;
    let maximum = if maximum < 0 { parent.map_or(maximum, |parent| parent.maximum_lifetime_seconds) } else { maximum };
    let default = source.long(&property, -1)?;
    let given = default >= 0 || parent.is_some_and(|parent| parent.default_lifetime_given);
    let Some(parent) = parent else { return Ok((maximum, default, given)) };
    let default = match default {
        0.. => default,
        _ if given => parent.default_lifetime_seconds.min(maximum),
        _ => maximum,
    };
    if maximum > 0 && default > maximum {
        return Err(CapacityFileError::new(property, CapacityFault::Lifetime { default, maximum }));
    }
    Ok((maximum, if default <= 0 { maximum } else { default }, given))
}

/// What reading a leaf or a plan needs to know.
pub(super) struct Context<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) defaults: &'a Defaults,
    pub(super) settings: &'a CapacitySettings,
}

impl Context<'_> {
    pub(super) fn leaf(&self, path: &str, maximum_allocation: &Resource) -> Result<LeafSettings, CapacityFileError> {
        let source = self.source;
        let ordering = AppOrdering::read(source, path)?;
        let user_limit = self.defaults.user_limit(source, path)?;
        let user_limit_factor = self.defaults.user_limit_factor(source, path)?;
        let max_am_resource_percent = self.defaults.am_percent(source, path, "")?;
        let maximum_applications = source.int(&Source::of(path, "maximum-applications"), -1)?;
        let property = Source::of(path, "acl_application_max_priority");
        let acl = source.text(&property).unwrap_or_default();
        let priority_acls = priority_acl::read(&acl, self.settings.max_application_priority, &property)?;
        let default_application_priority = source.int(&Source::of(path, "default-application-priority"), 0)?;
        let room = maximum_allocation.minus(&self.settings.minimum);
        let minimum_allocation_factor =
            self.settings.calculator.ratio(self.settings.types.len(), &room, maximum_allocation);
        Ok(LeafSettings {
            ordering,
            user_limit,
            user_limit_factor,
            max_am_resource_percent,
            maximum_applications,
            priority_acls,
            default_application_priority,
            minimum_allocation_factor,
        })
    }

    /// All of it is read when reservations are made, so a bad number is no reason not to start.
    pub(super) fn plan(&self, path: &str, warnings: &mut Warnings<'_>) -> PlanSettings {
        const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.";
        const HOUR: i64 = 3_600_000;
        let source = self.source;
        let key = |key: &str| Source::of(path, key);
        let class =
            |name: &str, default: &str| source.text(&key(name)).unwrap_or_else(|| format!("{PACKAGE}{default}"));
        let mut percent = |name: &str| warnings.or_default(source.float(&key(name), 100.0), 100.0);
        let (average_capacity, instantaneous_max_capacity) =
            (percent("average-capacity"), percent("instantaneous-max-capacity"));
        let mut long = |name: &str, default| warnings.or_default(source.long(&key(name), default), default);
        PlanSettings {
            maximum_applications: source.int(&key("maximum-applications"), -1).unwrap_or(-1),
            window_ms: long("reservation-window", 24 * HOUR),
            average_capacity,
            instantaneous_max_capacity,
            policy: class("reservation-policy", "CapacityOverTimePolicy"),
            agent: class("reservation-agent", "planning.AlignedPlannerWithGreedy"),
            planner: class("reservation-planner", "planning.SimpleCapacityReplanner"),
            move_on_expiry: source.flag(&key("reservation-move-on-expiry"), true),
            enforcement_window_ms: long("reservation-enforcement-window", HOUR),
            show_reservations_as_queues: source.flag(&key("show-reservations-as-queues"), false),
        }
    }
}

/// The labels of a queue that others, or itself, go by.
pub(super) fn accessible(queues: &[CapacityQueue], from: usize) -> &BTreeSet<String> {
    queues[from].own_accessible_labels.as_ref().expect("a queue whose labels are gone by has some")
}
