//! What the ResourceManager does by time: updates, rounds of preemption, offers beside heartbeats, the end of what
//! nobody launches.

use evenweave_tools::traces::TraceKind;

use super::super::events::Kind;
use super::super::inputs::{Plan, Rules};
use super::super::options::AmStyle;
use super::super::record::{Interval, QueueSample};
use super::super::wait_reasons::turn;
use super::run::{Master, Run, Timers};
use crate::api::ReservationId;

const LOOK_MS: u64 = 1000;
/// The last of SLS's nodes is registered so long before the run begins, at least and at most, in ms. In between SLS
/// reads the jobs of its trace once more, or draws them.
pub(super) fn sls_begins_ms(kind: TraceKind) -> [u64; 2] {
    match kind {
        TraceKind::Synth => [0, 180],
        TraceKind::Sls
        | TraceKind::Rumen
        | TraceKind::Swim
        | TraceKind::Plain
        | TraceKind::Google2011
        | TraceKind::Google2019
        | TraceKind::Alibaba2018 => [0, 60],
    }
}

/// An update of SLS's begins an interval after the one before, and so many µs more, as a mean: it takes time, and its
/// thread waits an interval after it. Within what six runs took whose updates were timed, and fitted to the recordings.
const SLS_UPDATE_US: u64 = 1400;

impl Timers {
    pub(super) fn of(plan: &Plan) -> Timers {
        match &plan.rules {
            Rules::Fair(rules) => {
                let settings = &rules.0;
                let kill = u64::try_from(settings.wait_before_kill_ms).unwrap_or(0);
                Timers {
                    update: Some(settings.update_interval_ms.max(1)),
                    preempt: None,
                    offer: settings.continuous_scheduling.then_some(settings.continuous_scheduling_sleep_ms.max(1)),
                    kill_after: settings.preemption.then_some(kill),
                }
            }
            Rules::Capacity(configuration) => {
                let settings = configuration.file().settings();
                let ms = |ms: i64| u64::try_from(ms).unwrap_or(1).max(1);
                Timers {
                    update: None,
                    preempt: settings.monitors.preemption.as_ref().map(|monitor| ms(monitor.monitoring_interval_ms)),
                    offer: settings.schedule_asynchronously.then(|| ms(settings.schedule_asynchronously_interval_ms)),
                    kill_after: None,
                }
            }
        }
    }

    /// Where nodes are offered by their heartbeats alone.
    pub(super) fn allow_skipping(plan: &Plan) -> bool {
        Timers::of(plan).offer.is_none()
    }
}

fn is_of_reservation(queue: &str) -> bool {
    queue.rsplit_once('.').is_some_and(|(_, last)| last.parse::<ReservationId>().is_ok())
}

