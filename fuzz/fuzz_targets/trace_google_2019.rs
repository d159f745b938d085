//! Any bytes as instance_events of Google's trace of 2019: every job has what a simulator needs, and every error a
//! place and one line.

#![no_main]

use evenweave_fuzz::check_trace;
use evenweave_fuzz::traces::TraceKind;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| check_trace(bytes, Some(TraceKind::Google2019)));
