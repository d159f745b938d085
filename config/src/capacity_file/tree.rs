//! The queue tree: every queue's settings read, its parent's before its own, and siblings compared.
//!
//! Follows rules/capacity.md 3 and 4; `CapacitySchedulerQueueManager.initializeQueues`. The order is Hadoop's: a queue,
//! its children with all below them, then what the children are together.

use super::amounts::percent;
use super::capacities::Reader;
use super::defaults::Defaults;
use super::error::{CapacityFault, CapacityFileError};
use super::figures::State;
use super::label_capacity::LabelCapacity;
use super::labels::{self, ANY, LabelsByQueue};
use super::made_queues::{ByParent, QueueMaking};
use super::made_settings::{self, Apart};
use super::maximum_allocation;
use super::ordering::QueueOrdering;
use super::queue::{
    CapacityMode, CapacityQueue, CapacityQueueRole, Context, ParentSettings, accessible, acl, lifetimes,
    preemption_disabled, state,
};
use super::settings::CapacitySettings;
use super::siblings::{self, Labels};
use super::skeleton::{BareQueue, CapacityQueueKind};
use super::source::Source;
use super::templates::{self, FlexibleCreation, LEAF_TEMPLATE, Managed, TEMPLATE};
use super::uncompared::Uncompared;
use super::user_weights::{self, UserWeights};
use super::warnings::Warnings;
use crate::acl::AccessControlList;
use crate::java;
use evenweave_resource::Resource;
use std::collections::{BTreeSet, HashMap};

/// The tree as far as it is read, with the figures of an empty cluster.
pub(super) struct Builder<'a, 's> {
    pub(super) source: &'a Source<'a>,
    pub(super) settings: &'a CapacitySettings,
    pub(super) defaults: &'a Defaults,
    pub(super) labels: &'a LabelsByQueue<'a>,
    pub(super) warnings: Warnings<'s>,
    pub(super) queues: Vec<CapacityQueue>,
    pub(super) states: Vec<State>,
    /// The queues in the order in which Hadoop knows them: children before their parent.
    pub(super) known: Vec<usize>,
    /// Of queues that have made themselves, by path.
    pub(super) made_apart: HashMap<String, Apart>,
    pub(super) made: &'a ByParent<'a>,
    pub(super) uncompared: &'a Uncompared,
}

impl Builder<'_, '_> {
    /// Reads the queue at the front of `bare_queues` and all below it. The depth is that of the tree, which has an end.
    pub(super) fn build(&mut self, bare_queues: &mut std::vec::IntoIter<BareQueue>) -> Result<(), CapacityFileError> {
        let Some(bone) = bare_queues.next() else { return Ok(()) };
        if let Some(fault) = bone.fault {
            return Err(fault);
        }
        let (index, kind) = (self.queues.len(), bone.kind);
        let children = bone.children.len();
        self.set_up(bone)?;
        for _ in 0..children {
            self.build(bare_queues)?;
        }
        let compared = children > 0 && kind != CapacityQueueKind::Plan && self.settings.legacy_queue_mode;
        if compared && !self.uncompared.has(&self.queues[index].path) {
            self.check_listed(index)?;
        }
        self.known.push(index);
        Ok(())
    }

    /// What those that are listed are together. Those that have made themselves are not looked at with them.
    fn check_listed(&mut self, index: usize) -> Result<(), CapacityFileError> {
        let all = self.queues[index].children.clone();
        let listed: Vec<usize> = all.iter().copied().filter(|child| self.queues[*child].making.is_none()).collect();
        if listed.is_empty() {
            return Ok(());
        }
        self.queues[index].children = listed;
        if self.made.reserved(&self.queues[index].path).is_some() {
            // What reservations have of a plan need not be all of it.
            self.queues[index].children = all;
            return Ok(());
        }
        let cluster = self.uncompared.cluster();
        let outcome =
            siblings::check(self.settings, &self.queues, &self.states, index, cluster.as_ref(), Labels::Configured);
        self.queues[index].children = all;
        outcome
    }

