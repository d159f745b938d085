//! An allocation file with options, rules and properties, parted by lines `%%`: the conversion ends with a reason in
//! one line, or gives files that are read as they were written.

#![no_main]

use evenweave::config::convert::{
    Allocations, ConversionRules, ConvertOptions, ConvertFault, FairFiles, convert, site_file,
};
use evenweave::config::{SiteFile, SiteProperties};
use evenweave::resource::ResourceTypes;
use evenweave_fuzz::{TYPES, is_one_line, properties};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

fn check_written(properties: &BTreeMap<String, String>) {
    let text = site_file(properties);
    // A name or value may hold what no file of XML can.
    let Ok(file) = SiteFile::parse(&text, "written") else {
        assert!(text.contains(|c: char| c.is_control() && !c.is_whitespace() || matches!(c, '\u{fffe}' | '\u{ffff}')));
        return;
    };
    for ((name, value), (read_name, read)) in properties.iter().filter(|(_, value)| !value.is_empty()).zip(file.pairs()) {
        assert_eq!((name.trim(), value.as_str()), (read_name.trim(), read));
    }
}

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(4, "\n%%\n");
    let mut part = || parts.next().unwrap_or_default();
    let (xml, words, rules, lines) = (part(), part(), part(), part());
    let has = |word: &str| words.split(' ').any(|found| found == word);
    let site: SiteProperties = properties(lines).collect();
    let types = if has("types") { ResourceTypes::with_custom(TYPES).expect("valid names") } else { ResourceTypes::standard() };
    let mut options = ConvertOptions::default();
    options.rules = ConversionRules::parse(rules.as_bytes()).unwrap_or_default();
    options.percentages = has("-pc");
    options.asynchronous = has("-a");
    options.no_terminal_rule_check = has("-t");
    options.skip_placement_rules = has("-sp");
    options.rules_to_file = has("-e");
    options.dry_run = has("-d");
    let allocations = Allocations::Text { bytes: xml.as_bytes(), name: "f.xml" };
    let files = FairFiles { site: &site, types: &types, allocations };
    for safe in [false, true] {
        options.safe = safe;
        match convert(&files, &options).result {
            Err(error) => {
                if let Some(found) = &error.found {
                    assert!(is_one_line(&found.to_string()), "{found}");
                }
            }
            Ok(converted) => {
                check_written(&converted.capacity);
                check_written(&converted.yarn_site);
                if let Err(error) = converted.verify() {
                    assert_eq!(error.fault, ConvertFault::Verification);
                    assert!(!safe || !error.to_string().contains("Illegal"), "{error}");
                }
                assert!(converted.changes.iter().all(|change| is_one_line(&change.message)));
            }
        }
    }
});
