//! Hot reload of the allocation file, step by step on a virtual clock: when it is looked at, what is told of it, and
//! what it does to queues that hold applications. Follows rules/configuration.md 7, rules/assignment.md 16; cases named
//! `hadoop_…` follow Hadoop's own tests of that name.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod memory;

use evenweave::SchedulerApi as _;
use evenweave::clock::VirtualClock;
use evenweave::config::AllocationsError;
use evenweave::refused::{Configuration, Gone};
use evenweave::view::QueueView;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, BuildError, FairScheduler, FairSchedulerBuilder, Heartbeat,
    NodeHandle, Refused, Resource, SchedulerEvent, Stepped, Submission,
};
use evenweave_testkit::SMALL;
use memory::Memory;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// When each of these worlds begins, by its clock. The files of before are older.
const START_MS: u64 = 1_000_000;
fn document(body: &str) -> String {
    format!("<allocations>{body}</allocations>")
}

/// A stepped scheduler that watches a file in memory.
struct World {
    stepped: Stepped,
    file: Memory,
    clock: Arc<VirtualClock>,
}

impl World {
    fn new(body: &str) -> World {
        World::with(FairScheduler::builder(), body)
    }

    fn with(builder: FairSchedulerBuilder, body: &str) -> World {
        let clock = Arc::new(VirtualClock::new());
        clock.advance(START_MS);
        let file = Memory::new(&document(body), 1);
        let mut stepped = builder.clock(clock.clone()).watch(file.clone()).stepped().unwrap();
        let loaded = SchedulerEvent::AllocationsLoaded { source: "memory.xml".to_owned(), warnings: Vec::new() };
        assert_eq!(stepped.next_event(), Some(loaded));
        World { stepped, file, clock }
    }

    /// Time passes; what has become due is done.
    fn advance(&mut self, ms: u64) {
        self.clock.advance(ms);
        self.stepped.tick();
    }

    /// The file has changed some time ago.
    fn write(&mut self, body: &str) {
        let now = evenweave::clock::Clock::now_ms(&*self.clock);
        self.file.set(&document(body), now + 1);
    }

    /// The file changes, and is taken at the next look: ten seconds are more than the five that it must be quiet.
    fn reload(&mut self, body: &str) {
        self.write(body);
        self.advance(10_000);
        assert_eq!(self.told(), ["loaded"]);
    }

    /// A look at a file that has not changed.
    fn look(&mut self) {
        self.advance(10_000);
        assert_eq!(self.told(), [""; 0]);
    }

    /// What the embedder is told of, in short.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are not expected, and shown as they are")]
    fn told(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.stepped.next_event())
            .map(|event| match event {
                SchedulerEvent::AllocationsLoaded { .. } => "loaded".to_owned(),
                SchedulerEvent::AllocationsRefused(error) => error.to_string(),
                SchedulerEvent::AllocationsBrokeOff { queue, .. } => format!("broke off at {queue}"),
                other => format!("{other:?}"),
            })
            .collect()
    }

    /// Every queue below root as `name type`, dynamic ones with a `*`, in order of names.
    fn queues(&mut self) -> Vec<String> {
        let show = |queue: &QueueView| {
            let kind = if queue.leaf { "leaf" } else { "parent" };
            format!("{} {kind}{}", queue.name, if queue.dynamic { " *" } else { "" })
        };
        self.stepped.queues().iter().filter(|queue| queue.name != "root").map(show).collect()
    }

    fn queue(&mut self, name: &str) -> QueueView {
        self.stepped.queues().into_iter().find(|queue| queue.name == name).unwrap()
    }

    fn submit(&mut self, number: u32, queue: &str) -> Result<AppHandle, Refused> {
        let queue = Some(queue.to_owned());
        self.stepped.submit(Submission::new(number, "ann").maybe_in_queue(queue))
    }

    fn app(&mut self, number: u32, queue: &str) -> AppHandle {
        self.submit(number, queue).unwrap()
    }

    fn finish(&mut self, app: &AppHandle) {
        self.stepped.finish(app).unwrap();
    }

    fn node(&mut self, memory_mb: i64, vcores: i64) -> NodeHandle {
        self.stepped.add_node("n1", "/r1", Resource::new(memory_mb, vcores)).unwrap()
    }

    fn ask(&mut self, app: &AppHandle, size: Resource, count: u32) -> Result<(), Refused> {
        let request = AllocateRequest::new([Ask::anywhere(1, size, count)]);
        self.stepped.allocate(app, &request, &mut Allocation::default())
    }

    fn beat(&mut self, node: &NodeHandle, times: u32) {
        self.stepped.update_now();
        (0..times).for_each(|_| self.stepped.heartbeat(Heartbeat::new(node)));
    }

    fn used_mb(&mut self, queue: &str) -> i64 {
        self.queue(queue).usage.memory_mb()
    }

    /// Applications that run and that wait in a leaf.
    fn running(&mut self, queue: &str) -> (u32, u32) {
        let queue = self.queue(queue);
        (queue.runnable, queue.non_runnable)
    }
}

// ------------------------------------------------------------------------------------------------ when it is looked at

