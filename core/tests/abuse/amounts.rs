//! Amounts at the ends of 64 bits.

use crate::world::{Core, SMALL, World, allocations, builder, each};
use evenweave::SchedulerApi as _;
use evenweave::refused::{Invalid, Limit};
use evenweave::{Ask, Refused, Resource};
use proptest::prelude::*;

/// The most of a type that a cluster may have.
const CLUSTER: i64 = 1 << 60;

const ENDS: Resource = Resource::new(i64::MAX, i64::MAX);

#[test]
fn nodes_beyond_what_can_be_summed_are_refused() {
    each(builder, |world| {
        world.cluster(2, Resource::new(65_536, 64));
        for total in [Resource::new(-1, 1), Resource::new(1, i64::MIN)] {
            let refused = world.add_node("bad", "/r", total).unwrap_err();
            assert!(matches!(refused, Refused::Invalid(Invalid::NodeTotal { .. })), "{refused}");
        }
        let left = Resource::new(CLUSTER - 2 * 65_536, CLUSTER - 2 * 64);
        for total in [ENDS, Resource::new(left.memory_mb() + 1, 0), Resource::new(0, left.vcores() + 1)] {
            let refused = world.add_node("large", "/r", total).unwrap_err();
            assert!(
                matches!(&refused, Refused::Limit(Limit::ClusterTooLarge { largest, .. })
                if (largest.memory_mb(), largest.vcores()) == (left.memory_mb(), left.vcores())),
                "{refused}"
            );
            assert!(refused.to_string().contains(&format!("at most <memory:{}", left.memory_mb())), "{refused}");
        }
        let large = world.add_node("large", "/r", left).unwrap();
        assert!(world.add_node("more", "/r", Resource::new(1, 0)).is_err());
        assert!(matches!(world.resize_node(&large, ENDS), Err(Refused::Limit(Limit::ClusterTooLarge { .. }))));
        assert!(matches!(
            world.resize_node(&large, Resource::new(0, -1)),
            Err(Refused::Invalid(Invalid::NodeTotal { .. }))
        ));
        world.bystander_is_served();
        // What runs may be as much as it ever had: made smaller, it makes no room for another.
        world.resize_node(&large, SMALL).unwrap();
        assert!(world.add_node("more", "/r", Resource::new(1, 0)).is_err());
        world.resize_node(&large, left).unwrap();
        world.remove_node(&large);
        let again = world.add_node("large", "/r", left).unwrap();
        world.bystander_is_served();
        world.remove_node(&again);
        world.bystander_is_served();
    });
}

#[test]
fn asks_are_within_what_one_container_may_have() {
    each(builder, |world| {
        world.cluster(2, Resource::new(1 << 30, 64));
        let app = world.app(1, "abuser");
        let bad = [
            Resource::new(-1, 1),
            Resource::new(i64::MIN, 1),
            Resource::new(1, -1),
            ENDS,
            Resource::new((1 << 30) + 1, 1),
            Resource::new(1, 65),
        ];
        for size in bad {
            let refused = world.ask(&app, vec![Ask::anywhere(1, SMALL, 1), Ask::anywhere(2, size, 1)]).unwrap_err();
            assert!(matches!(refused, Refused::Invalid(Invalid::Resource { .. })), "{refused}");
            assert!(
                refused.to_string().ends_with("largest container here, <memory:1073741824, vCores:64>"),
                "{refused}"
            );
        }
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 0, "a refused call has changed nothing");
        world.ask(&app, vec![Ask::anywhere(1, Resource::new(1 << 30, 64), u32::MAX)]).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 2);
        world.books_balance();
        world.finish(&app);
        world.bystander_is_served();
    });
}

