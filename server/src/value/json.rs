//! The two JSON writers of a ResourceManager, through serde.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use serde_json::value::RawValue;

use super::number::float;
use super::{Object, Value};

/// The usual writer: numbers are numbers, a list is an array even of one, a map's entries are members of the same name.
pub(crate) fn natural(root: &'static str, of: &Value) -> String {
    text(&Rooted(root, of))
}

/// The other one: no name of the root, every scalar is a string, a list of one is the bare element, what is empty is
/// null.
pub(crate) fn mapped(of: &Value) -> String {
    if of.object().is_some_and(|object| object.members.is_empty()) {
        return "{}".to_owned();
    }
    text(&Mapped(of))
}

/// Without the name of a root, as the few small answers of the second writer that have numbers (`/priority`).
pub(crate) fn bare(of: &Value) -> String {
    text(&Natural(of))
}

fn text(of: &impl Serialize) -> String {
    serde_json::to_string(of).expect("a tree of texts and numbers can be written")
}

/// The only member of an object.
struct Rooted<'v>(&'static str, &'v Value);

impl Serialize for Rooted<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Rooted(root, of) = self;
        let mut out = to.serialize_map(None)?;
        if !of.is_empty_list() {
            out.serialize_entry(root, &Natural(of))?;
        }
        out.end()
    }
}

struct Natural<'v>(&'v Value);

impl Serialize for Natural<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => to.serialize_i64(*number),
            Value::Float(number) if number.is_finite() => to.serialize_f32(*number),
            Value::Float(number) => to.serialize_str(&float(*number)),
            Value::Flag(flag) => to.serialize_bool(*flag),
            Value::Text(text) => to.serialize_str(text),
            Value::List(list) => {
                let mut out = to.serialize_seq(Some(list.len()))?;
                list.iter().try_for_each(|one| out.serialize_element(&Natural(one)))?;
                out.end()
            }
            Value::Object(object) => natural_object(object, to),
            Value::Shared(shared) => shared.natural.get_or_init(|| raw(&shared.object)).serialize(to),
        }
    }
}

fn raw(of: &Object) -> Box<RawValue> {
    struct Whole<'o>(&'o Object);
    impl Serialize for Whole<'_> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            natural_object(self.0, to)
        }
    }
    RawValue::from_string(text(&Whole(of))).expect("what was written can be read")
}

fn natural_object<S: Serializer>(object: &Object, to: S) -> Result<S::Ok, S::Error> {
    let mut out = to.serialize_map(None)?;
    if let Some(kind) = object.kind {
        out.serialize_entry("type", kind)?;
    }
    for (name, value) in &object.members {
        if !value.is_empty_list() {
            out.serialize_entry(name, &Natural(value))?;
        }
    }
    out.end()
}

struct Mapped<'v>(&'v Value);

impl Serialize for Mapped<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => to.collect_str(number),
            Value::Float(number) => to.serialize_str(&float(*number)),
            Value::Flag(flag) => to.collect_str(flag),
            Value::Text(text) => to.serialize_str(text),
            Value::List(list) => Several(&list.iter().collect::<Vec<_>>()).serialize(to),
            Value::Object(object) => mapped_object(object, to),
            Value::Shared(shared) => mapped_object(&shared.object, to),
        }
    }
}

fn mapped_object<S: Serializer>(object: &Object, to: S) -> Result<S::Ok, S::Error> {
    if object.members.is_empty() {
        return to.serialize_unit();
    }
    let mut out = to.serialize_map(None)?;
    if let Some(kind) = object.kind {
        out.serialize_entry("@xsi.type", kind)?;
    }
    for (index, (name, _)) in object.members.iter().enumerate() {
        // All of one name together, where the first stands.
        if object.members[..index].iter().any(|(other, _)| other == name) {
            continue;
        }
        let named = object.members.iter().filter(|(other, _)| other == name);
        let mut all = Vec::new();
        for (_, value) in named {
            if let Value::List(list) = value {
                all.extend(list);
            } else {
                all.push(value);
            }
        }
        if !all.is_empty() {
            out.serialize_entry(name, &Several(&all))?;
        }
    }
    out.end()
}

/// What stands under one name.
struct Several<'v>(&'v [&'v Value]);

impl Serialize for Several<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let [one] = self.0 {
            return Mapped(one).serialize(to);
        }
        let mut out = to.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|one| out.serialize_element(&Mapped(one)))?;
        out.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shared;
    use super::*;

    #[test]
    fn the_two_writers_differ_as_hadoops_do() {
        let pairs = [("a".to_owned(), "1"), ("b".to_owned(), "2")];
        let of = Object::new()
            .with("n", 1)
            .with("one", vec![Value::from("x")])
            .with("none", Vec::new())
            .with("empty", Object::new())
            .with("shared", Shared::new(Object::of_kind("k").with("m", 1)))
            .with("map", Object::map(pairs));
        let of = Value::from(of);
        assert_eq!(
            natural("r", &of),
            r#"{"r":{"n":1,"one":["x"],"empty":{},"shared":{"type":"k","m":1},"map":{"entry":{"key":"a","value":"1"},"entry":{"key":"b","value":"2"}}}}"#
        );
        assert_eq!(
            mapped(&of),
            r#"{"n":"1","one":"x","empty":null,"shared":{"@xsi.type":"k","m":"1"},"map":{"entry":[{"key":"a","value":"1"},{"key":"b","value":"2"}]}}"#
        );
    }

    #[test]
    fn what_a_stranger_calls_his_application_stays_a_text() {
        let of = Value::from(Object::new().with("name", "\"},\"x\":{\"\n\u{1}</script>"));
        let back: serde_json::Value = serde_json::from_str(&natural("app", &of)).unwrap();
        assert_eq!(back["app"]["name"], "\"},\"x\":{\"\n\u{1}</script>");
    }
}
