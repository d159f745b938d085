//! Any operations on any cluster, every book compared after every step; with one worker also against sorting anew.

#![no_main]

#[path = "../../core/tests/harness/mod.rs"]
mod harness;

use harness::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(case) = Case::of_bytes(bytes) else { return };
    let outcome = if case.workers == 1 { case.twins_agree(true) } else { case.books_balance() };
    if let Err(wrong) = outcome {
        panic!("{wrong}\n{case:?}");
    }
});
