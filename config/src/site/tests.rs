//! Places, warnings and bounds; what comes out of a file is compared with Hadoop in `tests/site_files.rs`.

use super::*;
use crate::diagnostic::Diagnostic;

fn parse(text: &str) -> SiteFile {
    SiteFile::parse(text, "s.xml").unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> String {
    SiteFile::parse(text, "s.xml").expect_err(text).to_string()
}

/// Codes and places of warnings.
fn found(warnings: &[Diagnostic]) -> Vec<String> {
    let place =
        |found: &Diagnostic| found.at.as_ref().map(|at| format!("{}:{}", at.line, at.column)).unwrap_or_default();
    warnings.iter().map(|found| format!("{} {}", found.code, place(found))).collect()
}

#[test]
fn every_property_knows_the_places_of_its_name_and_value() {
    let text = "<configuration>\n<property>\n  <name> a </name>\n  <value>\n    1\n  </value></property>\
                <property name='b' value=' x&amp;'/>\n<property><name>c</name></property></configuration>";
    let file = parse(text);
    let places: Vec<String> =
        file.properties().iter().map(|property| format!("{} {}", property.name_at, property.at)).collect();
    assert_eq!(places, ["s.xml:3:10 s.xml:5:5", "s.xml:6:38 s.xml:6:49", "s.xml:7:17 s.xml:7:17"]);
    let marked = |index: usize| {
        let at = &file.properties()[index].at;
        &text[at.offset..at.offset + at.length]
    };
    assert_eq!((marked(0), marked(1), marked(2)), ("1", "x&amp;", "c"));
    assert!(file.warnings().is_empty());
}

#[test]
fn what_is_hardly_meant_is_a_warning_with_a_place() {
    for (text, codes) in [
        ("<conf><property name='a' value='1'/></conf>", vec!["root-element 1:1"]),
        ("<configuration><valu>1</valu></configuration>", vec!["unknown-element 1:16"]),
        (
            "<configuration>\n x<property><name>a</name>y</property></configuration>",
            vec!["stray-text 2:2", "stray-text 2:27"],
        ),
        ("<configuration><property><value>1</value></property></configuration>", vec!["no-name 1:16"]),
        ("<configuration><property nam='a' name='b'/></configuration>", vec!["unknown-attribute 1:31"]),
        ("<configuration><property name=' a' value='1'/></configuration>", vec!["name 1:33"]),
        (
            "<configuration><property><name>a</name><name>b</name><value>1</value></property></configuration>",
            vec!["given-twice 1:40"],
        ),
        (
            "<configuration><property><name>a</name><value>1</value><final>True</final></property></configuration>",
            vec!["final 1:56"],
        ),
        (
            "<configuration><property><name>a</name><value>1</value><property name='b'/></property></configuration>",
            vec!["nested-property 1:56"],
        ),
        (
            "<configuration><property name='a' value='1'/>\n<property name='a' value='2'/></configuration>",
            vec!["set-twice 2:17"],
        ),
        ("<configuration><property name='a' value='1'/>\n<property name='a'/></configuration>", vec![]),
        ("<configuration><fallback/><include/></configuration>", vec!["include 1:16", "include 1:27"]),
    ] {
        assert_eq!(found(parse(text).warnings()), codes, "{text}");
    }
}

#[test]
fn a_usual_file_has_no_warnings() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>\n\
                <!-- Site specific YARN configuration properties -->\n<configuration>\n\n<property>\n  \
                <description>d</description>\n  <name>a</name>\n  <value>1</value>\n  <final>false</final>\n  \
                <source>yarn-site.xml</source>\n  <tag>YARN</tag>\n</property>\n<property>\n  <name>b</name>\n  <value/>\n\
                </property>\n</configuration>\n";
    assert_eq!(parse(text).warnings(), []);
    assert_eq!(parse(&text.replace('\n', "\r\n")).properties().len(), 2);
}

#[test]
fn malformed_files_are_refused_with_a_place() {
    assert_eq!(
        refused("<configuration>\n<property></configuration>"),
        "s.xml:2:11: not well-formed XML: </configuration> closes nothing; <property> is open, so </property> must come first"
    );
    assert_eq!(
        refused("<configuration>\n <xi:include href='a'/></configuration>"),
        "s.xml:2:2: not well-formed XML: the prefix of xi:include is not declared; add xmlns:xi=\"...\", or write include"
    );
    let bomb = "<!DOCTYPE c [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><configuration>&b;</configuration>";
    assert!(refused(bomb).contains("a DOCTYPE is not allowed"), "{}", refused(bomb));
    assert!(refused("<configuration>&b;</configuration>").contains("\"&b;\" is not known"));
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(refused(&deep).contains("nested deeper than 200"));
    assert!(SiteFile::decode(b"<a>\xff</a>", "s.xml").is_err());
}

