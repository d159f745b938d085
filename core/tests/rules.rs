//! Every section of `docs/rules` that is cited exists, and all are cited in one form.
//!
//! A comment names the page and the section, `docs/rules/README.md` says how; between those pages the page's name is
//! enough. Read as text: sources, scripts and pages of the whole repository.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave_testkit::sources::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The sections of each page, by its name without `.md`: numbers of headings, and of items in the lists below them.
type Rules = BTreeMap<String, BTreeSet<String>>;

/// Where the pages are; a citation begins with the last part.
const FOLDER: &str = "docs/rules";

#[test]
fn that_are_cited_exist() {
    let (root, mut wrong) = (root(), Vec::new());
    let rules = rules(&root);
    assert!(rules.len() > 12, "{} pages", rules.len());
    let files = files(&root, &["rs", "java", "py", "sh", "toml", "go", "md"]);
    let mut cited = 0;
    for path in files.iter().filter(|path| !path.ends_with("core/tests/rules.rs") && !path.ends_with("CHANGELOG.md")) {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let (found, faults) = check(path, &text, &rules);
        cited += found;
        wrong.extend(faults);
    }
    assert!(wrong.is_empty(), "{} citations lead nowhere:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cited > 300, "{cited} citations: they are where they are looked for");
}

#[test]
fn a_citation_that_leads_nowhere_is_named_with_its_line() {
    let page = "## 13. Leaf\n### 13.1 Offer\n1. one\n   2. two\n## 9. AM share\n1. a\n2. b\n```\n## 77. code\n```\n";
    let rules = Rules::from([("capacity".to_owned(), sections(page))]);
    let faults = |text: &str| check(Path::new("core/src/x.rs"), text, &rules).1;
    for right in ["13", "13.1", "13.1.2", "9.2", "9 and 13.1", "9, 13 and 13.1", "9 to 13", "13.1: why", "9, *so*"] {
        assert_eq!(faults(&format!("//! Follows rules/capacity.md {right}\n")), [""; 0], "{right}");
    }
    assert_eq!(faults("// See\n/// rules/capacity.md\n/// 13.1 for it.\n"), [""; 0], "over the end of a line");
    assert_eq!(faults("//! All of `docs/rules/capacity.md`.\n"), [""; 0], "a page as a whole");
    assert_eq!(faults("\n/// rules/capacity.md 13.2\n"), ["core/src/x.rs:2: rules/capacity.md has no section 13.2"]);
    assert_eq!(faults("/// rules/capacity.md 9.1, 9.3\n"), ["core/src/x.rs:1: rules/capacity.md has no section 9.3"]);
    assert_eq!(faults("/// rules/capacity.md 13.1.3\n"), ["core/src/x.rs:1: rules/capacity.md has no section 13.1.3"]);
    assert_eq!(faults("/// rules/capacity.md 77\n"), ["core/src/x.rs:1: rules/capacity.md has no section 77"]);
    assert_eq!(faults("/// rules/capacities.md 13\n"), ["core/src/x.rs:1: there is no page rules/capacities.md"]);
    assert_eq!(faults("/// by rules/capacity.md\n"), ["core/src/x.rs:1: rules/capacity.md, and which section?"]);
    for bare in [
        "12.2",
        "13.1 step 1",
        "16.4: what speaks against it",
        "18.1; as it was",
        "Reference 14",
        "(reference 9, 13.1)",
    ] {
        let fault = format!("core/src/x.rs:1: cite a section as rules/PAGE.md SECTION: {bare}");
        assert_eq!(faults(&format!("    /// {bare}\n")), [fault]);
    }
    for other in ["1.0.", "0.5 of it", "no reference count", "let x = 12.2;"] {
        assert_eq!(faults(&format!("/// {other}\n")), [""; 0], "{other}");
    }
    let page = Path::new("docs/rules/events.md");
    assert_eq!(check(page, "By capacity.md 13.1, see [a](capacity.md).\n", &rules).1, [""; 0]);
    assert_eq!(
        check(page, "\n(capacity.md 14)\n", &rules).1,
        ["docs/rules/events.md:2: rules/capacity.md has no section 14"]
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rules(root: &Path) -> Rules {
    let pages = std::fs::read_dir(root.join(FOLDER)).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    pages.map(|path| (name(&path), sections(&std::fs::read_to_string(&path).unwrap()))).collect()
}

fn sections(page: &str) -> BTreeSet<String> {
    let (mut found, mut heading, mut in_code) = (BTreeSet::new(), None::<String>, false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if let Some(title) = line.strip_prefix("##").filter(|_| !in_code) {
            heading = number(title.trim_start_matches('#').trim_start()).map(|(number, _)| number.to_owned());
            found.extend(heading.clone());
        } else if let (Some(heading), Some((item, rest))) = (&heading, number(line.trim_start()))
            && !item.contains('.')
            && rest.starts_with(". ")
        {
            found.insert(format!("{heading}.{item}"));
        }
    }
    found
}

/// The number at the beginning of a text, such as `13.1`, and what is behind it.
fn number(text: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut end = digits(text);
    while end > 0 && text[end..].starts_with('.') && digits(&text[end + 1..]) > 0 {
        end += 1 + digits(&text[end + 1..]);
    }
    (end > 0).then(|| text.split_at(end))
}

/// How many sections a file cites, and what is wrong with them.
fn check(path: &Path, text: &str, rules: &Rules) -> (usize, Vec<String>) {
    let is_page = path.extension().is_some_and(|end| end == "md");
    let is_rule = path.starts_with(FOLDER);
    let (joined, starts) = without_markers(text, is_page);
    let (mut cited, mut wrong) = (0, Vec::new());
    let mut fault = |at: usize, what: String| {
        let line = starts.partition_point(|start| *start <= at);
        wrong.push(format!("{}:{line}: {what}", path.display()));
    };
    for (at, _) in joined.match_indices(".md") {
        let before = &joined[..at];
        let name = &before[before.rfind(|c: char| !c.is_ascii_lowercase() && c != '-').map_or(0, |end| end + 1)..];
        let from = &before[..before.len() - name.len()];
        let numbers = numbers(&joined[at + ".md".len()..]);
        // Between the pages their names are enough; a name behind a slash is another page's path.
        let among_rules = is_rule && !from.ends_with('/') && !numbers.is_empty();
        if name.is_empty() || !(from.ends_with("rules/") || among_rules) {
            continue;
        }
        let Some(sections) = rules.get(name) else {
            fault(at, format!("there is no page rules/{name}.md"));
            continue;
        };
        if numbers.is_empty() && !is_page && !from.ends_with("docs/rules/") {
            fault(at, format!("rules/{name}.md, and which section?"));
        }
        cited += numbers.len();
        for number in numbers.into_iter().filter(|number| !sections.contains(*number)) {
            fault(at, format!("rules/{name}.md has no section {number}"));
        }
    }
    let comments = text.lines().map(str::trim_start).zip(1..).filter(|_| !is_page);
    let comments =
        comments.filter_map(|(line, at)| Some((line.strip_prefix("//")?.trim_start_matches(['/', '!']).trim(), at)));
    for (comment, line) in comments.filter(|(comment, _)| is_bare(comment)) {
        wrong.push(format!("{}:{line}: cite a section as rules/PAGE.md SECTION: {comment}", path.display()));
    }
    (cited, wrong)
}

/// The text with its lines joined by blanks, and where each begins. Comments lose what marks them, so that a citation
/// may go on behind the end of a line.
fn without_markers(text: &str, is_page: bool) -> (String, Vec<usize>) {
    let (mut joined, mut starts) = (String::new(), Vec::new());
    for line in text.lines() {
        starts.push(joined.len());
        let line = line.trim_start();
        joined.push_str(if is_page { line } else { line.trim_start_matches(['/', '!', '*', '#']).trim_start() });
        joined.push(' ');
    }
    (joined, starts)
}

/// The sections behind a page's name: ` 9, 13.1 and 14 to 16`.
fn numbers(behind: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), behind);
    while let Some((one, after)) =
        [" ", ", ", " and ", " to ", " or "].iter().find_map(|between| number(rest.strip_prefix(between)?))
    {
        found.push(one);
        rest = after;
    }
    found
}

/// Whether a comment cites a section by its number alone, or by a page that is no more.
fn is_bare(comment: &str) -> bool {
    let names_no_page = number(comment).is_some_and(|(number, rest)| {
        number.contains('.') && (rest.is_empty() || [":", ";", " step "].iter().any(|end| rest.starts_with(end)))
    });
    let mut references = comment.match_indices("eference").map(|(at, word)| comment[at + word.len()..].trim_start());
    names_no_page || references.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
