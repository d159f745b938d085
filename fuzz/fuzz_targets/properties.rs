//! Any lines `name=value` as yarn-site properties: refused in one line, or taken and scheduled by.

#![no_main]

use evenweave::Settings;
use evenweave_fuzz::{is_one_line, properties, schedule};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match Settings::from_properties(properties(text)) {
    Ok(settings) => {
        for warning in settings.warnings() {
            assert!(is_one_line(&warning.to_string()), "{warning}");
        }
        schedule(settings);
    }
    Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
});
