//! Submissions and moves whose answer hangs on more than rules and rights: plan queues, the size of an AM, a tree that
//! cannot grow. Real Hadoop gave every answer here.
//!
//! Follows rules/configuration.md 3.1 and 5.5; rules/assignment.md 12.1 and 14;
//! `FairScheduler.resolveReservationQueueName` and
//! `handleMoveToPlanQueue`, `RMAppManager.createAndPopulateNewRMApp`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::refused::{Invalid, NoQueue, NotFound};
use evenweave::{AppHandle, Refused, Resource, Stepped, Submission};
use evenweave_testkit::fair;

fn text(queues: &str) -> String {
    format!("<allocations>{queues}</allocations>")
}

fn stepped(queues: &str) -> Stepped {
    let mut stepped = fair(&[], queues).stepped().unwrap();
    stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    stepped
}

fn submit(stepped: &mut Stepped, number: u32, queue: &str, am: Option<Resource>) -> Result<AppHandle, Refused> {
    stepped.submit(Submission::new(number, "al").in_queue(queue).maybe_with_am(am))
}

/// Where an application without an AM of its own ends.
fn enters(stepped: &mut Stepped, number: u32, queue: &str) -> Result<String, Refused> {
    submit(stepped, number, queue, None).map(|app| app.queue().to_owned())
}

/// Full name and policy of every queue but root, leaves with a star.
fn queues(stepped: &mut Stepped) -> Vec<String> {
    let shown = stepped.queue_configs().into_iter().filter(|queue| queue.name != "root");
    shown.map(|queue| format!("{} {}{}", queue.name, queue.policy, if queue.leaf { "*" } else { "" })).collect()
}

fn no_leaf(queue: &str) -> Refused {
    Refused::NoQueue(NoQueue::NotLeaf { queue: queue.to_owned() })
}

#[test]
fn a_plan_takes_applications_into_its_default_child() {
    let mut stepped = stepped(
        "<queue name='p'><reservation/></queue><queue name='a'/>\
         <queue name='x'><queue name='p'><reservation/></queue></queue>",
    );
    assert_eq!(enters(&mut stepped, 1, "root.p").unwrap(), "root.p.p-default");
    assert_eq!(enters(&mut stepped, 2, "p").unwrap(), "root.p.p-default");
    assert_eq!(enters(&mut stepped, 3, "root.x.p").unwrap(), "root.x.p.p-default");
    // Named itself, the child is a queue like any other; and so are others below a plan.
    assert_eq!(enters(&mut stepped, 4, "root.x.p.p-default").unwrap(), "root.x.p.p-default");
    assert_eq!(enters(&mut stepped, 5, "root.x.p.q").unwrap(), "root.x.p.q");
    let found = [
        "root.a fair*",
        "root.p fair",
        "root.p.p-default fair*",
        "root.x fair",
        "root.x.p fair",
        "root.x.p.p-default fair*",
        "root.x.p.q fair*",
    ];
    assert_eq!(queues(&mut stepped), found);
    assert!(stepped.queues().iter().any(|queue| queue.name == "root.p.p-default" && queue.dynamic));
}

#[test]
fn root_can_be_a_plan() {
    let mut stepped = stepped("<queue name='root'><reservation/></queue>");
    assert_eq!(enters(&mut stepped, 1, "root").unwrap(), "root.root-default");
    assert_eq!(enters(&mut stepped, 2, "root.x").unwrap(), "root.x");
}

#[test]
fn a_move_to_a_plan_goes_to_its_default_child_and_makes_none() {
    let mut stepped = stepped("<queue name='p'><reservation/></queue><queue name='a'/>");
    let app = submit(&mut stepped, 1, "root.a", None).unwrap();
    for plan in ["p", "root.p"] {
        let refused = Refused::NotFound(NotFound::Queue("root.p.p-default".to_owned()));
        assert_eq!(stepped.move_app(&app, plan), Err(refused));
    }
    assert_eq!(queues(&mut stepped), ["root.a fair*", "root.p fair"]);
    enters(&mut stepped, 2, "p").unwrap();
    stepped.move_app(&app, "p").unwrap();
    assert!(stepped.apps().iter().all(|app| app.queue == "root.p.p-default"));
}

/// The plan is one of the file in force.
#[test]
fn a_plan_is_one_no_longer_when_the_file_says_so() {
    let mut stepped = stepped("<queue name='p'><reservation/></queue>");
    enters(&mut stepped, 1, "p").unwrap();
    stepped.reload_text(&text("<queue name='p' type='parent'/>")).unwrap();
    assert_eq!(enters(&mut stepped, 2, "p"), Err(no_leaf("root.p")));
}