#[test]
fn a_changed_file_is_taken_when_it_has_been_quiet_at_the_next_look() {
    for (changed, taken_at) in [(1, 10), (4_999, 10), (5_000, 20), (9_999, 20), (14_999, 20), (15_000, 30)] {
        let mut world = World::new("<queue name='a'/>");
        world.file.set(&document("<queue name='b'/>"), START_MS + changed);
        for second in 1..taken_at {
            world.advance(1000);
            assert_eq!(world.queues(), ["root.a leaf"], "changed at {changed} ms, after {second} s");
        }
        world.advance(1000);
        assert_eq!(world.queues(), ["root.a leaf *", "root.b leaf"], "changed at {changed} ms");
        assert_eq!(world.told(), ["loaded"]);
        // Not again, and what has left the file goes with the next look.
        world.look();
        assert_eq!(world.queues(), ["root.b leaf"]);
        assert_eq!(world.file.contents().reads, 2);
    }
}

#[test]
fn what_counts_is_the_time_of_the_last_success_not_that_of_the_change() {
    let mut world = World::new("");
    world.reload("<queue name='a'/>");
    // Written after the look, with an older time of change: `cp -p`.
    world.file.set(&document("<queue name='b'/>"), START_MS + 10_000);
    world.look();
    world.look();
    assert_eq!(world.queues(), ["root.a leaf"]);
    world.stepped.refresh_file().unwrap();
    assert_eq!(world.queues(), ["root.a leaf *", "root.b leaf"]);
    assert_eq!(world.told(), ["loaded"]);
    // From the future: when its time has come, and five seconds more.
    world.file.set(&document("<queue name='c'/>"), START_MS + 60_000);
    for _ in 0..3 {
        world.look();
    }
    world.advance(10_000);
    assert_eq!(world.told(), ["loaded"]);
    assert_eq!(world.queues(), ["root.b leaf *", "root.c leaf"]);
}

#[test]
fn the_times_can_be_set() {
    let builder =
        FairScheduler::builder().reload_interval(Duration::from_secs(1)).reload_wait(Duration::from_millis(200));
    let mut world = World::with(builder, "");
    world.file.set(&document("<queue name='a'/>"), START_MS + 800);
    world.advance(1000);
    assert_eq!(world.queues(), [""; 0]);
    world.advance(1000);
    assert_eq!(world.queues(), ["root.a leaf"]);
    let none = FairScheduler::builder().reload_interval(Duration::ZERO).start();
    assert!(matches!(none, Err(BuildError::ReloadInterval)));
}

/// Time that is jumped over is not made up for.
#[test]
fn one_look_a_tick() {
    let mut world = World::new("");
    let app = world.app(1, "root.p.q");
    world.finish(&app);
    world.file.set("", 0);
    world.advance(1_000_000);
    assert_eq!(world.queues(), [""; 0]);
    assert_eq!(world.told().len(), 1);
    // The next one is due an interval later.
    let app = world.app(2, "root.p.q");
    world.finish(&app);
    world.advance(9_999);
    assert_eq!(world.queues(), ["root.p parent *", "root.p.q leaf *"]);
    world.advance(1);
    assert_eq!(world.queues(), [""; 0]);
}

// ------------------------------------------------------------------------------------------------ what is told of

#[test]
fn a_bad_file_is_told_of_once_tried_at_each_look_and_changes_nothing() {
    let mut world = World::new("<queue name='a'><maxRunningApps>1</maxRunningApps></queue>");
    world.write("<queue name='a'><maxRunningApps>x</maxRunningApps></queue><queue name='b'/>");
    world.advance(10_000);
    let told = world.told();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("memory.xml:1:") && told[0].contains("queue \"root.a\": maxRunningApps"), "{told:?}");
    for _ in 0..3 {
        world.look();
    }
    assert_eq!(world.file.contents().reads, 5, "the start, and four looks");
    assert_eq!(world.queues(), ["root.a leaf"]);
    assert_eq!(world.queue("root.a").max_running_apps, 1);
    // Another version is another matter, even if it is as bad.
    world.write("<queue name='a'><maxRunningApps>x</maxRunningApps></queue><queue name='b'/>");
    world.advance(10_000);
    assert_eq!(world.told(), told);
    // Mended, it is taken; and the same fault later is told of again.
    world.reload("<queue name='b'/>");
    world.write("<queue name='a'><maxRunningApps>x</maxRunningApps></queue><queue name='b'/>");
    world.advance(10_000);
    assert_eq!(world.told(), told);
    // Taken back with its old time of change, there is nothing to be done, and nothing to be told.
    world.file.set(&document("<queue name='b'/>"), START_MS);
    world.look();
    assert_eq!(world.queues(), ["root.b leaf"]);
}

