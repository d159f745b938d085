//! Calls of a handle that are the same, whichever scheduler it is to.
//!
//! They run on the caller's thread. With threads they send to the scheduler's, and those that wait say for whom.

use super::calls::fetch;
use super::capacity::CapacityStepped;
use super::capacity_threads::CapacityScheduler;
use super::fair::FairScheduler;
use super::handles::{AppHandle, NodeHandle};
use super::journal::{AllocatedView, reservation_views};
use super::stepped::Stepped;
use super::submitted::Submitted;
use crate::app::Location;
use crate::clock::Patience;
use crate::engine::intake::calls::Call;
use crate::engine::{
    Allocation, ContainerCounts, ContainerView, NodeView, RequestView, ReservationNews, Submission, ask_workers,
    node_view, prefetch_calls,
};
use crate::event::{Refused, SchedulerEvent, Waited};
use crate::id::{ContainerId, ContainerName, NodeId};
use std::time::Duration;

/// Calls of a handle that are the same, whichever decides.
macro_rules! calls_alike {
    () => {
        /// The location for a node or rack name, for asks and blacklists. `*` is [`Location::ANY`](crate::Location::ANY). A name keeps its
        /// number while the scheduler lives. A name longer than [`LONGEST_NAME`](crate::event::LONGEST_NAME) bytes gives
        /// [`Location::NOWHERE`](crate::Location::NOWHERE). The scheduler keeps at most 128 MiB of names without a node or rack. All further
        /// such names give one location without a node.
        #[must_use]
        pub fn location(&self, name: &str) -> Location {
            self.door().location(name)
        }

        // -------------------------------------------------------------------------------------------- applications

        /// Submits many applications in one message. Does not wait: [`Submitted`] gives the answers.
        ///
        /// # Errors
        /// [`Refused::Busy`], [`Refused::TaskLost`], [`Refused::ShutDown`].
        pub fn submit_all(&self, submissions: Vec<Submission>) -> Result<Submitted, Refused> {
            let answers = self.door().begin(|reply| Call::SubmitAll(submissions, reply))?;
            Ok(Submitted::new(answers, self.downgrade().0))
        }

        /// Announces the applications for which this thread calls [`allocate`](Self::allocate) next. It prefetches data that workers on other
        /// cores have written, for all these calls at once. Only the first sixteen applications count: announce the others after
        /// these calls. The iterator is cloned and read several times. It changes only time, like [`AppHandle::prefetch_call`].
        #[inline]
        pub fn prefetch_calls<'a>(&self, apps: impl IntoIterator<Item = &'a AppHandle, IntoIter: Clone>) {
            prefetch_calls(&self.door().shared, apps.into_iter().map(|app| &*app.0));
        }

        /// Fetches the granted and ended containers since the AM's last call, and does nothing else. A ResourceManager uses it to fetch an
        /// AM's own container.
        ///
        /// # Errors
        /// [`Refused::NoSuchApp`] of another scheduler's application; [`Refused::ShutDown`].
        pub fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
            fetch(self.door().open()?, app, answer)
        }

        /// Starts to end an application. Does not wait. Later calls with its handle are refused.
        ///
        /// # Errors
        /// [`Refused::Busy`], [`Refused::ShutDown`], [`Refused::TaskLost`]. An application that has already ended is not an error here.
        pub fn begin_finish(&self, app: &AppHandle) -> Result<(), Refused> {
            self.door().begin(|reply| Call::Finish { app: app.0.clone(), by: None, reply }).map(drop)
        }

        // -------------------------------------------------------------------------------------------- handles

        /// Returns the handle of an application by its number, if it has not ended. Waits for the control.
        ///
        /// # Errors
        /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
        pub fn find_app(&self, number: u32) -> Result<Option<AppHandle>, Refused> {
            let app = self.door().call(|reply| Call::App(number, reply))?;
            Ok(app.filter(|app| !app.is_closed()).map(AppHandle))
        }

        /// Returns the handle of a registered node by the number that a [`Container`](crate::Container) has. Does not wait. O(log
        /// nodes).
        #[must_use]
        pub fn find_node_by_id(&self, id: NodeId) -> Option<NodeHandle> {
            self.door().shared.nodes.lock().get(id).filter(|node| !node.is_gone()).cloned().map(NodeHandle)
        }

        /// Returns the handle of a registered node by its name. Does not wait. O(nodes).
        #[must_use]
        pub fn find_node(&self, name: &str) -> Option<NodeHandle> {
            self.door().find_node(name)
        }

        /// Returns a container by its name, if it runs or its node has not yet reported its end. Waits for all workers. If nodes
        /// and AMs name containers in each call, keep your own map of the containers that `allocate` returns.
        ///
        /// # Errors
        /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
        pub fn find_container(&self, name: &ContainerName) -> Result<Option<ContainerId>, Refused> {
            let shared = self.door().open_to_wait()?;
            if !shared.makes(name) {
                return Ok(None);
            }
            let name = *name;
            let found = ask_workers(shared, move |shard| shard.find_container(&name))?;
            Ok(found.into_iter().flatten().next())
        }

        /// Returns the name of a container, for use on a wire. Does not wait.
        #[must_use]
        pub fn container_name(&self, id: ContainerId) -> ContainerName {
            self.door().shared.container_name(id)
        }

        // -------------------------------------------------------------------------------------------- views

        /// Returns a node by its name. Does not wait.
        #[must_use]
        pub fn node(&self, name: &str) -> Option<NodeView> {
            let nodes = self.door().shared.nodes.lock();
            nodes.nodes().find(|node| &*node.name == name).map(|node| node_view(node))
        }

        /// Returns all nodes, in order of registration. Does not wait.
        #[must_use]
        pub fn nodes(&self) -> Vec<NodeView> {
            self.door().shared.nodes.lock().nodes().map(|node| node_view(node)).collect()
        }

        /// Returns all containers, by worker and node, including ended ones whose node has not yet reported the end. Waits for
        /// all workers.
        ///
        /// # Errors
        /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
        pub fn containers(&self) -> Result<Vec<ContainerView>, Refused> {
            let shared = self.door().open_to_wait()?;
            Ok(ask_workers(shared, |shard| shard.container_views())?.into_iter().flatten().collect())
        }

        /// How many containers each application and each node has. Waits for all workers; costs them far less than
        /// [`containers`](Self::containers).
        ///
        /// # Errors
        /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
        pub fn container_counts(&self) -> Result<ContainerCounts, Refused> {
            let shared = self.door().open_to_wait()?;
            let counts = ask_workers(shared, |shard| shard.container_counts())?;
            Ok(counts.into_iter().fold(ContainerCounts::default(), ContainerCounts::and))
        }

        /// Returns the outstanding requests, by application, then in the order in which they are tried. Waits for all workers.
        ///
        /// # Errors
        /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
        pub fn requests(&self) -> Result<Vec<RequestView>, Refused> {
            let shared = self.door().open_to_wait()?;
            let mut requests: Vec<_> =
                ask_workers(shared, |shard| shard.request_views())?.into_iter().flatten().collect();
            requests.sort_by_key(|request| request.attempt);
            Ok(requests)
        }

        /// Returns the reservations of nodes, by node in order of registration. Waits for all workers.
        ///
        /// # Errors
        /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
        pub fn reservations(&self) -> Result<Vec<AllocatedView>, Refused> {
            let shared = self.door().open_to_wait()?;
            let reserved = ask_workers(shared, |shard| shard.reservations())?.into_iter().flatten().collect();
            let nodes = shared.nodes.lock().ids();
            Ok(reservation_views(&nodes, reserved))
        }

        /// Takes the next event, if there is one. Does not wait.
        #[must_use]
        pub fn next_event(&self) -> Option<SchedulerEvent> {
            self.door().events.take()
        }

        // -------------------------------------------------------------------------------------------- the whole

        /// Waits until everything accepted so far is processed. Use it when no other thread sends. If others keep sending, it
        /// waits for a moment in which no message is under way; such a moment may never come.
        ///
        /// The result is [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`] or [`Refused::ShutDown`] if it
        /// could not wait.
        pub fn quiesce(&self) -> Waited {
            self.door().quiet(&Patience::endless()).into()
        }

        /// As [`quiesce`](Self::quiesce), but waits at most for `time` ([`Refused::TimedOut`]).
        pub fn quiesce_within(&self, time: Duration) -> Waited {
            self.door().quiet(&Patience::of(time)).into()
        }

        /// Processes everything accepted so far and ends the threads. Later calls are refused. At the end, calls that still wait return
        /// [`Refused::ShutDown`].
        ///
        /// A callback, and a thread that polls a worker, cannot wait for the shutdown. There the call starts it and returns
        /// [`Refused::OwnThread`].
        pub fn shutdown(&self) -> Waited {
            self.door().shutdown(&Patience::endless()).into()
        }

        /// As [`shutdown`](Self::shutdown), but waits at most for `time` ([`Refused::TimedOut`]). After a time-out some code of
        /// the embedder hangs: a callback, a policy, or a worker that is not polled. Calls that wait return nevertheless; the
        /// threads end when they can.
        pub fn shutdown_within(&self, time: Duration) -> Waited {
            self.door().shutdown(&Patience::of(time)).into()
        }
    };
}

