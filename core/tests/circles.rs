//! The files of a folder import each other without a circle. Reads `src` and names the lines of those that do not.

use evenweave_testkit::imports::{circles, hold};
use evenweave_testkit::sources::sources;

#[test]
fn imports_of_a_folder_form_no_circle() {
    hold(&sources(env!("CARGO_MANIFEST_DIR")), &[]);
}

/// The ways round of sources that are written here.
fn ways(sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<_> = sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    circles(&sources).into_iter().map(|circle| format!("{}: {}", circle.folder, circle.way)).collect()
}

#[test]
fn two_files_that_import_each_other_are_named_with_their_lines() {
    let files = [("lib.rs", "mod a;"), ("a/mod.rs", "mod x;\nmod y;\n")];
    let circle = [("a/x.rs", "use super::y::Y;"), ("a/y.rs", "\nfn f() -> crate::a::x::X {}")];
    assert_eq!(ways(&[&files[..], &circle].concat()), ["a: x.rs:1 -> y.rs:2 -> x.rs"]);
    let line = [
        ("a/x.rs", "use super::y::Y;"),
        ("a/y.rs", "// use super::x::X;\n#[cfg(test)]\nmod t { use super::super::x; }"),
    ];
    assert_eq!(ways(&[&files[..], &line].concat()), [""; 0]);
}

#[test]
fn a_longer_way_round_is_found_and_told_once() {
    let files = [
        ("a/mod.rs", ""),
        ("a/x.rs", "use crate::{a::y::{self, Y}, b::B};"),
        ("a/y.rs", "use super::{z::Z};"),
        ("a/z.rs", "use crate::a::x as other;"),
        ("b.rs", ""),
    ];
    assert_eq!(ways(&files), ["a: x.rs:1 -> y.rs:1 -> z.rs:1 -> x.rs"]);
}

/// What stands in a `mod.rs`, or is passed on by it, is taken from there; whatever form the folder's own module has.
#[test]
fn a_folder_s_own_module_is_a_file_of_it() {
    for own in ["a/mod.rs", "a.rs"] {
        let passed_on = [(own, "mod x;\nmod y;\npub use x::X;"), ("a/x.rs", ""), ("a/y.rs", "use super::X;")];
        assert_eq!(ways(&passed_on), [""; 0], "y takes from above, which takes from x alone");
        let circle = [(own, "mod x;\npub use x::X;\nstruct Shared;"), ("a/x.rs", "use super::Shared;")];
        assert_eq!(ways(&circle), ["a: mod.rs:2 -> x.rs:1 -> mod.rs"]);
        let declared = [(own, "mod x;\nstruct Shared;"), ("a/x.rs", "use super::*;")];
        assert_eq!(ways(&declared), [""; 0], "to have a module is no import");
    }
}

#[test]
fn folders_are_nodes_of_the_folder_they_lie_in() {
    let files = [
        ("lib.rs", "pub use a::A;"),
        ("a/mod.rs", "mod x; use x::X;"),
        ("a/x.rs", "use crate::b::deep::D;"),
        ("b/mod.rs", ""),
        ("b/deep.rs", "pub(in crate::a) struct D(crate::a::x::X);"),
    ];
    assert_eq!(ways(&files), [": a/x.rs:1 -> b/deep.rs:1 -> a"]);
    assert_eq!(
        ways(&[("lib.rs", "pub use a::A;"), ("a.rs", "fn f(x: crate::A) {}")]),
        [": a.rs:1 -> lib.rs:1 -> a.rs"]
    );
}

#[test]
fn a_module_within_a_file_is_the_file() {
    let files = [("a/mod.rs", ""), ("a/x.rs", "mod inner { use super::super::y::Y; use super::Z; }"), ("a/y.rs", "")];
    assert_eq!(ways(&files), [""; 0]);
    let files = [files[0], files[1], ("a/y.rs", "use super::x::inner::W;")];
    assert_eq!(ways(&files), ["a: x.rs:1 -> y.rs:1 -> x.rs"]);
}

#[test]
#[should_panic(expected = "take [\"b\"] off the list")]
fn a_list_that_is_too_long_is_noticed() {
    let files = [("a/mod.rs", ""), ("a/x.rs", "use super::y::Y;"), ("a/y.rs", "use super::x::X;")];
    hold(&files.map(|(path, text)| (path.to_owned(), text.to_owned())), &["a", "b"]);
}
