//! Why an application of the CapacityScheduler waits: each reason at least once, the same on both drivers.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::labels::NewLabel;
use evenweave::reason::{CapacityReason, CapacityWait};
use evenweave::refused::NotFound;
use evenweave::view::RunningLimit;
use evenweave::{
    AllocateRequest, Allocation, AmRequest, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacityStepped,
    Heartbeat, Locality, Location, NodeHandle, Refused, Resource, Submission,
};
use std::collections::HashMap;

const PREFIX: &str = "yarn.scheduler.capacity.";

/// The same calls on both drivers, one with threads and quiet after each.
struct Both {
    stepped: CapacityStepped,
    threaded: CapacityScheduler,
    apps: HashMap<u32, [AppHandle; 2]>,
    nodes: HashMap<String, [NodeHandle; 2]>,
}

fn memory(mb: i64) -> Resource {
    Resource::new(mb, 1)
}

impl Both {
    /// Leaves `a` and `b` of half each, and limits of users and AMs that are hardly any.
    fn new(more: &[(&str, &str)]) -> Both {
        let tree = [
            ("root.queues", "a,b"),
            ("root.a.capacity", "50"),
            ("root.b.capacity", "50"),
            ("maximum-am-resource-percent", "1"),
            ("user-limit-factor", "10"),
        ];
        let site: Vec<_> = more.iter().filter(|(name, _)| name.starts_with("yarn.")).copied().collect();
        let own: Vec<_> = tree.iter().chain(more).filter(|(name, _)| !name.starts_with("yarn.")).collect();
        let own: Vec<_> = own.into_iter().map(|(name, value)| (format!("{PREFIX}{name}"), *value)).collect();
        let own = own.iter().map(|(name, value)| (name.as_str(), *value));
        let configuration = CapacityConfiguration::from_properties(site, own).unwrap();
        Both {
            stepped: CapacityScheduler::builder(configuration.clone()).stepped().unwrap(),
            threaded: CapacityScheduler::builder(configuration).timers(false).start().unwrap(),
            apps: HashMap::new(),
            nodes: HashMap::new(),
        }
    }

    fn node(&mut self, name: &str, rack: &str, mb: i64) {
        let total = Resource::new(mb, 100);
        let both = [self.stepped.add_node(name, rack, total), self.threaded.add_node(name, rack, total)];
        self.nodes.insert(name.to_owned(), both.map(Result::unwrap));
        self.threaded.quiesce().unwrap();
    }

    fn submit(&mut self, number: u32, user: &str, queue: &str) {
        self.hand_in(number, Submission::new(number, user).in_queue(queue));
    }

    fn hand_in(&mut self, number: u32, submission: Submission) {
        let both = [self.stepped.submit(submission.clone()), self.threaded.submit(submission)];
        self.apps.insert(number, both.map(Result::unwrap));
        self.threaded.quiesce().unwrap();
    }

    /// Asks of an application, each by where, priority, memory, how many and whether relaxed.
    fn ask(&mut self, app: u32, asks: &[(&str, i32, i64, u32, bool)]) {
        self.call(app, asks, &[]);
    }

    fn call(&mut self, app: u32, asks: &[(&str, i32, i64, u32, bool)], blacklist: &[&str]) {
        let request = |location: &dyn Fn(&str) -> Location| {
            let asks = asks.iter().map(|(place, priority, mb, count, relax)| {
                let place = if *place == "*" { Location::ANY } else { location(place) };
                Ask::anywhere(*priority, memory(*mb), *count).at(place).relaxed(*relax)
            });
            AllocateRequest::new(asks.collect::<Vec<_>>())
                .with_blacklist_add(blacklist.iter().map(|place| location(place)).collect::<Vec<_>>())
        };
        let [of_stepped, of_threaded] = &self.apps[&app];
        let (first, second) =
            (request(&|name| self.stepped.location(name)), request(&|name| self.threaded.location(name)));
        let mut answer = Allocation::default();
        self.stepped.allocate(of_stepped, &first, &mut answer).unwrap();
        self.threaded.allocate(of_threaded, &second, &mut answer).unwrap();
        self.threaded.quiesce().unwrap();
    }

