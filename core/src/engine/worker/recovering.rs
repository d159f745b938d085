//! Containers that run already: a node that registers with a ResourceManager that has been restarted brings them.
//!
//! # Where it stands
//! Called by [`handling`](crate::engine::worker::handling) with a message of the control, which has looked at the application and counted its
//! AM. Hadoop: `AbstractYarnScheduler.recoverContainersOnNode`.
//!
//! # What holds
//! The container is charged to its node, its application and the queues above, whatever their limits say; no ask is taken, and none comes back
//! when it ends. Its AM has it already: it is in no mailbox until it ends. I4 and I5 hold as of one that was granted here.
//!
//! I13: an earlier scheduler numbered it, and this one counts from 1 again, as Hadoop does under a new epoch. So two containers of an attempt may
//! have one number, one after the other in one record. Their ids differ in the slot that they were granted to
//! ([`take_over`](crate::engine::worker::containers::Containers::take_over)). All of it is one worker's plain data: nothing races.

use crate::app::Locality;
use crate::engine::books::paths::{self, Counting};
use crate::engine::decider::Decider;
use crate::engine::intake::messages::Recovery;
use crate::engine::mail::container::{Container, RecoveredContainer};
use crate::engine::shared::count;
use crate::engine::worker::containers::{ContainerRecord, SizeId};
use crate::engine::worker::fate::Fate;
use crate::engine::worker::shard::Shard;
use crate::event::Refused;
use crate::id::{ContainerId, NONE};

impl<D: Decider> Shard<D> {
    /// Takes a container over; its id from now on.
    pub(crate) fn recover(&mut self, recovery: &Recovery) -> Result<ContainerId, Refused> {
        let Recovery { app, node, container, reply: _ } = recovery;
        let no_node = || Refused::NoSuchNode(node.name.to_string());
        let place = self.place_of(node).ok_or_else(no_node)?;
        let index = self.meet_app(app);
        if self.app(index).closed || self.app(index).leaf == NONE {
            return Err(Refused::NoSuchApp(app.id.number));
        }
        let mail = self.shared.arenas[self.worker].allocate(&mut self.own_records).ok_or(Refused::Busy)?;
        let record = self.add_recovered(index, place, container, mail);
        let id = self.container_id(record);
        let RecoveredContainer { priority, allocation_request_id, resource, .. } = *container;
        let as_had = Container { id, node: node.id, priority, allocation_request_id, resource };
        self.shared.arenas[self.worker].keep_acquired(mail, &as_had, self.shared.clock.now_ms());
        D::recovered(self, index, &resource);
        self.publish_free(place);
        self.note_change();
        count(&self.shared.counters[self.worker].granted, 1);
        Ok(id)
    }

    /// The container is its application's and its node's, and counts as used.
    fn add_recovered(&mut self, index: u32, place: u32, container: &RecoveredContainer, mail: u32) -> u32 {
        let Shard {
            apps, queues, nodes, containers, types, cluster, shared, root_is_held, root_held: held, own, ..
        } = self;
        let (types, alone) = (*types, shared.workers == 1);
        let app = apps[index as usize].as_mut().expect("met by the caller");
        let node = &mut nodes[place as usize];
        let size = containers.take_size(types, &container.resource, SizeId::NONE);
        let record = containers.add(ContainerRecord {
            app: app.slot,
            allocation_request_id: container.allocation_request_id,
            priority: container.priority,
            attempt: u16::try_from(container.attempt).unwrap_or(u16::MAX),
            application: app.number,
            number: container.number,
            node: place,
            size,
            mail,
            locality: Locality::OffSwitch,
            relax: 0,
            fate: Fate::default(),
            launched: true,
            am: container.am,
            acquired_at_end: false,
            app_place: u32::try_from(app.containers.len()).expect("as many as records at most"),
        });
        containers.take_over(record);
        app.containers.push(record);
        node.containers.push(record);
        node.free.subtract_in_types(types, &container.resource);
        if !app.ever_had {
            app.ever_had = true;
            app.shared.set_ever_had();
        }
        let leaf = app.leaf;
        let mut counting = Counting { own, types, alone, root_is_held: *root_is_held, held, cluster };
        paths::add_usage(app, queues, &container.resource, &mut counting);
        paths::show_leaf(queues, leaf, types, &container.resource, alone);
        if !alone {
            self.carry_room(leaf, &container.resource);
        }
        record
    }
}
