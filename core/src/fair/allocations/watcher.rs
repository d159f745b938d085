//! When to look at the allocation file, and what to do about it.

use crate::clock::{Clock, Deadline};
use crate::config::{AllocationFile, AllocationSource, AllocationsError, Diagnostic, Parsed, PlacementChange, Reader};
use crate::event::refused::Configuration;
use crate::event::{Refused, SchedulerEvent};
use crate::fair::engine::Control;
use crate::sync::Arc;

/// What a look leads to; done by the control, wherever that runs.
pub(crate) trait Reloads {
    /// Empty dynamic queues go, changes of type that wait are tried again.
    fn clean_up(&mut self);

    /// The file takes effect; published when this returns.
    fn take(&mut self, file: Box<AllocationFile>) -> Result<(), Refused>;

    /// The placement rules alone take effect.
    fn install_placement(&mut self, change: &PlacementChange);

    /// The embedder is told.
    fn tell(&mut self, event: SchedulerEvent);
}

/// The stepped driver's: plain calls.
impl Reloads for Control {
    fn clean_up(&mut self) {
        self.housekeeping();
    }

    fn take(&mut self, file: Box<AllocationFile>) -> Result<(), Refused> {
        self.take_reload(*file)
    }

    fn install_placement(&mut self, change: &PlacementChange) {
        self.switch_rules(change);
    }

    fn tell(&mut self, event: SchedulerEvent) {
        self.event(event);
    }
}

/// What comes of allocations that were read, good or not.
pub(crate) fn apply(read: Result<Parsed, AllocationsError>, to: &mut impl Reloads) -> Result<Vec<Diagnostic>, Refused> {
    match read {
        Ok(Parsed { file, warnings, .. }) => to.take(Box::new(file)).map(|()| warnings),
        Err(error) => {
            if let Some(change) = error.installed_placement() {
                to.install_placement(change);
            }
            Err(Configuration::Allocations(Box::new(error)).into())
        }
    }
}

/// An interval after which nobody looks.
pub(crate) const NEVER: u64 = u64::MAX;

/// How the file is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchTimes {
    /// From one look to the next; [`NEVER`]: only refreshes, when they are asked for.
    pub(crate) interval_ms: u64,
    /// How long a file must have been left alone.
    pub(crate) quiet_ms: u64,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Watcher {
    /// Without one a look cleans up, no more.
    source: Option<Arc<dyn AllocationSource>>,
    reader: Reader,
    times: WatchTimes,
    /// By the monotonic clock.
    next_look: Deadline,
    /// When the file was last parsed with success, by the wall clock.
    last_success_ms: u64,
    /// What was last told of, with the file's time of change: until a success it is not told of again.
    reported: Option<(Option<u64>, AllocationsError)>,
}

impl Watcher {
    /// A watcher that is due at once, unless it never is, and has read nothing yet.
    pub(crate) fn new(source: Option<Arc<dyn AllocationSource>>, reader: Reader, times: WatchTimes) -> Watcher {
        let next_look = if times.interval_ms == NEVER { Deadline::NEVER } else { Deadline::default() };
        Watcher { source, reader, times, next_look, last_success_ms: 0, reported: None }
    }

    /// The file at the start, and what to tell of it. Without a source there is none.
    pub(crate) fn read_first(
        &mut self,
        clock: &dyn Clock,
    ) -> Result<Option<(AllocationFile, SchedulerEvent)>, AllocationsError> {
        let Some(source) = &self.source else { return Ok(None) };
        let Parsed { file, warnings, .. } = self.reader.read(&**source)?;
        self.last_success_ms = clock.wall_ms();
        Ok(Some((file, SchedulerEvent::AllocationsLoaded { source: source.name(), warnings })))
    }

    /// Milliseconds until the next look; 0 when it is due, [`NEVER`] when it never is.
    pub(crate) fn due_in_ms(&self, clock: &dyn Clock) -> u64 {
        let (now, interval_ms) = (clock.now_ms(), self.times.interval_ms);
        if interval_ms != NEVER && self.next_look.is_beyond(now, interval_ms) {
            return 0;
        }
        self.next_look.left_ms(now).unwrap_or(NEVER)
    }

    /// From one look to the next.
    pub(crate) fn interval_ms(&self) -> u64 {
        self.times.interval_ms
    }

    /// One look.
    pub(crate) fn look(&mut self, clock: &dyn Clock, to: &mut impl Reloads) {
        to.clean_up();
        if let Some(source) = self.source.clone() {
            self.look_at(&*source, clock, to);
        }
        self.next_look = match self.times.interval_ms {
            NEVER => Deadline::NEVER,
            interval_ms => Deadline::after(clock.now_ms(), interval_ms),
        };
    }

    fn look_at(&mut self, source: &dyn AllocationSource, clock: &dyn Clock, to: &mut impl Reloads) {
        let now = clock.wall_ms();
        let name = || source.name();
        match source.modified_ms() {
            Err(error) => {
                let error = AllocationsError::Unreadable { name: name(), problem: error.to_string() };
                self.report(None, &error, to);
            }
            Ok(None | Some(0)) => self.report(None, &AllocationsError::Missing { name: name() }, to),
            Ok(Some(modified)) if modified <= self.last_success_ms => self.reported = None,
            Ok(Some(modified)) if now > modified.saturating_add(self.times.quiet_ms) => {
                // Told of where it came to pass; an answer is for those who ask.
                let _ = self.load(source, Some(modified), clock, to);
            }
            Ok(Some(_)) => {}
        }
    }

    /// Reads the file at once, whatever its age, and says what came of it.
    pub(crate) fn refresh(&mut self, clock: &dyn Clock, to: &mut impl Reloads) -> Result<Vec<Diagnostic>, Refused> {
        let source = self.source.clone().ok_or(Configuration::NoFile)?;
        let modified = source.modified_ms().ok().flatten();
        self.load(&*source, modified, clock, to)
    }

    fn load(
        &mut self,
        source: &dyn AllocationSource,
        modified: Option<u64>,
        clock: &dyn Clock,
        to: &mut impl Reloads,
    ) -> Result<Vec<Diagnostic>, Refused> {
        let read = self.reader.read(source);
        if read.is_ok() {
            self.last_success_ms = clock.wall_ms();
            self.reported = None;
        }
        let outcome = apply(read, to);
        let source = || source.name();
        match &outcome {
            Ok(warnings) => {
                to.tell(SchedulerEvent::AllocationsLoaded { source: source(), warnings: warnings.clone() });
            }
            Err(Refused::Configuration(Configuration::Allocations(error))) => self.report(modified, error, to),
            Err(Refused::Configuration(Configuration::BrokeOff { queue })) => {
                to.tell(SchedulerEvent::AllocationsBrokeOff { source: source(), queue: queue.clone() });
            }
            // The scheduler is being shut down.
            Err(_) => {}
        }
        outcome
    }

    fn report(&mut self, modified: Option<u64>, error: &AllocationsError, to: &mut impl Reloads) {
        if self.reported.as_ref().is_some_and(|(then, known)| *then == modified && known == error) {
            return;
        }
        self.reported = Some((modified, error.clone()));
        to.tell(SchedulerEvent::AllocationsRefused(error.clone()));
    }
}
