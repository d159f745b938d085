//! The files of a folder import each other without a circle. Reads `src` and names the lines of those that do not.

use evenweave_testkit::{imports, sources};

#[test]
fn imports_of_a_folder_form_no_circle() {
    imports::hold(&sources::sources(env!("CARGO_MANIFEST_DIR")), &[]);
}

/// Of the packages that have no tests which look at their sources.
#[test]
fn imports_of_packages_that_nobody_embeds_form_no_circle() {
    for package in ["yarn/native", "python", "loom-tests"] {
        imports::hold(&sources::sources(&format!("{}/../{package}", env!("CARGO_MANIFEST_DIR"))), &[]);
    }
}
