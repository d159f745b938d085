//! Mapping rules: which queue an application enters.
//!
//! Follows rules/capacity.md 8.4; `CSMappingPlacementRule`. Rules are read and checked with the file, and applied when
//! applications come.

mod check;

mod json;

mod legacy;

mod lint;

mod place;

mod target;

pub(super) use legacy::parts;
pub(super) use lint::check as check_lints;
pub use place::{RejectedByRule, ToPlace};

use super::CapacityFile;
use super::error::{CapacityFault, CapacityFileError};
use super::queue::CapacityQueue;
use super::skeleton::CapacityQueueKind;
use super::source::Source;
use super::warnings::Warnings;
use crate::diagnostic::Diagnostic;
use crate::site::SiteProperties;
use legacy::{APP_NAME_MAPPINGS, MAPPINGS};
use std::collections::HashSet;
use target::{Known, Queues};

const ENGINES: &str = "yarn.scheduler.queue-placement-rules";
const FORMAT: &str = "yarn.scheduler.capacity.mapping-rule-format";
const JSON: &str = "yarn.scheduler.capacity.mapping-rule-json";
const JSON_FILE: &str = "yarn.scheduler.capacity.mapping-rule-json-file";
const ENGINE_CLASS: &str = "org.apache.hadoop.yarn.server.resourcemanager.placement.CSMappingPlacementRule";

/// Whom a rule is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleMatch {
    /// Everybody.
    Everybody,
    /// A user.
    User(String),
    /// The members of a group.
    Group(String),
    /// Applications of a name.
    Application(String),
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// Places the application into a queue.
    Place {
        /// The queue's path. Parts of it may be variables such as `%user`.
        queue: String,
        /// Whether the queue may be made.
        create: bool,
    },
    /// Refuses the application.
    Reject,
    /// Sets the variable `%default` and goes on to the next rule.
    SetDefault(String),
}

/// What a rule does where it cannot place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleFallback {
    /// The next rule decides.
    #[default]
    Skip,
    /// The application goes to `%default`.
    PlaceDefault,
    /// The application is refused.
    Reject,
}

/// A rule: whom it is for, what it does, and what if that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MappingRule {
    /// Whom it is for.
    pub matches: RuleMatch,
    /// What it does.
    pub action: RuleAction,
    /// What if it cannot.
    pub fallback: RuleFallback,
}

/// The rules as configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MappingRules {
    /// The rules, in the order in which they are asked.
    pub rules: Vec<MappingRule>,
    /// `mapping-rule-json-file`, where the rules stand in a file of their own. [`CapacityFile`] does not read it: see
    /// [`CapacityFile::parse_mapping_rules`]. [`CapacityConfiguration`](crate::CapacityConfiguration) does.
    pub file: Option<String>,
}

/// What is wrong with a rule, for people.
type Problem = String;

fn error(property: &str, problem: impl Into<String>) -> CapacityFileError {
    CapacityFileError::new(property, CapacityFault::Mapping(problem.into()))
}

/// Reads and checks the rules. Without an engine that goes by them they are not looked at.
pub(super) fn read(source: &Source<'_>, file: &CapacityFile) -> Result<MappingRules, CapacityFileError> {
    if !check_engines(source)? {
        return Ok(MappingRules::default());
    }
    let format = source.text(FORMAT);
    let (rules, path) = match format.as_deref() {
        None | Some("legacy") => (legacy::read(source)?, None),
        Some("json") => match source.text(JSON).filter(|text| !text.is_empty()) {
            Some(text) => (json::read(&text)?.into_iter().map(|rule| (JSON, rule)).collect(), None),
            None => (Vec::new(), source.text(JSON_FILE).filter(|path| !path.is_empty())),
        },
        Some(other) => {
            let problem = format!("Illegal queue mapping format '{other}' please use 'legacy' or 'json'");
            return Err(error(FORMAT, problem));
        }
    };
    for (property, rule) in &rules {
        check::check(file, rule).map_err(|problem| error(property, problem))?;
    }
    Ok(MappingRules { rules: rules.into_iter().map(|(_, rule)| rule).collect(), file: path })
}

/// Whether the one engine that goes by the rules is among the engines.
fn check_engines(source: &Source<'_>) -> Result<bool, CapacityFileError> {
    let text = source.text(ENGINES).unwrap_or_default();
    let (mut seen, mut found) = (HashSet::new(), false);
    for engine in text.split(',').filter(|engine| !engine.is_empty()) {
        if !seen.insert(engine) {
            return Err(CapacityFileError::new(ENGINES, CapacityFault::EngineTwice { name: engine.to_owned() }));
        }
        if !matches!(engine, "user-group" | "app-name" | ENGINE_CLASS) {
            let (what, name) = ("placement rule", engine.to_owned());
            let known = "user-group or app-name, without white space around it";
            return Err(CapacityFileError::new(ENGINES, CapacityFault::UnknownClass { what, name, known }));
        }
        found = true;
    }
    Ok(found || seen.is_empty())
}

