//! Lints of mapping rules: those that nothing reads, that nobody reaches, that are for nobody, and that lead to stopped
//! queues.

use super::properties::{APP_NAME_MAPPINGS, FORMAT, JSON, JSON_FILE, MAPPINGS};
use crate::capacity_file::error::CapacityFileError;
use crate::capacity_file::file::CapacityFile;
use crate::capacity_file::mapping_rules::{MappingRule, RuleAction, RuleFallback, RuleMatch};
use crate::capacity_file::queue::QueueState;
use crate::capacity_file::source::Source;
use crate::capacity_file::warnings::Warnings;
use crate::diagnostic::Diagnostic;
use crate::java;
use crate::quoted::shown;
use crate::site::SiteProperties;

/// Runs them.
pub(in super::super) fn check(file: &CapacityFile, source: &Source<'_>, warnings: &mut Warnings<'_>) {
    let mut lint = MappingLint { file, warnings };
    let has = |property: &str| source.text(property).is_some_and(|text| !java::trim(&text).is_empty());
    let is_json = source.text(FORMAT).as_deref() == Some("json");
    let in_force = match is_json {
        true if has(JSON) => JSON,
        true => JSON_FILE,
        false if has(MAPPINGS) => MAPPINGS,
        false => APP_NAME_MAPPINGS,
    };
    lint.unread(is_json, has);
    lint.rules(in_force, &file.mapping_rules().rules);
}

impl CapacityFile {
    /// The same as [`CapacityFile::parse_mapping_rules`] with everything that is wrong or odd, for the text of the file
    /// that `mapping-rule-json-file` names.
    #[must_use]
    pub fn check_mapping_rules(&self, text: &str) -> Vec<Diagnostic> {
        match self.parse_mapping_rules(text) {
            Err(error) => vec![CapacityFileError { property: JSON_FILE.to_owned(), ..error }.diagnostic()],
            Ok(rules) => {
                let none = SiteProperties::new();
                let source = Source::unlisted(&none);
                let mut warnings = Warnings::new(&source);
                MappingLint { file: self, warnings: &mut warnings }.rules(JSON_FILE, &rules);
                warnings.into_vec()
            }
        }
    }
}

struct MappingLint<'a, 'w> {
    file: &'a CapacityFile,
    warnings: &'a mut Warnings<'w>,
}

impl MappingLint<'_, '_> {
    fn warn(&mut self, property: &str, code: Code, message: &str, effect: &str, help: &str) {
        let code = match code {
            Code::Unread => "no-effect",
            Code::Unreachable => "mapping-unreachable",
            Code::Stopped => "mapping-stopped",
            Code::Matches => "mapping-matches",
        };
        self.warnings.push(property, code, message, |found| {
            found.effect(effect).help(help);
        });
    }

    /// Rules in the form that is not read.
    fn unread(&mut self, is_json: bool, has: impl Fn(&str) -> bool) {
        const EFFECT: &str = "nothing reads it: applications are placed as if it were not there";
        if !is_json {
            for property in [JSON, JSON_FILE].into_iter().filter(|property| has(property)) {
                let message = format!("is set, and {FORMAT} is not json");
                let help = format!("set {FORMAT} to json, or remove it");
                self.warn(property, Code::Unread, &message, EFFECT, &help);
            }
            return;
        }
        let mut has_legacy = false;
        for property in [MAPPINGS, APP_NAME_MAPPINGS].into_iter().filter(|property| has(property)) {
            has_legacy = true;
            let message = format!("is set, and {FORMAT} is json");
            let help = format!("write the rules in {JSON}, or set {FORMAT} to legacy");
            self.warn(property, Code::Unread, &message, EFFECT, &help);
        }
        if has(JSON) && has(JSON_FILE) {
            let message = format!("is set, and so is {JSON}");
            self.warn(JSON_FILE, Code::Unread, &message, "the file is never opened", "remove one of the two");
        } else if !has(JSON) && !has(JSON_FILE) && !has_legacy {
            let help = format!("set {JSON} or {JSON_FILE}, or remove it");
            self.warn(FORMAT, Code::Unread, "is json, and there are no rules", "no rule places anything", &help);
        }
    }

    fn rules(&mut self, property: &str, rules: &[MappingRule]) {
        if let Some(at) = rules.iter().position(decides).filter(|at| at + 1 < rules.len()) {
            let message =
                format!("has rule {} decide for everybody, and {} more after it", at + 1, rules.len() - at - 1);
            let effect = "the rules after it are never asked";
            let help = "put it last, or let its fallback be skip";
            self.warn(property, Code::Unreachable, &message, effect, help);
        }
        for (at, rule) in rules.iter().enumerate() {
            self.names(property, at, &rule.matches);
            if let RuleAction::Place { queue, .. } = &rule.action
                && let Some(queue) = self.file.queue(queue)
                && queue.state == QueueState::Stopped
            {
                let message = format!("sends applications to {} by rule {}, and that is stopped", queue.path, at + 1);
                self.warn(property, Code::Stopped, &message, "they are refused", "name a running queue");
            }
        }
    }

    /// Warns of a rule whose user or group looks like a list or a pattern. Hadoop compares the name literally, so that
    /// such a rule probably matches nobody.
    fn names(&mut self, property: &str, at: usize, matches: &RuleMatch) {
        let (kind, name, is_odd) = match matches {
            RuleMatch::Everybody | RuleMatch::Application(_) => return,
            RuleMatch::User(name) => ("user", name, name.contains(char::is_whitespace)),
            // Some groups have a blank within.
            RuleMatch::Group(name) => ("group", name, java::trim(name) != name),
        };
        if is_odd || name.contains([',', ';', '|', '*']) {
            let message = format!("has rule {} for a {kind} of the name {}", at + 1, shown(name));
            let effect = "a rule is for one name, to the letter, so that this one is probably for nobody";
            let help = format!("write one rule for each {kind}; \"*\" alone, for users, is everybody");
            self.warn(property, Code::Matches, &message, effect, &help);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Code {
    Unread,
    Unreachable,
    Stopped,
    Matches,
}

/// Whether no rule after it is ever asked.
fn decides(rule: &MappingRule) -> bool {
    let always = match &rule.action {
        RuleAction::Reject => true,
        RuleAction::Place { .. } => rule.fallback != RuleFallback::Skip,
        RuleAction::SetDefault(_) => false,
    };
    rule.matches == RuleMatch::Everybody && always
}
