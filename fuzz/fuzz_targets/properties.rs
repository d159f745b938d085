//! Any lines `name=value` as yarn-site properties: refused, or taken and scheduled by.

#![no_main]

use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Resource, Settings, Submission};
use evenweave_fuzz::properties;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let settings = match Settings::from_properties(properties(text)) {
        Ok(settings) => settings,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(settings.warnings().iter().all(|warning| !warning.is_empty()));
    let mut stepped = FairScheduler::builder().settings(settings).stepped().expect("one worker");
    let node = stepped.add_node("n1", "/r1", Resource::new(16_384, 16)).expect("a fresh node");
    let submission = Submission { number: 1, user: "al".into(), queue: None, am: Some(Resource::new(1024, 1)) };
    // What is asked for may be above the largest container.
    let Ok(app) = stepped.submit(&submission) else { return };
    stepped.update();
    stepped.heartbeat(&Heartbeat::new(&node));
    let asks = vec![Ask::anywhere(1, Resource::new(1000, 1), 2)];
    let request = AllocateRequest { asks, ..AllocateRequest::default() };
    let _ = stepped.allocate(&app, &request, &mut Allocation::default());
    stepped.heartbeat(&Heartbeat::new(&node));
});
