//! Queues that come, go and change: by the file, by submissions, by the watcher's clean-up.

use crate::cluster::{Cluster, parent, queue, r};
use evenweave::SchedulerApi as _;
use evenweave::refused::Configuration;
use evenweave::{Refused, Resource};

/// A parent `test` with a leaf childA and a parent childB, all in the file.
fn preset(inside_test: &str) -> String {
    parent("test", &(inside_test.to_owned() + &queue("childA", "") + &parent("childB", "")))
}

/// Whether the named queues are there, as leaf or parent.
fn kinds<const N: usize>(cluster: &mut Cluster, names: [&str; N]) -> [Option<&'static str>; N] {
    names.map(|name| cluster.find(name).map(|queue| if queue.leaf { "leaf" } else { "parent" }))
}

const LEAF: Option<&str> = Some("leaf");
const PARENT: Option<&str> = Some("parent");

// ------------------------------------------------------------------------------------------------ creation

/// `TestQueueManager.testCreateLeafQueue`, `TestQueueManager.testCreateLeafQueueWithDefaults`
#[test]
fn a_leaf_is_made_with_defaults() {
    let mut cluster = Cluster::new("", &[]);
    cluster.start("root.queue1");
    let made = cluster.queue("root.queue1");
    assert!(made.leaf && made.dynamic);
    assert_eq!((made.min_share, made.max_share), (Resource::ZERO, Resource::UNBOUNDED));
}

/// `TestQueueManager.testCreateParentQueue`
#[test]
fn a_parent_is_made_without_children() {
    let mut cluster = Cluster::new(&parent("queue1", ""), &[]);
    assert_eq!(kinds(&mut cluster, ["root.queue1"]), [PARENT]);
    assert!(cluster.leaves().is_empty());
}

/// `TestQueueManager.testCreateLeafQueueAndParent`, `TestQueueManager.testCreateParentQueueAndParent`
#[test]
fn missing_parents_are_made() {
    let mut cluster = Cluster::new("", &[]);
    cluster.start("root.queue1.queue2");
    assert_eq!(kinds(&mut cluster, ["root.queue1", "root.queue1.queue2"]), [PARENT, LEAF]);
    cluster.start("root.queue3.queue4.queue5");
    assert_eq!(kinds(&mut cluster, ["root.queue3", "root.queue3.queue4"]), [PARENT, PARENT]);
}

/// `TestQueueManager.testCreateQueueWithChildDefaults`
#[test]
fn ad_hoc_children_have_the_child_maximum_and_configured_ones_do_not() {
    let text = preset("<maxChildResources>8192 mb, 256 vcores</maxChildResources>");
    let mut cluster = Cluster::new(&text, &[]);
    cluster.start("root.test.childC");
    cluster.start("root.test.childD.leaf");
    let mut max = |name: &str| {
        let max = cluster.queue(&format!("root.test.{name}")).max_share;
        (max.memory_mb(), max.vcores())
    };
    assert_eq!(["childC", "childD"].map(&mut max), [(8192, 256); 2]);
    assert_eq!(["childA", "childB", "childD.leaf"].map(&mut max), [(i64::MAX, i64::MAX); 3]);
}

/// Each part of a name must have something in it and no white space at its ends.
///
/// `TestQueueManager.testCheckQueueNodeName`
#[test]
fn parts_of_names_are_trimmed() {
    let mut cluster = Cluster::new("", &[]);
    for bad in ["", "  ", " a", "a ", " a ", "\u{a0}", "a\u{a0}", "\u{a0}a\u{a0}"] {
        let refused = cluster.submit(&format!("root.p.{bad}.q"), "user1", None).unwrap_err();
        assert_eq!(refused.kind(), "bad-queue-name", "{bad:?}");
    }
    assert!(cluster.leaves().is_empty());
    cluster.start("root.p.a b.q");
    cluster.start("root.p.a.q");
    assert_eq!(cluster.leaves(), ["p.a b.q", "p.a.q"]);
}