#[test]
fn a_file_that_is_gone_or_unreadable_is_told_of_once() {
    let mut world = World::new("<queue name='a'/>");
    let text = document("<queue name='a'/>");
    world.file.set("", 0);
    for expected in [1, 0, 0] {
        world.advance(10_000);
        assert_eq!(world.told().len(), expected);
    }
    // It comes back as it was; the next loss is news.
    world.file.set(&text, 1);
    world.look();
    world.file.set("", 0);
    world.advance(10_000);
    assert_eq!(
        world.told(),
        ["memory.xml: there is no such file, or its time of change is not known; what was in force stays"]
    );
    world.write("<queue name='b'/>");
    world.file.contents().problem = Some("the disk is on fire");
    for expected in [1, 0] {
        world.advance(10_000);
        let told = world.told();
        assert_eq!(told.len(), expected);
        assert!(told.iter().all(|told| told == "memory.xml: cannot be read: the disk is on fire"), "{told:?}");
    }
    assert_eq!(world.queues(), ["root.a leaf"]);
    world.file.contents().problem = None;
    world.advance(10_000);
    assert_eq!(world.told(), ["loaded"]);
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let mut world = World::with(FairScheduler::builder().largest_allocation_file(1000), "<queue name='a'/>");
    let exactly = format!("<queue name='b'/>{}", " ".repeat(1000 - document("<queue name='b'/>").len()));
    world.reload(&exactly);
    world.write(&format!("{exactly} "));
    world.advance(10_000);
    let told = world.told();
    assert!(told.len() == 1 && told[0].starts_with("memory.xml: larger than 1000 bytes"), "{told:?}");
}

#[test]
fn a_file_that_is_refused_late_has_switched_the_placement_rules() {
    let policy = "<queuePlacementPolicy><rule name='default' queue='q'/></queuePlacementPolicy>";
    let mut world = World::new("<queue name='a'/>");
    world.write(&format!("<queue name='b'/><queueMaxAppsDefault>many</queueMaxAppsDefault>{policy}"));
    world.advance(10_000);
    let told = world.told();
    assert!(told.len() == 1 && told[0].contains("queueMaxAppsDefault"), "{told:?}");
    assert_eq!(world.queues(), ["root.a leaf"]);
    assert_eq!(world.app(1, "root.a").queue(), "root.q", "the new rules");
    // One whose rules are wrong switches nothing, nor does one that fails before them.
    for bad in ["<queuePlacementPolicy><rule name='user' create='false'/></queuePlacementPolicy>", "<queue/>"] {
        world.write(bad);
        world.advance(10_000);
        assert_eq!(world.told().len(), 1);
    }
    assert_eq!(world.app(2, "root.a").queue(), "root.q");
}

#[test]
fn warnings_come_with_the_news() {
    let mut world = World::new("");
    world.write("<queue name='a'/><nonsense/>");
    world.advance(10_000);
    let Some(SchedulerEvent::AllocationsLoaded { source, warnings }) = world.stepped.next_event() else {
        panic!("it is good")
    };
    assert_eq!((source.as_str(), warnings.len()), ("memory.xml", 1));
    assert_eq!(world.stepped.refresh_file().unwrap(), warnings);
}

// ------------------------------------------------------------------------------------------------ at the start

#[test]
fn a_bad_file_at_the_start_is_fatal_and_says_where() {
    let start = |text: &str, modified| FairScheduler::builder().watch(Memory::new(text, modified)).start();
    let error = start("<allocations>\n <queue name='a.b'/>\n</allocations>", 1).unwrap_err().to_string();
    assert!(error.starts_with("memory.xml:2:15: \"a.b\""), "{error}");
    assert!(start("", 0).is_err());
    let file = |location: &str| FairScheduler::builder().allocation_file(location, &[Path::new("/nowhere")]).start();
    let missing = file("/nowhere/at/all.xml").unwrap_err();
    assert!(matches!(missing, BuildError::Allocations(AllocationsError::Unreadable { .. })), "{missing}");
    assert!(matches!(file("hdfs:///fair.xml"), Err(BuildError::Locate(_))));
}

#[test]
fn without_a_file_nothing_is_looked_at_nor_cleaned_away() {
    let builder = FairScheduler::builder().allocation_file("fair.xml", &[Path::new("/nowhere")]);
    let mut stepped = builder.stepped().unwrap();
    let told = stepped.next_event();
    let Some(SchedulerEvent::AllocationsRefused(AllocationsError::NotFound { location, .. })) = told else {
        panic!("{told:?}")
    };
    assert_eq!(location, "fair.xml");
    let submission = Submission::new(1, "ann");
    let app = stepped.submit(submission).unwrap();
    assert_eq!(app.queue(), "root.ann");
    stepped.finish(&app).unwrap();
    (0..5).for_each(|_| stepped.advance(60_000));
    assert_eq!(stepped.queues().len(), 2);
    assert_eq!(stepped.refresh_file(), Err(Refused::Configuration(Configuration::NoFile)));
    assert_eq!(stepped.next_event(), None);
}

