//! Vectors: what real Hadoop made of one input, a case a line; what the core makes of it must be the same.
//!
//! A file holds one family, and its name without its ending is the family's. `notation` has what the families share;
//! every other module is one family.

mod acl;

mod allocation_files;

mod capacity_files;

mod convert;

mod notation;

mod placement;

mod properties;

mod resource_strings;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::deviation::Mismatch;
use super::lines::{filled_lines, parse_line};
use crate::failure::Failure;

/// Compares one case.
type Check = fn(input: &Value, expect: &Value) -> Result<(), Mismatch>;

const FAMILIES: [(&str, Check); 7] = [
    ("acl", acl::check),
    ("allocation-files", allocation_files::check),
    ("capacity-files", capacity_files::check),
    ("convert", convert::check),
    ("placement", placement::check),
    ("properties", properties::check),
    ("resource-strings", resource_strings::check),
];

/// One case.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) name: String,
    input: Value,
    expect: Value,
}

/// A vector file.
#[derive(Debug)]
pub(super) struct Vectors {
    pub(super) family: &'static str,
    check: Check,
    pub(super) cases: Vec<Case>,
}

impl Vectors {
    /// The first difference in a case. A panic of the core is a difference of this case, not the end of the replay.
    pub(super) fn difference(&self, case: &Case) -> Option<Mismatch> {
        let checked = catch_unwind(AssertUnwindSafe(|| (self.check)(&case.input, &case.expect)));
        checked.unwrap_or_else(|_| Err(Mismatch::panic())).err()
    }
}

/// Reads a vector file.
///
/// # Errors
/// A family that is not known, or the first line that is no case, with its place.
pub(super) fn parse(text: &str, path: &Path) -> Result<Vectors, Failure> {
    let file = path.display().to_string();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".jsonl").unwrap_or(name);
    let Some((family, check)) = FAMILIES.into_iter().find(|(family, _)| *family == name) else {
        let known = FAMILIES.map(|(family, _)| family).join(", ");
        return Err(Failure::input(format!(
            "{file}: vectors of the family {name:?} cannot be replayed; a file is named after its family, one of {known}"
        )));
    };
    let hint = "a line is one case: an object with name, input and expect";
    let cases = filled_lines(text).map(|(number, line)| parse_line(line, &file, number, hint));
    Ok(Vectors { family, check, cases: cases.collect::<Result<_, _>>()? })
}
