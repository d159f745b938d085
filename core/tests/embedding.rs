//! What a ResourceManager needs around the scheduler: names of containers, what nodes have to stop, handles as keys.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::refused::{NotFound, TryAgain};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, Container, ContainerId, ContainerName, EndReason, FairScheduler,
    FairSchedulerBuilder, Heartbeat, NewAttempt, NodeHandle, Refused, Resource, Stepped, Submission,
};
use evenweave_testkit::{SMALL, within};
use std::collections::{HashMap, HashSet};

fn builder() -> FairSchedulerBuilder {
    FairScheduler::builder().cluster_timestamp(1_410_901_177_871).epoch(17).node_stops(true)
}

fn submission(number: u32) -> Submission {
    Submission::new(number, "ann")
}

struct World {
    stepped: Stepped,
    nodes: [NodeHandle; 2],
    app: AppHandle,
}

impl World {
    fn new() -> World {
        let mut stepped = builder().workers(2).stepped().unwrap();
        let nodes =
            ["1", "2"].map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(8192, 8)).unwrap());
        let app = stepped.submit(submission(12)).unwrap();
        World { stepped, nodes, app }
    }

    fn call(&mut self, request: &AllocateRequest) -> Allocation {
        let mut answer = Allocation::default();
        self.stepped.allocate(&self.app, request, &mut answer).unwrap();
        answer
    }

    /// Asks for two containers, one on each node; its AM has them when this returns.
    fn two(&mut self) -> Vec<Container> {
        self.grant_two();
        self.call(&AllocateRequest::default()).granted
    }

    fn grant_two(&mut self) {
        self.call(&AllocateRequest::new([Ask::anywhere(1, SMALL, 2)]));
        self.stepped.update_now();
        for node in &self.nodes {
            self.stepped.heartbeat(Heartbeat::new(node));
        }
    }

    /// Which of the nodes a container is on.
    fn node_of(&self, container: &Container) -> usize {
        usize::from(self.nodes[1].id() == container.node)
    }

    fn report(&mut self, node: usize, launched: &[ContainerId], completed: &[ContainerId]) {
        let mut report = Heartbeat::new(&self.nodes[node]);
        report.offer = false;
        report.add_launched(launched.iter().copied());
        report.add_completed(completed.iter().copied());
        self.stepped.heartbeat(&report);
    }

    /// What [`World::stops`] says when this one is to be stopped on this node, and no other.
    fn at(&self, node: usize, container: ContainerId) -> Vec<Vec<ContainerName>> {
        let mut stops = vec![vec![], vec![]];
        stops[node].push(self.stepped.container_name(container));
        stops
    }

    fn stops(&self) -> Vec<Vec<ContainerName>> {
        let taken = |node: &NodeHandle| {
            let mut stops = Vec::new();
            node.take_stops(&mut stops);
            stops.into_iter().map(|id| self.stepped.container_name(id)).collect()
        };
        self.nodes.iter().map(taken).collect()
    }
}

#[test]
fn a_container_is_found_by_the_name_that_crosses_a_wire() {
    let mut world = World::new();
    let granted = world.two();
    let names: Vec<String> = granted.iter().map(|c| world.stepped.container_name(c.id).to_string()).collect();
    assert_eq!(names.len(), 2);
    for (name, container) in names.iter().zip(&granted) {
        assert!(name.starts_with("container_e17_1410901177871_0012_01_0000"), "{name}");
        let read: ContainerName = name.parse().unwrap();
        assert_eq!(world.stepped.find_container(&read), Some(container.id));
        assert_eq!(read.attempt, world.app.attempt_id());
        for other in [
            ContainerName { epoch: 16, ..read },
            ContainerName { number: 77, ..read },
            ContainerName { attempt: evenweave::AttemptId { number: 2, ..read.attempt }, ..read },
        ] {
            assert_eq!(world.stepped.find_container(&other), None, "{other}");
        }
    }
    // One that has ended is found until its node has said so: the node's report names it.
    let first: ContainerName = names[0].parse().unwrap();
    let node = world.nodes.iter().find(|node| node.id() == granted[0].node).unwrap().clone();
    let mut report = Heartbeat::new(&node);
    report.add_launched([granted[0].id]);
    world.stepped.heartbeat(&report);
    world.call(&AllocateRequest::default().with_releases([granted[0].id]));
    assert_eq!(world.stepped.find_container(&first), Some(granted[0].id));
    let mut report = Heartbeat::new(&node);
    report.add_completed([granted[0].id]);
    world.stepped.heartbeat(&report);
    assert_eq!(world.stepped.find_container(&first), None);
}

