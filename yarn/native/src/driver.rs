//! Whichever of the two schedulers decides.

use evenweave::refused::Configuration;
use evenweave::view::ReservationNews;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacityStepped, Location, NodeHandle, Refused, Resource,
    SchedulerApi, Stepped,
};

/// See the module's text.
#[derive(Debug)]
pub(crate) enum Driver {
    Fair(Box<Stepped>),
    Capacity(Box<CapacityStepped>),
}

impl Driver {
    pub(crate) fn location(&self, name: &str) -> Location {
        match self {
            Driver::Fair(of) => of.location(name),
            Driver::Capacity(of) => of.location(name),
        }
    }

    /// The calls that both have.
    pub(crate) fn api(&mut self) -> &mut dyn SchedulerApi {
        match self {
            Driver::Fair(of) => &mut **of,
            Driver::Capacity(of) => &mut **of,
        }
    }

    pub(crate) fn reservation_news(&mut self) -> Vec<ReservationNews> {
        match self {
            Driver::Fair(of) => of.take_reservation_news(),
            Driver::Capacity(of) => of.take_reservation_news(),
        }
    }

    /// Demand and shares anew, then containers are marked and killed where preemption is on.
    pub(crate) fn update(&mut self) -> Result<(), Refused> {
        if let Driver::Fair(of) = self {
            of.update_now();
            match of.preempt().and_then(|_| of.kill_due()) {
                // It is off, and nothing is to be done.
                Err(Refused::Configuration(Configuration::PreemptionOff)) => {}
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

    /// Offers beside those of heartbeats: a pass of continuous scheduling, or a round of asynchronous scheduling from
    /// the node with so many before it on.
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
                Err(Refused::Configuration(Configuration::NoFile)) => Ok(()),
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
            Driver::Capacity(of) => of.stop_attempt(app),
        }
    }
}
