//! The CapacityScheduler with several workers: limits hold whoever grants, who starts starts with all, and nothing is
//! left over.
//!
//! Mostly without threads: every call works all messages off, in an order that the seed does not change. Threads meet
//! in the last test and in the models.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::labels::NewLabel;
use evenweave::reason::CapacityNotOffered;
use evenweave::refused::Limit;
use evenweave::view::{CapacityQueueView, PreemptionRound};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacitySchedulerBuilder,
    CapacityStepped, ContainerId, ContainerName, Heartbeat, NodeHandle, Refused, Resource, Submission,
};
use evenweave_testkit::{beat, capacity, until};
use std::collections::{BTreeMap, HashSet};

const LEAVES: [&str; 4] = ["root.a", "root.b", "root.c.x", "root.c.y"];
const USERS: [&str; 4] = ["ann", "bob", "cy", "dee"];

/// Two levels; all but `a` may have less than all of the cluster.
fn queues(b_maximum: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("yarn.scheduler.capacity.root.queues", "a,b,c"),
        ("yarn.scheduler.capacity.root.a.capacity", "30"),
        ("yarn.scheduler.capacity.root.b.capacity", "20"),
        ("yarn.scheduler.capacity.root.b.maximum-capacity", b_maximum),
        ("yarn.scheduler.capacity.root.b.ordering-policy", "fair"),
        ("yarn.scheduler.capacity.root.c.capacity", "50"),
        ("yarn.scheduler.capacity.root.c.maximum-capacity", "60"),
        ("yarn.scheduler.capacity.root.c.queues", "x,y"),
        ("yarn.scheduler.capacity.root.c.x.capacity", "50"),
        ("yarn.scheduler.capacity.root.c.x.maximum-capacity", "80"),
        ("yarn.scheduler.capacity.root.c.y.capacity", "50"),
        ("yarn.scheduler.capacity.root.c.y.maximum-am-resource-percent", "0.4"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "0.2"),
        ("yarn.scheduler.capacity.root.a.user-limit-factor", "1"),
        ("yarn.scheduler.capacity.root.b.user-limit-factor", "4"),
        ("yarn.scheduler.capacity.root.c.x.user-limit-factor", "4"),
        ("yarn.scheduler.capacity.root.c.y.user-limit-factor", "4"),
        ("yarn.scheduler.capacity.root.a.max-parallel-apps", "3"),
    ]
}

const SITE: [(&str, &str); 2] =
    [("yarn.scheduler.capacity.node-locality-delay", "-1"), ("yarn.cluster.max-application-priority", "9")];

const SIZE: Resource = Resource::new(1024, 1);

struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is less than the limit")
    }
}

struct Cluster {
    scheduler: CapacityStepped,
    nodes: Vec<NodeHandle>,
    racks: usize,
    apps: Vec<AppHandle>,
    /// Of each application.
    held: BTreeMap<u32, Vec<ContainerId>>,
    submitted: u32,
    workers: usize,
    /// Some application has moved, or had another priority while it waited: as in Hadoop it may be in lists where it
    /// does not belong.
    is_odd: bool,
    /// That may happen.
    moves: bool,
}

fn start(workers: usize, fold_every: u32) -> Cluster {
    let configuration = CapacityConfiguration::from_properties(SITE, queues("40")).expect("queues that can be");
    let builder = CapacityScheduler::builder(configuration).workers(workers).fold_every(fold_every);
    let scheduler = builder.stepped().expect("nothing that is not built");
    Cluster {
        scheduler,
        nodes: vec![],
        racks: 0,
        apps: vec![],
        held: BTreeMap::new(),
        submitted: 0,
        workers,
        is_odd: false,
        moves: true,
    }
}

impl Cluster {
    fn add_node(&mut self) {
        let name = format!("n{}", self.racks);
        let rack = format!("/r{}", self.racks);
        self.racks += 1;
        self.nodes.push(self.scheduler.add_node(&name, &rack, Resource::new(8192, 8)).unwrap());
    }

    fn submit(&mut self, user: &str, queue: &str) {
        self.submitted += 1;
        match self.scheduler.submit(Submission::new(self.submitted, user).in_queue(queue)) {
            Ok(app) => self.apps.push(app),
            Err(refused) => {
                assert!(
                    matches!(refused, Refused::Limit(Limit::QueueFull { .. }) | Refused::Limit(Limit::UserFull { .. })),
                    "{refused}"
                )
            }
        }
    }