#[test]
fn the_threaded_scheduler_finds_containers_by_name() {
    let scheduler = builder().workers(2).start().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    let mut answer = Allocation::default();
    let asks = vec![Ask::anywhere(1, SMALL, 1)];
    scheduler.allocate(&app, &AllocateRequest::new(asks), &mut answer).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    let id = answer.granted[0].id;
    let name = scheduler.container_name(id);
    assert_eq!(name.to_string(), "container_e17_1410901177871_0001_01_000001");
    assert_eq!(scheduler.find_container(&name), Ok(Some(id)));
    assert_eq!(scheduler.find_container(&ContainerName { epoch: 0, ..name }), Ok(None));
    within("shutdown", || scheduler.shutdown()).unwrap();
}

#[test]
fn a_node_lists_what_it_has_to_stop_once() {
    let mut world = World::new();
    let granted = world.two();
    assert_eq!(world.stops(), [[], []]);
    let ended = world.call(&AllocateRequest::default().with_releases([granted[0].id])).ended;
    let ends: Vec<_> = ended.iter().map(|end| (end.id, end.node, end.reason)).collect();
    assert_eq!(ends, [(granted[0].id, granted[0].node, EndReason::Released)]);
    assert_eq!(world.stops(), world.at(world.node_of(&granted[0]), granted[0].id));
    assert_eq!(world.stops(), [[], []], "once");
    // All that is left of the application, when it ends.
    world.stepped.finish(&world.app.clone()).unwrap();
    assert_eq!(world.stops(), world.at(world.node_of(&granted[1]), granted[1].id));
}

/// What runs on a node and is not alive there has to go, each time that the node names it.
#[test]
fn what_a_node_starts_late_is_stopped_again() {
    let mut world = World::new();
    let granted = world.two();
    let [first, second] = [0, 1].map(|at| (granted[at].id, world.node_of(&granted[at])));
    let nothing: [Vec<ContainerName>; 2] = [vec![], vec![]];
    // Given back, and told of, before its node has started it.
    world.call(&AllocateRequest::default().with_releases([first.0]));
    assert_eq!(world.stops().concat().len(), 1);
    for _ in 0..2 {
        world.report(first.1, &[first.0], &[]);
        assert_eq!(world.stops(), world.at(first.1, first.0));
    }
    // Over by itself meanwhile: nothing is left to be stopped.
    world.report(first.1, &[first.0], &[first.0]);
    assert_eq!(world.stops(), nothing);
    // One that lives is nobody's to stop, but on the wrong node.
    world.report(second.1, &[second.0], &[]);
    assert_eq!(world.stops(), nothing);
    world.report(1 - second.1, &[second.0], &[]);
    assert_eq!(world.stops(), world.at(1 - second.1, second.0));
    // The application has ended, and its records are other containers' now.
    world.stepped.finish(&world.app.clone()).unwrap();
    assert_eq!(world.stops(), world.at(second.1, second.0));
    world.report(second.1, &[], &[second.0]);
    world.app = world.stepped.submit(submission(13)).unwrap();
    assert_eq!(world.two().len(), 2);
    world.report(first.1, &[first.0], &[]);
    assert_eq!(world.stops(), world.at(first.1, first.0));
    assert_eq!(world.stepped.stats().running, 2);
}

