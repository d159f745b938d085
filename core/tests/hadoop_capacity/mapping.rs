//! Which queue rules lead an application to.

use crate::cluster::{Cluster, Pairs};
use evenweave::Refused;
use evenweave::SchedulerApi as _;
use evenweave::refused::NoQueue;

/// The tree of Hadoop's `TestCSMappingPlacementRule`, as far as it can be one of percentages. `ambi` and `managed` are
/// ambiguous names.
const TREE: Pairs<'static> = &[
    ("root.queues", "unman,default,man,user,ambiguous,disambiguous"),
    ("root.default.capacity", "100"),
    ("root.unman.capacity", "0"),
    ("root.man.capacity", "0"),
    ("root.man.auto-create-child-queue.enabled", "true"),
    ("root.man.leaf-queue-template.capacity", "0"),
    ("root.user.capacity", "0"),
    ("root.user.queues", "alice,bob"),
    ("root.ambiguous.capacity", "0"),
    ("root.ambiguous.queues", "user,managed,deep"),
    ("root.ambiguous.user.queues", "charlie,dave,ambi"),
    ("root.ambiguous.managed.auto-create-child-queue.enabled", "true"),
    ("root.ambiguous.deep.queues", "user,managed"),
    ("root.ambiguous.deep.user.queues", "charlie,dave,ambi"),
    ("root.ambiguous.deep.managed.auto-create-child-queue.enabled", "true"),
    ("root.disambiguous.capacity", "0"),
    ("root.disambiguous.queues", "deep"),
    ("root.disambiguous.deep.queues", "disambiuser"),
    ("root.disambiguous.deep.disambiuser.queues", "emily,disambi"),
    ("queue-mappings-override.enable", "true"),
];

const GROUPS: &[(&str, &[&str])] = &[
    ("alice", &["p_alice", "user", "developer"]),
    ("bob", &["p_bob", "user", "developer"]),
    ("charlie", &["p_charlie", "user", "tester"]),
    ("dave", &["user", "tester"]),
    ("emily", &["user", "tester", "developer"]),
];

fn ruled(rules: Pairs<'_>) -> Cluster {
    Cluster::with_groups(&[TREE, rules].concat(), &[], GROUPS).unwrap()
}

/// Where applications of users go that name a queue which exists; that one where no rule says otherwise.
fn places<const N: usize>(cluster: &mut Cluster, named: &str, users: [&str; N]) -> [String; N] {
    users.map(|user| match cluster.stepped.place(user, Some(named)) {
        Ok(place) => place.unwrap(),
        Err(Refused::NoQueue(NoQueue::RuleFailed { .. })) => "refused".to_owned(),
        Err(other) => panic!("{other}"),
    })
}

/// Why rules are refused when the scheduler is to start.
fn why(rules: &str) -> String {
    Cluster::with_groups(&[TREE, &[("queue-mappings", rules)]].concat(), &[], GROUPS).err().expect(rules)
}

/// `TestCSMappingPlacementRule.testLegacyPlacementToExistingQueue`
#[test]
fn a_target_is_a_path_or_a_name_that_only_one_queue_has() {
    let rules = "u:alice:root.ambiguous.user.ambi,u:dave:disambi,u:%user:disambiuser.%user";
    let mut cluster = ruled(&[("queue-mappings", rules)]);
    let should_be = [
        "root.ambiguous.user.ambi",
        "root.disambiguous.deep.disambiuser.emily",
        "root.default",
        "root.disambiguous.deep.disambiuser.disambi",
    ];
    assert_eq!(places(&mut cluster, "root.unman", ["alice", "emily", "charlie", "dave"]), should_be);
    assert!(why("u:bob:ambi").contains("'ambi' is ambiguous"));
}

/// `TestCSMappingPlacementRule.testLegacyPlacementToManagedQueues`
#[test]
fn a_target_may_be_a_queue_that_its_parent_can_make() {
    let rules = "u:alice:root.ambiguous.managed.%user,u:charlie:%user.%user,u:%user:root.man.%user";
    let mut cluster = ruled(&[("queue-mappings", rules)]);
    let should_be = ["root.ambiguous.managed.alice", "root.default", "root.man.emily"];
    // A place is told only where the queue is there already; a submission makes it.
    assert_eq!(
        ["alice", "charlie", "emily"].map(|user| cluster.submit("root.unman", user).queue().to_owned()),
        should_be
    );
    assert!(why("u:bob:managed.%user").contains("'managed' is ambiguous"));
    assert!(why("u:charlie:root.unman.%user").contains("unman"));
    assert!(why("u:dave:non-existent.%user").contains("non-existent"));
}