/// A real file, through the threaded scheduler, by an administrator's hand.
#[test]
fn a_file_on_disk_is_found_and_read_again() {
    let directory = std::env::temp_dir().join(format!("evenweave-reload-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("fair-scheduler.xml");
    std::fs::write(&path, document("<queue name='a'/>")).unwrap();
    let scheduler =
        FairScheduler::builder().allocation_file("fair-scheduler.xml", &[&directory]).workers(2).start().unwrap();
    let names = || scheduler.queues().unwrap().into_iter().map(|queue| queue.name).collect::<Vec<_>>();
    assert_eq!(names(), ["root", "root.a"]);
    std::fs::write(&path, document("<queue name='b'/>")).unwrap();
    assert_eq!(scheduler.refresh_file(), Ok(Vec::new()));
    assert_eq!(names(), ["root", "root.a", "root.b"]);
    std::fs::write(&path, "<allocations>").unwrap();
    let refused = scheduler.refresh_file().unwrap_err();
    assert!(
        matches!(&refused, Refused::Configuration(Configuration::Allocations(_)))
            && refused.to_string().contains("fair-scheduler.xml:1:1")
    );
    assert_eq!(names(), ["root", "root.a", "root.b"]);
    scheduler.shutdown().unwrap();
    assert_eq!(scheduler.refresh_file(), Err(Refused::Gone(Gone::ShutDown)));
    std::fs::remove_dir_all(&directory).unwrap();
}

// ------------------------------------------------------------------------------------------------ by an administrator

#[test]
fn a_refresh_reads_at_once_and_does_not_clean_up() {
    let mut world = World::new("<queue name='a'/>");
    let app = world.app(1, "root.d");
    world.finish(&app);
    world.file.set(&document("<queue name='b'/>"), START_MS);
    world.stepped.refresh_file().unwrap();
    assert_eq!(world.queues(), ["root.a leaf *", "root.b leaf", "root.d leaf *"]);
    assert_eq!(world.told(), ["loaded"]);
    // A failure is answered each time and told of once, whoever met it.
    world.write("<queue");
    for told in [1, 0] {
        assert_eq!(world.stepped.refresh_file().unwrap_err().kind(), "bad-allocations");
        assert_eq!(world.told().len(), told);
    }
    world.look();
    assert_eq!(world.queues(), ["root.b leaf"]);
}

/// Of the yarn-site properties the refresh reads the largest container alone (rules/fair-shares.md 1.5).
#[test]
fn the_largest_container_can_be_set_anew() {
    let mut world =
        World::new("<queue name='q'><maxContainerAllocation>12288mb,12vcores</maxContainerAllocation></queue>");
    world.node(16_384, 16);
    let [app, other] = [(1, "root.q"), (2, "root.other")].map(|(number, queue)| world.app(number, queue));
    let largest = |world: &mut World, app: &AppHandle| {
        let fits = |world: &mut World, mb: &i64| world.ask(app, Resource::new(*mb, 1), 1).is_ok();
        [20_480, 16_384, 12_288, 8192, 4096].into_iter().find(|mb| fits(world, mb)).unwrap()
    };
    assert_eq!((largest(&mut world, &app), largest(&mut world, &other)), (8192, 8192), "the default");
    // More: up to the queue's own, and the largest node.
    world.stepped.set_maximum_allocation(Resource::new(32_768, 32)).unwrap();
    assert_eq!((largest(&mut world, &app), largest(&mut world, &other)), (12_288, 16_384));
    world.stepped.set_maximum_allocation(Resource::new(4096, 4)).unwrap();
    assert_eq!((largest(&mut world, &app), largest(&mut world, &other)), (4096, 4096));
}

// ------------------------------------------------------------------------------------------------ queues change type

#[test]
fn hadoop_reload_turns_leaf_queue_into_parent() {
    let (leaf, parent) = ("<queue name='queue1'/>", "<queue name='queue1'><queue name='queue2'/></queue>");
    let mut world = World::new(leaf);
    world.reload(parent);
    assert_eq!(world.queues(), ["root.queue1 parent", "root.queue1.queue2 leaf"]);
    // Back again: what was below goes with it, and is not there when it is to become dynamic.
    world.write(leaf);
    world.advance(10_000);
    assert_eq!(world.told(), ["broke off at root.queue1.queue2"]);
    assert_eq!(world.queues(), ["root.queue1 leaf"]);
    // With an application in it the change waits.
    let app = world.app(1, "root.queue1");
    world.reload(parent);
    assert_eq!(world.queues(), ["root.queue1 leaf"]);
    world.look();
    assert_eq!(world.queues(), ["root.queue1 leaf"]);
    world.finish(&app);
    world.look();
    // Made for the sake of what is below, the parent is dynamic until the next reload.
    assert_eq!(world.queues(), ["root.queue1 parent *", "root.queue1.queue2 leaf"]);
    world.reload(parent);
    assert_eq!(world.queues(), ["root.queue1 parent", "root.queue1.queue2 leaf"]);
    // The same backwards.
    let app = world.app(2, "root.queue1.queue2");
    world.reload(leaf);
    assert_eq!(world.queues(), ["root.queue1 parent", "root.queue1.queue2 leaf *"]);
    world.finish(&app);
    // The clean-up comes first and takes what is below; the parent is static, so it is still in the way, and empty.
    world.look();
    assert_eq!(world.queues(), ["root.queue1 leaf"]);
}

#[test]
fn hadoop_reload_turns_leaf_to_parent_with_no_leaf() {
    let mut world = World::new("<queue name='queue1'/>");
    let app = world.app(1, "root.queue1");
    let parent = "<queue name='queue1' type='parent'/>";
    world.reload(parent);
    assert_eq!(world.queues(), ["root.queue1 leaf"]);
    world.finish(&app);
    // An administrator does not wait for the next look; the change that waits finds nothing to do then.
    world.stepped.refresh_file().unwrap();
    assert_eq!(world.queues(), ["root.queue1 parent"]);
    assert_eq!(world.told(), ["loaded"]);
    world.look();
    assert_eq!(world.queues(), ["root.queue1 parent"]);
}

#[test]
fn hadoop_removal_of_incompatible_non_empty_queue() {
    let mut world = World::new("<queue name='a'/>");
    let app = world.app(1, "root.a");
    world.reload("<queue name='a' type='parent'/>");
    assert_eq!(world.queues(), ["root.a leaf"]);
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.a parent"]);
    world.reload("<queue name='a'><queue name='b'/></queue>");
    assert_eq!(world.queues(), ["root.a parent", "root.a.b leaf"]);
}

/// Of several changes that one leaf holds up, the first makes way; the others find nothing in theirs and are forgotten
/// until the next reload or a submission.
#[test]
fn only_the_first_of_those_that_wait_for_one_queue_is_made() {
    let mut world = World::new("<queue name='a1'/>");
    let app = world.app(1, "root.a1");
    let nested = "<queue name='a1'><queue name='sub1'/><queue name='sub2'/></queue>";
    world.reload(nested);
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.a1 parent *", "root.a1.sub1 leaf"]);
    world.look();
    assert_eq!(world.queues(), ["root.a1 parent *", "root.a1.sub1 leaf"]);
    let app = world.app(2, "root.a1.sub2");
    assert_eq!(world.queues(), ["root.a1 parent *", "root.a1.sub1 leaf", "root.a1.sub2 leaf *"]);
    // With a dynamic child that goes the dynamic parent is looked at, and takes what is static below along.
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), [""; 0]);
    world.reload(&format!("{nested}<queue name='b'/>"));
    assert_eq!(world.queues(), ["root.a1 parent", "root.a1.sub1 leaf", "root.a1.sub2 leaf", "root.b leaf"]);
}

