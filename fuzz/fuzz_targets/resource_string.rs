//! Any text as a resource, in every way in which missing types are read.

#![no_main]

use evenweave::{Missing, ResourceTypes, parse_resource};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let types = ResourceTypes::with_custom([("gpu", ""), ("disk", "G")]).expect("valid names");
    for missing in [Missing::Zero, Missing::Max] {
        if let Err(error) = parse_resource(text, &types, missing) {
            assert!(!error.to_string().is_empty());
        }
    }
});
