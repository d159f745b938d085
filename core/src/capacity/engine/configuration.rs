//! What a CapacityScheduler is configured with: the site's properties, its own file's, and what is read from both.

use crate::config::capacity::{CapacityFile, CapacityFileError, PreemptionSettings};
use crate::config::{SiteFile, SiteProperties};
use std::collections::BTreeMap;

const MONITORS: &str = "yarn.resourcemanager.scheduler.monitor.enable";
const POLICIES: &str = "yarn.resourcemanager.scheduler.monitor.policies";

type Properties = BTreeMap<String, String>;

/// The configuration of a [`CapacityScheduler`](crate::CapacityScheduler): what `yarn-site.xml` and `capacity-scheduler.xml` say.
#[derive(Clone, Debug)]
pub struct CapacityConfiguration {
    site: Properties,
    own: Properties,
    pub(crate) file: CapacityFile,
}

fn read(site: &Properties, own: &Properties) -> Result<CapacityFile, CapacityFileError> {
    let pairs = |map: &Properties| map.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>();
    let (site, own) = (pairs(site), pairs(own));
    CapacityFile::from_properties(
        own.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        site.iter().map(|(name, value)| (name.as_str(), value.as_str())),
    )
}

fn collect<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Properties {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl CapacityConfiguration {
    /// From the properties of `yarn-site.xml` and of `capacity-scheduler.xml`, under their full names.
    ///
    /// # Errors
    /// As of [`CapacityFile::from_properties`].
    pub fn from_properties<'a>(
        site: impl IntoIterator<Item = (&'a str, &'a str)>,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityConfiguration, CapacityFileError> {
        let (site, own) = (collect(site), collect(own));
        let file = read(&site, &own)?;
        Ok(CapacityConfiguration { site, own, file })
    }

    /// From `capacity-scheduler.xml` over the site's properties, as they were read.
    ///
    /// # Errors
    /// As of [`CapacityFile::from_site`], with places.
    pub fn from_site(site: &SiteProperties, file: &SiteFile) -> Result<CapacityConfiguration, CapacityFileError> {
        CapacityFile::from_site(site, file)?;
        let names = site.names();
        let site = names.iter().filter_map(|name| Some((*name, site.raw(name)?)));
        CapacityConfiguration::from_properties(site, file.pairs())
    }

    /// The same site with another `capacity-scheduler.xml`: what a refresh of the queues reads.
    ///
    /// # Errors
    /// As of [`CapacityFile::from_properties`].
    pub fn with_queues<'a>(
        &self,
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<CapacityConfiguration, CapacityFileError> {
        let own = collect(own);
        let file = read(&self.site, &own)?;
        Ok(CapacityConfiguration { site: self.site.clone(), own, file })
    }

    /// What was read.
    #[must_use]
    pub fn file(&self) -> &CapacityFile {
        &self.file
    }

    /// The settings of preemption, whether its monitor runs by itself or not.
    pub(crate) fn preemption(&self) -> Result<PreemptionSettings, CapacityFileError> {
        let mut site = self.site.clone();
        site.insert(MONITORS.to_owned(), "true".to_owned());
        site.remove(POLICIES);
        let file = read(&site, &self.own)?;
        Ok(file.settings().monitors.preemption.clone().expect("the monitor that is there by default"))
    }

    /// The text of a property of `capacity-scheduler.xml`.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        self.own.get(name).cloned()
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
