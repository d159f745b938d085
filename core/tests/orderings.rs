//! Every access to an atomic word stands in the table of `docs/concurrency.md`, with its ordering and with what shows
//! it.
//!
//! Reads `src` and the table, both as text: a function that accesses atomics and is not listed is named, as is a row
//! that lists what is there no more, names another ordering than the code, or a model or test that does not exist.
//! `sync`, where the types themselves are, is left out.

use evenweave_testkit::sources::{code_only, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const ORDERINGS: [(&str, &str); 5] = [
    ("Ordering::Relaxed", "relaxed"),
    ("Ordering::Acquire", "acquire"),
    ("Ordering::Release", "release"),
    ("Ordering::AcqRel", "acquire-release"),
    ("Ordering::SeqCst", "sequential"),
];

/// Orderings by file and function.
type Sites = BTreeMap<(String, String), BTreeSet<&'static str>>;

/// Whether the braces that open after `start` are still open at `at`.
fn encloses(code: &str, start: usize, at: usize) -> bool {
    let mut depth = 0_u32;
    for c in code[start..at].chars() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return false;
                }
            }
            _ => {}
        }
    }
    depth > 0
}

fn name(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// Where items begin with `keyword`, `fn` or `impl`, before a place, the last first. In an argument's type `impl` has
/// no line's beginning.
fn items<'a>(code: &'a str, keyword: &'a str, before: usize) -> impl Iterator<Item = usize> + 'a {
    let begins = move |at: &usize| {
        let line = code[..*at].rfind('\n').map_or(0, |end| end + 1);
        let qualified = |word: &str| word.starts_with("pub") || word == "const";
        code[line..*at].split_whitespace().all(qualified) && code[at + keyword.len()..].starts_with([' ', '<'])
    };
    code[..before].rmatch_indices(keyword).map(|(at, _)| at).filter(begins)
}

/// `Type::function`, or `function` outside of an `impl`, that the place `at` is in.
fn function(code: &str, at: usize) -> String {
    let start = items(code, "fn", at).next().expect("an access is in a function");
    let function = name(code[start + "fn".len()..].trim_start());
    let Some(block) = items(code, "impl", start).find(|block| encloses(code, *block, at)) else {
        return function.to_owned();
    };
    let head = &code[block + "impl".len()..];
    let head = &head[..head.find('{').unwrap_or(head.len())];
    let head = head.rsplit(" for ").next().unwrap_or(head).trim_start();
    // Generic parameters of the block itself come first.
    let head = if head.starts_with('<') { head.split_once('>').map_or(head, |(_, rest)| rest) } else { head };
    format!("{}::{function}", name(head.trim_start()))
}

/// What one file accesses.
fn accesses(path: &str, source: &str) -> Sites {
    let code = code_only(source);
    let mut sites = Sites::new();
    for (text, ordering) in ORDERINGS {
        for (at, _) in code.match_indices(text) {
            sites.entry((path.to_owned(), function(&code, at))).or_default().insert(ordering);
        }
    }
    sites
}

/// A row of the table: the functions, their orderings, and what shows them to be right.
struct Row {
    sites: Vec<(String, String)>,
    orderings: BTreeSet<String>,
    shown_by: String,
}

/// What stands between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn rows(page: &str) -> Vec<Row> {
    let (_, section) = page.split_once("\n## Orderings\n").expect("the page has the section");
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let table = section.lines().filter(|line| line.starts_with("| `"));
    table
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), 4, "a row has four cells: {line}");
            let mut file = "";
            let mut sites = Vec::new();
            for item in quoted(cells[0]) {
                if item.ends_with(".rs") {
                    file = item;
                } else {
                    sites.push((file.to_owned(), item.to_owned()));
                }
            }
            let orderings = cells[1].trim().split(", ").map(str::to_owned).collect();
            Row { sites, orderings, shown_by: cells[3].to_owned() }
        })
        .collect()
}