/// Without a node, or where nodes do not count, only the configured maximum bounds a container: and what no cluster can
/// have.
#[test]
fn one_container_is_no_larger_than_a_cluster() {
    let mut settings = evenweave::Settings::default();
    settings.maximum = ENDS;
    let largest = Resource::new(CLUSTER, CLUSTER);
    let beyond = |refused: &Refused| matches!(refused, Refused::Invalid(Invalid::Resource { largest: of, .. }) if (of.memory_mb(), of.vcores()) == (CLUSTER, CLUSTER));
    let mut stepped = builder().settings(settings).largest_node(false).stepped().unwrap();
    let app = stepped.submit(evenweave::Submission::new(1, "ann").in_queue("abuser")).unwrap();
    let mut ask = |size, priority| {
        let request = evenweave::AllocateRequest::new([Ask::anywhere(priority, size, u32::MAX)]);
        stepped.allocate(&app, &request, &mut evenweave::Allocation::default())
    };
    for size in [ENDS, Resource::new(CLUSTER + 1, 1), Resource::new(1, CLUSTER + 1)] {
        assert!(beyond(&ask(size, 1).unwrap_err()), "{size}");
    }
    ask(largest, 1).unwrap();
    let master = |size| evenweave::Submission::new(2, "ann").in_queue("abuser").with_am(size);
    assert!(beyond(&stepped.submit(master(ENDS)).unwrap_err()));
    stepped.submit(master(largest)).unwrap();
    assert_eq!(stepped.audit(true).wrong, [""; 0]);
}

/// Rounding up to an increment ends at the largest container.
#[test]
fn increments_at_the_end_do_not_wrap() {
    let types = evenweave::resource::ResourceTypes::standard();
    for increment in [1, 7, 1 << 40, i64::MAX - 1, i64::MAX] {
        let mut settings = evenweave_testkit::settings(&[("yarn.scheduler.fair.assignmultiple", "true")]);
        (settings.increment, settings.maximum) = (Resource::new(increment, increment), ENDS);
        assert_eq!(settings.types, types);
        let mut world = World::of(Core::Stepped(Box::new(builder().settings(settings).stepped().unwrap())));
        world.add_node("n", "/r", Resource::new(CLUSTER, CLUSTER)).unwrap();
        let app = world.app(1, "abuser");
        world.ask(&app, vec![Ask::anywhere(1, Resource::new(CLUSTER - 5, 3), 1)]).unwrap();
        world.offer_all();
        let granted = world.fetch(&app);
        assert_eq!(granted.len(), 1, "increment {increment}");
        let size = granted[0].resource;
        assert!(size.memory_mb() >= CLUSTER - 5 && size.memory_mb() <= CLUSTER && size.vcores() >= 3, "{size}");
        world.books_balance();
    }
}

/// Numbers that an allocation file may have: as large as they come, in every place.
fn file(numbers: &[i64; 6], weights: [&str; 2], policy: &str) -> String {
    let [min, max, child_min, child_max, container, percent] = numbers;
    let [weight, other] = weights;
    format!(
        "<allocations><queue name='bystander'/><queue name='abuser'><weight>{weight}</weight>\
         <minResources>{min} mb, {min} vcores</minResources><maxResources>{max} mb, {max} vcores</maxResources>\
         <maxContainerAllocation>{container} mb, {container} vcores</maxContainerAllocation>\
         <queue name='a'><minResources>{child_min} mb, 1 vcores</minResources>\
         <maxResources>{child_max} mb, {child_max} vcores</maxResources><weight>{other}</weight></queue>\
         <queue name='b'><maxResources>{percent}% memory, {percent}% cpu</maxResources></queue></queue>\
         <queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>\
         <defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy></allocations>"
    )
}

fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        Just(1),
        1024..100_000_i64,
        (40..63_u32).prop_map(|bits| 1 << bits),
        (40..63_u32).prop_map(|bits| (1_i64 << bits) - 1),
        Just(i64::MAX),
        Just(i64::MAX - 1),
        Just(i64::MIN),
        Just(-1),
    ]
}

fn weight() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("1.0"), Just("3.4e38"), Just("1.4e-45"), Just("0.0")]
}

