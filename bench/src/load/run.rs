//! A whole load run: inputs read and checked, the cores driven one after the other, the figures drawn.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use evenweave::refused::Gone;
use evenweave_tools::Failure;
use evenweave_tools::figures::QueueFigures;
use evenweave_tools::numbers::grouped;
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::reservation_results::BookedCourse;
use evenweave_tools::traces::Booking;
use hdrhistogram::Histogram;

use crate::api::{NodeHandle, Refused, Resource};
use crate::engine::{Capacity, CapacityParts, Engine, Locked, Parts, Threaded};
use crate::jobs::{self, Job, Lives};
use crate::latency::LatencyProbe;
use crate::load::admission::Admission;
use crate::load::app::CONTAINER;
use crate::load::books::{self, Difference};
use crate::load::client::{Client, Reservable};
use crate::load::driver::{Driver, Pace, RefusedJobs, Sample, register};
use crate::load::inputs::{Inputs, Rules, leaves};
use crate::load::late::Late;
use crate::load::node_labels::Partitions;
use crate::load::options::{InFlight, LoadOptions, NODES_A_RACK};
use crate::load::preempting::{Preempting, Story};
use crate::load::reloads::{Reloader, Reloads};
use crate::load::speed::Speed;
use crate::load::timetable::Timetable;
use crate::load::wishes::Wishes;
use crate::options::CoreChoice;

/// What a node of the load has.
pub(crate) const NODE: Resource = Resource::new(131_072, 64);
/// The twin's part of a default run.
const LOCKED_FOR: Duration = Duration::from_secs(5);
/// Figures count from here on, or from a quarter of the run if that is sooner.
const RAMP_UP: Duration = Duration::from_secs(5);
const UPDATE_EVERY: Duration = Duration::from_millis(500);

/// The figures of one queue, means after ramp-up.
#[derive(Clone, Debug)]
pub(crate) struct QueueLine {
    pub(crate) name: String,
    pub(crate) leaf: bool,
    pub(crate) policy: String,
    /// Fair share, MiB.
    pub(crate) share_mib: f64,
    /// Usage, MiB.
    pub(crate) usage_mib: f64,
}

impl PartitionLine {
    /// In words.
    pub(crate) fn named(&self) -> String {
        let shared = if self.exclusive { "" } else { ", shared" };
        format!("{}{shared}", books::named(&self.label))
    }
}

impl QueueLine {
    /// Usage beyond the share, as a part of the share.
    pub(crate) fn deviation(&self) -> f64 {
        if self.share_mib > 0.0 { self.usage_mib / self.share_mib - 1.0 } else { 0.0 }
    }
}

/// One core's run.
#[derive(Debug)]
pub(crate) struct CoreRun {
    pub(crate) core: CoreChoice,
    /// How long it was driven.
    pub(crate) seconds: f64,
    /// Where the figures below begin.
    pub(crate) ramp_up: f64,
    pub(crate) utilisation: f64,
    pub(crate) allocations_per_s: f64,
    pub(crate) jobs_per_s: f64,
    pub(crate) heartbeats_per_s: f64,
    pub(crate) granted: u64,
    pub(crate) completed: u64,
    pub(crate) running: u64,
    /// Granted, running, and never received.
    pub(crate) lost: i64,
    pub(crate) jobs_finished: u64,
    pub(crate) jobs_in_flight: usize,
    /// How late the latest job of a timetable was submitted, ns.
    pub(crate) submitted_late_ns: Option<u64>,
    pub(crate) heartbeats_due: u64,
    pub(crate) heartbeats_skipped: u64,
    pub(crate) heartbeats_pushed_back: u64,
    pub(crate) snapshot_age_ms: u64,
    /// Processor seconds of the driver's thread over the seconds of the run.
    pub(crate) driver_cpu: f64,
    pub(crate) enqueue: Histogram<u64>,
    pub(crate) service: Histogram<u64>,
    pub(crate) grant: Histogram<u64>,
    pub(crate) allocate: Histogram<u64>,
    pub(crate) submit: Histogram<u64>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) queues: Vec<QueueLine>,
    pub(crate) differences: Vec<Difference>,
    /// What came of the reloads, if there were to be any.
    pub(crate) reloads: Option<Reloads>,
    /// Jobs that queues have refused.
    pub(crate) refused_jobs: RefusedJobs,
    /// What came of the queue that comes late, if one does.
    pub(crate) story: Option<Story>,
    /// What came of the reservations, if there were to be any.
    pub(crate) booked: Option<BookedCourse>,
    /// The figures of each node label, the default partition first; empty without labels.
    pub(crate) partitions: Vec<PartitionLine>,
}

