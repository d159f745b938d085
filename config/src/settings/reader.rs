//! Reading one property after the other: every error and every warning is kept, and reading goes on.

use crate::diagnostic::{Diagnostic, Place};
use crate::findings::Findings;
use crate::known::{FAIR, KNOWN};
use crate::properties::{Properties, parse_boolean};
use crate::quoted::shown;
use crate::settings_error::{SettingsError, SettingsProblem};
use crate::site::Unresolved;

/// A switch. While it is off, Hadoop does not read some properties, so a bad value in one of them is only a warning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) name: &'static str,
    pub(super) on: bool,
}

#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) properties: &'a Properties<'a>,
    pub(super) errors: Vec<SettingsError>,
    pub(super) findings: Findings,
}

impl Reader<'_> {
    /// Returns the value. If there is an error, it is kept, and the default is returned.
    pub(super) fn keep<T>(&mut self, read: Result<T, SettingsError>, default: T) -> T {
        read.unwrap_or_else(|error| {
            self.errors.push(error);
            default
        })
    }

    /// The same for a property that is read only while a switch is on.
    pub(super) fn keep_if<T>(&mut self, needs: Needs, read: Result<T, SettingsError>, default: T) -> T {
        match read {
            Err(error) if !needs.on => {
                self.findings.push(|| Diagnostic {
                    effect: Some(format!("it is not read while {} is off", needs.name)),
                    // The code that the same problem has as an error.
                    ..Diagnostic::warning(error.problem.code(), error.at, error.problem.to_string())
                });
                default
            }
            read => self.keep(read, default),
        }
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        // The table cannot list names that end in the name of a queue.
        debug_assert!(
            !name.starts_with(FAIR)
                || KNOWN.iter().any(|(known, _)| *known == name)
                || name.contains(".am.preemption."),
            "{name} is missing in known::KNOWN"
        );
        self.properties.site().raw(name).is_some()
    }

    pub(super) fn flag(&mut self, name: &str, default: bool) -> bool {
        if !self.is_set(name) {
            return default;
        }
        let text = match self.properties.expanded(name) {
            Ok(expanded) => expanded.map(|expanded| expanded.text).unwrap_or_default(),
            Err(error) => {
                self.errors.push(error);
                return default;
            }
        };
        let value = parse_boolean(&text);
        if value.is_none() {
            let message = format!("{name} is {}, neither true nor false", shown(&text));
            self.warn(name, "not-boolean", message, |found| Diagnostic {
                effect: Some(format!("{default} is taken, the default")),
                help: Some("write true or false".to_owned()),
                ..found
            });
        }
        value.unwrap_or(default)
    }

    pub(super) fn int(&mut self, name: &str, default: i32) -> i32 {
        self.keep(self.properties.int(name, default), default)
    }

    pub(super) fn long(&mut self, name: &str, default: i64) -> i64 {
        self.keep(self.properties.long(name, default), default)
    }

    pub(super) fn float(&mut self, name: &str, default: f32) -> f32 {
        self.keep(self.properties.float(name, default), default)
    }

    /// The text, not trimmed. `None` if it is not set or has an error. Warns of variables that could not be replaced.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let read = self.properties.expanded(name);
        let expanded = self.keep(read, None)?;
        match &expanded.unresolved {
            Some(Unresolved::Unbound(variable)) => {
                let message = format!("{name}: ${{{variable}}} stands for nothing");
                self.warn(name, "variable", message, |found| Diagnostic {
                    effect: Some("it and what follows it stay as they are".to_owned()),
                    help: Some("it must be a property, a system property, or env.NAME of the environment".to_owned()),
                    ..found
                });
            }
            Some(Unresolved::SelfReference(variable)) => {
                let message = format!("{name}: the value of ${{{variable}}} contains itself");
                self.warn(name, "variable", message, |found| Diagnostic {
                    effect: Some("the text stays as it is".to_owned()),
                    ..found
                });
            }
            None => {}
        }
        Some(expanded.text)
    }

    /// Returns a time. If it is negative, warns and returns `instead`.
    pub(super) fn not_negative(&mut self, name: &str, value: i64, instead: u64) -> u64 {
        u64::try_from(value).unwrap_or_else(|_| {
            self.warn_negative(name, value, format!("{instead} is taken"));
            instead
        })
    }

    pub(super) fn warn_negative(&mut self, name: &str, value: i64, effect: String) {
        self.warn(name, "negative", format!("{name}: {value} is negative"), |found| Diagnostic {
            effect: Some(effect),
            ..found
        });
    }

    /// Adds a warning at the place of the property's value. `more` fills in effect and help.
    pub(super) fn warn(
        &mut self,
        name: &str,
        code: &'static str,
        message: String,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let at = || self.properties.at(name);
        self.findings.push(|| more(Diagnostic::warning(code, at(), message)));
    }

    pub(super) fn error(&mut self, name: &str, problem: SettingsProblem) {
        self.errors.push(self.properties.error(name, problem));
    }

    /// Where the name of a property stands, if it is in a file.
    pub(super) fn name_at(&self, name: &str) -> Option<Place> {
        self.properties.site().origin(name).and_then(|origin| origin.name_at()).cloned()
    }
}
