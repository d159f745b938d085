//! Passes a survey from worker to worker. When it is back at the first worker, that one makes the round. See
//! [`Surveyed`].
//!
//! Each worker runs it between two messages.

use super::messages::CapacityMessage;
use super::preempting::candidate_of;
use super::survey::{Mark, Survey, Surveyed};
use crate::capacity::rules::preempted::{Live, ReservedIn};
use crate::capacity::types::{AppLocal, Internal, Shard, Shared};
use crate::config::capacity::PreemptionSettings;
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::reply::Once;
use crate::id::{ContainerNumber, LabelId};
use crate::resource::Resource;

/// A worker is told something.
pub(crate) fn tell(shared: &Shared, worker: usize, message: CapacityMessage) {
    if let Some(lane) = shared.lanes.internal.get(worker) {
        // A lane is closed only at shutdown.
        let _ = lane.send(Internal::Own(message));
    }
}

/// The worker that makes rounds of the preemption policy: the first that lives.
pub(crate) fn preempting_worker(shared: &Shared) -> usize {
    (0..shared.workers).find(|worker| !shared.is_dead(*worker)).unwrap_or_default()
}

/// A round of the preemption policy is to be made, and its outcome to be told.
pub(crate) fn order_round(shared: &Shared, settings: PreemptionSettings, reply: Once<Vec<Mark>>) {
    let ordered = Survey::of(settings, Some(reply));
    tell(shared, preempting_worker(shared), CapacityMessage::Survey(Box::new(ordered)));
}

/// An AM has called without asking for anything or giving anything back.
pub(crate) fn called(shared: &Shared, app: &AppShared) {
    tell(shared, app.home, CapacityMessage::Called(app.id.number));
}

impl Shard {
    /// A survey has come by.
    pub(crate) fn survey(&mut self, survey: &Survey) {
        let maker = preempting_worker(&self.shared);
        let mut survey = survey.clone();
        let is_complete = self.worker == maker && survey.next(&self.shared, maker) == maker;
        if is_complete {
            self.fold_now();
            self.own.surveyed = survey.surveyed;
            let marked = self.preempt(&survey.settings);
            self.own.surveyed = Surveyed::default();
            if let Some(reply) = survey.reply {
                reply.send(marked);
            }
            return;
        }
        if self.worker != maker {
            self.add_to(&mut survey.surveyed);
            survey.been.push(self.worker);
        }
        let next = survey.next(&self.shared, maker);
        // A lane is closed only at shutdown.
        let _ = self.shared.lanes.internal[next].send(Internal::Own(CapacityMessage::Survey(Box::new(survey))));
    }

    /// Adds what this worker has.
    fn add_to(&self, surveyed: &mut Surveyed) {
        for app in self.apps.iter().flatten().filter(|app| !app.closed) {
            if app.containers.is_empty() && app.reserved.is_empty() {
                continue;
            }
            let (containers, reservations) =
                (self.own_containers(app.slot.index), self.own_reservations(app.slot.index));
            let found = surveyed.found.entry(app.number).or_default();
            found.containers.extend(containers);
            found.reservations.extend(reservations);
        }
        surveyed.nodes.extend(self.own_nodes(self.moves_reservations()));
        let queues = self.own.books.queues.iter().zip(0..);
        for (queue, slot) in queues.filter_map(|(queue, slot)| Some((queue.as_ref()?, slot))) {
            let labels = (1..).map(LabelId).zip(queue.parts.iter().map(|part| &part.counts));
            for (label, counts) in std::iter::once((LabelId::NONE, &queue.counts)).chain(labels) {
                if counts.killable.is_empty() {
                    continue;
                }
                let sum = surveyed.killable_sums.entry((slot, label)).or_insert(Resource::ZERO);
                *sum = sum.plus(&counts.killable_sum);
                surveyed.killable.extend(counts.killable.keys());
            }
            for (label, part) in queue.leaf.iter().flat_map(|leaf| (1..).map(LabelId).zip(&leaf.parts)) {
                let entries = part.shared.iter().map(|(candidate, entry)| (*candidate, *entry));
                surveyed.on_lent_nodes.entry((slot, label)).or_default().extend(entries);
            }
        }
        if self.own.books.has_labels() {
            surveyed.labels.extend(self.nodes.present().map(|(_, node)| (node.shared.id, node.label)));
        }
    }

    pub(crate) fn own_containers(&self, app: u32) -> Vec<Live> {
        let records = self.app(app).containers.iter().map(|index| &self.containers[*index]);
        let live = records.map(|record| Live {
            number: candidate_of(record).1,
            size: *self.containers.size(record),
            priority: record.priority,
            am: record.am,
            label: self.nodes[record.node as usize].label,
            asked: record.label,
        });
        live.collect()
    }

    /// A reservation's number among what its application has.
    pub(crate) fn number_of(&self, app: &AppLocal, number: u32) -> ContainerNumber {
        ContainerNumber::granted(app.attempt.into(), self.shared.epoch, number)
    }

    pub(crate) fn own_reservations(&self, app: u32) -> Vec<ReservedIn> {
        let local = self.app(app);
        let reserved = self.reservations_of(app).map(|(node, made)| ReservedIn {
            number: self.number_of(local, made.number),
            size: made.size,
            label: self.nodes[node as usize].label,
            asked: made.label,
        });
        reserved.collect()
    }
}
