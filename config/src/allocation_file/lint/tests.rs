//! Each lint with a file that must make it speak, and a near one that must not.

use crate::allocation_file::{AllocationFile, CheckOptions};
use crate::diagnostic::{Diagnostic, Severity};
use crate::settings::Settings;
use evenweave_resource::{Resource, ResourceTypes};

fn check(inner: &str, options: &CheckOptions<'_>) -> Vec<Diagnostic> {
    AllocationFile::check(&document(inner), "f.xml", options).diagnostics
}

fn document(inner: &str) -> String {
    format!("<allocations>{inner}</allocations>")
}

/// Codes and what each marks.
fn found(inner: &str, options: &CheckOptions<'_>) -> Vec<(&'static str, String)> {
    let text = document(inner);
    let marked = |found: &Diagnostic| {
        assert_eq!(found.severity, Severity::Warning, "{found}");
        assert!(found.effect.is_some() && found.help.is_some(), "{found}");
        let at = found.at.as_ref().unwrap();
        text[at.offset..at.offset + at.length].to_owned()
    };
    check(inner, options).iter().map(|found| (found.code, marked(found))).collect()
}

/// The first text gives exactly this warning, the second none.
fn assert_lint(code: &'static str, marked: &str, bad: &str, good: &str) {
    let types = ResourceTypes::standard();
    assert_lint_with(&CheckOptions::new(&types), code, marked, bad, good);
}

fn assert_lint_with(options: &CheckOptions<'_>, code: &'static str, marked: &str, bad: &str, good: &str) {
    assert_eq!(found(bad, options), [(code, marked.to_owned())], "{bad}");
    assert_eq!(found(good, options), [], "{good}");
}

fn settings(properties: &[(&str, &str)]) -> Settings {
    Settings::from_properties(properties.iter().copied()).unwrap()
}

/// A queue with these fields.
fn queue(name: &str, inner: &str) -> String {
    format!("<queue name='{name}'>{inner}</queue>")
}

fn rules(inner: &str) -> String {
    format!("<queuePlacementPolicy>{inner}</queuePlacementPolicy>")
}

/// A plan below `drf`, and something about it.
fn plan(inner: &str) -> String {
    let plan = queue("p", &format!("<reservation/>{inner}"));
    queue("root", &format!("<schedulingPolicy>drf</schedulingPolicy>{plan}"))
}

#[test]
fn plans_below_fair_have_no_vcores() {
    let root =
        |policy: &str, inner: &str| queue("root", &format!("<schedulingPolicy>{policy}</schedulingPolicy>{inner}"));
    let (p, q) = (queue("p", "<reservation/>"), queue("q", "<reservation/>"));
    assert_lint("plan-without-vcores", "reservation", &p, &root("drf", &p));
    // Of one parent they are one mistake.
    let two = root("fair", &format!("{p}{q}"));
    assert_lint("plan-without-vcores", "reservation", &two, &root("drf", &format!("{p}{q}")));
    let below = |policy: &str| root("drf", &queue("a", &format!("<schedulingPolicy>{policy}</schedulingPolicy>{p}")));
    assert_lint("plan-without-vcores", "reservation", &below("fair"), &below("drf"));
    let by_default = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>";
    let own_fair = queue("p", "<reservation/><schedulingPolicy>fair</schedulingPolicy>");
    assert_eq!(found(&format!("{by_default}{own_fair}"), &CheckOptions::new(&ResourceTypes::standard())), []);
    // It is not even made, and that is told.
    let drf = queue("p", "<reservation/><schedulingPolicy>drf</schedulingPolicy>");
    assert_lint("drf-under-fair", "drf", &drf, &root("drf", &drf));
}

#[test]
fn classes_of_reservations() {
    const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.";
    let named = |tag: &str, class: &str| format!("<{tag}>{class}</{tag}>{}", plan(""));
    for (tag, wrong, right) in [
        ("reservation-agent", "GreedyReservationAgent", "planning.GreedyReservationAgent"),
        ("reservation-policy", "org.acme.Policy", "NoOverCommitPolicy"),
        ("reservation-planner", "planning.SimpleCapacityReplaner", "planning.SimpleCapacityReplanner"),
    ] {
        assert_lint("reservation-class", wrong, &named(tag, wrong), &named(tag, &format!(" {PACKAGE}{right} ")));
    }
}

