//! Which queue the rules give an application. Unless a test says otherwise a user `name` is in the groups `namegroup`,
//! `namesubgroup1` and `namesubgroup2`.

use crate::cluster::{Cluster, parent, parse, queue};
use evenweave::Settings;
use evenweave::config::{PlacementRule, RuleKind, default_rules};
use std::collections::HashMap;

fn policy(rules: &str) -> String {
    format!("<queuePlacementPolicy>{rules}</queuePlacementPolicy>")
}

/// A cluster with queues and rules, in which `user` has the primary group given and two more.
fn cluster(queues: &str, rules: &str, user: &str, primary: &str) -> Cluster {
    let groups = [primary.to_owned(), format!("{user}subgroup1"), format!("{user}subgroup2")].to_vec();
    Cluster::placing(&(queues.to_owned() + &policy(rules)), HashMap::from([(user.to_owned(), groups)]))
}

/// Where an application of a user who asks for a queue is placed; otherwise the kind of refusal.
fn place(cluster: &mut Cluster, queue: &str, user: &str) -> Result<String, &'static str> {
    cluster.submit(queue, user, None).map(|app| app.queue().to_owned()).map_err(|refused| refused.kind())
}

/// The same for users with their usual groups, in a fresh cluster each time.
fn assert_placed(queues: &str, rules: &str, expected: &[(&str, &str, Result<&str, &'static str>)]) {
    for (queue, user, expected) in expected {
        let found = place(&mut cluster(queues, rules, user, &format!("{user}group")), queue, user);
        assert_eq!(found, expected.map(str::to_owned), "{queue:?} of {user}");
    }
}

const NOWHERE: Result<&str, &'static str> = Err("placement");

/// What reading these rules gives.
fn read(rules: &str) -> Result<Vec<PlacementRule>, String> {
    parse(&policy(rules), &Settings::default()).map(|file| file.placement.unwrap())
}

/// What is wrong with these rules, which must be placed in the policy.
fn wrong(rules: &str) -> String {
    let error = read(rules).unwrap_err();
    assert!(error.contains("queuePlacementPolicy: "), "{error}");
    error
}

const SPECIFIED: &str = "<rule name='specified'/>";
const EXISTING: &str = "<rule name='specified' create='false'/>";
const DEFAULT: &str = "<rule name='default'/>";

fn nested(rule: &str) -> String {
    format!("<rule name='nestedUserQueue'>{rule}</rule>")
}

// ------------------------------------------------------------------------------------------------ single rules

/// `TestQueuePlacementPolicy.testSpecifiedUserPolicy`
#[test]
fn the_queue_asked_for_or_the_users() {
    let rules = SPECIFIED.to_owned() + "<rule name='user'/>";
    let expected = [
        ("specifiedq", "someuser", Ok("root.specifiedq")),
        ("default", "someuser", Ok("root.someuser")),
        ("default", "otheruser", Ok("root.otheruser")),
    ];
    assert_placed("", &rules, &expected);
}

/// `TestQueuePlacementPolicy.testNoCreate`
#[test]
fn a_rule_that_may_not_create_takes_existing_queues_alone() {
    let rules = SPECIFIED.to_owned() + "<rule name='user' create='false'/>" + DEFAULT;
    let expected = [
        ("specifiedq", "someuser", Ok("root.specifiedq")),
        ("default", "someuser", Ok("root.someuser")),
        ("specifiedq", "otheruser", Ok("root.specifiedq")),
        ("default", "otheruser", Ok("root.default")),
    ];
    assert_placed(&queue("someuser", ""), &rules, &expected);
}

/// `TestQueuePlacementPolicy.testSpecifiedThenReject`
#[test]
fn who_asks_for_no_queue_is_rejected() {
    let expected = [("specifiedq", "someuser", Ok("root.specifiedq")), ("default", "someuser", NOWHERE)];
    assert_placed("", &(SPECIFIED.to_owned() + "<rule name='reject'/>"), &expected);
}

/// `TestQueuePlacementPolicy.testDefaultRuleWithQueueAttribute`
#[test]
fn the_default_rule_can_name_a_queue() {
    let rules = EXISTING.to_owned() + "<rule name='default' queue='root.someDefaultQueue'/>";
    let expected = [("user1", "user1", Ok("root.someDefaultQueue"))];
    assert_placed(&queue("someDefaultQueue", ""), &rules, &expected);
}

/// It is not passed on to the next rule.
///
/// `TestQueuePlacementPolicy.testEmptyGroupsPrimaryGroupRule`
#[test]
fn a_user_without_groups_fails_at_a_group_rule() {
    let rules = "<rule name='primaryGroup' create='false'/>".to_owned() + DEFAULT;
    assert_eq!(
        place(&mut cluster("", &rules, "user1", "user1group"), "default", "user1"),
        Ok("root.default".to_owned())
    );
    assert_eq!(place(&mut cluster("", &rules, "user1", "user1group"), "default", "nobody"), Err("placement"));
}

/// `TestQueuePlacementPolicy.testSpecifiedQueueWithSpaces`
#[test]
fn asking_for_a_name_with_spaces_fails() {
    let rules = SPECIFIED.to_owned() + DEFAULT;
    assert_placed("", &rules, &[("A ", "user1", NOWHERE), ("A\u{a0}", "user1", NOWHERE)]);
}

// ------------------------------------------------------------------------------------------------ lists of rules

/// `TestQueuePlacementPolicy.testOmittedTerminalRule`, `TestQueuePlacementPolicy.testTerminals`
#[test]
fn the_last_rule_must_decide() {
    let omitted = SPECIFIED.to_owned() + "<rule name='user' create='false'/>";
    let not_terminal = "<rule name='secondaryGroupExistingQueue' create='true'/>\
                        <rule name='default' queue='otherdefault' create='false'/>";
    for rules in [&omitted, not_terminal] {
        assert!(wrong(rules).contains("the last rule"));
    }
}

/// `TestQueuePlacementPolicy.testTerminalRuleInMiddle`
#[test]
fn only_the_last_rule_may_decide_always() {
    let error = wrong(&(SPECIFIED.to_owned() + DEFAULT + "<rule name='user'/>"));
    assert!(error.contains("rule 2 (default)"), "{error}");
}

/// `TestQueuePlacementPolicy.testBrokenRules`
#[test]
fn rules_need_names_and_other_elements_are_ignored() {
    wrong("<rule/>");
    let kinds = |rules: &str| read(rules).unwrap().iter().map(|rule| rule.kind).collect::<Vec<_>>();
    assert_eq!(kinds("<notarule name='specified'/><rule name='default'/>"), [RuleKind::Default]);
    let inside = nested("<notarule name='user'/><rule name='default'/>");
    assert_eq!(read(&inside).unwrap()[0].parent.as_ref().map(|parent| parent.kind), Some(RuleKind::Default));
    wrong(&nested("<rule/>"));
}

/// `TestQueuePlacementPolicy.testNestedUserQueueParsing`
#[test]
fn a_nested_rule_gives_the_parent() {
    let rules = read(&(SPECIFIED.to_owned() + &nested("<rule name='primaryGroup'/>"))).unwrap();
    let kinds: Vec<_> = rules.iter().map(|rule| (rule.kind, rule.parent.as_ref().map(|parent| parent.kind))).collect();
    assert_eq!(kinds, [(RuleKind::Specified, None), (RuleKind::User, Some(RuleKind::PrimaryGroup))]);
}

/// `TestQueuePlacementPolicy.testNestedUserQueueParsingErrors`
#[test]
fn a_nested_rule_must_be_there_known_and_no_rejection() {
    let last = nested("<rule name='primaryGroup' create='false'/>");
    for bad in [&nested(""), &nested("<rule name='unknownRule'/>"), &nested("<rule name='reject'/>"), &last] {
        wrong(&(SPECIFIED.to_owned() + bad));
    }
}

/// `TestQueuePlacementPolicy.testMultipleParentRules`
#[test]
fn of_several_nested_rules_the_last_counts() {
    let rules = read(&nested("<rule name='primaryGroup'/><rule name='default'/>")).unwrap();
    let above = rules[0].parent.as_ref().unwrap();
    assert_eq!((above.kind, above.queue.as_deref()), (RuleKind::Default, Some("root.default")));
}

// ------------------------------------------------------------------------------------------------ nested rules

/// `TestQueuePlacementPolicy.testNestedUserQueuePrimaryGroup`
#[test]
fn users_below_their_groups() {
    let rules = EXISTING.to_owned() + &nested("<rule name='primaryGroup'/>");
    let queues = queue("specifiedq", "") + &queue("user3group", "");
    let expected = [
        ("default", "user1", Ok("root.user1group.user1")),
        ("specifiedq", "user2", Ok("root.specifiedq")),
        // What would be the parent is a leaf.
        ("default", "user3", NOWHERE),
    ];
    assert_placed(&queues, &rules, &expected);
}

/// `TestQueuePlacementPolicy.testNestedUserQueuePrimaryGroupNoCreate`
#[test]
fn users_below_their_groups_where_those_exist() {
    let rules = nested("<rule name='primaryGroup' create='false'/>") + DEFAULT;
    let user1 = [("default", "user1", Ok("root.default"))];
    assert_placed("", &rules, &user1);
    let user1 = [("default", "user1", Ok("root.user1group.user1"))];
    assert_placed(&parent("user1group", ""), &rules, &user1);
    // Neither may be made: the user's queue must be there as well.
    let rules = "<rule name='nestedUserQueue' create='false'><rule name='primaryGroup' create='false'/></rule>"
        .to_owned()
        + DEFAULT;
    assert_placed(&parent("user2group", ""), &rules, &[("default", "user2", Ok("root.default"))]);
    let queues = queue("user2group", &queue("user2", ""));
    assert_placed(&queues, &rules, &[("default", "user2", Ok("root.user2group.user2"))]);
}

/// `TestQueuePlacementPolicy.testNestedUserQueueSecondaryGroup`
#[test]
fn users_below_an_existing_queue_of_a_secondary_group() {
    let rules = nested("<rule name='secondaryGroupExistingQueue'/>") + DEFAULT;
    assert_placed("", &rules, &[("default", "user1", Ok("root.default"))]);
    let expected = [("default", "user1", Ok("root.user1subgroup1.user1"))];
    assert_placed(&parent("user1subgroup1", ""), &rules, &expected);
}

/// `TestQueuePlacementPolicy.testNestedUserQueueSpecificRule`
#[test]
fn users_below_the_queue_asked_for() {
    let rules = nested(EXISTING) + DEFAULT;
    let queues = parent("parent1", "") + &parent("parent2", "");
    let expected = [
        ("root.parent1", "user1", Ok("root.parent1.user1")),
        ("root.parent2", "user2", Ok("root.parent2.user2")),
        ("root.parent3", "user2", Ok("root.default")),
    ];
    assert_placed(&queues, &rules, &expected);
}

/// `TestQueuePlacementPolicy.testNestedUserQueueDefaultRule`
#[test]
fn users_below_a_fixed_queue() {
    let fixed = "<rule name='default' queue='root.parent'/>";
    let rules = EXISTING.to_owned() + &nested(fixed);
    let expected = [("default", "user1", Ok("root.parent.user1"))];
    assert_placed("", &rules, &expected);
    assert_placed(&parent("parent", ""), &rules, &expected);
    let no_create =
        EXISTING.to_owned() + &nested("<rule name='default' queue='root.parent' create='false'/>") + DEFAULT;
    assert_placed(&parent("parent", ""), &no_create, &expected);
    assert_placed(&queue("parent", ""), &rules, &[("default", "user1", NOWHERE)]);
}

/// `TestQueuePlacementPolicy.testUserContainsPeriod`
#[test]
fn dots_in_user_names_are_written_out() {
    let expected = |queue| [("default", "first.last", Ok(queue))];
    assert_placed("", "<rule name='user'/>", &expected("root.first_dot_last"));
    assert_placed("", &(EXISTING.to_owned() + &nested(DEFAULT)), &expected("root.default.first_dot_last"));
}

/// `TestQueuePlacementPolicy.testGroupContainsPeriod`
#[test]
fn dots_in_group_names_are_written_out() {
    let rules = EXISTING.to_owned() + &nested("<rule name='primaryGroup'/>");
    let mut cluster = cluster("", &rules, "user1", "user1.group");
    assert_eq!(place(&mut cluster, "default", "user1"), Ok("root.user1_dot_group.user1".to_owned()));
}

// ------------------------------------------------------------------------------------------------ rules of the
// properties

fn settings(undeclared: bool, user_as_default: bool) -> [(&'static str, &'static str); 2] {
    let text = |on| if on { "true" } else { "false" };
    [
        ("yarn.scheduler.fair.allow-undeclared-pools", text(undeclared)),
        ("yarn.scheduler.fair.user-as-default-queue", text(user_as_default)),
    ]
}

/// `TestAllocationFileLoaderService.testSimplePlacementPolicyFromConf`,
/// `TestFairScheduler.testDefaultRuleInitializesProperlyWhenPolicyNotConfigured`
#[test]
fn rules_come_from_properties_where_the_file_has_none() {
    let settings = Settings::from_properties(settings(false, false)).unwrap();
    assert_eq!(parse("", &settings).unwrap().placement, None);
    let rules = default_rules(&settings);
    let kinds: Vec<_> = rules.iter().map(|rule| (rule.kind, rule.create)).collect();
    assert_eq!(kinds, [(RuleKind::Specified, false), (RuleKind::Default, true)]);
    assert_eq!(rules[1].queue.as_deref(), Some("root.default"));
}

/// An application of user1 for `default`, where both queues are there: runnable ones in each.
fn user_or_default(user_as_default: bool) -> (String, [u32; 2]) {
    let text = queue("default", "") + &queue("user1", "");
    let mut cluster = Cluster::with(&settings(true, user_as_default), &text, &[]);
    let placed = place(&mut cluster, "default", "user1").unwrap();
    (placed, ["root.user1", "root.default"].map(|name| cluster.queue(name).runnable))
}

/// `TestAppRunnability.testUserAsDefaultQueue`, `TestAppRunnability.testNotUserAsDefaultQueue`
#[test]
fn a_property_decides_between_the_users_queue_and_default() {
    assert_eq!(user_or_default(true), ("root.user1".to_owned(), [1, 0]));
    assert_eq!(user_or_default(false), ("root.default".to_owned(), [0, 1]));
}

/// `TestFairScheduler.testUserAsDefaultQueueWithLeadingTrailingSpaceUserName`
#[test]
fn user_names_are_trimmed() {
    let mut cluster = Cluster::new("", &[]);
    for (count, user) in (1..).zip(["  user1", "user1  ", "user1"]) {
        assert_eq!(place(&mut cluster, "default", user), Ok("root.user1".to_owned()));
        assert_eq!(cluster.queue("root.user1").runnable, count);
    }
}

/// `TestAppRunnability.testDontAllowUndeclaredPools`
#[test]
fn without_undeclared_queues_others_go_to_default() {
    let text = queue("jerry", "") + &queue("default", "");
    let mut cluster = Cluster::with(&settings(false, true), &text, &[]);
    let submissions = [("jerry", "someuser"), ("newqueue", "someuser"), ("default", "someuser"), ("default", "jerry")];
    let counts = submissions.map(|(queue, user)| {
        place(&mut cluster, queue, user).unwrap();
        ["root.jerry", "root.default"].map(|name| cluster.queue(name).runnable)
    });
    assert_eq!(counts, [[1, 0], [1, 1], [1, 2], [2, 2]]);
}

/// `TestFairScheduler.testAclSubmitApplication`
#[test]
fn a_list_says_who_may_submit() {
    let nobody = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>";
    let text = queue("root", &(nobody.to_owned() + &queue("queue1", "<aclSubmitApps>listed</aclSubmitApps>")));
    let mut cluster = Cluster::new(&text, &[]);
    assert_eq!(place(&mut cluster, "queue1", "listed"), Ok("root.queue1".to_owned()));
    assert_eq!(place(&mut cluster, "queue1", "other"), Err("acl"));
    assert_eq!(cluster.stepped.apps().len(), 1);
}
