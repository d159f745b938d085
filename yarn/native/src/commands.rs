//! The commands of a batch. `Wire.java` has the same numbers.
//!
//! Each is answered by 1 and its own answer, or by 0, the kind of the refusal and its sentence. After the last one
//! comes what has happened.

use crate::state::State;
use crate::wire::{Malformed, Reader, Writer};
use evenweave::config::QueueAccess;
use evenweave::refused::NotFound;
use evenweave::{
    AllocateRequest, Allocation, AmRequest, AppHandle, Ask, ContainerId, Heartbeat, Location, NewAttempt, NewNode,
    RecoveredContainer, Refused, Submission, SubmitTerms,
};

/// See the module's text.
pub(crate) struct Batch<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) out: &'a mut Writer,
}

type Done = Result<Result<(), Refused>, Malformed>;

impl Batch<'_> {
    pub(crate) fn run(mut self, batch: &[u8]) -> Result<(), Malformed> {
        let mut batch = Reader::new(batch);
        while !batch.is_at_end() {
            let begin = self.out.bytes.len();
            self.out.flag(true);
            let command = batch.byte()?;
            if let Err(refused) = self.one(command, &mut batch)? {
                self.out.bytes.truncate(begin);
                self.out.flag(false);
                self.out.text(refused.kind());
                self.out.text(&refused.to_string());
            }
        }
        self.state.write_outcomes(self.out);
        Ok(())
    }

    fn one(&mut self, command: u8, given: &mut Reader<'_>) -> Done {
        match command {
            1 => self.add_node(given),
            2 => self.remove_node(given),
            3 => self.resize_node(given),
            4 => self.heartbeat(given),
            5 => self.accept(given),
            6 => self.submit(given),
            7 => self.new_attempt(given),
            8 => self.allocate(given),
            9 => self.release(given),
            10 => self.finish(given),
            11 => self.move_app(given),
            12 => Ok(self.state.driver.update()),
            13 => {
                self.state.driver.tick();
                Ok(Ok(()))
            }
            14 => self.refresh(given),
            15 => self.place(given),
            16 => self.permits(given),
            17 => self.set_groups(given),
            18 => {
                self.write_queues();
                Ok(Ok(()))
            }
            19 => self.set_priority(given),
            20 => {
                let first = given.count()?;
                self.state.driver.offer(usize::try_from(first).unwrap_or(usize::MAX));
                Ok(Ok(()))
            }
            21 => {
                let maximum = given.resource()?;
                Ok(self.state.driver.set_maximum(maximum))
            }
            22 => Ok(self.state.driver.preempt()),
            23 => self.recover(given),
            24 => self.give_up_reservation(given),
            25 => self.labels_updated(given),
            26 => self.ask_again(given),
            27 => self.stop_attempt(given),
            28 => self.look_at_file(given),
            #[cfg(test)]
            255 => panic!("on purpose"),
            _ => Err(Malformed),
        }
    }

    // ------------------------------------------------------------------------------------------------ nodes

    fn add_node(&mut self, given: &mut Reader<'_>) -> Done {
        let (name, port, rack, total) = (given.text()?, given.count()?, given.text()?, given.resource()?);
        let mut node = NewNode::new(name, rack, total);
        // A NodeManager's is one of TCP.
        node.port = u16::try_from(port).ok();
        Ok(self.state.driver.api().register_node(node, Vec::new()).map(|(node, _)| {
            let number = u32::try_from(node.id().index()).expect("nodes are fewer");
            self.out.count(number);
            self.state.nodes.insert(number, node);
        }))
    }

    fn remove_node(&mut self, given: &mut Reader<'_>) -> Done {
        let number = given.count()?;
        let Some(node) = self.state.nodes.remove(&number) else { return Ok(Err(no_node(number))) };
        Ok(self.state.driver.api().remove_node(&node))
    }

    fn resize_node(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, total) = (given.count()?, given.resource()?);
        let Some(node) = self.state.nodes.get(&number) else { return Ok(Err(no_node(number))) };
        Ok(self.state.driver.api().resize_node(node, total))
    }

    fn heartbeat(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, offer) = (given.count()?, given.flag()?);
        let (launched, completed) = (given.list(Reader::container)?, given.list(Reader::container)?);
        let Some(node) = self.state.nodes.get(&number) else { return Ok(Err(no_node(number))) };
        let mut heartbeat = Heartbeat::new(node);
        heartbeat.add_launched(launched);
        heartbeat.add_completed(completed);
        heartbeat.offer = offer;
        Ok(self.state.driver.api().heartbeat(heartbeat).map_err(|not_sent| not_sent.reason))
    }

    fn give_up_reservation(&mut self, given: &mut Reader<'_>) -> Done {
        let number = given.count()?;
        let Some(node) = self.state.nodes.get(&number) else { return Ok(Err(no_node(number))) };
        self.state.driver.give_up_reservation(node);
        Ok(Ok(()))
    }

    fn labels_updated(&mut self, given: &mut Reader<'_>) -> Done {
        let numbers = given.list(Reader::count)?;
        let State { nodes, driver, .. } = &mut *self.state;
        let updated: Vec<_> = numbers.iter().filter_map(|number| nodes.get(number).cloned()).collect();
        driver.labels_updated(&updated);
        Ok(Ok(()))
    }

    fn recover(&mut self, given: &mut Reader<'_>) -> Done {
        let (app, node, attempt, number) = (given.count()?, given.count()?, given.count()?, given.count()?);
        let (priority, request, resource) = (given.int()?, given.long()?, given.resource()?);
        let (is_am, epoch) = (given.flag()?, given.count()?);
        let container = RecoveredContainer::new(attempt, number, resource).asked_for(priority, request);
        let container = container.with_am(is_am).with_epoch(epoch);
        let State { apps, nodes, driver, .. } = &mut *self.state;
        let Some(app) = apps.get(&app) else { return Ok(Err(no_app(app))) };
        let Some(node) = nodes.get(&node) else { return Ok(Err(no_node(node))) };
        Ok(driver.api().recover_container(app, node, container).map(|id| self.out.container(id)))
    }

    // ------------------------------------------------------------------------------------------------ applications

    fn places(&self, given: &mut Reader<'_>) -> Result<Vec<Location>, Malformed> {
        given.list(|given| Ok(self.state.driver.location(given.text()?)))
    }

    fn am(&self, given: &mut Reader<'_>) -> Result<AmRequest, Malformed> {
        let mut am = AmRequest::from(given.resource()?);
        for (place, relaxed) in given.list(|given| Ok((given.text()?, given.flag()?)))? {
            let place = self.state.driver.location(place);
            am = if relaxed { am.at(place) } else { am.strictly_at(place) };
        }
        let am = am.avoiding(&self.places(given)?);
        Ok(if given.flag()? { am.running() } else { am })
    }

    fn submission(&self, given: &mut Reader<'_>) -> Result<(Submission, SubmitTerms), Malformed> {
        let (number, user, accepted) = (given.count()?, given.text()?, given.flag()?);
        let queue = given.maybe(Reader::text)?;
        let submission = Submission::new(number, user).maybe_with_am(given.maybe(|given| self.am(given))?);
        let mut terms = SubmitTerms::default();
        terms.priority = given.maybe(Reader::int)?;
        let recovered = given.flag()?;
        let submission = match queue {
            Some(queue) if accepted && recovered => submission.recovered_in(queue),
            Some(queue) if accepted => submission.accepted_in(queue),
            queue => submission.maybe_in_queue(queue),
        };
        Ok((submission, terms))
    }

    fn accept(&mut self, given: &mut Reader<'_>) -> Done {
        let (submission, terms) = self.submission(given)?;
        Ok(self.state.driver.api().accept(submission, terms).map(|queue| self.out.text(&queue)))
    }

    fn submit(&mut self, given: &mut Reader<'_>) -> Done {
        let (submission, terms) = self.submission(given)?;
        Ok(self.state.driver.api().submit_with(submission.clone(), terms).map(|app| {
            self.out.text(app.queue());
            self.state.apps.insert(submission.number, app);
        }))
    }

    fn new_attempt(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, keep) = (given.count()?, given.flag()?);
        let new = NewAttempt::default().keep_containers(keep).maybe_with_am(given.maybe(|given| self.am(given))?);
        let Some(app) = self.state.apps.get(&number) else { return Ok(Err(no_app(number))) };
        Ok(self.state.driver.api().new_attempt(app, new).map(|app| {
            self.state.apps.insert(number, app);
        }))
    }

    fn ask(&self, given: &mut Reader<'_>) -> Result<Ask, Malformed> {
        let (priority, request, place) = (given.int()?, given.long()?, given.text()?);
        let (resource, count, relaxed) = (given.resource()?, given.count()?, given.flag()?);
        let ask = Ask::anywhere(priority, resource, count).with_request_id(request).relaxed(relaxed);
        Ok(ask.at(self.state.driver.location(place)))
    }

    fn allocate(&mut self, given: &mut Reader<'_>) -> Done {
        let number = given.count()?;
        let asks = given.list(|given| self.ask(given))?;
        let (listed, taken_back) = (self.places(given)?, self.places(given)?);
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        let request = AllocateRequest::new(asks).with_blacklist_add(listed).with_blacklist_remove(taken_back);
        let mut answer = Allocation::default();
        Ok(self.state.driver.api().allocate(&app, &request, &mut answer).map(|()| {
            self.out.resource(&answer.headroom);
            let mut told = Vec::new();
            self.state.note(number, &mut answer, Some(&mut told));
            self.write_containers(&told);
        }))
    }

    fn release(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, containers) = (given.count()?, given.list(Reader::container)?);
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        Ok(self.manage(number, &app, &AllocateRequest::default().with_releases(containers)))
    }

    fn manage(&mut self, number: u32, app: &AppHandle, request: &AllocateRequest) -> Result<(), Refused> {
        let mut answer = Allocation::default();
        self.state.driver.manage(app, request, &mut answer)?;
        self.state.note(number, &mut answer, None);
        Ok(())
    }

    fn ask_again(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, asks) = (given.count()?, given.list(|given| self.ask(given))?);
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        Ok(self.manage(number, &app, &AllocateRequest::new(asks)))
    }

    fn stop_attempt(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, asks) = (given.count()?, given.list(|given| self.ask(given))?);
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        let mut answer = Allocation::default();
        let stopped = self.state.driver.stop_attempt(&app, asks, &mut answer);
        Ok(stopped.map(|()| self.state.note(number, &mut answer, None)))
    }

    fn finish(&mut self, given: &mut Reader<'_>) -> Done {
        let number = given.count()?;
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        let outcome = self.state.driver.api().finish(&app);
        self.state.forget(number);
        Ok(outcome)
    }

    fn move_app(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, queue) = (given.count()?, given.text()?);
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        Ok(self.state.driver.api().move_app(&app, queue))
    }

    fn set_priority(&mut self, given: &mut Reader<'_>) -> Done {
        let (number, priority) = (given.count()?, given.int()?);
        let Some(app) = self.state.apps.get(&number).cloned() else { return Ok(Err(no_app(number))) };
        Ok(self.state.driver.set_priority(&app, priority))
    }

    fn write_containers(&mut self, containers: &[ContainerId]) {
        self.out.length(containers.len());
        containers.iter().for_each(|container| self.out.container(*container));
    }

    // ------------------------------------------------------------------------------------------------ queues

    fn refresh(&mut self, given: &mut Reader<'_>) -> Done {
        let properties = given.list(|pair| Ok((pair.text()?, pair.text()?)))?;
        Ok(self.state.driver.refresh(&properties))
    }

    /// Java has looked at the allocation file; the scheduler looks at it, too, unless it is about to be told to read
    /// it.
    fn look_at_file(&mut self, given: &mut Reader<'_>) -> Done {
        let looks = given.flag()?;
        if let Some(file) = &self.state.sent_file {
            file.take(given)?;
        }
        if looks {
            self.state.driver.tick();
        }
        Ok(Ok(()))
    }

    fn place(&mut self, given: &mut Reader<'_>) -> Done {
        let (user, queue) = (given.text()?, given.maybe(Reader::text)?);
        Ok(self.state.driver.api().place(user, queue).map(|placed| self.out.maybe_text(placed.as_deref())))
    }

    fn permits(&mut self, given: &mut Reader<'_>) -> Done {
        let (user, queue) = (given.text()?, given.text()?);
        let access = if given.flag()? { QueueAccess::Administer } else { QueueAccess::Submit };
        let permits = self.state.driver.api().permits(user, queue, access).unwrap_or(false);
        self.out.flag(permits);
        Ok(Ok(()))
    }

    fn set_groups(&mut self, given: &mut Reader<'_>) -> Done {
        let (user, groups) = (given.text()?, given.list(|given| Ok(given.text()?.to_owned()))?);
        self.state.groups.set(user, groups);
        Ok(Ok(()))
    }
}

fn no_app(number: u32) -> Refused {
    NotFound::App(number).into()
}

fn no_node(number: u32) -> Refused {
    NotFound::Node(format!("of number {number}")).into()
}
