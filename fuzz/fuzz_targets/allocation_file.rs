//! Any bytes as an allocation file: refused with a place, or taken, built, reloaded and scheduled by.

#![no_main]

use evenweave::{AllocationFile, FairScheduler, Resource, ResourceTypes, Settings};
use evenweave_fuzz::{TYPES, check_tree, is_one_line};
use libfuzzer_sys::fuzz_target;

const SOURCE: &str = "fuzz.xml";

fn settings() -> Settings {
    let names = TYPES.map(|(name, _)| name).join(",");
    let units = TYPES.map(|(name, unit)| (format!("yarn.resource-types.{name}.units"), unit));
    let units = units.iter().map(|(name, unit)| (name.as_str(), *unit));
    Settings::from_properties([("yarn.resource-types", names.as_str())].into_iter().chain(units)).expect("valid types")
}

fuzz_target!(|bytes: &[u8]| {
    let types = ResourceTypes::with_custom(TYPES).expect("valid names");
    let read = |text: &str| AllocationFile::parse(text, SOURCE, &types, &["custom".to_owned()]);
    let text = match AllocationFile::decode(bytes, SOURCE) {
        Ok(text) => text,
        Err(error) => {
            assert!(error.to_string().starts_with(SOURCE), "{error}");
            return;
        }
    };
    match read(&text) {
        Ok(parsed) => {
            for warning in &parsed.warnings {
                assert!(is_one_line(&warning.to_string()), "{warning}");
                let at = warning.at.as_ref().expect("it came from a file");
                assert!(at.line > 0 && at.column > 0 && at.offset + at.length <= text.len(), "{at:?}");
            }
            let builder = FairScheduler::builder().settings(settings()).allocations(parsed.file);
            // A custom policy was read, but is not given in.
            let Ok(mut stepped) = builder.stepped() else { return };
            check_tree(&stepped);
            stepped.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a fresh node");
            stepped.update();
            // Without the custom policy it may be refused now.
            let _ = stepped.reload(Some(&text));
            check_tree(&stepped);
            stepped.update();
        }
        Err(error) => {
            assert!(error.to_string().starts_with(SOURCE) && is_one_line(&error.to_string()), "{error}");
        }
    }
});