/// `TestCSMappingPlacementRule.testLegacyPlacementShortReference`
#[test]
fn a_short_name_must_be_that_of_one_leaf() {
    for (rule, name) in [("u:alice:non-existent", "non-existent"), ("u:bob:root", "root"), ("u:charlie:man", "man")] {
        assert!(why(rule).contains(name), "{rule}");
    }
    let mut cluster = ruled(&[("queue-mappings", "u:dave:unman")]);
    assert_eq!(places(&mut cluster, "root.default", ["dave"]), ["root.unman"]);
}

/// `TestCSMappingPlacementRule.testRuleFallbackHandling`
#[test]
fn a_rule_without_a_queue_skips_refuses_or_goes_to_the_default() {
    let json = r#"{"rules": [
        {"type": "user", "matches": "alice", "policy": "custom", "customPlacement": "%user.none", "fallbackResult": "reject"},
        {"type": "user", "matches": "bob", "policy": "custom", "customPlacement": "%user.none", "fallbackResult": "skip"},
        {"type": "user", "matches": "bob", "policy": "setDefaultQueue", "value": "root.user.bob"},
        {"type": "user", "matches": "bob", "policy": "defaultQueue", "fallbackResult": "reject"},
        {"type": "user", "matches": "charlie", "policy": "custom", "customPlacement": "%user.none", "fallbackResult": "placeDefault"}
    ]}"#;
    let mut cluster = ruled(&[("mapping-rule-format", "json"), ("mapping-rule-json", json)]);
    let should_be = ["refused", "root.user.bob", "root.default", "root.unman"];
    assert_eq!(places(&mut cluster, "root.unman", ["alice", "bob", "charlie", "dave"]), should_be);
}

/// `TestCSMappingPlacementRule.testConfigValidation`
#[test]
fn a_rule_to_a_queue_that_cannot_be_is_refused_at_once() {
    for rules in ["u:alice:non-existent", "u:alice:%token"] {
        let refused = Cluster::with_groups(&[TREE, &[("queue-mappings", rules)]].concat(), &[], GROUPS).err();
        assert!(refused.is_some(), "{rules}");
    }
    ruled(&[("queue-mappings", "u:alice:%user")]);
}

/// `TestMappingRule.testLegacyEvaluation`
#[test]
fn users_and_groups_choose_rules_and_name_targets() {
    let groups: &[(&str, &[&str])] = &[("bob", &["developer", "users"]), ("joe", &["tester", "admins"])];
    let queues: Pairs<'_> = &[
        ("root.queues", "developer,tester,users,static,default"),
        ("root.default.capacity", "100"),
        ("root.users.queues", "bob"),
        ("queue-mappings-override.enable", "true"),
    ];
    let with = |rule: &str| {
        let mut cluster = Cluster::with_groups(&[queues, &[("queue-mappings", rule)]].concat(), &[], groups).unwrap();
        places(&mut cluster, "root.static", ["bob", "joe"])
    };
    assert_eq!(with("u:bob:root.%primary_group"), ["root.developer", "root.static"]);
    assert_eq!(with("g:developer:%secondary_group.%user"), ["root.users.bob", "root.static"]);
    assert_eq!(with("u:%user:root.%primary_group"), ["root.developer", "root.tester"]);
}

/// `TestCapacityScheduler.testQueueMappingWithCurrentUserQueueMappingForaGroup`
#[test]
fn members_of_a_group_go_to_the_leaf_of_their_name() {
    let more: Pairs<'_> = &[("queue-mappings", "g:agroup:%user"), ("queue-mappings-override.enable", "true")];
    let groups: &[(&str, &[&str])] = &[("a1", &["agroup"])];
    let mut cluster = Cluster::with_groups(&[crate::scheduling::S, more].concat(), &[], groups).unwrap();
    assert_eq!(cluster.submit("default", "a1").queue(), "root.a.a1");
}
