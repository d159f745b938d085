//! Who may do what: at submission, for kills and moves, and in the questions that an embedder asks.
//!
//! Follows rules/configuration.md 5; Hadoop's `RMAppManager`, `ClientRMService` and `FairQueueACLsManager`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::config::{AccessControlList, QueueAccess};
use evenweave::event::AppAccess;
use evenweave::groups::Groups;
use evenweave::refused::{Denied, Gone, NoQueue, NotFound};
use evenweave::{AppHandle, FairSchedulerBuilder, Refused, Resource, Stepped, Submission};
use evenweave_testkit::fair;
use std::collections::HashMap;
use std::sync::Arc;

const ENABLED: (&str, &str) = ("yarn.acl.enable", "true");
const BOSS: (&str, &str) = ("yarn.admin.acl", "boss admins");

/// `root` is closed. `root.a` is al's, `root.a.x` is administered by the group ops; `root.b` is bo's.
const QUEUES: &str = "<queue name='root'><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>\
    <queue name='a' type='parent'><aclSubmitApps>al</aclSubmitApps>\
        <queue name='x'><aclAdministerApps> ops</aclAdministerApps></queue></queue>\
    <queue name='b'><aclSubmitApps>bo</aclSubmitApps></queue></queue>";

fn builder(properties: &[(&str, &str)], queues: &str) -> FairSchedulerBuilder {
    let groups = [("opal", vec!["ops"]), ("ada", vec!["admins"])];
    let groups: HashMap<String, Vec<String>> =
        groups.into_iter().map(|(user, of)| (user.to_owned(), of.into_iter().map(str::to_owned).collect())).collect();
    fair(properties, queues).groups(Arc::new(groups))
}

fn stepped(properties: &[(&str, &str)], queues: &str) -> Stepped {
    let mut stepped = builder(properties, queues).stepped().unwrap();
    stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    stepped
}

fn submission(number: u32, user: &str, queue: &str) -> Submission {
    Submission::new(number, user).in_queue(queue)
}

fn submit(stepped: &mut Stepped, number: u32, user: &str, queue: &str) -> Result<AppHandle, Refused> {
    stepped.submit(submission(number, user, queue))
}

fn reload(stepped: &mut Stepped, queues: &str) {
    stepped.reload_text(&format!("<allocations>{queues}</allocations>")).unwrap();
}

fn names(stepped: &mut Stepped) -> Vec<String> {
    stepped.queues().into_iter().map(|queue| queue.name).collect()
}

fn acl(user: &str, queue: &str) -> Refused {
    Refused::Denied(Denied::Queue { user: user.to_owned(), queue: queue.to_owned() })
}

// ---------------------------------------------------------------------------------------------------- submission

/// The ResourceManager asks before the queue is made, of the nearest one there is; the scheduler after, of itself. So
/// only the scheduler's refusal leaves a queue behind.
#[test]
fn who_refuses_a_submission_shows_in_the_queues() {
    let mut guarded = stepped(&[ENABLED], QUEUES);
    let refused = submit(&mut guarded, 1, "bo", "root.a.new.leaf").unwrap_err();
    let (user, queue, nearest) = ("bo".to_owned(), "root.a.new.leaf".to_owned(), "root.a".to_owned());
    assert_eq!(refused, Refused::Denied(Denied::Submit { user, queue, nearest }));
    for word in ["\"bo\"", "submit", "\"root.a\"", "\"root.a.new.leaf\""] {
        assert!(refused.to_string().contains(word), "{refused}");
    }
    assert_eq!(names(&mut guarded), ["root", "root.a", "root.a.x", "root.b"]);

    let mut open = stepped(&[], QUEUES);
    assert_eq!(submit(&mut open, 1, "bo", "root.a.new.leaf").unwrap_err(), acl("bo", "root.a.new.leaf"));
    assert_eq!(names(&mut open), ["root", "root.a", "root.a.new", "root.a.new.leaf", "root.a.x", "root.b"]);
    submit(&mut open, 2, "al", "root.a.new.leaf").unwrap();
}

