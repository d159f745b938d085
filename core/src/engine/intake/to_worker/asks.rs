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
    /// Whether these asks are one group, in a scheduler of `types` resource types. `labels`: as of [`grouped`].
    #[inline]
    pub(crate) fn takes(types: usize, asks: &[Ask], labels: &[LabelId]) -> bool {
        types <= ASKED_TYPES && !asks.is_empty() && alike_from_start(asks, labels) == asks.len()
    }

    /// Makes a group of asks that are all like `first`; `size` normalises the requested size. Not in an `Option` or
    /// `Result`, where the group would be moved twice: see [`Parcel`](super::Parcel).
    #[inline]
    pub(crate) fn of(
        app: Slot,
        first: &Ask,
        asks: &[Ask],
        size: impl Fn(&Resource) -> Resource,
        labels: &[LabelId],
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
            label: label_of(asks, labels),
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

/// How many asks from the first on differ from it only in location and count. A label counts at `*` alone.
#[inline]
fn alike_from_start(asks: &[Ask], labels: &[LabelId]) -> usize {
    let Some(a) = asks.first() else { return 0 };
    let is_alike = |(place, b): &(usize, &Ask)| {
        let is_both_anywhere = a.location == Location::ANY && b.location == Location::ANY;
        a.key() == b.key()
            && a.relax_locality == b.relax_locality
            && a.resource == b.resource
            && (!is_both_anywhere || labels.first() == labels.get(*place))
    };
    asks.iter().enumerate().take_while(is_alike).count()
}

/// The label of a group: that of its `*` ask.
#[inline]
fn label_of(asks: &[Ask], labels: &[LabelId]) -> LabelId {
    if labels.is_empty() {
        return LabelId::NONE;
    }
    let place = asks.iter().rposition(|ask| ask.location == Location::ANY);
    place.and_then(|place| labels.get(place).copied()).unwrap_or_default()
}

impl AskGroup {
    fn of_alike(first: &Ask, asks: &[Ask], size: impl Fn(&Resource) -> Resource, labels: &[LabelId]) -> AskGroup {
        let (key, relax, size) = (first.key(), first.relax_locality, size(&first.resource));
        AskGroup { key, size, relax, label: label_of(asks, labels), rows: rows_of(asks) }
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

/// Puts the asks of a call into groups: O(asks). `size` normalises the requested size; `labels`: of the nodes that each
/// ask wants, or empty where all want nodes without a label.
pub(crate) fn grouped(asks: &[Ask], size: impl Fn(&Resource) -> Resource, labels: &[LabelId]) -> AskGroups {
    // Two `*` asks of one chunk stand beside each other, or have another between them: each is compared with the first.
    let mut out = AskGroups::new();
    let (mut left, mut of_left) = (asks, labels);
    while let Some(first) = left.first() {
        let count = alike_from_start(left, of_left);
        let (chunk, rest) = left.split_at(count);
        let (of_chunk, of_rest) = of_left.split_at(count.min(of_left.len()));
        out.push(AskGroup::of_alike(first, chunk, &size, of_chunk));
        (left, of_left) = (rest, of_rest);
    }
    out
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::app::LocationTag;

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
        assert!(OneGroup::takes(3, &asks, &[]) && !OneGroup::takes(3, &[], &[]));
        let message = OneGroup::of(app, &asks[0], &asks, |size| size.plus(size), &[]);
        let arrived = message.asked();
        assert_eq!((arrived.key, arrived.size, arrived.relax), (asks[0].key(), resource.plus(&resource), false));
        assert_eq!(
            arrived.rows.iter().map(|row| (row.location, row.count)).collect::<Vec<_>>(),
            [(9, 6), (3, 2), (9, 1)]
        );
        assert!(!OneGroup::takes(4, &asks, &[]), "of more types than it has room for");
        let other = Ask { relax_locality: true, ..asks[1] };
        assert!(!OneGroup::takes(3, &[asks[0], other], &[]), "they differ");
        assert_eq!(grouped(&[asks[0], other, asks[2]], |size| *size, &[]).len(), 3);
    }

    #[test]
    fn only_labels_of_asks_for_anywhere_part_groups() {
        let node = LocationTag::of(5).location(9);
        let ask = Ask::anywhere(1, Resource::new(1024, 1), 1);
        let (x, y) = (LabelId(1), LabelId(2));
        let of = |asks: &[Ask], labels: &[LabelId]| -> Vec<(LabelId, usize)> {
            let groups = grouped(asks, |size| *size, labels);
            groups.iter().map(|group| (group.label, group.rows.len())).collect()
        };
        assert_eq!(of(&[ask, ask, ask], &[x, x, y]), [(x, 2), (y, 1)]);
        assert_eq!(of(&[ask.at(node), ask, ask.at(node)], &[y, x, y]), [(x, 3)]);
        assert_eq!(of(&[ask.at(node)], &[y]), [(LabelId::NONE, 1)]);
        assert_eq!(of(&[ask, ask], &[]), [(LabelId::NONE, 2)]);
        assert!(OneGroup::takes(3, &[ask, ask], &[x, x]) && !OneGroup::takes(3, &[ask, ask], &[x, y]));
    }
}