/// A change that waits is not withdrawn. It makes the queue that it was for, static if the file of then names it.
#[test]
fn a_waiting_change_outlives_the_file_that_asked_for_it() {
    let mut world = World::new("<queue name='a'/>");
    let app = world.app(1, "root.a");
    world.reload("<queue name='a' type='parent'/>");
    world.reload("<queue name='a'/>");
    assert_eq!(world.queues(), ["root.a leaf"]);
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.a parent"], "as nobody wants it any more");
    world.reload("<queue name='a'/><queue name='b'/>");
    assert_eq!(world.queues(), ["root.a leaf", "root.b leaf"]);
    // And dynamic if the file of then does not.
    let app = world.app(2, "root.a");
    world.reload("<queue name='a' type='parent'/><queue name='b'/>");
    world.reload("<queue name='b'/>");
    world.finish(&app);
    // The queue in the way is dynamic and empty: it is cleaned away first, and then nothing is in the way.
    world.look();
    assert_eq!(world.queues(), ["root.b leaf"]);
    let app = world.app(3, "root.b");
    world.reload("<queue name='b'><queue name='c'/></queue>");
    world.write("<queue name='b'/>");
    world.advance(10_000);
    assert_eq!(world.told(), ["broke off at root.b.c"], "it waits, and so is not there");
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.b parent *", "root.b.c leaf *"]);
}

#[test]
fn a_leaf_above_a_new_queue_is_in_its_way_but_not_the_default_queue() {
    let mut world = World::new("");
    let [dynamic, default] = [(1, "root.p"), (2, "root.default")].map(|(number, queue)| world.app(number, queue));
    world.reload("<queue name='p'><queue name='x'><queue name='y'/></queue></queue><queue name='default'><queue name='z'/></queue>");
    assert_eq!(world.queues(), ["root.default leaf *", "root.p leaf *"]);
    world.finish(&dynamic);
    world.look();
    assert_eq!(world.queues(), ["root.default leaf *"], "cleaned away, and so nothing is in the way");
    world.finish(&default);
    world.reload("<queue name='p'><queue name='x'><queue name='y'/></queue></queue><queue name='default'><queue name='z'/></queue><queue name='q'/>");
    assert_eq!(
        world.queues(),
        [
            "root.default parent",
            "root.default.z leaf",
            "root.p parent",
            "root.p.x parent",
            "root.p.x.y leaf",
            "root.q leaf"
        ]
    );
    // `root.default` itself is made room for; a queue below it makes nothing go.
    let mut world = World::new("<queue name='default'/>");
    world.reload("<queue name='default' type='parent'/>");
    assert_eq!(world.queues(), ["root.default parent"]);
}

/// The queue made in the place of another gets its slot, and its parent looks as before: workers learn of it all the
/// same.
#[test]
fn what_took_the_place_of_a_queue_is_served() {
    let mut world = World::new("<queue name='p'><queue name='q1'/><queue name='q2'/></queue>");
    let node = world.node(8192, 8);
    world.reload("<queue name='p'><queue name='q1'/><queue name='q2'><queue name='s'/></queue></queue>");
    let app = world.app(1, "root.p.q2.s");
    world.ask(&app, SMALL, 2).unwrap();
    world.beat(&node, 2);
    assert_eq!(world.used_mb("root.p.q2.s"), 2048);
}