impl Run<'_> {
    pub(super) fn begin_timers(&mut self) {
        let Timers { update, preempt, offer, .. } = self.timers;
        for (interval, kind) in [(update, Kind::Update), (preempt, Kind::Preempt), (offer, Kind::Offer)] {
            if let Some(interval) = interval {
                self.events.put(self.first(kind, interval), kind, 0);
            }
        }
        self.events.put(LOOK_MS, Kind::Look, 0);
        self.events.put(self.options.every_ms, Kind::Sample, 0);
    }

    /// When a timer is due for the first time: any time within its interval. SLS's first update is an interval after
    /// that of its last node.
    fn first(&self, kind: Kind, interval: u64) -> u64 {
        let drawn = self.drawn(0x5449_4d45, kind as u64);
        if kind == Kind::Update && self.options.ams == AmStyle::Sls {
            let [least, most] = self.sls_begins_ms;
            return interval - (least + drawn % (most - least).max(1)) % interval;
        }
        drawn % interval + 1
    }

    pub(super) fn next_update(&mut self) {
        if let Some(interval) = self.timers.update {
            self.events.put(self.now + interval + self.update_takes(), Kind::Update, 0);
        }
    }

    /// How long this update takes, in ms.
    fn update_takes(&self) -> u64 {
        if self.options.ams != AmStyle::Sls {
            return 0;
        }
        SLS_UPDATE_US / 1000 + u64::from(self.drawn(0x5550_4454, self.now) % 1000 < SLS_UPDATE_US % 1000)
    }

    pub(super) fn update(&mut self) {
        self.core.update();
        self.quiet.updated();
        self.next_update();
        if let Some(wait) = self.timers.kill_after
            && self.round() > 0
        {
            self.events.put(self.now + wait, Kind::Kill, 0);
        }
    }

    /// A round of preemption: how many containers it marks.
    fn round(&mut self) -> usize {
        // Refused where preemption is off, and then nothing is marked.
        let marked = self.core.preempt().unwrap_or(0);
        if marked > 0 {
            self.quiet.disturb();
            self.quiet.changed();
        }
        self.deliver();
        marked
    }

    pub(super) fn preempt(&mut self) {
        self.round();
        if let Some(interval) = self.timers.preempt {
            self.events.put(self.now + interval, Kind::Preempt, 0);
        }
    }

    pub(super) fn kill_due(&mut self) {
        // Where preemption is off nothing is marked.
        let _ = self.core.kill_due();
        self.quiet.disturb();
        self.deliver();
    }

    pub(super) fn offer(&mut self) {
        let nodes = self.nodes.len().max(1) as u64;
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of nodes")]
        let first = (self.drawn(0x4f46_4645, self.now) % nodes) as usize;
        self.core.offer_all(first);
        self.deliver();
        if let Some(interval) = self.timers.offer {
            self.events.put(self.now + interval, Kind::Offer, 0);
        }
    }

    pub(super) fn look(&mut self) {
        self.core.tick();
        self.deliver();
        self.events.put(self.now + LOOK_MS, Kind::Look, 0);
    }

    /// Some of those that wait are asked about.
    fn ask_what_is_waited_for(&mut self) {
        let waits = |master: &Master| master.waits_for_am() || master.outstanding.sum() > 0;
        let waiting = self.masters.iter().filter(|(_, master)| waits(master)).map(|(number, _)| *number);
        let mut waiting: Vec<u32> = waiting.collect();
        waiting.sort_unstable();
        for number in turn(&waiting, self.intervals.len()) {
            let Some(master) = self.masters.get_mut(&number) else { continue };
            if let Some(answer) = self.core.waits_for(&master.handle, &self.plan.types) {
                master.waited.add(answer);
            }
        }
    }

    /// The end of an interval.
    pub(super) fn sample(&mut self) {
        let mut samples = vec![QueueSample::default(); self.queue_names.len()];
        let views = self.core.queues();
        let usage = |name: &str| views.iter().find(|view| view.name == name).map_or(0, |view| view.usage.memory_mb());
        self.sample_plans(usage);
        // Queues of reservations come and go; what they use is in their plan's.
        for queue in views.iter().filter(|view| !is_of_reservation(&view.name)) {
            let index = match self.queue_names.iter().position(|(name, _)| *name == queue.name) {
                Some(index) => index,
                None => {
                    // One that has come meanwhile.
                    self.queue_names.push((queue.name.clone(), queue.leaf));
                    samples.push(QueueSample::default());
                    samples.len() - 1
                }
            };
            samples[index] = QueueSample {
                usage: queue.usage.memory_mb(),
                share: queue.share.memory_mb(),
                demand: queue.demand.memory_mb(),
            };
        }
        self.ask_what_is_waited_for();
        self.intervals.push(Interval {
            at_ms: self.now,
            utilisation: self.busy.utilisation(),
            jobs: self.masters.len() as u64,
            granted: self.granted,
            ended: self.ended,
            preempted: self.preempted,
            queues: samples,
        });
        self.events.put(self.now + self.options.every_ms, Kind::Sample, 0);
    }
}
