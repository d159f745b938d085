//! Makes inputs of the fuzz targets from recorded configuration cases and scenarios: `cargo run --example seeds --
//! CORPUS FILE...`.
//!
//! A file is `FAMILY.jsonl` or `FAMILY.jsonl.gz`; each of its cases becomes files `CORPUS/TARGET/FAMILY-CASE`, each of
//! its scenarios a file `CORPUS/operations/SCENARIO`. See the README.

#[path = "../../../core/tests/harness/mod.rs"]
mod harness;
mod operations;

use serde_json::Value;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let Some((corpus, files)) = arguments.split_first() else {
        eprintln!("usage: seeds CORPUS FILE...");
        std::process::exit(2);
    };
    for path in files {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let family = name.split('.').next().unwrap_or_default();
        let lines = read(path)?;
        let cases: Vec<Value> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        if cases.iter().any(|case| case["steps"].is_array()) {
            let directory = corpus.join("operations");
            fs::create_dir_all(&directory)?;
            for scenario in &cases {
                fs::write(directory.join(text(&scenario["name"])), operations::input(scenario))?;
            }
            continue;
        }
        let make = match family {
            "resource-strings" => |input: &Value| vec![("resource_string", text(&input["value"]))],
            "allocation-files" => allocation_files,
            "acl" => {
                |input: &Value| if input["xml"].is_string() { allocation_files(input) } else { capacity_files(input) }
            }
            "capacity-files" => capacity_files,
            "properties" => |input: &Value| vec![("properties", properties(input)), ("site_file", site_file(input))],
            "placement" => {
                |input: &Value| vec![("placement", placement(input)), ("allocation_file", text(&input["xml"]))]
            }
            "convert" => |input: &Value| vec![("convert", convert(input))],
            // Of site files.
            "recorded" => site_files,
            _ => {
                eprintln!("{}: no target takes cases of this family", path.display());
                std::process::exit(2);
            }
        };
        for case in &cases {
            for (i, (target, input)) in make(&case["input"]).into_iter().enumerate() {
                let directory = corpus.join(target);
                fs::create_dir_all(&directory)?;
                fs::write(directory.join(format!("{family}-{}-{i}", text(&case["name"]))), input)?;
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = fs::File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        io::BufReader::new(file).read_to_string(&mut text)?;
    }
    Ok(text)
}

/// A string, or nothing.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn allocation_files(input: &Value) -> Vec<(&'static str, String)> {
    let texts = [&input["xml"], &input["reload"]];
    texts.into_iter().filter(|xml| xml.is_string()).map(|xml| ("allocation_file", text(xml))).collect()
}

/// The file of a CapacityScheduler, then what stands in yarn-site.
fn capacity_files(input: &Value) -> Vec<(&'static str, String)> {
    let mut out = document(pairs(&input["properties"]));
    out.push_str("\n%%\n");
    for (name, value) in pairs(&input["yarn_site"]) {
        let _ = writeln!(out, "{name}={value}");
    }
    vec![("capacity_file", out.clone()), ("capacity_check", out)]
}

/// Pairs of strings of an object.
fn pairs(object: &Value) -> impl Iterator<Item = (&String, String)> {
    object.as_object().into_iter().flatten().map(|(name, value)| (name, text(value)))
}

fn properties(input: &Value) -> String {
    let mut out = String::new();
    let types: Vec<&Value> = input["resource_types"].as_array().into_iter().flatten().collect();
    if !types.is_empty() {
        let names: Vec<String> = types.iter().map(|entry| text(&entry["name"])).collect();
        let _ = writeln!(out, "yarn.resource-types={}", names.join(","));
    }
    for entry in types {
        let _ = writeln!(out, "yarn.resource-types.{}.units={}", text(&entry["name"]), text(&entry["units"]));
    }
    for (name, value) in pairs(&input["properties"]) {
        let _ = writeln!(out, "{name}={value}");
    }
    out
}

/// An allocation file, then a line of options, the rules and the properties, each a line.
fn convert(input: &Value) -> String {
    let words = input["args"].as_array().into_iter().flatten().map(text);
    let options: Vec<String> = words.filter(|word| !word.contains(['@', '\n'])).collect();
    let (xml, rules) = (text(&input["xml"]), text(&input["rules"]));
    let mut out = format!("{xml}\n%%\n{}\n%%\n{}\n%%\n", options.join(" "), rules.trim_end());
    for (name, value) in pairs(&input["properties"]) {
        let _ = writeln!(out, "{name}={value}");
    }
    out
}

/// The same as a site file.
fn site_file(input: &Value) -> String {
    let lines = properties(input);
    let pairs = lines.lines().filter_map(|line| line.split_once('='));
    document(pairs.map(|(name, value)| (name, value.to_owned())))
}

/// Properties as a document.
fn document<N: std::fmt::Display>(pairs: impl Iterator<Item = (N, String)>) -> String {
    let mut out = String::from("<configuration>\n");
    for (name, value) in pairs {
        let value = value.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(out, "<property><name>{name}</name><value>{value}</value></property>");
    }
    out + "</configuration>\n"
}

/// Site files that may include each other; here they include themselves.
fn site_files(input: &Value) -> Vec<(&'static str, String)> {
    let names: Vec<&String> = input["files"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let include = |text: String| names.iter().fold(text, |text, name| text.replace(&format!("\"{name}\""), "\"self\""));
    pairs(&input["files"]).map(|(_, text)| ("site_file", include(text))).collect()
}

fn placement(input: &Value) -> String {
    let mut out = text(&input["xml"]);
    out.push_str("\n%%\n");
    for (name, value) in pairs(&input["properties"]) {
        let _ = writeln!(out, "property\t{name}\t{value}");
    }
    for (user, groups) in input["groups"].as_object().into_iter().flatten() {
        let groups: Vec<String> = groups.as_array().into_iter().flatten().map(text).collect();
        let _ = writeln!(out, "groups\t{user}\t{}", groups.join("\t"));
    }
    for submission in input["submit"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "submit\t{}\t{}", text(&submission["user"]), text(&submission["queue"]));
    }
    out.push_str("reload\nfinish\t0\nwake\n");
    out
}
