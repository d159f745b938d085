//! What an AM asks for that is accepted, as YARN accepts it, and is probably a mistake.
//!
//! Run on the caller's thread, after the asks are sent. It reads the asks, and of the application which of its keys
//! have something outstanding.

use crate::app::{Ask, SchedulingKey};
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::locations::ANY;
use crate::resource::Resource;
use std::collections::{BTreeMap, BTreeSet};

/// Something in a request that was accepted, as YARN accepts it, although it is probably a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum AskWarning {
    /// There are lines for nodes or racks, and none at [`Location::ANY`](crate::Location::ANY): nothing is granted
    /// without one.
    NothingAnywhere {
        /// The priority.
        priority: i32,
        /// The allocation request id.
        allocation_request_id: i64,
    },
    /// There are two sizes for one priority and request id at one location: the last replaces the others. Give each
    /// size its own priority or request id.
    SizeReplaced {
        /// The priority.
        priority: i32,
        /// The allocation request id.
        allocation_request_id: i64,
    },
}

/// Notes what a call asks for by mistake, as it seems. Asks of one key, with one at `*`, are looked through once; so
/// are most calls.
pub(crate) fn warn_of(app: &AppShared, asks: &[Ask], out: &mut Vec<AskWarning>) {
    let Some((first, others)) = asks.split_first() else { return };
    let alike = |ask: &Ask| ask.key() == first.key() && ask.resource == first.resource;
    if !(others.iter().all(alike) && asks.iter().any(|ask| ask.location.number() == ANY)) {
        look(app, asks, out);
    }
}

#[cold]
fn look(app: &AppShared, asks: &[Ask], out: &mut Vec<AskWarning>) {
    let mut sizes: BTreeMap<(SchedulingKey, u32), &Resource> = BTreeMap::new();
    // By key: whether something is asked for at a node or rack, and whether at `*`.
    let mut places: BTreeMap<SchedulingKey, (bool, bool)> = BTreeMap::new();
    let mut replaced = BTreeSet::new();
    for ask in asks.iter().filter(|ask| ask.count > 0) {
        let (key, location) = (ask.key(), ask.location.number());
        if sizes.insert((key, location), &ask.resource).is_some_and(|before| *before != ask.resource) {
            replaced.insert(key);
        }
        let (at_place, anywhere) = places.entry(key).or_default();
        *(if location == ANY { anywhere } else { at_place }) = true;
    }
    // What was asked for before.
    for cell in app.first_key().into_iter().flat_map(|key| key.and_later()).filter(|cell| cell.pool.total() > 0) {
        if let Some((_, anywhere)) = places.get_mut(&cell.id) {
            *anywhere = true;
        }
    }
    let alone = places.into_iter().filter(|(_, said)| *said == (true, false)).map(|(key, _)| key);
    out.extend(alone.map(|key| {
        let SchedulingKey { priority, allocation_request_id } = key;
        AskWarning::NothingAnywhere { priority, allocation_request_id }
    }));
    out.extend(replaced.into_iter().map(|key| {
        let SchedulingKey { priority, allocation_request_id } = key;
        AskWarning::SizeReplaced { priority, allocation_request_id }
    }));
}
