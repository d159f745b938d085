//! Names that are too long, or too many.

use crate::world::{Core, SMALL, World, builder, builder_with, each};
use evenweave::SchedulerApi as _;
use evenweave::config::QueueAccess;
use evenweave::event::{AppAccess, LONGEST_NAME, Named};
use evenweave::refused::Invalid;
use evenweave::resource::ResourceTypes;
use evenweave::{AllocateRequest, AmRequest, Ask, Location, Refused, Resource, Submission};

const MIB: usize = 1 << 20;

/// Refused for its length, in a message that does not repeat it.
fn assert_too_long(outcome: Result<impl Sized, Refused>, of: Named) {
    let Err(refused) = outcome else { panic!("a {of} name of a mebibyte was taken") };
    assert!(
        matches!(refused, Refused::Invalid(Invalid::LongName { what, bytes, .. }) if what == of && bytes >= MIB),
        "{refused}"
    );
    let message = refused.to_string();
    assert!(message.contains(&format!("give at most {LONGEST_NAME}")) && message.len() < 500, "{message}");
}

#[test]
fn names_of_a_mebibyte_are_refused_at_every_door() {
    // Of one part, and of as many as possible.
    for name in ["é".repeat(MIB / 2), "a.".repeat(MIB / 2) + "a"] {
        each(
            || builder_with(&[("yarn.acl.enable", "true"), ("yarn.scheduler.fair.user-as-default-queue", "true")]),
            |world| {
                world.cluster(2, Resource::new(65_536, 64));
                let app = world.app(1, "abuser");
                assert_too_long(world.add_node(&name, "/r", SMALL), Named::Node);
                assert_too_long(world.add_node("n", &name, SMALL), Named::Rack);
                let submission = |user: &str, queue: Option<&str>| Submission::new(2, user).maybe_in_queue(queue);
                assert_too_long(world.submit(submission(&name, None)), Named::User);
                assert_too_long(world.submit(submission("eve", Some(&name))), Named::Queue);
                // Rules may make a queue's name longer than what was given.
                let user = "u".repeat(LONGEST_NAME - 2);
                let refused = world.submit(submission(&user, None)).unwrap_err();
                assert!(
                    matches!(&refused, Refused::Invalid(Invalid::LongName { what: Named::Queue, bytes, .. }) if *bytes == LONGEST_NAME + 3)
                );
                assert_eq!(world.location(&name), Location::NOWHERE);
                match &mut world.core {
                    Core::Stepped(stepped) => {
                        assert_too_long(stepped.place(&name, None), Named::User);
                        assert_too_long(stepped.place("eve", Some(&name)), Named::Queue);
                        assert_too_long(stepped.create_queue(&name), Named::Queue);
                        assert_too_long(stepped.move_app(&app, &name), Named::Queue);
                        assert_too_long(stepped.move_app_as("eve", &app, &name), Named::Queue);
                        assert_too_long(stepped.finish_as(&name, &app), Named::User);
                        assert_too_long(stepped.check_app(&name, &app, AppAccess::View), Named::User);
                        assert!(!stepped.has_access("eve", &name, QueueAccess::Submit));
                        assert!(stepped.node(&name).is_none() && stepped.find_node(&name).is_none());
                    }
                    Core::Threaded(scheduler) => {
                        assert_too_long(scheduler.place(&name, None), Named::User);
                        assert_too_long(scheduler.place("eve", Some(&name)), Named::Queue);
                        assert_too_long(scheduler.create_queue(&name), Named::Queue);
                        assert_too_long(scheduler.move_app(&app, &name), Named::Queue);
                        assert_too_long(scheduler.move_app_as("eve", &app, &name), Named::Queue);
                        assert_too_long(scheduler.finish_as(&name, &app), Named::User);
                        assert_too_long(scheduler.check_app(&name, &app, AppAccess::View), Named::User);
                        assert!(!scheduler.has_access("eve", &name, QueueAccess::Submit).unwrap());
                        assert!(scheduler.node(&name).is_none());
                    }
                }
                world.bystander_is_served();
            },
        );
    }
}

#[test]
fn a_resource_type_has_a_name_that_can_be_read() {
    let refused = ResourceTypes::with_custom([("g".repeat(MIB), "")]).unwrap_err().to_string();
    assert!(refused.contains("at most 1000") && refused.len() < 500, "{refused}");
}

#[test]
fn what_names_no_place_is_refused() {
    each(builder, |world| {
        world.cluster(2, Resource::new(65_536, 64));
        let app = world.app(1, "abuser");
        let nowhere = world.location(&"x".repeat(LONGEST_NAME + 1));
        let ask = Ask::anywhere(1, SMALL, 1);
        assert_eq!(world.ask(&app, vec![ask, ask.at(nowhere)]), Err(Refused::Invalid(Invalid::NoLocation)));
        let blacklist = AllocateRequest::default().with_blacklist_add([nowhere]);
        assert_eq!(world.allocate(&app, &blacklist), Err(Refused::Invalid(Invalid::NoLocation)));
        for am in [AmRequest::from(SMALL).at(nowhere), AmRequest::from(SMALL).avoiding(&[nowhere])] {
            let submission = Submission::new(2, "eve").in_queue("abuser").with_am(am);
            assert_eq!(world.submit(submission).map(|app| app.number()), Err(Refused::Invalid(Invalid::NoLocation)));
        }
        // To take back what nobody could list is as good as done.
        let blacklist = AllocateRequest::default().with_blacklist_remove([nowhere]);
        world.allocate(&app, &blacklist).unwrap();
        world.offer_all();
        assert_eq!(world.fetch(&app).len(), 0, "a refused call has changed nothing");
        world.bystander_is_served();
    });
}

/// Once too many names are kept that no node has, ever new ones are served as places without a node; nodes and racks
/// come as before, and who asks at such a place and anywhere is served anywhere.
#[test]
fn an_am_cannot_name_ever_new_places() {
    let mut world = World::of(Core::Stepped(Box::new(builder().stepped().unwrap())));
    world.cluster(2, Resource::new(65_536, 64));
    let long = "x".repeat(LONGEST_NAME - 7);
    let mut last = world.location(&format!("{long}0"));
    let kept = (1..).find(|i| std::mem::replace(&mut last, world.location(&format!("{long}{i}"))) == last).unwrap();
    assert!((100_000..200_000).contains(&kept), "128 MiB hold {kept} of the longest names");
    assert_ne!(world.location(&format!("{long}7")), last, "what is kept is kept");
    let late = world.add_node("late", "/late", Resource::new(65_536, 64)).unwrap();
    let app = world.app(1, "abuser");
    let ask = Ask::anywhere(1, SMALL, 1);
    let strict = [ask.strict(), ask.at(world.location("/late")).strict(), ask.at(world.location("late"))];
    world.ask(&app, strict.to_vec()).unwrap();
    world.offer_all();
    assert_eq!(world.fetch(&app).iter().map(|container| container.node).collect::<Vec<_>>(), [late.id()]);
    let somewhere = [ask.with_count(3), ask.at(world.location("a-host-without-a-node"))];
    world.ask(&app, somewhere.to_vec()).unwrap();
    world.offer_all();
    assert_eq!(world.fetch(&app).len(), 3);
    world.bystander_is_served();
}
