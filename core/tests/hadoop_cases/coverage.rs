//! Which of Hadoop's cases the tests of this folder name, read from their comments.

use std::path::Path;

#[test]
fn at_least_125_cases_are_covered_and_every_test_names_cases_that_there_are() {
    // The cases of Hadoop's fair side.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hadoop_cases");
    evenweave_testkit::cases::hold(&folder, include_str!("cases.txt"), 125);
}