    fn beat(&mut self, node: &str) {
        let [of_stepped, of_threaded] = &self.nodes[node];
        self.stepped.heartbeat(Heartbeat::new(of_stepped));
        self.threaded.heartbeat(Heartbeat::new(of_threaded)).unwrap();
        self.threaded.quiesce().unwrap();
    }

    fn why(&mut self, app: u32) -> Vec<CapacityReason> {
        let [of_stepped, of_threaded] = &self.apps[&app];
        let reasons = self.stepped.why_waiting(of_stepped);
        assert_eq!(reasons, self.threaded.why_waiting(of_threaded).unwrap());
        assert_eq!(reasons, self.stepped.why_waiting(of_stepped), "a question changes nothing");
        assert!(reasons.iter().all(|reason| !reason.to_string().is_empty()));
        reasons
    }

    fn on(&mut self, app: u32, node: &str) -> Vec<CapacityWait> {
        let ([of_stepped, of_threaded], [first, second]) = (&self.apps[&app], &self.nodes[node]);
        let reasons = self.stepped.why_waiting_on(of_stepped, first).unwrap();
        assert_eq!(reasons, self.threaded.why_waiting_on(of_threaded, second).unwrap());
        reasons.into_iter().map(|reason| reason.wait).collect()
    }

    /// The only reason.
    fn one(&mut self, app: u32) -> CapacityWait {
        let reasons = self.why(app);
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        reasons.into_iter().next().unwrap().wait
    }

    fn used(&mut self, app: u32) -> i64 {
        self.stepped.app(app).unwrap().used.memory_mb()
    }
}

