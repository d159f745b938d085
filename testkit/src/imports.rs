//! Who imports whom within a folder, and where that goes round in a circle.
//!
//! A folder's nodes are its files and the folders in it; `x.rs` beside a folder `x` is that folder's `mod.rs`. A file
//! imports another when it names something by a path that leads there: `crate::`, `super::`, `self::`, or a module of
//! its own. What a `mod.rs` passes on is its own, so that a file which takes something from above it, that comes from a
//! sister, makes a circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::sources::code_only;

/// One circle.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle {
    /// The folder, empty for `src` itself.
    pub folder: String,
    /// The shortest way round, each file with the line of its import: `a.rs:3 -> b.rs:1 -> a.rs`.
    pub way: String,
}

type Module = Vec<String>;

/// By node: whom it imports, and where that is said first, as `file:line` within the folder.
type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// The circles of all folders, one for each set of files that reach each other. Sources are told by their path below
/// `src`.
pub fn circles(sources: &[(String, String)]) -> Vec<Circle> {
    let modules: BTreeMap<Module, &str> = sources.iter().map(|(path, _)| (module(path), path.as_str())).collect();
    let mut folders: BTreeMap<String, Edges> = BTreeMap::new();
    for (path, source) in sources {
        let code = code_only(source);
        let from = parts(path, &modules);
        for (at, target) in imports(&code, &module(path), &modules) {
            let to = parts(target, &modules);
            let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
            if common == from.len() || common == to.len() {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let edges = folders.entry(from[..common].join("/")).or_default().entry(from[common].clone()).or_default();
            edges.entry(to[common].clone()).or_insert_with(|| format!("{}:{line}", from[common..].join("/")));
        }
    }
    folders.iter().flat_map(|(folder, edges)| circles_of(folder, edges)).collect()
}

/// The module that a file is.
fn module(path: &str) -> Module {
    let mut module: Module = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let last = module.last().unwrap();
    if last == "mod" || (module.len() == 1 && (last == "lib" || last == "main")) {
        module.pop();
    }
    module
}

/// Folders and file, where a file with modules in files of their own is the `mod.rs` of their folder.
fn parts(path: &str, modules: &BTreeMap<Module, &str>) -> Vec<String> {
    let own = module(path);
    let has_below = modules.keys().any(|other| other.len() > own.len() && other.starts_with(&own));
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if has_below && !own.is_empty() && parts.last().unwrap() != "mod.rs" {
        parts = own;
        parts.push("mod.rs".to_owned());
    }
    parts
}

/// The files that paths of this code lead to, with the places of these.
fn imports<'m>(code: &str, own: &Module, modules: &BTreeMap<Module, &'m str>) -> Vec<(usize, &'m str)> {
    let mut found = Vec::new();
    let inline = inline_modules(code);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(begins) = code[at..].find(is_name).map(|offset| at + offset) {
        let name = first_name(&code[begins..]);
        at = begins + name.len();
        let before = code[..begins].trim_end();
        let goes_on = before.ends_with("::") || before.ends_with('.') || before.ends_with("(in");
        if goes_on || !code[at..].starts_with("::") {
            continue;
        }
        let mut here = own.clone();
        here.extend(
            inline.iter().filter(|(from, to, _)| (*from..*to).contains(&begins)).map(|(.., name)| name.clone()),
        );
        let base = match name {
            "crate" => Module::new(),
            "self" => here,
            "super" => here[..here.len().saturating_sub(1)].to_vec(),
            child => {
                here.push(child.to_owned());
                if !modules.contains_key(&here) {
                    continue;
                }
                here
            }
        };
        let mut paths = Vec::new();
        let length = follow(&code[at + 2..], base, &mut paths);
        at += 2 + length;
        let file = |path: &Module| (0..=path.len()).rev().find_map(|length| modules.get(&path[..length]).copied());
        found.extend(paths.iter().filter_map(file).map(|file| (begins, file)));
    }
    found
}

