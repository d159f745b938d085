//! Which scheduling policies may stand under which, at the first load and at a reload.

use crate::cluster::{Cluster, DRF, queue};

fn policy(name: &str) -> String {
    format!("<schedulingPolicy>{name}</schedulingPolicy>")
}

/// Root and two children with the policies given.
fn two_children(root: &str, child1: &str, child2: &str) -> String {
    let children = queue("child1", &policy(child1)) + &queue("child2", &policy(child2));
    queue("root", &(policy(root) + &children))
}

fn policies(cluster: &mut Cluster) -> [String; 3] {
    ["root", "root.child1", "root.child2"].map(|name| cluster.queue(name).policy)
}

/// Neither a configured queue nor one that a submission would make with the default policy comes to be; at a reload a
/// queue keeps its policy rather than take one that is not allowed.
///
/// `TestSchedulingPolicy.testSchedulingPolicyViolation`
#[test]
fn no_drf_under_fair() {
    let text = |child1: &str, child2: &str| two_children("fair", child1, child2) + DRF;
    let mut cluster = Cluster::new(&text("drf", "fair"), &[]);
    assert!(cluster.find("root.child1").is_none());
    assert_eq!(cluster.submit("dynamicQueue", "user1", None).unwrap_err().kind(), "not-leaf");
    assert!(cluster.find("root.dynamicQueue").is_none());
    cluster.reload(&text("fair", "drf"));
    assert_eq!(policies(&mut cluster), ["fair", "fair", "fair"]);
}

/// `TestSchedulingPolicy.testSchedulingPolicyViolationInTheMiddleLevel`
#[test]
fn what_is_below_a_forbidden_policy_does_not_come_to_be_either() {
    let level3 = queue("level3", &(policy("drf") + &queue("leaf", &policy("fair"))));
    let text = queue("root", &(policy("fair") + &queue("level2", &(policy("fair") + &level3))));
    let mut cluster = Cluster::new(&text, &[]);
    let names: Vec<_> = cluster.stepped.queues().into_iter().map(|queue| queue.name).collect();
    assert_eq!(names, ["root", "root.level2"]);
}

/// `TestSchedulingPolicy.testFIFOPolicyOnlyForLeafQueues`
#[test]
fn fifo_is_for_leaves() {
    let text = |above: &str, leaf: &str| queue("intermediate", &(policy(above) + &queue("leaf1", &policy(leaf))));
    let mut cluster = Cluster::new(&text("fifo", "fair"), &[]);
    assert!(cluster.find("root.intermediate").is_none());
    cluster.reload(&text("fair", "fifo"));
    assert_eq!(cluster.queue("root.intermediate").policy, "fair");
    assert_eq!(cluster.queue("root.intermediate.leaf1").policy, "FIFO");
}

/// One forbidden policy in a file leaves all of them as they were.
///
/// `TestSchedulingPolicy.testPolicyReinitialization`
#[test]
fn a_reload_changes_policies_all_or_none() {
    let mut cluster = Cluster::new(&two_children("fair", "fair", "fair"), &[]);
    cluster.reload(&two_children("fair", "drf", "fifo"));
    assert_eq!(policies(&mut cluster), ["fair", "fair", "fair"]);
    cluster.reload(&two_children("drf", "drf", "fifo"));
    assert_eq!(policies(&mut cluster), ["DRF", "DRF", "FIFO"]);
}
