//! Changes of asks, as an `allocate` call sends them to the application's home worker.

use crate::app::{Ask, Location, SchedulingKey};
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::locations::ANY;
use crate::id::{LabelId, Slot};
use crate::resource::Resource;
use crate::sync::Arc;
use smallvec::{SmallVec, smallvec};

/// How many resource types the asks in a [`OneGroup`] have at most.
const ASKED_TYPES: usize = 3;

/// Asks of one key and size, of an application that the worker knows already: nearly every call changes just these. It
/// names the application by its slot: a reference would be counted up by the caller and down by the worker, with each
/// call.
#[derive(Debug)]
pub(crate) struct OneGroup {
    pub(crate) app: Slot,
    allocation_request_id: i64,
    size: [i64; ASKED_TYPES],
    rows: AskRows,
    priority: i32,
    label: LabelId,
    relax: bool,
}

impl OneGroup {
    /// Whether these asks are one group, in a scheduler of `types` resource types.
    #[inline]
    pub(crate) fn takes(types: usize, asks: &[Ask], label: impl Fn(&Ask) -> LabelId) -> bool {
        let Some((first, others)) = asks.split_first() else { return false };
        types <= ASKED_TYPES && others.iter().all(|ask| alike(first, ask, &label))
    }

    /// Makes a group of asks that are all like `first`; `size` normalises the requested size. Not in an `Option` or
    /// `Result`, where the group would be moved twice: see [`Parcel`](super::Parcel).
    #[inline]
    pub(crate) fn of(
        app: Slot,
        first: &Ask,
        asks: &[Ask],
        size: impl Fn(&Resource) -> Resource,
        label: impl Fn(&Ask) -> LabelId,
    ) -> OneGroup {
        let SchedulingKey { priority, allocation_request_id } = first.key();
        let (size, relax) = (size(&first.resource), first.relax_locality);
        let size = std::array::from_fn(|i| size.get(i));
        OneGroup {
            app,
            allocation_request_id,
            size,
            rows: rows_of(asks),
            priority,
            label: label_of(asks, label),
            relax,
        }
    }

    /// The asks, without a copy.
    #[inline]
    pub(crate) fn asked(&self) -> Asked<'_> {
        let OneGroup { app: _, allocation_request_id, size, rows, priority, label, relax } = self;
        Asked {
            key: SchedulingKey { priority: *priority, allocation_request_id: *allocation_request_id },
            size: Resource::of_types(ASKED_TYPES, |i| size[i]),
            relax: *relax,
            label: *label,
            rows,
        }
    }
}

/// The application whose asks change.
#[derive(Debug)]
pub(crate) enum Asking {
    /// An application that the worker knows already.
    Known(Slot),
    /// An application that the worker may not know yet.
    New(Arc<AppShared>),
}

/// The changes of one `allocate` call.
#[derive(Debug)]
pub(crate) struct AskChange {
    pub(crate) app: Asking,
    /// In the order of the call.
    pub(crate) asks: AskGroups,
    /// The application's whole blacklist, when it changed.
    pub(crate) blacklist: Option<Box<[u32]>>,
}

/// The groups of one call. Most calls have one key and size.
pub(crate) type AskGroups = SmallVec<[AskGroup; 1]>;

/// The rows of one group. One or two are stored without an allocation.
pub(crate) type AskRows = SmallVec<[AskRow; 2]>;

/// Asks of a call that follow each other and differ only in location and count.
#[derive(Clone, Debug)]
pub(crate) struct AskGroup {
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    /// Of the nodes that the `*` ask wants, if there is one.
    pub(crate) label: LabelId,
    pub(crate) rows: AskRows,
}

impl AskGroup {
    /// The count for `*`, if the group has one. The last of several rows counts.
    pub(crate) fn any(&self) -> Option<u32> {
        self.rows.iter().rev().find(|row| row.location == ANY).map(|row| row.count)
    }

    /// The group, without a copy.
    #[inline]
    pub(crate) fn asked(&self) -> Asked<'_> {
        let AskGroup { key, size, relax, label, rows } = self;
        Asked { key: *key, size: *size, relax: *relax, label: *label, rows }
    }
}

