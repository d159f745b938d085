//! What is asked for, of a CapacityScheduler: counts times sizes that no 64 bits hold.

use evenweave::prelude::*;
use evenweave::refused::Invalid;
use evenweave::view::CapacityQueueView;
use evenweave_testkit::SMALL;

/// The largest container, and the size of a node.
const HUGE: Resource = Resource::new(1 << 31, 64);
fn configuration(maximum: &str) -> CapacityConfiguration {
    let site = [
        ("yarn.scheduler.maximum-allocation-mb", "2147483647"),
        ("yarn.resource-types.memory-mb.maximum-allocation", maximum),
        ("yarn.scheduler.maximum-allocation-vcores", "64"),
    ];
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.a.maximum-capacity", "50"),
        ("yarn.scheduler.capacity.root.a.ordering-policy", "fair"),
        ("yarn.scheduler.capacity.root.a.ordering-policy.fair.enable-size-based-weight", "true"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
    ];
    CapacityConfiguration::from_properties(site, queues).unwrap()
}

fn pending(scheduler: &mut CapacityStepped, name: &str) -> i64 {
    let queues: Vec<CapacityQueueView> = scheduler.queues();
    queues.iter().find(|queue| queue.name == name).unwrap().pending.memory_mb()
}

#[test]
fn what_is_asked_for_may_pass_the_end_of_64_bits() {
    for workers in [1, 3] {
        let mut scheduler = CapacityScheduler::builder(configuration("2147483648")).workers(workers).stepped().unwrap();
        let nodes = ["n1", "n2"].map(|name| scheduler.add_node(name, "/r", HUGE).unwrap());
        let submit = |scheduler: &mut CapacityStepped, number, queue| {
            scheduler.submit(Submission::new(number, "ann").in_queue(queue)).unwrap()
        };
        let [abuser, other] = [1, 2].map(|number| submit(&mut scheduler, number, "a"));
        let bystander = submit(&mut scheduler, 3, "b");
        let mut answer = Allocation::default();
        let mut ask = |scheduler: &mut CapacityStepped, app: &AppHandle, count| {
            let asks = [1, 2].map(|priority| Ask::anywhere(priority, HUGE, count));
            scheduler.allocate(app, &AllocateRequest::new(asks), &mut answer).unwrap();
        };
        // Of two keys the sum of 64 bits is below nothing; of four, too.
        for app in [&abuser, &other] {
            ask(&mut scheduler, app, u32::MAX);
            for queue in ["root", "root.a"] {
                assert_eq!(pending(&mut scheduler, queue), 1 << 61, "{workers} workers");
            }
        }
        let mut granted = Vec::new();
        let asks = AllocateRequest::new([Ask::anywhere(1, SMALL, 3)]);
        let mut answer = Allocation::default();
        scheduler.allocate(&bystander, &asks, &mut answer).unwrap();
        for _ in 0..4 {
            for node in &nodes {
                scheduler.heartbeat(Heartbeat::new(node));
            }
            for app in [&abuser, &other, &bystander] {
                scheduler.allocate(app, &AllocateRequest::default(), &mut answer).unwrap();
                granted.extend(answer.granted.iter().map(|container| (app.number(), container.resource)));
            }
        }
        let served = |app: &AppHandle| granted.iter().filter(|(number, _)| *number == app.number()).count();
        assert_eq!((served(&abuser) + served(&other), served(&bystander)), (1, 3), "{workers} workers: {granted:?}");
        assert_eq!(scheduler.audit(true).wrong, [""; 0]);
        // It comes back as it went.
        scheduler.move_app(&other, "b").unwrap();
        assert_eq!((pending(&mut scheduler, "root.a"), pending(&mut scheduler, "root.b")), (1 << 61, 1 << 61));
        let mut ask = |scheduler: &mut CapacityStepped, app: &AppHandle, count| {
            let asks = [1, 2].map(|priority| Ask::anywhere(priority, HUGE, count));
            scheduler.allocate(app, &AllocateRequest::new(asks), &mut answer).unwrap();
        };
        ask(&mut scheduler, &abuser, 1);
        assert_eq!(pending(&mut scheduler, "root.a"), 2 << 31);
        ask(&mut scheduler, &other, 0);
        assert_eq!((pending(&mut scheduler, "root"), pending(&mut scheduler, "root.b")), (2 << 31, 0));
        scheduler.finish(&abuser).unwrap();
        assert_eq!(pending(&mut scheduler, "root"), 0);
        assert_eq!(scheduler.audit(true).wrong, [""; 0]);
    }
}

/// As of the FairScheduler: whatever the file says, a container is no larger than what a cluster may have.
#[test]
fn one_container_is_no_larger_than_a_cluster() {
    const MOST: i64 = 1 << 60;
    let endless = i64::MAX.to_string();
    let mut scheduler = CapacityScheduler::builder(configuration(&endless)).largest_node(false).stepped().unwrap();
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("a")).unwrap();
    let mut answer = Allocation::default();
    for (size, is_taken) in [(i64::MAX, false), (MOST + 1, false), (MOST, true)] {
        let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(size, 1), u32::MAX)]);
        let beyond = |refused: Refused| {
            let Refused::Invalid(Invalid::Resource { largest, .. }) = refused else { panic!("{refused}") };
            assert_eq!(largest.memory_mb(), MOST);
        };
        assert_eq!(scheduler.allocate(&app, &asks, &mut answer).map_err(beyond).is_ok(), is_taken);
        let master = Submission::new(2, "ann").in_queue("a").with_am(Resource::new(size, 1));
        assert_eq!(scheduler.submit(master).map_err(beyond).is_ok(), is_taken);
    }
    assert_eq!(scheduler.audit(true).wrong, [""; 0]);
}
