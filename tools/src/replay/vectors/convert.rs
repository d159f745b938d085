//! Conversions from a FairScheduler's to a CapacityScheduler's configuration: the whole command, in a directory of its
//! own, with all that it says and writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::deviation::Mismatch;
use super::notation::{Input, read, same};
use crate::api::{SiteFile, site_file};
use crate::convert::{ConvertSurroundings, DryRun, Ended, Kind, Ran, run};

const RULES: &str = "yarn.scheduler.capacity.mapping-rule-json";

/// Exceptions whose messages are Hadoop's; of all others only that there is one counts.
const HADOOPS: [&str; 7] = [
    "AllocationConfigurationException",
    "YarnRuntimeException",
    "YarnException",
    "IOException",
    "IllegalArgumentException",
    "IllegalStateException",
    "ServiceStateException",
];

#[derive(Deserialize)]
struct Case {
    args: Vec<String>,
    xml: Option<String>,
    properties: BTreeMap<String, String>,
    /// The text of the site file, in place of the properties.
    site: Option<String>,
    rules: Option<String>,
    /// Empty files made beforehand.
    #[serde(default)]
    present: Vec<String>,
}

/// A directory of one case, gone at its end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> std::io::Result<Directory> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        // ORDERING: Relaxed. Each case gets another number; nothing else is read by it.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("evenweave-convert-{}-{number}", std::process::id()));
        std::fs::create_dir_all(path.join("out"))?;
        Ok(Directory(path))
    }

    fn text(&self) -> String {
        self.0.display().to_string()
    }

    /// Lays out what the case has.
    fn fill(&self, case: &Case) -> std::io::Result<()> {
        let file = |name: &str, text: &str| std::fs::write(self.0.join(name), text);
        let properties = case.properties.iter().map(|(name, value)| (name.clone(), value.replace('@', &self.text())));
        file("yarn-site.xml", &case.site.clone().unwrap_or_else(|| site_file(&properties.collect())))?;
        if let Some(xml) = &case.xml {
            file("fair-scheduler.xml", xml)?;
        }
        if let Some(rules) = &case.rules {
            file("rules.properties", rules)?;
        }
        case.present.iter().try_for_each(|name| file(name, ""))
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join("out").join(name)).ok().filter(|text| !text.is_empty())
    }

    /// What lies in the output directory.
    fn files(&self) -> std::io::Result<Vec<String>> {
        let shown = |entry: std::io::Result<std::fs::DirEntry>| {
            let entry = entry?;
            let empty = if entry.metadata()?.len() == 0 { " (empty)" } else { "" };
            Ok(format!("{}{empty}", entry.file_name().display()))
        };
        let mut files: Vec<String> =
            std::fs::read_dir(self.0.join("out"))?.map(shown).collect::<std::io::Result<_>>()?;
        files.sort();
        Ok(files)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed stays; the next one has another name.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let case: Case = read(input)?;
    let types = Input::read(&json!({"resource_types": input.get("resource_types").unwrap_or(&json!([]))}))?.types();
    let types = types.map_err(|error| Mismatch::new("resource types", "taken", error))?;
    let io = |error: std::io::Error| Mismatch::new("files", "can be made", error.to_string());
    let directory = Directory::new().map_err(io)?;
    directory.fill(&case).map_err(io)?;
    let words: Vec<String> = case.args.iter().map(|word| word.replace('@', &directory.text())).collect();
    let surroundings = ConvertSurroundings { types: Some(types), safe: false };
    let ran = run(&words, &surroundings).map_err(|error| Mismatch::new("run", "answered", format!("{error:?}")))?;
    let mut ours = shown(&ran);
    ours["files"] = json!(directory.files().map_err(io)?);
    let printed = |name: &str| {
        let text = ran.console.iter().find(|(title, _)| *title == name).map(|(_, text)| text.clone());
        text.or_else(|| directory.read(name))
    };
    let (capacity, site) = (printed("capacity-scheduler.xml"), printed("yarn-site.xml"));
    if let (Some(capacity), Some(site)) = (capacity, site) {
        let mut capacity = properties(&capacity)?;
        let (property, file) = (capacity.remove(RULES), printed("mapping-rules.json"));
        ours["rules_in"] = match (&property, &file) {
            (Some(_), _) => "property".into(),
            (None, Some(_)) => "file".into(),
            (None, None) => Value::Null,
        };
        let document = property.or(file).map(|text| serde_json::from_str::<Value>(&text));
        let document = document.transpose().map_err(|error| Mismatch::new("rules", "JSON", error.to_string()))?;
        ours["mapping_rules"] = document.map_or(Value::Null, |document| document["rules"].clone());
        ours["capacity"] = json!(capacity);
        ours["yarn_site"] = json!(properties(&site)?);
    }
    // Of a dry run that an odd word asks for, such as -dx, nothing is recorded.
    if !case.args.iter().any(|word| matches!(bare(word), "d" | "dry-run")) {
        ours.as_object_mut().map(|ours| ours.remove("dry_run"));
    }
    let ours = replaced(ours, &directory.text());
    same("", &comparable(expect), &comparable(&ours))
}

