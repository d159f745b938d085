//! From a FairScheduler's configuration to a CapacityScheduler's, exactly as `yarn fs2cs` of Hadoop 3.4.2 does it
//! (rules/convert.md 4 to 9).
//!
//! [`convert`] is a pure function over the two files' contents: it makes the queues as FairScheduler makes them, and
//! writes the properties of two files from these. What the command around it reads, checks and writes is the caller's.
//! With [`ConvertOptions::safe`] what the operator meant is written where Hadoop's converter writes something that
//! harms.
//!
//! ```
//! use evenweave::config::SiteProperties;
//! use evenweave::config::convert::{Allocations, ConvertOptions, FairFiles, convert};
//! use evenweave::resource::ResourceTypes;
//!
//! let xml = "<allocations><queue name='a'><weight>3</weight></queue><queue name='b'/></allocations>";
//! let (site, types) = (SiteProperties::new(), ResourceTypes::standard());
//! let allocations = Allocations::Text { bytes: xml.as_bytes(), name: "fair-scheduler.xml" };
//! let files = FairFiles { site: &site, types: &types, allocations };
//! let mut options = ConvertOptions::default();
//! options.percentages = true;
//! let converted = convert(&files, &options).result.unwrap();
//! assert_eq!(converted.capacity["yarn.scheduler.capacity.root.a.capacity"], "75.000");
//! assert!(converted.verify().is_ok());
//! ```

mod acls;

mod context;

mod error;

mod mapping;

mod meaning;

mod options;

mod percentages;

mod queues;

mod load_exceptions;

mod rules;

mod safe_values;

mod start;

mod tree;

mod verify;

mod property_prefixes;

mod property_file;

mod yarn_site;

pub use error::{ConvertError, ConvertFault, JavaException};
pub use meaning::{Change, Weight};
pub use options::ConvertOptions;
pub use property_file::site_file;
pub use rules::ConversionRules;

use super::allocation_file::{AllocationFile, Outline, Outlined, PolicyName, read_outlined};
use super::placement_rules::{PlacementRule, rules_without_policy};
use super::properties::Properties;
use super::site::SiteProperties;
use context::Context;
use evenweave_resource::ResourceTypes;
use rules::{RuleHandler, Unsupported};
use start::{Site, Start};
use std::collections::BTreeMap;
use tree::Tree;

/// The allocation file, as far as it was found.
#[derive(Clone, Copy, Debug)]
pub enum Allocations<'a> {
    /// It was read.
    Text {
        /// Its bytes.
        bytes: &'a [u8],
        /// Its name in errors.
        name: &'a str,
    },
    /// Its path is relative: Hadoop looks for it on the class path alone, does not find it, and goes on without queues.
    NotOnClassPath {
        /// The path.
        path: &'a str,
    },
    /// It cannot be read.
    Unreadable {
        /// The path.
        path: &'a str,
        /// Why.
        problem: &'a str,
    },
}

/// What is to be converted.
#[derive(Clone, Copy, Debug)]
pub struct FairFiles<'a> {
    /// The properties of yarn-site.xml.
    pub site: &'a SiteProperties,
    /// The resource types that Hadoop knows.
    pub types: &'a ResourceTypes,
    /// The allocation file.
    pub allocations: Allocations<'a>,
}

/// What a conversion gives, whether it succeeds or not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// The converter's warnings, in order, as often as Hadoop gives them.
    pub warnings: Vec<String>,
    /// What FairScheduler itself logs meanwhile as a warning or an error, each once.
    pub notices: Vec<String>,
    /// What would have ended it, where it is a dry run.
    pub noted_errors: Vec<String>,
    /// Whether the file of mapping rules was begun.
    pub rules_begun: bool,
    /// The files, or why there are none.
    pub result: Result<Converted, ConvertError>,
}

/// The properties of the files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// capacity-scheduler.xml
    pub capacity: BTreeMap<String, String>,
    /// yarn-site.xml: what has to be changed in the old one.
    pub yarn_site: BTreeMap<String, String>,
    /// The mapping rules, a JSON document. Without [`ConvertOptions::rules_to_file`] they also stand in `capacity`.
    pub mapping_rules: Option<String>,
    /// What changes in meaning.
    pub changes: Vec<Change>,
    types: ResourceTypes,
}

impl Converted {
    /// Whether a CapacityScheduler starts with capacity-scheduler.xml alone, as Hadoop's converter tries it: with the
    /// default calculator and the default largest container.
    ///
    /// # Errors
    /// Why not.
    pub fn verify(&self) -> Result<(), ConvertError> {
        verify::verify(&self.capacity, &self.types)
    }

    /// What Hadoop's converter says where it looks for capacity-scheduler.xml and there is none, because it was
    /// printed.
    ///
    /// # Errors
    /// Always: no CapacityScheduler starts without queues.
    pub fn verify_nothing(&self) -> Result<(), ConvertError> {
        verify::verify(&BTreeMap::new(), &self.types)
    }

