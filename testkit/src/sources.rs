//! The sources of a package as tests read them that hold them against a rule.

use std::path::{Path, PathBuf};

/// Every source file of the package in this folder that is no test module as a whole: its path below `src`, with `/`,
/// and its text.
pub fn sources(package: &str) -> Vec<(String, String)> {
    let root = Path::new(package).join("src");
    let mut files = Vec::new();
    find(&root, &mut files);
    files.sort();
    assert!(files.len() > 3, "the sources are where they are looked for");
    let name = |file: &Path| file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    let files = files.iter().filter(|file| !is_test_file(file));
    files.map(|file| (name(file), std::fs::read_to_string(file).unwrap())).collect()
}

/// The files below a folder whose names end so, with their paths from there, in order; without what is built or hidden.
pub fn files(root: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let (name, path) = (entry.file_name().into_string().unwrap(), folder.join(entry.file_name()));
            if entry.file_type().unwrap().is_dir() {
                if !name.starts_with('.') && !matches!(name.as_str(), "target" | "artifacts" | "corpus") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|end| ends.iter().any(|known| end == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The source with comments, texts and `#[cfg(test)]` items blanked, line for line as it was.
pub fn code_only(source: &str) -> String {
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
                '}' => depth = depth.saturating_sub(1),
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

fn find(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, found);
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
    ["", "pub(crate) ", "pub(super) "].iter().any(|seen| parent.contains(&format!("#[cfg(test)] {seen}mod {name};")))
}