    fn call(&mut self, app: usize, asks: impl IntoIterator<Item = Ask>, released: &[ContainerId]) -> Allocation {
        let app = self.apps[app].clone();
        let mut request = AllocateRequest::new(asks);
        request.releases.extend_from_slice(released);
        let mut answer = Allocation::default();
        self.scheduler.allocate(&app, &request, &mut answer).expect("an application that runs");
        let held = self.held.entry(app.number()).or_default();
        held.extend(answer.granted.iter().map(|granted| granted.id));
        held.retain(|id| !answer.ended.iter().any(|ended| ended.id == *id));
        answer
    }

    fn beat_all(&mut self) {
        for node in self.nodes.clone() {
            self.scheduler.heartbeat(Heartbeat::new(&node));
        }
    }

    /// Nodes report until nobody gets anything more.
    fn fill(&mut self) {
        until("a full cluster", || {
            let before = self.scheduler.stats().granted;
            self.beat_all();
            self.scheduler.stats().granted == before
        });
    }

    fn view(&mut self) -> BTreeMap<String, CapacityQueueView> {
        self.scheduler.queues_with_limits().into_iter().map(|queue| (queue.name.clone(), queue)).collect()
    }

    /// No limit is exceeded, whoever has granted.
    fn check(&mut self, seed: u64, what: &str) {
        let workers = self.workers;
        let at = move |said: &str| format!("{workers} workers, seed {seed}, after {what}: {said}");
        let queues = self.view();
        let apps = self.scheduler.apps();
        for queue in queues.values() {
            assert!(
                queue.used.memory_mb() <= queue.maximum.memory_mb() || what == "a refresh" || what == "a node less",
                "{}",
                at(&queue.name)
            );
            let own =
                apps.iter().filter(|app| app.queue == queue.name || app.queue.starts_with(&format!("{}.", queue.name)));
            let sum = own.fold(Resource::ZERO, |sum, app| sum + app.used);
            assert_eq!(queue.used, sum, "{}", at(&format!("{}'s usage is its applications'", queue.name)));
            let Some(leaf) = &queue.leaf else { continue };
            let of_users = leaf.users.iter().fold(Resource::ZERO, |sum, user| sum + user.used);
            // Hadoop forgets a user whose last application there has gone, whatever it has left there on its way.
            assert!(self.is_odd || queue.used == of_users, "{}", at(&format!("{}'s usage is its users'", queue.name)));
            let active: Vec<_> = apps.iter().filter(|app| app.queue == queue.name && app.state == "active").collect();
            let has_both = self.is_odd;
            assert!(active.len() == leaf.active_applications || has_both, "{}", at(&queue.name));
            assert!(
                active.len() <= 1 || leaf.am_used.memory_mb() <= leaf.am_limit.memory_mb() || what != "a submission",
                "{}",
                at(&format!("{}: AMs have {}, may {}", queue.name, leaf.am_used, leaf.am_limit))
            );
        }
        // Folding changes what is decided next, so it is not done always.
        let audit = self.scheduler.audit(seed.is_multiple_of(3));
        assert!(audit.wrong.is_empty(), "{}", at(&audit.wrong.join("\n")));
        let in_a = apps.iter().filter(|app| app.queue == "root.a" && app.state != "non-runnable").count();
        assert!(in_a <= 3 || self.is_odd, "{}", at("parallel applications"));
        // What this worker has heard of who starts is what the one says who decides.
        for app in self.apps.clone() {
            let says = self.scheduler.not_offered(&app);
            let state = apps.iter().find(|view| view.number == app.number()).expect("it runs").state;
            let pending = matches!(says, Some(CapacityNotOffered::NotActivated { .. }));
            assert_eq!(pending, state == "pending", "{}", at(&format!("application {}", app.number())));
        }
    }

    /// Whoever could be served is.
    fn check_served(&mut self, seed: u64) {
        self.fill();
        let free: i64 = {
            let queues = self.view();
            let root = &queues["root"];
            root.maximum.memory_mb() - root.used.memory_mb()
        };
        let queues = self.view();
        for queue in queues.values().filter(|queue| queue.leaf.is_some() && queue.name != "root.a") {
            let mut path = vec![queue];
            if let Some((above, _)) = queue.name.rsplit_once('.') {
                path.push(&queues[above]);
            }
            let is_full = path.iter().any(|queue| queue.used.memory_mb() + 1024 > queue.maximum.memory_mb());
            let asks = self
                .scheduler
                .apps()
                .into_iter()
                .any(|app| app.queue == queue.name && app.state == "active" && app.pending.memory_mb() > 0);
            assert!(
                is_full || free < 1024 || !asks,
                "{} workers, seed {seed}: {} could have more",
                self.workers,
                queue.name
            );
        }
    }

