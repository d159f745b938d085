//! Which of Hadoop's cases the tests of this folder name, read from their comments.

use evenweave_testkit::cases::{hold, tests_of};
use std::path::Path;

#[test]
fn at_least_190_cases_are_covered_and_every_test_names_cases_that_there_are() {
    // The cases of Hadoop's eight largest classes of CapacityScheduler tests, and those of others that are named here.
    hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hadoop_capacity"), include_str!("cases.txt"), 190);
}

#[test]
fn names_are_found_in_the_comments_of_tests_alone() {
    let source = "/// Of a helper: `TestA.testX`\nfn helper() {}\n\n/// One.\n///\n/// `TestA.testY`, `TestB.test`.\n\
                  #[test]\nfn one() {}\n#[test]\nfn bare() {}\n";
    let one = vec!["TestA.testY".to_owned(), "TestB.test".to_owned()];
    assert_eq!(tests_of(source), [("one".to_owned(), one), ("bare".to_owned(), Vec::new())]);
}
