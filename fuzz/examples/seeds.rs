//! Makes inputs of the fuzz targets from recorded configuration cases: `cargo run --example seeds -- VECTORS CORPUS`.
//!
//! `VECTORS` is a directory of `*.jsonl` or `*.jsonl.gz`; each case becomes a file `CORPUS/TARGET/CASE`. See the README.

use serde_json::Value;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [vectors, corpus] = arguments.as_slice() else {
        eprintln!("usage: seeds VECTORS CORPUS");
        std::process::exit(2);
    };
    for entry in fs::read_dir(vectors)? {
        let path = entry?.path();
        let Some(family) = path.file_name().and_then(|name| name.to_str()?.split(".jsonl").next()) else { continue };
        let make: fn(&Value) -> Vec<(&'static str, String)> = match family {
            "resource-strings" => |input| vec![("resource_string", text(&input["value"]))],
            "allocation-files" | "acl" => allocation_files,
            "properties" => |input| vec![("properties", properties(input))],
            "placement" => |input| vec![("placement", placement(input)), ("allocation_file", text(&input["xml"]))],
            _ => continue,
        };
        for line in read(&path)?.lines() {
            let case: Value = serde_json::from_str(line)?;
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
