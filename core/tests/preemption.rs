//! Preemption on the stepped driver: the worked examples of the reference, and what must hold whatever happens.
//!
//! Exactness against Hadoop is what the recorded families `preempt` and `preempt-am` show.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, EndReason, FairScheduler, Heartbeat, NodeHandle,
    Refused, Resource, Settings, StepOutcome, Stepped, Submission,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const GIB: Resource = Resource::new(1024, 1);

/// Timeouts of nothing, and a least container of nothing.
fn stepped(workers: usize, inside: &str, more: &[(&str, &str)]) -> Stepped {
    let common = [
        ("yarn.scheduler.fair.preemption", "true"),
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
    ];
    let settings = Settings::from_properties(common.iter().chain(more).copied()).unwrap();
    let timeouts = "<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>\
                    <defaultMinSharePreemptionTimeout>0</defaultMinSharePreemptionTimeout>";
    let text = format!("<allocations>{timeouts}{inside}</allocations>");
    let file = AllocationFile::parse(&text, "allocations", &settings.types, &[]).unwrap().file;
    let builder = FairScheduler::builder().settings(settings).allocations(file).workers(workers);
    builder.journal(true).stepped().unwrap()
}

fn submit(stepped: &mut Stepped, number: u32, queue: &str, am: Option<Resource>) -> AppHandle {
    let queue = Some(queue.to_owned());
    stepped.submit(&Submission { number, user: "ann".to_owned(), queue, am: am.map(Into::into) }).unwrap()
}

fn allocate(stepped: &mut Stepped, app: &AppHandle, asks: Vec<Ask>) -> Allocation {
    let mut answer = Allocation::default();
    stepped.allocate(app, &AllocateRequest { asks, ..Default::default() }, &mut answer).unwrap();
    answer
}

fn heartbeat(stepped: &mut Stepped, node: &NodeHandle) -> StepOutcome {
    stepped.heartbeat(&Heartbeat::new(node));
    stepped.take_outcome()
}

/// A node of 8 GiB that one application has filled, and another that wants as much.
fn full_node(inside: &str, acquired: bool) -> (Stepped, NodeHandle, AppHandle, AppHandle) {
    let mut stepped = stepped(1, inside, &[]);
    let node = stepped.add_node("n1", "/r", Resource::new(8192, 8)).unwrap();
    let x = submit(&mut stepped, 1, "root.x", None);
    allocate(&mut stepped, &x, vec![Ask::anywhere(1, GIB, 8)]);
    stepped.update();
    assert_eq!(heartbeat(&mut stepped, &node).allocated.len(), 8);
    if acquired {
        allocate(&mut stepped, &x, vec![]);
    }
    stepped.advance(1000);
    let y = submit(&mut stepped, 2, "root.y", None);
    allocate(&mut stepped, &y, vec![Ask::anywhere(1, GIB, 8)]);
    stepped.update();
    (stepped, node, x, y)
}

/// Preemption reference 10: half of its share of 4 GiB is missing, two containers go, and what they leave goes to it.
#[test]
fn the_worked_round_of_the_reference() {
    let (mut stepped, node, x, y) = full_node("", true);
    let rounds = stepped.preempt(false).unwrap();
    let numbers: Vec<_> = rounds[0].containers.iter().map(|id| (id.application_number(), id.number())).collect();
    assert_eq!((rounds.len(), rounds[0].app, numbers), (1, 2, vec![(1, 8), (1, 7)]));
    let held = stepped.take_outcome().held;
    assert_eq!((held.len(), held[0].app, held[0].resource), (1, 2, Resource::new(2048, 2)));
    // Warned, not killed; nothing more is taken before the next check.
    assert_eq!(allocate(&mut stepped, &x, vec![]).strict_preemptions, rounds[0].containers);
    assert_eq!(stepped.preemption_warning(1), Ok(vec![7, 8]));
    stepped.advance(24_999);
    stepped.update();
    assert!(stepped.preempt(false).unwrap().is_empty());
    stepped.kill();
    let killed = stepped.take_outcome().completed;
    assert_eq!(killed, [(1, 7, EndReason::Preempted), (1, 8, EndReason::Preempted)]);
    assert_eq!(stepped.preemption_warning(1), Ok(vec![]));
    // X asks again and is due again, but the room is Y's.
    allocate(&mut stepped, &x, vec![Ask::anywhere(1, GIB, 8)]);
    let got = heartbeat(&mut stepped, &node);
    assert_eq!(got.allocated.iter().map(|made| made.app).collect::<Vec<_>>(), [2, 2]);
    assert!(got.held.is_empty());
    allocate(&mut stepped, &y, vec![]);
    stepped.kill();
    assert!(stepped.take_outcome().completed.is_empty(), "nothing is killed twice");
}

