//! Site files against what Hadoop's `Configuration` (3.4.2) made of the same texts.
//!
//! `data/site-files/recorded.jsonl.gz` holds one case a line: `input` has `files` by name, those to `load` one after
//! the other, and pairs to `set` over them; `expect` is an error, or the `raw` and the expanded `values`, the `final`
//! names and those of which an override was `refused`. `Recorder.java` beside it recorded them.

#![allow(clippy::unwrap_used, reason = "a test, outside any #[test] function")]

use evenweave::Settings;
use evenweave::config::{Included, Origin, SiteFile, SiteFileError, SiteProperties};
use proptest::prelude::{any, prop_assert};
use proptest::strategy::Strategy;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io::Read;

fn cases() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/site-files/recorded.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The environment and the system properties of the recorder.
fn surroundings(site: &mut SiteProperties) {
    site.set_environment(|name| {
        let known = [("HOME", "/home/op"), ("EMPTY", ""), ("A:B", "colon"), ("A-B", "dash")];
        known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    });
    site.set_system_properties(|name| {
        let known = [("site.system", "from the system"), ("site.nothing", "")];
        known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    });
}

fn load(input: &Value) -> Result<SiteProperties, SiteFileError> {
    let files: &Map<String, Value> = input["files"].as_object().unwrap();
    let text = |name: &str| files.get(name).map(|text| text.as_str().unwrap().to_owned());
    let mut site = SiteProperties::new();
    surroundings(&mut site);
    for name in input["load"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        let mut include = |href: &str| Ok(text(href).map(|text| Included::new(text, href)));
        site.add(&SiteFile::parse_with(&text(name).unwrap(), name, &mut include)?);
    }
    for pair in input["set"].as_array().into_iter().flatten() {
        site.set(pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
    }
    Ok(site)
}

fn names(list: &Value) -> BTreeSet<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn compare(site: &SiteProperties, expect: &Value) -> Result<(), String> {
    let raw = expect["raw"].as_object().unwrap();
    let ours: Vec<(&str, &str)> = site.names().into_iter().map(|name| (name, site.raw(name).unwrap())).collect();
    let mut recorded: Vec<(&str, &str)> =
        raw.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
    recorded.sort_unstable();
    if ours != recorded {
        return Err(format!("properties: {ours:?}, recorded {recorded:?}"));
    }
    for (name, value) in expect["values"].as_object().unwrap() {
        // Hadoop trims the name that is asked for.
        if name.trim() != name {
            continue;
        }
        let ours = site.get(name);
        let same = match value.is_object() {
            true => ours.is_err(),
            false => ours.as_ref().is_ok_and(|ours| ours.as_deref() == value.as_str()),
        };
        if !same {
            return Err(format!("{name}: {ours:?}, recorded {value}"));
        }
    }
    let finals = names(&expect["final"]);
    for name in raw.keys().map(String::as_str).chain(finals.iter().copied()) {
        if site.is_final(name) != finals.contains(name) {
            return Err(format!("{name}: final {}", site.is_final(name)));
        }
    }
    let warnings = site.warnings();
    let refused = warnings.iter().filter(|found| found.code == "final");
    let refused: BTreeSet<&str> = refused.filter_map(|found| found.message.split(" is final since").next()).collect();
    let recorded = names(&expect["refused"]);
    // Where a property is final without a value, Hadoop refuses others in silence.
    let valued = |name: &&str| recorded.contains(name) || matches!(site.origin(name), Some(Origin::File { .. }));
    let refused: BTreeSet<&str> = refused.into_iter().filter(valued).collect();
    if refused != recorded {
        return Err(format!("refused: {refused:?}, recorded {recorded:?}"));
    }
    Ok(())
}

#[test]
fn files_layers_and_variables() {
    let (mut failed, mut compared, mut refused) = (Vec::new(), 0, 0);
    for case in cases() {
        let (name, input, expect) = (&case["name"], &case["input"], &case["expect"]);
        compared += 1;
        match load(input) {
            Err(_) if expect.get("error").is_some() => refused += 1,
            Err(error) => failed.push(format!("{name}: refused: {error}")),
            Ok(_) if expect.get("error").is_some() => failed.push(format!("{name}: accepted, recorded {expect}")),
            Ok(site) => failed.extend(compare(&site, expect).err().map(|difference| format!("{name}: {difference}"))),
        }
    }
    assert!(failed.is_empty(), "{} of {compared} differ:\n{}", failed.len(), failed.join("\n"));
    assert_eq!((compared, refused), (454, 27));
}

/// Pieces from which something like a site file comes about, and anything else.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "<configuration>",
        "</configuration>",
        "<property>",
        "</property>",
        "<name>",
        "</name>",
        "<value>",
        "</value>",
        "<final>true</final>",
        "<property name='yarn.resource-types' value='gpu,a/b'/>",
        "<property name='yarn.resource-types.gpu.units' value='",
        "yarn.scheduler.fair.",
        "max.assign",
        "yarn.scheduler.fair.am.preemption.root.a",
        "${",
        "}",
        "${env.HOME:-x}",
        "'/>",
        "0x7f",
        "\r\n",
        "<include href='x'/>",
        "<include href='y'><fallback>",
        "</fallback></include>",
        "<![CDATA[",
        "]]>",
        "\u{e9}",
    ];
    proptest::prop_oneof![
        8 => (0..known.len()).prop_map(move |i| known[i].to_owned()),
        1 => any::<String>(),
    ]
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever the text, there is a file or an error, and every place is inside it.
    #[test]
    fn no_text_is_too_odd(pieces in proptest::collection::vec(piece(), 0..60), closed in any::<bool>()) {
        let inner = pieces.concat();
        let text = if closed { format!("<configuration>{inner}</configuration>") } else { inner };
        let mut include = |href: &str| Ok((href == "x").then(|| Included::new(&text, "x")));
        let inside = |at: &evenweave::config::Place| at.line > 0 && at.column > 0 && at.offset + at.length <= text.len();
        match SiteFile::parse_with(&text, "s.xml", &mut include) {
            Err(error) => prop_assert!(inside(&error.at), "{error}"),
            Ok(file) => {
                let mut site = SiteProperties::new();
                surroundings(&mut site);
                site.add(&file);
                let (settings, found) = Settings::check(&site);
                prop_assert!(settings.is_some() || !found.is_empty());
                prop_assert!(found.iter().filter_map(|found| found.at.as_ref()).all(inside), "{found:?}");
                for property in file.properties() {
                    prop_assert!(inside(&property.at) && inside(&property.name_at));
                    // An error or a value, never a panic.
                    let _ = site.get(&property.name);
                }
            }
        }
    }
}