impl CapacityFile {
    /// Reads and checks mapping rules in JSON: `{"rules": [...]}`.
    ///
    /// # Errors
    /// Where Hadoop refuses them.
    pub fn parse_mapping_rules(&self, text: &str) -> Result<Vec<MappingRule>, CapacityFileError> {
        let rules = json::read(text)?;
        for rule in &rules {
            check::check(self, rule).map_err(|problem| error(JSON_FILE, problem))?;
        }
        Ok(rules)
    }

    /// The same with everything that is wrong or odd in it, for the text of the file that `mapping-rule-json-file` names.
    #[must_use]
    pub fn check_mapping_rules(&self, text: &str) -> Vec<Diagnostic> {
        match self.parse_mapping_rules(text) {
            Err(error) => vec![CapacityFileError { property: JSON_FILE.to_owned(), ..error }.diagnostic()],
            Ok(rules) => {
                let none = SiteProperties::new();
                let source = Source::unlisted(&none);
                let mut warnings = Warnings::new(&source);
                lint::check_rules(self, &rules, &mut warnings);
                warnings.into_vec()
            }
        }
    }

    /// The rules are those of the file that is named: its text, or why it cannot be read.
    #[doc(hidden)]
    pub fn take_mapping_rules(&mut self, text: Result<&str, &str>) -> Result<(), CapacityFileError> {
        let text =
            text.map_err(|why| error(JSON_FILE, format!("names a file that cannot be read ({why}); write its path")))?;
        let read = self.parse_mapping_rules(text);
        self.mapping.rules = read.map_err(|error| CapacityFileError { property: JSON_FILE.to_owned(), ..error })?;
        Ok(())
    }

    /// The path of the queue that the file's rules give an application, or `None` where no rule says any: then it goes where its
    /// submission asks. Of the file's own queues; the queue may be one that is still to be made.
    ///
    /// ```
    /// use evenweave::config::capacity::{CapacityFile, ToPlace};
    ///
    /// let properties = [
    ///     ("yarn.scheduler.capacity.root.queues", "a,b"),
    ///     ("yarn.scheduler.capacity.root.a.capacity", "70"),
    ///     ("yarn.scheduler.capacity.root.b.capacity", "30"),
    ///     ("yarn.scheduler.capacity.queue-mappings", "u:ann:a,g:dev:root.b"),
    /// ];
    /// let file = CapacityFile::from_properties([], properties)?;
    /// let dev = ["dev".to_owned()];
    /// let place = |user| file.place(&ToPlace::new(user).in_groups(&dev).named("etl"));
    /// assert_eq!(place("ann")?.as_deref(), Some("root.a"));
    /// assert_eq!(place("bob")?.as_deref(), Some("root.b"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A rule refuses the application, or cannot place it and says that it is refused then.
    pub fn place(&self, app: &ToPlace<'_>) -> Result<Option<String>, RejectedByRule> {
        place::place(&self.mapping.rules, self.settings.queue_mappings_override, self, app)
    }

    /// The path of the queue in which an application was that is known by the queue's last name alone, where the rules would lead there again. They
    /// count for each such application. `CSMappingPlacementRule.getPlacementForApp` with `recovery`.
    #[doc(hidden)]
    pub fn place_again(&self, app: &ToPlace<'_>) -> Option<String> {
        let placed = place::place(&self.mapping.rules, true, self, app).ok()??;
        (placed.rsplit('.').next() == Some(app.queue)).then_some(placed)
    }
}

impl Queues for CapacityFile {
    fn queue(&self, name: &str) -> Option<Known<'_>> {
        CapacityFile::queue(self, name).map(known)
    }

    fn queue_at(&self, path: &str) -> Option<Known<'_>> {
        CapacityFile::queue_at(self, path).map(known)
    }

    fn is_ambiguous(&self, name: &str) -> bool {
        CapacityFile::is_ambiguous(self, name)
    }
}

fn known(queue: &CapacityQueue) -> Known<'_> {
    let makes_parents = queue.as_parent().is_some_and(|parent| parent.flexible_creation.enabled);
    let makes_queues = match queue.kind {
        CapacityQueueKind::ManagedParent => true,
        CapacityQueueKind::Parent => makes_parents,
        CapacityQueueKind::Leaf | CapacityQueueKind::Plan | CapacityQueueKind::Reservation => false,
    };
    Known { path: &queue.path, is_leaf: queue.kind.is_leaf(), makes_queues, makes_parents }
}
