//! Every view after a step, against the books.
//!
//! The numbers I1 … I13 are those of the invariants in `docs/concurrency.md`.

use super::books::NodeBook;
use super::world::{Seen, World};
use evenweave::testing::ByNumber as _;
use evenweave::view::{AllocatedView, AppView, QueueView};
use evenweave::{EndReason, Resource};
use std::collections::BTreeMap;

impl World {
    pub(super) fn compare(&mut self, seen: &Seen) -> Result<(), String> {
        self.compare_containers(seen)?;
        self.compare_nodes(seen)?;
        let by_queue = self.compare_apps(seen)?;
        for view in &seen.queues {
            self.compare_queue(seen, view, &by_queue)?;
        }
        self.compare_stats(seen)?;
        let ended = &seen.outcome.completed;
        self.counts.add("granted", seen.outcome.allocated.len());
        self.counts.add("reserved (steps × nodes)", seen.outcome.reserved.len());
        self.counts.add("room kept (steps × nodes)", seen.outcome.held.len());
        self.counts.add("lost with a node", ended.iter().filter(|(.., why)| *why == EndReason::NodeLost).count());
        self.counts.add("refused", usize::from(seen.refused.is_some()));
        Ok(())
    }

    /// What workers know of containers: who has them, where, for which ask, how large, in which state.
    fn compare_containers(&mut self, seen: &Seen) -> Result<(), String> {
        hold!(
            seen.containers.len() == self.books.containers.len(),
            "{} containers are shown, {} are there",
            seen.containers.len(),
            self.books.containers.len()
        );
        for view in &seen.containers {
            let book = self.books.containers.get(&view.id).ok_or_else(|| format!("shown, and not there: {view:?}"))?;
            let shown = (&view.node, (view.priority, view.allocation_request_id), view.resource, view.launched);
            hold!(shown == (&book.node, book.key, book.size, book.launched), "{view:?} is {book:?}");
            hold!(view.ended != book.live, "{view:?} is {book:?}");
        }
        for app in self.books.apps.iter().filter(|app| app.alive) {
            let marked = self.books.containers.iter().filter(|(_, book)| book.warned);
            let marked = marked.filter(|(_, book)| self.books.apps[book.app].number == app.number);
            let mut marked: Vec<_> = marked.map(|(id, _)| id.number()).collect();
            marked.sort_unstable();
            let warned = self.stepped.preemptions_numbered(app.number);
            hold!(
                warned.as_ref() == Ok(&marked),
                "I10: application {} is warned of {warned:?}, not of {marked:?}",
                app.number
            );
        }
        Ok(())
    }

    /// I1: a node's free room is what its containers leave; below zero only where the node has shrunk.
    fn compare_nodes(&self, seen: &Seen) -> Result<(), String> {
        hold!(seen.nodes.len() == self.books.nodes.len(), "{} nodes are shown", seen.nodes.len());
        for (book, view) in self.books.nodes.iter().zip(&seen.nodes) {
            let NodeBook { handle, total, rack, shrunk, .. } = book;
            hold!(view.name == handle.name() && view.id == handle.id(), "{view:?} stands for {}", handle.name());
            hold!(view.rack == format!("/r{rack}"), "{}: rack {} is not /r{rack}", view.name, view.rack);
            hold!(view.total == *total, "{}: total {} is not {total}", view.name, view.total);
            let used = self.books.taken_on(&view.name);
            hold!(
                view.free == total.minus(&used),
                "I1: {} shows {} free, {used} of {total} is used",
                view.name,
                view.free
            );
            let granted_here = seen.outcome.allocated.iter().any(|made| made.node == view.name);
            // What a decommissioning node has free when it reports may still be granted, before its total follows.
            let follows = book.decommissioned_from.is_some();
            hold!(
                Resource::ZERO.fits_in(&view.free) || (*shrunk && (!granted_here || follows)),
                "I1: {} is over-committed: {}",
                view.name,
                view.free
            );
        }
        for held in &seen.outcome.held {
            hold!(self.books.node_named(&held.node).is_some(), "room is kept on no node: {held:?}");
            let something = Resource::ZERO.fits_in(&held.resource) && !held.resource.is_zero();
            hold!(something, "no room is kept: {held:?}");
        }
        let mut reserved: Vec<_> = seen.outcome.reserved.iter().map(|reserved| &reserved.node).collect();
        reserved.dedup();
        hold!(reserved.len() == seen.outcome.reserved.len(), "a node is reserved twice: {reserved:?}");
        for reserved in &seen.outcome.reserved {
            let alive = self.books.apps.iter().any(|app| app.alive && app.number == reserved.app);
            hold!(alive, "a reservation for a finished application: {reserved:?}");
            hold!(self.books.node_named(&reserved.node).is_some(), "a reservation on no node: {reserved:?}");
        }
        Ok(())
    }

