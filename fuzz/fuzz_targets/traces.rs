//! Any bytes as a trace and as a node file: every job has what a simulator needs, and every error a place and one line.

#![no_main]

use evenweave_fuzz::is_one_line;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use traces::{Item, Trace, TraceOptions, read_node_file};

/// The readers alone: the package that they are of has a server and plots, too.
#[path = "../../bench/src/traces/mod.rs"]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "what the target does not use")]
mod traces;

/// More jobs than these are not drawn of one input: a recipe may be for millions.
const MOST: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let packed = bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    if let Err(error) = read_node_file(Cursor::new(if packed { Vec::new() } else { bytes.to_vec() }), "t") {
        assert!(is_one_line(&error.to_string()), "{error}");
    }
    let mut options = TraceOptions::default();
    // A few packed bytes may be very many.
    options.longest_job = 1 << 18;
    let trace = match Trace::read(Cursor::new(bytes.to_vec()), "t", &options) {
        Ok(trace) => trace,
        Err(error) => return assert!(is_one_line(&error.to_string()), "{error}"),
    };
    for item in trace.take(MOST) {
        match item {
            Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
            Ok(Item::Refused(refusal)) => {
                assert!(refusal.at.line > 0 && refusal.at.column > 0);
                assert!(is_one_line(&refusal.problem) && is_one_line(&refusal.help));
            }
            Ok(Item::Job(job)) => {
                assert!(job.count > 0 && job.tasks.iter().all(|task| task.count > 0 && task.duration_ms > 0));
            }
            Ok(Item::Node(_)) => {}
        }
    }
});