#[test]
fn who_has_ended_or_may_not_run_says_so() {
    let mut both = Both::new(&[("root.a.max-parallel-apps", "1"), ("user.bob.max-parallel-apps", "0")]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    both.submit(2, "ann", "a");
    both.submit(3, "bob", "b");
    let limit = RunningLimit::Queue { queue: "root.a".to_owned(), running: 1, limit: 1 };
    assert_eq!(both.one(2), CapacityWait::NotRunnable { limit: Some(limit) });
    let limit = RunningLimit::User { user: "bob".to_owned(), running: 0, limit: 0 };
    assert_eq!(both.one(3), CapacityWait::NotRunnable { limit: Some(limit) });
    let [of_stepped, of_threaded] = both.apps[&1].clone();
    both.stepped.finish(&of_stepped).unwrap();
    both.threaded.finish(&of_threaded).unwrap();
    both.threaded.quiesce().unwrap();
    assert_eq!(both.one(1), CapacityWait::Ended);
    assert_eq!(both.one(2), CapacityWait::NothingOutstanding, "it runs now");
    // As in Hadoop nobody starts by a move.
    both.submit(4, "ann", "a");
    let [of_stepped, of_threaded] = both.apps[&2].clone();
    both.stepped.move_app(&of_stepped, "b").unwrap();
    both.threaded.move_app(&of_threaded, "b").unwrap();
    both.threaded.quiesce().unwrap();
    assert_eq!(both.one(4), CapacityWait::NotRunnable { limit: None });
}

#[test]
fn a_user_who_is_forgotten_is_told() {
    let mut both = Both::new(&[("root.a.max-parallel-apps", "1")]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    both.submit(2, "ann", "a");
    both.ask(1, &[("*", 1, 1024, 1, true)]);
    assert_eq!(both.one(1), CapacityWait::Offer);
    let [of_stepped, of_threaded] = both.apps[&2].clone();
    both.stepped.finish(&of_stepped).unwrap();
    both.threaded.finish(&of_threaded).unwrap();
    both.threaded.quiesce().unwrap();
    let (queue, user) = ("root.a".to_owned(), "ann".to_owned());
    assert_eq!(both.one(1), CapacityWait::UserForgotten { queue, user });
    both.beat("n1");
    assert_eq!(both.used(1), 0, "as in Hadoop");
}

#[test]
fn limits_of_ams_are_told_apart() {
    let mut both = Both::new(&[
        ("root.a.maximum-am-resource-percent", "0.5"),
        ("root.a.minimum-user-limit-percent", "50"),
        ("root.a.user-limit-factor", "1"),
    ]);
    both.node("n1", "/r1", 8192);
    (1..=3).for_each(|number| both.submit(number, "ann", "a"));
    both.submit(4, "bob", "a");
    let (queue, user) = ("root.a".to_owned(), "ann".to_owned());
    let (used, limit) = (Resource::new(2048, 2), memory(2048));
    let expected = CapacityWait::UserAmLimit { queue, user, used, asked: memory(1024), limit };
    assert_eq!(both.one(3), expected, "two of his have started");
    assert_eq!(both.one(4), CapacityWait::NothingOutstanding, "there is room for others' AMs");

    let mut both = Both::new(&[("root.a.maximum-am-resource-percent", "0.25")]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    both.submit(2, "bob", "a");
    both.submit(3, "cyd", "a");
    let wait = both.one(3);
    assert!(
        matches!(&wait, CapacityWait::AmLimit { queue, used, asked, limit }
            if queue == "root.a" && used.memory_mb() + asked.memory_mb() > limit.memory_mb()),
        "{wait:?}"
    );
}

#[test]
fn who_could_start_and_has_not_yet_says_so() {
    // A larger maximum of AMs counts from the next look on.
    let mut both = Both::new(&[("root.a.maximum-am-resource-percent", "0.25")]);
    both.submit(1, "ann", "a");
    assert_eq!(both.one(1), CapacityWait::NotActivated { queue: "root.a".to_owned() }, "the cluster is empty");
    both.node("n1", "/r1", 8192);
    assert_eq!(both.one(1), CapacityWait::NothingOutstanding);
}

#[test]
fn asks_that_cannot_be_served_say_so() {
    let mut both = Both::new(&[]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    assert_eq!(both.one(1), CapacityWait::NothingOutstanding);
    both.ask(1, &[("n1", 1, 1024, 1, true), ("/r1", 1, 1024, 1, true)]);
    assert_eq!(both.one(1), CapacityWait::NothingAnywhere);
    both.ask(1, &[("*", 1, 1024, 1, true)]);
    let reasons = both.why(1);
    assert_eq!(reasons[0].key, Some((1, 0)));
    assert_eq!(reasons[0].nodes, Some((1, "n1".to_owned())));
    assert_eq!(reasons[0].wait, CapacityWait::Offer);
    both.beat("n1");
    assert_eq!(both.one(1), CapacityWait::NothingOutstanding);
}

#[test]
fn limits_of_queues_and_users_are_told_with_their_figures() {
    let mut both = Both::new(&[("root.a.maximum-capacity", "50"), ("root.b.user-limit-factor", "0.25")]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    both.ask(1, &[("*", 1, 1024, 9, true)]);
    for _ in 0..4 {
        assert_eq!(both.one(1), CapacityWait::Offer);
        both.beat("n1");
    }
    let (used, limit) = (Resource::new(4096, 4), Resource::new(4096, 50));
    let wait = both.one(1);
    assert!(
        matches!(&wait, CapacityWait::QueueLimit { queue, used: has, limit: may }
        if queue == "root.a" && *has == used && may.memory_mb() == limit.memory_mb()),
        "{wait:?}"
    );
    // Larger than what is left.
    both.submit(2, "bob", "b");
    both.ask(2, &[("*", 1, 1024, 9, true)]);
    both.beat("n1");
    both.beat("n1");
    assert_eq!(both.used(2), 2048, "one container above his limit, as in Hadoop");
    let wait = both.one(2);
    assert!(
        matches!(&wait, CapacityWait::UserLimit { queue, user, used, limit }
        if queue == "root.b" && user == "bob" && used.memory_mb() == 2048 && limit.memory_mb() == 1024),
        "{wait:?}"
    );
}

/// Where there are labels each reason has the figures of the partition that it is about.
#[test]
fn reasons_are_about_the_partition() {
    let mut both = Both::new(&[
        ("yarn.node-labels.enabled", "true"),
        ("root.accessible-node-labels.gpu.capacity", "100"),
        ("root.a.accessible-node-labels", "gpu"),
        ("root.a.accessible-node-labels.gpu.capacity", "50"),
        ("root.a.accessible-node-labels.gpu.maximum-capacity", "50"),
        ("root.a.accessible-node-labels.gpu.maximum-am-resource-percent", "0.25"),
        ("root.b.accessible-node-labels", "gpu"),
        ("root.b.accessible-node-labels.gpu.capacity", "50"),
    ]);
    let gpu = [NewLabel { name: "gpu".to_owned(), exclusive: true }];
    both.stepped.add_labels(&gpu).unwrap();
    both.threaded.add_labels(&gpu).unwrap();
    both.stepped.set_node_labels(&[("n2", &["gpu"])]).unwrap();
    both.threaded.set_node_labels(&[("n2", &["gpu"])]).unwrap();
    both.node("n1", "/r1", 16384);
    both.node("n2", "/r2", 8192);
    let labelled = |number| Submission::new(number, "ann").in_queue("a").labelled("gpu");
    both.hand_in(1, labelled(1));
    both.ask(1, &[("*", 1, 1024, 9, true)]);
    assert_eq!(both.on(1, "n1"), [CapacityWait::OtherLabel]);
    for _ in 0..4 {
        assert_eq!(both.on(1, "n2"), [CapacityWait::Offer]);
        both.beat("n2");
    }
    let wait = both.one(1);
    assert!(
        matches!(&wait, CapacityWait::QueueLimit { queue, used, limit }
        if queue == "root.a" && used.memory_mb() == 4096 && limit.memory_mb() == 4096),
        "{wait:?}"
    );
    both.submit(2, "bob", "b");
    both.ask(2, &[("*", 1, 1024, 1, true)]);
    assert_eq!(both.on(2, "n2"), [CapacityWait::OtherLabel]);
    // The AM limit of the label is 1,024 MiB; elsewhere it is 8,192.
    for number in 3..5 {
        both.hand_in(number, labelled(number).with_am(AmRequest::from(memory(1024))));
    }
    let wait = both.one(4);
    assert!(
        matches!(&wait, CapacityWait::AmLimit { queue, used, asked, limit }
        if queue == "root.a" && [used, asked, limit].iter().all(|size| size.memory_mb() == 1024)),
        "{wait:?}"
    );
}

/// Leaf `a` is full for its first application, which has no reservation to give up: the pass does not come to the
/// second one, which has. Leaf `b` is full, too, and says nothing about applications of `a`.
#[test]
fn the_full_queue_that_is_reported_is_above_the_application() {
    let mut both = Both::new(&[("root.a.maximum-capacity", "50"), ("root.b.maximum-capacity", "37.5")]);
    both.node("n1", "/r1", 6144);
    both.node("n2", "/r2", 2048);
    both.submit(3, "cyd", "b");
    both.ask(3, &[("*", 1, 1024, 4, true)]);
    (0..4).for_each(|_| both.beat("n1"));
    assert_eq!(both.used(3), 3072, "the whole of b");
    both.submit(1, "ann", "a");
    both.ask(1, &[("*", 1, 1024, 1, true)]);
    both.beat("n2");
    both.submit(2, "bob", "a");
    both.ask(2, &[("*", 1, 2048, 1, true)]);
    both.beat("n2");
    both.ask(1, &[("*", 1, 1024, 2, true)]);
    both.beat("n1");
    assert_eq!(both.used(1), 2048, "the rest of a, with what is reserved for the other");
    let wait = both.on(2, "n1");
    assert!(matches!(&wait[..], [CapacityWait::QueueLimit { queue, .. }] if queue == "root.a"), "{wait:?}");
    both.beat("n1");
    assert_eq!(both.used(2), 0);
}

#[test]
fn a_container_larger_than_what_a_queue_has_left_is_told() {
    let mut both = Both::new(&[("root.a.maximum-capacity", "50")]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    both.ask(1, &[("*", 1, 3072, 2, true)]);
    both.beat("n1");
    let wait = both.one(1);
    assert!(
        matches!(&wait, CapacityWait::QueueRoom { queue, asked, left }
        if queue == "root.a" && asked.memory_mb() == 3072 && left.memory_mb() == 1024),
        "{wait:?}"
    );
}

#[test]
fn no_nodes_full_nodes_and_nodes_that_go_are_told() {
    let mut both = Both::new(&[]);
    both.node("n1", "/r1", 2048);
    both.submit(1, "ann", "a");
    both.ask(1, &[("*", 1, 1024, 9, true)]);
    both.node("n2", "/r1", 8192);
    both.beat("n1");
    both.beat("n1");
    let reasons = both.why(1);
    let found: Vec<_> = reasons.iter().map(|reason| (reason.nodes.clone().unwrap().1, reason.wait.clone())).collect();
    assert!(matches!(&found[0], (node, CapacityWait::NodeFull { free }) if node == "n1" && free.memory_mb() == 0));
    assert_eq!(found[1], ("n2".to_owned(), CapacityWait::Offer));
    let [of_stepped, of_threaded] = both.nodes["n2"].clone();
    both.stepped.decommission_node(&of_stepped).unwrap();
    both.threaded.decommission_node(&of_threaded).unwrap();
    both.threaded.quiesce().unwrap();
    assert_eq!(both.on(1, "n2"), [CapacityWait::NodeDecommissioning]);
    both.stepped.remove_node(&of_stepped).unwrap();
    both.threaded.remove_node(&of_threaded).unwrap();
    both.threaded.quiesce().unwrap();
    let [app, other] = both.apps[&1].clone();
    assert!(matches!(both.stepped.why_waiting_on(&app, &of_stepped), Err(Refused::NotFound(NotFound::Node(_)))));
    assert!(matches!(both.threaded.why_waiting_on(&other, &of_threaded), Err(Refused::NotFound(NotFound::Node(_)))));
    assert!(
        matches!(both.stepped.why_waiting_on(&app, &both.nodes["n1"][1]), Err(Refused::NotFound(NotFound::Node(_)))),
        "not ours"
    );
    assert_eq!(both.stepped.why_waiting(&other)[0].wait, CapacityWait::Ended, "another scheduler's application");
}

#[test]
fn where_there_is_no_node_that_is_told() {
    let mut both = Both::new(&[]);
    both.node("n1", "/r1", 8192);
    both.submit(1, "ann", "a");
    both.ask(1, &[("*", 1, 1024, 1, true)]);
    let [of_stepped, of_threaded] = both.nodes["n1"].clone();
    both.stepped.remove_node(&of_stepped).unwrap();
    both.threaded.remove_node(&of_threaded).unwrap();
    both.threaded.quiesce().unwrap();
    assert_eq!(both.one(1), CapacityWait::NoNode);
}

#[test]
fn reserved_nodes_are_told_to_all() {
    let mut both = Both::new(&[]);
    both.node("n1", "/r1", 4096);
    both.node("n2", "/r1", 4096);
    both.submit(1, "ann", "a");
    both.submit(2, "bob", "b");
    both.ask(1, &[("*", 1, 3072, 1, true)]);
    both.beat("n1");
    both.ask(1, &[("*", 1, 2048, 1, true), ("*", 2, 1024, 1, true)]);
    let reserves = CapacityWait::WillReserve { asked: memory(2048), free: Resource::new(1024, 99) };
    assert_eq!(both.on(1, "n1"), [reserves, CapacityWait::KeyBefore]);
    both.beat("n1");
    let kept = CapacityWait::Reserved { asked: memory(2048), free: Resource::new(1024, 99) };
    assert_eq!(both.on(1, "n1"), [kept]);
    both.ask(2, &[("*", 1, 1024, 1, true)]);
    assert_eq!(both.on(2, "n1"), [CapacityWait::NodeReserved { app: 1 }]);
    assert_eq!(both.on(2, "n2"), [CapacityWait::Offer]);
    both.beat("n2");
    assert_eq!(both.one(2), CapacityWait::NothingOutstanding);
}

#[test]
fn who_has_reserved_enough_says_so() {
    let mut both = Both::new(&[("reservations-continue-look-all-nodes", "false")]);
    both.node("n1", "/r1", 4096);
    both.node("n2", "/r1", 4096);
    both.submit(1, "ann", "a");
    both.ask(1, &[("*", 1, 3072, 2, true)]);
    both.beat("n1");
    both.beat("n2");
    both.node("n3", "/r1", 4096);
    both.ask(1, &[("*", 1, 2048, 1, true)]);
    both.beat("n1");
    assert_eq!(both.on(1, "n2"), [CapacityWait::ReservedEnough { reserved: 1 }]);
}

#[test]
fn who_would_have_to_give_a_reservation_up_and_has_none_says_so() {
    let mut both = Both::new(&[("root.a.user-limit-factor", "0.5")]);
    both.node("n1", "/r1", 4096);
    both.node("n2", "/r2", 4096);
    both.node("n3", "/r2", 8192);
    both.submit(1, "ann", "a");
    let near = [("n1", 1, 3072, 2, true), ("/r1", 1, 3072, 2, false), ("*", 1, 3072, 2, false)];
    both.ask(1, &[&near[..], &[("*", 2, 1024, 1, true)]].concat());
    both.beat("n1");
    both.beat("n1");
    let told = both.on(1, "n2");
    assert_eq!(told.first(), Some(&CapacityWait::NotHere), "{told:?} {:?}", both.stepped.app(1));
    assert!(
        matches!(&told[..], [_, CapacityWait::MustUnreserve { asked, short }]
        if asked.memory_mb() == 1024 && short.memory_mb() == 2048),
        "{told:?}"
    );
}

#[test]
fn of_one_node_it_is_told_who_comes_first() {
    let mut both = Both::new(&[("root.a.maximum-capacity", "50"), ("root.b.maximum-capacity", "50")]);
    both.node("n1", "/r1", 8192);
    for (number, user, queue) in [(1, "ann", "a"), (2, "bob", "a"), (3, "cyd", "b")] {
        both.submit(number, user, queue);
        both.ask(number, &[("*", 1, 1024, 2, true)]);
    }
    assert_eq!(both.on(1, "n1"), [CapacityWait::Offer]);
    let behind = || CapacityWait::Behind { app: 1, queue: "root.a".to_owned() };
    assert_eq!((both.on(2, "n1"), both.on(3, "n1")), (vec![behind()], vec![behind()]));
    assert_eq!(both.one(2), CapacityWait::Offer, "of all nodes that is not looked at");
    both.beat("n1");
    assert_eq!(both.on(3, "n1"), [CapacityWait::Offer], "b uses less by now");
}

#[test]
fn a_queue_that_keeps_what_it_has_left_holds_others_back() {
    let mut both = Both::new(&[("root.a.maximum-capacity", "50")]);
    both.node("n1", "/r1", 8192);
    both.node("n2", "/r2", 8192);
    both.submit(1, "ann", "a");
    both.submit(2, "cyd", "b");
    // 6 GiB in `a`, of 8, and 9 in `b`: `a` stops at its maximum for 3 more, and keeps the 2 that it has left. 1 is
    // left for `b`.
    both.ask(1, &[("*", 1, 3072, 3, true)]);
    both.ask(2, &[("*", 1, 1024, 9, true)]);
    for beat in 0..16 {
        both.beat(if beat % 2 == 0 { "n1" } else { "n2" });
    }
    let (a, b) = (both.used(1), both.used(2));
    assert_eq!((a, b), (6144, 8192), "and no more");
    let nodes = both.why(2);
    let node = nodes.iter().find(|reason| reason.wait == CapacityWait::Offer).unwrap().nodes.clone().unwrap().1;
    let told = both.on(2, &node);
    assert!(
        matches!(&told[..], [CapacityWait::HeldBack { queue, kept }]
        if queue == "root.a" && kept.memory_mb() == 2048),
        "{told:?}"
    );
}

#[test]
fn nodes_that_will_not_do_say_why() {
    let mut both = Both::new(&[]);
    for node in ["n1", "n2", "n3"] {
        both.node(node, if node == "n3" { "/r2" } else { "/r1" }, 4096);
    }
    both.node("n4", "/r3", 8192);
    both.submit(1, "ann", "a");
    both.call(1, &[("*", 1, 1024, 1, true)], &["n1", "/r2"]);
    assert_eq!(both.on(1, "n1"), [CapacityWait::Blacklisted]);
    assert_eq!(both.on(1, "n3"), [CapacityWait::Blacklisted]);
    assert_eq!(both.on(1, "n2"), [CapacityWait::Offer]);
    both.submit(2, "bob", "b");
    both.ask(2, &[("*", 1, 6144, 1, true)]);
    assert!(matches!(&both.on(2, "n2")[..], [CapacityWait::LargerThanNode { asked, total }]
        if asked.memory_mb() == 6144 && total.memory_mb() == 4096));
    assert_eq!(both.on(2, "n4"), [CapacityWait::Behind { app: 1, queue: "root.a".to_owned() }]);
    both.submit(3, "cyd", "b");
    both.ask(3, &[("n1", 1, 1024, 1, true), ("/r1", 1, 1024, 1, false), ("*", 1, 1024, 1, false)]);
    assert_eq!(both.on(3, "n1"), [CapacityWait::Offer]);
    assert_eq!(both.on(3, "n2"), [CapacityWait::NotHere], "the rack is strict");
    assert_eq!(both.on(3, "n4"), [CapacityWait::NotHere]);
}

#[test]
fn delays_for_locality_are_told_with_their_visits() {
    let mut both = Both::new(&[("rack-locality-additional-delay", "1"), ("node-locality-delay", "1")]);
    for (node, rack) in [("n1", "/r1"), ("n2", "/r1"), ("n3", "/r2"), ("n4", "/r2")] {
        both.node(node, rack, 4096);
    }
    both.submit(1, "ann", "a");
    both.ask(1, &[("n1", 1, 1024, 1, true), ("/r1", 1, 1024, 1, true), ("*", 1, 1024, 1, true)]);
    assert_eq!(both.on(1, "n1"), [CapacityWait::Offer]);
    let waits = |locality, visits, needed| [CapacityWait::LocalityWait { locality, visits, needed }];
    assert_eq!(both.on(1, "n2"), waits(Locality::Rack, 1, 2));
    assert_eq!(both.on(1, "n3"), waits(Locality::OffSwitch, 1, 3));
    both.beat("n3");
    assert_eq!(both.on(1, "n2"), [CapacityWait::Offer]);
    assert_eq!(both.on(1, "n3"), waits(Locality::OffSwitch, 2, 3));
    let reasons = both.why(1);
    let told: Vec<_> = reasons.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "priority 1: nothing stands against it (2 nodes, n1 first)",
            "priority 1: it waits for a nearer node: off-switch will do from visit 3 on, the next is 2 (2 nodes, n3 first)",
        ]
    );
    both.beat("n4");
    assert_eq!(both.on(1, "n4"), [CapacityWait::Offer], "the third visit");
}

#[test]
fn several_workers_tell_of_all_their_nodes() {
    let own = [
        (format!("{PREFIX}root.queues"), "a"),
        (format!("{PREFIX}root.a.capacity"), "100"),
        (format!("{PREFIX}maximum-am-resource-percent"), "1"),
    ];
    let configuration =
        CapacityConfiguration::from_properties([], own.iter().map(|(name, value)| (name.as_str(), *value))).unwrap();
    let scheduler = CapacityScheduler::builder(configuration).workers(3).timers(false).start().unwrap();
    let nodes: Vec<_> = (0..9)
        .map(|n| scheduler.add_node(&format!("n{n}"), &format!("/r{n}"), Resource::new(4096, 9)).unwrap())
        .collect();
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("a")).unwrap();
    let asks = AllocateRequest::new([Ask::anywhere(1, memory(1024), 50)]);
    scheduler.allocate(&app, &asks, &mut Allocation::default()).unwrap();
    scheduler.quiesce().unwrap();
    let reasons = scheduler.why_waiting(&app).unwrap();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert_eq!((reasons[0].wait.clone(), reasons[0].nodes.as_ref().unwrap().0), (CapacityWait::Offer, 9));
    for node in &nodes {
        let on = scheduler.why_waiting_on(&app, node).unwrap();
        assert_eq!(on[0].nodes.as_ref().unwrap().0, 1);
    }
}