#[test]
fn other_files_come_from_the_caller_alone() {
    let text = "<configuration>\n<include href='more.xml'/></configuration>";
    let refused = SiteFile::parse(text, "s.xml").unwrap_err();
    assert_eq!((refused.at.line, refused.diagnostic().code), (2, "include"));
    assert!(refused.to_string().contains("<include href=\"more.xml\"> needs another file"), "{refused}");

    let with = |answer: Result<Option<&str>, &str>| {
        SiteFile::parse_with(text, "s.xml", &mut |href| match answer {
            Ok(text) => Ok(text.map(|text| Included { text: text.to_owned(), source_name: href.to_owned() })),
            Err(problem) => Err(problem.to_owned()),
        })
    };
    let file = with(Ok(Some("<configuration>\n\n<property name='a' value='1'/></configuration>"))).unwrap();
    assert_eq!(file.properties()[0].at.to_string(), "more.xml:3:27");
    assert!(with(Ok(None)).unwrap_err().to_string().contains("there is no such file"));
    assert!(with(Err("may not be read")).unwrap_err().to_string().ends_with("may not be read"));
    assert_eq!(with(Ok(Some("<configuration>"))).unwrap_err().at.source.as_ref(), "more.xml");
    // A file that includes itself, and one that includes ever more.
    assert!(with(Ok(Some(text))).unwrap_err().to_string().contains("more than 8 deep"));
    let many = "<configuration><include href='b'/><include href='b'/></configuration>";
    assert!(with(Ok(Some(many))).unwrap_err().to_string().contains("100 in all"));
}

#[test]
fn layers_know_where_each_value_comes_from() {
    let file = |name: &str, text: &str| SiteFile::parse(text, name).unwrap();
    let mut site = SiteProperties::new();
    site.set("c", "set");
    site.add(&file(
        "first.xml",
        "<configuration><property name='a' value='1' final='true'/>\n<property name='b' value='2'/>\
         <property name='d' value='3' final='true'/></configuration>",
    ));
    site.add(&file(
        "second.xml",
        "<configuration><property name='a' value='4'/><property name='b' value='5'/>\n<property name='c' value='6'/>\
         <property name='d' value='3'/></configuration>",
    ));
    site.set(" d ", "set");
    let all: Vec<(&str, &str)> = site.names().into_iter().map(|name| (name, site.raw(name).unwrap())).collect();
    assert_eq!(all, [("a", "1"), ("b", "5"), ("c", "set"), ("d", "set")]);
    assert_eq!(site.origin("a").unwrap().at().unwrap().to_string(), "first.xml:1:42");
    assert_eq!(site.origin("b").unwrap().name_at().unwrap().to_string(), "second.xml:1:62");
    assert_eq!(site.origin("c"), Some(&Origin::Set));
    let warnings: Vec<String> = site.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "second.xml:1:32: a is final since first.xml:1:32; it keeps the value that it has there; remove this one, or \
             the final there",
            "first.xml:2:47: d is final, but was set by key=value; what was set counts",
        ]
    );
}

/// On one line, and with names behind their values, places are still found by walking a little.
#[test]
fn a_long_line_is_read_in_one_go() {
    let property = "<property><value>1</value><name>\u{e9}NAME</name></property>";
    let text: String = (0..40_000).map(|i| property.replace("NAME", &i.to_string())).collect();
    let file = parse(&format!("<configuration>{text}</configuration>"));
    assert_eq!(file.properties().len(), 40_000);
    let last = file.properties().last().unwrap();
    assert!(last.name_at.column > 40_000 * 50 && last.name_at.column < last.name_at.offset);
}

#[test]
fn what_is_said_of_a_file_is_bounded() {
    let file = parse(&format!("<configuration>{}</configuration>", "<x/>".repeat(100_000)));
    assert_eq!(file.warnings().len(), 1001);
    assert_eq!(file.warnings()[1000].code, "too-many-warnings");
}
