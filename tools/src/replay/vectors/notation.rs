//! What families share: the inputs, the notation of what was recorded, and the comparison of the two.
//!
//! What the core shows is written as Hadoop's results were recorded, and then the two are compared as they stand.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::deviation::Mismatch;
use crate::api::{
    AccessControlList, AllocationFile, AllocationFileError, FairScheduler, Limit, PlacementRule, Resource,
    ResourceTypes, SchedulerApi, Settings, Stepped,
};

/// What allocation files are called in errors.
const FILE: &str = "fair-scheduler.xml";

/// What the core takes, or why not.
pub(super) type Taken<T> = Result<T, Box<AllocationFileError>>;

#[derive(Debug, Deserialize)]
struct TypeLine {
    name: String,
    units: String,
}

/// An ad hoc queue.
#[derive(Debug, Deserialize)]
struct QueueLine {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

/// Inputs of several families; a family looks at those that it has.
#[derive(Debug, Deserialize)]
pub(super) struct Input {
    #[serde(default)]
    resource_types: Vec<TypeLine>,
    #[serde(default)]
    properties: BTreeMap<String, String>,
    /// Users' groups, the primary one first.
    #[serde(default)]
    groups: HashMap<String, Vec<String>>,
    #[serde(default)]
    cluster: BTreeMap<String, i64>,
    /// Asked for after the first file was loaded.
    #[serde(default)]
    dynamic: Vec<QueueLine>,
    /// The allocation file; null is none.
    xml: Option<String>,
    /// The one loaded after that.
    reload: Option<String>,
}

impl Input {
    /// # Errors
    /// When it is not as the format has it.
    pub(super) fn read(input: &Value) -> Result<Input, Mismatch> {
        read(input)
    }

    /// The resource types.
    ///
    /// # Errors
    /// When there are more than the core takes.
    pub(super) fn types(&self) -> Result<ResourceTypes, String> {
        let custom = self.resource_types.iter().map(|line| (line.name.as_str(), line.units.as_str()));
        ResourceTypes::with_custom(custom).map_err(|error| error.to_string())
    }

    /// The settings: the properties, and the resource types as properties.
    ///
    /// # Errors
    /// What the core says against them.
    pub(super) fn settings(&self) -> Result<Settings, String> {
        let names: Vec<&str> = self.resource_types.iter().map(|line| line.name.as_str()).collect();
        let mut properties = self.properties.clone();
        properties.insert("yarn.resource-types".to_owned(), names.join(","));
        for line in &self.resource_types {
            properties.insert(format!("yarn.resource-types.{}.units", line.name), line.units.clone());
        }
        let properties = properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Settings::from_properties(properties).map_err(|error| error.to_string())
    }

    /// Reads an allocation file.
    ///
    /// # Errors
    /// Resource types that the core does not take, or an error of the file that has no place.
    fn parse(&self, text: &str) -> Result<Taken<AllocationFile>, Mismatch> {
        let types = self.types().map_err(|error| Mismatch::new("resource types", "taken", error))?;
        let parsed = match AllocationFile::decode(text.as_bytes(), FILE) {
            Ok(text) => AllocationFile::parse(&text, FILE, &types, &[]),
            Err(error) => Err(error),
        };
        if let Err(error) = &parsed
            && !has_place(&error.to_string())
        {
            return Err(Mismatch::new("error", "begins with its place in the file", error.to_string()));
        }
        Ok(parsed.map(|parsed| parsed.file).map_err(Box::new))
    }

    /// Reads the first allocation file, or gives what holds without one.
    ///
    /// # Errors
    /// As [`Input::parse`].
    pub(super) fn first_file(&self) -> Result<Taken<AllocationFile>, Mismatch> {
        self.xml.as_deref().map_or_else(|| Ok(Ok(AllocationFile::default())), |text| self.parse(text))
    }

    /// A scheduler with that file, the ad hoc queues and, if there is one, the second file; then a node comes that is
    /// the whole cluster. A second file that is refused leaves what Hadoop leaves.
    ///
    /// # Errors
    /// What the core says against the rest of the input.
    pub(super) fn start(&self, file: AllocationFile) -> Result<Stepped, Mismatch> {
        let settings = self.settings().map_err(|error| Mismatch::new("properties", "taken", error))?;
        let cluster = amounts(&settings.types, &self.cluster);
        let groups = Arc::new(self.groups.clone());
        let built = FairScheduler::builder().settings(settings).allocations(file).groups(groups).stepped();
        let mut stepped = built.map_err(|error| Mismatch::new("scheduler", "built", error.to_string()))?;
        for QueueLine { name, kind } in &self.dynamic {
            // One that may not be made is not made.
            let _ = if kind == "leaf" { stepped.create_queue(name) } else { stepped.create_parent_queue(name) };
        }
        if let Some(second) = &self.reload {
            // For its errors' places.
            drop(self.parse(second)?);
            // What is not in its encoding is refused as well.
            if let Ok(text) = AllocationFile::decode(second.as_bytes(), FILE) {
                let _ = stepped.refresh_queues(&text);
            }
        }
        stepped
            .add_node("cluster", "/r", cluster)
            .map_err(|refused| Mismatch::new("cluster", "taken", refused.kind()))?;
        Ok(stepped)
    }
}

/// Whether an error begins with file, line and column, the latter counted from 1.
fn has_place(error: &str) -> bool {
    let mut parts = error.splitn(4, ':');
    let counts = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok()).is_some_and(|number| number > 0);
    parts.next() == Some(FILE) && counts(parts.next()) && counts(parts.next())
}