/// A submission needs one of the two rights, from the queue or any above it.
#[test]
fn administrators_of_a_queue_may_submit_to_it() {
    for properties in [&[][..], &[ENABLED]] {
        let mut stepped = stepped(properties, QUEUES);
        submit(&mut stepped, 1, "opal", "root.a.x").unwrap();
        submit(&mut stepped, 2, "al", "root.a.x").unwrap();
        assert!(submit(&mut stepped, 3, "opal", "root.b").is_err());
    }
}

/// The scheduler's check asks neither whether rights are enabled nor who administers the cluster.
#[test]
fn a_cluster_administrator_needs_the_right_to_submit() {
    for properties in [&[BOSS][..], &[BOSS, ENABLED]] {
        assert!(submit(&mut stepped(properties, QUEUES), 1, "boss", "root.b").is_err());
    }
    let open_root = "<queue name='b'><aclSubmitApps>bo</aclSubmitApps></queue>";
    submit(&mut stepped(&[ENABLED], open_root), 1, "anybody", "root.b").unwrap();
}

/// An attempt is not a submission: rights withdrawn since do not end the application.
#[test]
fn a_further_attempt_is_not_asked_again() {
    let mut stepped = stepped(&[ENABLED], QUEUES);
    let app = submit(&mut stepped, 1, "bo", "root.b").unwrap();
    reload(&mut stepped, &QUEUES.replace("bo", "nobody"));
    assert!(submit(&mut stepped, 2, "bo", "root.b").is_err());
    let next = stepped.new_attempt(&app, evenweave::NewAttempt::default()).unwrap();
    assert_eq!((next.number(), next.queue()), (1, "root.b"));
}

/// Groups that nobody may ask for.
#[derive(Debug)]
struct Unasked;

impl Groups for Unasked {
    fn of(&self, user: &str) -> Vec<String> {
        panic!("the groups of {user} were looked up")
    }
}

/// Looking up groups may take long: rights that do not hang on them do without.
#[test]
fn groups_are_looked_up_only_where_they_decide() {
    let lists = "<queue name='b'><aclAdministerApps>bo</aclAdministerApps></queue>";
    let mut stepped =
        builder(&[ENABLED, ("yarn.admin.acl", "boss")], lists).groups(Arc::new(Unasked)).stepped().unwrap();
    assert!(stepped.has_access("anybody", "root.b", QueueAccess::Submit), "everybody may at root");
    assert!(!stepped.is_admin("anybody"), "no group is in the list");
}

/// What the ResourceManager makes of the name that was asked for, beside what the rules give.
#[test]
fn a_name_asked_for_in_another_case_is_kept_and_an_empty_one_refused() {
    let rules = "<queuePlacementPolicy><rule name='user'/></queuePlacementPolicy>";
    let mut stepped = stepped(&[], rules);
    assert_eq!(stepped.place("al", Some("root.AL")).unwrap().as_deref(), Some("root.al"));
    assert_eq!(names(&mut stepped), ["root"], "asking makes no queue");
    assert_eq!(submit(&mut stepped, 1, "al", "root.AL").unwrap().queue(), "root.AL");
    assert_eq!(submit(&mut stepped, 2, "al", "AL").unwrap().queue(), "root.al");
    let refused = submit(&mut stepped, 3, "al", "").unwrap_err();
    assert!(matches!(refused, Refused::NoQueue(NoQueue::NameAtSubmit { number: 3, .. })), "{refused}");
    assert_eq!(stepped.place("al", Some("")).unwrap().as_deref(), Some("root.al"));
}

/// With the check on, a name that is kept and has another spelling of root leads nowhere.
#[test]
fn another_spelling_of_root_has_no_queue_above_it() {
    let rules = "<queuePlacementPolicy><rule name='user'/></queuePlacementPolicy>";
    let refused = submit(&mut stepped(&[ENABLED], rules), 1, "al", "Root.al").unwrap_err();
    assert!(
        matches!(&refused, Refused::NoQueue(NoQueue::NameAtSubmit { queue, .. }) if queue == "Root.al"),
        "{refused}"
    );
    assert_eq!(submit(&mut stepped(&[], rules), 1, "al", "Root.al").unwrap().queue(), "root.Root.al");
}