/// `TestFairScheduler.testEmptyQueueName`
#[test]
fn nobody_is_submitted_to_a_queue_without_a_name() {
    let mut cluster = Cluster::new("", &[]);
    assert!(cluster.submit("", "user1", None).is_err());
    assert!(cluster.leaves().is_empty() && cluster.stepped.apps().is_empty());
}

/// Submits to queues one after another; the leaves after each.
fn leaves_after<const N: usize>(queues: [&str; N]) -> [(bool, usize); N] {
    let mut cluster = Cluster::new("", &[]);
    queues.map(|queue| (cluster.submit(queue, "user1", None).is_ok(), cluster.leaves().len()))
}

/// `TestFairScheduler.testQueueuNameWithPeriods`
#[test]
fn a_name_neither_begins_nor_ends_with_a_dot() {
    assert_eq!(leaves_after([".A", "A.", "A.B"]), [(false, 0), (false, 0), (true, 1)]);
}

/// `TestFairScheduler.testQueueNameWithTrailingSpace`
#[test]
fn a_name_has_no_space_at_its_end() {
    let found = leaves_after(["A", "A ", "B.C", "A\u{a0}"]);
    assert_eq!(found, [(true, 1), (false, 1), (true, 2), (false, 2)]);
}

/// `TestFairScheduler.testHierarchicalQueuesSimilarParents`
#[test]
fn a_queue_is_either_leaf_or_parent() {
    let mut cluster = Cluster::new("", &[]);
    cluster.start("parent.child");
    for refused in ["parent", "parent.child.grandchild"] {
        assert_eq!(cluster.submit(refused, "user1", None).unwrap_err().kind(), "not-leaf");
    }
    cluster.start("parent.sister");
    assert_eq!(cluster.leaves(), ["parent.child", "parent.sister"]);
    assert_eq!(kinds(&mut cluster, ["root.parent", "root.parent.child"]), [PARENT, LEAF]);
}

/// `TestFairScheduler.testHierarchicalQueueAllocationFileParsing`
#[test]
fn queues_of_the_file_are_there_and_looking_makes_none() {
    let text = queue("queueA", "") + &queue("queueB", &(queue("queueC", "") + &queue("queueD", "")));
    let mut cluster = Cluster::new(&text, &[]);
    assert_eq!(cluster.leaves(), ["queueA", "queueB.queueC", "queueB.queueD"]);
    let app = cluster.start("queueA");
    assert!(cluster.stepped.move_app(&app, "queueB.queueE").is_err());
    assert_eq!(cluster.leaves(), ["queueA", "queueB.queueC", "queueB.queueD"]);
}

/// `TestAppRunnability.testAppAdditionAndRemoval`
#[test]
fn an_application_makes_its_queue_active_until_it_ends() {
    let mut cluster = Cluster::new("", &[]);
    let app = cluster.submit("user1", "user1", None).unwrap();
    assert_eq!((cluster.leaves().len(), cluster.counts("root.user1")), (1, (1, 0)));
    cluster.finish(&app);
    assert_eq!((cluster.leaves().len(), cluster.counts("root.user1")), (1, (0, 0)));
}

/// `TestFairScheduler.testAddAndRemoveAppFromFairScheduler`, `TestFairScheduler.testDoubleRemoval`
#[test]
fn an_application_comes_once_and_goes_once() {
    let mut cluster = Cluster::new("", &[]);
    let [app, other] = ["queue1", "queue1"].map(|queue| cluster.start(queue));
    assert_eq!(cluster.app(&app).unwrap().queue, "root.queue1");
    cluster.finish(&app);
    assert!(cluster.app(&app).is_none());
    assert_eq!(cluster.stepped.finish(&app).unwrap_err().kind(), "no-such-app");
    assert_eq!((app.queue(), cluster.counts("root.queue1")), ("root.queue1", (1, 0)));
    assert!(cluster.app(&other).is_some());
}