    /// All end, and nothing is left over.
    fn end(mut self, seed: u64) {
        let (workers, is_odd) = (self.workers, self.is_odd);
        for app in std::mem::take(&mut self.apps) {
            self.scheduler.finish(&app).unwrap();
        }
        for queue in self.view().values() {
            let at = format!("{workers} workers, seed {seed}, at the end: {}", queue.name);
            let left = [queue.used, queue.pending, queue.reserved];
            assert_eq!((left, queue.containers, queue.applications), ([Resource::ZERO; 3], 0, 0), "{at}");
            // As in Hadoop what has moved may stay in a list, or counted as active.
            if let Some(leaf) = queue.leaf.as_ref().filter(|_| !is_odd) {
                assert_eq!(
                    (leaf.am_used, leaf.active_applications, leaf.pending_applications),
                    (Resource::ZERO, 0, 0),
                    "{at}"
                );
                assert_eq!(leaf.active_users, 0, "{at}");
            }
        }
        let stats = self.scheduler.stats();
        assert_eq!((stats.running, stats.allocated), (0, Resource::ZERO));
        let audit = self.scheduler.audit(true);
        assert_eq!(audit.wrong, [""; 0], "{workers} workers, seed {seed}, at the end");
    }
}

/// One step that chance has chosen; says what it was.
fn step(cluster: &mut Cluster, chance: &mut Chance) -> &'static str {
    let running = cluster.apps.len();
    match chance.below(16) {
        0 | 1 if running < 14 => {
            cluster.submit(USERS[chance.below(4)], LEAVES[chance.below(4)]);
            "a submission"
        }
        2..=4 if running > 0 => {
            let count = u32::try_from(chance.below(9)).expect("small");
            cluster.call(chance.below(running), [Ask::anywhere(1, SIZE, count)], &[]);
            "an ask"
        }
        5 if running > 0 => {
            let app = chance.below(running);
            cluster.call(app, [], &[]);
            let held = cluster.held.get(&cluster.apps[app].number()).cloned().unwrap_or_default();
            let some = &held[..held.len().min(2)];
            cluster.call(app, [], some);
            "a release"
        }
        6 if running > 0 => {
            let app = cluster.apps.swap_remove(chance.below(running));
            cluster.scheduler.finish(&app).unwrap();
            "an end"
        }
        7 if running > 0 && cluster.moves => {
            let app = cluster.apps[chance.below(running)].clone();
            // It may be where it would go, or too many may be there.
            cluster.is_odd = true;
            let _ = cluster.scheduler.move_app(&app, LEAVES[chance.below(4)]);
            "a move"
        }
        8 if running > 0 && cluster.moves => {
            cluster.is_odd = true;
            let app = cluster.apps[chance.below(running)].clone();
            cluster.scheduler.set_priority(&app, i32::try_from(chance.below(9)).expect("small")).unwrap();
            "a priority"
        }
        9 if cluster.nodes.len() < 8 => {
            cluster.add_node();
            "a node more"
        }
        10 if cluster.nodes.len() > 3 && chance.below(3) == 0 => {
            let node = cluster.nodes.swap_remove(chance.below(cluster.nodes.len()));
            cluster.scheduler.remove_node(&node).unwrap();
            "a node less"
        }
        11 if chance.below(4) == 0 => {
            cluster.scheduler.refresh_properties(queues(["30", "40", "90"][chance.below(3)])).unwrap();
            "a refresh"
        }
        _ => {
            let node = cluster.nodes[chance.below(cluster.nodes.len())].clone();
            cluster.scheduler.heartbeat(Heartbeat::new(&node));
            "a heartbeat"
        }
    }
}

fn play(workers: usize, fold_every: u32, seed: u64) {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut cluster = start(workers, fold_every);
    cluster.moves = seed % 2 == 1;
    (0..4).for_each(|_| cluster.add_node());
    let mut since = "nothing";
    for _ in 0..120 {
        let what = step(&mut cluster, &mut chance);
        // What has become too much stays so until containers end.
        if matches!(what, "a refresh" | "a node less") || (since == "a move" && what == "a heartbeat") {
            since = what;
        }
        cluster.check(seed, if matches!(since, "a refresh" | "a node less") { since } else { what });
    }
    cluster.check_served(seed);
    cluster.end(seed);
}