/// A group as the worker reads it, from a [`OneGroup`] or an [`AskGroup`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) label: LabelId,
    pub(crate) rows: &'a [AskRow],
}

/// The new count at one location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskRow {
    pub(crate) location: u32,
    pub(crate) count: u32,
}

/// Whether two asks differ only in location and count. A label counts at `*` alone.
#[inline]
fn alike(a: &Ask, b: &Ask, label: &impl Fn(&Ask) -> LabelId) -> bool {
    let is_both_anywhere = a.location == Location::ANY && b.location == Location::ANY;
    a.key() == b.key()
        && a.relax_locality == b.relax_locality
        && a.resource == b.resource
        && (!is_both_anywhere || label(a) == label(b))
}

/// The label of a group: that of its `*` ask.
#[inline]
fn label_of(asks: &[Ask], label: impl Fn(&Ask) -> LabelId) -> LabelId {
    asks.iter().rev().find(|ask| ask.location == Location::ANY).map_or(LabelId::NONE, label)
}

impl AskGroup {
    fn of_alike(
        first: &Ask,
        asks: &[Ask],
        size: impl Fn(&Resource) -> Resource,
        label: impl Fn(&Ask) -> LabelId,
    ) -> AskGroup {
        let (key, relax, size) = (first.key(), first.relax_locality, size(&first.resource));
        AskGroup { key, size, relax, label: label_of(asks, label), rows: rows_of(asks) }
    }
}

#[inline]
fn rows_of(asks: &[Ask]) -> AskRows {
    let row = |ask: &Ask| AskRow { location: ask.location.number(), count: ask.count };
    match asks {
        [one] => smallvec![row(one)],
        _ => asks.iter().map(row).collect(),
    }
}

/// Puts the asks of a call into groups. `size` normalises the requested size; `label`: of the nodes that a `*` ask wants.
pub(crate) fn grouped(
    asks: &[Ask],
    size: impl Fn(&Resource) -> Resource,
    label: impl Fn(&Ask) -> LabelId,
) -> AskGroups {
    // Two `*` asks of one chunk stand beside each other, or have another between them: each is compared with the first.
    let mut out = AskGroups::new();
    let mut left = asks;
    while let Some((first, others)) = left.split_first() {
        let more = others.iter().take_while(|ask| alike(first, ask, &label)).count();
        let (chunk, rest) = left.split_at(more + 1);
        out.push(AskGroup::of_alike(first, chunk, &size, &label));
        left = rest;
    }
    out
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::app::LocationTag;

    fn no_label(_: &Ask) -> LabelId {
        LabelId::NONE
    }

    #[test]
    fn a_group_arrives_as_it_was_sent() {
        let app = Slot { index: 1, generation: 2 };
        let resource = Resource::from_slice(&[1, 2, 3]);
        let (priority, allocation_request_id) = (-1, 1 << 40);
        let ask = |at: u32, count| {
            let location = LocationTag::of(5).location(at);
            Ask { priority, allocation_request_id, location, resource, count, relax_locality: false, label: None }
        };
        let asks = [ask(9, 6), ask(3, 2), ask(9, 1)];
        assert!(OneGroup::takes(3, &asks, no_label) && !OneGroup::takes(3, &[], no_label));
        let message = OneGroup::of(app, &asks[0], &asks, |size| size.plus(size), no_label);
        let arrived = message.asked();
        assert_eq!((arrived.key, arrived.size, arrived.relax), (asks[0].key(), resource.plus(&resource), false));
        assert_eq!(
            arrived.rows.iter().map(|row| (row.location, row.count)).collect::<Vec<_>>(),
            [(9, 6), (3, 2), (9, 1)]
        );
        assert!(!OneGroup::takes(4, &asks, no_label), "of more types than it has room for");
        let other = Ask { relax_locality: true, ..asks[1] };
        assert!(!OneGroup::takes(3, &[asks[0], other], no_label), "they differ");
        assert_eq!(grouped(&[asks[0], other, asks[2]], |size| *size, no_label).len(), 3);
    }
}
