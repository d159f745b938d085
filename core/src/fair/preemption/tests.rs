//! A round over a worker on which something happens meanwhile.

use super::round::Owners;
use super::victims::{Found, OutstandingAsk, Search, Victims};
use crate::app::{Ask, SchedulingKey};
use crate::clock::VirtualClock;
use crate::config::{AllocationFile, Settings};
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::Workers;
use crate::engine::driver::setup::Setup;
use crate::engine::driver::tests::{add_node, setup_with, submit};
use crate::engine::edge::allocate::{AllocateRequest, send_changes};
use crate::fair::engine::{AtRest, FairDecider, Shard, Stepper};
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;

/// Something happens on a worker between what it has found and what it is to mark.
struct Meanwhile<'w, 'a, F>(&'w mut Workers<'a, FairDecider>, F);

impl<F: FnMut(&mut Shard)> Owners for Meanwhile<'_, '_, F> {
    fn outstanding_asks(&mut self, app: &Arc<AppShared>) -> Vec<OutstandingAsk> {
        self.0.outstanding_asks(app)
    }

    fn find_victims(&mut self, worker: usize, search: &Search) -> Option<Found> {
        self.0.find_victims(worker, search)
    }

    fn take_victims(&mut self, worker: usize, found: Found, app: &Arc<AppShared>) -> Victims {
        (self.1)(self.0.shard(worker));
        self.0.take_victims(worker, found, app)
    }

    fn kill(&mut self, worker: usize, containers: Vec<ContainerId>) {
        self.0.kill(worker, containers);
    }

    fn kill_if_needed(
        &mut self,
        worker: usize,
        set: Victims,
        app: &Arc<AppShared>,
        outstanding: &[OutstandingAsk],
    ) -> Option<SchedulingKey> {
        self.0.kill_if_needed(worker, set, app, outstanding)
    }
}

/// A round for an application that wants two GiB of a node that another one has filled with containers of one. What the
/// round says that it has marked, and what the other's AM is told.
fn round_while(meanwhile: impl Fn(&mut Shard, &AppShared)) -> [Vec<ContainerId>; 2] {
    let on = [("yarn.scheduler.fair.preemption", "true")];
    let clock = Arc::new(VirtualClock::new());
    let text = "<allocations><defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>
        <queue name='a'><weight>0.0001</weight></queue></allocations>";
    let settings = Settings::from_properties(on).unwrap();
    let file = AllocationFile::parse(text, "allocations", &settings.types, &[]).unwrap().file;
    let mut stepper =
        Stepper::new(AtRest::new(Setup { configuration: file, clock: clock.clone(), ..setup_with(settings, 1) }));
    add_node(stepper.control());
    let victim = submit(stepper.control(), 1, "root.a", None);
    let ask = |stepper: &mut Stepper, app: &Arc<AppShared>, mb: i64, count: u32| {
        let asks = vec![Ask::anywhere(1, Resource::new(mb, 1), count)];
        stepper.pump();
        send_changes(stepper.shared(), app, &AllocateRequest { asks, ..AllocateRequest::default() }).unwrap();
        stepper.pump();
        stepper.update();
    };
    ask(&mut stepper, &victim, 1024, 8);
    (0..8).for_each(|_| stepper.shard(0).schedule(0));
    clock.advance(1000);
    let starved = submit(stepper.control(), 2, "root.b", None);
    ask(&mut stepper, &starved, 2048, 1);
    let round = stepper.preempt(|preemptor, workers| {
        let mut owners = Meanwhile(workers, |shard: &mut Shard| meanwhile(shard, &starved));
        preemptor.next_round(&mut owners)
    });
    let marked = round.unwrap().expect("it is starved").containers;
    let mut told = Vec::new();
    victim.strict_preemptions(&mut told);
    [marked, told]
}

/// A set is marked whole or not at all, and nothing for who has ended: it may have changed since it was found (I10).
#[test]
fn what_was_found_is_marked_if_it_is_as_it_was() {
    let [marked, told] = round_while(|_, _| {});
    assert_eq!((marked.len(), &marked), (2, &told), "two of one GiB");
    let [marked, told] = round_while(|_, starved| {
        starved.close();
    });
    assert_eq!((marked, told), (vec![], vec![]), "nothing for who has ended");
    let [marked, told] = round_while(|shard, _| {
        // The last but one, of the set with the last, while it runs.
        shard.complete(6);
    });
    assert_eq!((marked.len(), &marked), (1, &told), "beside what has ended one will do, and is looked for");
}