/// The ResourceManager looks at the AM, then the scheduler at what the rules said.
#[test]
fn an_am_too_large_is_told_of_before_that_no_rule_took_it() {
    let mut stepped = stepped(
        "<queue name='m'><maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation></queue>\
         <queuePlacementPolicy><rule name='specified' create='false'/><rule name='reject'/></queuePlacementPolicy>",
    );
    let kind = |stepped: &mut Stepped, number, queue: &str, memory| {
        submit(stepped, number, queue, Some(Resource::new(memory, 1))).unwrap_err().kind()
    };
    assert_eq!(kind(&mut stepped, 1, "nope", 50_000), "invalid-resource");
    assert_eq!(kind(&mut stepped, 2, "nope", 5000), "placement");
    assert_eq!(kind(&mut stepped, 3, "root.m", 5000), "invalid-resource");
}

const FIFO: &str = "<defaultQueueSchedulingPolicy>\
    org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy</defaultQueueSchedulingPolicy>";

#[test]
fn under_a_fifo_root_there_are_no_queues() {
    let mut stepped = stepped(&format!("{FIFO}<queue name='a'/><queue name='b' type='parent'/>"));
    assert_eq!(enters(&mut stepped, 1, "root.a"), Err(no_leaf("root.a")));
    assert_eq!(enters(&mut stepped, 2, "root.b.c"), Err(no_leaf("root.b.c")));
    stepped.update_now();
    assert_eq!(queues(&mut stepped), [""; 0]);
}

#[test]
fn fifo_by_default_is_for_leaves() {
    let fair = "<schedulingPolicy>fair</schedulingPolicy>";
    let inner = format!("{fair}<queue name='a'/><queue name='b' type='parent'/><queue name='c'>{fair}</queue>");
    let mut stepped = stepped(&format!("{FIFO}<queue name='root'>{inner}</queue>"));
    for (number, queue) in [(1, "root.a"), (3, "root.c"), (4, "root.new")] {
        assert_eq!(enters(&mut stepped, number, queue).unwrap(), queue);
    }
    for (number, queue) in [(2, "root.b.c"), (5, "root.new.x")] {
        assert_eq!(enters(&mut stepped, number, queue), Err(no_leaf(queue)));
    }
    assert_eq!(queues(&mut stepped), ["root.a FIFO*", "root.c fair*", "root.new FIFO*"]);
}

/// A root that has queues keeps its policy.
#[test]
fn fifo_comes_too_late_for_a_root_with_queues() {
    let mut stepped = stepped("<queue name='a'/><queue name='b'/>");
    enters(&mut stepped, 1, "root.a").unwrap();
    stepped.reload_text(&text(&format!("{FIFO}<queue name='a'/><queue name='d'/>"))).unwrap();
    for (number, queue) in [(2, "root.d"), (3, "root.n"), (4, "root.b")] {
        assert_eq!(enters(&mut stepped, number, queue).unwrap(), queue);
    }
    assert_eq!(queues(&mut stepped), ["root.a fair*", "root.b fair*", "root.d FIFO*", "root.n FIFO*"]);
}

#[test]
fn a_fair_scheduler_refuses_a_lifetime_and_takes_no_notice_of_a_priority() {
    use evenweave::{FairScheduler, SchedulerApi, SubmitTerms};

    let builder = FairScheduler::builder().timers(false);
    let drivers: [Box<dyn SchedulerApi>; 2] =
        [Box::new(builder.clone().start().unwrap()), Box::new(builder.stepped().unwrap())];
    for mut scheduler in drivers {
        let refused = Refused::Invalid(Invalid::Lifetime { app: 1, seconds: 5 });
        let terms = SubmitTerms::default().with_lifetime(5);
        assert_eq!(scheduler.accept(Submission::new(1, "ann"), terms.clone()), Err(refused.clone()));
        assert_eq!(scheduler.submit_with(Submission::new(1, "ann"), terms), Err(refused));
        let terms = SubmitTerms::default().with_priority(7);
        assert_eq!(scheduler.accept(Submission::new(1, "ann").in_queue("a"), terms.clone()), Ok("root.a".to_owned()));
        let app = scheduler.submit_with(Submission::new(1, "ann").in_queue("a"), terms).unwrap();
        assert_eq!(app.queue(), "root.a");
    }
}
