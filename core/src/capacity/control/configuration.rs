//! What a CapacityScheduler is configured with: the site's properties, its own file's, and what is read from both.

use super::settings::Unsupported;
use crate::capacity::rules::candidates::{MultiNode, Sorting};
use crate::config::capacity::{
    CapacityFile, CapacityFileError, LateFault, MadeQueues, PreemptionSettings, SHIPPED_SORTING_POLICIES, Texts,
};
use crate::config::{LARGEST_FILE, Settings, SettingsError, SiteFile, SiteProperties, decode_json, read_file};
use crate::event::Refused;
use crate::event::refused::Configuration;
use crate::policy::candidates::{Candidates, EmptiestFirst, FullestFirst, LeastAllocated};
use crate::reservation::AskedPlan;
use crate::sync::Arc;
use std::collections::BTreeMap;
use std::path::Path;

/// Where properties begin by which the reservation system goes.
const THEIRS: [&str; 3] =
    ["yarn.resourcemanager.reservation-system.", "yarn.acl.enable", "yarn.acl.reservation-enable"];

/// The configuration of a [`CapacityScheduler`](crate::CapacityScheduler): the contents of `yarn-site.xml` and
/// `capacity-scheduler.xml`.
#[derive(Clone, Debug)]
pub struct CapacityConfiguration {
    /// With the places where variables are looked up. All configurations of one scheduler share it.
    site: Arc<SiteProperties>,
    /// The site's and the scheduler's own over it.
    all: Arc<SiteProperties>,
    pub(crate) file: CapacityFile,
    /// Mapping rules that stand in a file of their own. That is read once, so that the rules that are checked are those
    /// that count.
    rules: Option<Arc<RulesText>>,
    /// The queues that have made themselves and that the file was read with. Templates have set nothing yet.
    made: Arc<MadeQueues>,
    /// Those that were in the scheduler in which it is in force, when somebody asked.
    there: Arc<MadeQueues>,
}

/// The text of a file, or why it cannot be read.
type RulesText = Result<String, String>;

fn rules_text(path: &str) -> RulesText {
    let read = read_file(Path::new(path), LARGEST_FILE);
    read.and_then(|bytes| decode_json(&bytes)).map_err(|why| why.to_string())
}

/// What a refresh has read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) configuration: CapacityConfiguration,
    pub(crate) late: Option<LateFault>,
}

impl Reading {
    /// The configuration, if nothing is wrong with it.
    pub(crate) fn right(self) -> Result<CapacityConfiguration, CapacityFileError> {
        self.late.map_or(Ok(self.configuration), |fault| Err(fault.into()))
    }
}

impl CapacityConfiguration {
    /// Reads the properties of `yarn-site.xml` and of `capacity-scheduler.xml`, under their full names. The file that
    /// `mapping-rule-json-file` names is read on the caller's thread.
    ///
    /// # Errors
    /// As of [`CapacityFile::from_properties`]; and where that file cannot be read, or its rules cannot be.
    pub fn from_properties<'a>(
        site: impl IntoIterator<Item = (&'a str, &'a str)>,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityConfiguration, CapacityFileError> {
        let site: SiteProperties = site.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let all = CapacityFile::lay_over(&site, own);
        CapacityConfiguration::of(site, all)
    }

    /// Reads `capacity-scheduler.xml` over the site's properties. A property that the site has made final, or has set
    /// above all files, stays. Variables are looked up where the site looks them up. Values of a later refresh override
    /// all of this.
    ///
    /// ```
    /// use evenweave::config::{SiteFile, SiteProperties};
    /// use evenweave::{CapacityConfiguration, CapacityScheduler};
    ///
    /// let queues = |dev: &str| {
    ///     let text = format!(
    ///         "<configuration>
    ///           <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,dev</value></property>
    ///           <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>80</value></property>
    ///           <property><name>yarn.scheduler.capacity.root.dev.capacity</name><value>{dev}</value></property>
    ///         </configuration>"
    ///     );
    ///     SiteFile::parse(&text, "capacity-scheduler.xml")
    /// };
    /// let configuration = CapacityConfiguration::from_site(&SiteProperties::new(), &queues("20")?)?;
    /// let scheduler = CapacityScheduler::builder(configuration).start()?;
    /// // The file has changed, and is not good: the queues stay.
    /// assert_eq!(scheduler.refresh_properties(queues("30")?.pairs()).unwrap_err().kind(), "bad-configuration");
    /// scheduler.shutdown()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As of [`from_properties`](Self::from_properties), with places.
    pub fn from_site(site: &SiteProperties, file: &SiteFile) -> Result<CapacityConfiguration, CapacityFileError> {
        let mut all = site.clone();
        all.add(file);
        CapacityConfiguration::of(site.clone(), all)
    }

