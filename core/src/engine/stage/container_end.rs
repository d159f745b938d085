//! End: a container ends, and gives back what it has.
//!
//! # Where it stands
//! Called when a node says so ([`complete`](Shard::complete)), when an AM gives a container back, when its application
//! or its node goes, and when it is killed or expires. The room on the node, the room under limits, the usage up its
//! path and, if its AM has never seen it, the asks come back; its AM is told by its mailbox.
//!
//! # Invariants
//! I4: the usage of a container is taken off when it ends, on the same path on which it was added, and only once. So it
//! does not matter how many callers end it. One thing is repeated, because Hadoop repeats it: the asks of a container
//! that its AM has not seen come back at each call of [`end_container`](Shard::end_container).
//! A record is free for another container when this one has ended, its node has the room back, and no announced kill
//! is still to come.

use crate::engine::decider::Decider;
use crate::engine::intake::locations::ANY;
use crate::engine::intake::to_worker::{GiveBack, Internal};
use crate::engine::mail::container::{EndReason, EndedContainer};
use crate::engine::records::containers::ContainerRecord;
use crate::engine::shard::Shard;
use crate::engine::shared::count;
use crate::id::{ContainerId, Locality, NONE};
use crate::resource::Resource;
use smallvec::SmallVec;

impl<D: Decider> Shard<D> {
    /// The node says that a container is done.
    pub(crate) fn complete(&mut self, index: u32) {
        if self.containers[index].fate.is_live() {
            self.end_container(index, EndReason::Completed, true);
        } else {
            self.free_room(index);
            self.free_record_if_over(index);
        }
    }

    /// An AM gives these containers back in one call.
    pub(crate) fn release_all(&mut self, containers: &[ContainerId]) {
        for container in containers {
            if let Some(index) = self.live_container(*container) {
                self.end_container(index, EndReason::Released, false);
            }
        }
        if let Some(any) = containers.first() {
            D::released(self, any.application_number());
        }
    }

    /// Ends a container. `by_node`: its node says so, or is gone, so its room is free at once; otherwise a launched
    /// container's room stays taken until the node reports.
    pub(crate) fn end_container(&mut self, index: u32, reason: EndReason, by_node: bool) {
        let record = self.containers[index];
        if record.fate.is_live() {
            self.end_live::<true>(index, reason);
            if !by_node && self.containers[index].acquired_at_end {
                self.nodes[record.node as usize].shared.tell_to_stop(self.container_id(index));
            }
            if by_node || !record.launched {
                self.free_room(index);
            }
        } else if !record.acquired_at_end && self.find_app(record.app).is_some_and(|app| !app.closed) {
            // Hadoop puts the ask back once for every end that it is told of.
            self.give_asks_back(index);
        }
        D::container_ended(self);
        self.free_record_if_over(index);
    }

    /// Ends a live container that is preempted at once, for another one or because a queue is above its maximum. Its
    /// asks do not come back.
    pub(crate) fn end_without_asks(&mut self, index: u32, reason: EndReason) {
        let record = self.containers[index];
        self.end_live::<false>(index, reason);
        if self.containers[index].acquired_at_end {
            self.nodes[record.node as usize].shared.tell_to_stop(self.container_id(index));
        }
        if !record.launched {
            self.free_room(index);
        }
        D::container_ended(self);
        self.free_record_if_over(index);
    }

    /// `GIVES_BACK`: its asks come back, if its AM has not seen it yet.
    fn end_live<const GIVES_BACK: bool>(&mut self, index: u32, reason: EndReason) {
        let worker = self.worker;
        let record = &mut self.containers[index];
        let was_marked = record.fate.end();
        let record = *record;
        // A live container's application is known: a close ends its containers first.
        let app = record.app.index;
        self.unlink_from_app(&record);
        let mut negative_size = Resource::ZERO;
        negative_size.subtract_in_types(self.types, self.containers.size(&record));
        if was_marked {
            let (id, cell) = (self.container_id(index), self.app(app).cell.clone());
            cell.marked.strike_after(id, || self.add_usage(app, &negative_size));
        } else {
            self.add_usage(app, &negative_size);
        }
        D::usage_returned(self, index);
        // One worker alone takes no leases: it checks limits exactly.
        if self.shared.workers > 1 {
            let (leaf, label) = (self.app(app).leaf, self.nodes[record.node as usize].label);
            let size = *self.containers.size(&record);
            self.return_rooms(leaf, &size);
            self.return_label_rooms(leaf, label, &size);
            self.count_by_label(app, label, &negative_size);
        }
        let arena = &self.shared.arenas[worker];
        let withdrawn = arena.withdraw(record.mail);
        let ended = &mut self.containers[index];
        // `mail: NONE` says that this container's mail is dealt with. After a panic `worker::restart` skips the record.
        (ended.acquired_at_end, ended.mail) = (!withdrawn, NONE);
        let local = self.app(app);
        let mut wakes = false;
        if local.closed {
            // The AM makes no more calls, so nobody reads this mail: see `Shard::close_app`.
            if withdrawn {
                D::asks_dropped(self, index);
            } else {
                self.own_records.put(record.mail);
            }
        } else if withdrawn {
            if GIVES_BACK {
                self.give_asks_back(index);
            }
        } else {
            wakes = arena.push_ended(&local.cell.ended, record.mail, reason);
        }
        self.show_leaf(app, &negative_size);
        if wakes {
            self.wake_am(app);
        }
        if self.journal.is_some() {
            let (id, node) = (self.container_id(index), self.nodes[record.node as usize].shared.id);
            self.journal.iter_mut().for_each(|journal| journal.ended.push(EndedContainer { id, node, reason }));
        }
        count(&self.shared.counters[worker].ended, 1);
    }