#[test]
fn limits_hold_whoever_grants() {
    for workers in 1..=4 {
        (0..60).for_each(|seed| play(workers, 1, seed));
    }
}

#[test]
fn limits_hold_with_views_that_are_far_apart() {
    for workers in 2..=4 {
        (100..140).for_each(|seed| play(workers, 1000, seed));
    }
}

#[test]
fn threads_exceed_no_maximum_and_nothing_is_left_over() {
    for workers in [2, 4] {
        let configuration = CapacityConfiguration::from_properties(SITE, queues("40")).unwrap();
        let scheduler = CapacityScheduler::builder(configuration).workers(workers).start().unwrap();
        let nodes: Vec<NodeHandle> = (0..16)
            .map(|i| scheduler.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(8192, 8)).unwrap())
            .collect();
        let mut number = 0;
        let apps: Vec<AppHandle> = LEAVES
            .iter()
            .flat_map(|leaf| USERS.map(|user| (leaf, user)))
            .filter_map(|(leaf, user)| {
                number += 1;
                scheduler.submit(Submission::new(number, user).in_queue(*leaf)).ok()
            })
            .collect();
        let request = AllocateRequest::new([Ask::anywhere(1, SIZE, 40)]);
        apps.iter().for_each(|app| scheduler.allocate(app, &request, &mut Allocation::default()).unwrap());
        std::thread::scope(|scope| {
            for part in nodes.chunks(4) {
                let scheduler = &scheduler;
                scope.spawn(move || {
                    for node in part.iter().cycle().take(part.len() * 40) {
                        // One that finds its channel full is only one report less.
                        let _ = scheduler.heartbeat(Heartbeat::new(node));
                    }
                });
            }
            // Nothing ends meanwhile, so what is read of several workers is no more than there is at the end.
            for _ in 0..20 {
                for queue in scheduler.queues().unwrap() {
                    let (used, maximum) = (queue.used.memory_mb(), queue.maximum.memory_mb());
                    assert!(used <= maximum, "{workers} workers: {} has {used} of {maximum}", queue.name);
                }
            }
        });
        // However little the threads came to: at quiet each node reports until nobody gets anything more.
        until("a full cluster", || {
            scheduler.quiesce().unwrap();
            let before = scheduler.stats().granted;
            nodes.iter().for_each(|node| beat(&scheduler, Heartbeat::new(node)));
            scheduler.quiesce().unwrap();
            scheduler.stats().granted == before
        });
        let used = scheduler.queues().unwrap().iter().find(|queue| queue.name == "root").unwrap().used;
        assert!(used.memory_mb() > 64 * 1024, "{workers} workers: something runs: {used}");
        scheduler.preempt().unwrap();
        assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers");
        apps.iter().for_each(|app| scheduler.finish(app).unwrap());
        scheduler.quiesce().unwrap();
        for queue in scheduler.queues().unwrap() {
            let left = (queue.used, queue.pending, queue.containers, queue.applications);
            assert_eq!(left, (Resource::ZERO, Resource::ZERO, 0, 0), "{workers} workers: {}", queue.name);
        }
        assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers, at the end");
    }
}

