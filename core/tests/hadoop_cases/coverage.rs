//! Which of Hadoop's cases the tests of this folder name, read from their comments.

use std::collections::BTreeSet;
use std::path::Path;

/// The cases of Hadoop's fair side, `Class.testName` a line.
const CASES: &str = include_str!("cases.txt");

/// How many of them there must be.
const FLOOR: usize = 125;

/// A test of a source file, with the cases that its comment names.
struct Named {
    test: String,
    cases: Vec<String>,
}

/// The words of a comment that look like a case: a class and a name, in capitals and small letters as Java has them.
fn cases_in(comment: &str) -> impl Iterator<Item = &str> {
    let words = comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'));
    words.filter(|word| word.starts_with("Test") && word.contains('.'))
}

/// The tests of a source: a comment, `#[test]`, a function.
fn tests_of(source: &str) -> Vec<Named> {
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
                tests.push(Named { test, cases: cases_in(&comment).map(str::to_owned).collect() });
            }
            comment.clear();
            is_test = false;
        }
    }
    tests
}

fn all_tests() -> Vec<Named> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hadoop_cases");
    let mut sources: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("coverage.rs"));
    sources.sort();
    sources.iter().flat_map(|path| tests_of(&std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_test_names_cases_that_there_are() {
    let known: BTreeSet<&str> = CASES.lines().collect();
    let tests = all_tests();
    let nameless: Vec<_> = tests.iter().filter(|test| test.cases.is_empty()).map(|test| &test.test).collect();
    assert!(nameless.is_empty(), "tests that name no case: {nameless:?}");
    let unknown = tests.iter().flat_map(|test| test.cases.iter().map(|case| (&test.test, case)));
    let unknown: Vec<_> = unknown.filter(|(_, case)| !known.contains(case.as_str())).collect();
    assert!(unknown.is_empty(), "no cases of Hadoop's: {unknown:?}");
}

#[test]
fn at_least_125_cases_are_covered() {
    let tests = all_tests();
    let covered: BTreeSet<&str> = tests.iter().flat_map(|test| &test.cases).map(String::as_str).collect();
    println!("{} tests name {} of {} cases; missing are:", tests.len(), covered.len(), CASES.lines().count());
    CASES.lines().filter(|case| !covered.contains(case)).for_each(|case| println!("  {case}"));
    assert!(covered.len() >= FLOOR, "{} cases are covered, {FLOOR} should be", covered.len());
}

#[test]
fn names_are_found_in_the_comments_of_tests_alone() {
    let source = "/// Of a helper: `TestA.testX`\nfn helper() {}\n\n/// One.\n///\n/// `TestA.testY`, `TestB.test`.\n\
                  #[test]\nfn one() {}\n#[test]\nfn bare() {}\n";
    let found: Vec<_> = tests_of(source).into_iter().map(|named| (named.test, named.cases)).collect();
    let one = vec!["TestA.testY".to_owned(), "TestB.test".to_owned()];
    assert_eq!(found, [("one".to_owned(), one), ("bare".to_owned(), Vec::new())]);
}