// ------------------------------------------------------------------------------------------------ queues come and go

#[test]
fn a_queue_that_leaves_the_file_is_dynamic_and_goes_when_it_is_empty() {
    let body = "<queue name='a'><maxRunningApps>7</maxRunningApps><weight>3</weight>
        <maxResources>2048mb,2vcores</maxResources></queue><queue name='b'/>";
    let mut world = World::new(body);
    let node = world.node(8192, 8);
    let app = world.app(1, "root.a");
    world.ask(&app, SMALL, 8).unwrap();
    world.beat(&node, 8);
    assert_eq!(world.used_mb("root.a"), 2048);
    world.reload("<queue name='b'/>");
    let queue = world.queue("root.a");
    assert!(queue.dynamic && queue.weight == 1.0 && queue.max_share == Resource::UNBOUNDED, "{queue:?}");
    assert_eq!(queue.max_running_apps, i32::MAX as u32);
    // The application lives on, under the defaults.
    world.beat(&node, 8);
    assert_eq!(world.used_mb("root.a"), 8192);
    let second = world.app(2, "root.a");
    world.look();
    assert_eq!(world.queues(), ["root.a leaf *", "root.b leaf"]);
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.a leaf *", "root.b leaf"]);
    world.finish(&second);
    world.look();
    assert_eq!(world.queues(), ["root.b leaf"]);
    // Back in the file it is another queue of the old name.
    world.reload(body);
    assert_eq!(world.queue("root.a").weight, 3.0);
}

#[test]
fn hadoop_non_empty_dynamic_queue_becoming_static_queue() {
    let mut world = World::new("");
    let app = world.app(1, "root.leaf1");
    assert_eq!(world.queues(), ["root.leaf1 leaf *"]);
    world.reload("<queue name='leaf1'/>");
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.leaf1 leaf"]);
}

#[test]
fn hadoop_non_empty_static_queue_becoming_dynamic_queue() {
    let mut world = World::new("<queue name='test'><queue name='childA'/></queue>");
    let app = world.app(1, "root.test.childA");
    world.reload("");
    world.look();
    assert_eq!(world.queues(), ["root.test parent *", "root.test.childA leaf *"]);
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), [""; 0], "the parent with it");
}

#[test]
fn hadoop_removal_of_childless_parent_queue() {
    let mut world = World::new("<queue name='test'><queue name='childB' type='parent'/></queue>");
    world.look();
    assert_eq!(world.queues(), ["root.test parent", "root.test.childB parent"]);
    world.reload("<queue name='test' type='parent'/>");
    world.look();
    assert_eq!(world.queues(), ["root.test parent"]);
}

#[test]
fn hadoop_remove_deep_and_split_hierarchies() {
    let mut world = World::new("");
    let [left, right] = [(1, "root.p1.p2.p3.leaf"), (2, "root.p1.p4.leaf")].map(|(n, queue)| world.app(n, queue));
    world.look();
    assert_eq!(world.queues().len(), 6);
    world.finish(&left);
    world.look();
    assert_eq!(world.queues(), ["root.p1 parent *", "root.p1.p4 parent *", "root.p1.p4.leaf leaf *"]);
    world.finish(&right);
    world.look();
    assert_eq!(world.queues(), [""; 0]);
}

/// A file that names root and then one that does not make root dynamic. Hadoop's next clean-up, if no application is
/// anywhere, takes the whole tree away and fails; here root and what is static stay.
#[test]
fn root_may_be_dynamic_and_stays() {
    let mut world = World::new("<queue name='root'><queue name='a'/></queue>");
    assert!(!world.queue("root").dynamic);
    world.reload("<queue name='a'/>");
    assert!(world.queue("root").dynamic);
    let app = world.app(1, "root.d.e");
    world.finish(&app);
    world.look();
    assert_eq!(world.queues(), ["root.a leaf"]);
    let app = world.app(2, "root.a");
    assert_eq!(app.queue(), "root.a");
    world.reload("<queue name='root'><queue name='a'/></queue>");
    assert!(!world.queue("root").dynamic);
    // A root without queues in it counts as a leaf of the file, which it is not.
    world.reload("<queue name='a'/>");
    world.reload("<queue name='root'/>");
    assert!(!world.queue("root").dynamic && !world.queue("root").leaf);
}

// ------------------------------------------------------------------------------------------------ a commit breaks off

