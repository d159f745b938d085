//! Placement: the rules in force.

use serde_json::Value;

use super::super::compare::Mismatch;
use super::allocation_files::in_force;
use super::notation::{Input, rules, same, taken};
use crate::api::default_rules;

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let input = Input::read(input)?;
    let Some(file) = taken(input.first_file()?, expect)? else { return Ok(()) };
    let settings = input.settings().map_err(|error| Mismatch::new("properties", "taken", error))?;
    let ours = in_force(default_rules(&settings), file.placement_change(), &settings);
    same("rules", &expect["rules"], &rules(&ours))
}