/// Two leaf queues of two applications, one of which has the whole node.
///
/// `TestFSLeafQueue.test`
#[test]
fn applications_make_their_leaf_queues() {
    let text = queue("queueA", "") + &queue("queueB", "") + "<queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>";
    let mut cluster = Cluster::new(&text, &[("/r", r(4096, 4))]);
    cluster.request(r(3072, 1), "queueA", "user1", 1);
    cluster.hb(1);
    cluster.request(r(1024, 1), "queueB", "user1", 1);
    assert_eq!(cluster.leaves(), ["queueA", "queueB"]);
    assert_eq!(cluster.queue("root.queueA").usage, r(3072, 1));
    assert_eq!(cluster.queue("root.queueB").demand, r(1024, 1));
}

// ------------------------------------------------------------------------------------------------ changes of type

/// `TestQueueManager.testReloadTurnsLeafQueueIntoParent`
#[test]
fn a_queue_changes_type_when_nobody_is_in_it() {
    let leaf = queue("queue1", "");
    let above = queue("queue1", &queue("queue2", ""));
    let names = ["root.queue1", "root.queue1.queue2"];
    let mut cluster = Cluster::new(&leaf, &[]);
    assert_eq!(kinds(&mut cluster, names), [LEAF, None]);
    cluster.reload(&above);
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
    // The case calls the queue manager alone; the whole reload breaks off afterwards, at the queue that went with its
    // parent.
    let broke_off = Err(Refused::Configuration(Configuration::BrokeOff { queue: names[1].to_owned() }));
    assert_eq!(cluster.try_reload(&leaf), broke_off);
    assert_eq!(kinds(&mut cluster, names), [LEAF, None]);
    // With an application in it the change is held back, both ways.
    let app = cluster.start("queue1");
    cluster.reload(&above);
    assert_eq!(kinds(&mut cluster, names), [LEAF, None]);
    cluster.finish(&app);
    cluster.reload(&above);
    cluster.start("queue1.queue2");
    cluster.reload(&leaf);
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
    cluster.reload(&(leaf + &queue("default", &queue("queue3", ""))));
    assert_eq!(kinds(&mut cluster, ["root.default.queue3"]), [LEAF]);
}

/// `TestQueueManager.testReloadTurnsLeafToParentWithNoLeaf`
#[test]
fn a_leaf_becomes_a_childless_parent_when_its_application_has_ended() {
    let mut cluster = Cluster::new(&queue("queue1", ""), &[]);
    let app = cluster.start("queue1");
    let text = parent("queue1", "");
    cluster.reload(&text);
    assert_eq!(kinds(&mut cluster, ["root.queue1"]), [LEAF]);
    cluster.finish(&app);
    cluster.reload(&text);
    assert_eq!(kinds(&mut cluster, ["root.queue1"]), [PARENT]);
    assert!(cluster.leaves().is_empty());
}

/// The clean-up makes the change that a reload could not; the next file brings the child.
///
/// `TestQueueManager.testRemovalOfIncompatibleNonEmptyQueue`
#[test]
fn the_clean_up_makes_up_for_a_change_that_was_held_back() {
    let names = ["root.a", "root.a.b"];
    let mut cluster = Cluster::new(&queue("a", ""), &[]);
    let app = cluster.start("a");
    cluster.reload(&parent("a", ""));
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [LEAF, None]);
    cluster.finish(&app);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [PARENT, None]);
    cluster.reload(&parent("a", &queue("b", "")));
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
}

// ------------------------------------------------------------------------------------------------ clean-up

/// `TestQueueManager.testRemovalOfDynamicLeafQueue`
#[test]
fn an_ad_hoc_leaf_goes_with_its_application_and_its_configured_parent_stays() {
    let names = ["root.test.childB", "root.test.childB.dynamic1"];
    let mut cluster = Cluster::new(&preset(""), &[]);
    let app = cluster.start(names[1]);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
    cluster.finish(&app);
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [PARENT, None]);
}

