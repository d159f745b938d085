//! Nothing unchecked gets in: settings, files made by a program, names, amounts. What is accepted and hardly meant is
//! told.

use crate::world::Touchy;
use evenweave::SchedulerApi as _;
use evenweave::config::{AllocationsError, Limit, QueueSettings};
use evenweave::policy::{ClusterTotal, Schedulable, SchedulingPolicy, ShareInput};
use evenweave::reason::NotOffered;
use evenweave::refused::{Configuration, Invalid};
use evenweave::resource::{Calculator, ResourceTypes};
use evenweave::shares::Fair;
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, Ask, AskWarning, BuildError, FairScheduler, FairSchedulerBuilder,
    Heartbeat, Refused, Resource, Settings, Submission,
};
use evenweave_testkit::{SMALL, allocations};
use std::cmp::Ordering;
use std::sync::Arc;

/// What both forms of start say.
fn refused(builder: impl Fn() -> FairSchedulerBuilder) -> BuildError {
    let [threaded, stepped] = [builder().start().map(drop), builder().stepped().map(drop)].map(Result::unwrap_err);
    assert_eq!(threaded.to_string(), stepped.to_string());
    threaded
}

#[test]
fn settings_that_cannot_be_start_nothing() {
    type Change = fn(&mut Settings);
    let cases: [(&str, Change); 7] = [
        ("minimum", |s| s.minimum = Resource::new(-1, 1)),
        ("increment", |s| s.increment = Resource::new(1024, -1)),
        ("minimum", |s| s.minimum = Resource::new(1 << 40, 1)),
        ("maximum", |s| s.maximum = Resource::new(-1, -1)),
        ("locality_threshold_node", |s| s.locality_threshold_node = f64::NAN),
        ("preemption_utilization_threshold", |s| s.preemption_utilization_threshold = f32::NAN),
        ("wait_before_kill_ms", |s| s.wait_before_kill_ms = i64::MIN),
    ];
    for (field, change) in cases {
        let mut settings = Settings::default();
        change(&mut settings);
        let error = refused(|| FairScheduler::builder().settings(settings.clone()));
        assert!(matches!(&error, BuildError::Settings(fault) if fault.field == field), "{error}");
    }
}

#[test]
fn capacities_that_cannot_be_had_start_nothing() {
    for asked in [0, usize::MAX, 1 << 40] {
        for error in [
            refused(|| FairScheduler::builder().channel_capacity(asked)),
            refused(|| FairScheduler::builder().event_capacity(asked)),
        ] {
            assert!(matches!(error, BuildError::Capacity { asked: of, .. } if of == asked), "{error}");
        }
    }
}

fn file(change: impl Fn(&mut AllocationFile)) -> AllocationFile {
    let mut file = AllocationFile::default();
    change(&mut file);
    file
}

#[test]
fn a_file_made_by_a_program_is_checked_as_one_that_was_read() {
    let deep = format!("root{}", ".a".repeat(8000));
    let long = format!("root.{}", "a".repeat(1 << 20));
    let short_and_deep = format!("root{}", ".a".repeat(201));
    for name in [&*deep, &short_and_deep, &long, "", "a", "a.b", "root.", "root. a"] {
        let bad = file(|file| assert!(file.leaves.insert(name.to_owned())));
        let error = refused(|| FairScheduler::builder().allocations(bad.clone()));
        assert!(
            matches!(&error, BuildError::Allocations(AllocationsError::BadQueueName { .. }))
                && error.to_string().len() < 500,
            "{error}"
        );
        // At a reload, too; what was in force stays.
        let scheduler = FairScheduler::builder().timers(false).start().unwrap();
        assert!(matches!(scheduler.reload(bad), Err(Refused::Configuration(Configuration::Allocations(_)))));
        assert_eq!(scheduler.allocations(), Ok(AllocationFile::default()));
    }
    let three = Resource::from_fn(|lane| i64::from(lane < 3));
    type Change<'a> = &'a dyn Fn(&mut AllocationFile, &mut QueueSettings);
    let changes: [Change<'_>; 5] = [
        &|_, queue| queue.min = Some(three),
        &|_, queue| queue.max_container = Some(three),
        &|_, queue| queue.max = Some(Limit::Absolute(three)),
        &|_, queue| queue.max_child = Some(Limit::Absolute(three)),
        &|file, _| file.queue_max_resources = Limit::Absolute(three),
    ];
    for change in changes {
        let (mut bad, mut queue) = (AllocationFile::default(), QueueSettings::default());
        change(&mut bad, &mut queue);
        assert!(bad.queues.insert("root.a".to_owned(), queue).is_none());
        let error = refused(|| FairScheduler::builder().allocations(bad.clone()));
        assert!(matches!(error, BuildError::Allocations(AllocationsError::UnknownType { .. })), "{error}");
    }
    let gpus = ResourceTypes::with_custom([("gpu", "")]).unwrap();
    let other = AllocationFile::parse("<allocations/>", "t", &gpus, &[]).unwrap().file;
    let error = refused(|| FairScheduler::builder().allocations(other.clone()));
    assert!(matches!(error, BuildError::Allocations(AllocationsError::OtherTypes)), "{error}");
}

