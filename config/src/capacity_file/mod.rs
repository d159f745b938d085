//! The CapacityScheduler's configuration: capacity-scheduler.xml, parsed and checked.
//!
//! From properties to a queue tree with all settings, and from that to what capacities come to on a cluster. Pure
//! functions, any thread. Follows rules/capacity.md 1 to 5, 7, 26 and 27; Hadoop's
//! `CapacitySchedulerConfiguration`, `CapacitySchedulerQueueManager` and the set-up of the queue classes.

mod access;

mod acl_lint;

mod amount_lint;

mod amounts;

mod capacities;

mod check;

mod creation_lint;

mod defaults;

mod error;

mod figures;

mod known;

mod labels;

mod late;

mod leaves;

mod legacy;

mod lint;

mod made;

mod mapping;

mod maximum_allocation;

mod mixed;

mod names;

mod ordering;

mod plan_lint;

mod preemption;

mod priority_acl;

mod queue;

mod settings;

mod siblings;

mod skeleton;

mod source;

mod templates;

#[cfg(test)]
mod tests;

mod tree;

mod unsupported;

mod user_weights;

mod vector;

mod warnings;

mod workflow;

pub use capacities::LabelCapacity;
pub use error::{CapacityFault, CapacityFileError};
pub use figures::{CapacityFigures, LabelFigures};
pub use late::LateFault;
pub use leaves::{Shifted, Texts};
pub use made::QueueMaking;
pub use made::{MadeQueue, MadeQueues, Reserved};
pub use mapping::{MappingRule, MappingRules, RejectedByRule, RuleAction, RuleFallback, RuleMatch, ToPlace};
pub use mixed::MixedFractions;
pub use ordering::{AppOrdering, QueueOrdering};
pub use preemption::{Monitors, PreemptionOrder, PreemptionSettings};
pub use priority_acl::PriorityAcl;
pub use queue::{
    CapacityMode, CapacityQueue, CapacityQueueRole, LeafSettings, ParentSettings, PlanSettings, QueueState,
};
pub use settings::CapacitySettings;
pub use skeleton::CapacityQueueKind;
pub use templates::LeafTemplate;
pub use templates::{FlexibleCreation, ManagedCreation, QueueTemplates, Template};
pub use vector::{CapacityUnit, CapacityVector};
pub use workflow::WorkflowPriorities;

use crate::diagnostic::Diagnostic;
use crate::site::{SiteFile, SiteProperties};
use check::Uncompared;
use defaults::Defaults;
use evenweave_resource::Resource;
use figures::State;
use labels::LabelsByQueue;
use made::{Apart, ByParent};
use names::QueueNames;
use skeleton::Bone;
use source::Source;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use templates::TemplateStore;
use tree::Builder;
use warnings::Warnings;

/// The configuration of a CapacityScheduler.
///
/// ```
/// use evenweave::Resource;
/// use evenweave::config::capacity::CapacityFile;
/// let properties = [
///     ("yarn.scheduler.capacity.root.queues", "a,b"),
///     ("yarn.scheduler.capacity.root.a.capacity", "70"),
///     ("yarn.scheduler.capacity.root.b.capacity", "30"),
/// ];
/// let file = CapacityFile::from_properties([], properties).unwrap();
/// let figures = file.figures(&Resource::new(10240, 10)).unwrap();
/// // The fraction is the 32-bit float 0.7, which is a little less.
/// assert_eq!(file.queues()[1].path, "root.a");
/// assert_eq!(figures[1].labels[0].effective_minimum, Resource::new(7167, 6));
///
/// let error = CapacityFile::from_properties([], properties[..2].iter().copied()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "yarn.scheduler.capacity.root.queues: Illegal capacity sum of 0.7 for children of queue root for label=. It should \
///      be either 0 or 1.0"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct CapacityFile {
    settings: CapacitySettings,
    // What grows with the queues is shared by all copies: whoever refreshes keeps the old file, the new one and what is published of it.
    queues: Arc<Vec<CapacityQueue>>,
    names: Arc<QueueNames>,
    templates: Arc<TemplateStore>,
    mapping: MappingRules,
    workflow_priorities: WorkflowPriorities,
    warnings: Arc<Vec<Diagnostic>>,
    /// The figures without nodes, from which those of a cluster come.
    states: Arc<Vec<State>>,
    set_by_templates: Arc<BTreeMap<String, String>>,
}

