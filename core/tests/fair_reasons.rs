//! Why an application of the FairScheduler waits: what is told of all nodes at once, and who comes first; the same on
//! the stepped scheduler and on threads, with one worker and with two. `tools/src/replay/why_answers_fair.rs` holds the
//! answers of single nodes against what recorded runs did next.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::policy::Precedence;
use evenweave::reason::{FairReason, FairWait, NotOffered, Words};
use evenweave::refused::NotFound;
use evenweave::resource::ResourceTypes;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, FairScheduler, Heartbeat, NodeHandle, Refused, Resource, Stepped,
    Submission,
};
use evenweave_testkit::allocations;

const QUEUES: &str = "<allocations><queue name='a'><weight>3</weight></queue>\
    <queue name='b'><maxResources>4096 mb, 4 vcores</maxResources></queue><queue name='c'/></allocations>";

/// The same calls on all drivers; what is asked has to have the same answer.
struct All {
    stepped: Stepped,
    threaded: Vec<FairScheduler>,
    apps: Vec<Vec<AppHandle>>,
    nodes: Vec<Vec<NodeHandle>>,
}

impl All {
    fn new() -> All {
        let file = allocations(QUEUES);
        let build = || FairScheduler::builder().allocations(file.clone());
        let threaded = [1, 2].map(|workers| build().workers(workers).timers(false).start().unwrap());
        let stepped = build().stepped().unwrap();
        All { stepped, threaded: threaded.into(), apps: Vec::new(), nodes: Vec::new() }
    }

    fn node(&mut self, name: &str, mb: i64) {
        let total = Resource::new(mb, 100);
        let mut handles = vec![self.stepped.add_node(name, "/r1", total).unwrap()];
        handles.extend(self.threaded.iter().map(|scheduler| scheduler.add_node(name, "/r1", total).unwrap()));
        self.nodes.push(handles);
        self.rest();
    }

    /// An application that asks for so many containers of so much.
    fn app(&mut self, queue: &str, mb: i64, count: u32) -> usize {
        let number = u32::try_from(self.apps.len()).unwrap() + 1;
        let submission = Submission::new(number, "ann").in_queue(queue);
        let request = AllocateRequest::new([Ask::anywhere(1, Resource::new(mb, 1), count)]);
        let mut handles = vec![self.stepped.submit(submission.clone()).unwrap()];
        self.stepped.allocate(&handles[0], &request, &mut Allocation::default()).unwrap();
        for scheduler in &self.threaded {
            let app = scheduler.submit(submission.clone()).unwrap();
            scheduler.allocate(&app, &request, &mut Allocation::default()).unwrap();
            handles.push(app);
        }
        self.apps.push(handles);
        self.rest();
        self.apps.len() - 1
    }

    fn heartbeat(&mut self, node: usize) {
        let handles = &self.nodes[node];
        self.stepped.heartbeat(Heartbeat::new(&handles[0]));
        for (scheduler, node) in self.threaded.iter().zip(&handles[1..]) {
            scheduler.heartbeat(Heartbeat::new(node)).unwrap();
        }
        self.rest();
    }

    fn rest(&mut self) {
        self.stepped.update_now();
        for scheduler in &self.threaded {
            scheduler.quiesce().unwrap();
            scheduler.update_now().unwrap();
            scheduler.quiesce().unwrap();
        }
    }

    fn why(&mut self, app: usize) -> Vec<FairReason> {
        let found = self.stepped.why_waiting(&self.apps[app][0]);
        for (scheduler, app) in self.threaded.iter().zip(&self.apps[app][1..]) {
            let mut other = scheduler.why_waiting(app).unwrap();
            // Each worker tells its own nodes; which of them comes first is by worker.
            for (reason, told) in other.iter_mut().zip(&found) {
                reason.nodes = reason.nodes.take().map(|(count, _)| (count, told.nodes.clone().unwrap().1));
            }
            assert_eq!(found, other);
        }
        found
    }

    fn said(&mut self, app: usize) -> Vec<String> {
        let types = ResourceTypes::standard();
        self.why(app).iter().map(|reason| Words::new(&types).reason(reason)).collect()
    }
}

