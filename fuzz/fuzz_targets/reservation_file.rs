//! Any bytes as a file of reservations: refused in one line with its place, or reservations of different names, each
//! with a stage.

#![no_main]

use evenweave_fuzz::traces::read_bookings;
use evenweave_fuzz::{is_one_line, is_packed};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    // A few packed bytes may be very many.
    if is_packed(bytes) {
        return;
    }
    match read_bookings(Cursor::new(bytes.to_vec()), "t") {
        Ok(bookings) => {
            let names: HashSet<&str> = bookings.iter().map(|booking| booking.name.as_str()).collect();
            assert_eq!(names.len(), bookings.len());
            for booking in &bookings {
                assert!(!booking.stages.is_empty() && booking.arrival_ms < booking.deadline_ms);
                assert!(booking.book_ms <= booking.arrival_ms);
            }
        }
        Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
    }
});