impl CapacityFile {
    /// Parses and checks the scheduler's `own` properties, those of capacity-scheduler.xml, over those of yarn-site, in which some that
    /// it needs stand. An empty value is as good as none, as it is in a file.
    ///
    /// # Errors
    /// Where Hadoop's scheduler would not start; and where queues are more or deeper than any that can be meant.
    pub fn from_properties<'a>(
        site: impl IntoIterator<Item = (&'a str, &'a str)>,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityFile, CapacityFileError> {
        let site = site.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        CapacityFile::over(&site, own)
    }

    /// The properties count above all of the site's.
    pub(crate) fn over<'a>(
        site: &SiteProperties,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityFile, CapacityFileError> {
        CapacityFile::read(site, &CapacityFile::lay_over(site, properties))
    }

    /// The site's properties with the scheduler's own above them.
    #[doc(hidden)]
    pub fn lay_over<'a>(
        site: &SiteProperties,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> SiteProperties {
        let mut all = site.clone();
        for (name, value) in properties.into_iter().filter(|(_, value)| !value.is_empty()) {
            all.set(name, value);
        }
        all
    }

    /// Parses and checks capacity-scheduler.xml, which lies over yarn-site.
    ///
    /// ```
    /// use evenweave::config::{SiteFile, SiteProperties};
    /// use evenweave::config::capacity::CapacityFile;
    /// let text = "<configuration>
    ///   <property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
    ///   <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>ten</value></property>
    /// </configuration>";
    /// let file = SiteFile::parse(text, "capacity-scheduler.xml").unwrap();
    /// let error = CapacityFile::from_site(&SiteProperties::new(), &file).unwrap_err();
    /// assert_eq!(error.property, "yarn.scheduler.capacity.root.a.capacity");
    /// assert!(error.to_string().starts_with("capacity-scheduler.xml:3:"));
    /// ```
    ///
    /// # Errors
    /// As [`CapacityFile::from_properties`], with the places of values.
    pub fn from_site(yarn_site: &SiteProperties, file: &SiteFile) -> Result<CapacityFile, CapacityFileError> {
        let mut all = yarn_site.clone();
        all.add(file);
        CapacityFile::read(yarn_site, &all)
    }

    /// The same, with everything that is wrong or odd in it, which reading it for a scheduler does not look for: `None` where there are
    /// errors; one that comes with the nodes is one. `cluster`: what its nodes have in all, where that is known; amounts are compared
    /// with it.
    ///
    /// After an error the rest is read as if what is wrong were not written, for up to 50 errors. The check ends earlier where that
    /// cannot be done, as with a list of queues that is refused or with resource types. With an error in a capacity, warnings that
    /// compare capacities are left out.
    ///
    /// ```
    /// use evenweave::config::{SiteFile, SiteProperties, capacity::CapacityFile};
    ///
    /// let text = "<configuration>
    ///   <property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
    ///   <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property>
    ///   <property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>0.5</value></property>
    /// </configuration>";
    /// let file = SiteFile::parse(text, "capacity-scheduler.xml").unwrap();
    /// let (read, found) = CapacityFile::check(&SiteProperties::new(), &file, None);
    /// assert!(read.is_some());
    /// assert_eq!(found[0].code, "user-limit-factor");
    /// ```
    #[must_use]
    pub fn check(
        yarn_site: &SiteProperties,
        file: &SiteFile,
        cluster: Option<&Resource>,
    ) -> (Option<CapacityFile>, Vec<Diagnostic>) {
        check::check(yarn_site, file, cluster)
    }

    /// The resource types beside memory and vcores of which a file has amounts, separated by commas. Which types there are stands in
    /// yarn-site, in `yarn.resource-types`; a check without yarn-site may take these for it. None where the file's calculator takes no more
    /// than memory and vcores.
    #[must_use]
    pub fn types_written(file: &SiteFile) -> Option<String> {
        check::types_written(file)
    }

    /// `all` is `site` and the scheduler's own properties over it.
    #[doc(hidden)]
    pub fn read(site: &SiteProperties, all: &SiteProperties) -> Result<CapacityFile, CapacityFileError> {
        let (file, late) = CapacityFile::read_how(site, all, &MadeQueues::default(), None, &Uncompared::default())?;
        late.map_or(Ok(file), |fault| Err(fault.into()))
    }