    /// I3 and, of applications, I4. What those of each leaf use, and what their AMs were accounted with.
    fn compare_apps<'s>(&self, seen: &'s Seen) -> Result<BTreeMap<&'s str, [Resource; 2]>, String> {
        let mut alive: Vec<_> = (0..self.books.apps.len()).filter(|app| self.books.apps[*app].alive).collect();
        alive.sort_by_key(|app| self.books.apps[*app].number);
        let numbers = alive.iter().map(|app| self.books.apps[*app].number);
        hold!(numbers.eq(seen.apps.iter().map(|view| view.id.number)), "other applications are shown than there are");
        let mut by_queue: BTreeMap<&str, [Resource; 2]> = BTreeMap::new();
        for (app, view) in alive.into_iter().zip(&seen.apps) {
            let book = &self.books.apps[app];
            let number = book.number;
            let usage = self.books.live_of(app).fold(Resource::ZERO, |sum, (_, own)| sum.plus(&own.size));
            hold!(view.usage == usage, "I4: application {number} uses {usage}, shown {}", view.usage);
            let asks = book.asks.values();
            let outstanding = asks.fold(Resource::ZERO, |sum, (count, size)| sum.plus(&size.times_int(*count)));
            hold!(
                view.outstanding == outstanding,
                "I3: application {number} has {outstanding} outstanding, shown {}",
                view.outstanding
            );
            let reserved = seen.outcome.reserved.iter().filter(|reserved| reserved.app == number).count();
            hold!(view.reserved_nodes as usize == reserved, "application {number}: {reserved} reservations");
            hold!(view.preempted == book.preempted, "application {number}: {} preempted", book.preempted);
            let leaf = seen.queues.iter().any(|queue| queue.leaf && queue.name == view.queue);
            hold!(leaf, "application {number} is in no leaf");
            hold!(book.handle.waits_for_am() == book.waits_for_am, "application {number} and its AM");
            let of_queue = by_queue.entry(&view.queue).or_insert([Resource::ZERO; 2]);
            *of_queue = [of_queue[0].plus(&usage), of_queue[1].plus(&book.am)];
        }
        Ok(by_queue)
    }

    fn compare_queue(
        &self,
        seen: &Seen,
        view: &QueueView,
        by_queue: &BTreeMap<&str, [Resource; 2]>,
    ) -> Result<(), String> {
        let name = &view.name;
        // I4: usage is the sum of the parts.
        let below = |other: &&QueueView| other.name.rsplit_once('.').is_some_and(|(above, _)| above == name);
        let [usage, ams] = by_queue.get(name.as_str()).copied().unwrap_or_default();
        let sum = if view.leaf {
            usage
        } else {
            seen.queues.iter().filter(below).fold(Resource::ZERO, |sum, child| sum.plus(&child.usage))
        };
        hold!(view.usage == sum, "I4: {name} shows {}, its parts have {sum}", view.usage);
        if view.leaf && !self.books.moved {
            hold!(view.am_usage == ams, "{name} shows {} for AMs, its parts have {ams}", view.am_usage);
        }
        let inside =
            |queue: &str| queue == name || queue.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let here = |app: &&AppView| inside(&app.queue);
        let runnable = seen.apps.iter().filter(here).filter(|app| app.runnable).count();
        hold!(view.runnable as usize == runnable, "{name} shows {} runnable, there are {runnable}", view.runnable);
        if view.leaf {
            let waiting = seen.apps.iter().filter(here).filter(|app| !app.runnable).count();
            hold!(view.non_runnable as usize == waiting, "{name} shows {} waiting, not {waiting}", view.non_runnable);
        }
        let before = self.queues.iter().find(|before| before.name == *name);
        hold!(
            view.runnable <= before.map_or(0, |before| before.runnable) || view.runnable <= view.max_running_apps,
            "{name} has {} runnable applications now, of {} at most",
            view.runnable,
            view.max_running_apps
        );
        // I2: a grant takes no queue above its max share: that of before the step, whose own total a node may have
        // followed since.
        let max_share = before.unwrap_or(view).max_share;
        let of_app = |made: &AllocatedView| seen.apps.iter().find(|app| app.id.number == made.app);
        let granted = seen.outcome.allocated.iter().filter(|made| of_app(made).is_some_and(|app| inside(&app.queue)));
        let grants: Vec<_> = granted.collect();
        for i in 0..self.shape.types {
            // One worker refuses whatever the type that is above; several look at what a container has some of.
            let grown = grants.iter().any(|made| self.workers == 1 || made.resource.get(i) > 0);
            hold!(
                !(grown && (self.shape.uniform || self.workers > 1)) || view.usage.get(i) <= max_share.get(i),
                "I2: {name} uses {} of at most {}",
                view.usage,
                max_share
            );
        }
        Ok(())
    }

    fn compare_stats(&self, seen: &Seen) -> Result<(), String> {
        let (stats, books) = (&seen.stats, &self.books);
        hold!(stats.granted == books.granted, "{} granted, shown {}", books.granted, stats.granted);
        hold!(stats.completed == books.ended, "{} ended, shown {}", books.ended, stats.completed);
        hold!(stats.preempted == books.preempted, "{} preempted, shown {}", books.preempted, stats.preempted);
        let live = books.containers.values().filter(|book| book.live);
        let allocated = live.clone().fold(Resource::ZERO, |sum, book| sum.plus(&book.size));
        hold!(stats.allocated == allocated, "allocated {allocated}, shown {}", stats.allocated);
        hold!(stats.running == live.count() as u64, "{} running", stats.running);
        let total = books.nodes.iter().fold(Resource::ZERO, |sum, node| sum.plus(&node.total));
        hold!(stats.cluster == total, "the cluster has {total}, shown {}", stats.cluster);
        Ok(())
    }
}
