//! Who may use whom. Reads `src` and names the line that breaks the layers or goes round the one door to threads.
//!
//! A module uses only modules with lower numbers; those with the same number ignore each other. Imports of threads,
//! atomics, channels, maps and the snapshot cell stand in `sync` alone, `std::time::Instant` in `clock` alone. Comments
//! are not looked at, nor are test modules.

use evenweave_testkit::sources::{code_only, sources};
use std::collections::BTreeSet;

/// Every module at the top of the crate, with its layer.
const LAYERS: [(&str, u8); 24] = [
    ("sync", 0),
    ("resource", 1),
    ("id", 1),
    ("clock", 1),
    ("prefetch", 1),
    ("caught", 1),
    ("policy", 2),
    ("config", 3),
    ("event", 4),
    ("order", 4),
    ("queue", 4),
    ("app", 4),
    ("groups", 4),
    ("labels", 4),
    ("shares", 5),
    ("matching", 5),
    ("placement", 5),
    ("preemption", 5),
    ("reservation", 5),
    ("engine", 6),
    ("fair", 7),
    ("capacity", 7),
    ("scheduler", 8),
    ("parts", 8),
];

/// What only `sync` may name.
const BEHIND_THE_DOOR: [&str; 10] = [
    "std::sync",
    "std::thread",
    "core::sync",
    "alloc::sync",
    "crossbeam",
    "arc_swap",
    "dashmap",
    "parking_lot",
    "loom::",
    "shuttle::",
];

fn layer(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
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

#[test]
fn the_sources_keep_the_layers() {
    let wrong: Vec<String> =
        sources(env!("CARGO_MANIFEST_DIR")).iter().flat_map(|(name, source)| check(name, source)).collect();
    assert!(wrong.is_empty(), "the layers are broken:\n{}", wrong.join("\n"));
}

/// The top modules of sources that are told by their paths: each folder and file beside `lib.rs`.
fn modules(paths: &[String]) -> BTreeSet<&str> {
    let tops = paths.iter().map(|path| path.split('/').next().unwrap_or(path).trim_end_matches(".rs"));
    tops.filter(|top| *top != "lib").collect()
}

#[test]
fn every_layer_s_module_is_there() {
    let paths: Vec<String> = sources(env!("CARGO_MANIFEST_DIR")).into_iter().map(|(path, _)| path).collect();
    assert_eq!(modules(&paths), LAYERS.map(|(name, _)| name).into(), "left: modules; right: layers");
}

/// Words of some scheduler's decisions: the engine knows none of them.
const WORDS_OF_DECIDERS: [&str; 10] = [
    "weight",
    "min_share",
    "max_share",
    "fair_share",
    "steady",
    "demand",
    "starv",
    "user_limit",
    "AllocationFile",
    "SchedulingPolicy",
];

#[test]
fn the_engine_knows_no_word_of_a_decider_s() {
    let mut wrong = Vec::new();
    for (path, source) in sources(env!("CARGO_MANIFEST_DIR"))
        .iter()
        .filter(|(path, _)| path.starts_with("engine/") && !path.contains("/tests"))
    {
        let code = code_only(source);
        for (line, text) in (1..).zip(code.lines()) {
            let found = WORDS_OF_DECIDERS.iter().filter(|word| text.contains(**word));
            wrong.extend(found.map(|word| format!("{path}:{line}: {word}")));
        }
    }
    assert!(wrong.is_empty(), "the engine would be the same for any scheduler:\n{}", wrong.join("\n"));
}

#[test]
fn an_import_upwards_is_named_with_its_line() {
    let source = "use crate::resource::Resource;\n\nuse crate::engine::Heartbeat;\n";
    assert_eq!(check("queue/tree.rs", source), ["queue/tree.rs:3: queue (layer 4) uses engine (layer 6)"]);
    assert_eq!(check("engine/worker/handling.rs", source), [""; 0]);
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
    assert_eq!(check("config/acl.rs", source), ["config/acl.rs:1: config (layer 3) uses scheduler (layer 8)"]);
    assert_eq!(check("config/acl.rs", "use std::{fmt, sync::Arc};"), ["config/acl.rs:1: std::sync outside sync"]);
}

#[test]
fn a_module_without_a_layer_is_named() {
    assert_eq!(check("novel.rs", ""), ["novel.rs:1: module novel has no layer: give it one in tests/layers.rs"]);
    assert_eq!(
        check("engine/mod.rs", "use crate::novel::X;"),
        ["engine/mod.rs:1: engine (layer 6) uses novel (no layer)"]
    );
}

/// rustfmt leaves comments as they are. Rows of tables are as long as they are.
#[test]
fn comments_are_no_longer_than_the_columns_of_code() {
    let packages = ["core", "config", "resource", "loom-tests"];
    let long = packages.iter().flat_map(|package| {
        let files = sources(&format!("{}/../{package}", env!("CARGO_MANIFEST_DIR")));
        files.into_iter().flat_map(move |(path, text)| {
            let lines = text.lines().zip(1..).filter(|(line, _)| {
                let comment = line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!', ' ']));
                line.chars().count() > 120 && comment.is_some_and(|text| !text.starts_with('|'))
            });
            lines.map(|(_, number)| format!("{package}/src/{path}:{number}")).collect::<Vec<_>>()
        })
    });
    assert_eq!(long.collect::<Vec<_>>(), [""; 0], "comments of more than 120 columns");
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
        "use shuttle::sync::Mutex;",
        "use std::time::Instant;",
    ];
    for door in doors {
        assert_eq!(check("engine/x.rs", door).len(), 1, "{door}");
        assert_eq!(
            check("engine/x.rs", &format!("/// {door}\n#[cfg(test)]\nmod tests {{\n    {door}\n}}\n")).len(),
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
        // use crate::engine::X;
        /* use crate::engine::X; /* std::sync */ std::thread */
        let a = "crate::engine \" std::sync";
        let b = r#"crate::engine " std::sync"#;
        let (c, d, e): (char, char, &'static str) = ('"', '\'', "std::sync");
    "####;
    assert_eq!(check("config/x.rs", source), [""; 0]);
    // And what follows is looked at again.
    let source = format!("{source}\nuse crate::engine::X;");
    assert_eq!(check("config/x.rs", &source), ["config/x.rs:8: config (layer 3) uses engine (layer 6)"]);
}
