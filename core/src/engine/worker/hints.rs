//! Asking for memory ahead: what the next messages name is on its way before they are worked off.
//!
//! # Where it stands
//! Called by whoever takes messages off a lane, one link of the way for each message that is still before one. It reads what has come, and
//! changes nothing.

use crate::ahead::expect;
use crate::engine::decider::{Decider, QueuePart};
use crate::engine::intake::messages::External;
use crate::engine::worker::app::AppLocal;
use crate::engine::worker::containers::ContainerRecord;
use crate::engine::worker::shard::Shard;
use crate::id::OwnContainer;

impl<D: Decider> Shard<D> {
    /// An external message has been taken ahead: asks for what it names.
    #[inline]
    pub(crate) fn expect_later(&self, message: &External) {
        if let External::Report(report) = message {
            if let Some(node) = self.nodes.get(report.node) {
                node.expect_report();
            }
            report.completed().iter().for_each(|container| self.containers.expect(container.record));
        } else if let External::Group(asks) = message
            && let Some(app) = self.apps.get(asks.app.ix())
        {
            expect(app);
        }
    }

    /// Two are worked off before this external message: asks for what is named by what [`expect_later`](Self::expect_later)
    /// asked for.
    #[inline]
    pub(crate) fn expect_soon(&self, message: &External) {
        if let External::Report(report) = message {
            for record in report.completed().iter().filter_map(|container| self.containers.named(container)) {
                if let Some(app) = self.apps.get(record.app.ix()) {
                    expect(app);
                }
            }
        } else if let External::Group(asks) = message
            && let Some(app) = self.find_app(asks.app)
        {
            app.expect_visit();
            if let Some(Some(leaf)) = self.queues.get(app.leaf as usize) {
                leaf.expect_asks();
            }
        }
    }

    /// The next external message: the same, a link further.
    #[inline]
    pub(crate) fn expect_next(&self, message: &External) {
        if let External::Report(report) = message {
            report.completed().iter().for_each(|container| self.expect_end(container));
        } else if let External::Group(asks) = message
            && let Some(app) = self.find_app(asks.app)
        {
            app.expect_first_key();
        }
    }

    /// A container will end: asks for what its application's line leads to.
    #[inline]
    pub(super) fn expect_end(&self, container: &OwnContainer) {
        let Some((record, app)) = self.ending(container) else { return };
        self.shared.arenas[self.worker].expect_end(record.mail);
        app.expect_visit();
        app.expect_last_container();
        if let Some(leaf) = self.queues.get(app.leaf as usize) {
            expect(leaf);
        }
    }

    /// Asks for what the ends of these containers will read and write and is not on its way yet. Each touches a dozen lines that are
    /// cold or another core's; asked for at once, those of one container come beside those of the next.
    pub(super) fn expect_ends(&self, completed: impl Iterator<Item = OwnContainer>) {
        for container in completed {
            let Some((_, app)) = self.ending(&container) else { continue };
            // Mostly it gets the next container, whose grant writes there.
            app.expect_first_key();
            if let Some(Some(leaf)) = self.queues.get(app.leaf as usize) {
                leaf.expect_change(app.position);
                if let Some(Some(parent)) = self.queues.get(leaf.parent as usize) {
                    parent.expect_change(leaf.position);
                }
            }
            // It takes the place of the one that goes.
            if let Some(last) = app.containers.last() {
                self.containers.expect(*last);
            }
        }
    }

    /// The end of this container comes next: asks for what its application will be compared with.
    #[inline]
    pub(super) fn expect_ties(&self, container: &OwnContainer) {
        if let Some((_, app)) = self.ending(container)
            && let Some(Some(leaf)) = self.queues.get(app.leaf as usize)
        {
            leaf.own.expect_comparison();
        }
    }

    #[inline(always)]
    fn ending(&self, container: &OwnContainer) -> Option<(&ContainerRecord, &AppLocal<D>)> {
        let record = self.containers.named(container).filter(|record| record.fate.is_live())?;
        Some((record, self.find_app(record.app)?))
    }
}