#[test]
fn rights_to_reserve() {
    let ops = "<aclAdministerReservations> ops</aclAdministerReservations>";
    for tag in ["aclSubmitReservations", "aclListReservations"] {
        let list = format!("<{tag}>al</{tag}>");
        assert_lint("reservation-acl-open", "al", &plan(&list), &plan(&format!("{list}{ops}")));
        let star = "<aclAdministerReservations>*</aclAdministerReservations>";
        let everybody = format!("<{tag}>*</{tag}>");
        assert_lint(
            "reservation-acl-open",
            "al",
            &plan(&format!("{star}{list}")),
            &plan(&format!("{star}{everybody}")),
        );
    }
}

#[test]
fn reservations_against_the_settings() {
    const ENABLE: (&str, &str) = ("yarn.resourcemanager.reservation-system.enable", "true");
    const ACLS: (&str, &str) = ("yarn.acl.enable", "true");
    const RESERVATION_ACLS: (&str, &str) = ("yarn.acl.reservation-enable", "true");
    let (off, on) = (settings(&[]), settings(&[ENABLE]));
    let (half, all) = (settings(&[ENABLE, ACLS]), settings(&[ENABLE, ACLS, RESERVATION_ACLS]));
    let codes = |inner: &str, of: &Settings| {
        found(inner, &CheckOptions::with_settings(of)).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    assert_lint_with(&CheckOptions::with_settings(&off), "reservations-off", "reservation", &plan(""), &queue("q", ""));
    assert_eq!(codes(&plan(""), &on), [""; 0]);
    let listed = plan("<aclAdministerReservations> ops</aclAdministerReservations>");
    for of in [&on, &half] {
        let options = CheckOptions::with_settings(of);
        assert_lint_with(&options, "reservation-acl-disabled", "aclAdministerReservations", &listed, &plan(""));
    }
    assert_eq!(codes(&listed, &all), [""; 0]);
    // The right to reserve is asked for, whatever the queue.
    let options = CheckOptions::with_settings(&all);
    let both = plan("").replace("</queue></queue>", "</queue><queue name='q'/></queue>");
    assert_lint_with(&options, "reservation-acls-refuse", "q", &both, &plan(""));
    assert_eq!(codes(&both, &half), [""; 0]);
}

#[test]
fn queues_declared_again() {
    let again = format!("{}{}", queue("a", "<weight>2</weight>"), queue("a", "<maxRunningApps>2</maxRunningApps>"));
    let apart = format!("{}{}", queue("a", "<weight>2</weight>"), queue("b", "<maxRunningApps>2</maxRunningApps>"));
    assert_lint("duplicate-queue", "a", &again, &apart);
    let both = format!("{}{}", queue("a", ""), queue("a", &queue("b", "")));
    // Of one name below different parents.
    let cousins = format!("{}{}", queue("a", &queue("b", "")), queue("c", &queue("b", &queue("a", ""))));
    assert_lint("leaf-and-parent", "a", &both, &cousins);
}

#[test]
fn type_attributes() {
    assert_lint("queue-type", "Parent", "<queue name='a' type='Parent'/>", "<queue name='a' type='parent'/>");
    let parent = |of: &str| format!("<queue name='a' type='{of}'><queue name='b'/></queue>");
    assert_lint("queue-type", "leaf", &parent("leaf"), &parent("parent"));
    assert_lint("queue-type", "", "<queue name='a' type=''/>", "<queue name='a' type='leaf'/>");
}

#[test]
fn weights() {
    let weight = |weight: &str| queue("a", &format!("<weight>{weight}</weight>"));
    for bad in ["0", "-1.5", "NaN", "Infinity", "1e99"] {
        assert_lint("weight-not-positive", bad, &weight(bad), &weight("0.001"));
    }
}

#[test]
fn what_has_no_effect_where_it_stands() {
    let child = "<maxChildResources>1024 mb, 1 vcores</maxChildResources>";
    let typed = format!("<queue name='a' type='parent'>{child}</queue>");
    assert_lint("max-child-of-leaf", "maxChildResources", &queue("a", child), &typed);
    let below = queue("root", &queue("a", "<weight>2</weight><minResources>5 mb, 5 vcores</minResources>"));
    assert_lint("no-effect-on-root", "weight", &queue("root", "<weight>2</weight>"), &below);
    let min = "<minResources>5 mb, 5 vcores</minResources>";
    // What generators write without thinking.
    let plain = queue("root", "<weight>1.0</weight><minResources>0 mb, 0 vcores</minResources>");
    assert_lint("no-effect-on-root", "minResources", &queue("root", min), &plain);
    let acl = "<aclListReservations>al</aclListReservations>";
    let ops = "<aclAdministerReservations> ops</aclAdministerReservations>";
    assert_lint("reservation-acl-unused", "aclListReservations", &queue("a", acl), &plan(&format!("{acl}{ops}")));
    let text = |text: &str| plan("").replace("<reservation/>", &format!("<reservation>{text}</reservation>"));
    assert_lint("reservation-text", "false", &text("false"), &text(" true "));
}

#[test]
fn users() {
    let user = |name: &str, limit: &str| format!("<user name='{name}'>{limit}</user>");
    let limit = "<maxRunningApps>5</maxRunningApps>";
    assert_lint("user-without-limit", "al", &user("al", ""), &user("al", limit));
    let twice = format!("{}{}", user("al", limit), user("al", limit));
    assert_lint("duplicate-user", "al", &twice, &format!("{}{}", user("al", limit), user("bo", limit)));
    assert_lint("user-white-space", "al ", &user("al ", limit), &user("a l", limit));
}

#[test]
fn names_of_former_times_are_told_of_once() {
    let pools = "<pool name='a'><pool name='b'/></pool><pool name='c'/>";
    assert_lint("legacy-name", "pool", pools, &pools.replace("pool", "queue"));
    let said = &check(pools, &CheckOptions::new(&ResourceTypes::standard()))[0];
    assert_eq!(said.message, "<pool> (and 2 more) is a name of former times");
    for (former, current, value) in [
        ("defaultQueueSchedulingMode", "defaultQueueSchedulingPolicy", "fair"),
        ("fairSharePreemptionTimeout", "defaultFairSharePreemptionTimeout", "60"),
    ] {
        let element = |name: &str| format!("<{name}>{value}</{name}>");
        assert_lint("legacy-name", former, &element(former), &element(current));
    }
    let policy = |name: &str| queue("a", &format!("<{name}>fifo</{name}>"));
    assert_lint("legacy-name", "schedulingMode", &policy("schedulingMode"), &policy("schedulingPolicy"));
    // In a queue that is the current name.
    let both = "<defaultFairSharePreemptionTimeout>6</defaultFairSharePreemptionTimeout>\
                <fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>";
    let apart = "<defaultFairSharePreemptionTimeout>6</defaultFairSharePreemptionTimeout>\
                 <queue name='a'><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout></queue>";
    assert_lint("hidden-default", "fairSharePreemptionTimeout", both, apart);
}

#[test]
fn custom_types_that_a_notation_leaves_out() {
    let types = ResourceTypes::with_custom([("gpu", "")]).unwrap();
    let options = CheckOptions::new(&types);
    let field = |tag: &str, text: &str| queue("a", &format!("<{tag}>{text}</{tag}>"));
    for (bad, good) in [
        ("1024 mb, 1 vcores", "memory-mb=1024, vcores=1"),
        ("1024 mb 1 vcores", "memory-mb=1024, vcores=1, gpu=0"),
        ("50% memory, 50% cpu", "50%"),
        ("50% memory, 50% cpu", " 50% , "),
        ("50% memory, 50% cpu", "memory-mb=50%, vcores=50%"),
    ] {
        assert_lint_with(&options, "custom-types-zero", bad, &field("maxResources", bad), &field("maxResources", good));
    }
    let amounts = "1024 mb, 1 vcores";
    let container = field("maxContainerAllocation", amounts);
    assert_lint_with(&options, "custom-types-zero", amounts, &container, &field("minResources", amounts));
    let default = format!(
        "<queue name='root'><maxResources>100%</maxResources></queue>\
                           <queueMaxResourcesDefault>{amounts}</queueMaxResourcesDefault>"
    );
    assert_eq!(found(&default, &options), [("custom-types-zero", amounts.to_owned())]);
    // Nothing is left out where there is no such type.
    assert_eq!(found(&container, &CheckOptions::new(&ResourceTypes::standard())), []);
}

#[test]
fn amounts_under_which_nothing_fits() {
    let max = |text: &str| queue("a", &format!("<maxResources>{text}</maxResources>"));
    assert_lint("zero-limit", "9000 mb,0vcores", &max("9000 mb,0vcores"), &max("0 mb,0vcores"));
    assert_lint("zero-limit", "memory-mb=0%, vcores=5%", &max("memory-mb=0%, vcores=5%"), &max("1%"));
    // The minimum raises it.
    let raised = queue("a", "<minResources>5 mb,5vcores</minResources><maxResources>9 mb,0vcores</maxResources>");
    assert_lint("min-above-max", "5 mb,5vcores", &raised, &raised.replace("0vcores", "5vcores"));
    assert_lint("percentage-above-100", "150%", &max("150%"), &max("100%"));
    let small = settings(&[("yarn.scheduler.minimum-allocation-mb", "512")]);
    let options = CheckOptions::with_settings(&small);
    let (low, high) = (max("511 mb, 8 vcores"), max("512 mb, 8 vcores"));
    assert_lint_with(&options, "below-minimum-allocation", "511 mb, 8 vcores", &low, &high);
    assert_eq!(found(&low, &CheckOptions::new(&ResourceTypes::standard())), []);
    // As a cap on each container it makes them small.
    let container = low.replace("maxResources", "maxContainerAllocation").replace("8 vcores", "2 vcores");
    assert_eq!(found(&container, &options), []);
}

#[test]
fn minimum_against_maximum() {
    let both = |min: &str, max: &str| {
        queue("a", &format!("<minResources>{min}</minResources><maxResources>{max}</maxResources>"))
    };
    let bad = both("9 mb, 1 vcores", "8 mb, 8 vcores");
    assert_lint("min-above-max", "9 mb, 1 vcores", &bad, &both("8 mb, 1 vcores", "8 mb, 8 vcores"));
    // A percentage is compared when the cluster is known.
    let types = ResourceTypes::standard();
    let small = CheckOptions { cluster: Some(Resource::new(16, 16)), ..CheckOptions::new(&types) };
    let half = both("9 mb, 1 vcores", "50%");
    assert_lint_with(&small, "min-above-max", "9 mb, 1 vcores", &half, &both("8 mb, 1 vcores", "50%"));
    assert_eq!(found(&half, &CheckOptions::new(&types)), []);
    // The default is a maximum too; a merged queue has both of its elements' fields.
    let default = "<queue name='root'><maxResources>100%</maxResources>\
                   <queue name='a'><minResources>9 mb, 1 vcores</minResources></queue></queue>\
                   <queueMaxResourcesDefault>8 mb, 8 vcores</queueMaxResourcesDefault>";
    assert_lint("min-above-max", "9 mb, 1 vcores", default, &default.replace("9 mb", "8 mb"));
    let merged = "<queue name='a'><minResources>9 mb, 9 vcores</minResources></queue>\
                  <queue name='a'><maxResources>8 mb, 9 vcores</maxResources></queue>";
    let codes: Vec<&str> = check(merged, &CheckOptions::new(&types)).iter().map(|found| found.code).collect();
    assert_eq!(codes, ["min-above-max", "duplicate-queue"]);
}

#[test]
fn minimums_against_the_parent() {
    let tree = |max: &str, min: &str| {
        let child = |name: &str| queue(name, &format!("<minResources>{min}</minResources>"));
        queue("a", &format!("<maxResources>{max}</maxResources>{}{}", child("b"), queue("c", &child("d"))))
    };
    let bad = tree("9 mb, 9 vcores", "5 mb, 4 vcores");
    assert_lint("mins-above-max", "9 mb, 9 vcores", &bad, &tree("10 mb, 8 vcores", "5 mb, 4 vcores"));
    let types = ResourceTypes::standard();
    let on = |memory| CheckOptions { cluster: Some(Resource::new(memory, 100)), ..CheckOptions::new(&types) };
    let open = tree("100%", "5 mb, 4 vcores");
    let codes = |memory| found(&open, &on(memory)).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    // Told of where it is too much first, not at every queue above too.
    assert_eq!((codes(10), codes(9)), (vec![], vec!["mins-above-max"]));
    let root_only = tree("50%", "5 mb, 4 vcores").replace("<maxResources>50%</maxResources>", "");
    assert_eq!(found(&root_only, &on(9)), [("mins-above-max", "allocations".to_owned())]);
}

#[test]
fn maximums_down_the_tree() {
    let tree = |outer: &str, inner: &str| {
        let max = |max: &str| format!("<maxResources>{max}</maxResources>");
        queue("a", &format!("{}{}", max(outer), queue("b", &queue("c", &max(inner)))))
    };
    for (outer, inner, good) in [
        ("9 mb, 9 vcores", "10 mb, 1 vcores", "9 mb, 9 vcores"),
        ("9 mb, 9 vcores", "1 mb, 10 vcores", "memory-mb=2147483647, vcores=2147483647"),
        ("50%", "75%", "100%"),
        // Memory, not named, is 100 %: no limit.
        ("50%", "vcores=60%", "vcores=50%"),
    ] {
        assert_lint("max-above-parent", inner, &tree(outer, inner), &tree(outer, good));
    }
    let types = ResourceTypes::standard();
    let options = CheckOptions { cluster: Some(Resource::new(100, 100)), ..CheckOptions::new(&types) };
    let mixed = tree("50%", "51 mb, 51 vcores");
    let good = tree("50%", "50 mb, 50 vcores");
    assert_lint_with(&options, "max-above-parent", "51 mb, 51 vcores", &mixed, &good);
    assert_eq!(found(&mixed, &CheckOptions::new(&types)), []);
    let cluster = |max: &str| queue("a", &format!("<maxResources>{max}</maxResources>"));
    let (above, within) = (cluster("101 mb, 1 vcores"), cluster("100 mb, 2147483647 vcores"));
    assert_lint_with(&options, "max-above-cluster", "101 mb, 1 vcores", &above, &within);
}

#[test]
fn largest_containers() {
    let container =
        |max: &str, text: &str| queue("a", &format!("{max}<maxContainerAllocation>{text}</maxContainerAllocation>"));
    let settings = Settings::default();
    let options = CheckOptions::with_settings(&settings);
    let bad = container("", "8193 mb, 4 vcores");
    let good = container("", "8192 mb, 4 vcores");
    assert_lint_with(&options, "container-above-maximum", "8193 mb, 4 vcores", &bad, &good);
    let max = "<maxResources>2048 mb, 8 vcores</maxResources>";
    let (bad, good) = (container(max, "4096 mb, 4 vcores"), container(max, "2048 mb, 4 vcores"));
    assert_lint("container-above-max", "4096 mb, 4 vcores", &bad, &good);
}

#[test]
fn defaults_that_limit_root() {
    let apps = "<queueMaxAppsDefault>50</queueMaxAppsDefault>";
    let own = queue("root", "<maxRunningApps>500</maxRunningApps>");
    assert_lint("default-for-all", "queueMaxAppsDefault", apps, &format!("{own}{apps}"));
    let max = "<queueMaxResourcesDefault>4096 mb, 4 vcores</queueMaxResourcesDefault>";
    let own = |inner: &str| queue("root", &format!("<maxResources>100%</maxResources>{inner}"));
    assert_lint("default-for-all", "queueMaxResourcesDefault", max, &format!("{}{max}", own("")));
    // A parent of several as well; one of one child is no narrower than the child.
    let parent = |inner: &str| format!("{}{max}", own(&queue("a", inner)));
    let two = format!("{}{}", queue("b", ""), queue("c", ""));
    assert_lint("default-for-all", "queueMaxResourcesDefault", &parent(&two), &parent(&queue("b", "")));
    let open = "<queueMaxResourcesDefault>100%</queueMaxResourcesDefault><queueMaxAppsDefault>2147483647</queueMaxAppsDefault>";
    assert_eq!(found(open, &CheckOptions::new(&ResourceTypes::standard())), []);
}

#[test]
fn running_applications() {
    let apps = |count: i32| format!("<maxRunningApps>{count}</maxRunningApps>");
    let tree = |outer, inner| queue("a", &format!("{}{}", apps(outer), queue("b", &queue("c", &apps(inner)))));
    assert_lint("apps-above-parent", "6", &tree(5, 6), &tree(5, 5));
    assert_lint("apps-above-parent", "6", &tree(5, 6), &tree(5, i32::MAX));
    let user = |count| format!("{}<user name='al'>{}</user>", queue("root", &apps(5)), apps(count));
    assert_lint("user-apps-above-root", "6", &user(6), &user(5));
    let users = |count: i32| format!("{}<userMaxAppsDefault>{count}</userMaxAppsDefault>", queue("root", &apps(5)));
    assert_lint("user-apps-above-root", "6", &users(6), &users(4));
    assert_lint("negative-apps", "-1", &queue("a", &apps(-1)), &queue("a", &apps(0)));
    assert_lint("negative-apps", "-1", &users(-1), &users(0));
    let one = |count| format!("<user name='al'>{}</user>", apps(count));
    assert_lint("negative-apps", "-5", &one(-5), &one(1));
}

#[test]
fn application_master_shares() {
    let share = |share: &str| queue("a", &format!("<maxAMShare>{share}</maxAMShare>"));
    assert_lint("am-share-above-1", "50", &share("50"), &share("1.0"));
    assert_lint("am-share-blocks", "0", &share("0"), &share("0.01"));
    assert_lint("am-share-blocks", "-0.5", &share("-0.5"), &share("-1"));
    let default = |share: &str| format!("<queueMaxAMShareDefault>{share}</queueMaxAMShareDefault>");
    assert_lint("am-share-above-1", "1.5", &default("1.5"), &default("-1.0"));
}

#[test]
fn queues_that_their_parents_policy_forbids() {
    let policy = |policy: &str| format!("<schedulingPolicy>{policy}</schedulingPolicy>");
    let root = |of: &str, inner: &str| queue("root", &format!("{}{inner}", policy(of)));
    let drf = queue("a", &policy("drf"));
    assert_lint("drf-under-fair", "drf", &drf, &root("drf", &drf));
    let deep = queue("a", &format!("{}{}", policy("fair"), queue("b", &policy("drf"))));
    assert_lint("drf-under-fair", "drf", &root("drf", &deep), &root("drf", &deep.replace("drf", "fifo")));
    // What is below a queue that does not exist is not told of as well.
    let below = queue("a", &format!("{}{}", policy("drf"), queue("b", &queue("c", &policy("drf")))));
    let found_below = found(&below, &CheckOptions::new(&ResourceTypes::standard()));
    assert_eq!(found_below, [("drf-under-fair", "drf".to_owned())]);
    // By default: one mistake, however many queues there are.
    let default = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>";
    let two = format!("{}{}", queue("a", ""), queue("b", ""));
    let bad = format!("{default}{}", root("fair", &two));
    assert_lint("drf-under-fair", "a", &bad, &format!("{default}{}", queue("root", &two)));
    let said = &check(&bad, &CheckOptions::new(&ResourceTypes::standard()))[0].message;
    assert!(said.starts_with("queue \"root.a\" (and 1 more): "), "{said}");

    let fifo = |inner: &str| queue("a", &format!("{}{inner}", policy("fifo")));
    assert_lint("fifo-parent", "fifo", &fifo("<queue name='b'/>"), &fifo(""));
    let typed = |of: &str| format!("<queue name='a' type='parent'>{}</queue>", policy(of));
    assert_lint("fifo-parent", "fifo", &typed("fifo"), &typed("fair"));
    assert_lint("fifo-parent", "FIFO", &root("FIFO", &queue("a", "")), &root("drf", &queue("a", "")));
    let class = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy";
    let default = format!("<defaultQueueSchedulingPolicy>{class}</defaultQueueSchedulingPolicy>");
    assert_lint("fifo-parent", class, &default, &format!("{default}{}", root("fair", &queue("a", ""))));
}

#[test]
fn lists_that_keep_nobody_out() {
    let submit = |list: &str| format!("<aclSubmitApps>{list}</aclSubmitApps>");
    let administer = |list: &str| format!("<aclAdministerApps>{list}</aclAdministerApps>");
    let closed = format!("{}{}", submit(" "), administer("admin"));
    let leaf = queue("a", &submit("al"));
    assert_lint("acl-open", "al", &leaf, &queue("root", &format!("{closed}{leaf}")));
    // Who may administer may submit, and in root that is everybody by default.
    let half = queue("root", &format!("{}{leaf}", submit(" ")));
    let options_types = ResourceTypes::standard();
    let options = CheckOptions::new(&options_types);
    let said = &check(&half, &options)[0];
    assert_eq!(said.message, "queue \"root\" (and 1 more): aclSubmitApps keeps nobody out");
    assert_eq!(
        said.effect.as_deref(),
        Some("aclAdministerApps of the same queue is for everybody by default, and who may administer may submit")
    );
    // The right to submit does not open administration.
    let open = queue("root", &format!("{}{}{}", submit("*"), administer("admin"), queue("a", &administer("al"))));
    assert_eq!(found(&open, &options), []);
    // Lists for everybody mean to be open.
    assert_eq!(found(&queue("a", &submit("*")), &options), []);
    let middle =
        queue("root", &format!("{closed}{}", queue("a", &format!("{}{}", administer("*"), queue("b", &submit("al"))))));
    let said = &check(&middle, &options)[0];
    assert_eq!(
        said.effect.as_deref(),
        Some("rights given above count too, and in \"root.a\" everybody is in aclAdministerApps")
    );
}

#[test]
fn lists_that_are_read_otherwise_than_they_look() {
    let list = |list: &str| {
        let closed = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>";
        queue("root", &format!("{closed}{}", queue("a", &format!("<aclSubmitApps>{list}</aclSubmitApps>"))))
    };
    for (bad, good) in [
        ("al, bo", "al,bo"),
        ("al ,bo", "al bo"),
        ("al bo cy", "al bo,cy"),
        ("al\tbo", " al"),
        ("al,\n  bo", "al,\nbo"),
        ("al dev ops", "al dev, ops"),
        ("al dev ops", " "),
        ("al dev ops", "al "),
        ("al dev ops", "\n *\n"),
    ] {
        assert_lint("acl-white-space", bad, &list(bad), &list(good));
    }
    assert_lint("acl-star", "al,*", &list("al,*"), &list("*"));
    let types = ResourceTypes::standard();
    let said = &check(&list("al, bo"), &CheckOptions::new(&types))[0];
    assert_eq!(said.effect.as_deref(), Some("Hadoop reads users \"al\"; groups \"bo\""));
}

#[test]
fn lists_that_are_switched_off() {
    let lists = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>";
    let (off, on) = (Settings::default(), settings(&[("yarn.acl.enable", "true")]));
    let root = queue("root", lists);
    assert_lint_with(&CheckOptions::with_settings(&off), "acl-disabled", "aclSubmitApps", &root, &queue("root", ""));
    assert_eq!(found(&root, &CheckOptions::with_settings(&on)), []);
}

#[test]
fn default_rules() {
    let to = |queue: &str| {
        format!("<queue name='a'/><queue name='p' type='parent'/>{}", rules(&format!("<rule name='default' {queue}/>")))
    };
    assert_lint("default-queue-parent", "p", &to("queue='p'"), &to("queue='a'"));
    assert_lint("default-queue-parent", "root", &to("queue='root'"), &to("queue='root.a'"));
    let declared = "<queue name='default'><queue name='x'/></queue>";
    let unnamed = format!("{declared}{}", rules("<rule name='default'/>"));
    assert_lint("default-queue-parent", "rule", &unnamed, &to(""));
    // What is placed in a plan goes into its default child.
    let plan = format!("{}{}", plan(""), rules("<rule name='default' queue='p'/>"));
    assert_eq!(found(&plan, &CheckOptions::new(&ResourceTypes::standard())), []);
    assert_lint("default-queue-below-leaf", "a.b", &to("queue='a.b'"), &to("queue='default'"));
    assert_lint("default-queue-undeclared", "other", &to("queue='other'"), &to("queue='a'"));
    let types = ResourceTypes::standard();
    let near = format!("<queue name='adhoc'/>{}", rules("<rule name='default' queue='ad-hoc'/>"));
    assert_eq!(check(&near, &CheckOptions::new(&types))[0].help.as_deref(), Some("did you mean \"root.adhoc\"?"));
}

/// Looking for names that are near is the one thing here that costs more than the file is long.
#[test]
fn what_rules_meant_is_looked_for_within_bounds() {
    let name = |i: usize| format!("{}{i:03}", "q".repeat(87));
    let queues: String = (0..500).map(|i| queue(&name(i), "")).collect();
    let wrong: String =
        (0..40).map(|i| format!("<rule name='default' create='false' queue='{}x'/>", name(i))).collect();
    let file = format!("{queues}{}", rules(&format!("{wrong}<rule name='reject'/>")));
    let found = check(&file, &CheckOptions::new(&ResourceTypes::standard()));
    let help = |found: &Diagnostic| found.help.clone().unwrap();
    assert_eq!(found.len(), 40);
    assert_eq!(help(&found[0]), format!("did you mean \"root.{}\"?", name(0)));
    assert_eq!(help(&found[39]), "declare the queue");
}

#[test]
fn rules_that_never_place() {
    let twice = |second: &str| {
        rules(&format!("<rule name='specified'/><rule name='{second}' create='false'/><rule name='reject'/>"))
    };
    assert_lint("repeated-rule", "specified", &twice("specified"), &twice("user"));
    // The first one has left something over.
    let wider = rules("<rule name='specified' create='false'/><rule name='specified'/><rule name='reject'/>");
    assert_eq!(found(&wider, &CheckOptions::new(&ResourceTypes::standard())), []);
    let nested = |queue: &str| {
        let rule = format!("<rule name='nestedUserQueue'><rule name='default' queue='{queue}'/></rule>");
        format!("<queue name='leaf'/><queue name='users' type='parent'/>{}", rules(&rule))
    };
    assert_lint("parent-rule-leaf", "leaf", &nested("leaf"), &nested("users"));
    assert_lint("parent-rule-leaf", "leaf.x", &nested("leaf.x"), &nested("users.x"));
}

#[test]
fn rules_that_make_queues_against_a_property() {
    let forbidden = settings(&[("yarn.scheduler.fair.allow-undeclared-pools", "false")]);
    let options = CheckOptions::with_settings(&forbidden);
    let rule = |create: &str| rules(&format!("<rule name='specified' create='{create}'/><rule name='default'/>"));
    assert_lint_with(&options, "undeclared-pools-ignored", "specified", &rule("true"), &rule("false"));
    assert_eq!(found(&rule("true"), &CheckOptions::with_settings(&Settings::default())), []);
}

#[test]
fn preemption_values() {
    let in_queue = |tag: &str, text: &str| queue("a", &format!("<{tag}>{text}</{tag}>"));
    for tag in ["minSharePreemptionTimeout", "fairSharePreemptionTimeout"] {
        assert_lint("negative-timeout", "-1", &in_queue(tag, "-1"), &in_queue(tag, "0"));
    }
    let default = |text: &str| format!("<defaultMinSharePreemptionTimeout>{text}</defaultMinSharePreemptionTimeout>");
    assert_lint("negative-timeout", "-5", &default("-5"), &default("300"));
    let threshold = |text: &str| in_queue("fairSharePreemptionThreshold", text);
    for bad in ["50", "-0.1", "NaN"] {
        assert_lint("threshold-range", bad, &threshold(bad), &threshold("1.0"));
    }
    let top = |text: &str| format!("<defaultFairSharePreemptionThreshold>{text}</defaultFairSharePreemptionThreshold>");
    assert_lint("threshold-range", "1.01", &top("1.01"), &top("0"));
    let own = queue("root", "<minSharePreemptionTimeout>5</minSharePreemptionTimeout>");
    let other = queue("root", "<fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>");
    // Not read at all, so what it says does not matter.
    let bad = format!("{own}{}", default("-5"));
    assert_lint("hidden-default", "defaultMinSharePreemptionTimeout", &bad, &format!("{other}{}", default("5")));
}

#[test]
fn preemption_that_is_forbidden_above() {
    let allow = |yes: &str| format!("<allowPreemptionFrom>{yes}</allowPreemptionFrom>");
    let tree =
        |outer: &str, inner: &str| queue("a", &format!("{}{}", allow(outer), queue("b", &queue("c", &allow(inner)))));
    assert_lint("preemption-forbidden", "true", &tree("false", "true"), &tree("true", "true"));
    assert_eq!(found(&tree("false", "false"), &CheckOptions::new(&ResourceTypes::standard())), []);
}

#[test]
fn preemption_that_is_off_or_never_comes() {
    let (off, on) = (Settings::default(), settings(&[("yarn.scheduler.fair.preemption", "true")]));
    let (off, on) = (CheckOptions::with_settings(&off), CheckOptions::with_settings(&on));
    let timeout = "<queue name='a'><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout></queue>";
    assert_lint_with(&off, "preemption-off", "fairSharePreemptionTimeout", timeout, "<queue name='a'/>");
    assert_lint_with(&on, "preemption-never", "allocations", "<queue name='a'/>", timeout);
    let types = ResourceTypes::standard();
    assert_eq!(found(timeout, &CheckOptions::new(&types)), []);
}

#[test]
fn all_errors_are_found_and_stand_in_order_with_the_warnings() {
    let inner = "<queue name='a.b'><weight>x</weight></queue><queue name='c'><maxResources>1 gb</maxResources>\
                 <weight>0</weight></queue><userMaxAppsDefault>many</userMaxAppsDefault>\
                 <queuePlacementPolicy><rule name='usr'/></queuePlacementPolicy>";
    let types = ResourceTypes::standard();
    let checked = AllocationFile::check(&document(inner), "f.xml", &CheckOptions::new(&types));
    assert_eq!(checked.file, None);
    let codes: Vec<&str> = checked.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(
        codes,
        ["queue-name", "not-a-number", "not-a-resource", "weight-not-positive", "not-a-number", "unknown-rule"]
    );
    let late = &checked.diagnostics[4];
    assert!(late.effect.as_deref().is_some_and(|effect| effect.contains("placement rules are in force")), "{late}");
    let first = AllocationFile::parse(&document(inner), "f.xml", &types, &[]).unwrap_err().diagnostic();
    assert!(checked.diagnostics.contains(&first), "{first}");
}

#[test]
fn what_is_no_document_has_one_error() {
    let types = ResourceTypes::standard();
    for (text, code) in [("<allocations>", "malformed"), ("<queues/>", "root-element"), ("", "malformed")] {
        let checked = AllocationFile::check(text, "f.xml", &CheckOptions::new(&types));
        let codes: Vec<&str> = checked.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!((checked.file, codes), (None, vec![code]), "{text}");
    }
}
