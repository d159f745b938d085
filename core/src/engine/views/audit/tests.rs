//! Error paths that no operation from outside takes at will, each by hand: nothing is left over.

use crate::engine::intake::to_worker::Internal;
use crate::engine::proposal::{Proposal, Refusal};
use crate::engine::views::audit::{Audit, compare};
use crate::id::{LabelId, Locality};
use crate::resource::ResourceTypes;
use crate::{
    AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, Ask, FairScheduler, Heartbeat, NodeHandle,
    Resource, SchedulerApi, Stepped, Submission,
};

const SMALL: Resource = Resource::new(1024, 1);

/// Two queues, one of them limited, two nodes, one for each of two workers, and an application that waits for its AM;
/// where that is asked for, on the rack of the first worker's first node alone.
fn world(workers: usize, on_a_rack: bool) -> (Stepped, Vec<NodeHandle>, AppHandle) {
    let text = "<allocations><queue name='a'><maxResources>4096 mb, 4 vcores</maxResources></queue><queue name='b'/>\
        <queueMaxAMShareDefault>1.0</queueMaxAMShareDefault></allocations>";
    let file = AllocationFile::parse(text, "audit", &ResourceTypes::standard(), &[]).unwrap().file;
    let mut stepped = FairScheduler::builder().allocations(file).workers(workers).stepped().unwrap();
    let add = |name: &str| stepped.add_node(name, &format!("/{name}"), Resource::new(8192, 8)).unwrap();
    let nodes = ["n0", "n1"].map(add).to_vec();
    let own = nodes.iter().find(|node| node.worker() == 0).unwrap();
    let rack = stepped.location(&format!("/{}", own.name()));
    let am = AmRequest::from(SMALL);
    let am = if on_a_rack { am.strict().at(rack) } else { am };
    let submission = Submission::new(1, "ann").in_queue("root.a").with_am(am);
    let app = stepped.submit(submission).unwrap();
    stepped.update_now();
    (stepped, nodes, app)
}

fn audit(stepped: &mut Stepped) -> Audit {
    let audit = stepped.audit(true);
    assert_eq!(audit.wrong, [""; 0]);
    audit
}

/// How many records of each kind are used.
fn used(audit: &Audit) -> Vec<(&'static str, usize)> {
    audit.counted.iter().filter(|(kind, _)| !kind.ends_with("free")).copied().collect()
}

/// What the AMs of each queue use.
fn am_usage(stepped: &mut Stepped) -> Vec<Resource> {
    stepped.queues().iter().map(|queue| queue.am_usage).collect()
}

/// I7: whyever a grant is refused, it leaves nothing; and what was asked for is granted afterwards.
#[test]
fn a_refused_grant_leaves_nothing() {
    for workers in [1, 2] {
        for refusal in [Refusal::AskGone, Refusal::AmLimit, Refusal::NoRoomUnderLimit, Refusal::Moved] {
            let (mut stepped, nodes, app) = world(workers, true);
            let mut proposal = Proposal {
                app: app.0.slot.index,
                key: 0,
                node: 0,
                locality: Locality::Rack,
                size: SMALL,
                reserved: false,
            };
            let mut wanted = 1;
            if refusal == Refusal::NoRoomUnderLimit {
                // The AM comes first, and asks for more.
                nodes.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
                let request = AllocateRequest { asks: vec![Ask::anywhere(1, SMALL, 2)], ..Default::default() };
                stepped.allocate(&app, &request, &mut Allocation::default()).unwrap();
                stepped.update_now();
                (proposal.key, proposal.locality, wanted) = (1, Locality::OffSwitch, 3);
            }
            let (before, ams) = (audit(&mut stepped), am_usage(&mut stepped));
            match refusal {
                // The rack was asked for, the node was not.
                Refusal::AskGone => proposal.locality = Locality::Node,
                // Who is alone has looked when it chose.
                Refusal::AmLimit | Refusal::NoRoomUnderLimit if workers == 1 => continue,
                Refusal::AmLimit | Refusal::NoRoomUnderLimit => proposal.size = Resource::new(8192, 8),
                Refusal::Moved => stepped.steps.stepper.control().move_app(&app.0, "root.b").unwrap(),
                Refusal::NoRecord => unreachable!("not asked for"),
            }
            let refused = stepped.steps.stepper.shard(0).try_grant(&proposal);
            assert_eq!(refused, Err(refusal), "{workers} workers");
            stepped.update_now();
            assert_eq!(used(&audit(&mut stepped)), used(&before), "{refusal:?} with {workers} workers");
            assert_eq!(am_usage(&mut stepped), ams, "{refusal:?} with {workers} workers");
            for _ in 0..3 {
                nodes.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
            }
            assert_eq!(stepped.stats().granted, wanted, "{refusal:?} with {workers} workers");
            audit(&mut stepped);
        }
    }
}

/// What an application asks its AM's container with becomes smaller before that runs. No call of an embedder's comes so
/// far; whoever lets one has it at the next offer, not after the next update (I7).
#[test]
fn a_smaller_am_is_admitted_at_once() {
    for workers in [1, 2] {
        let (mut stepped, nodes, app) = world(workers, false);
        let ask_for_am = |stepped: &mut Stepped, rows: &[Ask]| {
            let message =
                Internal::FirstAsk { app: app.0.clone(), asks: rows.iter().copied().collect(), label: LabelId::NONE };
            stepped.steps.stepper.shared().lanes.internal[app.0.home].send(message).unwrap();
            stepped.steps.stepper.pump();
        };
        // Beside something small, that is no AM, one that no node has room for.
        let large = Resource::new(8192, 8);
        ask_for_am(&mut stepped, &[Ask::anywhere(0, large.plus(&SMALL), 1), Ask::anywhere(1, SMALL, 1)]);
        stepped.update_now();
        nodes.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
        assert_eq!(stepped.stats().granted, 0);
        ask_for_am(&mut stepped, &[Ask::anywhere(0, SMALL, 1)]);
        audit(&mut stepped);
        nodes.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
        assert!(!app.0.waits_for_am(), "{workers} workers");
    }
}

/// What the workers and the control have counted is compared in both directions.
#[test]
fn a_worker_that_lacks_what_others_have_is_reported() {
    let (mut stepped, _, app) = world(2, false);
    audit(&mut stepped);
    let stepper = &mut stepped.steps.stepper;
    let mut control = stepper.control().audit();
    let mut workers = [0, 1].map(|worker| stepper.shard(worker).audit(true));
    let sayings = workers.iter_mut().map(|worker| &mut worker.agreed).chain([&mut control.agreed]);
    sayings.for_each(|agreed| drop(agreed.insert("a thing".to_owned(), "x".to_owned())));
    workers[0].agreed.insert("a thing of some".to_owned(), "y".to_owned());
    assert_eq!(compare(stepper.shared(), &workers, &control, &[]).wrong, [""; 0]);
    workers[1].open_apps.clear();
    workers[1].agreed.clear();
    let wrong = compare(stepper.shared(), &workers, &control, &[]).wrong;
    let slot = app.0.slot;
    let expected = [
        format!("worker 1 has no {slot:?}, which is in the control"),
        "a thing: the control says x, worker 1 says nothing".to_owned(),
    ];
    assert_eq!(wrong, expected);
}
