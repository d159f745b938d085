//! Prefetches what the next messages name, before the worker handles them.
//!
//! A message leads to its data by a chain of pointers: application, then leaf, then usage. One call prefetches one link
//! of the chain. The inbox calls a message's three functions while the message moves forward in its queue:
//! `prefetch_later`, `prefetch_soon`, `prefetch_next`. They read, and change nothing.

use crate::engine::decider::Decider;
use crate::engine::intake::to_worker::External;
use crate::engine::parts::{AppPart, QueuePart};
use crate::engine::records::app::AppLocal;
use crate::engine::records::containers::ContainerRecord;
use crate::engine::shard::Shard;
use crate::id::OwnContainer;
use crate::prefetch::prefetch;

impl<D: Decider> Shard<D> {
    /// An external message was taken off its lane. Prefetches what it names.
    #[inline]
    pub(crate) fn prefetch_later(&self, message: &External) {
        if let External::Report(report) = message {
            if let Some(node) = self.nodes.get(report.node) {
                node.prefetch_report();
            }
            report.completed().iter().for_each(|container| self.containers.prefetch(container.record));
        } else if let External::Group(asks) = message
            && let Some(app) = self.apps.get(asks.app.ix())
        {
            AppLocal::prefetch_begin(app);
        }
    }

    /// This external message is the third to come. Prefetches what the lines of
    /// [`prefetch_later`](Self::prefetch_later) name.
    #[inline]
    pub(crate) fn prefetch_soon(&self, message: &External) {
        if let External::Report(report) = message {
            for record in report.completed().iter().filter_map(|container| self.containers.named(container)) {
                if let Some(app) = self.apps.get(record.app.ix()) {
                    AppLocal::prefetch_begin(app);
                }
            }
        } else if let External::Group(asks) = message
            && let Some(app) = self.find_app(asks.app)
        {
            app.prefetch_visit(&self.own);
            app.own.prefetch_linked(&self.own);
            if let Some(Some(leaf)) = self.queues.get(app.leaf as usize) {
                leaf.prefetch_asks();
            }
        }
    }

    /// This external message is one of the next two. Prefetches the next link.
    #[inline]
    pub(crate) fn prefetch_next(&self, message: &External) {
        if let External::Report(report) = message {
            report.completed().iter().for_each(|container| self.prefetch_end(container));
        } else if let External::Group(asks) = message
            && let Some(app) = self.find_app(asks.app)
        {
            app.prefetch_first_key();
            app.own.prefetch_charge(&self.own);
        }
    }

    /// This container will end. Prefetches what its application's line leads to.
    #[inline]
    pub(crate) fn prefetch_end(&self, container: &OwnContainer) {
        let Some((record, app)) = self.ending(container) else { return };
        self.shared.arenas[self.worker].prefetch_end(record.mail);
        app.prefetch_visit(&self.own);
        app.own.prefetch_linked(&self.own);
        app.prefetch_last_container();
        if let Some(leaf) = self.queues.get(app.leaf as usize) {
            prefetch(leaf);
        }
    }

    /// Prefetches what the ends of these containers will read and write, as far as nothing else has done it. Each end
    /// touches a dozen lines that are in no cache or in another core's. Prefetched together, they come in parallel.
    pub(crate) fn prefetch_ends(&self, completed: impl Iterator<Item = OwnContainer>) {
        for container in completed {
            let Some((_, app)) = self.ending(&container) else { continue };
            // The same application usually gets the next container, whose grant writes there.
            app.prefetch_first_key();
            if let Some(Some(leaf)) = self.queues.get(app.leaf as usize) {
                leaf.prefetch_change(app.position);
                if let Some(Some(parent)) = self.queues.get(leaf.parent as usize) {
                    parent.prefetch_change(leaf.position);
                }
            }
            // The last container takes the place of the one that goes.
            if let Some(last) = app.containers.last() {
                self.containers.prefetch(*last);
            }
            app.own.prefetch_charge(&self.own);
        }
    }

    /// The end of this container is handled next. Prefetches the applications that its own will be compared with.
    #[inline]
    pub(crate) fn prefetch_ties(&self, container: &OwnContainer) {
        if let Some((_, app)) = self.ending(container)
            && let Some(Some(leaf)) = self.queues.get(app.leaf as usize)
        {
            leaf.own.prefetch_comparison();
        }
    }

    #[inline(always)]
    fn ending(&self, container: &OwnContainer) -> Option<(&ContainerRecord, &AppLocal<D>)> {
        let record = self.containers.named(container).filter(|record| record.fate.is_live())?;
        Some((record, self.find_app(record.app)?))
    }
}