    /// The same for a refresh, with queues that have made themselves: [`CapacityFile::check_amounts_on`] compares
    /// amounts when its turn comes. What is wrong with what Hadoop looks at last stands beside the queues.
    #[doc(hidden)]
    pub fn read_to_refresh(
        site: &SiteProperties,
        all: &SiteProperties,
        made: &MadeQueues,
    ) -> Result<(CapacityFile, Option<LateFault>), CapacityFileError> {
        CapacityFile::read_how(site, all, made, None, &Uncompared::amounts())
    }

    /// The same with other queues that have made themselves. `known`: what was read before of the file, where that
    /// belongs to no queue.
    pub(crate) fn read_again(
        site: &SiteProperties,
        all: &SiteProperties,
        made: &MadeQueues,
        known: &CapacityFile,
    ) -> Result<CapacityFile, CapacityFileError> {
        Ok(CapacityFile::read_how(site, all, made, Some(known), &Uncompared::amounts())?.0)
    }

    fn read_how(
        site: &SiteProperties,
        all: &SiteProperties,
        made: &MadeQueues,
        known: Option<&CapacityFile>,
        uncompared: &Uncompared,
    ) -> Result<(CapacityFile, Option<LateFault>), CapacityFileError> {
        let mut all = Cow::Borrowed(all);
        let read = read_all(site, &mut all, made, known, uncompared);
        let (file, late) = read.map_err(|error| error.placed(&all))?;
        Ok((file, late.map(|fault| fault.map(|error| error.placed(&all)))))
    }

    /// What preemption is told, whether its monitor runs or not.
    #[doc(hidden)]
    pub fn preemption_settings(all: &SiteProperties) -> Result<PreemptionSettings, CapacityFileError> {
        let source = Source::unlisted(all);
        let settings = preemption::read_preemption(&source)?;
        source.check_expansion()?;
        Ok(settings)
    }

    /// The settings of the whole scheduler.
    #[must_use]
    pub fn settings(&self) -> &CapacitySettings {
        &self.settings
    }

    /// All queues, root first, each before its children.
    #[must_use]
    pub fn queues(&self) -> &[CapacityQueue] {
        &self.queues
    }

    /// The queue of this path or short name; none where several have the short name.
    #[must_use]
    pub fn queue(&self, name: &str) -> Option<&CapacityQueue> {
        self.names.get(name).map(|index| &self.queues[index])
    }

    /// The queue of this path. Where a list names a queue twice, the later one.
    #[must_use]
    pub fn queue_at(&self, path: &str) -> Option<&CapacityQueue> {
        self.index_of(path).map(|index| &self.queues[index])
    }

    /// The place of the queue of this path among [`CapacityFile::queues`].
    #[must_use]
    pub fn index_of(&self, path: &str) -> Option<usize> {
        self.names.by_path(path)
    }

    /// Whether several queues have this short name.
    #[must_use]
    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.names.is_ambiguous(name)
    }

    /// The labels that a queue's applications may ask for, its own or an ancestor's; `*` for any.
    #[must_use]
    pub fn accessible_labels<'q>(&'q self, queue: &'q CapacityQueue) -> &'q BTreeSet<String> {
        tree::accessible(&self.queues, queue.accessible_from)
    }

    /// The labels that applications of a queue ask for where they name none, its own or an ancestor's.
    #[must_use]
    pub fn default_label_expression(&self, queue: &CapacityQueue) -> Option<&str> {
        self.queues[queue.default_label_from?].own_default_label_expression.as_deref()
    }

    /// The weight of a user in a queue: `user-settings.<user>.weight` there or in the nearest ancestor, else 1.
    #[must_use]
    pub fn user_weight(&self, queue: &CapacityQueue, user: &str) -> f32 {
        let above = |queue: &&CapacityQueue| queue.parent.map(|parent| &self.queues[parent]);
        std::iter::successors(Some(queue), above).find_map(|queue| queue.user_weights.get(user)).unwrap_or(1.0)
    }

    /// What queues that make themselves in a parent are made from.
    #[must_use]
    pub fn templates(&self, parent: &CapacityQueue) -> QueueTemplates {
        let depth = match (parent.parent, parent.as_parent()) {
            (Some(_), Some(settings)) => settings.flexible_creation.maximum_depth,
            (None, _) | (_, None) => 0,
        };
        self.templates.of(&parent.path, depth)
    }

    /// The rules by which applications enter queues.
    #[must_use]
    pub fn mapping_rules(&self) -> &MappingRules {
        &self.mapping
    }

    /// `workflow-priority-mappings`
    #[must_use]
    pub fn workflow_priorities(&self) -> &WorkflowPriorities {
        &self.workflow_priorities
    }

    /// What was accepted, as Hadoop accepts it, but is probably a mistake.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// What plans' templates give their leaves.
