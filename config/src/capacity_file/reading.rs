//! From properties to a [`CapacityFile`].

use super::defaults::Defaults;
use super::error::CapacityFileError;
use super::figures::Cluster;
use super::figuring;
use super::file::CapacityFile;
use super::labels::LabelsByQueue;
use super::made_queues::{ByParent, MadeQueues};
use super::made_settings::{self, Apart};
use super::mapping;
use super::mapping_rules::MappingRules;
use super::mixed::MixedFractions;
use super::names::QueueNames;
use super::preemption::{self, PreemptionSettings};
use super::property_names;
use super::refresh_end::LateFault;
use super::settings;
use super::skeleton::{self, BareQueue, CapacityQueueKind};
use super::source::Source;
use super::templates::TemplateStore;
use super::tree::Builder;
use super::uncompared::Uncompared;
use super::warnings::Warnings;
use super::workflow::{self, WorkflowPriorities};
use crate::site::{SiteFile, SiteProperties};
use evenweave_resource::Resource;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

impl CapacityFile {
    /// Parses and checks the scheduler's `own` properties, those of capacity-scheduler.xml, over those of yarn-site, in
    /// which some that it needs stand. An empty value is as good as none, as it is in a file.
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
}

/// What plans' templates give their leaves.
fn properties_of_plans(
    source: &Source<'_>,
    defaults: &Defaults,
    templates: &TemplateStore,
    bare_queues: &[BareQueue],
) -> Vec<(String, String)> {
    let plans = bare_queues.iter().filter(|bone| bone.kind == CapacityQueueKind::Plan);
    let leaves = plans.flat_map(|plan| plan.children.iter().map(move |leaf| (plan, &bare_queues[*leaf].path)));
    let properties = leaves.flat_map(|(plan, leaf)| templates.for_default_queue(source, defaults, &plan.path, leaf));
    properties.collect()
}

pub(super) fn read_all(
    site: &SiteProperties,
    all: &mut Cow<'_, SiteProperties>,
    made: &MadeQueues,
    known: Option<&CapacityFile>,
    uncompared: &Uncompared,
) -> Result<(CapacityFile, Option<LateFault>), CapacityFileError> {
    let source = Source::new(all);
    let (templates, defaults) = (TemplateStore::read(&source), Defaults::read(&source));
    let by_parent = ByParent::of(made);
    let bare_queues = skeleton::read(&source, &by_parent)?;
    let of_plans = properties_of_plans(&source, &defaults, &templates, &bare_queues);
    let of_made = made_settings::properties(&source, &defaults, &templates, &bare_queues);
    let made_apart = made_settings::apart(&source, &defaults, &templates, &bare_queues)?;
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
    let mut file = read_tree(&site, &source, &defaults, templates, bare_queues, (made_apart, &by_parent, uncompared))?;
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
    bare_queues: Vec<BareQueue>,
    (made_apart, made, uncompared): (HashMap<String, Apart>, &ByParent<'_>, &Uncompared),
) -> Result<CapacityFile, CapacityFileError> {
    let mut warnings = Warnings::new(source);
    let leaves = bare_queues.iter().any(|bone| bone.kind.is_leaf());
    let settings = settings::read(site, source, leaves, &mut warnings)?;
    let labels = LabelsByQueue::read(source)?;
    let mut builder = Builder {
        source,
        settings: &settings,
        defaults,
        labels: &labels,
        warnings,
        queues: Vec::with_capacity(bare_queues.len()),
        states: Vec::with_capacity(bare_queues.len()),
        known: Vec::with_capacity(bare_queues.len()),
        made_apart,
        made,
        uncompared,
    };
    builder.build(&mut bare_queues.into_iter())?;
    let Builder { queues, mut states, known, mut warnings, .. } = builder;
    let figures =
        figuring::update(&settings, &queues, &mut states, &Cluster::from(Resource::ZERO), MixedFractions::Everybody);
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
    property_names::warn(source, &file, &mut warnings);
    file.warnings = Arc::new(warnings.into_vec());
    Ok(file)
}