    /// Whether a CapacityScheduler starts with both files over the old yarn-site.xml, as it will on the cluster.
    ///
    /// # Errors
    /// Why not.
    pub fn verify_on(&self, site: &SiteProperties) -> Result<(), ConvertError> {
        verify::verify_on(&self.capacity, &self.yarn_site, site)
    }
}

/// Converts.
#[must_use]
pub fn convert(files: &FairFiles<'_>, options: &ConvertOptions) -> Conversion {
    let mut handler = RuleHandler::new(&options.rules, options.dry_run);
    let mut notices = Vec::new();
    let mut rules_begun = false;
    let result = run(files, options, &mut handler, &mut notices, &mut rules_begun);
    let mut seen = rustc_hash::FxHashSet::default();
    notices.retain(|notice| seen.insert(notice.clone()));
    Conversion { warnings: handler.warnings, notices, noted_errors: handler.errors, rules_begun, result }
}

/// Reads the allocation file as FairScheduler does when it starts.
fn load(files: &FairFiles<'_>, options: &ConvertOptions, notices: &mut Vec<String>) -> Result<Outlined, ConvertError> {
    match files.allocations {
        Allocations::Text { bytes, name } => {
            let text = match AllocationFile::decode(bytes, name) {
                Ok(text) => text,
                Err(error) => return Err(load_exceptions::refused(&error, "")),
            };
            match read_outlined(&text, name, files.types, options.no_terminal_rule_check) {
                Ok(mut read) => {
                    notices.append(&mut read.outline.take_notices());
                    Ok(read)
                }
                Err(refusal) => {
                    notices.extend(refusal.notices);
                    Err(load_exceptions::refused(&refusal.error, &text))
                }
            }
        }
        Allocations::NotOnClassPath { path } => {
            notices.push(format!("{path} not found on the classpath."));
            Ok(Outlined { file: AllocationFile::default(), outline: Outline::default() })
        }
        Allocations::Unreadable { path, problem } => {
            let exception = JavaException::new("FileNotFoundException", format!("File file:{path} does not exist"));
            let found = super::diagnostic::Diagnostic::error("unreadable-file", None, format!("{path}: {problem}"));
            Err(load_exceptions::failed_to_load(vec![exception]).with(found))
        }
    }
}

/// The placement rules that are in force.
fn rules_in_force(file: &AllocationFile, start: &Start) -> Vec<PlacementRule> {
    // A policy without rules leaves those that there are, and there are none yet.
    match (&file.placement, file.has_placement_policy) {
        (Some(rules), _) => rules.clone(),
        (None, _) => rules_without_policy(start.allow_undeclared_pools, start.user_as_default_queue),
    }
}

fn run(
    files: &FairFiles<'_>,
    options: &ConvertOptions,
    handler: &mut RuleHandler<'_>,
    notices: &mut Vec<String>,
    rules_begun: &mut bool,
) -> Result<Converted, ConvertError> {
    let site = Site::new(Properties::from(files.site));
    let start = site.start(files.types, notices)?;
    let Outlined { file, outline } = load(files, options, notices)?;
    let tree = Tree::make(&file, &outline, files.types, notices);
    let drf = file.default_policy == PolicyName::Drf || tree.uses_drf();
    let yarn_site = yarn_site::properties(&site, &start, drf, options)?;
    if start.reservation_system {
        handler.handle(Unsupported::ReservationSystem)?;
    }
    let queues =
        Context { tree: &tree, file: &file, outline: &outline, types: files.types, start: &start, options, drf };
    let mut capacity = queues.properties(handler)?;
    acls::set(&outline, options.safe, &mut capacity);
    let rules = rules_in_force(&file, &start);
    let mut mapping_rules = None;
    if !options.skip_placement_rules && !rules.is_empty() {
        *rules_begun = options.rules_to_file;
        let document = mapping::document(&rules, options.percentages, &capacity, handler)?;
        capacity.insert(format!("{}mapping-rule-format", property_prefixes::CAPACITY), "json".to_owned());
        capacity.insert(format!("{}queue-mappings-override.enable", property_prefixes::CAPACITY), "true".to_owned());
        if !options.rules_to_file {
            capacity.insert(format!("{}mapping-rule-json", property_prefixes::CAPACITY), document.clone());
        } else if let Some(path) = options.rules_path.as_ref().filter(|_| options.safe) {
            capacity.insert(format!("{}mapping-rule-json-file", property_prefixes::CAPACITY), path.clone());
        }
        mapping_rules = Some(document);
    }
    let mut changes = meaning::changes(&queues, files.site, &rules, &capacity);
    if let Allocations::NotOnClassPath { path } = files.allocations {
        changes.insert(0, Change::not_read(path));
    }
    Ok(Converted { capacity, yarn_site, mapping_rules, changes, types: files.types.clone() })
}
