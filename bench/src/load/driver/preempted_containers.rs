//! The driver of a load with preemption: what it does beside its rounds, with containers that are taken before their
//! end.

use evenweave_tools::clock::now_ns;

use super::{Driver, PATIENCE_NS};
use crate::api::{EndReason, Heartbeat};
use crate::load::app::Role;

impl Driver<'_> {
    /// What is due beside the rounds: a queue comes, AMs call, figures are looked at.
    pub(super) fn preemption(&mut self, now: u64) {
        let Some(preempting) = &mut self.preempting else { return };
        if let Some(late) = preempting.arrival(now) {
            for (index, leaf) in late.leaves.iter().enumerate() {
                self.admission.open(late.others.len() + index, leaf.apps * leaf.containers);
            }
        }
        self.calls.extend(preempting.calls_due(now, self.heartbeat_ns, self.apps.len()));
        preempting.look(self.engine, now);
    }

    /// What an application is warned of, and what was taken from it, by the answer that it has just got. Whether its AM
    /// was among that, and it has ended.
    pub(super) fn take_warnings(&mut self, slot: u32, now: u64) -> Result<bool, String> {
        let Driver { preempting: Some(preempting), books, answer, apps, .. } = self else { return Ok(false) };
        let app = apps[slot as usize].as_mut().expect("the caller has just looked");
        let (mut taken, mut am_taken) = ([0; 2], false);
        for ended in answer.ended.iter().filter(|e| matches!(e.reason, EndReason::Preempted | EndReason::Released)) {
            let Some(container) = preempting.taken(ended.id, ended.reason, now) else { continue };
            books.was_taken(app.leaf, container.node);
            match container.role {
                Role::Master => am_taken = true,
                Role::Map => taken[0] += 1,
                Role::Reduce => taken[1] += 1,
            }
        }
        if am_taken {
            return self.lose_app(slot).map(|()| true);
        }
        app.taken(taken[0], taken[1]);
        let given = answer.strict_preemptions.iter().filter(|id| preempting.warned(**id, now));
        app.to_release.extend(given);
        Ok(false)
    }

    /// An application whose AM was taken: all that it has ends with it.
    fn lose_app(&mut self, slot: u32) -> Result<(), String> {
        let preempting = self.preempting.as_mut().expect("containers are taken in such a load only");
        let app = self.apps[slot as usize].as_ref().expect("the caller has just looked");
        for node in preempting.app_ended(slot) {
            self.books.was_taken(app.leaf, node);
        }
        // Its tasks, and its AM.
        for _ in 0..=app.tasks_left() {
            self.admission.container_ended(app.leaf);
        }
        self.leave(slot)
    }

    /// Nodes tell of what the scheduler ended since they last reported, and are offered nothing.
    pub(super) fn report_taken(&mut self) -> Result<(), String> {
        let Some(preempting) = &mut self.preempting else { return Ok(()) };
        let mut batch = Vec::new();
        for node in preempting.to_report() {
            let mut heartbeat = Heartbeat::new(&self.nodes[node]);
            heartbeat.offer = false;
            preempting.report(node, &mut heartbeat);
            batch.push(heartbeat);
        }
        let begun = now_ns();
        while !batch.is_empty() {
            batch = self.engine.heartbeats(batch).err().unwrap_or_default();
            if now_ns() - begun > PATIENCE_NS {
                return Err("the scheduler does not take reports".to_owned());
            }
        }
        Ok(())
    }
}
