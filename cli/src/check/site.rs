//! Files of properties: `yarn-site.xml` and its like, one by one or laid over each other, and `capacity-scheduler.xml`.

use std::path::Path;

use super::files::Checked;
use super::kind::is_capacity_file;
use evenweave::config::capacity::CapacityFile;
use evenweave::config::{Diagnostic, SiteFile, SiteProperties};
use evenweave::{Resource, Settings};
use evenweave_bench::site::{include, surround};

/// Files that are laid over each other, the later over the earlier.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) files: Vec<Checked>,
    properties: SiteProperties,
    /// What they come to; none where one has errors.
    pub(super) settings: Option<Settings>,
}

/// Reads and checks files that are laid over each other.
pub(super) fn check_layers(paths: &[impl AsRef<Path>]) -> Layers {
    let mut files = Vec::new();
    let mut site = SiteProperties::new();
    surround(&mut site);
    let mut whole = true;
    for path in paths {
        let (mut checked, text) = Checked::read(path.as_ref());
        match text.and_then(|_| parse(&mut checked)) {
            Some(file) => site.add(&file),
            None => whole = false,
        }
        files.push(checked);
    }
    let (settings, found) = Settings::check(&site);
    distribute(found, &mut files);
    Layers { files, properties: site, settings: settings.filter(|_| whole) }
}

/// Checks one file of properties; one of capacity queues over those of `--site`. Gives whether it is one.
pub(super) fn check_alone(checked: &mut Checked, layers: &Layers, cluster: Option<&Resource>) -> bool {
    let Some(file) = parse(checked) else { return false };
    if is_capacity_file(&file) {
        // What is wrong may be a property of yarn-site.
        let of_site = layers.files.iter().map(|file| (file.name.clone(), file.text.clone()));
        checked.included.extend(of_site);
        checked.find(file.warnings().iter().cloned());
        checked.find(CapacityFile::check(&layers.properties, &file, cluster).1);
        return true;
    }
    let mut site = SiteProperties::new();
    surround(&mut site);
    site.add(&file);
    checked.find(Settings::check(&site).1);
    false
}

/// Reads a file with those that it includes, relative to its own directory; why it cannot be is a finding.
fn parse(checked: &mut Checked) -> Option<SiteFile> {
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

/// Gives each finding to the file that it is in, those without a place to the last.
fn distribute(found: Vec<Diagnostic>, layers: &mut [Checked]) {
    for found in found {
        let is_in = |layer: &Checked| {
            let source = found.at.as_ref().map(|at| &*at.source);
            source.is_some_and(|source| source == layer.name || layer.included.iter().any(|(name, _)| name == source))
        };
        let index = layers.iter().position(is_in).unwrap_or(layers.len().saturating_sub(1));
        if let Some(layer) = layers.get_mut(index) {
            layer.find([found]);
        }
    }
}