/// The queue of a policy that its parent does not allow is never created; the file that no longer names it is taken
/// over up to that point: queues and settings, but not what comes after.
#[test]
fn a_commit_breaks_off_at_a_queue_that_never_was() {
    let common = "<queue name='p' type='parent'><maxChildResources>2048mb,2vcores</maxChildResources></queue>";
    let never = "<queue name='never'><schedulingPolicy>drf</schedulingPolicy></queue>";
    let limited = |apps: u32, more: &str| {
        format!("<queue name='q'><maxRunningApps>{apps}</maxRunningApps></queue>{common}{more}")
    };
    let mut world = World::new(&limited(1, &format!("{never}<queue name='b'/><queue name='z'/>")));
    world.app(1, "root.q");
    world.app(2, "root.q");
    world.app(3, "root.p.child");
    assert_eq!(world.queue("root.p.child").max_share.memory_mb(), 2048);
    assert!(world.queues().iter().all(|queue| !queue.starts_with("root.never")));
    world.write(&limited(2, "<queue name='new'/>"));
    world.advance(10_000);
    assert_eq!(world.told(), ["broke off at root.never"]);
    // By name: b before it, z after it.
    assert!(world.queue("root.b").dynamic && !world.queue("root.z").dynamic);
    assert!(!world.queue("root.new").dynamic);
    assert_eq!(world.queue("root.q").max_running_apps, 2);
    assert_eq!(world.running("root.q"), (1, 1), "nobody has looked at those that wait");
    assert_eq!(world.queue("root.p.child").max_share, Resource::UNBOUNDED, "read again, and not set by its parent");
    // It is not tried again, but the next file makes up for it.
    world.look();
    assert_eq!(world.running("root.q"), (1, 1));
    world.reload(&limited(2, "<queue name='new'/><queue name='newer'/>"));
    assert_eq!(world.running("root.q"), (2, 0));
    assert_eq!(world.queue("root.p.child").max_share.memory_mb(), 2048);
    assert!(!world.queue("root.z").dynamic, "static for good, as nobody releases it");
    // By call the same is an answer.
    let mut stepped = FairScheduler::builder().stepped().unwrap();
    stepped.reload_text(&document(never)).unwrap();
    let broke_off = Refused::Configuration(Configuration::BrokeOff { queue: "root.never".to_owned() });
    assert_eq!(stepped.reload_text("<allocations/>"), Err(broke_off));
}

/// Names below a top queue spelt `ROOT` are looked for as they are written, and never found.
#[test]
fn leaving_a_top_spelt_otherwise_breaks_off() {
    let mut world = World::with(FairScheduler::builder(), "");
    world.write("<queue name='ROOT'><queue name='x'/></queue>");
    world.advance(10_000);
    assert_eq!(world.told(), ["loaded"]);
    assert_eq!(world.queues(), ["root.ROOT parent", "root.ROOT.x leaf"]);
    world.reload("<queue name='ROOT'><queue name='x'/><queue name='y'/></queue>");
    world.write("<queue name='ROOT'><queue name='x'/></queue>");
    world.advance(10_000);
    assert_eq!(world.told(), ["broke off at root.ROOT.y"]);
    world.write("<queue name='root'><queue name='ROOT'><queue name='x'/></queue></queue>");
    world.advance(10_000);
    assert_eq!(world.told(), ["broke off at root.ROOT"], "the same queue under another spelling");
}

// ------------------------------------------------------------------------------------------------ settings

#[test]
fn a_max_share_that_drops_kills_nothing_and_one_that_rises_is_used() {
    let max = |mb: u32| format!("<queue name='q'><maxResources>{mb}mb,8vcores</maxResources></queue>");
    let mut world = World::new(&max(4096));
    let node = world.node(8192, 8);
    let app = world.app(1, "root.q");
    world.ask(&app, SMALL, 8).unwrap();
    world.beat(&node, 8);
    assert_eq!(world.used_mb("root.q"), 4096);
    world.reload(&max(2048));
    world.beat(&node, 4);
    assert_eq!(world.used_mb("root.q"), 4096);
    world.reload(&max(6144));
    world.beat(&node, 8);
    assert_eq!(world.used_mb("root.q"), 6144);
    // No limit at all, then one again.
    world.reload("<queue name='q'/>");
    world.beat(&node, 1);
    assert_eq!(world.used_mb("root.q"), 7168);
    world.reload(&max(7168));
    world.beat(&node, 8);
    assert_eq!(world.used_mb("root.q"), 7168);
}

#[test]
fn running_limits_that_change_start_those_who_wait_and_stop_nobody() {
    let limit = |queue: u32, user: u32| {
        format!(
            "<queue name='q'><maxRunningApps>{queue}</maxRunningApps></queue><userMaxAppsDefault>{user}</userMaxAppsDefault>"
        )
    };
    let mut world = World::new(&limit(2, 100));
    (1..=6).for_each(|number| drop(world.app(number, "root.q")));
    assert_eq!(world.running("root.q"), (2, 4));
    world.reload(&limit(4, 100));
    assert_eq!(world.running("root.q"), (4, 2), "as many as there is room for at once");
    world.reload(&limit(1, 100));
    assert_eq!(world.running("root.q"), (4, 2));
    world.reload(&limit(100, 5));
    assert_eq!(world.running("root.q"), (5, 1), "by user");
    world.reload(&limit(100, 6));
    assert_eq!(world.running("root.q"), (6, 0));
}

