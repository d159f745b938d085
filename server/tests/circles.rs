//! The files of a folder import each other without a circle. Reads `src` and names the lines of those that do not.

#[path = "../../core/tests/imports/mod.rs"]
mod imports;
#[path = "../../core/tests/sources/mod.rs"]
mod sources;

#[test]
fn imports_of_a_folder_form_no_circle() {
    imports::hold(&sources::sources(), &[]);
}
