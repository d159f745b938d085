//! The schemas as `evenweave schema` prints them.

use std::process::Command;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A schema, and what it says of a value.
pub(crate) struct SchemaOf {
    schemas: Schemas,
    index: SchemaIndex,
}

impl SchemaOf {
    /// Prints it, as everybody gets it.
    pub(crate) fn command(name: &str) -> SchemaOf {
        let printed = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["schema", name]).output().unwrap();
        assert!(printed.status.success() && printed.stderr.is_empty(), "{name}: {printed:?}");
        let text: Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(text["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let place = format!("file:///{name}.schema.json");
        compiler.add_resource(&place, text).unwrap();
        let index = compiler.compile(&place, &mut schemas).unwrap();
        SchemaOf { schemas, index }
    }

    /// What is not as the schema has it.
    pub(crate) fn against(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|why| format!("{why:#}"))
    }

    pub(crate) fn accepts(&self, value: &Value) {
        if let Some(why) = self.against(value) {
            panic!("{why}\n{value:#}");
        }
    }

    /// The value is as the schema has it. With one field more, or without one, anywhere, it is not; but for the places where
    /// names are free.
    pub(crate) fn holds(&self, value: &Value, free: &[&str], may_be_missing: &[&str]) {
        self.accepts(value);
        let mut places = Vec::new();
        objects(value, "", &mut places);
        for place in places {
            let is_free = free.contains(&place.as_str());
            let mut more = value.clone();
            let object = more.pointer_mut(&place).and_then(Value::as_object_mut).unwrap();
            let names: Vec<String> = object.keys().cloned().collect();
            object.insert("a field that nobody knows".to_owned(), "x".into());
            assert!(is_free || self.against(&more).is_some(), "{place:?} takes a field that nobody knows");
            for name in names.iter().filter(|name| !is_free && !may_be_missing.contains(&name.as_str())) {
                let mut less = value.clone();
                less.pointer_mut(&place).and_then(Value::as_object_mut).unwrap().remove(name);
                assert!(self.against(&less).is_some(), "{place:?} may be without {name:?}");
            }
        }
    }
}

/// Each object of the value, by its place; of a list the first one alone.
fn objects(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(place.to_owned());
            for (name, value) in members {
                objects(value, &format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(values) => {
            if let Some(first) = values.first() {
                objects(first, &format!("{place}/0"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