/// Reads an input or a part of it.
///
/// # Errors
/// When it is not as the format has it.
pub(super) fn read<T: serde::de::DeserializeOwned>(input: &Value) -> Result<T, Mismatch> {
    T::deserialize(input).map_err(|error| Mismatch::new("input", "as the format has it", error.to_string()))
}

/// Whether a recorded value is an error; its text counts only with those who read it.
pub(super) fn is_error(recorded: &Value) -> bool {
    recorded.get("error").is_some()
}

/// What the core gave, when Hadoop gave something too; `None` when both refused.
///
/// # Errors
/// When only one of them refused.
pub(super) fn taken<T, E: std::fmt::Display>(ours: Result<T, E>, expect: &Value) -> Result<Option<T>, Mismatch> {
    match ours {
        Ok(_) if is_error(expect) => Err(Mismatch::new("error", expect["message"].to_string(), "accepted")),
        Ok(ours) => Ok(Some(ours)),
        Err(_) if is_error(expect) => Ok(None),
        Err(error) => Err(Mismatch::new("error", "accepted", error.to_string())),
    }
}

/// Amounts by type name as a vector.
pub(super) fn amounts(types: &ResourceTypes, amounts: &BTreeMap<String, i64>) -> Resource {
    super::super::amounts::resource(types, amounts)
}

/// A vector as it is recorded: amounts by type name.
pub(super) fn resource(types: &ResourceTypes, resource: &Resource) -> Value {
    let amounts = (0..types.len()).map(|index| (types.name(index).to_owned(), resource.get(index).into()));
    Value::Object(amounts.collect())
}

/// A 64-bit number as it is recorded: JSON has neither NaN nor infinities.
pub(super) fn double(value: f64) -> Value {
    match value {
        _ if value.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        _ => value.into(),
    }
}

/// A 32-bit number as it is recorded: the shortest decimal that gives it back.
pub(super) fn float(value: f32) -> Value {
    double(value.to_string().parse().unwrap_or(f64::NAN))
}

/// A limit: percentages in the order of a resource's names, or a resource.
pub(super) fn limit(types: &ResourceTypes, limit: &Limit) -> Value {
    match limit {
        Limit::Absolute(amounts) => json!({"percentages": null, "resource": resource(types, amounts)}),
        Limit::Percent(parts) => {
            // The two that there always are, then the custom ones by name.
            let mut order: Vec<usize> = (0..types.len()).collect();
            order[2..].sort_by_key(|index| types.name(*index));
            let parts: Vec<Value> = order.into_iter().map(|index| double(parts[index])).collect();
            json!({"percentages": parts, "resource": null})
        }
    }
}

/// An access control list.
pub(super) fn acl(list: &AccessControlList) -> Value {
    if list.everybody { json!("*") } else { json!({"users": list.users, "groups": list.groups}) }
}

/// Placement rules.
pub(super) fn rules(rules: &[PlacementRule]) -> Value {
    rules.iter().map(rule).collect()
}

fn rule(rule: &PlacementRule) -> Value {
    let mut out = Map::new();
    out.insert("rule".into(), rule.kind.hadoop_class().into());
    out.insert("create".into(), rule.create.into());
    if let Some(queue) = &rule.queue {
        out.insert("queue".into(), queue.as_str().into());
    }
    if let Some(parent) = &rule.parent {
        out.insert("parent".into(), self::rule(parent));
    }
    Value::Object(out)
}