#[test]
fn steady_shares_follow_at_once_and_fair_shares_with_the_next_update() {
    let weights = |a: u32, b: u32| {
        format!("<queue name='a'><weight>{a}</weight></queue><queue name='b'><weight>{b}</weight></queue>")
    };
    let mut world = World::new(&weights(1, 1));
    world.node(8192, 8);
    let apps = [(1, "root.a"), (2, "root.b")].map(|(number, queue)| world.app(number, queue));
    apps.iter().for_each(|app| world.ask(app, SMALL, 8).unwrap());
    world.stepped.update_now();
    world.reload(&weights(3, 1));
    let shares = |world: &mut World, queue: &str| {
        let queue = world.queue(queue);
        (queue.steady_fair_share.memory_mb(), queue.fair_share.memory_mb())
    };
    assert_eq!((shares(&mut world, "root.a"), shares(&mut world, "root.b")), ((6144, 4096), (2048, 4096)));
    world.stepped.update_now();
    assert_eq!((shares(&mut world, "root.a"), shares(&mut world, "root.b")), ((6144, 6144), (2048, 2048)));
    // A queue that comes takes of the steady shares at once; it has no demand, so the fair shares stay.
    world.reload(&format!("{}<queue name='c'><weight>4</weight></queue>", weights(3, 1)));
    world.stepped.update_now();
    assert_eq!((shares(&mut world, "root.a"), shares(&mut world, "root.c")), ((3072, 6144), (4096, 0)));
}

#[test]
fn the_maximum_of_dynamic_children_follows_their_parent() {
    let parent = |more: &str| format!("<queue name='p' type='parent'>{more}</queue>");
    let child_max = |mb: u32| parent(&format!("<maxChildResources>{mb}mb,4vcores</maxChildResources>"));
    let mut world = World::new(&child_max(2048));
    world.app(1, "root.p.c");
    world.app(2, "root.p.q.d");
    let mb = |world: &mut World, queue: &str| world.queue(queue).max_share.memory_mb();
    assert_eq!(
        (mb(&mut world, "root.p.c"), mb(&mut world, "root.p.q"), mb(&mut world, "root.p.q.d")),
        (2048, 2048, i64::MAX)
    );
    world.reload(&child_max(3072));
    assert_eq!(
        (mb(&mut world, "root.p.c"), mb(&mut world, "root.p.q"), mb(&mut world, "root.p.q.d")),
        (3072, 3072, i64::MAX)
    );
    world.reload(&parent("<maxChildResources>1024mb,4vcores</maxChildResources><queue name='c'/>"));
    assert_eq!((mb(&mut world, "root.p.c"), mb(&mut world, "root.p.q")), (i64::MAX, 1024), "c is of the file now");
    world.reload(&parent(""));
    assert_eq!((mb(&mut world, "root.p.c"), mb(&mut world, "root.p.q")), (i64::MAX, i64::MAX));
    world.reload("<queueMaxResourcesDefault>4096mb,4vcores</queueMaxResourcesDefault>");
    assert_eq!((mb(&mut world, "root.p.c"), mb(&mut world, "root.p"), mb(&mut world, "root")), (4096, 4096, 4096));
}

/// The lists of a queue that leaves the file stay for a dynamic queue of its name; absent ones in the file are nobody.
#[test]
fn access_lists_linger() {
    let root = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>";
    let with = |more: &str| format!("<queue name='root'>{root}{more}</queue>");
    let ann = "<queue name='a'><aclSubmitApps>ann</aclSubmitApps></queue>";
    let mut world = World::new(&with(ann));
    let app = world.app(1, "root.a");
    world.finish(&app);
    world.reload(&with("<queue name='b'/>"));
    world.look();
    assert_eq!(world.queues(), ["root.b leaf"]);
    let app = world.app(2, "root.a");
    assert_eq!(world.submit(3, "root.b").unwrap_err().kind(), "acl");
    world.finish(&app);
    world.reload(&with("<queue name='a'/>"));
    assert_eq!(world.submit(4, "root.a").unwrap_err().kind(), "acl", "now it has lists of its own: nobody");
    world.reload("");
    assert!(world.submit(5, "root.b").is_ok(), "root is everybody's where the file says nothing");
}

/// Policies are set from the bottom; the first pair that does not fit ends the pass, and the reload goes on.
#[test]
fn hadoop_policy_reinitialization() {
    let policies = |root: &str, first: &str, second: &str| {
        let policy = |name: &str| format!("<schedulingPolicy>{name}</schedulingPolicy>");
        format!(
            "<queue name='root'>{}<queue name='child1'>{}</queue><queue name='child2'>{}<weight>2</weight></queue></queue>",
            policy(root),
            policy(first),
            policy(second)
        )
    };
    let mut world = World::new(&policies("fair", "fair", "fair").replace("<weight>2</weight>", ""));
    world.reload(&policies("fair", "drf", "fifo"));
    let policy = |world: &mut World, queue: &str| world.queue(queue).policy;
    assert_eq!((policy(&mut world, "root.child1"), policy(&mut world, "root.child2")), ("fair".into(), "fair".into()));
    assert_eq!(world.queue("root.child2").weight, 2.0);
    world.reload(&policies("drf", "drf", "fifo"));
    assert_eq!(
        (policy(&mut world, "root"), policy(&mut world, "root.child1"), policy(&mut world, "root.child2")),
        ("DRF".into(), "DRF".into(), "FIFO".into())
    );
}