/// `b` may have half of the nodes with `gpu`, which are for nobody else, and half of those with `ssd`, which are lent.
fn with_labels() -> Vec<(&'static str, &'static str)> {
    let mut queues = queues("100");
    queues.extend([
        ("yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity", "100"),
        ("yarn.scheduler.capacity.root.accessible-node-labels.ssd.capacity", "100"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels", "gpu,ssd"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.maximum-capacity", "50"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels.ssd.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels.ssd.maximum-capacity", "50"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels", "gpu,ssd"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "50"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels.ssd.capacity", "50"),
        ("yarn.scheduler.capacity.root.c.accessible-node-labels", ""),
    ]);
    queues
}

/// What a queue has and may have on the nodes of a label, in MiB.
fn on_label(queues: &[CapacityQueueView], name: &str, label: &str) -> (i64, i64) {
    let queue = queues.iter().find(|queue| queue.name == name).unwrap();
    let part = queue.partitions.iter().find(|part| part.label == label).unwrap();
    (part.used.memory_mb(), part.maximum.memory_mb())
}

fn label(name: &str, exclusive: bool) -> NewLabel {
    NewLabel { name: name.to_owned(), exclusive }
}

/// A worker that does not know yet what the other has granted is refused in the second type; what it got of the first
/// goes back.
#[test]
fn a_grant_that_is_refused_on_labelled_nodes_keeps_no_room() {
    let mut site = SITE.to_vec();
    let drf = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
    site.extend([("yarn.node-labels.enabled", "true"), ("yarn.scheduler.capacity.resource-calculator", drf)]);
    let configuration = CapacityConfiguration::from_properties(site, with_labels()).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).workers(2).fold_every(1000).stepped().unwrap();
    scheduler.add_labels(&[label("gpu", true)]).unwrap();
    scheduler.set_node_labels(&[("n0", &["gpu"]), ("n1", &["gpu"])]).unwrap();
    let add = |scheduler: &mut CapacityStepped, i: usize| {
        scheduler.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(8192, 8)).unwrap()
    };
    let nodes = [0, 1].map(|i| add(&mut scheduler, i));
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.b")).unwrap();
    let gpu = scheduler.label("gpu");
    let ask = Ask::anywhere(1, Resource::new(1024, 3), 5).labelled(gpu);
    scheduler.allocate(&app, &AllocateRequest::new([ask]), &mut Allocation::default()).unwrap();
    for node in nodes.iter().cycle().take(6) {
        scheduler.heartbeat(Heartbeat::new(node));
    }
    let on_gpu = on_label(&scheduler.queues(), "root.b", "gpu");
    assert_eq!(on_gpu, (2048, 8192), "eight vcores may be used, and six are");
    assert_eq!(scheduler.audit(false).wrong, [""; 0]);
}

#[test]
fn threads_exceed_no_maximum_of_a_partition() {
    for workers in [2, 4] {
        let mut site = SITE.to_vec();
        site.push(("yarn.node-labels.enabled", "true"));
        let configuration = CapacityConfiguration::from_properties(site, with_labels()).unwrap();
        let scheduler = CapacityScheduler::builder(configuration).workers(workers).start().unwrap();
        scheduler.add_labels(&[label("gpu", true), label("ssd", false)]).unwrap();
        // Of three nodes one has no label, one `gpu`, and one `ssd`.
        let label_of = |i: usize| ["", "gpu", "ssd"][i % 3];
        let nodes: Vec<NodeHandle> = (0..24)
            .map(|i| {
                let (name, label) = (format!("n{i}"), label_of(i));
                if !label.is_empty() {
                    scheduler.set_node_labels(&[(&name, &[label])]).unwrap();
                }
                scheduler.add_node(&name, &format!("/r{i}"), Resource::new(8192, 8)).unwrap()
            })
            .collect();
        let submit = |number, queue: &str| {
            scheduler.submit(Submission::new(number, USERS[number as usize % 4]).in_queue(queue)).unwrap()
        };
        // One application for each label, and one that asks for none.
        let apps = [submit(1, "root.b"), submit(2, "root.b"), submit(3, "root.b")];
        for (app, label) in apps.iter().zip(["gpu", "ssd", ""]) {
            let ask = Ask::anywhere(1, SIZE, 300).labelled(scheduler.label(label));
            scheduler.allocate(app, &AllocateRequest::new([ask]), &mut Allocation::default()).unwrap();
        }
        std::thread::scope(|scope| {
            for part in nodes.chunks(6) {
                let scheduler = &scheduler;
                scope.spawn(move || {
                    for node in part.iter().cycle().take(part.len() * 40) {
                        // One that finds its channel full is only one report less.
                        let _ = scheduler.heartbeat(Heartbeat::new(node));
                    }
                });
            }
            for _ in 0..20 {
                let (used, maximum) = on_label(&scheduler.queues().unwrap(), "root.b", "gpu");
                assert!(used <= maximum, "{workers} workers: {used} of {maximum}");
            }
        });
        until("a full cluster", || {
            scheduler.quiesce().unwrap();
            let before = scheduler.stats().granted;
            // What names no label waits until as many nodes as there are have been offered in vain.
            for node in nodes.iter().cycle().take(nodes.len() * nodes.len()) {
                beat(&scheduler, Heartbeat::new(node));
            }
            scheduler.quiesce().unwrap();
            scheduler.stats().granted == before
        });
        let queues = scheduler.queues().unwrap();
        // All of the lent nodes, since those who name no label may have the rest; half of the others.
        assert_eq!(on_label(&queues, "root.b", "gpu"), (32 * 1024, 32 * 1024), "{workers} workers");
        assert_eq!(on_label(&queues, "root.b", "ssd"), (64 * 1024, 32 * 1024), "{workers} workers");
        assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers");
        // Labels change under what runs, and applications end, while nodes report.
        std::thread::scope(|scope| {
            for part in nodes.chunks(12) {
                let scheduler = &scheduler;
                scope.spawn(move || {
                    for node in part.iter().cycle().take(part.len() * 20) {
                        let _ = scheduler.heartbeat(Heartbeat::new(node));
                    }
                });
            }
            for round in 0..12 {
                for i in 0..6 {
                    let label = label_of(i + round);
                    let labels: &[&str] = if label.is_empty() { &[] } else { &[label] };
                    scheduler.set_node_labels(&[(&format!("n{i}"), labels)]).unwrap();
                }
                if round == 6 {
                    scheduler.finish(&apps[2]).unwrap();
                }
            }
        });
        scheduler.quiesce().unwrap();
        assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers, with other labels");
        apps[..2].iter().for_each(|app| scheduler.finish(app).unwrap());
        scheduler.quiesce().unwrap();
        for queue in scheduler.queues().unwrap() {
            let of_parts = queue.partitions.iter().fold(Resource::ZERO, |sum, part| sum + part.used + part.pending);
            let left = (queue.used, queue.pending, queue.containers, of_parts);
            assert_eq!(left, (Resource::ZERO, Resource::ZERO, 0, Resource::ZERO), "{workers} workers: {}", queue.name);
        }
        assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers, at the end");
    }
}

