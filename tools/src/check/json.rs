//! Findings for programs: one JSON document.

use serde_json::{Value, json};

use super::files::{Checked, Finding};
use crate::output;

/// `{"files": [{"file", "errors", "warnings", "diagnostics": [...]}]}`
pub(super) fn report(files: &[Checked]) -> String {
    let files: Vec<Value> = files.iter().map(of_file).collect();
    format!("{}\n", output::json(&json!({ "files": files }).to_string()))
}

fn of_file(file: &Checked) -> Value {
    let diagnostics: Vec<Value> = file.findings.iter().map(|finding| diagnostic(file, finding)).collect();
    json!({ "file": file.name, "errors": file.errors(), "warnings": file.warnings(), "diagnostics": diagnostics })
}

/// Lines and columns count from 1, offset and length are bytes; all four are null where there is no place. A place in a
/// file that is included comes with that file's name as `source`.
fn diagnostic(file: &Checked, finding: &Finding) -> Value {
    let at = finding.at.as_ref();
    let mut object = json!({
        "severity": finding.severity_name(),
        "code": finding.code,
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "offset": at.map(|at| at.offset),
        "length": at.map(|at| at.length),
        "message": finding.message,
        "effect": finding.effect,
        "help": finding.help,
    });
    if let Some(at) = at.filter(|at| *at.source != *file.name) {
        object["source"] = (&*at.source).into();
    }
    object
}
