//! Who may use whom. Reads `src` and names the line that breaks the layers or goes round the one door to threads.
//!
//! A module uses only modules with lower numbers; those with the same number ignore each other. Imports of threads,
//! atomics, channels, maps and the snapshot cell stand in `sync` alone, `std::time::Instant` in `clock` alone. Comments
//! are not looked at, nor are test modules.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::{Path, PathBuf};

/// Every module at the top of the crate, with its layer.
const LAYERS: [(&str, u8); 20] = [
    ("sync", 0),
    ("resource", 1),
    ("id", 1),
    ("clock", 1),
    ("policy", 2),
    ("metrics", 2),
    ("config", 3),
    ("event", 4),
    ("order", 4),
    ("queue", 4),
    ("app", 4),
    ("node", 4),
    ("groups", 4),
    ("fair", 5),
    ("matching", 5),
    ("placement", 5),
    ("preemption", 5),
    ("flow", 6),
    ("scheduler", 7),
    ("parts", 7),
];

/// What only `sync` may name.
const BEHIND_THE_DOOR: [&str; 9] = [
    "std::sync",
    "std::thread",
    "core::sync",
    "alloc::sync",
    "crossbeam",
    "arc_swap",
    "dashmap",
    "parking_lot",
    "loom::",
];

fn layer(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

/// The source with comments, texts and `#[cfg(test)]` items blanked, line for line as it was.
fn code_only(source: &str) -> String {
    blank_tests(&blank_comments(source))
}

/// Comments and the insides of text and character literals become blanks.
fn blank_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let keep = |out: &mut String, text: &str| out.extend(text.chars().map(|c| if c == '\n' { c } else { ' ' }));
    while let Some(first) = rest.chars().next() {
        let after_name = out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            end_of_block_comment(rest)
        } else if first == '"' {
            end_of_text(rest)
        } else if !after_name && let Some(length) = raw_text(rest) {
            length
        } else if let Some(length) = character(rest) {
            length
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        keep(&mut out, &rest[..length]);
        rest = &rest[length..];
    }
    out
}

fn end_of_block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn end_of_text(text: &str) -> usize {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw text literal at the start of `text`.
fn raw_text(text: &str) -> Option<usize> {
    let body = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let inner = body[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inner.find(&end)? + end.len();
    Some(text.len() - inner.len() + length)
}

/// The length of a character literal at the start of `text`; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if let Some(escape) = inner.strip_prefix('\\') {
        return escape[1..].find('\'').map(|end| end + 4);
    }
    let c = inner.chars().next()?;
    inner[c.len_utf8()..].starts_with('\'').then_some(c.len_utf8() + 2)
}

