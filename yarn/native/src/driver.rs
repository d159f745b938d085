//! Whichever of the two schedulers decides.

use evenweave::config::QueueAccess;
use evenweave::view::ReservationNews;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacityStepped, ContainerId, Heartbeat, Location, NewAttempt,
    NodeHandle, RecoveredContainer, Refused, Resource, Stepped, Submission, SubmitTerms,
};

/// See the module's text.
#[derive(Debug)]
pub(crate) enum Driver {
    Fair(Box<Stepped>),
    Capacity(Box<CapacityStepped>),
}

/// The same call of either.
macro_rules! either {
    ($driver:ident, $scheduler:ident => $call:expr) => {
        match $driver {
            Driver::Fair($scheduler) => $call,
            Driver::Capacity($scheduler) => $call,
        }
    };
}

impl Driver {
    pub(crate) fn location(&self, name: &str) -> Location {
        either!(self, of => of.location(name))
    }

    pub(crate) fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        either!(self, of => of.add_node(name, rack, total))
    }

    pub(crate) fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        either!(self, of => of.remove_node(node))
    }

    pub(crate) fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        either!(self, of => of.resize_node(node, total))
    }

    pub(crate) fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        either!(self, of => of.heartbeat(heartbeat));
    }

    pub(crate) fn accept(&mut self, submission: &Submission, terms: SubmitTerms) -> Result<String, Refused> {
        either!(self, of => of.accept(submission, terms))
    }

    pub(crate) fn submit(&mut self, submission: &Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        match self {
            Driver::Fair(of) => of.submit(submission),
            Driver::Capacity(of) => of.submit_with(submission, terms),
        }
    }

    pub(crate) fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        either!(self, of => of.new_attempt(app, new))
    }

    pub(crate) fn recover(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        either!(self, of => of.recover_container(app, node, container))
    }

    pub(crate) fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        either!(self, of => of.allocate(app, request, answer))
    }

    pub(crate) fn reservation_news(&mut self) -> Vec<ReservationNews> {
        either!(self, of => of.take_reservation_news())
    }

    pub(crate) fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        either!(self, of => of.finish(app))
    }

    pub(crate) fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        either!(self, of => of.move_app(app, queue))
    }

    pub(crate) fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        either!(self, of => of.place(user, queue))
    }

    pub(crate) fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        either!(self, of => of.permits(user, queue, access))
    }

    /// Demand and shares anew, then containers are marked and killed where preemption is on.
    pub(crate) fn update(&mut self) -> Result<(), Refused> {
        if let Driver::Fair(of) = self {
            of.update_now();
            match of.preempt().and_then(|_| of.kill_due()) {
                // It is off, and nothing is to be done.
                Err(Refused::PreemptionOff) => {}
                outcome => outcome?,
            }
        }
        Ok(())
    }

    /// A round of preemption of the CapacityScheduler, whose monitor it stands for. Of the FairScheduler an update is.
    pub(crate) fn preempt(&mut self) -> Result<(), Refused> {
        match self {
            Driver::Fair(_) => Ok(()),
            Driver::Capacity(of) => of.preempt().map(drop),
        }
    }

    /// A node is reserved for nothing any more. The FairScheduler's reservations are given up by nobody else.
    pub(crate) fn give_up_reservation(&mut self, node: &NodeHandle) {
        if let Driver::Capacity(of) = self {
            of.give_up_reservation(node);
        }
    }

    /// Labels of nodes are as they are now. The FairScheduler knows none.
    pub(crate) fn labels_updated(&mut self, nodes: &[NodeHandle]) {
        if let Driver::Capacity(of) = self {
            of.labels_updated(nodes);
        }
    }

    /// What time has made due: the allocation file is looked at.
    pub(crate) fn tick(&mut self) {
        match self {
            Driver::Fair(of) => of.tick(),
            // Its queue file is read when it is told to.
            Driver::Capacity(_) => {}
        }
    }

    /// Offers beside those of heartbeats: a pass of continuous scheduling, or a round of asynchronous scheduling from the node with so many
    /// before it on.
    pub(crate) fn offer(&mut self, first: usize) {
        match self {
            Driver::Fair(of) => of.offer_all(),
            Driver::Capacity(of) => of.offer_all_from(first),
        }
    }

    /// The queues are read again: of the allocation file, or from these properties.
    pub(crate) fn refresh(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused> {
        match self {
            Driver::Fair(of) => match of.refresh_file() {
                // There was none at the start: as in Hadoop nothing happens.
                Err(Refused::NoAllocationFile) => Ok(()),
                outcome => outcome.map(drop),
            },
            Driver::Capacity(of) => of.refresh_properties(properties.iter().copied()),
        }
    }

    pub(crate) fn set_maximum(&mut self, maximum: Resource) -> Result<(), Refused> {
        match self {
            Driver::Fair(of) => of.set_maximum_allocation(maximum),
            // It is among the properties of a refresh.
            Driver::Capacity(_) => Ok(()),
        }
    }

    pub(crate) fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        match self {
            // It has no priorities of applications.
            Driver::Fair(_) => Ok(()),
            Driver::Capacity(of) => of.set_priority(app, priority),
        }
    }

    /// What the ResourceManager does by itself: containers end, asks come back, what has come is fetched.
    pub(crate) fn manage(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        match self {
            Driver::Fair(of) => of.allocate(app, request, answer),
            Driver::Capacity(of) => of.manage(app, request, answer),
        }
    }

    /// An attempt has ended, of which `asks` take all back that is outstanding.
    pub(crate) fn stop_attempt(
        &mut self,
        app: &AppHandle,
        asks: Vec<Ask>,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        match self {
            Driver::Fair(of) => of.allocate(app, &AllocateRequest::new(asks), answer),
            Driver::Capacity(of) => {
                of.stop_attempt(app);
                Ok(())
            }
        }
    }
}
