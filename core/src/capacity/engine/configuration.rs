//! What a CapacityScheduler is configured with: the site's properties, its own file's, and what is read from both.

use super::settings::Unsupported;
use crate::config::capacity::{CapacityFile, CapacityFileError, MadeQueues, PreemptionSettings, Texts};
use crate::config::{LARGEST_FILE, Settings, SettingsError, SiteFile, SiteProperties, decode_json, read_file};
use crate::reservation::AskedPlan;
use crate::sync::Arc;
use std::path::Path;

/// Where properties begin by which the reservation system goes.
const THEIRS: [&str; 3] =
    ["yarn.resourcemanager.reservation-system.", "yarn.acl.enable", "yarn.acl.reservation-enable"];

/// The configuration of a [`CapacityScheduler`](crate::CapacityScheduler): the contents of `yarn-site.xml` and
/// `capacity-scheduler.xml`.
#[derive(Clone, Debug)]
pub struct CapacityConfiguration {
    /// With the places where variables are looked up.
    site: SiteProperties,
    /// The site's and the scheduler's own over it.
    all: Arc<SiteProperties>,
    pub(crate) file: CapacityFile,
}

/// Mapping rules that stand in a file of their own are read from there, as often as the configuration is.
fn with_rules(mut file: CapacityFile) -> Result<CapacityFile, CapacityFileError> {
    if let Some(path) = file.mapping_rules().file.clone() {
        let read = read_file(Path::new(&path), LARGEST_FILE);
        let text = read.and_then(|bytes| decode_json(&bytes)).map_err(|why| CapacityFile::no_mapping_rules(&why))?;
        file.take_mapping_rules(&text)?;
    }
    Ok(file)
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

    /// Reads `capacity-scheduler.xml` over the site's properties. A property that the site has made final, or has set above all
    /// files, stays. Variables are looked up where the site looks them up. Values of a later refresh override all of this.
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
    /// assert_eq!(scheduler.refresh_queues(queues("30")?.pairs()).unwrap_err().kind(), "bad-configuration");
    /// scheduler.shutdown();
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
        let file = with_rules(CapacityFile::read(&site, &all)?)?;
        Ok(CapacityConfiguration { site, all: Arc::new(all), file })
    }

    /// Returns the configuration of the same site with another `capacity-scheduler.xml`, as a refresh of the queues reads it: amounts are
    /// compared when the refresh comes, on the cluster as it is then.
    ///
    /// # Errors
    /// As of [`from_properties`](Self::from_properties).
    pub fn with_queues<'a>(
        &self,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityConfiguration, CapacityFileError> {
        let (site, all) = (self.site.clone(), CapacityFile::lay_over(&self.site, own));
        let file = with_rules(CapacityFile::read_to_refresh(&site, &all)?)?;
        Ok(CapacityConfiguration { site, all: Arc::new(all), file })
    }

    /// The same file with queues that have made themselves. `checked`: mapping rules are looked at once more, as a refresh does.
    pub(crate) fn read_with(&self, made: &MadeQueues, checked: bool) -> Result<CapacityFile, CapacityFileError> {
        let rules = self.file.mapping_rules();
        if !checked {
            return self.texts().read_with(made);
        }
        let mut file = CapacityFile::read_with(&self.site, &self.all, made, None)?;
        file.take_checked_rules(rules)?;
        Ok(file)
    }

    /// What the file was read from.
    pub(crate) fn texts(&self) -> Texts<'_> {
        Texts { site: &self.site, all: &self.all, rules: self.file.mapping_rules() }
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

    /// Checks that it asks for nothing that Evenweave does not have. A scheduler is not built with what is not here, so that this is for
    /// whoever wants to know before.
    ///
    /// ```
    /// use evenweave::CapacityConfiguration;
    /// let queues = [
    ///     ("yarn.scheduler.capacity.root.queues", "a"),
    ///     ("yarn.scheduler.capacity.root.a.capacity", "100"),
    ///     ("yarn.scheduler.capacity.multi-node-placement-enabled", "true"),
    /// ];
    /// let refused = CapacityConfiguration::from_properties([], queues)?.check_supported().unwrap_err();
    /// assert_eq!(refused.to_string(), "not supported: yarn.scheduler.capacity.multi-node-placement-enabled");
    /// # Ok::<(), evenweave::config::capacity::CapacityFileError>(())
    /// ```
    ///
    /// # Errors
    /// All that is not here, each with its place where it stands in a file.
    pub fn check_supported(&self) -> Result<(), Unsupported> {
        let missing = self.file.unsupported(&self.all);
        if missing.is_empty() { Ok(()) } else { Err(Unsupported(missing)) }
    }

    /// What was read.
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

/// What the control is configured with.
#[derive(Debug)]
pub(crate) enum Refresh {
    /// It has its configuration.
    First,
    /// The queues are refreshed; a file that could not be read has the old one applied once more, as in Hadoop.
    Queues(Box<Result<CapacityConfiguration, CapacityFileError>>),
}