/// The figures of the nodes with one label, or of those without: means after ramp-up, and counts.
#[derive(Clone, Debug)]
pub(crate) struct PartitionLine {
    /// Empty for the default partition.
    pub(crate) label: String,
    pub(crate) exclusive: bool,
    pub(crate) nodes: usize,
    pub(crate) utilisation: f64,
    pub(crate) allocations_per_s: f64,
    /// Containers that ApplicationMasters received there.
    pub(crate) granted: u64,
    pub(crate) running: i64,
}

/// What a load command found out.
#[derive(Debug)]
pub struct LoadResult {
    pub(crate) main: CoreRun,
    /// The twin's run, if it had one of its own.
    pub(crate) locked: Option<CoreRun>,
    pub(crate) scheduler: SchedulerChoice,
    pub(crate) nodes: u32,
    pub(crate) workers: usize,
    pub(crate) jobs_of_trace: usize,
    pub(crate) trace_name: String,
    /// How many times as fast as in the trace, if at its times.
    pub(crate) speed: Option<Speed>,
    pub(crate) queues_name: String,
    /// Ctrl-C came before the time was over.
    pub interrupted: bool,
}

impl CoreRun {
    /// That the driver could not keep up, and what to do about it.
    pub(crate) fn overload(&self) -> Option<String> {
        let (due, skipped) = (self.heartbeats_due as f64, self.heartbeats_skipped as f64);
        (self.heartbeats_skipped > 0).then(|| {
            format!(
                "the driver could not keep up: {} of {} heartbeats left out ({:.1} %). The rates are those of this machine under this \
                 load, not the scheduler's best: give fewer nodes (--nodes) or a longer interval (--heartbeat-ms)",
                grouped(skipped),
                grouped(due),
                100.0 * skipped / due
            )
        })
    }
}

impl LoadResult {
    /// Whether the books of every core that was driven agree with it.
    #[must_use]
    pub fn balanced(&self) -> bool {
        std::iter::once(&self.main).chain(&self.locked).all(|run| run.differences.is_empty() && run.lost == 0)
    }

    /// Why nothing came of it, if queues have refused every job.
    #[must_use]
    pub fn nothing(&self) -> Option<String> {
        let run = &self.main;
        (run.refused_jobs.count > 0 && run.granted == 0)
            .then(|| format!("no job ran: {} refused, the first: {}", run.refused_jobs.count, run.refused_jobs.first))
    }

    /// Allocations per second over the twin's, if both ran.
    pub(crate) fn ratio_to_locked(&self) -> Option<f64> {
        let locked = self.locked.as_ref()?;
        (locked.allocations_per_s > 0.0).then(|| self.main.allocations_per_s / locked.allocations_per_s)
    }
}

/// How far a core's run has come.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Which core is driven.
    pub core: CoreChoice,
    /// Seconds gone by.
    pub at: f64,
    /// Of how many.
    pub whole: f64,
    /// When the scheduler was last looked at, in seconds; nothing before the first time.
    pub looked_at: Option<f64>,
    /// Containers granted until then.
    pub granted: u64,
    /// How full the cluster was then, as a part of it.
    pub utilisation: f64,
    /// Jobs that have been submitted and are not over.
    pub jobs_in_flight: usize,
}

/// Told what goes on.
type Watch<'w> = &'w mut dyn FnMut(&Moment);