    /// Reads a queue behind those that are read.
    pub(super) fn set_up(&mut self, bone: BareQueue) -> Result<(), CapacityFileError> {
        let BareQueue { path, name, parent, children, kind, making, fault: _ } = bone;
        let (source, index) = (self.source, self.queues.len());
        let above = parent.map(|parent| &self.queues[parent]);
        let plan = above.map_or("", |parent| parent.path.as_str());
        let of_plan = kind == CapacityQueueKind::Reservation;
        let template = format!("{plan}.{LEAF_TEMPLATE}");
        let reader = Reader {
            source,
            defaults: self.defaults,
            settings: self.settings,
            path: &path,
            parent: above,
            amounts_of: if of_plan { &template } else { &path },
        };
        if !kind.is_leaf() {
            // A parent's is looked at before anything else.
            percent(source, &path, "", parent.is_none())?;
        }
        let flexible = match kind {
            CapacityQueueKind::Parent | CapacityQueueKind::ManagedParent | CapacityQueueKind::Plan => {
                let read = templates::flexible(source, self.defaults, &path, &mut self.warnings)?;
                Some(FlexibleCreation { enabled: read.enabled || making.is_some(), ..read })
            }
            CapacityQueueKind::Leaf | CapacityQueueKind::Reservation => None,
        };
        let acl = |key| acl(source, &path, kind, plan, key);
        let apart = self.made_apart.remove(&path).unwrap_or_default();
        let (acl_submit, acl_administer) = match making {
            None => (acl("acl_submit_applications"), acl("acl_administer_queue")),
            Some(_) => apart.lists.each_ref().map(|text| AccessControlList::parse(text)).into(),
        };
        let (own_accessible, accessible_from) = self.accessible_labels(&path, parent)?;
        let own_expression = source.text(&Source::of(&path, "default-node-label-expression"));
        let own_expression = own_expression.map(|text| java::trim(&text).to_owned());
        let own_labels = own_accessible.as_ref().unwrap_or_else(|| accessible(&self.queues, accessible_from));
        let default_label_from = match &own_expression {
            Some(_) => Some(index),
            None => above
                .filter(|parent| own_labels.is_superset(accessible(&self.queues, parent.accessible_from)))
                .and_then(|parent| parent.default_label_from),
        };
        let known = self.made.known_labels(&path, kind.is_leaf());
        let mut capacities = reader.load(&self.labels_of((&path, parent, kind, making), &apart), known)?;
        let legacy = self.settings.legacy_queue_mode;
        if making == Some(QueueMaking::Flexible) && legacy {
            reader.know_as_parent(&mut capacities);
        }
        let mut figures = State::new(&capacities);
        figures.update_absolute(
            &capacities,
            parent.map(|parent| &self.states[parent]),
            self.settings.legacy_queue_mode,
        );
        // What templates have set for labels that are not configured is not read.
        let reads = |capacity: &LabelCapacity| capacity.is_configured || making.is_none() || !legacy;
        for capacity in capacities.iter_mut().filter(|capacity| reads(capacity)) {
            // One that has made itself is compared when it comes.
            let cluster = if making.is_some() { Some(Resource::ZERO) } else { self.uncompared.cluster() };
            reader.set_amounts(capacity, cluster.as_ref())?;
        }
        let cluster = self.settings.maximum;
        let above_maximum = above.map_or(cluster, |parent| parent.maximum_allocation);
        let maximum_allocation =
            maximum_allocation::read(source, &self.settings.types, &path, &above_maximum, &cluster)?;
        let (state, state_given) = state(source, &path, above)?;
        let user_weights = match making {
            Some(_) => apart.weights,
            None => UserWeights::read(source, &path)?,
        };
        for capacity in capacities.iter_mut().filter(|capacity| reads(capacity)) {
            reader.set_vectors(capacity, matches!(kind, CapacityQueueKind::Plan | CapacityQueueKind::Reservation))?;
            if let Some(making) = making {
                let given = |key| source.text(&Source::of_label(&path, &capacity.label, key)).is_some();
                let (own, maximum) = (given("capacity"), given("maximum-capacity"));
                made_settings::complete(capacity, making, own, maximum, legacy);
            }
        }
        let mode = reader.mode(&capacities)?;
        let (preemption_disabled, within) = preemption_disabled(source, self.defaults, &path, above);
        let priority = source.int(&Source::of(&path, "priority"), 0)?;
        let (own_multi_node_sorting_policy, multi_node_sorting_class) = self.defaults.sorting_policy(source, &path)?;
        let max_parallel_apps = self.defaults.max_parallel_apps(source, &path)?;
        let (maximum_lifetime_seconds, default_lifetime_seconds, default_lifetime_given) =
            lifetimes(source, &path, above)?;
        let context = Context { source, defaults: self.defaults, settings: self.settings };
        let role = match flexible {
            None => CapacityQueueRole::Leaf(context.leaf(&path, &maximum_allocation)?),
            Some(flexible_creation) => {
                let ordering = QueueOrdering::read(
                    source,
                    &path,
                    above.and_then(|parent| parent.as_parent()).map(|p| p.ordering),
                )?;
                let managed = Managed {
                    path: &path,
                    absolute: mode == CapacityMode::AbsoluteResource,
                    accessible: own_labels,
                    labels: capacities.iter().map(|capacity| capacity.label.as_str()).collect(),
                };
                let managed_creation = (kind == CapacityQueueKind::ManagedParent).then(|| {
                    templates::managed(
                        source,
                        self.defaults,
                        self.labels,
                        &self.settings.types,
                        &managed,
                        &mut self.warnings,
                    )
                });
                CapacityQueueRole::Parent(ParentSettings {
                    ordering,
                    allow_zero_capacity_sum: source.flag(&Source::of(&path, "allow-zero-capacity-sum"), false),
                    flexible_creation,
                    managed_creation: managed_creation.transpose()?,
                    plan: (kind == CapacityQueueKind::Plan).then(|| context.plan(&path, &mut self.warnings)),
                })
            }
        };
        if kind.is_leaf() {
            let expression = default_label_from.and_then(|from| match from == index {
                true => own_expression.as_deref(),
                false => self.queues[from].own_default_label_expression.as_deref(),
            });
            check_default_label(&path, own_labels, expression)?;
        }
        let removal = || Source::of(&path, "auto-queue-creation-v2.queue-auto-removal.enable");
        let removes_itself = making == Some(QueueMaking::Flexible) && source.flag(&removal(), true);
        let leaf_template = templates::leaf_template(source, &path);
        self.queues.push(CapacityQueue {
            leaf_template,
            path,
            name,
            parent,
            children,
            kind,
            mode,
            capacities,
            own_accessible_labels: own_accessible,
            own_default_label_expression: own_expression,
            acl_submit,
            acl_administer,
            maximum_allocation,
            state,
            own_state: state_given.then_some(state),
            priority,
            max_parallel_apps,
            preemption_disabled,
            intra_queue_preemption_disabled: within || preemption_disabled,
            maximum_lifetime_seconds,
            default_lifetime_seconds,
            own_multi_node_sorting_policy,
            multi_node_sorting_class,
            making,
            removes_itself,
            role,
            user_weights,
            preemption_disabled_within: within,
            default_lifetime_given,
            accessible_from,
            default_label_from,
        });
        self.states.push(figures);
        self.finish(index, kind)
    }