    /// Puts a container at the end of its application's list.
    pub(crate) fn link_to_app(&mut self, index: u32, app: u32) {
        let list = &mut self.app_mut(app).containers;
        let place = u32::try_from(list.len()).expect("as many as records at most");
        list.push(index);
        self.containers[index].app_place = place;
    }

    /// Takes a container out of its application's list. The last of the list takes its place.
    #[inline(always)]
    pub(crate) fn unlink_from_app(&mut self, record: &ContainerRecord) {
        let list = &mut self.app_mut(record.app.index).containers;
        list.swap_remove(record.app_place as usize);
        if let Some(moved) = list.get(record.app_place as usize).copied() {
            self.containers[moved].app_place = record.app_place;
        }
    }

    /// The node has the room back.
    pub(crate) fn free_room(&mut self, index: u32) {
        let record = &mut self.containers[index];
        if !record.fate.leave_node() {
            return;
        }
        let record = *record;
        let node = &mut self.nodes[record.node as usize];
        // A node that goes has given its list away already.
        if let Some(place) = place_in(&node.containers, index) {
            node.containers.remove(place);
        }
        node.free.add_in_types(self.types, self.containers.size(&record));
        D::node_freed(node, &record);
        self.publish_free(record.node);
    }

    /// Frees the record for another container, if nothing of this one is still to come: see
    /// [`Fate::is_over`](crate::engine::records::fate::Fate::is_over).
    #[inline(always)]
    pub(crate) fn free_record_if_over(&mut self, index: u32) {
        self.containers.reuse(index);
    }

    /// What an end gives back to the asks: one unit of each ask that the grant took a unit from (`*`, rack and node).
    /// Size and relaxation are those that the ask had then.
    pub(crate) fn asks_of(&self, index: u32) -> SmallVec<[GiveBack; 3]> {
        let record = &self.containers[index];
        let at = self.nodes[record.node as usize].shared.locations();
        let sizes = self.containers.asked_sizes(index);
        // `at` is rack, node. `bit` is 1 for `*`, 2 for the rack and 4 for the node; the sizes have the same order.
        let row = |location, bit: u8| GiveBack {
            key: record.key(),
            location,
            size: sizes[bit.trailing_zeros() as usize],
            relax: record.relax & bit != 0,
            label: record.label,
        };
        let mut rows: SmallVec<[GiveBack; 3]> = SmallVec::new();
        if record.locality == Locality::Node {
            rows.push(row(at[1], 4));
        }
        if record.locality != Locality::OffSwitch {
            rows.push(row(at[0], 2));
        }
        rows.push(row(ANY, 1));
        rows
    }

    /// Gives these units back to the application's home worker, or to its own asks if that is this worker.
    fn give_asks_back(&mut self, index: u32) {
        let rows = self.asks_of(index);
        let app = self.app(self.containers[index].app.index).shared.clone();
        if app.home == self.worker {
            self.apply_give_back(&app, &rows);
        } else {
            let lane = &self.shared.lanes.internal[app.home];
            // A lane is closed only at shutdown, when asks do not matter.
            let _ = lane.send(Internal::GiveBack { app, rows });
        }
    }
}

/// How many entries are compared in one step.
const COMPARED: usize = 8;

/// The index of a container in its node's list, where it stands at most once. The list has no order, so all entries may
/// have to be compared: eight in one step without a branch, which a compiler can do with vector instructions.
fn place_in(list: &[u32], container: u32) -> Option<usize> {
    // If the length is no multiple of eight, the last eight overlap the step before. Only a list shorter than eight is
    // compared one by one.
    let Some(last) = list.last_chunk::<COMPARED>() else { return list.iter().position(|there| *there == container) };
    let (chunks, _) = list.as_chunks::<COMPARED>();
    let is_in = |chunk: &[u32; COMPARED]| chunk.iter().fold(false, |found, there| found | (*there == container));
    let (before, chunk) = match chunks.iter().position(is_in) {
        Some(at) => (at * COMPARED, &chunks[at]),
        None if is_in(last) => (list.len() - COMPARED, last),
        None => return None,
    };
    Some(before + chunk.iter().position(|there| *there == container)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_found_wherever_it_stands() {
        for len in 0..=3 * COMPARED + 1 {
            let list: Vec<u32> = (100..).take(len).collect();
            for (place, container) in list.iter().enumerate() {
                assert_eq!(place_in(&list, *container), Some(place), "among {len}");
            }
            assert_eq!(place_in(&list, 7), None, "not among {len}");
        }
    }
}