/// Drives the cores that the options ask for.
///
/// # Errors
/// Unknown queues, refused settings, a scheduler that refuses jobs or does not come to rest.
pub fn run(
    options: &LoadOptions,
    inputs: &Inputs,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Moment),
) -> Result<LoadResult, Failure> {
    use std::sync::atomic::Ordering::Relaxed;
    let locked = match options.core {
        None if options.late.is_none()
            && options.speed.is_none()
            && options.reservations.is_none()
            && matches!(inputs.rules, Rules::Fair { .. }) =>
        {
            Some(drive(options, inputs, CoreChoice::Locked, LOCKED_FOR.min(options.duration()), stop, watch)?)
        }
        _ => None,
    };
    // ORDERING: Relaxed, here and below. The flag carries no data.
    let (main, locked) = match locked {
        // Interrupted before its turn, the threaded core has nothing to report.
        Some(locked) if stop.load(Relaxed) => (locked, None),
        locked => {
            let core = options.core.unwrap_or(CoreChoice::Threaded);
            (drive(options, inputs, core, options.duration(), stop, watch)?, locked)
        }
    };
    Ok(LoadResult {
        main,
        locked,
        scheduler: options.scheduler,
        nodes: options.nodes(),
        workers: options.workers,
        jobs_of_trace: inputs.trace.len(),
        trace_name: inputs.trace_name.clone(),
        speed: options.speed,
        queues_name: inputs.queues_name.clone(),
        interrupted: stop.load(Relaxed),
    })
}

fn drive(
    options: &LoadOptions,
    inputs: &Inputs,
    core: CoreChoice,
    duration: Duration,
    stop: &AtomicBool,
    watch: Watch<'_>,
) -> Result<CoreRun, Failure> {
    let probe = Arc::new(LatencyProbe::new(options.workers));
    let (wake, woken) = crossbeam_channel::unbounded();
    let (mut scheduler, mut reservable, wake) = (None, None, Some(waker(wake)));
    let engine: Box<dyn Engine> = match &inputs.rules {
        Rules::Fair { settings, allocations } => {
            let parts = Parts {
                settings: settings.clone(),
                allocations: allocations.clone(),
                groups: inputs.groups.clone(),
                workers: options.workers,
                fold_every: None,
                slack: None,
                channel_capacity: None,
                probe: Arc::clone(&probe) as _,
                wake,
            };
            match core {
                CoreChoice::Threaded => {
                    let threaded = Threaded::start(parts).map_err(Failure::input)?;
                    scheduler = Some((threaded.scheduler(), settings));
                    reservable = Some(Reservable::Fair(threaded.scheduler()));
                    Box::new(threaded)
                }
                CoreChoice::Locked => Box::new(Locked::start(parts, Some(UPDATE_EVERY)).map_err(Failure::input)?),
            }
        }
        Rules::Capacity { configuration, .. } => {
            let (configuration, probe) = (configuration.clone(), Arc::clone(&probe) as _);
            let parts = CapacityParts {
                configuration,
                workers: options.workers,
                fold_every: None,
                slack: None,
                groups: inputs.groups.clone(),
                labels: inputs.labels.stored(options.nodes()),
                probe,
                wake,
            };
            let capacity = Capacity::start(parts).map_err(Failure::input)?;
            reservable = Some(Reservable::Capacity(capacity.scheduler()));
            Box::new(capacity)
        }
    };
    let mut leaves = leaves(&names(&*engine), &options.queue, &inputs.queues_name)?;
    let mean = options.mean_life();
    let pace = pace(options, duration);
    let nodes = register(&*engine, &pace).map_err(Failure::Scheduler)?;
    let queues = leaves.clone();
    let partitions = (!inputs.labels.is_empty()).then(|| {
        let partitions =
            Partitions::new(&inputs.labels, &*engine, nodes.len(), &leaves, inputs.jobs_name_labels(options));
        leaves = partitions.lines.iter().map(|line| line.queue.clone()).collect();
        partitions
    });
    let late = match scheduler.as_ref().zip(options.late.as_ref()) {
        Some(((scheduler, settings), late)) => {
            Some(Late::plan(late, settings, scheduler, &engine.queues(), &inputs.queues_name)?)
        }
        None => None,
    };
    let others = late.as_ref().map_or(leaves.len(), |late| late.others.len());
    let mut timetable = options.speed.map(|speed| Timetable::new(options, inputs, &queues, speed)).transpose()?;
    let whole = timetable.as_ref().map_or(duration, |timetable| duration.min(Duration::from_nanos(timetable.end)));
    let due = timetable.as_mut().map(|timetable| std::mem::take(&mut timetable.due));
    let (mut jobs, lives) = match timetable {
        Some(Timetable { mut jobs, lives, .. }) => {
            if let Some(partitions) = &partitions {
                partitions.deal(&mut jobs, &inputs.trace, &queues)?;
            }
            (jobs, lives)
        }
        None => jobs::from_trace(&inputs.trace, others, mean, options.seed),
    };
    let preempting = late.map(|late| {
        late.jobs(&mut jobs, mean);
        leaves = late.all_leaves();
        Preempting::new(late, nodes.len(), options.seed)
    });
    let reloader = options.reload.zip(scheduler).map(|(every, (scheduler, settings))| {
        let (text, name) = (inputs.queues_text.clone(), inputs.queues_name.clone());
        Reloader::start(scheduler, text, name, settings.types.clone(), every)
    });
    let course = Course {
        core,
        jobs: &jobs,
        lives,
        due,
        whole,
        pace,
        nodes,
        leaves,
        in_flight: options.jobs_in_flight,
        woken,
        stop,
        probe: &probe,
        reloader,
        preempting,
        partitions,
        reserving: reservable.filter(|_| !inputs.bookings.is_empty()).map(|of| (inputs.bookings.clone(), of)),
    };
    let measured = measure(&*engine, course, watch);
    engine.shutdown();
    measured.map_err(Failure::Scheduler)
}

