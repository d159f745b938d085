//! Any bytes as an allocation file: refused with a place, or taken, built, reloaded and scheduled by; a check of it
//! says the same.

#![no_main]

use evenweave::{AllocationFile, FairScheduler, Resource, Settings};
use evenweave::SchedulerApi as _;
use evenweave::config::{CheckOptions, Diagnostic, Severity};
use evenweave::resource::ResourceTypes;
use evenweave_fuzz::{TYPES, check_tree, is_one_line};
use libfuzzer_sys::fuzz_target;

const SOURCE: &str = "fuzz.xml";

fn settings() -> Settings {
    let names = TYPES.map(|(name, _)| name).join(",");
    let units = TYPES.map(|(name, unit)| (format!("yarn.resource-types.{name}.units"), unit));
    let units = units.iter().map(|(name, unit)| (name.as_str(), *unit));
    Settings::from_properties([("yarn.resource-types", names.as_str())].into_iter().chain(units)).expect("valid types")
}

fn look_at(found: &Diagnostic, text: &str) {
    assert!(is_one_line(&found.to_string()), "{found}");
    // All but the one that says that there are more.
    if let Some(at) = &found.at {
        assert!(at.line > 0 && at.column > 0 && text.get(at.offset..at.offset + at.length).is_some(), "{at:?}");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let types = ResourceTypes::with_custom(TYPES).expect("valid names");
    let custom = ["custom".to_owned()];
    let text = match AllocationFile::decode(bytes, SOURCE) {
        Ok(text) => text,
        Err(error) => {
            assert!(error.to_string().starts_with(SOURCE), "{error}");
            return;
        }
    };
    let settings = settings();
    let mut options = CheckOptions::with_settings(&settings);
    options.custom_policies = &custom;
    options.cluster = Some(Resource::new(102_400, 100));
    let checked = AllocationFile::check(&text, SOURCE, &options);
    checked.diagnostics.iter().for_each(|found| look_at(found, &text));
    let errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    match AllocationFile::parse(&text, SOURCE, &types, &custom) {
        Ok(parsed) => {
            assert_eq!((errors.count(), checked.file.is_some()), (0, true));
            parsed.warnings.iter().for_each(|found| look_at(found, &text));
            let builder = FairScheduler::builder().settings(settings).allocations(parsed.file);
            // A custom policy was read, but is not given in.
            let Ok(mut stepped) = builder.stepped() else { return };
            check_tree(&mut stepped);
            stepped.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a fresh node");
            stepped.update_now();
            // Without the custom policy it may be refused now.
            let _ = stepped.reload_text(&text);
            check_tree(&mut stepped);
            stepped.update_now();
        }
        Err(error) => {
            assert!(error.to_string().starts_with(SOURCE) && is_one_line(&error.to_string()), "{error}");
            let error = error.diagnostic();
            assert!(checked.file.is_none());
            assert!(errors.into_iter().any(|found| found.at == error.at && found.message == error.message), "{error}");
        }
    }
});
