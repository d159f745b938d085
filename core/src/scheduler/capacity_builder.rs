//! The CapacityScheduler's builder.

use super::build_error::BuildError;
use super::capacity::{CapacityScheduler, CapacityStepped};
use super::door::Door;
use super::options::{Options, WakeWith, introduce, setters_of_options, wake_up_with_handle};
use super::policy::Capacity;
use super::steps::Stepping;
use super::threaded::Scheduler;
use super::worker::Worker;
use crate::capacity::{CapacityConfiguration, CapacityControl, CapacityDecider, Refresh};
use crate::caught::caught;
use crate::clock::{Clock, MonotonicClock, VirtualClock};
use crate::config::capacity::MixedFractions;
use crate::engine::{AtRest, EventSource, events};
use crate::labels::StoredLabels;
use crate::policy::candidates::Candidates;
use crate::sync::Arc;
use std::collections::BTreeMap;
use std::fmt;

impl Scheduler<Capacity> {
    /// Returns a builder for a configuration: the contents of `yarn-site.xml` and `capacity-scheduler.xml`.
    pub fn builder(configuration: CapacityConfiguration) -> CapacitySchedulerBuilder {
        CapacitySchedulerBuilder::new(configuration)
    }
}

/// Builds a CapacityScheduler; see [`CapacityScheduler::builder`].
#[must_use = "a builder does nothing until `start` or `stepped` is called"]
#[derive(Clone)]
pub struct CapacitySchedulerBuilder {
    configuration: CapacityConfiguration,
    options: Options,
    fractions: Option<MixedFractions>,
    resort: bool,
    rules_last: bool,
    labels: StoredLabels,
    /// By class.
    candidates: BTreeMap<String, Arc<dyn Candidates>>,
    /// The wake-up that is given a handle.
    wake_with: Option<WakeWith<Capacity>>,
}

impl fmt::Debug for CapacitySchedulerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapacitySchedulerBuilder").finish_non_exhaustive()
    }
}

impl CapacitySchedulerBuilder {
    pub(super) fn new(configuration: CapacityConfiguration) -> CapacitySchedulerBuilder {
        CapacitySchedulerBuilder {
            configuration,
            options: Options::default(),
            fractions: None,
            resort: false,
            rules_last: false,
            labels: StoredLabels::default(),
            candidates: BTreeMap::new(),
            wake_with: None,
        }
    }

    setters_of_options!();

    wake_up_with_handle!(Capacity);

    /// Sets the node labels that there are from the beginning, and the nodes that have one: what
    /// [`stored_labels`](crate::SchedulerApi::stored_labels) of an earlier scheduler gave. Default: none.
    pub fn labels(mut self, labels: StoredLabels) -> Self {
        self.labels = labels;
        self
    }