impl FairScheduler {
    calls_alike!();
}

impl CapacityScheduler {
    calls_alike!();
}

/// Calls of a scheduler without threads that are the same, whichever decides.
macro_rules! stepped_calls_alike {
    () => {
        /// Takes the next event, if there is one.
        #[must_use]
        pub fn next_event(&mut self) -> Option<SchedulerEvent> {
            self.steps.next_event()
        }

        /// Returns the location for a node or rack name, as [`FairScheduler::location`].
        #[must_use]
        pub fn location(&self, name: &str) -> Location {
            self.steps.location(name)
        }

        /// Returns the handle of an application by its number, as [`FairScheduler::find_app`].
        pub fn find_app(&mut self, number: u32) -> Option<AppHandle> {
            self.steps.stepper.control().find_app(number).filter(|app| !app.is_closed()).map(AppHandle)
        }

        /// Returns the handle of a registered node by its name, as [`FairScheduler::find_node`].
        pub fn find_node(&mut self, name: &str) -> Option<NodeHandle> {
            self.steps.node_named(name).map(NodeHandle)
        }

        /// Returns the handle of a registered node by its number, as [`FairScheduler::find_node_by_id`].
        pub fn find_node_by_id(&mut self, id: NodeId) -> Option<NodeHandle> {
            self.steps.stepper.control().all_nodes().find(|node| node.id == id).cloned().map(NodeHandle)
        }

        /// Returns a container by its name, as [`FairScheduler::find_container`].
        pub fn find_container(&mut self, name: &ContainerName) -> Option<ContainerId> {
            let ours = self.steps.stepper.shared().makes(name);
            self.steps.stepper.shards().filter(|_| ours).find_map(|shard| shard.find_container(name))
        }

        /// Returns the name of a container, for use on a wire.
        #[must_use]
        pub fn container_name(&self, id: ContainerId) -> ContainerName {
            self.steps.stepper.shared().container_name(id)
        }

        /// Fetches the granted and ended containers since the AM's last call, as [`FairScheduler::fetch`].
        ///
        /// # Errors
        /// [`Refused::NoSuchApp`] of another scheduler's application.
        pub fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
            fetch(self.steps.stepper.shared(), app, answer)
        }

        /// Returns a node by its name.
        pub fn node(&mut self, name: &str) -> Option<NodeView> {
            self.steps.node_named(name).map(|node| node_view(&node))
        }

        /// Returns all nodes, in order of registration.
        #[must_use]
        pub fn nodes(&mut self) -> Vec<NodeView> {
            self.steps.stepper.control().all_nodes().map(|node| node_view(node)).collect()
        }

        /// Returns all containers, by worker and node, including ended ones whose node has not yet reported the end. On a node
        /// they are in the order of their grants.
        #[must_use]
        pub fn containers(&mut self) -> Vec<ContainerView> {
            self.steps.stepper.shards().flat_map(|shard| shard.container_views()).collect()
        }

        /// How many containers each application and each node has.
        #[must_use]
        pub fn container_counts(&mut self) -> ContainerCounts {
            let counts = self.steps.stepper.shards().map(|shard| shard.container_counts());
            counts.fold(ContainerCounts::default(), ContainerCounts::and)
        }

        /// Returns the outstanding requests, by application, then in the order in which they are tried.
        #[must_use]
        pub fn requests(&mut self) -> Vec<RequestView> {
            let mut requests: Vec<_> = self.steps.stepper.shards().flat_map(|shard| shard.request_views()).collect();
            requests.sort_by_key(|request| request.attempt);
            requests
        }

        /// Returns the reservations of nodes, by node in order of registration.
        #[must_use]
        pub fn reservations(&mut self) -> Vec<AllocatedView> {
            let nodes: Vec<_> = self.steps.stepper.control().all_nodes().map(|node| node.id).collect();
            let reserved = self.steps.stepper.shards().flat_map(|shard| shard.reservations()).collect();
            reservation_views(&nodes, reserved)
        }

        /// Returns the nodes on which reservations were made or given up since the last call of this, and for what each is
        /// reserved now. Always empty without `note_reservations` of the builder.
        pub fn take_reservation_news(&mut self) -> Vec<ReservationNews> {
            self.steps.stepper.shards().flat_map(|shard| shard.take_reservation_news()).collect()
        }
    };
}

impl Stepped {
    stepped_calls_alike!();
}

impl CapacityStepped {
    stepped_calls_alike!();
}
