//! The table of `docs/configuration-checks.md` has every code that the sources can give, and no other.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Calls whose first text is a code.
const CALLS: [&str; 6] = ["warning", "error", "warn", "warn_of_queue", "find", "push"];

/// All Rust files below, tests left out.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") && path.file_name().unwrap() != "tests.rs" {
            found.push(path);
        }
    }
}

/// The code of a file without comments and unit tests.
fn code_of(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}

/// Every text of a source, without its quotes, and where it begins.
fn texts(source: &str) -> Vec<(usize, &str)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = source[at..].find('"').map(|found| at + found) {
        // A character, `'"'`, begins no text.
        if source[..start].ends_with('\'') && source[start + 1..].starts_with('\'') {
            at = start + 1;
            continue;
        }
        let mut escaped = false;
        let end = source[start + 1..].char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let end = start + 1 + end.map_or(source.len() - start - 1, |(end, _)| end);
        found.push((start, &source[start + 1..end]));
        at = end + 1;
    }
    found
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The call that a place is in: its name and where its arguments begin.
fn call_around(source: &str, place: usize) -> Option<(&str, usize)> {
    let mut depth = 0;
    let open = source[..place].char_indices().rev().find(|(_, c)| {
        match c {
            ')' | '}' | ']' => depth += 1,
            '(' | '{' | '[' => depth -= 1,
            _ => {}
        }
        depth < 0
    });
    let (open, '(') = open? else { return None };
    let name = source[..open].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    Some((name, open + 1))
}

/// Codes in calls, in `code: "..."`, and in whatever a `code` function or variable is made from.
fn codes_of(source: &str) -> BTreeSet<String> {
    let texts = texts(source);
    let mut codes = BTreeSet::new();
    for (at, text) in texts.iter().copied().filter(|(_, text)| is_code(text)) {
        let field = source[..at].trim_end().ends_with("code:");
        let argument = source[at + text.len() + 2..].starts_with(',');
        let call = call_around(source, at).is_some_and(|(name, from)| {
            let of_call = |other: usize| call_around(source, other).is_some_and(|(_, other)| other == from);
            let first = !texts.iter().any(|(other, _)| (from..at).contains(other) && of_call(*other));
            CALLS.contains(&name) && argument && first && source[from..at].matches(',').count() <= 2
        });
        let body = ["fn code(", "let code = match"].iter().any(|start| {
            let begun = source[..at].rfind(start).map(|begun| &source[begun..at]);
            begun.is_some_and(|body| !body.contains("\n    }\n") && !body.contains("\n        };\n"))
        });
        if field || call || body {
            codes.insert(text.to_owned());
        }
    }
    codes
}

#[test]
fn every_code_is_documented_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for directory in ["config/src", "tools/src/check", "cli/src/check"] {
        sources(&root.join(directory), &mut files);
    }
    // What a conversion changes is no finding of a check: docs/convert.md has it.
    files.retain(|path| !path.ends_with("convert/meaning.rs"));
    let in_sources: BTreeSet<String> = files.iter().flat_map(|path| codes_of(&code_of(path))).collect();
    let table = std::fs::read_to_string(root.join("docs/configuration-checks.md")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let in_table: Vec<&str> = rows.map(|(code, _)| code).collect();
    let unique: BTreeSet<String> = in_table.iter().map(|code| (*code).to_owned()).collect();
    let undocumented: Vec<_> = in_sources.difference(&unique).collect();
    let gone: Vec<_> = unique.difference(&in_sources).collect();
    assert!(undocumented.is_empty() && gone.is_empty(), "not in the table: {undocumented:?}; in no source: {gone:?}");
    assert!(unique.len() > 90, "{}", unique.len());
}

#[test]
fn codes_are_found_however_they_are_written() {
    let source = r#"
        warnings.warn("a-1", at, format!("no {}", name("x")));
        let d = Diagnostic::warning("b", Some(place), "no-code");
        reader.warn(&name("no-code"), "c", message);
        self.find(element.offset, "d", "e".to_owned(), effect);
        Finding { code: "f", message }
        let other = call("no-code", x).find(|y| y == "no-code");
        fn code(&self) -> &'static str {
            match self {
                A => "g",
                B { .. } | C => {
                    "h"
                }
            }
    }
        fn other() { match x { A => "no-code" } }
    "#;
    let codes: Vec<String> = codes_of(source).into_iter().collect();
    assert_eq!(codes, ["a-1", "b", "c", "d", "f", "g", "h"]);
}