#[test]
fn without_nodes_there_is_none() {
    let mut all = All::new();
    let app = all.app("root.a", 1024, 1);
    assert_eq!(all.said(app), ["there is no node"]);
}

#[test]
fn nodes_with_the_same_reason_are_one_line() {
    let mut all = All::new();
    all.node("n1", 2048);
    all.node("n2", 2048);
    all.node("n3", 16384);
    let app = all.app("root.a", 8192, 1);
    let [larger, offer] = all.said(app).try_into().unwrap();
    let wants = "priority 1: larger than the whole node: wants 8192 MB, 1 vcores, the node has 2048 MB, 100 vcores";
    assert_eq!(larger, format!("{wants} (2 nodes, n1 first)"));
    assert_eq!(offer, "priority 1: nothing stands against it (n3)");
}

#[test]
fn who_comes_first_is_told_nearest_to_root() {
    let mut all = All::new();
    all.node("n1", 8192);
    let first = all.app("root.c", 1024, 2);
    all.heartbeat(0);
    let second = all.app("root.c", 1024, 2);
    let other = all.app("root.a", 1024, 2);
    // It uses something, the others nothing: behind the other queue, and within its own behind the other application.
    let behind = |reasons: Vec<FairReason>| {
        let found = reasons.into_iter().find_map(|reason| {
            let FairWait::Behind { first, second, precedence } = reason.wait else { return None };
            Some((first, second, precedence))
        });
        found.unwrap()
    };
    assert_eq!(
        behind(all.why(first)),
        ("root.a".to_owned(), "root.c".to_owned(), Precedence::UsageToWeight),
        "queues come before applications"
    );
    assert_eq!(behind(all.why(second)).0, "root.a");
    let mine = all.why(other);
    assert!(!mine.iter().any(|reason| matches!(reason.wait, FairWait::Behind { .. })), "nobody: {mine:?}");
    // Once nobody else wants anything it is the application of its own queue.
    for (scheduler, app) in all.threaded.iter().zip(&all.apps[other][1..]) {
        scheduler.finish(app).unwrap();
    }
    all.stepped.finish(&all.apps[other][0]).unwrap();
    all.rest();
    assert_eq!(
        behind(all.why(first)),
        ("application 2".to_owned(), "application 1".to_owned(), Precedence::UsageToWeight)
    );
}

#[test]
fn what_stands_whatever_the_node_is_told_once() {
    let mut all = All::new();
    all.node("n1", 65536);
    let app = all.app("root.b", 1024, 100);
    for _ in 0..10 {
        all.heartbeat(0);
    }
    let [full] = all.why(app).try_into().unwrap();
    assert!(full.to_string().contains("one more would take root.b above its max share"), "{full}");
    for (scheduler, app) in all.threaded.iter().zip(&all.apps[app][1..]) {
        scheduler.finish(app).unwrap();
    }
    all.stepped.finish(&all.apps[app][0]).unwrap();
    all.rest();
    assert_eq!(all.why(app)[0].wait, FairWait::NotOffered(NotOffered::Ended));
}

#[test]
fn a_node_that_is_gone_or_of_another_scheduler_is_refused() {
    let mut all = All::new();
    all.node("n1", 65536);
    let app = all.app("root.b", 1024, 1);
    let no_such = |answer: Result<_, Refused>| {
        assert!(matches!(answer, Err(Refused::NotFound(NotFound::Node(name))) if name == "n1"))
    };
    no_such(all.threaded[0].why_waiting_on(&all.apps[app][1], &all.nodes[0][2]));
    no_such(all.stepped.why_waiting_on(&all.apps[app][0], &all.nodes[0][2]));
    assert!(all.threaded[0].why_waiting_on(&all.apps[app][1], &all.nodes[0][1]).is_ok());
    all.threaded[0].remove_node(&all.nodes[0][1]).unwrap();
    all.threaded[0].quiesce().unwrap();
    no_such(all.threaded[0].why_waiting_on(&all.apps[app][1], &all.nodes[0][1]));
}