#[test]
fn a_node_that_comes_back_stops_what_it_ran_before() {
    // Once it comes back to the worker that it had, once, where that has got another node meanwhile, to the other
    // worker.
    for meanwhile in [false, true] {
        let mut world = World::new();
        let granted = world.two();
        let at = world.nodes.iter().position(|node| node.worker() == 1).unwrap();
        let container = granted.iter().find(|container| world.node_of(container) == at).unwrap().id;
        world.report(at, &[container], &[]);
        let before = world.nodes[at].clone();
        world.stepped.remove_node(&before).unwrap();
        if meanwhile {
            world.stepped.add_node("other", "/r", SMALL).unwrap();
        }
        world.nodes[at] = world.stepped.add_node(before.name(), before.rack(), Resource::new(8192, 8)).unwrap();
        assert_eq!(world.nodes[at].worker(), usize::from(!meanwhile));
        world.report(at, &[container], &[]);
        assert_eq!(world.stops(), world.at(at, container));
    }
}

#[test]
fn on_threads_what_a_node_starts_late_is_stopped_again() {
    let scheduler = builder().workers(2).start().unwrap();
    let nodes = ["1", "2"].map(|i| scheduler.add_node(&format!("n{i}"), "/r", Resource::new(8192, 8)).unwrap());
    let app = scheduler.submit(submission(1)).unwrap();
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &AllocateRequest::new([Ask::anywhere(1, SMALL, 16)]), &mut answer).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    for node in nodes.iter().cycle().take(16) {
        scheduler.heartbeat(Heartbeat::new(node)).unwrap();
    }
    scheduler.quiesce().unwrap();
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    let all: Vec<_> = answer.granted.iter().map(|container| container.id).collect();
    assert_eq!(all.len(), 16);
    scheduler.finish(&app).unwrap();
    let stops = |node: &NodeHandle| {
        scheduler.quiesce().unwrap();
        let mut stops = Vec::new();
        node.take_stops(&mut stops);
        stops
    };
    assert_eq!(nodes.each_ref().map(|node| stops(node).len()), [8, 8]);
    for launched in [1, 2, 3, 16] {
        for node in &nodes {
            let mut report = Heartbeat::new(node);
            report.add_launched(all[..launched].iter().copied());
            scheduler.heartbeat(report.clone()).unwrap();
            assert_eq!(stops(node), all[..launched], "alone");
            scheduler.heartbeats(vec![report]).unwrap();
            assert_eq!(stops(node), all[..launched], "in a batch");
        }
    }
    within("shutdown", || scheduler.shutdown()).unwrap();
}

#[test]
fn what_its_node_reports_and_what_no_am_has_seen_is_not_to_be_stopped() {
    let mut world = World::new();
    let granted = world.two();
    for container in &granted {
        let node = world.nodes.iter().find(|node| node.id() == container.node).unwrap().clone();
        let mut report = Heartbeat::new(&node);
        report.add_completed([container.id]);
        world.stepped.heartbeat(&report);
    }
    let ended = world.call(&AllocateRequest::default()).ended;
    let places: HashSet<_> = ended.iter().map(|e| (e.id, e.node, e.reason)).collect();
    assert_eq!(places, granted.iter().map(|c| (c.id, c.node, EndReason::Completed)).collect());
    assert_eq!(world.stops(), [[], []]);
    world.grant_two();
    assert_eq!(world.stepped.stats().running, 2);
    world.stepped.finish(&world.app.clone()).unwrap();
    assert_eq!(world.stops(), [[], []]);
}

