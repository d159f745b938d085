//! AMs: they come up, call, and leave.

use super::super::events::Kind;
use super::super::masters::{Answer, Going};
use super::super::record::JobEnd;
use super::run::{Master, Run};
use crate::api::{AllocateRequest, Refused};
use evenweave::refused::NotFound;

impl Master {
    /// Its first heartbeat after a moment.
    fn tick_after(&self, at: u64, interval: u64) -> u64 {
        self.start_ms + (at.saturating_sub(self.start_ms) / interval + 1) * interval
    }
}

impl Run<'_> {
    pub(super) fn am_is_up(&mut self, number: u32) {
        let Some(master) = self.masters.get_mut(&number) else { return };
        master.registered = true;
        master.record.registered_ms = Some(self.now);
        if let Some((id, node)) = master.am {
            self.nodes[node.index()].launch(id, u64::MAX);
            self.ring.need(u32::try_from(node.index()).unwrap_or(u32::MAX), self.now + 1);
        }
        self.put_tick(number, self.now);
    }

    /// Its next heartbeat after a moment is in the queue.
    fn put_tick(&mut self, number: u32, after: u64) {
        let interval = self.plan.am_interval_ms;
        let Some(master) = self.masters.get_mut(&number) else { return };
        let at = master.tick_after(after, interval);
        if master.tick_at.is_none_or(|before| before > at) {
            master.tick_at = Some(at);
            self.events.put(at, Kind::Tick, u64::from(number));
        }
    }

    /// An AM's heartbeat.
    pub(super) fn tick(&mut self, number: u32) {
        let Some(mut master) = self.masters.remove(&number) else { return };
        if master.tick_at != Some(self.now) || master.broken.is_some() || master.leaving.is_some() {
            self.masters.insert(number, master);
            return;
        }
        master.tick_at = None;
        let going = self.heartbeat_of(&mut master, number);
        self.masters.insert(number, master);
        self.launch_all(number);
        match going {
            Going::On | Going::LastNext => self.put_tick(number, self.now),
            Going::Last => self.leave(number, JobEnd::Done),
            Going::Failed => self.leave(number, JobEnd::Failed),
            Going::Lost => self.end_app(number, JobEnd::AmLost),
        }
    }

    /// What it does: answers of earlier calls, then the call, then whether it is over.
    fn heartbeat_of(&mut self, master: &mut Master, number: u32) -> Going {
        if master.last_next {
            return Going::Last;
        }
        if let Some(answer) = master.answer.take() {
            match self.process(master, &answer) {
                Going::On => {}
                Going::LastNext => {
                    master.last_next = true;
                    return Going::LastNext;
                }
                going @ (Going::Last | Going::Failed | Going::Lost) => return going,
            }
        }
        if let Some(why) = master.breaks.take() {
            self.breaks_down(master, number, why);
            return Going::On;
        }
        let call = master.program.call(&mut master.work, self.now);
        let request = AllocateRequest::new(call.asks).with_releases(call.releases);
        let mut told = std::mem::take(&mut self.scratch.answer);
        self.calls += 1;
        let outcome = self.core.allocate(&master.handle, &request, &mut told);
        for ask in request.asks.iter().filter(|_| outcome.is_ok()) {
            self.quiet.outstanding += master.outstanding.replace(ask);
        }
        if !request.asks.is_empty() || !request.releases.is_empty() {
            self.quiet.changed();
            self.moved_at = self.now;
        }
        if !request.releases.is_empty() {
            self.quiet.disturb();
        }
        let lost = outcome.is_ok() && self.take_in(number, master, &told);
        master.work.headroom = told.headroom;
        self.scratch.answer = told;
        match outcome {
            Ok(()) if lost => return Going::Lost,
            Ok(()) => {}
            Err(Refused::NotFound(NotFound::App(_))) => return Going::On,
            Err(refused) => {
                self.breaks_down(master, number, refused.to_string());
                return Going::On;
            }
        }
        if call.last_next {
            master.last_next = true;
            return Going::LastNext;
        }
        let answer = master.inbox.take();
        if master.program.is_prompt() {
            return self.process(master, &answer);
        }
        master.answer = Some(answer);
        Going::On
    }

    fn process(&mut self, master: &mut Master, answer: &Answer) -> Going {
        master.work.now = self.now;
        let places = &self.places;
        master.program.process(&mut master.work, answer, self.now, places, &mut self.scratch.launches)
    }

    /// It stops for good, and is given up much later.
    fn breaks_down(&mut self, master: &mut Master, number: u32, why: String) {
        master.broken = Some(why);
        self.events.put(self.now + self.plan.am_expiry_ms, Kind::GiveUp, u64::from(number));
    }

    /// Its last step: its container is over at its node's next report, and with it the application.
    fn leave(&mut self, number: u32, end: JobEnd) {
        let Some(master) = self.masters.get_mut(&number) else { return };
        master.leaving = Some(end);
        let record = &mut master.record;
        record.ended_ms = Some(self.now);
        record.end = end;
        self.moved_at = self.now;
        match master.am {
            Some((id, node)) => {
                self.nodes[node.index()].ends(id, self.now);
                self.ring.need(u32::try_from(node.index()).unwrap_or(u32::MAX), self.now + 1);
            }
            None => self.remove(number, end),
        }
    }

    /// The application goes at once.
    pub(super) fn end_app(&mut self, number: u32, end: JobEnd) {
        self.remove(number, end);
    }

    /// The scheduler forgets it. What it still has is stopped by nodes.
    pub(super) fn remove(&mut self, number: u32, end: JobEnd) {
        let Some(mut master) = self.masters.remove(&number) else { return };
        // It may have ended by itself.
        let _ = self.core.finish(&master.handle);
        let waits_for_am = i64::from(master.waits_for_am());
        self.quiet.outstanding -= master.outstanding.sum() + waits_for_am;
        self.quiet.changed();
        if !master.sizes.is_empty() {
            self.quiet.disturb();
        }
        for [memory, vcores] in master.sizes.values() {
            self.busy.change(self.now, [-memory, -vcores]);
        }
        master.record.end = end;
        master.record.unused = master.granted.saturating_sub(master.work.launched);
        master.settle();
        self.ended += master.sizes.len() as u64;
        self.moved_at = self.now;
        let part = master.part;
        self.tally.close(master.key, master.record, master.broken);
        self.deliver();
        if let Some(part) = part {
            self.part_ended(part, end);
        }
    }
}