/// A property of preemption for queues of higher priority.
macro_rules! underutilized {
    ($what:literal) => {
        concat!("yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.", $what)
    };
}

/// What is reserved, by application and number: the node.
fn reserved(scheduler: &mut CapacityStepped) -> BTreeMap<(u32, u32), String> {
    let reserved = scheduler.take_journal().reserved;
    reserved.into_iter().map(|made| ((made.app, made.container), made.node)).collect()
}

/// `high` comes before `low`, and what it has reserved may be moved.
fn that_moves(workers: usize) -> CapacitySchedulerBuilder {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "high,low"),
        ("yarn.scheduler.capacity.root.ordering-policy", "priority-utilization"),
        ("yarn.scheduler.capacity.root.high.capacity", "60"),
        ("yarn.scheduler.capacity.root.high.priority", "2"),
        ("yarn.scheduler.capacity.root.high.user-limit-factor", "4"),
        ("yarn.scheduler.capacity.root.low.capacity", "40"),
        ("yarn.scheduler.capacity.root.low.user-limit-factor", "4"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
        (underutilized!("enabled"), "true"),
        (underutilized!("allow-move-reservation"), "true"),
        (underutilized!("reserved-container-delay-ms"), "0"),
    ];
    let preemption = "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round";
    let site = SITE.into_iter().chain([("yarn.resourcemanager.scheduler.monitor.enable", "true"), (preemption, "1")]);
    let configuration = CapacityConfiguration::from_properties(site, queues).expect("queues that can be");
    CapacityScheduler::builder(configuration).workers(workers).journal(true)
}

