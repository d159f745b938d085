//! How many applications run at once.

use crate::cluster::{Cluster, DRC, Pairs, gb, r};
use evenweave::refused::Limit;
use evenweave::{AppHandle, Refused};

const ONE: Pairs<'static> = &[DRC, ("root.queues", "default"), ("root.default.capacity", "100")];

/// Four applications of one user, of which two may run.
fn four(limits: Pairs<'_>) -> (Cluster, [AppHandle; 4]) {
    let mut cluster = Cluster::new(&[ONE, limits].concat(), &[r(4096, 8); 3]);
    let apps = [(); 4].map(|()| cluster.submit_with_am("default", "testuser", gb(1)));
    assert_eq!(states(&mut cluster, &apps), ["active", "active", "non-runnable", "non-runnable"]);
    (cluster, apps)
}

fn states(cluster: &mut Cluster, apps: &[AppHandle]) -> Vec<&'static str> {
    apps.iter().map(|app| cluster.app(app).state).collect()
}

/// One of those that run ends, then the other: each time one that waits takes its place.
fn take_places(limits: Pairs<'_>) {
    let (mut cluster, apps) = four(limits);
    cluster.hbs(1, 4);
    assert_eq!(cluster.used_by(["root.default"]), [2048], "the AMs of those that run");
    cluster.finish(&apps[0]);
    assert_eq!(states(&mut cluster, &apps[1..]), ["active", "active", "non-runnable"]);
    cluster.finish(&apps[1]);
    assert_eq!(states(&mut cluster, &apps[2..]), ["active", "active"]);
    cluster.hbs(1, 4);
    assert_eq!(cluster.used_by(["root.default"]), [2048]);
}

/// `TestCapacitySchedulerMaxParallelApps.testMaxParallelAppsExceedsQueueSetting`
#[test]
fn a_queue_runs_as_many_as_it_may() {
    take_places(&[("root.default.max-parallel-apps", "2")]);
}

/// `TestCapacitySchedulerMaxParallelApps.testMaxParallelAppsExceedsDefaultQueueSetting`
#[test]
fn a_queue_without_a_number_has_that_of_all() {
    take_places(&[("max-parallel-apps", "2")]);
}

/// `TestCapacitySchedulerMaxParallelApps.testMaxParallelAppsExceedsUserSetting`
#[test]
fn a_user_runs_as_many_as_he_may() {
    take_places(&[("user.testuser.max-parallel-apps", "2")]);
}

/// `TestCapacitySchedulerMaxParallelApps.testMaxParallelAppsExceedsDefaultUserSetting`
#[test]
fn a_user_without_a_number_has_that_of_all() {
    take_places(&[("user.max-parallel-apps", "2")]);
}

/// `TestCapacitySchedulerMaxParallelApps.testMaxParallelAppsWhenReloadingConfig`
#[test]
fn a_refresh_that_lifts_the_number_lets_all_run() {
    let (mut cluster, apps) = four(&[("root.default.max-parallel-apps", "2")]);
    cluster.refresh(ONE, &[]).unwrap();
    assert_eq!(states(&mut cluster, &apps), ["active"; 4]);
}

/// `TestCapacitySchedulerMaxParallelApps.testMaxAppsReachedWithNonRunnableApps`
#[test]
fn those_that_wait_count_among_the_applications_of_the_queue() {
    let (mut cluster, _) = four(&[("root.default.max-parallel-apps", "2"), ("root.default.maximum-applications", "4")]);
    let refused = cluster.try_submit("default", "testuser").unwrap_err();
    assert_eq!(refused, Refused::Limit(Limit::QueueFull { queue: "root.default".to_owned(), applications: 4 }));
}
