//! The driver does what somebody wishes who watches: nodes come and go, the load changes, an application is handed in.

use std::time::Duration;

use evenweave_tools::clock::{nanos, now_ns};

use super::Driver;
use crate::api::{NodeHandle, Submission};
use crate::jobs::Job;
use crate::load::app::CONTAINER;
use crate::load::observation::Happened;
use crate::load::options::rack_of;
use crate::load::wishes::{self, Done, Wish, Wished};

/// More at once would keep the nodes that are there from reporting.
const MAX_NODES_AT_ONCE: u32 = 1_000;
const MAX_NODES: usize = 100_000;
const MAX_LOAD: u32 = 300;
const MAX_TASKS: u32 = 100_000;
const MAX_SECONDS: u32 = 86_400;
/// More would keep the nodes and ApplicationMasters waiting.
const WISHES_A_ROUND: usize = 2;
/// A scheduler that has not answered then is as good as gone.
const PATIENCE: Duration = Duration::from_secs(5);

impl Driver<'_> {
    /// Does what was wished since it was last called.
    pub(super) fn do_wishes(&mut self, now: u64) {
        for _ in 0..WISHES_A_ROUND {
            let Some(Wished { wish, reply }) = self.watched.as_ref().and_then(|watched| watched.next_wish()) else {
                return;
            };
            // Whoever wished may have gone.
            let _ = reply.send(self.do_wish(wish, now));
        }
    }

    fn do_wish(&mut self, wish: Wish, now: u64) -> Result<Done, String> {
        match wish {
            Wish::AddNodes(count) => self.add_nodes(count, now).map(Done::from),
            Wish::LoseNode(name) => self.lose(&name).map(Done::from),
            Wish::Load(percent) if percent <= MAX_LOAD => {
                self.admission.demand(f64::from(percent) / 100.0);
                Ok(Done::from(format!("the load is {percent} % of what keeps the cluster full")))
            }
            Wish::Load(percent) => Err(format!("a load of {percent} %: it may be 0 to {MAX_LOAD}")),
            Wish::Submit(job) => self.hand_in(job),
        }
    }

    /// Applications that the scheduler has moved count where they are now.
    pub(super) fn follow_moves(&mut self) {
        for view in self.engine.apps() {
            let slot = self.slot_of.get(view.number as usize).copied().filter(|slot| *slot != super::NO_SLOT);
            let Some((slot, leaf)) = slot.and_then(|slot| Some((slot, self.apps[slot as usize].as_ref()?.leaf))) else {
                continue;
            };
            if self.leaves[leaf] == view.queue {
                continue;
            }
            let to = self.leaf_of(&view.queue);
            let with_master = !self.leaving.iter().any(|(_, other)| *other == slot);
            let Some(app) = self.apps[slot as usize].as_mut() else { continue };
            app.leaf = to;
            self.books.moved(leaf, to, app.held);
            self.admission.moved(leaf, to, app.tasks_left() + u32::from(with_master));
        }
    }

    pub(super) fn tell_of<'a>(&'a mut self, place: usize, what: impl FnOnce(&'a NodeHandle) -> Happened<'a>) {
        if let Some(watched) = &mut self.watched {
            watched.tell(what(&self.nodes[place]));
        }
    }

    fn add_nodes(&mut self, count: u32, now: u64) -> Result<String, String> {
        if count == 0 || count > MAX_NODES_AT_ONCE || self.nodes.len() + count as usize > MAX_NODES {
            return Err(format!("{count} nodes: it may be 1 to {MAX_NODES_AT_ONCE} at once, {MAX_NODES} in all"));
        }
        for _ in 0..count {
            let number = self.nodes.len();
            let node = self.engine.add_node(&format!("n{number}"), &rack_of(number), self.pace.node_total)?;
            if node.id().index() != number {
                return Err(format!("the scheduler counts its nodes in another way: {number}"));
            }
            self.nodes.push(node);
            self.gone.push(false);
            self.tell_of(number, Happened::Registered);
        }
        self.pace.nodes += count;
        self.wheel.grow(self.nodes.len());
        self.books.on_node.resize(self.nodes.len(), 0);
        // Nobody reports twice, and nobody waits longer than an interval.
        self.beat = self.beats_due(now);
        Ok(format!("{count} nodes have come"))
    }

    /// What runs there ends; the ApplicationMasters hear of it in their next calls.
    fn lose(&mut self, name: &str) -> Result<String, String> {
        let is_there = |place: &usize| !self.gone[*place] && self.nodes[*place].name() == name;
        let place = (0..self.nodes.len()).find(is_there).ok_or_else(|| format!("there is no node {name}"))?;
        let Some(watched) = &self.watched else { return Err("nobody watches".to_owned()) };
        watched.remove_node(name).map_err(|refused| refused.to_string())?;
        self.is_gone(place);
        self.tell_of(place, Happened::Lost);
        Ok(format!("{name} is lost"))
    }

    /// A node reports no more.
    pub(super) fn is_gone(&mut self, place: usize) {
        self.gone[place] = true;
        self.wheel.clear(place);
    }

    fn hand_in(&mut self, wished: wishes::Job) -> Result<Done, String> {
        let wishes::Job { user, queue, tasks, seconds, reservation, label } = wished;
        let is_some = (1..=MAX_TASKS).contains(&tasks) && (1..=MAX_SECONDS).contains(&seconds) && !user.is_empty();
        if !is_some {
            return Err(format!(
                "an application has a user, and 1 to {MAX_TASKS} tasks of 1 to {MAX_SECONDS} seconds each"
            ));
        }
        let number = self.next_number;
        self.next_number += 1;
        if let Some(watched) = &mut self.watched {
            watched.tell(Happened::Submitted { number, user: &user, queue: &queue, label: label.as_deref() });
        }
        let mut submission = Submission::new(number, user).in_queue(queue.clone()).with_am(CONTAINER);
        if let Some(reservation) = reservation {
            submission = submission.with_reservation(reservation);
        }
        if let Some(label) = label {
            submission = submission.labelled(label);
        }
        let answer = self.answer_to(submission);
        let handle = match answer {
            Ok(handle) => handle,
            Err(why) => {
                if let Some(watched) = &mut self.watched {
                    watched.tell(Happened::Refused { number, why: &why });
                }
                return Err(why);
            }
        };
        let entered = handle.queue().to_owned();
        let leaf = self.leaf_of(&entered);
        let life = nanos(Duration::from_secs(seconds.into()));
        let job = Job { maps: tasks, reduces: 0, map_life_ns: life, reduce_life_ns: life, leaf, user: "".into() };
        self.admission.entered(leaf, job.containers());
        let index = self.place_of(job);
        self.job_entered(handle, index, leaf);
        Ok(Done { said: format!("application {number} is in {entered}"), app: Some(number) })
    }

    fn answer_to(&self, submission: Submission) -> Result<crate::api::AppHandle, String> {
        let begun = now_ns();
        let mut pending = self.engine.submit_all(vec![submission])?;
        loop {
            if let Some(answers) = pending() {
                return answers.into_iter().next().unwrap_or_else(|| Err("there was no answer".to_owned()));
            }
            if now_ns() - begun > nanos(PATIENCE) {
                return Err("the scheduler does not answer".to_owned());
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// The number of a job that somebody wished.
    fn place_of(&mut self, job: Job) -> usize {
        if let Some(index) = self.free_jobs.pop() {
            self.own_jobs[index - self.jobs.len()] = job;
            return index;
        }
        self.own_jobs.push(job);
        self.jobs.len() + self.own_jobs.len() - 1
    }

    /// The number that a queue has here; one that the load does not use gets that of another such whose jobs have
    /// ended, or a new one.
    fn leaf_of(&mut self, queue: &str) -> usize {
        if let Some(leaf) = self.leaves.iter().position(|leaf| leaf == queue) {
            return leaf;
        }
        if let Some(leaf) = (self.load_leaves..self.leaves.len()).find(|leaf| self.admission.is_idle(*leaf)) {
            queue.clone_into(&mut self.leaves[leaf]);
            return leaf;
        }
        self.leaves.push(queue.to_owned());
        self.books.in_leaf.push(0);
        self.admission.add_leaf();
        self.leaves.len() - 1
    }
}