    fn of(site: SiteProperties, all: SiteProperties) -> Result<CapacityConfiguration, CapacityFileError> {
        let file = CapacityFile::read(&site, &all)?;
        let (site, all, none) = (Arc::new(site), Arc::new(all), Arc::<MadeQueues>::default());
        let mut read = CapacityConfiguration { site, all, file, rules: None, made: none.clone(), there: none };
        read.take_rules(None).map_or(Ok(read), |fault| Err(fault.into()))
    }

    /// Returns the configuration of the same site with another `capacity-scheduler.xml`, as a refresh of the queues
    /// reads it: amounts are compared when the refresh comes, on the cluster as it is then. Where `self` is the
    /// configuration in force of a scheduler
    /// ([`CapacityScheduler::configuration`](crate::CapacityScheduler::configuration)), the new file and its mapping
    /// rules are read with the queues that have made themselves there.
    ///
    /// # Errors
    /// As of [`from_properties`](Self::from_properties).
    pub fn with_queues<'a>(
        &self,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityConfiguration, CapacityFileError> {
        self.read_queues(own)?.right()
    }

    /// The same with what is wrong with what Hadoop looks at last.
    pub(crate) fn read_queues<'a>(
        &self,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Reading, CapacityFileError> {
        let all = CapacityFile::lay_over(&self.site, own);
        let (file, late) = CapacityFile::read_to_refresh(&self.site, &all, &self.there)?;
        let (site, made, there) = (self.site.clone(), self.there.clone(), self.there.clone());
        let mut configuration = CapacityConfiguration { site, all: Arc::new(all), file, rules: None, made, there };
        let late = configuration.take_rules(late);
        Ok(Reading { configuration, late })
    }

    /// Rules that stand in a file of their own come before what is wrong with priorities of workflows.
    fn take_rules(&mut self, late: Option<LateFault>) -> Option<LateFault> {
        let Some(path) = &self.file.mapping_rules().file else { return late };
        let text = self.rules.get_or_insert_with(|| Arc::new(rules_text(path))).clone();
        let text = (*text).as_ref().map(String::as_str).map_err(String::as_str);
        self.file.take_mapping_rules(text).map_or_else(|error| Some(LateFault::Rules(error)), |()| late)
    }

    /// The same with the queues that have made themselves by now, where they are others.
    pub(crate) fn with_made(self, made: MadeQueues) -> Result<Reading, CapacityFileError> {
        let (file, late) = CapacityFile::read_to_refresh(&self.site, &self.all, &made)?;
        let mut configuration = CapacityConfiguration { file, made: Arc::new(made), ..self };
        let late = configuration.take_rules(late);
        Ok(Reading { configuration, late })
    }

    /// The configuration in force where these queues have made themselves.
    pub(crate) fn in_force(&self, there: MadeQueues) -> CapacityConfiguration {
        CapacityConfiguration { there: Arc::new(there), ..self.clone() }
    }

    /// The queues that have made themselves and that the file was read with.
    pub(crate) fn made(&self) -> &MadeQueues {
        &self.made
    }

    /// Whether both are of one site.
    pub(crate) fn has_site_of(&self, other: &CapacityConfiguration) -> bool {
        Arc::ptr_eq(&self.site, &other.site)
    }