/// Some nodes are full of what does not go, the others of what goes for `high`; what `high` has reserved on the former
/// is moved to the latter, also from worker to worker.
fn moves_of(workers: usize, seed: u64) -> [usize; 3] {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut scheduler = that_moves(workers).stepped().expect("nothing that is not built");
    let nodes: Vec<NodeHandle> = (0..8)
        .map(|node| scheduler.add_node(&format!("n{node}"), &format!("/r{node}"), Resource::new(8192, 8)).unwrap())
        .collect();
    let worker_of: BTreeMap<&str, usize> = nodes.iter().map(|node| (node.name(), node.worker())).collect();
    let mut number = 0;
    let mut ask = |scheduler: &mut CapacityStepped, queue: &str, size: Resource, count: u32| {
        number += 1;
        let app = scheduler.submit(Submission::new(number, "ann").in_queue(queue)).unwrap();
        let request = AllocateRequest::new([Ask::anywhere(1, size, count)]);
        scheduler.allocate(&app, &request, &mut Allocation::default()).unwrap();
        app
    };
    let beat = |scheduler: &mut CapacityStepped, nodes: &[NodeHandle]| {
        (0..24).for_each(|at| scheduler.heartbeat(Heartbeat::new(&nodes[at % nodes.len()])));
    };
    let (firm, soft) = nodes.split_at(3);
    let mut apps = vec![ask(&mut scheduler, "root.high", SIZE, 18)];
    beat(&mut scheduler, firm);
    apps.push(ask(&mut scheduler, "root.low", SIZE, 30));
    (0..2).for_each(|_| beat(&mut scheduler, soft));
    let (mut moved, mut across, mut marked) = (0, 0, 0);
    for round in 0..12 {
        let of_high = i64::try_from(3 + chance.below(3)).expect("small");
        apps.push(ask(&mut scheduler, "root.high", Resource::new(1024 * of_high, 1), 2));
        beat(&mut scheduler, firm);
        let before = reserved(&mut scheduler);
        let live: HashSet<_> = scheduler.containers().into_iter().map(|container| container.id).collect();
        let rounds = scheduler.preempt().unwrap();
        let after = reserved(&mut scheduler);
        // All that the policy marks is one round, and each worker says what is its own.
        assert!(rounds.len() <= 1, "{rounds:?}");
        for round in &rounds {
            let PreemptionRound { app, containers, reservations, .. } = round;
            assert!(app.is_none() && round.count() > 0, "{rounds:?}");
            assert!(containers.iter().all(|id| live.contains(id)), "{rounds:?}");
            let stood = |name: &ContainerName| before.contains_key(&(name.attempt.application.number, name.number));
            assert!(reservations.iter().all(stood), "{rounds:?}");
            marked += containers.len();
        }
        // Some may have ended for queues that have too little.
        let new: Vec<_> = after.keys().filter(|of| !before.contains_key(of)).collect();
        assert!(new.is_empty(), "{workers} workers, seed {seed}: a round reserves nothing: {new:?}");
        for (of, node) in after.iter().filter(|(of, node)| before[*of] != **node) {
            moved += 1;
            across += usize::from(worker_of[before[of].as_str()] != worker_of[node.as_str()]);
        }
        let audit = scheduler.audit(round % 2 == 0);
        assert_eq!(audit.wrong, [""; 0], "{workers} workers, seed {seed}, round {round}");
        match chance.below(4) {
            0 => scheduler.finish(&apps.pop().expect("some")).unwrap(),
            1 => beat(&mut scheduler, soft),
            _ => scheduler.advance(20_000),
        }
        assert_eq!(scheduler.audit(false).wrong, [""; 0], "{workers} workers, seed {seed}, after round {round}");
    }
    apps.iter().for_each(|app| scheduler.finish(app).unwrap());
    for queue in scheduler.queues_with_limits() {
        let left = [queue.used, queue.pending, queue.reserved];
        assert_eq!(
            (left, queue.containers),
            ([Resource::ZERO; 3], 0),
            "{workers} workers, seed {seed}: {}",
            queue.name
        );
    }
    assert_eq!(scheduler.audit(true).wrong, [""; 0], "{workers} workers, seed {seed}, at the end");
    [moved, across, marked]
}

#[test]
fn what_is_reserved_moves_to_where_it_can_be_had_whosever_node_it_is() {
    for workers in 1..=4 {
        let all = (0..20).map(|seed| moves_of(workers, seed));
        let [moved, across, marked] = all.fold([0; 3], |sums: [usize; 3], of| std::array::from_fn(|i| sums[i] + of[i]));
        println!("{workers} workers: {moved} moved, {across} of them to another worker's node");
        assert!(moved >= 20, "{workers} workers: {moved} moved");
        assert!(marked >= 20, "{workers} workers: {marked} marked");
        assert!(workers == 1 || across >= 10, "{workers} workers: {across} moved to another worker's node");
    }
}