/// What a core is driven through.
struct Course<'a> {
    core: CoreChoice,
    jobs: &'a [Job],
    lives: Lives,
    /// When each job comes, if at the times of the trace.
    due: Option<Vec<(u64, usize)>>,
    /// How long it will take, as far as is known.
    whole: Duration,
    pace: Pace,
    nodes: Vec<NodeHandle>,
    leaves: Vec<String>,
    in_flight: InFlight,
    woken: crossbeam_channel::Receiver<u32>,
    stop: &'a AtomicBool,
    probe: &'a LatencyProbe,
    reloader: Option<Reloader>,
    preempting: Option<Preempting>,
    partitions: Option<Partitions>,
    reserving: Option<(Vec<Booking>, Reservable)>,
}

/// Wishes that wait for the driver.
const WISHES: usize = 64;

fn measure(engine: &dyn Engine, course: Course<'_>, watch: Watch<'_>) -> Result<CoreRun, String> {
    let Course { core, jobs, lives, due, whole, pace, nodes, leaves, in_flight, woken, stop, probe, .. } = course;
    let (reloader, preempting, reserving) = (course.reloader, course.preempting, course.reserving);
    let partitions = course.partitions;
    // What comes late has no part in the cluster before.
    let others = preempting.as_ref().map_or(leaves.len(), Preempting::others);
    let names = leaves.clone();
    let admission = |queues: &[QueueFigures]| {
        let mut shares = match &partitions {
            Some(partitions) => partitions.lines.iter().map(|line| line.share_mib).collect(),
            None => steady_shares(&names, queues),
        };
        shares[others..].fill(0.0);
        let admission = admission(jobs, &shares, &pace, in_flight);
        match due {
            Some(due) => admission.at_times(due),
            None => admission,
        }
    };
    let mut driver = Driver::new(engine, jobs, lives, pace, nodes, leaves, admission, woken, stop);
    if let Some(preempting) = preempting {
        driver.preempt(preempting);
    }
    if let Some(partitions) = partitions {
        driver.label(partitions);
    }
    let client = reserving.map(|(bookings, scheduler)| {
        let (to_driver, wished) = crossbeam_channel::bounded(WISHES);
        // Nobody wishes that a node goes.
        let remove_node = Box::new(|_: &str| Err(Refused::Gone(Gone::ShutDown)));
        driver.watch(Box::new(|_| ()), Wishes { wished, remove_node });
        driver.is_measured();
        Client::start(bookings, scheduler, to_driver)
    });
    let whole = whole.as_secs_f64();
    let seconds = driver.drive(&mut |at, driver| {
        let last = driver.samples.last();
        watch(&Moment {
            core,
            at,
            whole,
            looked_at: last.map(|sample| sample.at),
            granted: last.map_or(0, |sample| sample.granted),
            utilisation: last.map_or(0.0, |sample| sample.utilisation),
            jobs_in_flight: driver.jobs_in_flight(),
        });
    })?;
    let (service, grant) = probe.take();
    let reloads = reloader.map(Reloader::stop).transpose()?;
    let booked = client.map(|client| client.stop(&mut || driver.last_wishes())).transpose()?;
    let (stats, differences) = driver.settle_and_check()?;
    let ramp_up = RAMP_UP.as_secs_f64().min(seconds / 4.0);
    let steady: Vec<&Sample> = driver.samples.iter().filter(|sample| sample.at >= ramp_up).collect();
    let rate = |count: fn(&Sample) -> u64| match (steady.first(), steady.last()) {
        (Some(first), Some(last)) if last.at > first.at => (count(last) - count(first)) as f64 / (last.at - first.at),
        _ => 0.0,
    };
    let mean = |of: &dyn Fn(&Sample) -> f64| {
        steady.iter().map(|sample| of(sample)).sum::<f64>() / (steady.len() as f64).max(1.0)
    };
    let views = engine.queues();
    let queues = driver
        .queue_names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let view = views.iter().find(|view| view.name == *name);
            let at = |sample: &Sample| sample.queues.get(index).copied().unwrap_or_default();
            QueueLine {
                name: name.clone(),
                leaf: view.is_some_and(|view| view.leaf),
                policy: view.map(|view| view.policy.clone()).unwrap_or_default(),
                usage_mib: mean(&|sample| at(sample).0 as f64),
                share_mib: mean(&|sample| at(sample).1 as f64),
            }
        })
        .collect();
    let partitions = driver.partitions().map(|of| partition_lines(of, &steady)).unwrap_or_default();
    Ok(CoreRun {
        core,
        seconds,
        ramp_up,
        utilisation: mean(&|sample| sample.utilisation),
        allocations_per_s: rate(|sample| sample.granted),
        jobs_per_s: rate(|sample| sample.jobs_finished),
        heartbeats_per_s: rate(|sample| sample.heartbeats),
        granted: stats.granted,
        completed: stats.completed,
        running: stats.running,
        lost: i64::try_from(stats.running).unwrap_or(i64::MAX) - i64::try_from(driver.running()).unwrap_or(i64::MAX),
        jobs_finished: driver.jobs_finished,
        jobs_in_flight: driver.most_jobs_in_flight,
        submitted_late_ns: driver.most_late_ns(),
        heartbeats_due: driver.heartbeats_due(),
        heartbeats_skipped: driver.skipped,
        heartbeats_pushed_back: driver.pushed_back,
        snapshot_age_ms: driver.samples.iter().map(|sample| sample.snapshot_age_ms).max().unwrap_or(0),
        driver_cpu: if seconds > 0.0 { driver.cpu_seconds / seconds } else { 0.0 },
        enqueue: driver.enqueue.clone(),
        service,
        grant,
        allocate: driver.allocate.clone(),
        submit: driver.submit.clone(),
        samples: std::mem::take(&mut driver.samples),
        queues,
        differences,
        reloads,
        refused_jobs: std::mem::take(&mut driver.refused_jobs),
        story: driver.take_story(),
        booked,
        partitions,
    })
}