/// A word without the dashes before it.
fn bare(word: &str) -> &str {
    word.trim_start_matches('-')
}

fn properties(text: &str) -> Result<BTreeMap<String, String>, Mismatch> {
    let file = SiteFile::parse(text, "written").map_err(|error| Mismatch::new("files", "XML", error.to_string()))?;
    Ok(file.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// What is recorded of a run, files aside.
fn shown(ran: &Ran) -> Value {
    let mut out = json!({"exit": if ran.failed { -1 } else { 0 }, "warnings": ran.warnings});
    if let Some(Ended { kind, message, exceptions, .. }) = &ran.ended {
        let kind = match kind {
            Kind::Options => "options",
            Kind::Precondition => "precondition",
            Kind::Unsupported => "unsupported",
            Kind::Fatal => "fatal",
            Kind::Verification => "verification",
            Kind::Crash => "crash",
        };
        out["error"] = json!({"kind": kind, "message": message});
        let causes = match (kind, exceptions.split_first()) {
            ("verification", _) => exceptions.as_slice(),
            ("crash", Some((first, below))) => {
                out["error"]["type"] = first.class.into();
                below
            }
            _ => &[],
        };
        if !causes.is_empty() {
            out["error"]["causes"] = causes.iter().map(ToString::to_string).collect();
        }
    }
    if !ran.notices.is_empty() {
        out["notices"] = json!(ran.notices);
    }
    if let Some(DryRun { errors, warnings, verification_failed, .. }) = &ran.dry_run {
        let verification = if *verification_failed { "FAILED" } else { "PASSED" };
        out["dry_run"] = json!({"errors": errors, "warnings": warnings, "verification": verification});
    }
    if !ran.console.is_empty() {
        out["console"] = ran.console.iter().map(|(title, _)| *title).collect();
    }
    if ran.help {
        out["help"] = true.into();
    }
    out
}

/// The directory as recordings have it.
fn replaced(value: Value, directory: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(directory, "@")),
        Value::Array(list) => list.into_iter().map(|value| replaced(value, directory)).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, replaced(value, directory))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Without what does not count: the messages of exceptions that are not Hadoop's, and the order of notices.
fn comparable(recorded: &Value) -> Value {
    let mut out = recorded.clone();
    if let Some(notices) = out["notices"].as_array_mut() {
        notices.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
    let error = &mut out["error"];
    if error.is_null() {
        out.as_object_mut().map(|out| out.remove("error"));
        out.as_object_mut().map(|out| out.get("notices").is_some_and(Value::is_null).then(|| out.remove("notices")));
        return out;
    }
    let another = |class: Option<&str>| class.is_some_and(|class| !HADOOPS.contains(&class));
    if another(error["type"].as_str()) {
        error["type"] = "another".into();
        error["message"] = "".into();
        // What it wraps is not Hadoop's either.
        error.as_object_mut().map(|error| error.remove("causes"));
    }
    for cause in error["causes"].as_array_mut().into_iter().flatten() {
        let class = cause.as_str().and_then(|text| text.split_once(':')).map(|(class, _)| class);
        if another(class) {
            *cause = "another".into();
        }
    }
    for name in ["type", "causes"] {
        if error[name].is_null() {
            error.as_object_mut().map(|error| error.remove(name));
        }
    }
    out.as_object_mut().map(|out| out.get("notices").is_some_and(Value::is_null).then(|| out.remove("notices")));
    out
}
