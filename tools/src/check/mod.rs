//! Configuration files read as Hadoop reads them, with all that is wrong or probably a mistake.
//!
//! | module | what |
//! | --- | --- |
//! | `files` | a file's bytes and its findings |
//! | `kind` | what it is, by its name or its content |
//! | `site` | files of properties |
//! | `json` | findings for programs |
//!
//! How people are told of it is the program's.

mod files;
mod json;
mod kind;
mod site;

use std::path::{Path, PathBuf};

pub use files::{Checked, Finding};
pub use kind::Kind;

use crate::api::{CheckOptions, Missing, Resource, ResourceTypes, SchedulerKind, Severity, parse_resource};
use crate::failure::Failure;
use crate::file_kind::has_properties;
use crate::traces::node_label;
use kind::ReadAs;
use site::{Below, Layers, Properties};

/// What was found, file by file.
#[derive(Debug)]
pub struct Findings(Vec<Checked>);

impl Findings {
    /// The files, in order: first those of the site.
    #[must_use]
    pub fn files(&self) -> &[Checked] {
        &self.0
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        json::report(&self.0)
    }

    /// How many errors there are.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.0.iter().map(Checked::errors).sum()
    }

    /// Whether Evenweave refuses what Hadoop takes.
    #[must_use]
    pub fn are_unsupported(&self) -> bool {
        self.0.iter().any(Checked::is_unsupported)
    }

    /// How many warnings there are.
    #[must_use]
    pub fn warnings(&self) -> usize {
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

/// A file that is to be checked, and as what.
#[derive(Debug)]
struct Input {
    checked: Checked,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// It cannot be read; the findings say why.
    Nothing,
    Allocations,
    Properties(Properties),
}

impl Input {
    /// Reads a file. What `kind` says counts, else its name, else its content.
    fn read(path: &Path, kind: Option<Kind>) -> Input {
        let (mut checked, text) = Checked::read(path);
        let Some(text) = text else { return Input { checked, content: Content::Nothing } };
        let kind = kind.or_else(|| kind::of_name(path));
        let is_allocations = match kind {
            Some(kind) => kind == Kind::Allocations,
            None => !has_properties(&text),
        };
        if is_allocations {
            return Input { checked, content: Content::Allocations };
        }
        let Some(file) = site::parse(&mut checked) else { return Input { checked, content: Content::Nothing } };
        let read = match kind {
            Some(kind) => ReadAs { capacity: kind == Kind::Capacity, site: kind == Kind::Site },
            None => ReadAs::by_content(&file),
        };
        if read == ReadAs::default() {
            checked.tell(Finding {
                severity: Severity::Warning,
                code: "nothing-checked",
                at: None,
                message: format!("{} has no property of a scheduler", checked.name),
                effect: Some("nothing was checked but its form".to_owned()),
                help: Some("say with --kind what it is to be, or leave it out".to_owned()),
            });
        }
        Input {
            checked,
            content: Content::Properties(Properties {
                file,
                read: ReadAs { site: !read.capacity || read.site, ..read },
            }),
        }
    }

    fn properties(&self) -> Option<&Properties> {
        match &self.content {
            Content::Properties(properties) => Some(properties),
            Content::Nothing | Content::Allocations => None,
        }
    }

    fn is_capacity(&self) -> bool {
        self.properties().is_some_and(|properties| properties.read.capacity)
    }

    fn is_allocations(&self) -> bool {
        matches!(self.content, Content::Allocations)
    }
}

/// Labels that nodes have, as in `gpu,spare(exclusive=false)`.
fn node_labels(text: &str) -> Result<Vec<(String, bool)>, Failure> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let wrong = |part: &str| {
        Failure::input(format!("--node-labels has {part:?}; write labels as in \"gpu,spare(exclusive=false)\""))
    };
    parts.map(|part| node_label(part).filter(|(name, _)| !name.is_empty()).ok_or_else(|| wrong(part))).collect()
}

/// What the cluster is, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterFacts<'a> {
    /// Its total, as `--cluster` has it.
    pub total: Option<&'a str>,
    /// The labels of its nodes, as `--node-labels` has them.
    pub labels: Option<&'a str>,
}

/// Checks files, those of `site` first: the properties that the others are to work with. Limits and labels are compared
/// with `cluster`. `kind` is what the other files are, where their names are not to say it.
///
/// # Errors
/// The cluster's total is no resource, or lacks memory or vcores; a label that cannot be read.
pub fn check(
    files: &[PathBuf],
    site: &[PathBuf],
    cluster: ClusterFacts<'_>,
    kind: Option<Kind>,
) -> Result<Findings, Failure> {
    let types = ResourceTypes::standard();
    let mut layers = Layers::read(site);
    let mut inputs: Vec<Input> =
        files.iter().filter(|path| !site.contains(path)).map(|path| Input::read(path, kind)).collect();
    let (fair, capacity) = (inputs.iter().any(Input::is_allocations), inputs.iter().any(Input::is_capacity));
    let beside: Vec<SchedulerKind> = [(fair, SchedulerKind::Fair), (capacity, SchedulerKind::Capacity)]
        .into_iter()
        .filter_map(|(is_there, kind)| is_there.then_some(kind))
        .collect();
    layers.check(&beside);
    let mut options = CheckOptions::new(&types);
    let settings = layers.settings.take().filter(|_| !site.is_empty());
    if let Some(settings) = &settings {
        options = CheckOptions::with_settings(settings);
    }
    if let Some(text) = cluster.total {
        options.cluster = Some(total(text, options.types)?);
    }
    let labels = cluster.labels.map(node_labels).transpose()?;
    layers.check_queues(&beside, options.cluster.as_ref());
    let below = Below::new(&layers, inputs.iter().map(|input| (&input.checked, input.properties())));
    for Input { checked, content } in &mut inputs {
        let properties = match content {
            Content::Nothing => continue,
            Content::Allocations => {
                checked.allocations(&options);
                continue;
            }
            Content::Properties(properties) => properties,
        };
        let ReadAs { capacity: as_capacity, site: as_site } = properties.read;
        if as_capacity {
            let read =
                site::check_capacity(checked, &properties.file, &below, options.cluster.as_ref(), labels.as_deref());
            if fair {
                // Of files of both schedulers the class can read one alone.
                checked.forget("other-scheduler");
                checked.overbooked(read.as_ref(), options.cluster.as_ref());
            }
        }
        if as_site {
            let beside = if fair && !capacity { &beside[..] } else { &[] };
            site::check_alone(checked, &properties.file, beside, capacity, options.cluster.as_ref());
        }
    }
    Ok(Findings(layers.files.into_iter().chain(inputs.into_iter().map(|input| input.checked)).collect()))
}