/// Of a text Hadoop takes them all, and so does the scheduler.
#[test]
fn values_that_a_program_cannot_mean_are_refused() {
    type Change = fn(&mut AllocationFile, &mut QueueSettings);
    let cases: [(&str, Change); 16] = [
        ("root", |file, _| assert!(file.leaves.insert("root".to_owned()))),
        ("weight", |_, queue| queue.weight = Some(f32::NAN)),
        ("weight", |_, queue| queue.weight = Some(-1.0)),
        ("weight", |_, queue| queue.weight = Some(f32::INFINITY)),
        ("maxAMShare", |_, queue| queue.max_am_share = Some(f32::NAN)),
        ("maxAMShare", |_, queue| queue.max_am_share = Some(-0.5)),
        ("maxAMShare", |_, queue| queue.max_am_share = Some(1.5)),
        ("fairSharePreemptionThreshold", |_, queue| queue.fair_share_preemption_threshold = Some(f32::NAN)),
        ("fairSharePreemptionThreshold", |_, queue| queue.fair_share_preemption_threshold = Some(-1.0)),
        ("minResources", |_, queue| queue.min = Some(Resource::new(-1, 1))),
        ("maxContainerAllocation", |_, queue| queue.max_container = Some(Resource::new(1, -1))),
        ("maxResources", |_, queue| queue.max = Some(Limit::Absolute(Resource::new(1, -1)))),
        ("maxChildResources", |_, queue| queue.max_child = Some(Limit::Absolute(Resource::new(-1, 1)))),
        ("queueMaxAMShareDefault", |file, _| file.queue_max_am_share = f32::NAN),
        ("queueMaxAMShareDefault", |file, _| file.queue_max_am_share = -2.0),
        ("defaultFairSharePreemptionThreshold", |file, _| file.fair_share_preemption_threshold = f32::NAN),
    ];
    for (element, change) in cases {
        let (mut bad, mut queue) = (AllocationFile::default(), QueueSettings::default());
        change(&mut bad, &mut queue);
        assert!(bad.queues.insert("root.a".to_owned(), queue).is_none());
        let error = refused(|| FairScheduler::builder().allocations(bad.clone()));
        assert!(
            matches!(error, BuildError::Allocations(_)) && error.to_string().contains(element),
            "{element}: {error}"
        );
        let scheduler = FairScheduler::builder().timers(false).start().unwrap();
        assert!(
            matches!(scheduler.reload(bad), Err(Refused::Configuration(Configuration::Allocations(_)))),
            "{element}"
        );
    }
    let odd = "<allocations><queue name='root'/><queueMaxAMShareDefault>-3</queueMaxAMShareDefault></allocations>";
    let file = allocations(odd);
    assert!(FairScheduler::builder().allocations(file).stepped().is_ok());
}

/// `Fair` under any name.
#[derive(Debug)]
struct Named(&'static str);

impl SchedulingPolicy for Named {
    fn name(&self) -> &str {
        self.0
    }
    fn calculator(&self) -> Calculator {
        Fair.calculator()
    }
    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        Fair.compare(cluster, a, b)
    }
    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        Fair.compute_shares(types, total, children, steady);
    }
    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        Fair.headroom(fair_share, usage, available)
    }
}

#[test]
fn a_policy_that_could_never_be_named_starts_nothing() {
    for name in ["fair", "FAIR", "drf", "Fifo", "", " mine", "mi\nne"] {
        let error = refused(|| FairScheduler::builder().policy(Arc::new(Named(name))));
        assert!(matches!(&error, BuildError::PolicyName { name: of, .. } if of == name), "{error}");
    }
    let twice = || FairScheduler::builder().policy(Arc::new(Touchy::default())).policy(Arc::new(Named("touchy")));
    assert!(matches!(refused(twice), BuildError::PolicyName { .. }));
}