#[derive(Clone, Debug)]
enum Op {
    Node([i64; 2]),
    Resize(usize, [i64; 2]),
    Remove(usize),
    Ask(usize, i32, [i64; 2], u32),
    Offer,
    Finish(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let pair = || [amount(), amount()];
    prop_oneof![
        3 => pair().prop_map(Op::Node),
        2 => (0..5_usize, pair()).prop_map(|(node, total)| Op::Resize(node, total)),
        1 => (0..5_usize).prop_map(Op::Remove),
        5 => (0..3_usize, 0..3_i32, pair(), prop_oneof![0..5_u32, Just(u32::MAX)])
            .prop_map(|(app, priority, size, count)| Op::Ask(app, priority, size, count)),
        4 => Just(Op::Offer),
        1 => (0..3_usize).prop_map(Op::Finish),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the numbers, in nodes, asks and the allocation file: nothing wraps, no book is off, and no amount that
    /// cannot be negative is. With several workers and preemption too.
    #[test]
    fn at_the_ends_of_64_bits_the_books_balance(
        numbers in [amount(), amount(), amount(), amount(), amount(), amount()],
        weights in [weight(), weight()],
        policy in prop_oneof![Just("fair"), Just("drf")],
        workers in 1..=3_usize,
        ops in proptest::collection::vec(op(), 1..40),
    ) {
        let text = file(&numbers, weights, policy);
        let types = evenweave::resource::ResourceTypes::standard();
        // A file with numbers that cannot be is refused: with a text, not with a panic.
        let file = match evenweave::AllocationFile::parse(&text, "ends.xml", &types, &[]) {
            Ok(parsed) => parsed.file,
            Err(error) => {
                prop_assert!(error.to_string().len() < 10_000);
                allocations("<allocations><queue name='bystander'/><queue name='abuser'><queue name='a'/><queue name='b'/></queue></allocations>")
            }
        };
        let mut settings = evenweave_testkit::settings(&[
                ("yarn.scheduler.fair.assignmultiple", "true"),
                ("yarn.scheduler.fair.preemption", "true"),
                ("yarn.scheduler.fair.dynamic.max.assign", "false"),
                ("yarn.scheduler.fair.max.assign", "20"),
            ]);
        settings.maximum = ENDS;
        let builder = builder().settings(settings).allocations(file).workers(workers);
        let mut world = World::of(Core::Stepped(Box::new(builder.stepped().unwrap())));
        let mut apps = [world.app(1, "abuser.a"), world.app(2, "abuser.b"), world.app(3, "bystander")];
        let mut next = 4;
        for op in ops {
            let resource = |[memory, vcores]: [i64; 2]| Resource::new(memory, vcores);
            match op {
                Op::Node(total) => {
                    let _ = world.add_node(&format!("n{next}"), &format!("/r{}", next % 2), resource(total));
                    next += 1;
                }
                Op::Resize(node, total) => {
                    if let Some(node) = world.nodes.get(node).cloned() {
                        let _ = world.resize_node(&node, resource(total));
                    }
                }
                Op::Remove(node) => {
                    if let Some(node) = world.nodes.get(node).cloned() {
                        world.remove_node(&node);
                    }
                }
                Op::Ask(app, priority, size, count) => {
                    let _ = world.ask(&apps[app].clone(), vec![Ask::anywhere(priority, resource(size), count)]);
                }
                Op::Offer => {
                    world.offer_all();
                    if let Core::Stepped(stepped) = &mut world.core {
                        stepped.advance(60_000);
                        stepped.update_now();
                        stepped.preempt().unwrap();
                        stepped.kill_marked().unwrap();
                    }
                }
                Op::Finish(app) => {
                    world.finish(&apps[app].clone());
                    apps[app] = world.app(next, ["abuser.a", "abuser.b", "bystander"][app]);
                    next += 1;
                }
            }
            world.books_balance();
        }
    }
}
