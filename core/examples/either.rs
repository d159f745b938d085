//! One program for both schedulers, with threads and without: it is generic over [`SchedulerApi`].
//!
//! `cargo run -p evenweave --example either`

use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, Capacity, CapacityConfiguration, CapacityScheduler, Fair,
    FairScheduler, Heartbeat, NodeHandle, Policy, Refused, Resource, SchedulerApi, Submission,
};
use std::error::Error;
use std::io::{Write, stdout};

/// What a program of its own adds to each of the two: here how it shows a queue.
trait Shown: Policy {
    fn queue(view: &Self::QueueView) -> String;
}

impl Shown for Fair {
    fn queue(view: &Self::QueueView) -> String {
        format!(
            "{} uses {} MB of a fair share of {} MB",
            view.name,
            view.usage.memory_mb(),
            view.fair_share.memory_mb()
        )
    }
}

impl Shown for Capacity {
    fn queue(view: &Self::QueueView) -> String {
        format!("{} uses {} MB of a guarantee of {} MB", view.name, view.used.memory_mb(), view.guaranteed.memory_mb())
    }
}

/// A cluster of one node, and one application.
struct Cluster<S> {
    scheduler: S,
    node: NodeHandle,
    app: AppHandle,
}

impl<S: SchedulerApi<Policy: Shown>> Cluster<S> {
    fn new(mut scheduler: S) -> Result<Cluster<S>, Refused> {
        let node = scheduler.add_node("n1", "/rack1", Resource::new(8192, 8))?;
        let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.prod"))?;
        Ok(Cluster { scheduler, node, app })
    }

    /// Asks for so many containers, and lets the node report until they are there.
    fn run(&mut self, containers: u32) -> Result<usize, Box<dyn Error>> {
        let mut answer = Allocation::default();
        let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), containers)]);
        self.scheduler.allocate(&self.app, &asks, &mut answer)?;
        // With threads asks travel.
        self.scheduler.settle()?;
        let mut granted = 0;
        for _ in 0..containers {
            // Of a FairScheduler new demand counts from the next update on. A CapacityScheduler does nothing here.
            self.scheduler.update_now()?;
            self.scheduler.heartbeat(Heartbeat::new(&self.node))?;
            self.scheduler.settle()?;
            self.scheduler.fetch(&self.app, &mut answer)?;
            granted += answer.granted.len();
        }
        Ok(granted)
    }

    fn show(&mut self, out: &mut impl Write, what: &str) -> Result<(), Box<dyn Error>> {
        self.scheduler.update_now()?;
        writeln!(out, "{what}")?;
        for queue in self.scheduler.queues()? {
            writeln!(out, "  {}", S::Policy::queue(&queue))?;
        }
        for reason in self.scheduler.why_waiting(&self.app)? {
            writeln!(out, "  it waits: {reason:?}")?;
        }
        Ok(())
    }
}

fn play(
    scheduler: impl SchedulerApi<Policy: Shown>,
    what: &str,
    out: &mut impl Write,
) -> Result<usize, Box<dyn Error>> {
    let mut cluster = Cluster::new(scheduler)?;
    let granted = cluster.run(3)?;
    cluster.show(out, what)?;
    cluster.scheduler.finish(&cluster.app)?;
    Ok(granted)
}

fn capacity() -> Result<CapacityConfiguration, Box<dyn Error>> {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "prod"),
        ("yarn.scheduler.capacity.root.prod.capacity", "100"),
        // Without it one user gets no more than the queue's capacity, which is all here.
        ("yarn.scheduler.capacity.root.prod.user-limit-factor", "1"),
    ];
    Ok(CapacityConfiguration::from_properties([], queues)?)
}

fn run(out: &mut impl Write) -> Result<[usize; 4], Box<dyn Error>> {
    Ok([
        play(FairScheduler::builder().start()?, "FairScheduler, threads", out)?,
        play(FairScheduler::builder().stepped()?, "FairScheduler, stepped", out)?,
        play(CapacityScheduler::builder(capacity()?).start()?, "CapacityScheduler, threads", out)?,
        play(CapacityScheduler::builder(capacity()?).stepped()?, "CapacityScheduler, stepped", out)?,
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_four_grant_the_same() {
        let mut out = Vec::new();
        assert_eq!(run(&mut out).expect("it runs"), [3; 4]);
        let said = String::from_utf8(out).expect("text");
        assert_eq!(said.matches("root.prod uses 3072 MB of a fair share of 8192 MB").count(), 2, "{said}");
        assert_eq!(said.matches("root.prod uses 3072 MB of a guarantee of 8192 MB").count(), 2, "{said}");
    }
}
