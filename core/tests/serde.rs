//! Feature `serde`: what is written is read again as it was; what cannot be read is written.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::prelude::*;
use evenweave::refused::Configuration;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::fmt::Debug;

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    // Whatever reads it: without borrowing, too.
    assert_eq!(&serde_json::from_value::<T>(serde_json::to_value(value).unwrap()).unwrap(), value, "{text}");
}

#[test]
fn what_is_written_is_read() {
    let text = "<allocations><queue name='a'/><queue name='b'><maxResources>50%</maxResources></queue></allocations>";
    let mut stepped = FairScheduler::builder().journal(true).cluster_timestamp(7).stepped().unwrap();
    stepped.reload_text(text).unwrap();
    let node = stepped.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = stepped.submit(Submission::new(1, "ann").in_queue("root.a")).unwrap();
    let mut answer = Allocation::default();
    let (place, small) = (stepped.location("n"), Resource::new(1024, 1));
    let request = AllocateRequest::new([Ask::anywhere(1, small, 2)]);
    stepped.allocate(&app, &request, &mut answer).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    stepped.heartbeat(Heartbeat::new(&node));
    stepped.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    let ids: Vec<_> = answer.granted.iter().map(|container| container.id).collect();
    let odd = AllocateRequest::new([Ask::anywhere(2, small, 1).at(place)]).with_releases([ids[0]]);
    comes_back(&answer);
    stepped.allocate(&app, &odd, &mut answer).unwrap();
    assert!(!answer.ended.is_empty() && !answer.warnings.is_empty());
    comes_back(&answer);
    comes_back(&ids);
    comes_back(&(app.id(), app.attempt_id(), stepped.container_name(ids[0]), node.id(), small));
    comes_back(&(
        stepped.queues(),
        stepped.apps(),
        stepped.nodes(),
        stepped.containers(),
        stepped.container_counts(),
        stepped.stats(),
    ));
    comes_back(&stepped.queue_configs());
    comes_back(&stepped.take_journal());
}

/// The ids of the outside world are their texts; a text that is none is refused.
#[test]
fn names_are_their_texts() {
    let name: ContainerName = "container_e17_1410901177871_0001_01_000005".parse().unwrap();
    assert_eq!(serde_json::to_value(name).unwrap(), json!(name.to_string()));
    let refused = serde_json::from_value::<AttemptId>(json!("attempt 5")).unwrap_err();
    assert!(refused.to_string().contains("appattempt_1410901177871_0001_000001"), "{refused}");
}

#[test]
fn requests_refusals_and_events_are_written() {
    let scheduler = FairScheduler::builder().timers(false).start().unwrap();
    let at = scheduler.location("n");
    let asks = vec![Ask::anywhere(1, Resource::new(1024, 1), 2).at(at)];
    let written = serde_json::to_value(AllocateRequest::new(asks)).unwrap();
    assert_eq!(written["asks"][0]["count"], 2);
    let refused = scheduler.add_node("*", "/r", Resource::new(1, 1)).unwrap_err();
    let said = json!({ "kind": "bad-place-name", "message": refused.to_string() });
    assert_eq!(serde_json::to_value(refused).unwrap(), said);
    let Err(Refused::Configuration(Configuration::Allocations(error))) = scheduler.reload_text("<allocations>") else {
        panic!("no file")
    };
    let event = SchedulerEvent::AllocationsRefused(*error.clone());
    assert_eq!(serde_json::to_value(event).unwrap(), json!({ "AllocationsRefused": error.to_string() }));
}

#[test]
fn requests_are_read_where_they_name_no_place() {
    let (small, mut stepped) = (Resource::new(1024, 1), FairScheduler::builder().stepped().unwrap());
    let place = stepped.location("n");
    let ask = Ask::anywhere(3, small, 2).with_request_id(7).strict();
    comes_back(&ask);
    comes_back(&AllocateRequest::new([ask]));
    comes_back(&Submission::new(1, "ann").in_queue("root.a").with_am(AmRequest::from(small).strict()));
    comes_back(&NewAttempt::default().with_am(small).keep_containers(true));
    // What is left out is as the constructors have it.
    let short = json!({ "asks": [{ "priority": 1, "resource": small, "count": 2 }] });
    let short: AllocateRequest = serde_json::from_value(short).unwrap();
    assert_eq!(short, AllocateRequest::new([Ask::anywhere(1, small, 2)]));
    let short: Submission = serde_json::from_value(json!({ "number": 1, "user": "ann" })).unwrap();
    assert_eq!(short, Submission::new(1, "ann"));
    assert!(stepped.submit(short).is_ok());
    let am: AmRequest = serde_json::from_value(json!({ "resource": small })).unwrap();
    assert_eq!(am, AmRequest::from(small));
    assert_eq!(serde_json::from_value::<NewAttempt>(json!({})).unwrap(), NewAttempt::default());
    // A place is its scheduler's.
    let texts = [
        serde_json::to_string(&ask.at(place)).unwrap(),
        serde_json::to_string(&ask.at(Location::NOWHERE)).unwrap(),
        serde_json::to_string(&AmRequest::from(small).at(place)).unwrap(),
        serde_json::to_string(&AmRequest::from(small).avoiding(&[place])).unwrap(),
    ];
    for (at, text) in texts.iter().enumerate() {
        let read = if at < 2 {
            serde_json::from_str::<Ask>(text).map(drop)
        } else {
            serde_json::from_str::<AmRequest>(text).map(drop)
        };
        assert!(read.unwrap_err().to_string().contains("`location`"), "{text}");
    }
}

#[test]
fn settings_are_read_and_checked_when_a_scheduler_is_built() {
    let properties = [
        ("yarn.resource-types", "gpu"),
        ("yarn.scheduler.fair.max.assign", "4"),
        ("yarn.scheduler.fair.am.preemption.root.a", "false"),
        ("yarn.admin.acl", "ann,bob ops"),
    ];
    let settings = Settings::from_properties(properties).unwrap();
    let written = serde_json::to_value(&settings).unwrap();
    let read: Settings = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), written);
    assert_eq!((read.types.index("gpu"), read.max_assign), (Some(2), 4));
    assert_eq!((read.types.clone(), read.maximum), (settings.types, settings.maximum));
    assert!(FairScheduler::builder().settings(read).stepped().is_ok());
    let read: Settings = serde_json::from_value(json!({ "preemption": true })).unwrap();
    let mut expected = Settings::default();
    expected.preemption = true;
    assert_eq!(format!("{read:?}"), format!("{expected:?}"));
    let read: Settings = serde_json::from_value(json!({ "increment": Resource::new(-1, 1) })).unwrap();
    let built = FairScheduler::builder().settings(read).stepped();
    assert!(matches!(&built, Err(evenweave::BuildError::Settings(_))), "{built:?}");
    let twice = json!({ "types": [["gpu", ""], ["gpu", ""]] });
    assert!(serde_json::from_value::<Settings>(twice).is_err());
}