    /// Adds a policy that orders the candidates of an ask, for multi-node placement. A configuration names it as the
    /// `multi-node-sorting.policy.<name>.class` of one of its policies; `class` must begin with `evenweave.`, else no
    /// configuration can. One that comes with Evenweave may be replaced. Default: those alone.
    ///
    /// ```
    /// use evenweave::policy::candidates::FullestFirst;
    /// use evenweave::{CapacityConfiguration, CapacityScheduler};
    /// use std::sync::Arc;
    ///
    /// let queues = [
    ///     ("yarn.scheduler.capacity.root.queues", "a"),
    ///     ("yarn.scheduler.capacity.root.a.capacity", "100"),
    ///     ("yarn.scheduler.capacity.multi-node-placement-enabled", "true"),
    ///     ("yarn.scheduler.capacity.multi-node-sorting.policy.names", "mine"),
    ///     ("yarn.scheduler.capacity.multi-node-sorting.policy", "mine"),
    ///     ("yarn.scheduler.capacity.multi-node-sorting.policy.mine.class", "evenweave.Mine"),
    /// ];
    /// let configuration = CapacityConfiguration::from_properties([], queues)?;
    /// let builder = CapacityScheduler::builder(configuration);
    /// assert!(builder.clone().stepped().is_err(), "nobody knows the policy");
    /// builder.candidates("evenweave.Mine", Arc::new(FullestFirst)).stepped()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn candidates(mut self, class: &str, policy: Arc<dyn Candidates>) -> Self {
        self.candidates.insert(class.to_owned(), policy);
        self
    }

    /// Sorts queues for every container and looks at every application, as the classic design does, instead of keeping
    /// both in order. The decisions are the same. It exists for comparisons. Default: off.
    pub fn resort_for_each_container(mut self, resort: bool) -> Self {
        self.resort = resort;
        self
    }

    /// Records what the scheduler does; applications and containers are then also found by
    /// number, as replay needs it. Records are kept until they are taken. Default: off.
    #[doc(hidden)]
    pub fn journal(mut self, journal: bool) -> Self {
        self.options.journal = journal;
        self
    }

    /// Whether the threads do anything by time. Default: on. Without timers only [`CapacityScheduler::preempt`] makes a
    /// round of preemption.
    pub fn timers(mut self, timers: bool) -> Self {
        self.options.timers = timers;
        self
    }

    /// Sets whose fractions follow from amounts while the legacy queue mode is off. Default:
    /// [`MixedFractions::of_start`] of the configuration, as in a ResourceManager that finds its
    /// `capacity-scheduler.xml` when it starts. Only a replay of a scheduler that was started in another way needs
    /// this.
    #[doc(hidden)]
    pub fn mixed_fractions(mut self, fractions: MixedFractions) -> Self {
        self.fractions = Some(fractions);
        self
    }

    /// Whether a refresh looks at mapping rules and priorities of workflows as late as Hadoop does: when the new file's
    /// queues are in force. If these are wrong, the refresh is refused, and the old file is applied once more. Then
    /// queues that have come stay, with all queues as the new file has them; or queues stay stopped that the new file
    /// stops. Default: no. Then everything is looked at first, and a refresh that is refused for this changes nothing.
    /// A replay of Hadoop's scheduler needs it.
    #[doc(hidden)]
    pub fn rules_last(mut self, last: bool) -> Self {
        self.rules_last = last;
        self
    }

    fn parts(mut self, clock: Arc<dyn Clock>) -> Result<(AtRest<CapacityDecider>, EventSource), BuildError> {
        self.configuration.check_supported()?;
        self.options.check()?;
        let reservations = std::mem::take(&mut self.options.reservations);
        let labels = std::mem::take(&mut self.labels);
        let multi_node = self.configuration.multi_node(&self.candidates)?;
        let settings = self.configuration.file().settings().clone();
        let decider = CapacityDecider { settings, resort: self.resort, multi_node };
        self.options.note_preemption(decider.settings.monitors.preemption.is_some());
        let (sink, source) = events(self.options.event_capacity);
        let (settings, control) =
            (decider.engine_settings(), CapacityControl::new(self.configuration, self.fractions, self.rules_last)?);
        let setup = self.options.setup(decider, settings, control, Refresh::First, sink, clock);
        let mut parts = AtRest::new(setup);
        parts.control.restore_labels(&labels)?;
        parts.control.begin_reservations(reservations)?;
        Ok((parts, source))
    }

    /// Starts the scheduler with its threads: workers, the control, and the preemption monitor if the configuration has
    /// it.
    ///
    /// # Errors
    /// [`BuildError::Unsupported`] if the configuration asks for something that is not supported;
    /// [`BuildError::Capacities`] if its queues are not valid; [`BuildError::Capacity`] of a channel;
    /// [`BuildError::Panicked`] of the clock; [`BuildError::Thread`].
    pub fn start(self) -> Result<CapacityScheduler, BuildError> {
        Ok(self.started(|parts, events| Ok((Door::start(parts, events)?, ())))?.0)
    }

    /// As [`start`](Self::start), but the workers run on threads of the embedder: see [`Worker`]. All other threads are
    /// the scheduler's own.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub fn start_with_workers(self) -> Result<(CapacityScheduler, Vec<Worker>), BuildError> {
        let (scheduler, lent) = self.started(Door::start_and_lend)?;
        Ok((scheduler, Worker::all(lent)))
    }

    fn started<W>(
        mut self,
        start: impl FnOnce(AtRest<CapacityDecider>, EventSource) -> std::io::Result<(Door<CapacityDecider>, W)>,
    ) -> Result<(CapacityScheduler, W), BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let own_handle = self.options.wake_with(self.wake_with.take());
        let (parts, events) = caught(|| self.parts(clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let (door, workers) = start(parts, events).map_err(BuildError::Thread)?;
        let scheduler = CapacityScheduler::of(door, ());
        introduce(own_handle, scheduler.downgrade());
        Ok((scheduler, workers))
    }

    /// Builds the scheduler without threads: every call runs on the caller's thread. Its clock is virtual and starts at
    /// 0, unless the builder was given one.
    ///
    /// # Errors
    /// Those of [`start`](Self::start), without [`BuildError::Thread`].
    pub fn stepped(mut self) -> Result<CapacityStepped, BuildError> {
        let (given, own, journal) = (self.options.clock.take(), Arc::new(VirtualClock::new()), self.options.journal);
        let clock = given.clone().unwrap_or_else(|| own.clone());
        let built = caught(|| {
            let (parts, events) = self.parts(clock)?;
            Ok(Stepping::new(parts, events, given.is_none().then_some(own), journal))
        });
        let steps = built.unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        Ok(CapacityStepped { steps, beside: () })
    }
}
