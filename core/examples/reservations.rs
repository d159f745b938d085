//! Books a reservation, runs an application in it, and sees what becomes of the queue when the time is over.
//!
//! `cargo run -p evenweave --example reservations`
//!
//! The clock is virtual, so that two hours pass at once. With threads the same calls are there, and a thread runs the
//! plan follower.

use evenweave::SchedulerApi as _;
use evenweave::clock::VirtualClock;
use evenweave::reservation::{Interpreter, ReservationDefinition, ReservationSubmission, Stage};
use evenweave::resource::ResourceTypes;
use evenweave::{AllocationFile, FairScheduler, Resource, Settings, Stepped, Submission};
use std::error::Error;
use std::io::{Write, stdout};
use std::sync::Arc;

/// `nightly` is a plan: its resources can be reserved. With the policy `drf` it has memory and vcores.
const QUEUES: &str = r#"<allocations>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <queue name="prod"><weight>3</weight></queue>
  <queue name="nightly"><weight>1</weight><reservation/></queue>
</allocations>"#;

const HOUR_MS: u32 = 3_600_000;

/// The queues below the plan, with their part of it.
fn show(out: &mut impl Write, scheduler: &mut Stepped, when: &str) -> std::io::Result<()> {
    writeln!(out, "{when}:")?;
    for queue in scheduler.queues().iter().filter(|queue| queue.name.starts_with("root.nightly.")) {
        writeln!(out, "  {} has {:.2} of the plan", queue.name, queue.weight)?;
    }
    Ok(())
}

fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let settings = Settings::from_properties([("yarn.resourcemanager.reservation-system.enable", "true")])?;
    let parsed = AllocationFile::parse(QUEUES, "fair-scheduler.xml", &ResourceTypes::standard(), &[])?;
    let clock = Arc::new(VirtualClock::new());
    let mut scheduler =
        FairScheduler::builder().settings(settings).allocations(parsed.file).clock(clock.clone()).stepped()?;
    // The plan has a quarter of this: 81,920 MiB and 20 vcores.
    scheduler.add_node("the-cluster", "/rack1", Resource::new(327_680, 80))?;
    scheduler.update_now();

    // Ann wants ten containers of 4 GiB for an hour, and that hour begins in an hour. With a later deadline the agent
    // looks for a place.
    let stage = Stage::new(Resource::new(4096, 1), 10, i64::from(HOUR_MS));
    let (arrival, deadline) = (i64::from(HOUR_MS), i64::from(2 * HOUR_MS));
    let wanted = ReservationDefinition::new(arrival, deadline, Interpreter::All, vec![stage]);
    let id = scheduler.reserve_new()?;
    let request = ReservationSubmission { id: Some(id), queue: Some("root.nightly"), definition: Some(&wanted) };
    scheduler.reserve_submit("ann", &request)?;

    // A plan holds the promise until its time comes. Before that the queue does not exist.
    scheduler.follow_plans()?;
    show(out, &mut scheduler, "now")?;
    let too_early = scheduler.submit(Submission::new(1, "ann").in_queue("root.nightly").with_reservation(id));
    writeln!(out, "  an application for {id}: {}", too_early.expect_err("it is not active yet"))?;

    // At each step the follower makes, sizes and removes queues.
    clock.advance(u64::from(HOUR_MS));
    scheduler.follow_plans()?;
    show(out, &mut scheduler, "after one hour")?;
    let app = scheduler.submit(Submission::new(2, "ann").in_queue("root.nightly").with_reservation(id))?;
    writeln!(out, "  {} is in {}", app.id(), app.queue())?;

    // The reservation is over: its queue goes, and its application moves to the plan's default queue.
    clock.advance(u64::from(HOUR_MS));
    scheduler.follow_plans()?;
    show(out, &mut scheduler, "after two hours")?;
    while let Some(event) = scheduler.next_event() {
        writeln!(out, "  {event}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_comes_and_goes_with_the_reservation() {
        let mut out = Vec::new();
        run(&mut out).expect("it runs");
        let said = String::from_utf8(out).expect("text");
        let parts: Vec<&str> = said.split("after ").collect();
        let [before, during, after] = parts.as_slice() else { panic!("{said}") };
        assert!(
            before.contains("nightly-default has 1.00") && before.contains("an application for reservation_"),
            "{said}"
        );
        assert!(during.contains("has 0.50") && during.contains("is in root.nightly.reservation_"), "{said}");
        assert!(after.contains("nightly-default has 1.00") && after.contains("is over"), "{said}");
    }
}
