//! Each public call that can be refused lists its refusals by name, or says whose they are.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::Path;

/// The groups of `Refused`.
const GROUPS: [&str; 9] =
    ["NotFound", "AlreadyExists", "Denied", "Invalid", "NoQueue", "Limit", "Configuration", "TryAgain", "Gone"];

/// The documentation of each function whose answer is a `Result`, as `file: function` and its lines.
fn calls(file: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(file).unwrap();
    let (mut found, mut docs) = (Vec::new(), String::new());
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(doc) = line.strip_prefix("///") {
            docs += doc;
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        if line.starts_with("pub fn ") || line.starts_with("pub async fn ") {
            let mut whole = line.to_owned();
            while !whole.ends_with('{') {
                whole += lines.next().unwrap();
            }
            let result = whole.split("-> Result<").nth(1).unwrap_or_default();
            if ["Refused>", "NotSent<", "BuildError>"].iter().any(|error| result.contains(error)) {
                let name = whole.split("fn ").nth(1).unwrap().split(['(', '<']).next().unwrap().to_owned();
                found.push((format!("{}: {name}", file.display()), docs.clone()));
            }
        }
        docs.clear();
    }
    found
}

#[test]
fn every_call_that_can_be_refused_names_its_refusals() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scheduler");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let calls: Vec<_> = files.filter(|file| file.is_file()).flat_map(|file| calls(&file)).collect();
    assert!(calls.len() > 80, "only {} calls are found", calls.len());
    let names = |docs: &str| {
        let listed = docs.split("# Errors").nth(1).unwrap_or_default();
        let of_group = |group: &&str| listed.contains(&format!("[`{group}::"));
        listed.contains("Those of [`") || ["Refused", "BuildError"].iter().chain(&GROUPS).any(of_group)
    };
    let silent: Vec<_> = calls.iter().filter(|(_, docs)| !names(docs)).map(|(call, _)| call).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}
