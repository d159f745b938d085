//! What applications ask for, and what is reserved for them, as both drivers show it.

use evenweave::prelude::*;
use evenweave::view::RequestView;

/// Priority, place, how many, relaxed.
fn told(views: &[RequestView]) -> Vec<(i32, &str, u32, bool)> {
    views.iter().map(|view| (view.priority, view.location.as_str(), view.count, view.relax)).collect()
}

const SIZE: Resource = Resource::new(1024, 1);

#[test]
fn what_is_outstanding_is_shown_at_each_place() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(4096, 4)).unwrap();
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.a")).unwrap();
    let at = |name: &str| scheduler.location(name);
    let asks = [
        Ask::anywhere(1, SIZE, 2),
        Ask::anywhere(1, SIZE, 2).at(at("/r1")),
        Ask::anywhere(1, SIZE, 1).at(at("n1")),
        Ask::anywhere(2, SIZE, 3).relaxed(true),
    ];
    scheduler.allocate(&app, &AllocateRequest::new(asks), &mut Allocation::default()).unwrap();
    let mut views = scheduler.requests();
    views[1..3].sort_by(|a, b| a.location.cmp(&b.location));
    assert_eq!(told(&views), [(1, "*", 2, true), (1, "/r1", 2, true), (1, "n1", 1, true), (2, "*", 3, true)]);
    assert!(views.iter().all(|view| view.attempt == app.attempt_id() && view.resource == SIZE));
    // One on the node that was asked for: it counts at all three places, and the node's row is gone.
    scheduler.update_now();
    scheduler.heartbeat(Heartbeat::new(&node));
    assert_eq!(told(&scheduler.requests()), [(1, "*", 1, true), (1, "/r1", 1, true), (2, "*", 3, true)]);
    scheduler.finish(&app).unwrap();
    assert_eq!(scheduler.requests(), []);
}

#[test]
fn several_workers_tell_of_each_application_once() {
    let scheduler = FairScheduler::builder().workers(2).timers(false).start().unwrap();
    let apps: Vec<_> =
        (1..=4).map(|n| scheduler.submit(Submission::new(n, "ann").in_queue("root.a")).unwrap()).collect();
    for (app, count) in apps.iter().zip(1..) {
        let request = AllocateRequest::new([Ask::anywhere(1, SIZE, count)]);
        scheduler.allocate(app, &request, &mut Allocation::default()).unwrap();
    }
    scheduler.quiesce().unwrap();
    let counts: Vec<_> =
        scheduler.requests().unwrap().iter().map(|view| (view.attempt.application.number, view.count)).collect();
    assert_eq!(counts, [(1, 1), (2, 2), (3, 3), (4, 4)]);
    assert_eq!(scheduler.reservations().unwrap(), []);
    scheduler.shutdown().unwrap();
}