/// The AM's own container: what `docs/embedding.md` says of how it comes and how it goes.
#[test]
fn an_am_s_container_comes_and_goes_by_the_resource_manager_s_calls() {
    let mut world = World::new();
    world.app = world.stepped.submit(submission(13).with_am(SMALL)).unwrap();
    let asking = AllocateRequest::new([Ask::anywhere(1, SMALL, 1)]);
    let refused = world.stepped.allocate(&world.app, &asking, &mut Allocation::default());
    assert_eq!(refused, Err(Refused::TryAgain(TryAgain::NoAm(13))));
    assert_eq!(world.call(&AllocateRequest::default()).granted, []);
    world.stepped.update_now();
    world.stepped.heartbeat(Heartbeat::new(&world.nodes[0]));
    // Granted: from now on asks are taken, fetched or not.
    let granted = world.call(&asking).granted;
    assert_eq!(granted.len(), 1);
    world.report(0, &[granted[0].id], &[]);
    world.report(0, &[], &[granted[0].id]);
    let ends: Vec<_> = world.call(&AllocateRequest::default()).ended.iter().map(|end| (end.id, end.reason)).collect();
    assert_eq!(ends, [(granted[0].id, EndReason::Completed)]);
    // Nothing else comes of it: what was asked for is still served, until the ResourceManager says what is next.
    world.stepped.update_now();
    world.stepped.heartbeat(Heartbeat::new(&world.nodes[0]));
    assert_eq!(world.call(&AllocateRequest::default()).granted.len(), 1);
    let next = world.stepped.new_attempt(&world.app.clone(), NewAttempt::default()).unwrap();
    let old = world.stepped.allocate(&world.app, &AllocateRequest::default(), &mut Allocation::default());
    assert_eq!((next.attempt(), old), (2, Err(Refused::NotFound(NotFound::App(13)))));
}

/// What is granted is off the count at once, fetched or not: who says then how many it still wants gets these as well.
#[test]
fn what_is_granted_and_not_fetched_is_off_the_count() {
    let mut world = World::new();
    world.call(&AllocateRequest::new([Ask::anywhere(1, SMALL, 4)]));
    world.stepped.update_now();
    (0..2).for_each(|_| world.stepped.heartbeat(Heartbeat::new(&world.nodes[0])));
    // Three in all are meant, and said before the answer is known.
    let mut granted = world.call(&AllocateRequest::new([Ask::anywhere(1, SMALL, 3)])).granted;
    world.stepped.update_now();
    (0..5).for_each(|_| world.stepped.heartbeat(Heartbeat::new(&world.nodes[0])));
    granted.extend(world.call(&AllocateRequest::default()).granted);
    assert_eq!(granted.len(), 5);
}

#[test]
fn room_is_free_at_once_unless_the_node_has_reported_the_launch() {
    let mut world = World::new();
    let granted = world.two();
    let [first, second] = [0, 1].map(|at| (granted[at].id, world.node_of(&granted[at])));
    let free = |world: &mut World, node: usize| world.stepped.node(&format!("n{}", node + 1)).unwrap().free.memory_mb();
    world.report(second.1, &[second.0], &[]);
    world.call(&AllocateRequest::default().with_releases([first.0, second.0]));
    assert_eq!([free(&mut world, first.1), free(&mut world, second.1)], [8192, 7168]);
    world.report(second.1, &[], &[second.0]);
    assert_eq!(free(&mut world, second.1), 8192);
}

#[test]
fn nothing_is_listed_without_the_option() {
    let mut stepped = FairScheduler::builder().stepped().unwrap();
    let node = stepped.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = stepped.submit(submission(1)).unwrap();
    let mut answer = Allocation::default();
    let asks = vec![Ask::anywhere(1, SMALL, 1)];
    stepped.allocate(&app, &AllocateRequest::new(asks), &mut answer).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    stepped.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 1);
    stepped.finish(&app).unwrap();
    let mut stops = Vec::new();
    node.take_stops(&mut stops);
    assert_eq!(stops, []);
}