/// Assignment reference 11.2.7, recorded: an unseen container's request comes back once for its node's loss and once for the
/// kill.
#[test]
fn a_request_comes_back_for_each_end_that_is_told() {
    let (mut stepped, node, _, _) = full_node("<queue name='x'><weight>0.0001</weight></queue>", false);
    assert_eq!(stepped.preempt(false).unwrap()[0].containers.len(), 4);
    stepped.remove_node(&node).unwrap();
    stepped.kill();
    let of_x = stepped.apps().into_iter().find(|app| app.id.number == 1).unwrap();
    assert_eq!(of_x.outstanding, Resource::new((8 + 4) * 1024, 8 + 4));
    assert!(stepped.take_outcome().held.is_empty(), "what was owed went with the node");
}

/// Preemption reference 6.3: for each container the first node that has a set, and on it the newest, until it has none left.
#[test]
fn nodes_are_emptied_one_after_the_other() {
    let inside = "<queue name='x'><weight>0.0001</weight></queue>\
                  <defaultFairSharePreemptionThreshold>0.75</defaultFairSharePreemptionThreshold>";
    let mut stepped = stepped(1, inside, &[]);
    let nodes = ["n1", "n2"].map(|name| stepped.add_node(name, "/r", Resource::new(8192, 8)).unwrap());
    let x = submit(&mut stepped, 1, "root.x", None);
    allocate(&mut stepped, &x, vec![Ask::anywhere(1, GIB, 16)]);
    stepped.update();
    nodes.iter().for_each(|node| drop(heartbeat(&mut stepped, node)));
    let y = submit(&mut stepped, 2, "root.y", None);
    allocate(&mut stepped, &y, vec![Ask::anywhere(1, GIB, 16)]);
    stepped.update();
    let rounds = stepped.preempt(false).unwrap();
    let numbers: Vec<_> = rounds[0].containers.iter().map(|id| id.number()).collect();
    assert_eq!(numbers, [8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14]);
}

#[test]
fn what_may_not_be_preempted_stays() {
    let (mut stepped, ..) = full_node("<queue name='x'><allowPreemptionFrom>false</allowPreemptionFrom></queue>", true);
    let rounds = stepped.preempt(false).unwrap();
    assert_eq!((rounds.len(), rounds[0].containers.len()), (1, 0));
}

#[test]
fn below_the_utilisation_threshold_nobody_is_starved() {
    let (mut stepped, ..) = full_node("", true);
    stepped.preempt(true).unwrap();
    stepped.advance(60_000);
    stepped.add_node("n2", "/r", Resource::new(8192, 8)).unwrap();
    stepped.update();
    assert!(stepped.preempt(true).unwrap().is_empty());
}

#[test]
fn preemption_that_is_off() {
    let mut stepped = stepped(1, "", &[("yarn.scheduler.fair.preemption", "false")]);
    assert_eq!(stepped.preempt(true), Err(Refused::PreemptionOff));
    stepped.kill();
}

// -------------------------------------------------------------------------------------------------- whatever happens

/// A scheduler with what a test has to know of it.
struct World {
    stepped: Stepped,
    nodes: Vec<NodeHandle>,
    apps: Vec<AppHandle>,
    /// Sizes of containers, by application and number.
    sizes: HashMap<(u32, u32), Resource>,
    marked: HashSet<(u32, u32)>,
    ended: HashSet<(u32, u32)>,
}

const QUEUES: [&str; 3] = ["root.a", "root.b", "root.kept"];