    /// What needs the queue in its place.
    fn finish(&mut self, index: usize, kind: CapacityQueueKind) -> Result<(), CapacityFileError> {
        if let Some(leaf) = self.queues[index].as_leaf() {
            let path = std::iter::successors(Some(index), |at| self.queues[*at].parent);
            let weights: Vec<&UserWeights> = path.map(|at| &self.queues[at].user_weights).collect();
            user_weights::check(&weights, java::min(100.0, leaf.user_limit), &self.queues[index].path)?;
        }
        match kind {
            CapacityQueueKind::Plan => self.check_plan(index),
            CapacityQueueKind::Reservation => self.entitle(index),
            CapacityQueueKind::Parent | CapacityQueueKind::ManagedParent | CapacityQueueKind::Leaf => Ok(()),
        }
    }

    /// A plan asks for what its default queue is given.
    fn check_plan(&self, index: usize) -> Result<(), CapacityFileError> {
        let path = &self.queues[index].path;
        self.source.int(&Source::of(path, "maximum-applications"), -1)?;
        self.defaults.user_limit(self.source, path)?;
        self.defaults.user_limit_factor(self.source, path)?;
        Ok(())
    }

    /// Gives a leaf of a plan what it has of it, the default queue of a new one all, and the plan's limits of users.
    fn entitle(&mut self, index: usize) -> Result<(), CapacityFileError> {
        let Some(plan) = self.queues[index].parent else { return Ok(()) };
        let (user_limit, user_limit_factor) = {
            let path = &self.queues[plan].path;
            (self.defaults.user_limit(self.source, path)?, self.defaults.user_limit_factor(self.source, path)?)
        };
        let above = self.states[plan].labels[0];
        let own = self.made.reserved_leaf(&self.queues[plan].path, &self.queues[index].name);
        let (part, most) = own.map_or((1.0, 1.0), |own| (own.part, own.most));
        let queue = &mut self.queues[index];
        if own.is_none() && above.absolute_maximum_capacity < above.absolute_capacity - 0.001 {
            let fault = CapacityFault::BelowCapacity {
                queue: queue.path.clone(),
                capacity: java::float_text(above.absolute_capacity),
                maximum: java::float_text(above.absolute_maximum_capacity),
            };
            let property = Source::of(&self.queues[plan].path, "maximum-capacity");
            return Err(CapacityFileError::new(property, fault));
        }
        if let CapacityQueueRole::Leaf(leaf) = &mut queue.role {
            (leaf.user_limit, leaf.user_limit_factor) = (user_limit, user_limit_factor);
        }
        queue.capacities[0].entitle(part, most);
        self.states[index].labels[0].entitle(&above, part, most);
        Ok(())
    }