// ---------------------------------------------------------------------------------------------------- reload

/// Every file writes its queues' lists; those of a queue that it does not name any more stay, for a queue of that name.
#[test]
fn a_removed_queue_leaves_its_lists_behind() {
    let mut stepped = stepped(&[], QUEUES);
    let closed = "<queue name='root'><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>";
    reload(&mut stepped, &format!("{closed}</queue>"));
    reload(&mut stepped, &format!("{closed}</queue>"));
    assert_eq!(names(&mut stepped), ["root"], "housekeeping took the queues away");
    assert!(!stepped.has_access("bo", "root.b", QueueAccess::Submit), "no right in a queue that is not there");
    submit(&mut stepped, 1, "bo", "root.b").unwrap();
    assert!(stepped.has_access("bo", "root.b", QueueAccess::Submit));
    let lists: Vec<_> = stepped.queue_configs().into_iter().map(|config| config.acl_submit).collect();
    assert_eq!(lists, [Some(AccessControlList::nobody()), Some(AccessControlList::parse("bo"))]);
    // Named again without lists: nobody's.
    reload(&mut stepped, &format!("{closed}<queue name='b'/></queue>"));
    assert_eq!(submit(&mut stepped, 2, "bo", "root.b").unwrap_err(), acl("bo", "root.b"));
}

/// Root is everybody's before each file is looked at.
#[test]
fn a_file_without_root_opens_it_again() {
    let mut stepped = stepped(&[], QUEUES);
    assert_eq!(submit(&mut stepped, 1, "cy", "root.b").unwrap_err(), acl("cy", "root.b"));
    reload(&mut stepped, "<queue name='b'/>");
    submit(&mut stepped, 1, "cy", "root.b").unwrap();
}

// ---------------------------------------------------------------------------------------------------- kill, see, move

/// The owner, a cluster administrator, an administrator of the queue or of one above it; nobody else, and who submits
/// there is nobody.
#[test]
fn who_may_kill_and_see_an_application() {
    let mut stepped = stepped(&[ENABLED, BOSS], QUEUES);
    let mut number = 0;
    for (user, may) in [("al", true), ("boss", true), ("ada", true), ("opal", true), ("bo", false), ("", false)] {
        number += 1;
        let app = submit(&mut stepped, number, "al", "root.a.x").unwrap();
        let expected = |access| {
            let (user, queue) = (user.to_owned(), "root.a.x".to_owned());
            if may { Ok(()) } else { Err(Refused::Denied(Denied::App { user, access, app: number, queue })) }
        };
        assert_eq!(stepped.check_app(user, &app, AppAccess::View), expected(AppAccess::View));
        assert_eq!(stepped.finish_as(user, &app), expected(AppAccess::Modify));
        assert_eq!(app.is_finished(), may, "{user}");
        if may {
            assert_eq!(stepped.finish_as(user, &app), Err(Refused::NotFound(NotFound::App(number))));
        }
    }
}

#[test]
fn a_refusal_says_who_may_not_do_what_where() {
    let mut stepped = stepped(&[ENABLED, BOSS], QUEUES);
    let app = submit(&mut stepped, 7, "al", "root.a.x").unwrap();
    let said = stepped.finish_as("bo", &app).unwrap_err().to_string();
    for word in ["\"bo\"", "modify", "application 7", "\"root.a.x\"", "yarn.admin.acl"] {
        assert!(said.contains(word), "{said}");
    }
}