/// Compares what was recorded with what the core shows, member by member.
///
/// # Errors
/// The first difference, with the path of members to it.
pub(super) fn same(field: &str, recorded: &Value, ours: &Value) -> Result<(), Mismatch> {
    match (recorded, ours) {
        (Value::Object(recorded), Value::Object(ours)) => same_members(field, recorded, ours),
        (Value::Array(recorded), Value::Array(ours)) => {
            let labels = |list: &[Value]| -> Vec<String> { list.iter().enumerate().map(label).collect() };
            let (names, our_names) = (labels(recorded), labels(ours));
            if names != our_names {
                let shown = |names: &[String]| format!("{} entries: {}", names.len(), names.join(", "));
                return Err(Mismatch::new(field, shown(&names), shown(&our_names)));
            }
            let mut pairs = names.iter().zip(recorded.iter().zip(ours));
            pairs.try_for_each(|(name, (recorded, ours))| same(&format!("{field}[{name}]"), recorded, ours))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() && a.is_f64() | b.is_f64() => Ok(()),
        _ if recorded == ours => Ok(()),
        _ => Err(Mismatch::new(field, recorded.to_string(), ours.to_string())),
    }
}

/// An entry of a list by its name, where it has one.
fn label((index, entry): (usize, &Value)) -> String {
    entry["name"].as_str().map_or_else(|| index.to_string(), str::to_owned)
}

fn same_members(field: &str, recorded: &Map<String, Value>, ours: &Map<String, Value>) -> Result<(), Mismatch> {
    let below = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    for (name, recorded) in recorded {
        match ours.get(name) {
            Some(ours) => same(&below(name), recorded, ours)?,
            None => return Err(Mismatch::new(below(name), recorded.to_string(), "nothing")),
        }
    }
    match ours.iter().find(|(name, _)| !recorded.contains_key(*name)) {
        Some((name, ours)) => Err(Mismatch::new(below(name), "nothing", ours.to_string())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(recorded: &Value, ours: &Value) -> Option<(String, String, String)> {
        same("", recorded, ours).err().map(|found| (found.field, found.expected, found.got))
    }

    fn differs(recorded: &Value, ours: &Value, found: [&str; 3]) {
        let [field, expected, got] = found.map(str::to_owned);
        assert_eq!(difference(recorded, ours), Some((field, expected, got)));
    }

    #[test]
    fn every_difference_is_found_with_its_path() {
        let recorded = json!({"queues": [{"name": "root", "weight": 1.0}, {"name": "root.a", "limit": null}]});
        assert_eq!(difference(&recorded, &recorded.clone()), None);
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut ours = recorded.clone();
            change(&mut ours["queues"]);
            ours
        };
        let list = |names: &str| format!("2 entries: {names}");
        differs(&recorded, &changed(&|queues| queues[0]["weight"] = 2.into()), ["queues[root].weight", "1.0", "2"]);
        differs(&recorded, &changed(&|queues| queues[1]["limit"] = 0.into()), ["queues[root.a].limit", "null", "0"]);
        differs(&recorded, &changed(&|queues| queues[1]["more"] = 0.into()), ["queues[root.a].more", "nothing", "0"]);
        differs(&json!({"a": 1}), &json!({}), ["a", "1", "nothing"]);
        let fewer = changed(&|queues| drop(queues.as_array_mut().unwrap().pop()));
        differs(&recorded, &fewer, ["queues", &list("root, root.a"), "1 entries: root"]);
    }

    #[test]
    fn numbers_are_compared_by_value() {
        assert_eq!(difference(&json!(1), &json!(1.0)), None);
        assert!(difference(&json!(i64::MAX), &json!(i64::MAX - 1)).is_some());
        assert!(difference(&json!(0.1), &json!(0.100_000_000_000_000_02)).is_some());
        assert_eq!(float(0.1), json!(0.1));
        assert_eq!([float(f32::NAN), double(f64::NEG_INFINITY)], [json!("NaN"), json!("-Infinity")]);
    }

    #[test]
    fn percentages_stand_in_the_order_of_the_names() {
        let types = ResourceTypes::with_custom([("gpu", ""), ("fpga", "")]).unwrap();
        let parts = std::array::from_fn(|index| [1.0, 2.0, 3.0, 4.0].get(index).copied().unwrap_or(0.0));
        let shown = limit(&types, &Limit::Percent(parts));
        assert_eq!(shown, json!({"percentages": [1.0, 2.0, 4.0, 3.0], "resource": null}));
    }

    #[test]
    fn a_second_file_is_in_the_encoding_that_it_declares() {
        let names = |encoding: &str| -> Vec<String> {
            let declaration = format!("<?xml version='1.0' encoding='{encoding}'?>");
            let input = json!({
                "xml": "<allocations/>",
                "reload": format!("{declaration}<allocations><queue name='\u{e9}'/></allocations>"),
            });
            let input = Input::read(&input).unwrap();
            let file = input.first_file().unwrap().unwrap();
            input.start(file).unwrap().queues().into_iter().map(|queue| queue.name).collect()
        };
        assert_eq!(names("UTF-8"), ["root", "root.\u{e9}"]);
        assert_eq!(names("ISO-8859-1"), ["root", "root.\u{c3}\u{a9}"]);
        assert_eq!(names("US-ASCII"), ["root"]);
    }

    #[test]
    fn an_error_has_a_place() {
        assert!(has_place("fair-scheduler.xml:2:18: bad"));
        assert!(!has_place("fair-scheduler.xml:0:18: bad") && !has_place("2:18: bad"));
    }
}
