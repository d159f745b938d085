//! What an AM can ask for and give back.

use crate::world::{SMALL, World, builder, each};
use evenweave::refused::Limit;
use evenweave::{AllocateRequest, Ask, ContainerId, EndReason, Heartbeat, NewAttempt, Refused, Resource};

const MANY: i32 = 100_000;

/// Room for so many small containers.
fn room(containers: i64) -> Resource {
    Resource::new(1024 * containers, containers)
}

#[test]
fn a_hundred_thousand_asks_for_places_are_served() {
    each(builder, |world| {
        world.cluster(100, room(64));
        let app = world.app(1, "abuser");
        let mut asks: Vec<_> =
            (0..MANY - 10).map(|i| Ask::anywhere(i % 4, SMALL, 3).at(world.location(&format!("h{i}")))).collect();
        asks.extend([world.location("n7"), world.location("/r0")].map(|place| Ask::anywhere(2, SMALL, 3).at(place)));
        asks.extend((0..4).map(|priority| Ask::anywhere(priority, SMALL, 3)));
        world.ask(&app, asks).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 12);
        world.bystander_is_served();
    });
}

#[test]
fn a_hundred_thousand_priorities_of_one_call_are_served() {
    each(builder, |world| {
        world.cluster(60, room(2000));
        let app = world.app(1, "abuser");
        // The last first: each would go before all that are there.
        world.ask(&app, (0..MANY).rev().map(|priority| Ask::anywhere(priority, SMALL, 1)).collect()).unwrap();
        world.bystander_is_served();
        // Workers that want the same unit at once lose time, not units: what one of them has refused is found at a
        // later offer.
        let mut granted: Vec<i32> = Vec::new();
        for _ in 0..100 {
            world.offer_all();
            granted.extend(world.fetch(&app).iter().map(|container| container.priority));
            if granted.len() == MANY as usize {
                break;
            }
        }
        granted.sort_unstable();
        assert!(granted.iter().copied().eq(0..MANY), "{} containers, not one of each", granted.len());
        world.bystander_is_served();
        world.finish(&app);
        world.books_balance();
    });
}

#[test]
fn asks_for_nothing_among_many_are_taken_back() {
    each(builder, |world| {
        world.cluster(4, room(64));
        let app = world.app(1, "abuser");
        let ask = |i: i32| Ask::anywhere(i / 2, SMALL, if i % 2 == 0 { 3 } else { 0 });
        world.ask(&app, (0..MANY).map(ask).collect()).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 0, "of two for one key the last counts");
        // The other way round.
        world.ask(&app, (0..MANY).map(|i| ask(MANY - 1 - i)).take(100).collect()).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 150);
        world.bystander_is_served();
    });
}

#[test]
fn ever_new_request_ids_are_refused_in_the_end() {
    each(builder, |world| {
        world.cluster(2, room(64));
        let app = world.app(1, "abuser");
        let ask = |id: i64| Ask::anywhere(1, Resource::new(1 << 30, 1), 1).with_request_id(id);
        world.cluster_of_one_large_node();
        let most = 1 << 17;
        for from in (0..most).step_by(1 << 14) {
            world.ask(&app, (from..from + (1 << 14)).map(ask).collect()).unwrap();
        }
        let refused = world.ask(&app, vec![ask(most)]).unwrap_err();
        assert_eq!(refused, Refused::Limit(Limit::TooManyKeys { app: 1, asked: (1 << 17) + 1, most: 1 << 17 }));
        assert!(refused.to_string().contains("may under 131072: use some again"), "{refused}");
        // What it has asked under it may use again, also with many in one call.
        world
            .ask(&app, (0..most).map(|id| Ask::anywhere(1, SMALL, u32::from(id == 9)).with_request_id(id)).collect())
            .unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).iter().map(|container| container.allocation_request_id).collect::<Vec<_>>(), [9]);
        world.bystander_is_served();
    });
}

#[test]
fn more_than_there_is_can_be_asked_for() {
    each(builder, |world| {
        world.cluster(4, room(64));
        let app = world.app(1, "abuser");
        // In all far beyond 64 bits.
        let asks = (0..1000).map(|priority| Ask::anywhere(priority, room(64), u32::MAX)).collect();
        world.ask(&app, asks).unwrap();
        world.update();
        let (_, apps, _) = world.views();
        assert_eq!(apps[0].outstanding.vcores(), 1000 * 64 * i64::from(u32::MAX));
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 4);
        world.finish(&app);
        world.bystander_is_served();
    });
}

#[test]
fn what_strangers_have_cannot_be_released() {
    each(builder, |world| {
        world.cluster(2, room(64));
        let owner = world.app(1, "abuser");
        world.ask(&owner, vec![Ask::anywhere(1, SMALL, 100)]).unwrap();
        world.offer_all();
        let containers: Vec<ContainerId> = world.fetch(&owner).iter().map(|container| container.id).collect();
        assert_eq!(containers.len(), 100);
        let stranger = world.app(2, "abuser");
        let releases: Vec<_> = containers.iter().copied().cycle().take(10_000).collect();
        let request = AllocateRequest::default().with_releases(releases);
        for _ in 0..100 {
            world.allocate(&stranger, &request).unwrap();
        }
        assert_eq!(world.running(), 100);
        world.bystander_is_served();
    });
}

