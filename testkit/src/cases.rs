//! Which of Hadoop's own test cases the tests of a folder name, read from their comments.

use std::collections::BTreeSet;
use std::path::Path;

/// The words of a comment that look like a case: a class and a name, in capitals and small letters as Java has them.
fn cases_in(comment: &str) -> Vec<String> {
    let words = comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'));
    words.filter(|word| word.starts_with("Test") && word.contains('.')).map(str::to_owned).collect()
}

/// Names of the tests of a source, with the cases of the comment above each.
pub fn tests_of(source: &str) -> Vec<(String, Vec<String>)> {
    let (mut comment, mut is_test, mut tests) = (String::new(), false, Vec::new());
    for line in source.lines().map(str::trim_start) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push_str(text);
            comment.push('\n');
        } else if line == "#[test]" {
            is_test = true;
        } else if !line.starts_with("#[") {
            if let (true, Some(rest)) = (is_test, line.strip_prefix("fn ")) {
                let test = rest.split('(').next().unwrap_or_default().to_owned();
                tests.push((test, cases_in(&comment)));
            }
            comment.clear();
            is_test = false;
        }
    }
    tests
}

/// Each test of the folder but those of `coverage.rs` names a case, and only such as there are (`Class.testName` a
/// line); together they name so many at the least.
pub fn hold(folder: &Path, cases: &str, floor: usize) {
    let mut sources: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("coverage.rs"));
    sources.sort();
    let tests: Vec<_> = sources.iter().flat_map(|path| tests_of(&std::fs::read_to_string(path).unwrap())).collect();
    let nameless: Vec<_> = tests.iter().filter(|(_, cases)| cases.is_empty()).map(|(test, _)| test).collect();
    assert!(nameless.is_empty(), "tests that name no case: {nameless:?}");
    let known: BTreeSet<&str> = cases.lines().collect();
    let named = tests.iter().flat_map(|(test, cases)| cases.iter().map(move |case| (test, case.as_str())));
    let unknown: Vec<_> = named.clone().filter(|(_, case)| !known.contains(case)).collect();
    assert!(unknown.is_empty(), "no cases of Hadoop's: {unknown:?}");
    let covered: BTreeSet<&str> = named.map(|(_, case)| case).collect();
    println!("{} tests name {} of {} cases; missing are:", tests.len(), covered.len(), known.len());
    known.difference(&covered).for_each(|case| println!("  {case}"));
    assert!(covered.len() >= floor, "{} cases are covered, {floor} should be", covered.len());
}