/// What is wrong with the rows, held against what is accessed.
fn compare(sites: &Sites, rows: &[Row], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut listed = BTreeSet::new();
    for row in rows {
        for site in &row.sites {
            let place = format!("{}: {}", site.0, site.1);
            if !listed.insert(site) {
                wrong.push(format!("{place} is listed twice"));
            }
            match sites.get(site) {
                None => wrong.push(format!("{place} accesses no atomic word")),
                Some(used) if !used.iter().copied().eq(row.orderings.iter().map(String::as_str)) => {
                    wrong.push(format!("{place} uses {used:?}, the table says {:?}", row.orderings));
                }
                Some(_) => {}
            }
        }
        let missing = quoted(&row.shown_by).filter(|file| !exists(file));
        wrong.extend(missing.map(|file| format!("{file} is neither a model nor a test")));
    }
    wrong.extend(
        sites.keys().filter(|site| !listed.contains(site)).map(|(file, name)| format!("{file}: {name} is not listed")),
    );
    wrong
}

#[test]
fn every_access_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../docs/concurrency.md")).expect("the page is there");
    let outside_sync = |(path, _): &(String, String)| !path.starts_with("sync/");
    let sites: Sites = sources(env!("CARGO_MANIFEST_DIR"))
        .iter()
        .filter(|file| outside_sync(file))
        .flat_map(|(path, source)| accesses(path, source))
        .collect();
    assert!(sites.len() > 60, "the accesses are found");
    let exists = |name: &str| {
        let places = ["../loom-tests/tests", "tests"].map(|place| root.join(place).join(format!("{name}.rs")));
        places.iter().any(|place| place.is_file())
    };
    let wrong = compare(&sites, &rows(&page), exists);
    assert!(wrong.is_empty(), "the table of orderings in docs/concurrency.md:\n{}", wrong.join("\n"));
}

#[test]
fn functions_have_the_names_of_their_types() {
    let source = "
        fn free(x: &AtomicU32) { x.load(Ordering::Acquire); }
        impl<T> Cell<T> {
            pub(crate) fn get(&self, f: impl Fn() -> u32) -> u32 { /* Ordering::SeqCst */ self.0.load(Ordering::Relaxed) }
        }
        impl Default for Other {
            fn default() -> Self { Other(X.swap(1, Ordering::AcqRel)) }
        }
        fn last(x: &AtomicU32) { x.compare_exchange(0, 1, Ordering::Release, Ordering::Relaxed); }
        fn no_atomic(a: u32) -> Ordering { Ordering::Less }";
    let found = accesses("a.rs", source);
    let found: Vec<_> =
        found.iter().map(|((_, name), used)| (name.as_str(), Vec::from_iter(used.iter().copied()))).collect();
    let expected = [
        ("Cell::get", vec!["relaxed"]),
        ("Other::default", vec!["acquire-release"]),
        ("free", vec!["acquire"]),
        ("last", vec!["relaxed", "release"]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_differs_is_named() {
    let page = "\n## Orderings\n\n| site | ordering | pairs with | model or test |\n| --- | --- | --- | --- |\n\
        | `a.rs` `one`, `two` | acquire | `b` | `there` |\n| `a.rs` `gone` | relaxed | nobody | `missing` |\n\n## Next\n\n| `a.rs` `x` |";
    let used = |ordering| BTreeSet::from([ordering]);
    let site = |name: &str| ("a.rs".to_owned(), name.to_owned());
    let sites =
        Sites::from([(site("one"), used("acquire")), (site("two"), used("relaxed")), (site("new"), used("release"))]);
    let wrong = compare(&sites, &rows(page), |name| name == "there");
    let expected = [
        "a.rs: two uses {\"relaxed\"}, the table says {\"acquire\"}",
        "a.rs: gone accesses no atomic word",
        "missing is neither a model nor a test",
        "a.rs: new is not listed",
    ];
    assert_eq!(wrong, expected);
}
