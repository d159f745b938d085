//! What the allocation file says, as read.

use crate::cluster::{Cluster, parent, parse, queue};
use evenweave::config::{PolicyName, QueueSettings};
use evenweave::{AllocationFile, Resource, Settings};

fn read(inside: &str) -> Result<AllocationFile, String> {
    parse(inside, &Settings::default())
}

fn of<'a>(file: &'a AllocationFile, queue: &str) -> &'a QueueSettings {
    &file.queues[&format!("root.{queue}")]
}

/// Memory and vcores.
fn pair(resource: Option<Resource>) -> Option<(i64, i64)> {
    resource.map(|resource| (resource.memory_mb(), resource.vcores()))
}

/// Minimum and maximum, where given.
type Range = (Option<(i64, i64)>, Option<(i64, i64)>);

fn range(settings: &QueueSettings) -> Range {
    (pair(settings.min), pair(settings.max.and_then(|max| max.absolute())))
}

/// Timeouts of min and fair share in ms, and the threshold.
type Variables = (Option<i64>, Option<i64>, Option<f32>);

fn variables(settings: &QueueSettings) -> Variables {
    let QueueSettings { min_share_preemption_timeout_ms: min, fair_share_preemption_timeout_ms: fair, .. } = settings;
    (*min, *fair, settings.fair_share_preemption_threshold)
}

/// Those that root gets from the top of the file.
fn root_variables(file: &AllocationFile) -> (i64, i64, f32) {
    let AllocationFile { min_share_preemption_timeout_ms: min, fair_share_preemption_timeout_ms: fair, .. } = file;
    (*min, *fair, file.fair_share_preemption_threshold)
}

/// `TestAllocationFileLoaderService.testAllocationFileParsing`
#[test]
fn every_element_is_read() {
    const TIMEOUTS: &str = "<minSharePreemptionTimeout>50</minSharePreemptionTimeout>\
        <fairSharePreemptionTimeout>120</fairSharePreemptionTimeout>\
        <fairSharePreemptionThreshold>0.6</fairSharePreemptionThreshold>";
    const MAX_CHILD: &str = "<maxChildResources>2048mb,64vcores</maxChildResources>";
    let h = "<maxContainerAllocation>1024 mb, 8 vcores</maxContainerAllocation>".to_owned()
        + "<minSharePreemptionTimeout>40</minSharePreemptionTimeout>"
        + "<fairSharePreemptionTimeout>180</fairSharePreemptionTimeout>"
        + "<fairSharePreemptionThreshold>0.7</fairSharePreemptionThreshold>";
    let g = format!(
        "{MAX_CHILD}{TIMEOUTS}<maxContainerAllocation>memory-mb=512, vcores=16, custom=10</maxContainerAllocation>{}",
        queue("queueH", &h)
    );
    let text = [
        queue("queueA", "<minResources>1024mb,0vcores</minResources><maxResources>2048mb,10vcores</maxResources>"),
        queue(
            "queueB",
            "<minResources>2048mb,0vcores</minResources><maxResources>5120mb,110vcores</maxResources>\
             <schedulingPolicy>fair</schedulingPolicy>",
        ),
        queue("queueC", "<minResources>5120mb,0vcores</minResources>"),
        queue("queueD", "<maxRunningApps>3</maxRunningApps><maxAMShare>0.4</maxAMShare>"),
        queue("queueE", "<minSharePreemptionTimeout>60</minSharePreemptionTimeout>"),
        parent("queueF", MAX_CHILD),
        queue("queueG", &g),
        "<queueMaxResourcesDefault>4096mb,100vcores</queueMaxResourcesDefault>".to_owned(),
        "<queueMaxAppsDefault>15</queueMaxAppsDefault><userMaxAppsDefault>5</userMaxAppsDefault>".to_owned(),
        "<queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>".to_owned(),
        "<user name='user1'><maxRunningApps>10</maxRunningApps></user>".to_owned(),
        "<defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>".to_owned(),
        "<defaultFairSharePreemptionTimeout>300</defaultFairSharePreemptionTimeout>".to_owned(),
        "<defaultFairSharePreemptionThreshold>0.4</defaultFairSharePreemptionThreshold>".to_owned(),
        "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>".to_owned(),
    ]
    .concat();
    let file = parse(&text, &evenweave_testkit::settings(&[("yarn.resource-types", "custom")])).unwrap();
    let leaves = ["queueA", "queueB", "queueC", "queueD", "queueE", "queueG.queueH"];
    assert!(file.leaves.iter().map(|name| name.trim_start_matches("root.")).eq(leaves));
    assert!(file.parents.iter().eq(["root.queueF", "root.queueG"]));
    // Defaults.
    assert_eq!(pair(file.queue_max_resources.absolute()), Some((4096, 100)));
    assert_eq!((file.queue_max_apps, file.user_max_apps, file.users["user1"]), (15, 5, 10));
    assert_eq!(file.queue_max_am_share.to_bits(), 0.5_f32.to_bits());
    assert_eq!(root_variables(&file), (120_000, 300_000, 0.4));
    let policies = ["root.queueA", "root.queueB", "root.queueG.queueH"].map(|name| file.policy_of(name));
    assert_eq!(policies, [&PolicyName::Drf, &PolicyName::Fair, &PolicyName::Drf]);
    // Queues.
    let ranges = leaves.map(|name| range(of(&file, name)));
    let expected: [Range; 6] = [
        (Some((1024, 0)), Some((2048, 10))),
        (Some((2048, 0)), Some((5120, 110))),
        (Some((5120, 0)), None),
        (None, None),
        (None, None),
        (None, None),
    ];
    assert_eq!(ranges, expected);
    let max_child = ["queueE", "queueF", "queueG", "queueG.queueH"]
        .map(|name| pair(of(&file, name).max_child.and_then(|max| max.absolute())));
    assert_eq!(max_child, [None, Some((2048, 64)), Some((2048, 64)), None]);
    let limits = ["queueA", "queueD"].map(|name| (of(&file, name).max_running_apps, of(&file, name).max_am_share));
    assert_eq!(limits, [(None, None), (Some(3), Some(0.4))]);
    let containers = ["queueF", "queueG", "queueG.queueH"].map(|name| of(&file, name).max_container);
    assert_eq!(containers.map(pair), [None, Some((512, 16)), Some((1024, 8))]);
    assert_eq!(containers[1].unwrap().get(2), 10);
    let of_queues = ["queueA", "queueE", "queueF", "queueG", "queueG.queueH"].map(|name| variables(of(&file, name)));
    let none = (None, None, None);
    let expected: [Variables; 5] = [
        none,
        (Some(60_000), None, None),
        none,
        (Some(50_000), Some(120_000), Some(0.6)),
        (Some(40_000), Some(180_000), Some(0.7)),
    ];
    assert_eq!(of_queues, expected);
}