#[test]
#[expect(clippy::mutable_key_type, reason = "what is mutable in them is not what they are compared by")]
fn handles_are_keys() {
    let mut world = World::new();
    let other = world.stepped.submit(submission(13)).unwrap();
    let apps = HashMap::from([(world.app.clone(), "first"), (other.clone(), "second")]);
    assert_eq!((apps[&world.app], apps[&other]), ("first", "second"));
    assert_ne!(world.app, other);
    assert_ne!(world.nodes[0], world.nodes[1]);
    assert_eq!(world.nodes[0].to_string(), "n1");
    assert_eq!(other.to_string(), "appattempt_1410901177871_0013_000001");
    assert_eq!(Heartbeat::new(&world.nodes[0]), Heartbeat::new(&world.nodes[0].clone()));
    assert_ne!(Heartbeat::new(&world.nodes[0]), Heartbeat::new(&world.nodes[1]));
    let again = World::new();
    assert_ne!(world.app, again.app, "of another scheduler");
}

/// What maps, sets, logs and assertions need of plain values.
#[test]
#[expect(
    clippy::mutable_key_type,
    reason = "two handles are equal where they name the same, whatever has changed there"
)]
fn plain_values_have_the_common_traits() {
    fn common<T: Clone + std::fmt::Debug + Eq + std::hash::Hash + Send + Sync>() {}
    common::<AppHandle>();
    common::<NodeHandle>();
    common::<Heartbeat>();
    common::<Ask>();
    common::<AllocateRequest>();
    common::<Container>();
    common::<evenweave::EndedContainer>();
    common::<evenweave::Location>();
    common::<evenweave::ContainerId>();
    common::<ContainerName>();
    common::<Resource>();
    let world = World::new();
    let beat = Heartbeat::new(&world.nodes[0]);
    let set: HashSet<_> = [beat.clone(), beat, Heartbeat::new(&world.nodes[1])].into();
    assert_eq!(set.len(), 2);
    let ask = Ask::anywhere(1, SMALL, 2);
    assert_eq!(ask.to_string(), "2 x <memory:1024, vCores:1> at *, priority 1");
    assert_eq!(
        ask.with_request_id(7).strict().to_string(),
        "2 x <memory:1024, vCores:1> at *, priority 1, request 7, there alone"
    );
    assert_eq!(EndReason::NodeLost.to_string(), "node-lost");
    let event = evenweave::SchedulerEvent::NodeDrained("n1".to_owned());
    assert_eq!(event.to_string(), "node \"n1\" is drained");
}

/// Every time of the settings has a setter that takes a `Duration`.
#[test]
fn times_are_durations() {
    use std::time::Duration;
    let s = Duration::from_secs;
    let settings = evenweave::Settings::builder()
        .update_interval(s(1))
        .wait_before_kill(s(2))
        .wait_before_next_starvation_check(s(3))
        .locality_delay_node(s(4))
        .locality_delay_rack(s(5))
        .continuous_scheduling(true)
        .continuous_scheduling_sleep(s(6))
        .container_expiry(s(7))
        .node_heartbeat_interval(s(8))
        .node_expiry(s(9))
        .schedule_asynchronously_interval(s(10))
        .build()
        .unwrap();
    let signed = [
        settings.wait_before_kill_ms,
        settings.wait_before_next_starvation_check_ms,
        settings.locality_delay_node_ms,
        settings.locality_delay_rack_ms,
    ];
    assert_eq!(signed, [2000, 3000, 4000, 5000]);
    let lengths = [
        settings.update_interval_ms,
        settings.continuous_scheduling_sleep_ms,
        settings.container_expiry_ms,
        settings.node_heartbeat_interval_ms,
        settings.node_expiry_ms,
        settings.schedule_asynchronously_interval_ms,
    ];
    assert_eq!(lengths, [1000, 6000, 7000, 8000, 9000, 10_000]);
    assert!(settings.continuous_scheduling);
    assert!(
        evenweave::Settings::builder().update_interval(Duration::MAX).build().is_err(),
        "more than Hadoop can read"
    );
}
