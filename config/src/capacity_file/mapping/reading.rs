//! Rules are read and checked.

use super::check;
use super::json;
use super::legacy;
use super::place::{self, RejectedByRule, ToPlace};
use super::properties::{FORMAT, JSON, JSON_FILE, error};
use crate::capacity_file::error::{CapacityFault, CapacityFileError};
use crate::capacity_file::file::CapacityFile;
use crate::capacity_file::mapping_rules::{MappingRule, MappingRules};
use crate::capacity_file::source::Source;
use std::collections::HashSet;

const ENGINES: &str = "yarn.scheduler.queue-placement-rules";
const ENGINE_CLASS: &str = "org.apache.hadoop.yarn.server.resourcemanager.placement.CSMappingPlacementRule";

/// Reads and checks the rules. Without an engine that goes by them they are not looked at.
pub(in super::super) fn read(source: &Source<'_>, file: &CapacityFile) -> Result<MappingRules, CapacityFileError> {
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

    /// The rules are those of the file that is named: its text, or why it cannot be read.
    #[doc(hidden)]
    pub fn take_mapping_rules(&mut self, text: Result<&str, &str>) -> Result<(), CapacityFileError> {
        let text =
            text.map_err(|why| error(JSON_FILE, format!("names a file that cannot be read ({why}); write its path")))?;
        let read = self.parse_mapping_rules(text);
        self.mapping.rules = read.map_err(|error| CapacityFileError { property: JSON_FILE.to_owned(), ..error })?;
        Ok(())
    }

    /// The path of the queue that the file's rules give an application, or `None` where no rule says any: then it goes
    /// where its submission asks. Of the file's own queues; the queue may be one that is still to be made.
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

    /// The path of the queue in which an application was that is known by the queue's last name alone, where the rules
    /// would lead there again. They count for each such application. `CSMappingPlacementRule.getPlacementForApp` with
    /// `recovery`.
    #[doc(hidden)]
    pub fn place_again(&self, app: &ToPlace<'_>) -> Option<String> {
        let placed = place::place(&self.mapping.rules, true, self, app).ok()??;
        (placed.rsplit('.').next() == Some(app.queue)).then_some(placed)
    }
}
