//! What a recording says of the configuration, and fields of its steps.

use crate::config::SiteProperties;
use crate::config::capacity::{CapacityFile, CapacityFileError, LateFault, MadeQueues, PreemptionSettings};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) type Properties = BTreeMap<String, String>;

pub(super) fn properties(of: Option<&Value>) -> Properties {
    let pairs = of.and_then(Value::as_object).into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

pub(super) fn read_file(site: &Properties, properties: &Properties) -> Result<CapacityFile, CapacityFileError> {
    let pairs = |map: &Properties| map.iter().map(|(n, v)| (n.clone(), v.clone())).collect::<Vec<_>>();
    let (own, site) = (pairs(properties), pairs(site));
    CapacityFile::from_properties(
        site.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        own.iter().map(|(name, value)| (name.as_str(), value.as_str())),
    )
}

/// The same for a refresh, with what is wrong with what Hadoop looks at last.
pub(super) fn read_to_refresh(
    site: &Properties,
    properties: &Properties,
) -> Result<(CapacityFile, Option<LateFault>), CapacityFileError> {
    let pairs = |map: &Properties| map.iter().map(|(n, v)| (n.clone(), v.clone())).collect::<Vec<_>>();
    let (own, site) = (pairs(properties), pairs(site));
    let site: SiteProperties = site.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let own = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    CapacityFile::read_to_refresh(&site, &CapacityFile::lay_over(&site, own), &MadeQueues::default())
}

/// The settings, whether monitors run by themselves or not.
pub(super) fn read_preemption(site: &Properties, own: &Properties) -> Result<PreemptionSettings, CapacityFileError> {
    let mut site = site.clone();
    site.insert("yarn.resourcemanager.scheduler.monitor.enable".to_owned(), "true".to_owned());
    site.remove("yarn.resourcemanager.scheduler.monitor.policies");
    let (file, _) = read_to_refresh(&site, own)?;
    Ok(file.settings().monitors.preemption.clone().expect("the monitor that is there by default"))
}

pub(super) fn text<'a>(step: &'a Value, field: &str) -> &'a str {
    step.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn number(step: &Value, field: &str) -> u32 {
    step.get(field).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or_default()
}