/// `TestAllocationFileLoaderService.testBackwardsCompatibleAllocationFileParsing`
#[test]
fn pools_are_queues() {
    let pool = |name: &str, inside: &str| format!("<pool name='{name}'>{inside}</pool>");
    let text = [
        pool("queueA", "<minResources>1024mb,0vcores</minResources>"),
        pool("queueB", "<minResources>2048mb,0vcores</minResources>"),
        pool("queueC", ""),
        pool("queueD", "<maxRunningApps>3</maxRunningApps>"),
        pool(
            "queueE",
            "<minSharePreemptionTimeout>60</minSharePreemptionTimeout>\
             <fairSharePreemptionThreshold>0.3</fairSharePreemptionThreshold>",
        ),
        "<queueMaxAppsDefault>15</queueMaxAppsDefault><userMaxAppsDefault>5</userMaxAppsDefault>".to_owned(),
        "<user name='user1'><maxRunningApps>10</maxRunningApps></user>".to_owned(),
        "<defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>".to_owned(),
        "<fairSharePreemptionTimeout>300</fairSharePreemptionTimeout>".to_owned(),
        "<defaultFairSharePreemptionThreshold>0.6</defaultFairSharePreemptionThreshold>".to_owned(),
    ]
    .concat();
    let file = read(&text).unwrap();
    let leaves = ["queueA", "queueB", "queueC", "queueD", "queueE"];
    assert!(file.leaves.iter().map(|name| name.trim_start_matches("root.")).eq(leaves));
    assert_eq!(leaves.map(|name| pair(of(&file, name).min)), [Some((1024, 0)), Some((2048, 0)), None, None, None]);
    assert_eq!(leaves.map(|name| of(&file, name).max_running_apps), [None, None, None, Some(3), None]);
    assert_eq!((file.queue_max_apps, file.user_max_apps, file.users["user1"]), (15, 5, 10));
    assert_eq!(root_variables(&file), (120_000, 300_000, 0.6));
    let none = (None, None, None);
    let expected: [Variables; 5] = [none, none, none, none, (Some(60_000), None, Some(0.3))];
    assert_eq!(leaves.map(|name| variables(of(&file, name))), expected);
}

