//! The smallest ResourceManager there can be: two nodes, one application, from submission to the end.
//!
//! `cargo run -p evenweave --example embed`
//!
//! A real one receives registrations, heartbeats and AM calls over RPC, on as many threads as it likes: the handle is
//! `Clone + Send + Sync`, heartbeats and `allocate` never wait for a worker.

use evenweave::refused::TryAgain;
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, Ask, Container, FairScheduler, Heartbeat, NodeHandle, Refused,
    Resource, Settings, Submission,
};
use std::error::Error;

const QUEUES: &str = r#"<allocations>
  <queue name="production"><weight>3</weight></queue>
  <queue name="research"><maxResources>50.0%</maxResources></queue>
</allocations>"#;

/// A node's report: which of its containers have ended. A full channel gives the heartbeat back; here the answer to
/// that is to send it again, a real ResourceManager would answer its node and wait for the next.
fn report(scheduler: &FairScheduler, node: &NodeHandle, ended: &[Container]) -> Result<(), Refused> {
    let mut heartbeat = Heartbeat::new(node);
    heartbeat.add_completed(ended.iter().filter(|container| container.node == node.id()).map(|container| container.id));
    loop {
        match scheduler.heartbeat(heartbeat) {
            Ok(()) => return Ok(()),
            Err(not_sent) if not_sent.reason == Refused::TryAgain(TryAgain::Busy) => heartbeat = not_sent.returned,
            Err(not_sent) => return Err(not_sent.reason),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Settings are yarn-site properties by their names, queues an allocation file. Both say where a mistake is.
    let settings = Settings::from_properties([("yarn.scheduler.fair.assignmultiple", "true")])?;
    let parsed = AllocationFile::parse(QUEUES, "fair-scheduler.xml", &settings.types, &[])?;
    let scheduler = FairScheduler::builder()
        .settings(settings)
        .allocations(parsed.file)
        .workers(2)
        // Ids of applications are made from the start time of the ResourceManager.
        .cluster_timestamp(1_700_000_000_000)
        .start()?;

    // Nodes register with their name, rack and room.
    let nodes = [
        scheduler.add_node("node-1", "/rack-1", Resource::new(8192, 8))?,
        scheduler.add_node("node-2", "/rack-2", Resource::new(8192, 8))?,
    ];

    // A managed application: the request for its AM's container is made at once. The answer is the queue or a refusal.
    let submission = Submission::new(1, "ann").in_queue("research").with_am(Resource::new(1024, 1));
    let app = scheduler.submit(submission)?;
    println!("{} submitted", app.id());

    // Whatever is asked for counts from the next update on: every 500 ms by itself, or when it is called for. `quiesce`
    // waits until all messages are worked off; a ResourceManager has no need of it, an example that prints does.
    scheduler.quiesce()?;
    scheduler.update_now()?;
    for node in &nodes {
        report(&scheduler, node, &[])?;
    }
    scheduler.quiesce()?;

    // What was granted lies in the application's mailbox. The ResourceManager fetches the AM's container and starts it.
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
    let am = answer.granted.first().copied().ok_or("the AM has its container")?;
    println!("AM runs as container {} on node {}", am.id.number(), am.node.index());

    // The AM asks for six tasks anywhere. A call answers with what came since the last one, it does not wait.
    let request = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 6)]);
    scheduler.allocate(&app, &request, &mut answer)?;
    let mut tasks = answer.granted.clone();
    while tasks.len() < 6 {
        scheduler.quiesce()?;
        scheduler.update_now()?;
        for node in &nodes {
            report(&scheduler, node, &[])?;
        }
        scheduler.quiesce()?;
        scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
        tasks.extend(&answer.granted);
    }
    println!("{} tasks run, {} more could be had", tasks.len(), answer.headroom);

    // The tasks end: their nodes say so with their next heartbeats, and the AM is told by its next call.
    for node in &nodes {
        report(&scheduler, node, &tasks)?;
    }
    scheduler.quiesce()?;
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
    for ended in &answer.ended {
        println!("container {}: {}", ended.id.number(), ended.reason.as_str());
    }

    for queue in scheduler.queues()?.iter().filter(|queue| queue.leaf) {
        println!("{:<16} uses {} of a steady share of {}", queue.name, queue.usage, queue.steady_fair_share);
    }

    // The end of the application takes its AM's container with it; afterwards the handle is refused.
    scheduler.finish(&app)?;
    println!("{} finished, {} containers left", app.id(), scheduler.stats().running);
    // Accepted messages are worked off, the threads end. Dropping the last handle does the same.
    scheduler.shutdown()?;
    Ok(())
}