    /// A queue's own labels, and whose labels it goes by. They must be among its parent's.
    fn accessible_labels(
        &self,
        path: &str,
        parent: Option<usize>,
    ) -> Result<(Option<BTreeSet<String>>, usize), CapacityFileError> {
        let index = self.queues.len();
        let Some(parent) = parent.map(|parent| &self.queues[parent]) else { return Ok((Some(labels::any()), index)) };
        let Some(own) = labels::accessible(self.source, path) else { return Ok((None, parent.accessible_from)) };
        let above = accessible(&self.queues, parent.accessible_from);
        let fault = if above.contains(ANY) || own.is_subset(above) {
            return Ok((Some(own), index));
        } else if own.contains(ANY) {
            CapacityFault::AnyLabel { parent: parent.path.clone() }
        } else {
            let more: Vec<&str> = own.difference(above).map(String::as_str).collect();
            CapacityFault::LabelsNotOfParent { labels: more.join(",") }
        };
        Err(CapacityFileError::new(Source::of(path, "accessible-node-labels"), fault))
    }

    /// The labels for which a queue has capacities.
    fn labels_of<'x>(
        &'x self,
        (path, parent, kind, making): (&str, Option<usize>, CapacityQueueKind, Option<QueueMaking>),
        apart: &'x Apart,
    ) -> Vec<&'x str> {
        let Some(parent) = parent.map(|parent| &self.queues[parent].path) else { return self.labels.all() };
        let of_template = |template: &str| {
            let labels = self.labels.of(&format!("{parent}.{template}"));
            (labels.len() > 1).then_some(labels)
        };
        match making {
            // What other templates say is copied, and not looked at.
            Some(QueueMaking::Flexible) => {
                of_template(TEMPLATE).unwrap_or_else(|| apart.labels.iter().map(String::as_str).collect())
            }
            Some(QueueMaking::Managed) => of_template(LEAF_TEMPLATE).unwrap_or_else(|| self.labels.of(path)),
            None if kind == CapacityQueueKind::Reservation => {
                of_template(TEMPLATE).unwrap_or_else(|| self.labels.of(path))
            }
            None => self.labels.of(path),
        }
    }
}

fn check_default_label(
    path: &str,
    accessible: &BTreeSet<String>,
    expression: Option<&str>,
) -> Result<(), CapacityFileError> {
    let Some(expression) = expression.filter(|expression| !labels::permits(accessible, expression)) else {
        return Ok(());
    };
    let fault = CapacityFault::DefaultLabel {
        queue: path.to_owned(),
        expression: expression.to_owned(),
        labels: accessible.iter().map(String::as_str).collect::<Vec<_>>().join(","),
    };
    Err(CapacityFileError::new(Source::of(path, "default-node-label-expression"), fault))
}