/// Items under `#[cfg(test)]` become blanks, up to the brace that closes them or the semicolon that ends them.
fn blank_tests(source: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let mut depth = 0_u32;
        let end = rest[at..].char_indices().find_map(|(i, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            (depth == 0 && matches!(c, '}' | ';')).then_some(at + i + 1)
        });
        let end = end.unwrap_or(rest.len());
        out.extend(rest[at..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// The places of `name` in `text` where it does not continue another word.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name).map(|(at, _)| at).filter(|at| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// The modules that the path after `crate::` reaches: one, or those at the top of a `{…}` group.
fn reached(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else { return vec![word(path)] };
    let (mut depth, mut found, mut fresh) = (0, Vec::new(), true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && !c.is_whitespace() => {
                found.push(word(&group[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    found
}

/// What is wrong with one file; `path` is relative to `src`.
fn check(path: &str, source: &str) -> Vec<String> {
    let own = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
    let code = code_only(source);
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    let mut wrong = Vec::new();
    if own != "lib" {
        let Some(own_layer) = layer(own) else {
            return vec![format!("{path}:1: module {own} has no layer: give it one in tests/layers.rs")];
        };
        for at in places(&code, "crate::") {
            for used in reached(&code[at + "crate::".len()..]) {
                let used_layer = layer(used);
                if used != own && used_layer.is_none_or(|used_layer| used_layer >= own_layer) {
                    let number = used_layer.map_or_else(|| "no layer".to_owned(), |layer| format!("layer {layer}"));
                    wrong.push(format!("{path}:{}: {own} (layer {own_layer}) uses {used} ({number})", line(at)));
                }
            }
        }
    }
    if own != "sync" {
        for name in BEHIND_THE_DOOR {
            wrong.extend(places(&code, name).map(|at| format!("{path}:{}: {name} outside sync", line(at))));
        }
        for at in places(&code, "std::{").map(|at| at + "std::".len()) {
            let inside = reached(&code[at..]);
            for name in inside.into_iter().filter(|name| matches!(*name, "sync" | "thread")) {
                wrong.push(format!("{path}:{}: std::{name} outside sync", line(at)));
            }
        }
    }
    if own != "clock" && own != "sync" {
        let instants = places(&code, "Instant").filter(|at| word(&code[*at..]) == "Instant");
        wrong.extend(instants.map(|at| format!("{path}:{}: Instant outside clock", line(at))));
    }
    wrong
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A file that is a test module as a whole, as its parent says.
fn is_test_file(path: &Path) -> bool {
    let directory = path.parent().unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap();
    let parents = [directory.join("mod.rs"), directory.with_extension("rs"), directory.join("lib.rs")];
    let parent = parents.iter().find_map(|parent| std::fs::read_to_string(parent).ok()).unwrap_or_default();
    let parent = parent.split_whitespace().collect::<Vec<_>>().join(" ");
    parent.contains(&format!("#[cfg(test)] mod {name};"))
}

#[test]
fn the_sources_keep_the_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    assert!(files.len() > 40, "the sources are where they are looked for");
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !is_test_file(file)) {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        wrong.extend(check(&name, &std::fs::read_to_string(file).unwrap()));
    }
    assert!(wrong.is_empty(), "the layers are broken:\n{}", wrong.join("\n"));
}

#[test]
fn an_import_upwards_is_named_with_its_line() {
    let source = "use crate::resource::Resource;\n\nuse crate::flow::Heartbeat;\n";
    assert_eq!(check("queue/tree.rs", source), ["queue/tree.rs:3: queue (layer 4) uses flow (layer 6)"]);
    assert_eq!(check("flow/worker.rs", source), [""; 0]);
}

#[test]
fn neighbours_of_one_layer_ignore_each_other() {
    assert_eq!(
        check("order/key.rs", "fn f(x: crate::queue::Leaf) {}"),
        ["order/key.rs:1: order (layer 4) uses queue (layer 4)"]
    );
    assert_eq!(check("order/key.rs", "use crate::order::WinnerTree;"), [""; 0]);
}

#[test]
fn groups_are_looked_into() {
    let source = "use crate::{\n    id::{Slot, fair},\n    scheduler::Stepped,\n};";
    assert_eq!(check("config/acl.rs", source), ["config/acl.rs:1: config (layer 3) uses scheduler (layer 7)"]);
    assert_eq!(check("config/acl.rs", "use std::{fmt, sync::Arc};"), ["config/acl.rs:1: std::sync outside sync"]);
}

#[test]
fn a_module_without_a_layer_is_named() {
    assert_eq!(check("novel.rs", ""), ["novel.rs:1: module novel has no layer: give it one in tests/layers.rs"]);
    assert_eq!(check("flow/mod.rs", "use crate::novel::X;"), ["flow/mod.rs:1: flow (layer 6) uses novel (no layer)"]);
}

#[test]
fn the_door_cannot_be_gone_round() {
    let doors = [
        "use std::sync::Arc;",
        "use std::thread::spawn;",
        "use crossbeam_channel::bounded;",
        "use crossbeam_utils::CachePadded;",
        "let x = arc_swap::ArcSwap::new(y);",
        "use dashmap::DashMap;",
        "use parking_lot::Mutex;",
        "use loom::sync::Arc;",
        "use std::time::Instant;",
    ];
    for door in doors {
        assert_eq!(check("flow/x.rs", door).len(), 1, "{door}");
        assert_eq!(
            check("flow/x.rs", &format!("/// {door}\n#[cfg(test)]\nmod tests {{\n    {door}\n}}\n")).len(),
            0,
            "{door}"
        );
    }
    assert_eq!(check("lib.rs", "use std::sync::Arc;").len(), 1);
    assert_eq!(check("sync/real.rs", "pub use std::sync::Arc;\npub use std::thread::Builder;").len(), 0);
    assert_eq!(check("clock.rs", "use std::time::Instant;").len(), 0);
}

#[test]
fn what_is_no_code_is_not_looked_at() {
    let source = r####"
        // use crate::flow::X;
        /* use crate::flow::X; /* std::sync */ std::thread */
        let a = "crate::flow \" std::sync";
        let b = r#"crate::flow " std::sync"#;
        let (c, d, e): (char, char, &'static str) = ('"', '\'', "std::sync");
    "####;
    assert_eq!(check("config/x.rs", source), [""; 0]);
    // And what follows is looked at again.
    let source = format!("{source}\nuse crate::flow::X;");
    assert_eq!(check("config/x.rs", &source), ["config/x.rs:8: config (layer 3) uses flow (layer 6)"]);
}