fn partition_lines(partitions: &Partitions, steady: &[&Sample]) -> Vec<PartitionLine> {
    let line = |(at, label): (usize, &String)| {
        let nodes = partitions.nodes(at);
        let total = (NODE.memory_mb() as f64 * nodes as f64).max(1.0);
        let used = |sample: &&Sample| sample.partitions.get(at).map_or(0.0, |(usage, _)| *usage as f64);
        let received = |sample: &Sample| sample.partitions.get(at).map_or(0, |(_, received)| *received);
        let allocations_per_s = match (steady.first(), steady.last()) {
            (Some(first), Some(last)) if last.at > first.at => {
                (received(last) - received(first)) as f64 / (last.at - first.at)
            }
            _ => 0.0,
        };
        PartitionLine {
            label: label.clone(),
            exclusive: partitions.exclusive[at],
            nodes,
            utilisation: steady.iter().map(used).sum::<f64>() / total / (steady.len() as f64).max(1.0),
            allocations_per_s,
            granted: partitions.received[at],
            running: partitions.held_below("root", at),
        }
    };
    partitions.names.iter().enumerate().map(line).collect()
}

/// What is due to each leaf whatever the others do, in MiB.
pub(super) fn steady_shares(leaves: &[String], queues: &[QueueFigures]) -> Vec<f64> {
    let share = |leaf: &String| {
        let view = queues.iter().find(|queue| queue.name == *leaf);
        view.map_or(0.0, |view| view.steady_share.memory_mb() as f64)
    };
    leaves.iter().map(share).collect()
}

