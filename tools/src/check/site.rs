//! Files of properties: `yarn-site.xml` and its like, one by one or laid over each other, and `capacity-scheduler.xml`.

use std::path::Path;

use super::files::{Checked, Finding};
use super::kind::{ReadAs, is_of_capacity, lists_queues};
use crate::api::{CapacityFile, Diagnostic, Resource, SchedulerKind, Settings, Severity, SiteFile, SiteProperties};
use crate::site::{include, read_bytes, surround};

/// Files that are laid over each other, the later over the earlier.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) files: Vec<Checked>,
    properties: SiteProperties,
    /// All could be read.
    whole: bool,
    lists_queues: bool,
    /// What they come to; none where one has errors.
    pub(super) settings: Option<Settings>,
}

/// A file of properties that is checked by itself.
#[derive(Debug)]
pub(super) struct Properties {
    pub(super) file: SiteFile,
    pub(super) read: ReadAs,
}

/// No properties: what lies over a site that lists the queues itself.
fn nothing() -> Option<SiteFile> {
    SiteFile::parse("<configuration/>", "").ok()
}

/// With the variables of this process.
fn surrounded() -> SiteProperties {
    let mut site = SiteProperties::new();
    surround(&mut site);
    site
}

impl Layers {
    /// Reads files that are laid over each other.
    pub(super) fn read(paths: &[impl AsRef<Path>]) -> Layers {
        let mut layers =
            Layers { files: Vec::new(), properties: surrounded(), whole: true, lists_queues: false, settings: None };
        for path in paths {
            let (mut checked, text) = Checked::read(path.as_ref());
            match text.and_then(|_| parse(&mut checked)) {
                Some(file) => {
                    layers.lists_queues |= lists_queues(&file);
                    layers.properties.add(&file);
                }
                None => layers.whole = false,
            }
            layers.files.push(checked);
        }
        layers
    }

    /// Checks them, beside files of these schedulers.
    pub(super) fn check(&mut self, beside: &[SchedulerKind]) {
        let (settings, found) = Settings::check_beside(&self.properties, beside);
        self.distribute(found);
        self.settings = settings.filter(|_| self.whole);
    }

    /// Checks queues that they list, where no file of queues lies over them.
    pub(super) fn check_queues(&mut self, beside: &[SchedulerKind], cluster: Option<&Resource>) {
        let is_of_capacity = SchedulerKind::named_by(&self.properties) != Some(SchedulerKind::Fair);
        if self.lists_queues && beside.is_empty() && is_of_capacity {
            let found = nothing().map(|file| CapacityFile::check(&self.properties, &file, cluster).1);
            self.distribute(found.unwrap_or_default());
        }
    }

    /// Gives each finding to the file that it is in, those without a place to the last.
    fn distribute(&mut self, found: Vec<Diagnostic>) {
        for found in found {
            let is_in = |layer: &Checked| {
                let source = found.at.as_ref().map(|at| &*at.source);
                source
                    .is_some_and(|source| source == layer.name || layer.included.iter().any(|(name, _)| name == source))
            };
            let index = self.files.iter().position(is_in).unwrap_or(self.files.len().saturating_sub(1));
            if let Some(layer) = self.files.get_mut(index) {
                layer.find([found]);
            }
        }
    }
}

/// What a file of capacity queues lies over: the files of `--site`, else those among the others that have properties of
/// the CapacityScheduler.
#[derive(Debug)]
pub(super) struct Below {
    properties: SiteProperties,
    /// Name and text of each file.
    texts: Vec<(String, String)>,
}

impl Below {
    pub(super) fn new<'a>(
        layers: &Layers,
        others: impl Iterator<Item = (&'a Checked, Option<&'a Properties>)>,
    ) -> Below {
        let text_of = |checked: &Checked| (checked.name.clone(), checked.text.clone());
        if !layers.files.is_empty() {
            let texts = layers.files.iter().map(text_of).collect();
            return Below { properties: layers.properties.clone(), texts };
        }
        let mut below = Below { properties: surrounded(), texts: Vec::new() };
        for (checked, properties) in others {
            if let Some(Properties { file, read: ReadAs { capacity: false, site: true } }) = properties
                && is_of_capacity(file)
            {
                below.properties.add(file);
                below.texts.push(text_of(checked));
            }
        }
        below
    }
}

/// Checks a file of capacity queues.
pub(super) fn check_capacity(
    checked: &mut Checked,
    file: &SiteFile,
    below: &Below,
    cluster: Option<&Resource>,
    labels: Option<&[(String, bool)]>,
) -> Option<CapacityFile> {
    // What is wrong may be a property of yarn-site.
    checked.included.extend(below.texts.iter().cloned());
    checked.find(file.warnings().iter().cloned());
    let mut properties = below.properties.clone();
    if let Some(types) = CapacityFile::types_written(file).filter(|_| below.texts.is_empty()) {
        // Which types there are stands in yarn-site, and that is not given.
        properties.set("yarn.resource-types", types);
    }
    let (read, found) = CapacityFile::check(&properties, file, cluster);
    checked.find(found);
    if let Some(read) = &read {
        check_rules(checked, read);
        if let Some(labels) = labels {
            properties.add(file);
            checked.find(read.check_labels(&properties, labels));
        }
    }
    read
}

/// Checks the mapping rules that stand in a file of their own.
fn check_rules(checked: &mut Checked, read: &CapacityFile) {
    let Some(path) = &read.mapping_rules().file else { return };
    match read_bytes(Path::new(path)).map(String::from_utf8) {
        Ok(Ok(text)) => checked.find(read.check_mapping_rules(&text)),
        outcome => {
            let why = match outcome {
                Err(error) => error.to_string(),
                Ok(_) => "it is not UTF-8".to_owned(),
            };
            checked.tell(Finding {
                severity: Severity::Warning,
                code: "mapping-file",
                at: None,
                message: format!("the mapping rules in {path} are not checked: {why}"),
                effect: Some("where the ResourceManager cannot read them, it does not start".to_owned()),
                help: Some("run the check where the file is".to_owned()),
            });
        }
    }
}

/// Checks properties of the whole cluster by themselves, beside files of these schedulers. `is_below`: queues in it are
/// looked at with a file that lies over it.
pub(super) fn check_alone(
    checked: &mut Checked,
    file: &SiteFile,
    beside: &[SchedulerKind],
    is_below: bool,
    cluster: Option<&Resource>,
) {
    let mut site = surrounded();
    site.add(file);
    checked.find(Settings::check_beside(&site, beside).1);
    let is_of_fair = SchedulerKind::named_by(&site) == Some(SchedulerKind::Fair);
    if lists_queues(file)
        && !is_below
        && !is_of_fair
        && let Some(none) = nothing()
    {
        checked.find(CapacityFile::check(&site, &none, cluster).1);
    }
}

/// Reads a file with those that it includes, relative to its own directory; why it cannot be is a finding.
pub(super) fn parse(checked: &mut Checked) -> Option<SiteFile> {
    let (path, mut included) = (checked.path.clone(), Vec::new());
    let mut include = |href: &str| {
        let file = include(&path, href)?;
        included.extend(file.iter().map(|file| (file.source_name.clone(), file.text.clone())));
        Ok(file)
    };
    let parsed = SiteFile::parse_with(&checked.text, &checked.name, &mut include);
    checked.included = included;
    parsed.map_err(|error| checked.find([error.diagnostic()])).ok()
}
