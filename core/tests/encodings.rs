//! Encodings against what Hadoop 3.4.2's two parsers made of the same bytes: that of allocation files, and that of
//! properties.
//!
//! `data/encodings/names.tsv` has names, and which parser (D: allocation files, W: properties) reads a file in ASCII
//! that declares them. `bytes.jsonl.gz` has a file a line in hexadecimal for each parser, and what it read (`queue`,
//! `value`), or null where it refused the file. `Recorder.java` beside them recorded both.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::AllocationFile;
use evenweave::config::SiteFile;
use evenweave::resource::ResourceTypes;
use serde_json::Value;
use std::io::Read;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/encodings/");

/// The name of the queue below root.
fn queue(bytes: &[u8]) -> Option<String> {
    let text = AllocationFile::decode(bytes, "f.xml").ok()?;
    let file = AllocationFile::parse(&text, "f.xml", &ResourceTypes::standard(), &[]).ok()?.file;
    let names = file.leaves.iter().chain(&file.parents);
    names.filter_map(|name| name.strip_prefix("root.")).map(str::to_owned).next()
}

/// The value of the property.
fn value(bytes: &[u8]) -> Option<String> {
    let text = SiteFile::decode(bytes, "s.xml").ok()?;
    let file = SiteFile::parse(&text, "s.xml").ok()?;
    file.properties().first()?.value.clone()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn names_are_those_of_hadoops_parsers() {
    let recorded = std::fs::read_to_string(format!("{DATA}names.tsv")).unwrap();
    let mut differ = Vec::new();
    let mut known = 0;
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let (name, parsers) = line.split_once('\t').unwrap();
        let file = |inner: &str| format!("<?xml version='1.0' encoding='{name}'?>\n{inner}");
        let allocations = queue(file("<allocations><queue name='a'/></allocations>").as_bytes());
        let property = "<configuration><property><name>p</name><value>a</value></property></configuration>";
        let properties = value(file(property).as_bytes());
        let ours = [if allocations.is_some() { 'D' } else { '-' }, if properties.is_some() { 'W' } else { '-' }];
        known += usize::from(allocations.is_some());
        if !parsers.chars().eq(ours) {
            differ.push(format!("{name}: {parsers}, here {ours:?}"));
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(known > 400, "{known} names");
}

/// Where single characters differ, or how many U+FFFD stand for broken bytes (docs/deviations.md): what a case begins
/// with. Such a file is taken or refused as by Hadoop all the same.
const APART: [&str; 8] = [
    "half of a pair",
    "windows-1255 all",
    "KOI8-U all",
    "MS936 text",
    "GB18030 8130",
    "Big5 8e",
    "EUC-JP ",
    "Shift_JIS 8740",
];

#[test]
fn bytes_are_read_as_by_hadoops_parsers() {
    let mut text = String::new();
    let file = std::fs::File::open(format!("{DATA}bytes.jsonl.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut differ = Vec::new();
    let mut refused = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let ours = [queue(&bytes(&case["allocations"])), value(&bytes(&case["properties"]))];
        for (ours, (parser, kind)) in ours.iter().zip([("queue", "allocations"), ("value", "properties")]) {
            refused += usize::from(ours.is_none());
            // A queue's name has no white space at its ends, and what is left must be something.
            let recorded = case[parser].as_str().map(|text| if parser == "queue" { text.trim() } else { text });
            let recorded = recorded.filter(|text| !text.is_empty());
            let apart = APART.iter().any(|apart| case["what"].as_str().unwrap().starts_with(apart));
            let same = if apart { ours.is_some() == recorded.is_some() } else { ours.as_deref() == recorded };
            if !same {
                differ.push(format!("{kind}, {}: {}, here {ours:?}", case["what"], case[parser]));
            }
        }
    }
    assert!(differ.is_empty(), "{}\n{differ:#?}", differ.len());
    assert!(refused > 100, "{refused} files refused");
}

/// What is lost is told of, with its place; what Hadoop reads and nothing here does is not called a fault of Hadoop's.
#[test]
fn what_is_lost_or_not_read_here_is_said() {
    let gbk = b"<?xml version='1.0' encoding='GBK'?>\n<allocations>\n <!-- \xff -->\n</allocations>";
    let lost = AllocationFile::replaced_bytes(gbk, "f.xml").unwrap();
    assert_eq!(
        lost.to_string(),
        "f.xml:3:7: bytes that have no character in GBK; Hadoop reads U+FFFD in their place; \
                                  declare the encoding that the file is in, or save it as UTF-8"
    );
    assert_eq!(AllocationFile::replaced_bytes(b"<allocations/>", "f.xml"), None);
    let thai = b"<?xml version='1.0' encoding='x-MacThai'?>\n<allocations>\xe9</allocations>";
    let error = AllocationFile::decode(thai, "f.xml").unwrap_err().diagnostic();
    assert_eq!((error.code, error.at.unwrap().line), ("unsupported-encoding", 2));
    assert!(error.effect.unwrap().starts_with("Hadoop takes the file"), "{}", error.message);
    let mainframe = SiteFile::decode(b"\x4c\x6f\xa7\x94\x93", "s.xml").unwrap_err();
    assert_eq!(mainframe.diagnostic().code, "unsupported-encoding");
    let contradicts =
        SiteFile::decode(b"\xfe\xff\0<\0?\0x\0m\0l\0 \0e\0n\0c\0o\0d\0i\0n\0g\0=\0'\0u\0t\0f\0-\08\0'\0?\0>", "s.xml");
    assert!(
        contradicts.unwrap_err().to_string().contains("the bytes are UTF-16BE, but the XML declaration says utf-8")
    );
}