/// Of jobs for leaves with these shares, in MiB; those with none have no part in the cluster yet.
pub(super) fn admission(jobs: &[Job], shares: &[f64], pace: &Pace, in_flight: InFlight) -> Admission {
    let capacity = f64::from(pace.nodes) * (pace.node_total.memory_mb() / CONTAINER.memory_mb()) as f64;
    let turnovers = UPDATE_EVERY.as_secs_f64() / pace.mean_life.as_secs_f64();
    let shares: Vec<f64> = shares.iter().map(|mib| mib / CONTAINER.memory_mb() as f64).collect();
    Admission::new(jobs, &shares, capacity, turnovers, in_flight)
}

/// How fast all goes, and over how many nodes.
pub(super) fn pace(options: &LoadOptions, duration: Duration) -> Pace {
    Pace {
        nodes: options.nodes(),
        racks: options.racks.unwrap_or(options.nodes().div_ceil(NODES_A_RACK)).min(options.nodes()),
        node_total: NODE,
        heartbeat: Duration::from_millis(options.heartbeat_ms),
        duration,
        mean_life: options.mean_life(),
    }
}

/// Passes an application's number on to the driver.
pub(super) fn waker(to: crossbeam_channel::Sender<u32>) -> crate::engine::Wake {
    Arc::new(move |number| {
        // The receiver lives as long as the run; what is sent after it is of no use to anybody.
        let _ = to.send(number);
    })
}