    /// What the file was read from.
    pub(crate) fn texts(&self) -> Texts<'_> {
        Texts { site: &self.site, all: &self.all, read: &self.file }
    }

    /// What the reservation system is told by the site.
    pub(crate) fn reservation_settings(&self) -> Result<Settings, SettingsError> {
        let names = self.all.names();
        let theirs = names.into_iter().filter(|name| THEIRS.iter().any(|theirs| name.starts_with(theirs)));
        let values = theirs.filter_map(|name| Some((name, self.all.get(name).ok()??)));
        let values: Vec<(&str, String)> = values.collect();
        Settings::from_properties(values.iter().map(|(name, value)| (*name, value.as_str())))
    }

    /// The plans that the queues ask for.
    pub(crate) fn asked_plans(&self) -> Vec<AskedPlan> {
        AskedPlan::of_capacities(&self.file, &self.all)
    }

    /// Checks that it asks for nothing that Evenweave does not have. A scheduler is not built with what is not here, so
    /// that this is for whoever wants to know before.
    ///
    /// ```
    /// use evenweave::CapacityConfiguration;
    /// let queues = [("yarn.scheduler.capacity.root.queues", "a"), ("yarn.scheduler.capacity.root.a.capacity", "100")];
    /// let site = [("yarn.resourcemanager.placement-constraints.handler", "scheduler")];
    /// let refused = CapacityConfiguration::from_properties(site, queues)?.check_supported().unwrap_err();
    /// assert!(refused.to_string().starts_with("not supported: placement constraints"));
    /// # Ok::<(), evenweave::config::capacity::CapacityFileError>(())
    /// ```
    ///
    /// # Errors
    /// All that is not here, each with its place where it stands in a file.
    pub fn check_supported(&self) -> Result<(), Unsupported> {
        let missing = self.file.unsupported(&self.all);
        if missing.is_empty() { Ok(()) } else { Err(Unsupported(missing)) }
    }

    /// The same for a program that gives no node a label: what asks for labels is not supported either.
    ///
    /// # Errors
    /// As of [`check_supported`](Self::check_supported).
    pub fn check_supported_without_labels(&self) -> Result<(), Unsupported> {
        let missing = self.file.unsupported_without_labels(&self.all);
        if missing.is_empty() { Ok(()) } else { Err(Unsupported(missing)) }
    }

    /// How nodes are offered together, where that is on. `more`: policies beside those that come with Evenweave, by
    /// class.
    pub(crate) fn multi_node(
        &self,
        more: &BTreeMap<String, Arc<dyn Candidates>>,
    ) -> Result<Option<MultiNode>, Unsupported> {
        let settings = self.file.settings();
        if !settings.multi_node_placement {
            return Ok(None);
        }
        let (mut sortings, mut unknown) = (Vec::new(), Vec::new());
        for (name, class) in &settings.multi_node_sorting_classes {
            let interval = settings.multi_node_sorting.get(name).copied().unwrap_or_default();
            match more.get(class).cloned().or_else(|| shipped(class)) {
                Some(policy) => sortings.push(Sorting {
                    class: class.clone(),
                    policy,
                    interval_ms: u64::try_from(interval).unwrap_or_default(),
                }),
                None => {
                    let property = format!("yarn.scheduler.capacity.multi-node-sorting.policy.{name}.class");
                    let at = CapacityFile::placed(&self.all, &property);
                    let here = SHIPPED_SORTING_POLICIES.join(", ");
                    unknown.push(format!("{at} is {class}, which nobody has given to the builder; here are {here}"));
                }
            }
        }
        let skips_reserved = settings.skip_allocate_on_nodes_with_reserved_containers;
        if unknown.is_empty() { Ok(Some(MultiNode { sortings, skips_reserved })) } else { Err(Unsupported(unknown)) }
    }

    /// What was read. After a refresh, queues that had made themselves by then are among its queues.
    #[must_use]
    pub fn file(&self) -> &CapacityFile {
        &self.file
    }

    /// The settings of preemption, whether its monitor runs by itself or not.
    pub(crate) fn preemption(&self) -> Result<PreemptionSettings, CapacityFileError> {
        CapacityFile::preemption_settings(&self.all)
    }

    /// The text of a property, as it is written.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        self.all.raw(name).map(str::to_owned)
    }
}

/// A policy that sorts nodes and is always here.
fn shipped(class: &str) -> Option<Arc<dyn Candidates>> {
    let policies: [Arc<dyn Candidates>; 3] =
        [Arc::new(LeastAllocated), Arc::new(FullestFirst), Arc::new(EmptiestFirst)];
    let known = SHIPPED_SORTING_POLICIES.into_iter().zip(policies).find(|(known, _)| *known == class);
    known.map(|(_, policy)| policy)
}

/// What the control is configured with.
#[derive(Debug)]
pub(crate) enum Refresh {
    /// It has its configuration.
    First,
    /// The queues are refreshed; a file that could not be read has the old one applied once more, as in Hadoop.
    Queues(Box<Result<Reading, CapacityFileError>>),
}

impl Refresh {
    /// From what was read of the new file.
    ///
    /// # Errors
    /// It asks for something that Evenweave does not have. Nothing has happened then.
    pub(crate) fn from_read(read: Result<Reading, CapacityFileError>) -> Result<Refresh, Refused> {
        let supported = read.as_ref().map_or(Ok(()), |read| read.configuration.check_supported());
        supported.map_err(|missing| Configuration::Invalid(missing.to_string()))?;
        Ok(Refresh::Queues(Box::new(read)))
    }

    /// From a configuration that was read from the one `in_force`.
    ///
    /// # Errors
    /// The same; and where it is of another scheduler, whose site may have other resource types.
    pub(crate) fn with(
        configuration: CapacityConfiguration,
        in_force: &CapacityConfiguration,
    ) -> Result<Refresh, Refused> {
        if !configuration.has_site_of(in_force) {
            let why = "it was not read by `with_queues` of the scheduler's `configuration`";
            return Err(Configuration::Invalid(why.to_owned()).into());
        }
        Refresh::from_read(Ok(Reading { configuration, late: None }))
    }
}
