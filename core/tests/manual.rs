//! The operator's page, `docs/configuration.md`: its examples are taken without a warning, its table of amounts is
//! right.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::config::{CheckOptions, Missing, SiteFile, SiteProperties, parse_resource};
use evenweave::resource::ResourceTypes;
use evenweave::{AllocationFile, Resource, Settings};

const PAGE: &str = include_str!("../../docs/configuration.md");

/// The code blocks marked as XML.
fn blocks() -> impl Iterator<Item = &'static str> {
    PAGE.split("```xml\n").skip(1).map(|rest| rest.split("```").next().unwrap())
}

#[test]
fn allocation_files_are_taken_without_a_warning() {
    let (types, mut seen) = (ResourceTypes::standard(), 0);
    for text in blocks().filter(|text| text.starts_with("<allocations>")) {
        let checked = AllocationFile::check(text, "configuration.md", &CheckOptions::new(&types));
        let found: Vec<String> = checked.diagnostics.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn site_files_are_taken_without_a_warning() {
    let mut seen = 0;
    for text in blocks().filter(|text| text.starts_with("<configuration>")) {
        let file = SiteFile::parse(text, "configuration.md").unwrap();
        let mut site = SiteProperties::new();
        site.add(&file);
        let (settings, found) = Settings::check(&site);
        assert!(settings.is_some() && found.is_empty(), "{found:?}");
        seen += 1;
    }
    assert_eq!(seen, 1);
}

#[test]
fn amounts_are_what_the_table_says() {
    let table = PAGE.split("<!-- amounts -->").nth(1).unwrap();
    let rows = table.lines().skip(3).take_while(|line| line.starts_with('|'));
    let cluster = Resource::new(102_400, 100);
    let mut seen = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, text, memory, vcores, _] = cells[..] else { panic!("{row}") };
        let limit = parse_resource(text, &ResourceTypes::standard(), Missing::Max);
        if memory == "refused" {
            assert!(limit.is_err(), "{row}");
        } else {
            let amounts = limit.unwrap().of(&cluster);
            assert_eq!((amounts.memory_mb().to_string(), amounts.vcores().to_string()), (memory.into(), vcores.into()));
        }
        seen += 1;
    }
    assert_eq!(seen, 15);
}
