//! Resource strings: the limit that a text is, and what it comes to on a cluster.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::deviation::Mismatch;
use super::notation::{Input, amounts, limit, read, resource, same, taken};
use crate::api::{Missing, parse_resource};

#[derive(Deserialize)]
struct Line {
    value: String,
    /// What types are that the text does not name.
    missing: i64,
    cluster: BTreeMap<String, i64>,
}

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let line: Line = read(input)?;
    let types = Input::read(input)?.types().map_err(|error| Mismatch::new("resource types", "taken", error))?;
    let missing = if line.missing == 0 { Missing::Zero } else { Missing::Max };
    let Some(read) = taken(parse_resource(&line.value, &types, missing), expect)? else { return Ok(()) };
    let mut ours = limit(&types, &read);
    ours["evaluated"] = resource(&types, &read.of(&amounts(&types, &line.cluster)));
    same("", expect, &ours)
}