/// A move asks twice: for the application, and for the target, where neither owner nor cluster administrator is asked
/// for.
#[test]
fn a_move_needs_rights_on_both_ends() {
    let queues = QUEUES.replace("<aclSubmitApps>bo<", "<aclSubmitApps>bo,opal<");
    let mut stepped = stepped(&[ENABLED, BOSS], &queues);
    let app = submit(&mut stepped, 1, "al", "root.a.x").unwrap();
    let not_mine = Err(Refused::Denied(Denied::App {
        user: "bo".to_owned(),
        access: AppAccess::Modify,
        app: 1,
        queue: "root.a.x".to_owned(),
    }));
    assert_eq!(stepped.move_app_as("bo", &app, "root.b"), not_mine);
    assert_eq!(stepped.move_app_as("al", &app, "b"), Err(acl("al", "root.b")));
    assert_eq!(stepped.move_app_as("boss", &app, "root.b"), Err(acl("boss", "root.b")));
    let missing = || Err(Refused::NotFound(NotFound::Queue("root.c".to_owned())));
    assert_eq!(stepped.move_app_as("opal", &app, "c"), missing());
    assert_eq!(stepped.move_app_as("opal", &app, "root.b"), Ok(()));
    assert_eq!(stepped.apps()[0].queue, "root.b");
    // It is in another queue now, where nobody is an administrator.
    assert!(matches!(stepped.move_app_as("opal", &app, "root.a.x"), Err(Refused::Denied(Denied::App { .. }))));
    assert_eq!(stepped.move_app_as("al", &app, "root.a.x"), Ok(()));
    assert_eq!(
        stepped.move_app_as("al", &app, "root.a"),
        Err(Refused::NotFound(NotFound::Queue("root.a".to_owned()))),
        "no leaf"
    );
}

/// Without `yarn.acl.enable` whoever calls may do everything.
#[test]
fn nothing_is_guarded_while_rights_are_off() {
    let mut stepped = stepped(&[("yarn.admin.acl", " ")], QUEUES);
    let app = submit(&mut stepped, 1, "al", "root.a.x").unwrap();
    assert!(stepped.permits("cy", "root.b", QueueAccess::Administer));
    assert!(!stepped.has_access("cy", "root.b", QueueAccess::Administer));
    assert!(!stepped.is_admin("cy"));
    assert_eq!(stepped.check_app("cy", &app, AppAccess::View), Ok(()));
    assert_eq!(stepped.move_app_as("cy", &app, "root.b"), Ok(()));
    assert_eq!(stepped.finish_as("cy", &app), Ok(()));
}

/// The threaded scheduler asks the same.
#[test]
fn the_threaded_scheduler_asks_the_same() {
    let scheduler = builder(&[ENABLED, BOSS], QUEUES).start().unwrap();
    let app = scheduler.submit(submission(1, "al", "root.a.x")).unwrap();
    assert_eq!(scheduler.has_access("al", "root.a.x", QueueAccess::Submit), Ok(true));
    assert_eq!(scheduler.permits("bo", "root.a.x", QueueAccess::Submit), Ok(false));
    assert_eq!(scheduler.is_admin("ada"), Ok(true));
    assert_eq!(scheduler.place("bo", Some("b")), Ok(Some("root.b".to_owned())));
    assert!(matches!(scheduler.check_app("bo", &app, AppAccess::View), Err(Refused::Denied(Denied::App { .. }))));
    assert_eq!(scheduler.move_app_as("al", &app, "root.b"), Err(acl("al", "root.b")));
    assert!(matches!(scheduler.finish_as("bo", &app), Err(Refused::Denied(Denied::App { .. }))));
    assert!(matches!(scheduler.submit(submission(2, "bo", "root.a.y")), Err(Refused::Denied(Denied::Submit { .. }))));
    scheduler.create_queue("a.y").unwrap();
    assert_eq!(
        scheduler.create_queue("b.z"),
        Err(Refused::NoQueue(NoQueue::CannotCreate { queue: "root.b.z".to_owned() }))
    );
    // With somebody in it housekeeping leaves it.
    scheduler.submit(submission(3, "al", "root.a.y")).unwrap();
    let configs = scheduler.queue_configs().unwrap();
    let ad_hoc: Vec<_> = configs.iter().filter(|queue| queue.dynamic).map(|queue| queue.name.as_str()).collect();
    assert_eq!(ad_hoc, ["root.a.y"]);
    assert_eq!(scheduler.placement_rules().unwrap().len(), 2);
    assert!(scheduler.allocations().unwrap().names("root.a.x"));
    scheduler.finish_as("boss", &app).unwrap();
    assert!(app.is_finished());
    scheduler.shutdown().unwrap();
    assert_eq!(scheduler.has_access("al", "root.a.x", QueueAccess::Submit), Err(Refused::Gone(Gone::ShutDown)));
}
