//! What a recording of the CapacityScheduler expects of a step, against what was shown.

use serde_json::{Map, Value};

/// Where what is shown differs first from what was recorded, and both. Error messages are not compared.
pub(super) fn difference(recorded: &Value, shown: &Value) -> Option<(String, String, String)> {
    differ("", recorded, shown)
}

#[expect(clippy::cast_possible_truncation, reason = "fractions are 32-bit floats")]
fn differ(place: &str, recorded: &Value, shown: &Value) -> Option<(String, String, String)> {
    let told = || Some((place.trim_start_matches('.').to_owned(), recorded.to_string(), shown.to_string()));
    match (recorded, shown) {
        (Value::Object(a), Value::Object(b)) => {
            let name =
                ["name", "user"].iter().filter_map(|field| recorded.get(field)?.as_str()).find(|name| !name.is_empty());
            let place = name.map_or_else(|| place.to_owned(), |name| format!("{place} {name}"));
            let fields = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let compared = fields.filter(|key| *key != "message");
            let of = |map: &Map<String, Value>, key: &str| map.get(key).cloned().unwrap_or(Value::Null);
            compared.into_iter().find_map(|key| differ(&format!("{place}.{key}"), &of(a, key), &of(b, key)))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let both = a.iter().zip(b).enumerate();
            both.into_iter().find_map(|(i, (a, b))| differ(&format!("{place}[{i}]"), a, b))
        }
        (Value::Number(a), Value::Number(b)) => {
            let same = match (a.as_i64(), b.as_i64()) {
                (Some(a), Some(b)) => a == b,
                _ => a.as_f64().map(|a| (a as f32).to_bits()) == b.as_f64().map(|b| (b as f32).to_bits()),
            };
            if same { None } else { told() }
        }
        (a, b) if a == b => None,
        // An empty list is as good as none.
        (Value::Null, Value::Array(b)) if b.is_empty() => None,
        (Value::Array(a), Value::Null) if a.is_empty() => None,
        _ => told(),
    }
}
