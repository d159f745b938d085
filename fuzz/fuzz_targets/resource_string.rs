//! Any text as a resource, in every way in which missing types are read: refused in one line, or taken for amounts that
//! mean the same when they are written out.

#![no_main]

use evenweave::Resource;
use evenweave::config::{Limit, Missing, parse_resource};
use evenweave::resource::ResourceTypes;
use evenweave_fuzz::{TYPES, is_one_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let types = ResourceTypes::with_custom(TYPES).expect("valid names");
    for missing in [Missing::Zero, Missing::Max] {
        match parse_resource(text, &types, missing) {
            Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
            Ok(limit @ Limit::Absolute(amounts)) => {
                // No vcores said is -1, which cannot be written.
                let named = |i: &usize| amounts.get(*i) >= 0;
                assert!((0..types.len()).filter(|i| !named(i)).all(|i| i == 1 && missing == Missing::Max));
                let name = |i: usize| format!("{}={}", types.name(i), amounts.get(i));
                let written = (0..types.len()).filter(named).map(name).collect::<Vec<_>>().join(", ");
                assert_eq!(parse_resource(&written, &types, missing), Ok(limit), "{written}");
            }
            Ok(limit @ Limit::Percent(parts)) => {
                assert!(parts.iter().all(|part| *part >= 0.0), "{parts:?}");
                let of = |cluster: Resource| limit.of(&cluster);
                assert!(of(Resource::new(1000, 10)).fits_in(&of(Resource::new(2000, 20))));
            }
        }
    }
});
