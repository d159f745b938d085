//! The second look at the kill, with `yarn.scheduler.fair.preemption.strict`: is it still needed, and may it still go?
//!
//! # Where it stands
//! The preemption task asks the starved application's home worker what is outstanding by now, and takes what was marked
//! for it to the owners of the nodes, set by set; the owner decides here and kills at once. So what is needed is
//! counted in one place, and what may go is decided by who marked it, with the shares of the newest snapshot.
//!
//! # What decides
//! A container goes if its queue and its owner still allow it, and its owner, without all that is marked of it, is not
//! below its share. A set goes if the application runs, is still owed room, and has a request outstanding that may be
//! placed on the node and fits in the room that what goes would make there. What does not go is spared: it is marked no
//! longer, and its room is owed no longer.
//!
//! Not Hadoop's: there nobody asks again.

use super::serve::Creditor;
use super::victims::{OutstandingAsk, Victims};
use crate::app::SchedulingKey;
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::locations::ANY;
use crate::fair::engine::Shard;
use crate::resource::Resource;
use smallvec::SmallVec;

/// The key of a request that may be placed at one of the two locations, or anywhere, and fits in a room.
fn request_for(outstanding: &[OutstandingAsk], locations: [u32; 2], room: &Resource) -> Option<SchedulingKey> {
    let fits = |ask: &OutstandingAsk| ask.count > 0 && ask.size.fits_in(room);
    let whole = outstanding.iter().filter(|ask| ask.location == ANY && ask.count > 0);
    let mut keys = whole.filter(|any| {
        let mut here = outstanding.iter().filter(|ask| ask.key == any.key && locations.contains(&ask.location));
        (any.relax && fits(any)) || here.any(fits)
    });
    keys.next().map(|any| any.key)
}

impl Shard {
    /// Kills what is left of a set that was marked for an application, or spares it; see the module's text. The key of
    /// the request that the room is for, if it is for one.
    pub(crate) fn kill_if_needed(
        &mut self,
        set: &Victims,
        app: &AppShared,
        outstanding: &[OutstandingAsk],
    ) -> Option<SchedulingKey> {
        let marked: SmallVec<[u32; 8]> = set.iter().filter_map(|id| self.take_doomed(*id)).collect();
        let node = self.containers[*marked.first()?].node;
        let to = Creditor { app: app.slot, number: app.id.number };
        let mut ended = Resource::ZERO;
        let mut going: SmallVec<[u32; 8]> = SmallVec::new();
        for index in marked {
            let record = &self.containers[index];
            if !record.fate.is_marked() {
                // Its room is there already.
                ended = ended.plus(self.containers.size(record));
                self.free_record_if_over(index);
            } else if self.may_still_go(index) {
                going.push(index);
            } else {
                self.spare(index, to);
            }
        }
        let key = self.room_beside(node, to, &ended).and_then(|beside| {
            let room =
                going.iter().fold(beside, |room, index| room.plus(self.containers.size(&self.containers[*index])));
            let at = &self.nodes[node as usize].shared;
            request_for(outstanding, at.locations(), &room)
        });
        for index in going {
            if key.is_some() {
                self.preempt(index);
            } else {
                self.spare(index, to);
            }
        }
        key
    }

    /// What is free on a node for a set of which `ended` has ended by itself: not reserved, nor kept for others. `None`
    /// where the application would get nothing there: it is owed nothing any more, or wants no container of this node.
    fn room_beside(&self, node: u32, to: Creditor, ended: &Resource) -> Option<Resource> {
        let at = &self.nodes[node as usize];
        let app = self.find_app(to.app)?;
        let listed = at.shared.locations().into_iter().any(|location| app.blacklist().contains(&location));
        if at.gone || listed || !self.is_still_owed(to.app) {
            return None;
        }
        let reserved = at.reservation.map_or(Resource::ZERO, |reservation| reservation.size);
        // What is owed and not free yet is not taken from what is free.
        let on_node = at.containers.iter().map(|index| &self.containers[*index]);
        let marked = on_node.filter(|record| record.fate.is_marked());
        let to_come = marked.fold(*ended, |sum, record| sum.plus(self.containers.size(record)));
        let kept = at.own.owed.total().minus_non_negative(&to_come);
        Some(at.free.minus_non_negative(&reserved.plus(&kept)))
    }

    /// A container is to be preempted no longer, and its room is not kept.
    fn spare(&mut self, index: u32, to: Creditor) {
        let id = self.container_id(index);
        let record = &mut self.containers[index];
        record.fate.spare();
        let record = *record;
        self.app(record.app.index).cell.marked.strike(id);
        let size = *self.containers.size(&record);
        self.nodes[record.node as usize].own.owed.pay_off(to, &size);
    }
}
