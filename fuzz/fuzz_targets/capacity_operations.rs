//! Any operations on any CapacityScheduler, panics of workers among them, all books counted after every step.

#![no_main]

#[path = "../../core/tests/capacity_machine/mod.rs"]
mod capacity_machine;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((workers, shape, ops)) = capacity_machine::of_bytes(bytes) else { return };
    if let Err(wrong) = capacity_machine::play(workers, shape, &ops) {
        panic!("{wrong}\n{workers}, {shape:?}, {ops:?}");
    }
});