/// Every queue's name, and whether it is a leaf.
pub(super) fn names(engine: &dyn Engine) -> Vec<(String, bool)> {
    engine.queues().into_iter().map(|queue| (queue.name, queue.leaf)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{
        AllocateRequest, Allocation, AllocationFile, AppHandle, Heartbeat, Label, LabelView, Location, NodeHandle,
        NodeView, NotSent, Refused, ResourceTypes, Settings, Submission,
    };
    use crate::engine::Totals;
    use crate::engine::figures::AppFigures;
    use evenweave_tools::bundled;
    use std::sync::atomic::Ordering;

    const TWO_LEAVES: &str = "<?xml version=\"1.0\"?>\n<allocations><queue name=\"root\">\
        <schedulingPolicy>drf</schedulingPolicy><queue name=\"a\"/><queue name=\"b\"/></queue>\
        <queueMaxAMShareDefault>1.0</queueMaxAMShareDefault></allocations>";

    /// Passes everything on, and keeps one granted container to itself.
    struct Losing {
        inner: Locked,
        taken: AtomicBool,
    }

    impl Engine for Losing {
        fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, String> {
            self.inner.add_node(name, rack, total)
        }
        fn submit_all(&self, submissions: Vec<Submission>) -> Result<crate::engine::Pending, String> {
            self.inner.submit_all(submissions)
        }
        fn reload(&self, text: &str) -> Result<(), String> {
            self.inner.reload(text)
        }
        fn location(&self, name: &str) -> Location {
            self.inner.location(name)
        }
        fn label(&self, name: &str) -> Label {
            self.inner.label(name)
        }
        fn labels(&self) -> Vec<LabelView> {
            self.inner.labels()
        }
        fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
            self.inner.heartbeat(heartbeat)
        }
        fn heartbeats(&self, batch: Vec<Heartbeat>) -> Result<(), Vec<Heartbeat>> {
            self.inner.heartbeats(batch)
        }
        fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
            self.inner.allocate(app, request, answer)?;
            // ORDERING: Relaxed. One thread calls.
            if answer.granted.len() > 1 && !self.taken.swap(true, Ordering::Relaxed) {
                answer.granted.pop();
            }
            Ok(())
        }
        fn finish(&self, app: &AppHandle) -> Result<(), String> {
            self.inner.finish(app)
        }
        fn queues(&self) -> Vec<QueueFigures> {
            self.inner.queues()
        }
        fn apps(&self) -> Vec<AppFigures> {
            self.inner.apps()
        }
        fn nodes(&self) -> Vec<NodeView> {
            self.inner.nodes()
        }
        fn stats(&self) -> Totals {
            self.inner.stats()
        }
        fn pending(&self) -> Resource {
            self.inner.pending()
        }
        fn update_now(&self) {
            self.inner.update_now();
        }
        fn audit(&self) -> Vec<String> {
            self.inner.audit()
        }
        fn quiesce(&self) {
            self.inner.quiesce();
        }
        fn shutdown(&self) {
            self.inner.shutdown();
        }
    }

    /// A small load on the locked twin, through what `wrap` makes of it.
    fn small_run<E: Engine>(wrap: impl FnOnce(Locked) -> E) -> CoreRun {
        let probe = Arc::new(LatencyProbe::new(1));
        let (wake, woken) = crossbeam_channel::unbounded();
        let parts = Parts {
            settings: Settings::from_properties(bundled::PROPERTIES).unwrap(),
            allocations: AllocationFile::parse(TWO_LEAVES, "two", &ResourceTypes::standard(), &[]).unwrap().file,
            groups: None,
            workers: 1,
            fold_every: None,
            slack: None,
            channel_capacity: None,
            probe: Arc::clone(&probe) as _,
            wake: Some(waker(wake)),
        };
        let engine = wrap(Locked::start(parts, Some(Duration::from_millis(5))).unwrap());
        let leaves = leaves(&names(&engine), &[], "two").unwrap();
        assert_eq!(leaves, ["root.a", "root.b"]);
        let mean = Duration::from_millis(20);
        let (jobs, lives) = jobs::from_trace(&crate::trace::bundled_trace()[..200], leaves.len(), mean, 1);
        let pace = Pace {
            nodes: 8,
            racks: 2,
            node_total: NODE,
            heartbeat: Duration::from_millis(5),
            // Jobs end in it however busy the machine is otherwise.
            duration: Duration::from_secs(3),
            mean_life: mean,
        };
        let course = Course {
            core: CoreChoice::Locked,
            jobs: &jobs,
            lives,
            due: None,
            whole: pace.duration,
            pace,
            nodes: register(&engine, &pace).unwrap(),
            leaves,
            in_flight: InFlight::Auto,
            woken,
            stop: &AtomicBool::new(false),
            probe: &probe,
            reloader: None,
            preempting: None,
            partitions: None,
            reserving: None,
        };
        let run = measure(&engine, course, &mut |_| ()).unwrap();
        engine.shutdown();
        run
    }

    #[test]
    fn the_books_of_an_honest_scheduler_balance() {
        let run = small_run(|locked| locked);
        assert_eq!(run.differences, []);
        assert_eq!(run.lost, 0);
        assert!(run.granted > 0 && run.jobs_finished > 0);
    }

    #[test]
    fn one_lost_container_shows_in_every_book() {
        let run = small_run(|inner| Losing { inner, taken: AtomicBool::new(false) });
        assert_eq!(run.lost, 1);
        let found = |what: &str| run.differences.iter().any(|difference| difference.what.starts_with(what));
        for what in [
            "containers granted",
            "containers running",
            "allocated resource",
            "free room of node",
            "usage of queue root",
            "usage of application",
            "outstanding asks of application",
        ] {
            assert!(found(what), "{what}: {:?}", run.differences);
        }
    }

    #[test]
    fn an_unknown_queue_is_refused_with_the_known_ones() {
        let queues = [("root".to_owned(), false), ("root.a".to_owned(), true)];
        let Err(Failure::Input(message)) = leaves(&queues, &["root.x".to_owned()], "q.xml") else {
            panic!("there is no root.x")
        };
        assert_eq!(message, "--queue root.x: no queue of that name in q.xml; its leaf queues are root.a");
        assert!(leaves(&queues, &["root".to_owned()], "q.xml").is_err());
        assert_eq!(leaves(&queues, &[], "q.xml").unwrap(), ["root.a"]);
    }
}
