//! Findings for programs: one JSON document.

use serde_json::{Value, json};

use super::files::{Checked, Finding};
use crate::api::Severity;

/// `{"files": [{"file", "errors", "warnings", "diagnostics": [...]}]}`
pub(super) fn report(files: &[Checked]) -> String {
    let files: Vec<Value> = files.iter().map(of_file).collect();
    format!("{}\n", json!({ "files": files }))
}

fn of_file(file: &Checked) -> Value {
    let diagnostics: Vec<Value> = file.findings.iter().map(diagnostic).collect();
    json!({ "file": file.name, "errors": file.errors(), "warnings": file.warnings(), "diagnostics": diagnostics })
}

/// Lines and columns count from 1, offset and length are bytes; all four are null where there is no place.
fn diagnostic(finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let at = finding.at.as_ref();
    json!({
        "severity": severity,
        "code": finding.code,
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "offset": at.map(|at| at.offset),
        "length": at.map(|at| at.length),
        "message": finding.message,
        "effect": finding.effect,
        "help": finding.help,
    })
}