/// `TestQueueManager.testRemovalOfDynamicParentQueue`
#[test]
fn an_ad_hoc_parent_goes_with_its_leaf() {
    let names = ["root.parent1", "root.parent1.dynamic1"];
    let mut cluster = Cluster::new(&preset(""), &[]);
    let app = cluster.start(names[1]);
    cluster.finish(&app);
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [None, None]);
}

/// `TestQueueManager.testNonEmptyDynamicQueueBecomingStaticQueue`
#[test]
fn an_ad_hoc_queue_that_the_file_takes_up_stays() {
    let mut cluster = Cluster::new("", &[]);
    let app = cluster.start("root.leaf1");
    assert!(cluster.queue("root.leaf1").dynamic);
    cluster.reload(&queue("leaf1", ""));
    assert!(!cluster.queue("root.leaf1").dynamic);
    cluster.finish(&app);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, ["root.leaf1"]), [LEAF]);
}

/// `TestQueueManager.testNonEmptyStaticQueueBecomingDynamicQueue`
#[test]
fn a_queue_that_the_file_drops_goes_when_it_is_empty() {
    let names = ["root.test", "root.test.childA"];
    let mut cluster = Cluster::new(&queue("test", &queue("childA", "")), &[]);
    let app = cluster.start("root.test.childA");
    cluster.reload("");
    assert_eq!(names.map(|name| cluster.queue(name).dynamic), [true, true]);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [PARENT, LEAF]);
    cluster.finish(&app);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [None, None]);
}

/// `TestQueueManager.testRemovalOfChildlessParentQueue`
#[test]
fn a_childless_parent_stays_as_long_as_the_file_has_it() {
    let mut cluster = Cluster::new(&preset(""), &[]);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, ["root.test.childB"]), [PARENT]);
    cluster.reload(&parent("test", &queue("childA", "")));
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, ["root.test", "root.test.childA", "root.test.childB"]), [PARENT, LEAF, None]);
}

/// `TestQueueManager.testQueueTypeChange`
#[test]
fn the_file_decides_who_is_ad_hoc() {
    let names = ["root.parent1", "root.parent1.dynamic1"];
    let mut cluster = Cluster::new("", &[]);
    cluster.start(names[1]);
    let dynamic = |cluster: &mut Cluster| names.map(|name| cluster.queue(name).dynamic);
    assert_eq!(dynamic(&mut cluster), [true, true]);
    cluster.reload(&queue("parent1", &queue("dynamic1", "")));
    assert_eq!(dynamic(&mut cluster), [false, false]);
    cluster.reload("");
    assert_eq!(dynamic(&mut cluster), [true, true]);
}

/// `TestQueueManager.testRemoveDeepHierarchy`
#[test]
fn one_clean_up_removes_a_chain() {
    let names = ["root.p1", "root.p1.p2", "root.p1.p2.p3", "root.p1.p2.p3.leaf"];
    let mut cluster = Cluster::new("", &[]);
    let app = cluster.start(names[3]);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [PARENT, PARENT, PARENT, LEAF]);
    cluster.finish(&app);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [None; 4]);
}

/// `TestQueueManager.testRemoveSplitHierarchy`
#[test]
fn a_clean_up_removes_the_empty_branch_alone() {
    let names = ["root.p1", "root.p1.p2-1", "root.p1.p2-1.leaf-1", "root.p1.p2-2", "root.p1.p2-2.leaf-2"];
    let mut cluster = Cluster::new("", &[]);
    let [first, second] = [names[2], names[4]].map(|name| cluster.start(name));
    cluster.finish(&first);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [PARENT, None, None, PARENT, LEAF]);
    cluster.finish(&second);
    cluster.clean_up();
    assert_eq!(kinds(&mut cluster, names), [None; 5]);
}
