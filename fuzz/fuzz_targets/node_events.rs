//! Any bytes as a file of what happens to nodes: refused in one line with its place, or changes in order of time.

#![no_main]

use evenweave_fuzz::traces::read_node_changes;
use evenweave_fuzz::{is_one_line, is_packed};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    // A few packed bytes may be very many.
    if is_packed(bytes) {
        return;
    }
    match read_node_changes(Cursor::new(bytes.to_vec()), "t") {
        Ok(changes) => assert!(changes.is_sorted_by_key(|change| change.at_ms)),
        Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
    }
});
