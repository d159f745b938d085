//! Any bytes as an allocation file: taken or refused with a place, and what is taken can be scheduled by.

#![no_main]

use evenweave::{AllocationFile, FairScheduler, Resource, ResourceTypes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = AllocationFile::decode(bytes, "fuzz") else { return };
    let types = ResourceTypes::with_custom([("gpu", "")]).expect("a valid name");
    match AllocationFile::parse(&text, "fuzz", &types, &["custom".to_owned()]) {
        Ok(parsed) => {
            let warnings: usize = parsed.warnings.iter().map(|warning| warning.to_string().len()).sum();
            std::hint::black_box(warnings);
            let mut stepped = FairScheduler::builder().allocations(parsed.file).stepped().expect("one worker");
            stepped.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a fresh node");
            stepped.update();
        }
        Err(error) => assert!(error.to_string().starts_with("fuzz"), "an error names its file: {error}"),
    }
});