impl World {
    fn new(workers: usize, nodes: usize) -> World {
        let inside = "<queue name='a'><weight>3</weight><minResources>4096 mb, 4 vcores</minResources></queue><queue name='b'/>\
                      <queue name='kept'><allowPreemptionFrom>false</allowPreemptionFrom></queue>\
                      <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>\
                      <queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>";
        let mut stepped = stepped(workers, inside, &[("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "0")]);
        let add =
            |n: usize| stepped.add_node(&format!("n{n}"), &format!("/r{}", n % 3), Resource::new(8192, 8)).unwrap();
        let nodes = (0..nodes).map(add).collect();
        World { stepped, nodes, apps: Vec::new(), sizes: HashMap::new(), marked: HashSet::new(), ended: HashSet::new() }
    }

    /// Takes in what a step did: containers made, and that each ends once, preempted only if it was marked.
    fn look(&mut self) {
        let outcome = self.stepped.take_outcome();
        for made in outcome.allocated {
            self.sizes.insert((made.app, made.container), made.resource);
        }
        for (app, container, reason) in outcome.completed {
            assert!(self.ended.insert((app, container)), "{app}/{container} ended twice");
            assert!(reason != EndReason::Preempted || self.marked.contains(&(app, container)), "killed without a mark");
        }
    }

    fn preempt(&mut self) {
        let rounds = self.stepped.preempt(false).unwrap();
        let apps = self.stepped.apps();
        let mut owners = HashSet::new();
        for id in rounds.iter().flat_map(|round| &round.containers) {
            let at = (id.application_number(), id.number());
            assert!(self.marked.insert(at), "{at:?} was marked twice");
            assert!(!self.ended.contains(&at), "{at:?} had ended");
            owners.insert(at.0);
        }
        for owner in owners {
            let owner = apps.iter().find(|app| app.id.number == owner).unwrap();
            assert_ne!(owner.queue, "root.kept");
            let marked = self.marked.iter().filter(|at| at.0 == owner.id.number && !self.ended.contains(at));
            let gone: i64 = marked.map(|at| self.sizes[at].memory_mb()).sum();
            let (usage, share) = (owner.usage.memory_mb(), owner.fair_share.memory_mb());
            assert!(usage - gone >= share, "application {} keeps {usage} - {gone} of {share}", owner.id.number);
        }
        for (app, closed) in self.apps.iter().map(|app| (app, self.stepped.app(app.number()).is_err())) {
            let warned = self.stepped.preemption_warning(app.number());
            let marked = self.marked.iter().filter(|at| at.0 == app.number() && !self.ended.contains(at));
            let mut marked: Vec<_> = marked.map(|at| at.1).collect();
            marked.sort_unstable();
            assert!(closed || warned == Ok(marked), "the AM of {} is warned of what is marked", app.number());
        }
    }

    fn step(&mut self, [op, a, b, c]: [u8; 4]) {
        let pick = |from: usize, byte: u8| usize::from(byte) % from.max(1);
        match op % 16 {
            0 => {
                let number = u32::try_from(self.apps.len() + 1).unwrap();
                let app = submit(&mut self.stepped, number, QUEUES[pick(3, a)], (c % 2 == 0).then_some(GIB));
                self.apps.push(app);
            }
            1..=3 if !self.apps.is_empty() => {
                let app = &self.apps[pick(self.apps.len(), a)];
                let count = u32::from(b % 24);
                let ask = Ask::anywhere(1, Resource::new(1024 * i64::from(1 + c % 3), 1), count);
                // It may have ended, or wait for its AM.
                let request = AllocateRequest { asks: vec![ask], ..Default::default() };
                let _ = self.stepped.allocate(&app.clone(), &request, &mut Allocation::default());
            }
            4..=8 => self.stepped.heartbeat(&Heartbeat::new(&self.nodes[pick(self.nodes.len(), a)])),
            9 | 10 => self.stepped.update(),
            11 => self.stepped.advance(u64::from(a) * 200),
            12 | 13 => self.preempt(),
            14 => self.stepped.kill(),
            15 if b % 4 == 0 && !self.apps.is_empty() => {
                let app = &self.apps[pick(self.apps.len(), a)];
                let _ = self.stepped.finish(&app.clone());
            }
            _ => {
                let mut at: Vec<_> = self.sizes.keys().filter(|at| !self.ended.contains(at)).copied().collect();
                at.sort_unstable();
                if let Some((app, container)) = at.get(pick(at.len(), a)) {
                    let _ = self.stepped.complete_numbered(*app, *container);
                }
            }
        }
        self.look();
    }

    /// At rest: usage is what lives, and no node has given more than it has.
    fn books(&mut self) {
        self.stepped.kill();
        self.look();
        let live = |at: &&(u32, u32)| !self.ended.contains(*at);
        let used: i64 = self.sizes.keys().filter(live).map(|at| self.sizes[at].memory_mb()).sum();
        assert_eq!(self.stepped.stats().allocated.memory_mb(), used);
        assert!(self.stepped.nodes().iter().all(|node| node.free.memory_mb() >= 0 && node.free.vcores() >= 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nobody is taken below its fair share, nothing is taken that may not be, nothing is marked or ends twice (I10), each AM
    /// is warned of what is marked and of nothing else, and the books balance.
    #[test]
    fn only_what_may_go_goes_and_it_goes_once(
        workers in 1..=3_usize,
        nodes in 1..=4_usize,
        ops in vec(any::<[u8; 4]>(), 20..250),
    ) {
        let mut world = World::new(workers, nodes);
        ops.into_iter().for_each(|op| world.step(op));
        world.books();
    }
}
