//! A request key as all threads see it, and how an application's keys are found.

use crate::app::SchedulingKey;
use crate::engine::books::usage::UsageCell;
use crate::engine::lease::{AskCount, AskPool};
use crate::sync::{Arc, CachePadded, OnceLock};
use std::collections::BTreeMap;
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
use std::mem::offset_of;

/// The outstanding `*` ask of one request key. Lives as long as the application.
///
/// In this order, so that the update task, which looks at every key, finds all but the count in one cache line.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct KeyCell {
    pub(crate) pool: CachePadded<AskPool>,
    pub(super) next: OnceLock<Arc<KeyCell>>,
    pub(crate) id: SchedulingKey,
    /// The size of one container; written by the home worker.
    pub(crate) size: UsageCell,
}

// A part of the line's other types may be in the next one. Not of shuttle's words, which are larger.
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(offset_of!(KeyCell, next) / 64 == (offset_of!(KeyCell, size) + 15) / 64, "memory and vcores");

impl KeyCell {
    /// This key and those that were asked for after it.
    pub(crate) fn and_later(&self) -> impl Iterator<Item = &KeyCell> {
        std::iter::successors(Some(self), |key| key.next.get().map(|next| &**next))
    }
}

impl Drop for KeyCell {
    /// One after the other: an AM may have named as many keys as it likes, and each would be dropped inside the one
    /// before.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut key) = next.and_then(Arc::into_inner) {
            next = key.next.take();
        }
    }
}

/// The most priorities and allocation request ids under which one attempt may ask: what it has asked under is kept
/// while it lives, and its visits pass over all of it.
pub(crate) const MAX_KEYS: usize = 1 << 17;

/// So many keys are looked through; of more there is an index.
const FEW_KEYS: usize = 8;

/// The keys of an application for those who look for one.
#[derive(Debug, Default)]
pub(super) struct KeyIndex {
    pub(super) len: usize,
    pub(super) last: Option<Arc<KeyCell>>,
    /// Of many. Not by hash: the AM chooses them, and could choose such as collide.
    by_id: BTreeMap<SchedulingKey, Arc<KeyCell>>,
}

impl KeyIndex {
    pub(super) fn find(&self, first: &OnceLock<Arc<KeyCell>>, id: SchedulingKey) -> Option<Arc<KeyCell>> {
        if self.len > FEW_KEYS {
            return self.by_id.get(&id).cloned();
        }
        KeyIndex::chain(first).find(|key| key.id == id).cloned()
    }

    fn chain(first: &OnceLock<Arc<KeyCell>>) -> impl Iterator<Item = &Arc<KeyCell>> {
        std::iter::successors(first.get(), |key| key.next.get())
    }

    /// A new last one.
    pub(super) fn note(&mut self, first: &OnceLock<Arc<KeyCell>>, key: &Arc<KeyCell>) {
        (self.len, self.last) = (self.len + 1, Some(key.clone()));
        if self.by_id.is_empty() && self.len > FEW_KEYS {
            self.by_id.extend(KeyIndex::chain(first).map(|key| (key.id, key.clone())));
        } else if self.len > FEW_KEYS {
            self.by_id.insert(key.id, key.clone());
        }
    }
}

/// The count of one rack or node location of a key, shared by the workers.
pub(crate) type LocationCount = Arc<AskCount>;