#[test]
fn nodes_racks_and_maxima_that_cannot_be_are_refused() {
    let scheduler = FairScheduler::builder().timers(false).start().unwrap();
    let total = Resource::new(8192, 8);
    for (name, rack) in [("", "/r"), ("n", ""), ("*", "/r"), ("n", "*"), ("n\n", "/r"), ("n", "/\u{7}r"), ("n", "n")] {
        let refused = scheduler.add_node(name, rack, total).unwrap_err();
        assert!(matches!(refused, Refused::Invalid(Invalid::PlaceName { .. })), "{name:?} {rack:?}: {refused}");
    }
    let three = Resource::from_fn(|lane| i64::from(lane < 3));
    assert!(matches!(scheduler.add_node("n", "/r", three), Err(Refused::Invalid(Invalid::UnknownType { .. }))));
    let node = scheduler.add_node("n", "/r", total).unwrap();
    assert!(matches!(scheduler.resize_node(&node, three), Err(Refused::Invalid(Invalid::UnknownType { .. }))));
    assert!(matches!(scheduler.add_node("/r", "/q", total), Err(Refused::Invalid(Invalid::PlaceName { .. }))));
    assert!(matches!(scheduler.add_node("m", "n", total), Err(Refused::Invalid(Invalid::PlaceName { .. }))));
    // The smallest container is of 1024 MiB.
    for maximum in [Resource::new(-1, -1), Resource::new(8192, -1), Resource::new(1023, 8)] {
        let refused = scheduler.set_maximum_allocation(maximum);
        assert!(matches!(refused, Err(Refused::Invalid(Invalid::Maximum { .. }))), "{maximum}: {refused:?}");
    }
}

/// What YARN accepts and never serves, or serves otherwise than meant, is told.
#[test]
fn asks_that_are_hardly_meant_are_told() {
    let other = Resource::new(2048, 1);
    let key = (1, 0);
    let nothing = AskWarning::NothingAnywhere { priority: key.0, allocation_request_id: key.1 };
    let replaced = AskWarning::SizeReplaced { priority: key.0, allocation_request_id: key.1 };
    let scheduler = FairScheduler::builder().timers(false).start().unwrap();
    let mut stepped = FairScheduler::builder().stepped().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    stepped.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let submission = Submission::new(1, "ann");
    let (app, own) = (scheduler.submit(submission.clone()).unwrap(), stepped.submit(submission).unwrap());
    let (place, own_place) = (scheduler.location("n"), stepped.location("n"));
    let mut answer = Allocation::default();
    let mut told = |asks: &dyn Fn(evenweave::Location) -> Vec<Ask>| {
        let request = |asks| AllocateRequest::new(asks);
        stepped.allocate(&own, &request(asks(own_place)), &mut answer).unwrap();
        let warnings = answer.warnings.clone();
        scheduler.allocate(&app, &request(asks(place)), &mut answer).unwrap();
        scheduler.quiesce().unwrap();
        assert_eq!(warnings, answer.warnings, "both drivers");
        stepped.update_now();
        scheduler.update_now().unwrap();
        let why = stepped.not_offered(&own);
        assert_eq!(why, scheduler.not_offered(&app).unwrap(), "both drivers");
        (warnings, why)
    };
    let ask = Ask::anywhere(1, SMALL, 1);
    assert_eq!(told(&|place| vec![ask.at(place)]), (vec![nothing], Some(NotOffered::NothingAnywhere)));
    assert_eq!(told(&|place| vec![ask, ask.at(place)]), (vec![], None));
    // Something is outstanding at `*` from before.
    assert_eq!(told(&|place| vec![ask.at(place).with_count(2)]), (vec![], None));
    assert_eq!(told(&|_| vec![ask, ask.with_resource(other)]), (vec![replaced], None));
    assert_eq!(told(&|_| vec![ask, ask.with_request_id(7).with_resource(other)]), (vec![], None));
    let none = |ask: Ask| ask.with_count(0);
    assert_eq!(
        told(&|place| vec![none(ask), none(ask.at(place)), none(ask.with_request_id(7))]),
        (vec![], Some(NotOffered::NothingOutstanding))
    );
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.stats().granted, 0);
}