/// A call with more releases than a lane holds messages is no reason to be busy.
#[test]
fn a_hundred_thousand_containers_are_released_in_one_call() {
    each(builder, |world| {
        world.cluster(10, room(12_000));
        let app = world.app(1, "abuser");
        world.ask(&app, vec![Ask::anywhere(1, SMALL, 100_000)]).unwrap();
        world.offer_all();
        let releases: Vec<_> = world.fetch(&app).iter().map(|container| container.id).collect();
        assert_eq!(releases.len(), 100_000);
        let request = AllocateRequest::default().with_releases(releases);
        world.allocate(&app, &request).unwrap();
        assert_eq!(world.running(), 0);
        // Once more: they have ended.
        world.allocate(&app, &request).unwrap();
        world.bystander_is_served();
    });
}

#[test]
fn a_node_with_a_hundred_thousand_containers_comes_and_goes() {
    each(builder, |world| {
        world.cluster(2, room(64));
        let large = world.add_node("large", "/large", room(100_000)).unwrap();
        let app = world.app(1, "abuser");
        let rack = world.location("/large");
        let ask = |count| vec![Ask::anywhere(1, SMALL, count).strict(), Ask::anywhere(1, SMALL, count).at(rack)];
        world.ask(&app, ask(100_000)).unwrap();
        world.offer_all();
        let granted = world.fetch(&app);
        assert_eq!(granted.len(), 100_000);
        // Its node reports all of them at once, some of them as ended.
        let mut heartbeat = Heartbeat::new(&large);
        heartbeat.add_launched(granted.iter().map(|container| container.id));
        heartbeat.add_completed(granted.iter().rev().take(1000).map(|container| container.id));
        world.heartbeat(heartbeat);
        world.settle();
        assert_eq!(world.running(), 99_000);
        world.remove_node(&large);
        world.allocate(&app, &AllocateRequest::default()).unwrap();
        let lost = world.answer.ended.iter().filter(|ended| ended.reason == EndReason::NodeLost).count();
        assert_eq!((lost, world.running()), (99_000, 0));
        world.bystander_is_served();
    });
}

#[test]
fn an_attempt_hands_a_hundred_thousand_containers_over() {
    each(builder, |world| {
        world.cluster(10, room(11_000));
        let app = world.app(1, "abuser");
        world.ask(&app, vec![Ask::anywhere(1, SMALL, 100_000)]).unwrap();
        world.offer_all();
        let granted = world.fetch(&app);
        for node in world.nodes.clone() {
            let mut heartbeat = Heartbeat::new(&node);
            let here = granted.iter().filter(|container| container.node == node.id());
            heartbeat.add_launched(here.map(|container| container.id));
            world.heartbeat(heartbeat);
        }
        world.settle();
        let new = NewAttempt::default().keep_containers(true);
        let next = world.new_attempt(&app, new).unwrap();
        assert_eq!((next.kept_containers().len(), world.running()), (100_000, 100_000));
        world.bystander_is_served();
        world.finish(&next);
        assert_eq!(world.running(), 0);
        for node in world.nodes.clone() {
            let mut heartbeat = Heartbeat::new(&node);
            heartbeat.add_completed(next.kept_containers().iter().filter(|c| c.node == node.id()).map(|c| c.id));
            world.heartbeat(heartbeat);
        }
        world.bystander_is_served();
    });
}

#[test]
fn a_hundred_thousand_places_can_be_listed_as_unwanted() {
    each(builder, |world| {
        world.cluster(200, room(8));
        let app = world.app(1, "abuser");
        let mut places: Vec<_> = (0..MANY).map(|i| world.location(&format!("h{i}"))).collect();
        places.extend((0..200).map(|i| world.location(&format!("n{i}"))));
        let list = AllocateRequest::new([Ask::anywhere(1, SMALL, 5)]).with_blacklist_add(places.clone());
        world.allocate(&app, &list).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 0);
        assert_eq!(world.answer.headroom, Resource::ZERO, "no node is wanted");
        world.bystander_is_served();
        let both = AllocateRequest::default().with_blacklist_add(places.clone()).with_blacklist_remove(places);
        world.allocate(&app, &both).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 5);
        world.bystander_is_served();
    });
}

/// Of a node that has none of them.
#[test]
fn a_report_of_a_million_strangers_containers_changes_nothing() {
    each(builder, |world| {
        world.cluster(2, room(128));
        let app = world.app(1, "abuser");
        let place = world.location("n0");
        world
            .ask(
                &app,
                vec![
                    Ask::anywhere(1, SMALL, 100).strict(),
                    Ask::anywhere(1, SMALL, 100).at(place),
                    Ask::anywhere(1, SMALL, 100).at(world.location("/r0")).strict(),
                ],
            )
            .unwrap();
        world.offer_all();
        let granted = world.fetch(&app);
        assert!(!granted.is_empty() && granted.iter().all(|container| container.node == world.nodes[0].id()));
        let mut heartbeat = Heartbeat::new(&world.nodes[1].clone());
        heartbeat.add_completed(granted.iter().cycle().take(1_000_000).map(|container| container.id));
        let launched = heartbeat.completed().to_vec();
        heartbeat.add_launched(launched);
        world.heartbeat(heartbeat);
        world.settle();
        assert_eq!(world.running(), granted.len() as u64);
        world.bystander_is_served();
    });
}

impl World {
    fn cluster_of_one_large_node(&mut self) {
        self.add_node("large", "/large", Resource::new(1 << 30, 1)).unwrap();
        let node = self.nodes.pop().unwrap();
        // It never reports: asks of its size are lawful, and wait.
        drop(node);
    }
}
