//! Configuration files read as Hadoop reads them, with all that is wrong or probably a mistake.
//!
//! | module | what |
//! | --- | --- |
//! | `files` | a file's bytes and its findings |
//! | `kind` | what it is, by its content |
//! | `site` | files of properties |
//! | `snippet` | the marked line |
//! | `text`, `json` | how it is told |

mod files;
mod json;
mod kind;
mod site;
mod snippet;
mod text;

use std::path::PathBuf;

use evenweave::Resource;
use evenweave::config::{CheckOptions, Missing, parse_resource};
use evenweave::resource::ResourceTypes;
use evenweave_bench::Failure;
use files::Checked;

/// What was found, file by file.
#[derive(Debug)]
pub(crate) struct Findings(Vec<Checked>);

impl Findings {
    /// For people, each with its line.
    pub(crate) fn text(&self, colours: bool) -> String {
        text::report(&self.0, colours)
    }

    /// One JSON document.
    pub(crate) fn json(&self) -> String {
        json::report(&self.0)
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        self.0.iter().map(Checked::errors).sum()
    }

    /// How many warnings there are.
    pub(crate) fn warnings(&self) -> usize {
        self.0.iter().map(Checked::warnings).sum()
    }
}

/// Memory and vcores are part of every total; of other resource types a cluster may have none.
fn total(text: &str, types: &ResourceTypes) -> Result<Resource, Failure> {
    let read = |missing| {
        let read =
            parse_resource(text, types, missing).map_err(|error| Failure::input(format!("--cluster {error}")))?;
        read.absolute().ok_or_else(|| Failure::input("--cluster: write amounts, not percentages"))
    };
    let (total, unlimited) = (read(Missing::Zero)?, read(Missing::Max)?);
    // What is not named depends on what stands for it.
    match (0..2).find(|lane| total.get(*lane) != unlimited.get(*lane)) {
        None => Ok(total),
        Some(lane) => Err(Failure::input(format!(
            "--cluster {text:?} does not name {}; write for example \"memory-mb=1048576, vcores=512\"",
            types.name(lane)
        ))),
    }
}

/// Checks files, those of `site` first: the properties that the others are to work with. Limits are compared with `cluster`, its total.
///
/// # Errors
/// `cluster` is no resource, or lacks memory or vcores.
pub(crate) fn check(files: &[PathBuf], site: &[PathBuf], cluster: Option<&str>) -> Result<Findings, Failure> {
    let types = ResourceTypes::standard();
    let mut options = CheckOptions::new(&types);
    let mut layers = site::check_layers(site);
    if let Some(settings) = layers.settings.as_ref().filter(|_| !site.is_empty()) {
        options = CheckOptions::with_settings(settings);
    }
    if let Some(text) = cluster {
        options.cluster = Some(total(text, options.types)?);
    }
    let mut others: Vec<(Checked, bool)> = files
        .iter()
        .filter(|path| !site.contains(path))
        .map(|path| {
            let (mut checked, text) = Checked::read(path);
            let mut is_capacity = false;
            match text {
                Some(text) if kind::is_configuration(&text) => {
                    is_capacity = site::check_alone(&mut checked, &layers, options.cluster.as_ref());
                }
                Some(_) => checked.allocations(&options),
                None => {}
            }
            (checked, is_capacity)
        })
        .collect();
    if others.iter().any(|(_, is_capacity)| *is_capacity) {
        // Whether the class reads the CapacityScheduler's file is said of that file.
        let properties = others.iter_mut().filter(|(_, is_capacity)| !is_capacity).map(|(checked, _)| checked);
        properties.chain(&mut layers.files).for_each(|checked| checked.forget("other-scheduler"));
    }
    Ok(Findings(layers.files.into_iter().chain(others.into_iter().map(|(checked, _)| checked)).collect()))
}