fn properties_of_plans(
    source: &Source<'_>,
    defaults: &Defaults,
    templates: &TemplateStore,
    bones: &[Bone],
) -> Vec<(String, String)> {
    let plans = bones.iter().filter(|bone| bone.kind == CapacityQueueKind::Plan);
    let leaves = plans.flat_map(|plan| plan.children.iter().map(move |leaf| (plan, &bones[*leaf].path)));
    let properties = leaves.flat_map(|(plan, leaf)| templates.for_default_queue(source, defaults, &plan.path, leaf));
    properties.collect()
}

fn read_all(
    site: &SiteProperties,
    all: &mut Cow<'_, SiteProperties>,
    made: &MadeQueues,
    known: Option<&CapacityFile>,
    uncompared: &Uncompared,
) -> Result<(CapacityFile, Option<LateFault>), CapacityFileError> {
    let source = Source::new(all);
    let (templates, defaults) = (TemplateStore::read(&source), Defaults::read(&source));
    let by_parent = ByParent::of(made);
    let bones = skeleton::read(&source, &by_parent)?;
    let of_plans = properties_of_plans(&source, &defaults, &templates, &bones);
    let of_made = made::properties(&source, &defaults, &templates, &bones);
    let made_apart = made::apart(&source, &defaults, &templates, &bones)?;
    let mut set_by_templates = made.properties.clone();
    set_by_templates.extend(of_made);
    let source = if of_plans.is_empty() && set_by_templates.is_empty() {
        source
    } else {
        drop(source);
        for (name, value) in of_plans.iter().map(|(name, value)| (name, value)).chain(&set_by_templates) {
            all.to_mut().set(name, value.clone());
        }
        Source::new(all)
    };
    let site = Source::new(site);
    let mut file = read_tree(&site, &source, &defaults, templates, bones, (made_apart, &by_parent, uncompared))?;
    file.set_by_templates = Arc::new(set_by_templates);
    let late = match known {
        Some(known) => {
            file.take_common(known);
            None
        }
        None => read_last(&source, &mut file).err(),
    };
    source.check_expansion()?;
    Ok((file, late))
}

/// In Hadoop's order.
fn read_last(source: &Source<'_>, file: &mut CapacityFile) -> Result<(), LateFault> {
    file.mapping = mapping::read(source, file).map_err(LateFault::Rules)?;
    file.workflow_priorities = workflow::read(source).map_err(LateFault::Workflows)?;
    Ok(())
}

fn read_tree(
    site: &Source<'_>,
    source: &Source<'_>,
    defaults: &Defaults,
    templates: TemplateStore,
    bones: Vec<Bone>,
    (made_apart, made, uncompared): (HashMap<String, Apart>, &ByParent<'_>, &Uncompared),
) -> Result<CapacityFile, CapacityFileError> {
    let mut warnings = Warnings::new(source);
    let leaves = bones.iter().any(|bone| bone.kind.is_leaf());
    let settings = settings::read(site, source, leaves, &mut warnings)?;
    let labels = LabelsByQueue::read(source)?;
    let mut builder = Builder {
        source,
        settings: &settings,
        defaults,
        labels: &labels,
        warnings,
        queues: Vec::with_capacity(bones.len()),
        states: Vec::with_capacity(bones.len()),
        known: Vec::with_capacity(bones.len()),
        made_apart,
        made,
        uncompared,
    };
    builder.build(&mut bones.into_iter())?;
    let Builder { queues, mut states, known, mut warnings, .. } = builder;
    let figures = figures::update(
        &settings,
        &queues,
        &mut states,
        &BTreeMap::from([(String::new(), Resource::ZERO)]),
        MixedFractions::Everybody,
    );
    figures.or_else(|error| if uncompared.explains(&error) { Ok(()) } else { Err(error) })?;
    let mut file = CapacityFile {
        names: Arc::new(QueueNames::new(&queues, &known)),
        settings,
        queues: Arc::new(queues),
        templates: Arc::new(templates),
        mapping: MappingRules::default(),
        workflow_priorities: WorkflowPriorities::default(),
        warnings: Arc::default(),
        states: Arc::new(states),
        set_by_templates: Arc::default(),
    };
    known::warn(source, &file, &mut warnings);
    file.warnings = Arc::new(warnings.into_vec());
    Ok(file)
}
