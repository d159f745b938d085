//! The ways on which `docs/architecture.md` leads a reader exist and are short, and each file has the functions that
//! are named with it. Files and modules that any page names exist.

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

/// The text between backticks, in order.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names of the second column of *Which file to open*: files with what they are to define. A folder defines
/// nothing.
fn questions(page: &str) -> Vec<(String, Option<String>)> {
    let section = page.split_once("\n### Which file to open\n").unwrap().1;
    let section = section.split("\n#").next().unwrap();
    let mut named = Vec::new();
    for row in section.lines().filter(|line| line.starts_with("| ")).skip(2) {
        let mut file = String::new();
        for name in quoted(row.split(" | ").nth(1).unwrap()) {
            if name.contains('/') {
                name.clone_into(&mut file);
                named.push((file.clone(), None));
            } else if !file.is_empty() {
                named.push((file.clone(), Some(name.to_owned())));
            }
        }
    }
    named
}

/// What is wrong with these names; `text` gives a file's text, or an empty one of a folder.
fn wrong_answers(named: &[(String, Option<String>)], text: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let fault = |(file, name): &(String, Option<String>)| match (text(file), name) {
        (None, _) => Some(format!("{file} is not there")),
        (Some(text), Some(name)) => (!defines(&text, name)).then(|| format!("{file} has no {name}")),
        (Some(_), None) => None,
    };
    named.iter().filter_map(fault).collect()
}

#[test]
fn each_question_leads_to_a_file_that_answers_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = |file: &str| {
        let found = [root.join("core/src").join(file), root.join(file)].into_iter().find(|path| path.exists())?;
        Some(if found.is_dir() { String::new() } else { std::fs::read_to_string(found).unwrap() })
    };
    let named = questions(&std::fs::read_to_string(root.join("docs/architecture.md")).unwrap());
    assert!(named.len() > 40, "{named:?}");
    assert_eq!(wrong_answers(&named, text), [""; 0]);
}

#[test]
fn a_question_that_leads_nowhere_is_told() {
    let page = concat!(
        "\n### Which file to open\n\n| if you ask | open |\n| --- | --- |\n",
        "| what | `a/b.rs` (`go`, `End`), `c/d.rs` |\n| where `x/y.rs` is | `a` |\n\n## Next\n"
    );
    let text = |file: &str| (file == "a/b.rs").then(|| "fn go() {} enum Ends {}".to_owned());
    assert_eq!(wrong_answers(&questions(page), text), ["a/b.rs has no End", "c/d.rs is not there"]);
}

/// All files of Rust below a folder, as paths from `root` on.
fn rust_files(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{folder}/{name}");
        if root.join(&path).is_dir() {
            rust_files(root, &path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// The files and modules that a page names and that do not exist. `files`: path and text.
fn unknown(page: &str, files: &[(String, String)]) -> Vec<String> {
    let lower = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c));
    let ends_with = |path: &str, name: &str| path == name || path.ends_with(&format!("/{name}"));
    let modules = |name: &str| {
        let [file, folder] = [format!("{name}.rs"), format!("{name}/mod.rs")];
        files.iter().filter(move |(path, _)| ends_with(path, &file) || ends_with(path, &folder))
    };
    let is_known = |name: &str| {
        if name.ends_with(".rs") {
            return files.iter().any(|(path, _)| ends_with(path, name));
        }
        // The crate of configuration files is a module of the core.
        let path = name.replace("::", "/").replacen("config/", "", 1);
        let Some((above, last)) = path.rsplit_once('/') else { return modules(&path).next().is_some() };
        let is_item = || modules(above).any(|(_, text)| defines(text, last));
        ["std::", "clippy::", "evenweave"].iter().any(|of| name.starts_with(of))
            || modules(&path).next().is_some()
            || is_item()
    };
    // Examples of code are something else.
    let prose: String = page.split("```").step_by(2).collect();
    let is_path = |name: &&str| name.ends_with(".rs") || name.contains("::") && lower(name) && *name != "::";
    quoted(&prose)
        .filter(|name| !name.contains([' ', '\n', '*']))
        .filter(is_path)
        .filter(|name| !is_known(name))
        .map(str::to_owned)
        .collect()
}

#[test]
fn pages_name_files_and_modules_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = Vec::new();
    for folder in [
        "core",
        "config",
        "resource",
        "server",
        "tools",
        "simulator",
        "bench",
        "cli",
        "testkit",
        "loom-tests",
        "yarn/native",
    ] {
        rust_files(root, folder, &mut paths);
    }
    let files: Vec<_> =
        paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(root.join(path)).unwrap())).collect();
    let mut wrong = Vec::new();
    for folder in ["docs", "docs/adr", "."] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            // The changelog names files as they were.
            let is_page = path.extension().is_some_and(|of| of == "md") && !path.ends_with("CHANGELOG.md");
            if is_page {
                let page = std::fs::read_to_string(&path).unwrap();
                wrong.extend(unknown(&page, &files).into_iter().map(|name| format!("{}: {name}", path.display())));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_name_of_nothing_is_found() {
    let files = [("core/src/a/mod.rs", "fn go() {}"), ("core/src/a/x.rs", ""), ("config/src/y.rs", "")];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let page = "`a::x`, `a::go`, `a/x.rs`, `config::y`, `Type::new`, `std::sync`; `a::z`, `b/x.rs`, `config::z`\n```\n`c::d`\n```\n`e::f`";
    assert_eq!(unknown(page, &files), ["a::z", "b/x.rs", "config::z", "e::f"]);
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
