//! What an answer says, before it is written: a tree of named values, as Hadoop's data objects are.
//!
//! One tree, three writers, because the ResourceManager has three (rules/web.md 1): [`natural`](json::natural) and
//! [`mapped`](json::mapped) JSON, and [XML](xml::document). Order of members is kept.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;

pub(crate) mod json;

pub(crate) mod number;

pub(crate) mod xml;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A whole number.
    Number(i64),
    /// A number of 32 bits.
    Float(f32),
    Flag(bool),
    Text(Cow<'static, str>),
    Object(Object),
    Shared(Arc<Shared>),
    /// Stands under one name, once an element; an empty one is left out.
    List(Vec<Value>),
}

/// Members by name, in order. A name may occur twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object {
    /// What tells objects of one place apart: `type` in JSON, `xsi:type` in XML.
    pub(crate) kind: Option<&'static str>,
    pub(crate) members: Vec<(&'static str, Value)>,
}

/// An object that stands in many places. In the usual JSON it is written once, and copied from then on.
#[derive(Debug)]
pub(crate) struct Shared {
    object: Object,
    natural: OnceLock<Box<RawValue>>,
}

impl Shared {
    pub(crate) fn new(object: Object) -> Arc<Shared> {
        Arc::new(Shared { object, natural: OnceLock::new() })
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        self.object == other.object
    }
}

impl Value {
    /// A word that is always the same: it is not copied.
    pub(crate) fn word(of: &'static str) -> Value {
        Value::Text(Cow::Borrowed(of))
    }

    /// The object that it is.
    fn object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            Value::Shared(shared) => Some(&shared.object),
            Value::Number(_) | Value::Float(_) | Value::Flag(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    fn is_empty_list(&self) -> bool {
        matches!(self, Value::List(list) if list.is_empty())
    }
}

impl Object {
    pub(crate) fn new() -> Object {
        Object::default()
    }

    /// An object with room for about this many members.
    pub(crate) fn of_about(members: usize) -> Object {
        Object { kind: None, members: Vec::with_capacity(members) }
    }

    pub(crate) fn of_kind(kind: &'static str) -> Object {
        Object { kind: Some(kind), members: Vec::new() }
    }

    /// The same with one more member.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Object {
        self.push(name, value);
        self
    }

    /// The same with one more member, where there is a value.
    pub(crate) fn maybe(mut self, name: &'static str, value: Option<impl Into<Value>>) -> Object {
        if let Some(value) = value {
            self.push(name, value);
        }
        self
    }

    pub(crate) fn push(&mut self, name: &'static str, value: impl Into<Value>) {
        self.members.push((name, value.into()));
    }

    /// A map as Hadoop writes it: `entry`, once for each pair.
    pub(crate) fn map<V: Into<Value>>(pairs: impl IntoIterator<Item = (String, V)>) -> Object {
        let entry = |(key, value): (String, V)| Object::new().with("key", key).with("value", value).into();
        Object { kind: None, members: pairs.into_iter().map(|pair| ("entry", entry(pair))).collect() }
    }
}

impl From<i64> for Value {
    fn from(of: i64) -> Value {
        Value::Number(of)
    }
}

impl From<i32> for Value {
    fn from(of: i32) -> Value {
        Value::Number(of.into())
    }
}

impl From<u32> for Value {
    fn from(of: u32) -> Value {
        Value::Number(of.into())
    }
}

impl From<u64> for Value {
    fn from(of: u64) -> Value {
        Value::Number(i64::try_from(of).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(of: usize) -> Value {
        Value::Number(i64::try_from(of).unwrap_or(i64::MAX))
    }
}

impl From<f32> for Value {
    fn from(of: f32) -> Value {
        Value::Float(of)
    }
}

impl From<bool> for Value {
    fn from(of: bool) -> Value {
        Value::Flag(of)
    }
}

impl From<&str> for Value {
    fn from(of: &str) -> Value {
        Value::Text(Cow::Owned(of.to_owned()))
    }
}

impl From<String> for Value {
    fn from(of: String) -> Value {
        Value::Text(Cow::Owned(of))
    }
}

impl From<Object> for Value {
    fn from(of: Object) -> Value {
        Value::Object(of)
    }
}

impl From<Arc<Shared>> for Value {
    fn from(of: Arc<Shared>) -> Value {
        Value::Shared(of)
    }
}

impl From<Vec<Value>> for Value {
    fn from(of: Vec<Value>) -> Value {
        Value::List(of)
    }
}

impl FromIterator<Object> for Value {
    fn from_iter<I: IntoIterator<Item = Object>>(of: I) -> Value {
        Value::List(of.into_iter().map(Value::Object).collect())
    }
}
