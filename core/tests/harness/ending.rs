//! What must be left in the end: nothing that could be served, and nothing at all once everything is over.

use super::books::NodeBook;
use super::op::Op;
use super::shape::{NodeShape, RACKS};
use super::world::World;
use evenweave::Resource;
use evenweave::SchedulerApi as _;
use evenweave::view::{NodeView, QueueView};

/// Far more than anything takes that comes to an end.
const MAX_ROUNDS: u32 = 100_000;

impl World {
    /// With room for everything, everything that is not tied to a place is granted. For unlimited shapes.
    pub(crate) fn serve_all(&mut self) -> Result<(), String> {
        const PLENTY: i64 = 1 << 24;
        for rack in 0..RACKS {
            let total = Resource::from_slice(&[PLENTY, PLENTY, PLENTY]);
            self.add_node(&NodeShape { rack, total }, false).map_err(|refused| refused.to_string())?;
        }
        self.offer_until_quiet()?;
        for app in self.books.apps.iter().filter(|app| app.alive && !app.choosy) {
            let left: i64 = app.asks.values().map(|(count, _)| count).sum();
            let why = self.stepped.not_offered(&app.handle);
            hold!(left == 0, "I7: application {} never got {left} containers, {:?}: {why:?}", app.number, app.asks);
        }
        Ok(())
    }

    /// Every node is offered until nothing more comes of it.
    fn offer_until_quiet(&mut self) -> Result<(), String> {
        let count = u8::try_from(self.books.nodes.len()).expect("few nodes");
        let (mut quiet, mut rounds) = (0, 0);
        // Long enough for every locality level to be relaxed on every node.
        while quiet < 4 * count {
            rounds += 1;
            hold!(rounds < MAX_ROUNDS, "the cluster is never quiet");
            quiet += 1;
            self.step(&Op::Update)?;
            self.step(&Op::Advance { ms: 200 })?;
            for node in 0..count {
                let beat = Op::Heartbeat { node, launches: 0, ends: 0, noise: false, offer: true };
                if !self.step(&beat)?.outcome.allocated.is_empty() {
                    quiet = 0;
                }
            }
        }
        self.audit(true)
    }

    /// Whatever the limits: once every node has been offered for long enough, whoever still asks for something waits
    /// for room, on every node (I7). Of an application all keys are to fit: one that does not may keep those behind it
    /// from a node.
    pub(crate) fn nobody_waits(&mut self) -> Result<(), String> {
        self.offer_until_quiet()?;
        let (queues, nodes) = (self.stepped.queues(), self.stepped.nodes());
        let is_kept = |name: &String| {
            let leaves = |book: &NodeBook| book.handle.name() == name && book.decommissioned_from.is_some();
            self.books.nodes.iter().any(leaves)
                || self.held.iter().any(|held| held.node == *name)
                || self.reserved.iter().any(|reserved| reserved.node == *name)
        };
        let open: Vec<_> = nodes.iter().filter(|node| !is_kept(&node.name)).collect();
        let mut waiting = 0;
        for view in self.stepped.apps() {
            let books = self.books.apps.iter();
            let mut of_app = books.filter(|app| app.alive && app.number == view.id.number && !app.choosy);
            let Some(app) = of_app.next() else { continue };
            let wanted: Vec<_> = app.asks.values().filter(|(count, _)| *count > 0).map(|(_, size)| *size).collect();
            if wanted.is_empty() || self.stepped.not_offered(&app.handle).is_some() {
                continue;
            }
            waiting += 1;
            let is_above = |queue: &&QueueView| {
                let below = view.queue.strip_prefix(&queue.name);
                below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let has_room = |size: &Resource| {
                let mut path = queues.iter().filter(is_above);
                path.all(|queue| queue.usage.plus(size).fits_in(&queue.max_share))
            };
            let fits = |node: &&&NodeView| wanted.iter().all(|size| size.fits_in(&node.free) && has_room(size));
            let node = open.iter().find(fits);
            hold!(node.is_none(), "I7: {view:?} waits for {wanted:?}, and {node:?} has room");
        }
        self.counts.add("waiting at the end", waiting);
        Ok(())
    }

    /// Ends everything; nothing may remain.
    pub(crate) fn tear_down(&mut self) -> Result<(), String> {
        self.audit(true)?;
        while self.books.alive(0).is_some() {
            self.step(&Op::Finish { app: 0, beside: None })?;
        }
        let mut rounds = 0;
        while !self.books.nodes.is_empty() && !self.books.containers.is_empty() {
            rounds += 1;
            hold!(rounds < MAX_ROUNDS, "containers never end");
            for node in 0..u8::try_from(self.books.nodes.len()).expect("few nodes") {
                self.step(&Op::Heartbeat { node, launches: 0, ends: 255, noise: false, offer: true })?;
            }
            // Those that no AM has ever had are known by number alone.
            self.step(&Op::Complete { container: 0 })?;
        }
        hold!(self.books.containers.is_empty(), "containers without a node");
        let queues = self.stepped.queues();
        let idle = queues.iter().all(|queue| {
            let am_idle = self.books.moved || queue.am_usage.is_zero();
            queue.usage.is_zero() && am_idle && queue.runnable == 0 && queue.non_runnable == 0
        });
        hold!(idle, "a queue is not idle: {queues:?}");
        let empty = self.stepped.nodes().iter().all(|node| node.free == node.total);
        hold!(empty, "a node is not empty");
        hold!(self.stepped.take_journal().reserved.is_empty(), "a reservation is left");
        self.audit(true)?;
        Ok(())
    }
}
