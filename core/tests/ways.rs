//! The ways that `docs/architecture.md` leads a reader are there, and are short: each file has what is named of it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeSet;
use std::path::Path;

/// The rows of the table under a heading: the file of the row's link, and what to begin at.
fn rows(page: &str, heading: &str) -> Vec<(String, String)> {
    let section = page.split_once(&format!("\n{heading}\n")).unwrap().1;
    let section = section.split("\n#").next().unwrap();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2).map(cells);
    let link = |cell: &str| cell.split_once("](../").unwrap().1.trim_end_matches(')').to_owned();
    rows.map(|cells| (link(&cells[1]), cells[2].trim_matches('`').to_owned())).collect()
}

/// Whether a text has the definition of a function or a type of this name.
fn defines(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_there = |kind: &str| text.split(&format!("{kind}{name}")).skip(1).any(ends);
    ["fn ", "struct ", "enum "].into_iter().any(is_there)
}

/// What is wrong with the rows of a way; `text` gives a file's text.
fn faults(rows: &[(String, String)], text: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let fault = |(file, name): &(String, String)| match text(file) {
        None => Some(format!("{file} is not there")),
        Some(text) => (!defines(&text, name)).then(|| format!("{file} has no {name}")),
    };
    rows.iter().filter_map(fault).collect()
}

#[test]
fn a_heartbeat_leads_through_few_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = |file: &str| std::fs::read_to_string(root.join(file)).ok();
    let page = text("docs/architecture.md").unwrap();
    let fair = rows(&page, "### A FairScheduler's heartbeat");
    let mut capacity = fair[..8].to_vec();
    capacity.extend(rows(&page, "### A CapacityScheduler's heartbeat"));
    for (way, at_most) in [(&fair, 15), (&capacity, 18)] {
        let files: BTreeSet<_> = way.iter().map(|(file, _)| file).collect();
        assert!((10..=at_most).contains(&files.len()), "{} files", files.len());
        assert_eq!(faults(way, text), [""; 0]);
    }
}

#[test]
fn a_row_that_names_what_is_not_there_is_told() {
    let page = concat!(
        "\n## A way\n\n| | file | begin |\n| --- | --- | --- |\n",
        "| 1 | [`a`](../a.rs) | `go` |\n| 2 | [`b`](../b.rs) | `run` |\n\n## Next\n"
    );
    let text = |file: &str| (file == "a.rs").then(|| "fn gone() {} fn go() {}".to_owned());
    assert_eq!(faults(&rows(page, "## A way"), text), ["b.rs is not there"]);
    let text = |_: &str| Some("struct run; fn going() {}".to_owned());
    assert_eq!(faults(&rows(page, "## A way"), text), ["a.rs has no go"]);
}
