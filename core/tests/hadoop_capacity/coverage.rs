//! Which of Hadoop's cases the tests of this folder name, read from their comments.

use std::collections::BTreeSet;
use std::path::Path;

/// The cases of Hadoop's eight largest classes of CapacityScheduler tests, and those of others that are named here, `Class.testName` a line.
const CASES: &str = include_str!("cases.txt");

/// How many of them there must be.
const FLOOR: usize = 190;

/// The words of a comment that are cases: a class and a name in code marks, in capitals and small letters as Java has them.
fn cases_in(comment: &str) -> Vec<String> {
    let words = comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'));
    words.filter(|word| word.starts_with("Test") && word.contains('.')).map(str::to_owned).collect()
}

/// Names of the tests of a source, with the cases of the comment above each.
fn tests_of(source: &str) -> Vec<(String, Vec<String>)> {
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

#[test]
fn at_least_190_cases_are_covered_and_every_test_names_cases_that_there_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hadoop_capacity");
    let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources =
        sources.filter(|path| path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("coverage.rs"));
    let tests: Vec<_> = sources.flat_map(|path| tests_of(&std::fs::read_to_string(path).unwrap())).collect();
    let nameless: Vec<_> = tests.iter().filter(|(_, cases)| cases.is_empty()).map(|(test, _)| test).collect();
    assert!(nameless.is_empty(), "tests that name no case: {nameless:?}");
    let covered: BTreeSet<&str> = tests.iter().flat_map(|(_, cases)| cases).map(String::as_str).collect();
    let known: BTreeSet<&str> = CASES.lines().collect();
    let unknown: Vec<_> = covered.difference(&known).collect();
    assert!(unknown.is_empty(), "no cases of Hadoop's: {unknown:?}");
    println!("{} tests name {} of {} cases; missing are:", tests.len(), covered.len(), known.len());
    known.difference(&covered).for_each(|case| println!("  {case}"));
    assert!(covered.len() >= FLOOR, "{} cases are covered, {FLOOR} should be", covered.len());
}

#[test]
fn names_are_found_in_the_comments_of_tests_alone() {
    let source = "/// Of a helper: `TestA.testX`\nfn helper() {}\n\n/// One.\n///\n/// `TestA.testY`, `TestB.test`.\n\
                  #[test]\nfn one() {}\n#[test]\nfn bare() {}\n";
    let one = vec!["TestA.testY".to_owned(), "TestB.test".to_owned()];
    assert_eq!(tests_of(source), [("one".to_owned(), one), ("bare".to_owned(), Vec::new())]);
}
