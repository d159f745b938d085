//! Members of JSON objects as a Java program takes them: a number may be a text, the last of one name counts, null is
//! as good as absent.

use super::error::{At, TraceFileError};
use super::json::{Kind, Value};

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) at: At,
    pub(super) problem: String,
    pub(super) help: String,
}

impl Wrong {
    pub(super) fn new(at: At, problem: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong { at, problem: problem.into(), help: help.into() }
    }

    /// The same as an error of the file.
    pub(super) fn of(self, file: &str) -> TraceFileError {
        TraceFileError::new(file, self.at, self.problem, self.help)
    }
}

/// The members of an object, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'v> {
    pub(super) at: At,
    members: &'v [(String, Value)],
}

impl<'v> Fields<'v> {
    /// Of a value that must be an object; `what` it is.
    pub(super) fn of(value: &'v Value, what: &str) -> Result<Fields<'v>, Wrong> {
        match &value.kind {
            Kind::Object(members) => Ok(Fields { at: value.at, members }),
            Kind::Null | Kind::Flag(_) | Kind::Number(_) | Kind::Text(_) | Kind::List(_) => {
                let problem = format!("{what} is {}", value.name());
                Err(Wrong::new(value.at, problem, "it must be an object {...}"))
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'v Value> {
        let found = self.members.iter().rev().find(|(member, _)| member == name).map(|(_, value)| value);
        found.filter(|value| value.kind != Kind::Null)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&'v str, &'v Value)> + use<'v> {
        self.members.iter().map(|(name, value)| (name.as_str(), value)).filter(|(_, value)| value.kind != Kind::Null)
    }

    /// A text; numbers and flags are taken as they are written.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'v str>, Wrong> {
        self.get(name).map(|value| text(name, value)).transpose()
    }

    pub(super) fn int(&self, name: &str) -> Result<Option<i32>, Wrong> {
        self.get(name).map(|value| int(name, value)).transpose()
    }

    pub(super) fn long(&self, name: &str) -> Result<Option<i64>, Wrong> {
        self.get(name).map(|value| long(name, value)).transpose()
    }

    pub(super) fn double(&self, name: &str) -> Result<Option<f64>, Wrong> {
        self.get(name).map(|value| double(name, value)).transpose()
    }

    pub(super) fn list(&self, name: &str) -> Result<Option<&'v [Value]>, Wrong> {
        self.get(name).map(|value| list(name, value)).transpose()
    }

    /// What has to be there.
    pub(super) fn wanted<T>(&self, name: &str, found: Option<T>, help: &str) -> Result<T, Wrong> {
        found.ok_or_else(|| Wrong::new(self.at, format!("there is no {name:?}"), help))
    }
}

fn written(value: &Value) -> Option<&str> {
    match &value.kind {
        Kind::Number(text) | Kind::Text(text) => Some(text),
        Kind::Flag(flag) => Some(if *flag { "true" } else { "false" }),
        Kind::Null | Kind::List(_) | Kind::Object(_) => None,
    }
}

/// A value as it is shown, or its kind where it is no single one.
fn shown(value: &Value) -> String {
    written(value)
        .map_or_else(|| value.name().to_owned(), |text| format!("{:?}", text.chars().take(40).collect::<String>()))
}

fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, Wrong> {
    written(value).ok_or_else(|| {
        Wrong::new(value.at, format!("{name} is {}", value.name()), "it must be a text, such as \"default\"")
    })
}

/// A whole number of 64 bits.
pub(super) fn long(name: &str, value: &Value) -> Result<i64, Wrong> {
    let parsed = written(value).and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        Wrong::new(value.at, format!("{name} is {}, no whole number", shown(value)), "write an integer, such as 1000")
    })
}

/// A whole number of 32 bits.
pub(super) fn int(name: &str, value: &Value) -> Result<i32, Wrong> {
    i32::try_from(long(name, value)?).map_err(|_| {
        let problem = format!("{name} is {}, which does not fit 32 bits", shown(value));
        Wrong::new(value.at, problem, "write an integer from -2147483648 to 2147483647")
    })
}

pub(super) fn double(name: &str, value: &Value) -> Result<f64, Wrong> {
    let parsed = written(value).and_then(|text| text.parse::<f64>().ok()).filter(|value| value.is_finite());
    parsed.ok_or_else(|| {
        Wrong::new(value.at, format!("{name} is {}, no number", shown(value)), "write a number, such as 0.5")
    })
}

pub(super) fn list<'v>(name: &str, value: &'v Value) -> Result<&'v [Value], Wrong> {
    match &value.kind {
        Kind::List(list) => Ok(list),
        Kind::Null | Kind::Flag(_) | Kind::Number(_) | Kind::Text(_) | Kind::Object(_) => {
            Err(Wrong::new(value.at, format!("{name} is {}", value.name()), "it must be a list [...]"))
        }
    }
}
