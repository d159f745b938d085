//! Containers that run already: a node that registers with a ResourceManager that has been restarted brings them.
//!
//! # Where it stands
//! Called by [`handling`](crate::engine::worker::handling) with a message of the control, which has looked at the
//! application and counted its AM. Hadoop: `AbstractYarnScheduler.recoverContainersOnNode`.
//!
//! # What holds
//! The container is charged to its node, its application and the queues above, whatever their limits say; no ask is
//! taken, and none comes back when it ends. Its AM has it already: it is in no mailbox until it ends. I4 and I5 hold as
//! of one that was granted here. One that has ended meanwhile is charged to nobody; its AM is told of its end.
//!
//! I13: an earlier scheduler numbered it, and this one counts from 1 again, as Hadoop does under a new epoch. So two
//! containers of an attempt may have one number, one after the other in one record. Their ids differ in the slot that
//! they were granted to ([`take_over`](crate::engine::records::containers::Containers::take_over)). All of it is one
//! worker's plain data: nothing races.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::intake::to_worker::Recovery;
use crate::engine::mail::container::{Container, EndReason, EndedContainer, RecoveredContainer};
use crate::engine::records::containers::{ContainerRecord, SizeId};
use crate::engine::records::fate::Fate;
use crate::engine::shard::Shard;
use crate::engine::shared::count;
use crate::engine::worker::paths::{self, Counting};
use crate::event::Refused;
use crate::event::refused::{NotFound, TryAgain};
use crate::id::{ContainerId, LabelId, Locality, NONE};
use crate::resource::Resource;

impl<D: Decider> Shard<D> {
    /// Takes a container over, and answers.
    pub(crate) fn answer_recovery(&mut self, node: &NodeShared, recovery: &Recovery) {
        let outcome = self.recover(node, recovery);
        recovery.reply.clone().send(outcome);
    }

    /// Takes a container over; its id from now on.
    fn recover(&mut self, node: &NodeShared, recovery: &Recovery) -> Result<ContainerId, Refused> {
        let Recovery { app, container, reply: _ } = recovery;
        let no_node = || Refused::NotFound(NotFound::Node(node.name.to_string()));
        let place = self.place_of(node).ok_or_else(no_node)?;
        let index = self.learn_app(app);
        if self.app(index).closed || self.app(index).leaf == NONE {
            return Err(NotFound::App(app.id.number).into());
        }
        let mail = self.shared.arenas[self.worker].allocate(&mut self.own_records).ok_or(TryAgain::Busy)?;
        let record = self.add_recovered(index, place, container, mail);
        let id = self.container_id(record);
        let RecoveredContainer { priority, allocation_request_id, resource, ended, .. } = *container;
        let locality = Locality::OffSwitch;
        let as_had = Container { id, node: node.id, priority, allocation_request_id, locality, resource };
        self.shared.arenas[self.worker].keep_acquired(mail, &as_had, self.shared.clock.now_ms());
        let local = self.app_mut(index);
        if !local.ever_had {
            local.ever_had = true;
            local.shared.set_ever_had();
        }
        count(&self.shared.counters[self.worker].granted, 1);
        if ended {
            self.report_past_end(index, record, &as_had);
        } else {
            self.charge_recovered(index, place, record, &resource);
        }
        Ok(id)
    }

    /// The number of the label that its ask named.
    fn label_of(&self, container: &RecoveredContainer) -> LabelId {
        let name: Option<String> = container.label.and_then(|label| self.shared.locations.name_of(label.name()?).ok());
        name.and_then(|name| self.snapshot.structure.labels.number(&name)).unwrap_or_default()
    }

    /// A record with an id that no other container has or had.
    fn add_recovered(&mut self, index: u32, place: u32, container: &RecoveredContainer, mail: u32) -> u32 {
        let label = self.label_of(container);
        let Shard { apps, containers, types, .. } = self;
        let app = apps[index as usize].as_ref().expect("met by the caller");
        let size = containers.take_size(*types, &container.resource, SizeId::NONE);
        let record = containers.add(ContainerRecord {
            app: app.slot,
            allocation_request_id: container.allocation_request_id,
            priority: container.priority,
            attempt: u16::try_from(container.attempt).unwrap_or(u16::MAX),
            epoch: container.epoch,
            taken_over: 0,
            application: app.number,
            number: container.number,
            node: place,
            size,
            mail,
            locality: Locality::OffSwitch,
            relax: 0,
            fate: if container.ended { Fate::OVER } else { Fate::default() },
            launched: true,
            am: container.am,
            acquired_at_end: false,
            label,
            app_place: u32::try_from(app.containers.len()).expect("as many as records at most"),
        });
        containers.take_over(record);
        record
    }

    /// The container is its application's and its node's, and counts as used.
    fn charge_recovered(&mut self, index: u32, place: u32, record: u32, size: &Resource) {
        let Shard {
            apps,
            queues,
            nodes,
            types,
            cluster,
            shared,
            root_usage_is_deferred,
            deferred_root_usage: held,
            own,
            ..
        } = self;
        let (types, alone) = (*types, shared.workers == 1);
        let app = apps[index as usize].as_mut().expect("met by the caller");
        let node = &mut nodes[place as usize];
        app.containers.push(record);
        node.containers.push(record);
        node.free.subtract_in_types(types, size);
        let leaf = app.leaf;
        let mut counting =
            Counting { own, types, alone, root_usage_is_deferred: *root_usage_is_deferred, held, cluster };
        paths::add_usage(app, queues, size, &mut counting);
        paths::show_leaf(queues, leaf, types, size, alone);
        if !alone {
            self.carry_room(leaf, size);
            let label = self.nodes[place as usize].label;
            self.carry_label_room(leaf, label, size);
            self.count_by_label(index, label, size);
        }
        D::recovered(self, index, record);
        self.publish_free(place);
        self.note_change();
    }

    /// It has ended already: nothing is charged, and the record may be another container's.
    fn report_past_end(&mut self, index: u32, record: u32, ended: &Container) {
        let mail = std::mem::replace(&mut self.containers[record].mail, NONE);
        let (arena, cell) = (&self.shared.arenas[self.worker], &self.app(index).cell);
        if arena.push_ended(&cell.ended, mail, EndReason::Completed) {
            self.wake_am(index);
        }
        let Container { id, node, .. } = *ended;
        let told = EndedContainer { id, node, reason: EndReason::Completed };
        self.journal.iter_mut().for_each(|journal| journal.ended.push(told));
        count(&self.shared.counters[self.worker].ended, 1);
        self.free_record_if_over(record);
    }
}
