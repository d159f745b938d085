//! Any bytes as a trace, whatever it is, and as a node file: every job has what a simulator needs, and every error a
//! place and one line.

#![no_main]

use evenweave_fuzz::traces::read_node_file;
use evenweave_fuzz::{check_trace, is_one_line, is_packed};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = read_node_file(Cursor::new(if is_packed(bytes) { Vec::new() } else { bytes.to_vec() }), "t") {
        assert!(is_one_line(&error.to_string()), "{error}");
    }
    check_trace(bytes, None);
});