fn first_name(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// Modules that are written where they are declared: from where to where, in order from the outside in, and their
/// names.
fn inline_modules(code: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    for (at, word) in code.match_indices("mod ") {
        let name = first_name(&code[at + word.len()..]);
        let rest = &code[at + word.len() + name.len()..];
        let starts = code[..at].chars().next_back().is_none_or(char::is_whitespace);
        if !starts || !rest.trim_start().starts_with('{') {
            continue;
        }
        let open = code.len() - rest.trim_start().len();
        found.push((open, open + matching(&code[open..]), name.to_owned()));
    }
    found
}

/// How long a text is up to the brace that closes its first.
fn matching(text: &str) -> usize {
    let mut depth = 0_u32;
    let end = text.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Follows a path from after its `::` through its groups; gives how much of the text it is.
fn follow(text: &str, mut base: Module, paths: &mut Vec<Module>) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with('{') {
            let length = matching(rest);
            for part in split(&rest[1..length - 1]) {
                follow(part.trim(), base.clone(), paths);
            }
            return at + length;
        }
        match first_name(rest) {
            "" | "self" => {
                paths.push(base);
                return at + first_name(rest).len();
            }
            "super" => drop(base.pop()),
            name => base.push(name.to_owned()),
        }
        at += first_name(rest).len();
        if !text[at..].starts_with("::") {
            paths.push(base);
            return at;
        }
        at += 2;
    }
}

/// The parts of a group, cut at its own commas.
fn split(group: &str) -> Vec<&str> {
    let (mut depth, mut begins, mut parts) = (0_u32, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[begins..at]);
                begins = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[begins..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn circles_of(folder: &str, edges: &Edges) -> Vec<Circle> {
    let mut told: BTreeSet<&String> = BTreeSet::new();
    let mut found = Vec::new();
    for start in edges.keys() {
        if told.contains(start) {
            continue;
        }
        let Some(way) = way_round(edges, start) else { continue };
        told.extend(edges.keys().filter(|other| reaches(edges, start, other) && reaches(edges, other, start)));
        let mut text = String::new();
        for pair in way.windows(2) {
            text += &format!("{} -> ", edges[pair[0]][pair[1]]);
        }
        found.push(Circle { folder: folder.to_owned(), way: text + start });
    }
    found
}

fn reaches(edges: &Edges, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(node) = open.pop() {
        for next in edges.get(node).into_iter().flat_map(BTreeMap::keys) {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// The shortest way from a node back to it.
fn way_round<'e>(edges: &'e Edges, start: &'e str) -> Option<Vec<&'e str>> {
    let mut open = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = open.pop_front() {
        for next in edges.get(*way.last().unwrap()).into_iter().flat_map(BTreeMap::keys) {
            let longer = [way.as_slice(), &[next]].concat();
            if next == start {
                return Some(longer);
            }
            if seen.insert(next) {
                open.push_back(longer);
            }
        }
    }
    None
}

/// Every folder with a circle is one of `still`, which has no other: it can only get shorter. Folders are told by their
/// path below `src`, that itself as `.`.
pub fn hold(sources: &[(String, String)], still: &[&str]) {
    let name = |circle: &Circle| if circle.folder.is_empty() { ".".to_owned() } else { circle.folder.clone() };
    let circles = circles(sources);
    let lines = |of: &dyn Fn(&&Circle) -> bool| {
        circles.iter().filter(of).map(|circle| format!("{}: {}\n", name(circle), circle.way)).collect::<String>()
    };
    let new = lines(&|circle| !still.contains(&name(circle).as_str()));
    assert!(new.is_empty(), "imports go round in a circle; move what they share into a file below them:\n{new}");
    let untied: Vec<_> = still.iter().filter(|folder| !circles.iter().any(|circle| name(circle) == **folder)).collect();
    assert!(untied.is_empty(), "no circle any more: take {untied:?} off the list of those still to be untied");
}
