//! What another scheduler of the process made is told apart from one's own, though its numbers are the same.

use evenweave::SchedulerApi as _;
use evenweave::refused::{Gone, Invalid};
use evenweave::{
    AllocateRequest, Allocation, AmRequest, Ask, Container, EndReason, FairScheduler, Heartbeat, Location, NewAttempt,
    Refused, Resource, Stepped, Submission,
};
use evenweave_testkit::{SMALL, unmanaged};

/// Two schedulers to which the same has happened: each has granted its application 1 a container on its node.
struct World {
    scheduler: Stepped,
    node: evenweave::NodeHandle,
    app: evenweave::AppHandle,
    container: Container,
    place: Location,
}

fn world() -> World {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    let mut answer = Allocation::default();
    let asks = vec![Ask::anywhere(1, SMALL, 1)];
    scheduler.allocate(&app, &AllocateRequest::new(asks), &mut answer).unwrap();
    scheduler.update_now();
    scheduler.heartbeat(Heartbeat::new(&node));
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    let place = scheduler.location("n");
    World { scheduler, node, app, container: answer.granted[0], place }
}

#[test]
fn containers_of_another_scheduler_are_ignored() {
    let (mut own, other) = (world(), world());
    let (id, foreign) = (own.container.id, other.container.id);
    let names = [own.scheduler.container_name(id), other.scheduler.container_name(foreign)];
    assert_eq!(names[0].number, names[1].number);
    assert_ne!(id, foreign, "of the same number, application and node");
    let mut answer = Allocation::default();
    let release = |id| AllocateRequest::default().with_releases([id]);
    own.scheduler.allocate(&own.app, &release(foreign), &mut answer).unwrap();
    let mut report = Heartbeat::new(&own.node);
    report.add_launched([foreign]);
    report.add_completed([foreign]);
    own.scheduler.heartbeat(&report);
    // With more of them than travel in the message itself.
    report.add_completed([foreign; 6]);
    own.scheduler.heartbeat(&report);
    let view = &own.scheduler.containers()[0];
    assert_eq!((view.id, view.launched, view.ended), (id, false, false));
    own.scheduler.allocate(&own.app, &release(id), &mut answer).unwrap();
    assert_eq!(
        answer.ended.iter().map(|ended| (ended.id, ended.reason)).collect::<Vec<_>>(),
        [(id, EndReason::Released)]
    );
}

/// Also of nodes whose worker has a number that there is not here.
#[test]
fn heartbeats_of_another_scheduler_are_dropped() {
    let own = FairScheduler::builder().workers(2).timers(false).start().unwrap();
    let mut other = FairScheduler::builder().workers(4).stepped().unwrap();
    // Nodes of one rack have one worker.
    let node = |at| (format!("n{at}"), format!("/r{at}"));
    let nodes: Vec<_> =
        (0..4).map(node).map(|(name, rack)| other.add_node(&name, &rack, Resource::new(8192, 8)).unwrap()).collect();
    assert!(nodes.iter().any(|node| node.worker() >= 2), "{nodes:?}");
    for node in &nodes {
        own.heartbeat(Heartbeat::new(node)).unwrap();
    }
    own.heartbeats(nodes.iter().map(Heartbeat::new).collect()).unwrap();
    own.shutdown().unwrap();
    let not_sent = own.heartbeat(Heartbeat::new(&nodes[3])).unwrap_err();
    assert_eq!(not_sent.reason, Refused::Gone(Gone::ShutDown));
}

#[test]
fn locations_of_another_scheduler_are_refused() {
    let (mut own, other) = (world(), world());
    assert_ne!(own.place, other.place);
    let mut answer = Allocation::default();
    let ask = |place| vec![Ask::anywhere(2, SMALL, 1).at(place)];
    let requests = |place| {
        [
            AllocateRequest::new(ask(place)),
            AllocateRequest::default().with_blacklist_add([place]),
            AllocateRequest::default().with_blacklist_remove([place]),
        ]
    };
    let am = |place| AmRequest::from(SMALL).at(place);
    let submission = |am| Submission::new(2, "ann").with_am(am);
    let threaded = FairScheduler::builder().timers(false).start().unwrap();
    let threaded_app = threaded.submit(unmanaged(1, "root.a")).unwrap();
    for request in requests(other.place) {
        assert_eq!(
            own.scheduler.allocate(&own.app, &request, &mut answer),
            Err(Refused::Invalid(Invalid::OthersLocation))
        );
        assert_eq!(
            threaded.allocate(&threaded_app, &request, &mut answer),
            Err(Refused::Invalid(Invalid::OthersLocation))
        );
    }
    for am in [am(other.place), AmRequest::from(SMALL).avoiding(&[other.place])] {
        assert_eq!(
            own.scheduler.submit(submission(am.clone())).map(drop),
            Err(Refused::Invalid(Invalid::OthersLocation))
        );
        let new = NewAttempt::default().with_am(am).keep_containers(true);
        assert_eq!(own.scheduler.new_attempt(&own.app, new).map(drop), Err(Refused::Invalid(Invalid::OthersLocation)));
    }
    for request in requests(own.place) {
        own.scheduler.allocate(&own.app, &request, &mut answer).unwrap();
    }
    own.scheduler.submit(submission(am(own.place))).unwrap();
    // `*` is everybody's.
    assert_eq!((own.scheduler.location("*"), other.scheduler.location("*")), (Location::ANY, Location::ANY));
}