/// Rounds come while nodes report and go, and applications come and end.
#[test]
fn what_is_reserved_moves_while_anything_happens() {
    for workers in [2, 4] {
        let scheduler = that_moves(workers).timers(false).start().unwrap();
        let add = |at: usize| {
            scheduler.add_node(&format!("n{at}"), &format!("/r{}", at % 8), Resource::new(8192, 8)).unwrap()
        };
        let mut nodes: Vec<NodeHandle> = (0..12).map(add).collect();
        let (mut apps, mut number, mut moved) = (Vec::<AppHandle>::new(), 0, 0);
        let reserved = || -> BTreeMap<(u32, u32), String> {
            let reserved = scheduler.take_journal().unwrap().reserved;
            reserved.into_iter().map(|made| ((made.app, made.container), made.node)).collect()
        };
        for round in 0..60 {
            let mut asks = |queue: &str, size: i64, count: u32| {
                number += 1;
                let app = scheduler.submit(Submission::new(number, "ann").in_queue(queue)).unwrap();
                let request = AllocateRequest::new([Ask::anywhere(1, Resource::new(size, 1), count)]);
                scheduler.allocate(&app, &request, &mut Allocation::default()).unwrap();
                apps.push(app);
            };
            asks("root.low", 1024, 20);
            asks("root.high", [3072, 5120, 7168][round % 3], 3);
            std::thread::scope(|scope| {
                for part in nodes.chunks(4) {
                    let scheduler = &scheduler;
                    scope.spawn(move || {
                        for node in part.iter().cycle().take(part.len() * 6) {
                            // One that finds its channel full is only one report less.
                            let _ = scheduler.heartbeat(Heartbeat::new(node));
                        }
                    });
                }
                for _ in 0..4 {
                    let before = reserved();
                    scheduler.preempt().unwrap();
                    moved +=
                        reserved().iter().filter(|(of, node)| before.get(of).is_some_and(|was| was != *node)).count();
                }
                if round % 4 == 3 {
                    scheduler.finish(&apps.swap_remove(round % apps.len())).unwrap();
                }
            });
            if round % 5 == 4 {
                scheduler.remove_node(&nodes.remove(round % nodes.len())).unwrap();
                nodes.push(add(12 + round));
            }
            if apps.len() > 12 {
                apps.drain(..6).for_each(|app| scheduler.finish(&app).unwrap());
            }
            if round % 10 == 9 {
                scheduler.quiesce().unwrap();
                assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers, round {round}");
            }
        }
        println!("{workers} workers: {moved} moved");
        apps.iter().for_each(|app| scheduler.finish(app).unwrap());
        scheduler.quiesce().unwrap();
        for queue in scheduler.queues().unwrap() {
            let left = (queue.used, queue.reserved, queue.pending, queue.containers);
            assert_eq!(left, (Resource::ZERO, Resource::ZERO, Resource::ZERO, 0), "{workers} workers: {}", queue.name);
        }
        assert_eq!(scheduler.audit().unwrap().wrong, [""; 0], "{workers} workers, at the end");
    }
}

/// How many containers more the queue has whose application is at home with the node's worker.
fn ahead_at_home(preempts: bool) -> i64 {
    // A user may have more than the guarantee of the queue: else that alone would make both alike.
    let file = [
        ("queues", "a,b"),
        ("a.capacity", "50"),
        ("b.capacity", "50"),
        ("a.user-limit-factor", "2"),
        ("b.user-limit-factor", "2"),
    ];
    let file = file.map(|(name, value)| (format!("yarn.scheduler.capacity.root.{name}"), value));
    let file = file.iter().map(|(name, value)| (name.as_str(), *value));
    let monitor = if preempts { "true" } else { "false" };
    let site = SITE.into_iter().chain([("yarn.resourcemanager.scheduler.monitor.enable", monitor)]);
    let mut scheduler = capacity(site, file).workers(2).stepped().unwrap();
    let node = scheduler.add_node("n0", "/r0", Resource::new(64 * 1024, 64)).unwrap();
    let apps = [(1, "root.a"), (2, "root.b")].map(|(number, queue)| {
        let app = scheduler.submit(Submission::new(number, "ann").in_queue(queue)).unwrap();
        let request = AllocateRequest::new([Ask::anywhere(1, SIZE, 100)]);
        scheduler.allocate(&app, &request, &mut Allocation::default()).unwrap();
        app
    });
    assert_ne!(apps[0].worker(), apps[1].worker());
    // A heartbeat gives one container that is wanted anywhere.
    for _ in 0..40 {
        scheduler.heartbeat(Heartbeat::new(&node));
    }
    let used = apps.each_ref().map(|app| scheduler.app(app.id().number).unwrap().used.memory_mb() / 1024);
    let home = usize::from(apps[1].worker() == node.worker());
    used[home] - used[1 - home]
}

/// Who stayed behind by the slack would get by preemption what the order keeps from it.
#[test]
fn with_preemption_a_worker_keeps_to_the_order() {
    let [ordered, by_home] = [true, false].map(ahead_at_home);
    assert!(ordered.abs() <= 1 && by_home > 1, "{ordered} {by_home}");
}
