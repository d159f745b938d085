//! Nodes report, and what the core puts into mailboxes is taken out.

use super::super::events::Kind;
use super::super::masters::Launch;
use super::super::record::JobEnd;
use super::run::{Master, Run};
use crate::api::{Allocation, EndReason, Resource};

/// From the grant of an AM's container to the moment in which the AM is up, in ms.
const AM_START_MS: u64 = 4;

fn amounts(size: &Resource) -> [i64; 2] {
    [size.memory_mb(), size.vcores()]
}

impl Run<'_> {
    /// A node reports, and is offered.
    pub(super) fn report(&mut self, at: u64, node: u32) {
        self.set_time(at);
        self.end_quiet(Kind::Node);
        self.quiet.reported += 1;
        self.wind();
        let sim = &mut self.nodes[node as usize];
        let (heartbeat, node_handle, again) = sim.report(at, &mut self.scratch.stops, &mut self.scratch.over);
        self.core.heartbeat(heartbeat, node_handle);
        if again {
            self.ring.need(node, at + 1);
        }
        if !self.woken.is_empty() {
            self.deliver();
        }
        // AMs that have said that they are done: their applications go when their containers are seen to have ended.
        for index in 0..self.scratch.over.len() {
            let id = self.scratch.over[index];
            let number = id.application_number();
            let leaves = self.masters.get(&number).filter(|master| master.am.is_some_and(|(am, _)| am == id));
            if let Some(end) = leaves.and_then(|master| master.leaving) {
                self.remove(number, end);
            }
        }
    }

    /// Containers are launched, or their ends are known.
    pub(super) fn launch_all(&mut self, number: u32) {
        let launches = std::mem::take(&mut self.scratch.launches);
        for Launch { id, node, life_ms, again } in &launches {
            let ends_at = life_ms.map_or(u64::MAX, |life| self.now.saturating_add(life));
            let index = node.index();
            let place = u32::try_from(index).unwrap_or(u32::MAX);
            if *again {
                if self.nodes[index].ends(*id, ends_at) {
                    self.ring.need(place, ends_at);
                    self.latest_end = self.latest_end.max(ends_at);
                }
                continue;
            }
            self.nodes[index].launch(*id, ends_at);
            self.ring.need(place, self.now + 1);
            if ends_at != u64::MAX {
                self.ring.need(place, ends_at);
                self.latest_end = self.latest_end.max(ends_at);
            }
            if let Some(master) = self.masters.get_mut(&number) {
                let record = &mut master.record;
                record.containers += 1;
                record.first_task_ms.get_or_insert(self.now);
            }
        }
        self.scratch.launches = launches;
        self.scratch.launches.clear();
    }

    /// Takes out what has come into mailboxes: it goes into the log, and to the AMs.
    pub(super) fn deliver(&mut self) {
        while let Ok(number) = self.woken.try_recv() {
            let Some(mut master) = self.masters.remove(&number) else { continue };
            let mut answer = std::mem::take(&mut self.scratch.answer);
            // Of one that has ended there is nothing to tell.
            let told = self.core.fetch(&master.handle, &mut answer).is_ok();
            let lost = told && self.take_in(number, &mut master, &answer);
            self.masters.insert(number, master);
            self.scratch.answer = answer;
            if lost {
                self.end_app(number, JobEnd::AmLost);
            }
        }
    }

    /// What a mailbox had. Whether the AM's own container was taken.
    pub(super) fn take_in(&mut self, number: u32, master: &mut Master, answer: &Allocation) -> bool {
        if answer.granted.is_empty() && answer.ended.is_empty() {
            return false;
        }
        self.quiet.changed();
        self.moved_at = self.now;
        let mut am_lost = false;
        for container in &answer.granted {
            let named = (number, container.id.number());
            self.log.grant(self.now, named, container.node.index(), container.priority, container.resource.memory_mb());
            self.granted += 1;
            self.busy.change(self.now, amounts(&container.resource));
            master.sizes.insert(container.id.number(), amounts(&container.resource));
            if master.waits_for_am() {
                master.am = Some((container.id, container.node));
                self.quiet.outstanding -= 1;
                self.events.put(self.now + AM_START_MS, Kind::Up, u64::from(number));
                continue;
            }
            master.granted += 1;
            if master.outstanding.granted(container.priority, container.allocation_request_id) {
                self.quiet.outstanding -= 1;
            }
            master.inbox.granted.push(*container);
        }
        for ended in &answer.ended {
            let named = (number, ended.id.number());
            self.log.end(self.now, named, ended.reason);
            self.ended += 1;
            if let Some([memory, vcores]) = master.sizes.remove(&ended.id.number()) {
                self.busy.change(self.now, [-memory, -vcores]);
                if ended.reason == EndReason::Preempted {
                    self.preempted += 1;
                    let record = &mut master.record;
                    record.preempted += 1;
                    if let Some(held) = master.work.held.get(&ended.id.number()) {
                        record.lost_mib_s += memory as f64 * self.now.saturating_sub(held.since) as f64 / 1000.0;
                    }
                }
            }
            if ended.reason != EndReason::Completed {
                self.quiet.disturb();
            }
            if master.am.is_some_and(|(am, _)| am == ended.id) {
                if master.leaving.is_none() {
                    am_lost = true;
                    master.record.am_lost = Some(ended.reason.as_str());
                }
                continue;
            }
            master.inbox.ended.push(*ended);
        }
        am_lost
    }
}
