//! The README's table says what the models say of themselves, figures aside.
#![cfg(not(loom))]

use evenweave_loom_tests::claims::{claims, differences};
use std::path::Path;

#[test]
fn the_table_says_what_the_models_say() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let claims = claims(&here.join("tests")).unwrap();
    assert!(claims.len() > 40, "the models are found");
    let page = std::fs::read_to_string(here.join("README.md")).unwrap();
    let wrong = differences(&page, &claims).unwrap();
    assert!(wrong.is_empty(), "{}\nrun .ci/loom-table.sh", wrong.join("\n"));
}