/// What root's element says stands before what the top of the file says.
///
/// `TestFairScheduler.testConfigureRootQueue`
#[test]
fn roots_own_values_beat_the_defaults() {
    let own = "<schedulingPolicy>drf</schedulingPolicy>\
        <fairSharePreemptionTimeout>100</fairSharePreemptionTimeout>\
        <minSharePreemptionTimeout>120</minSharePreemptionTimeout>\
        <fairSharePreemptionThreshold>.5</fairSharePreemptionThreshold>";
    let text = "<defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>".to_owned()
        + &queue("root", &(own.to_owned() + &queue("child1", "") + &queue("child2", "")))
        + "<defaultFairSharePreemptionTimeout>300</defaultFairSharePreemptionTimeout>\
           <defaultMinSharePreemptionTimeout>200</defaultMinSharePreemptionTimeout>\
           <defaultFairSharePreemptionThreshold>.6</defaultFairSharePreemptionThreshold>";
    let file = read(&text).unwrap();
    assert_eq!(variables(&file.queues["root"]), (Some(120_000), Some(100_000), Some(0.5)));
    let mut cluster = Cluster::new(&text, &[]);
    assert_eq!(["root", "root.child1"].map(|name| cluster.queue(name).policy), ["DRF", "fair"]);
}

/// `TestAllocationFileLoaderService.testQueueAlongsideRoot`
#[test]
fn nothing_stands_beside_root() {
    let error = read(&(queue("root", "") + &queue("other", ""))).unwrap_err();
    assert!(error.contains("beside"), "{error}");
}

/// `TestAllocationFileLoaderService.testQueueNameContainingPeriods`,
/// `TestAllocationFileLoaderService.testQueueNameContainingOnlyWhitespace`,
/// `TestAllocationFileLoaderService.testQueueNameContainingNBWhitespace`,
/// `TestFairScheduler.testEmptyQueueNameInConfigFile`
#[test]
fn a_queues_name_is_one_part_with_something_in_it() {
    let error = read(&queue("parent1.child", "")).unwrap_err();
    assert!(error.contains("parent1.child"), "{error}");
    for name in ["      ", "\u{a0}", ""] {
        let error = read(&queue(name, "")).unwrap_err();
        assert!(error.contains("has no name"), "{name:?}: {error}");
    }
}

/// An element is refused in `root.parent`, both where it has a child and where it has the type.
fn assert_for_leaves_alone(element: &str, inside: &str) {
    for text in [parent("parent", inside), queue("parent", &(inside.to_owned() + &queue("child", "")))] {
        let error = read(&text).unwrap_err();
        assert!(error.contains("root.parent") && error.contains(element), "{error}");
    }
    // In a leaf it is welcome.
    read(&queue("parent", inside)).unwrap();
}

/// `TestAllocationFileLoaderService.testParentTagWithReservation`,
/// `TestAllocationFileLoaderService.testParentWithReservation`,
/// `TestAllocationFileLoaderService.testReservableCannotBeCombinedWithDynamicUserQueue`
#[test]
fn a_parent_cannot_be_reservable() {
    assert_for_leaves_alone("reservation", "<reservation></reservation>");
}

/// `TestAllocationFileLoaderService.testParentTagWithMaxAMShare`,
/// `TestAllocationFileLoaderService.testParentWithMaxAMShare`
#[test]
fn a_parent_has_no_am_share() {
    assert_for_leaves_alone("maxAMShare", "<maxAMShare>0.5</maxAMShare>");
}

/// `TestAllocationFileLoaderService.testParentTagWithChild`
#[test]
fn a_parent_by_type_can_have_children() {
    let file = read(&parent("parent", &queue("child", ""))).unwrap();
    assert!(file.parents.iter().eq(["root.parent"]));
    assert!(file.leaves.iter().eq(["root.parent.child"]));
}

/// `TestAllocationFileLoaderService.testDefaultQueueSchedulingModeIsFIFO`
#[test]
fn fifo_is_no_default() {
    let error = read("<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>").unwrap_err();
    assert!(error.contains("fifo"), "{error}");
}
