//! A run: virtual time from event to event, until every job has ended.
//!
//! ```text
//! trace -> arrivals -> submit -> core <- heartbeats <- ring of nodes
//!                       AMs (masters) -> allocate        ^ launches
//!                       timers: updates, preemption, offers
//! ```
//! One thread does everything. What a call of the core brings into mailboxes is taken out at once: it is what the
//! decision log is made of. An AM sees it in its next call.
//!
//! # What is left out
//! With `skip`, heartbeats of nodes while nothing is asked for; see `quiet`. Calls of AMs are all made.

mod ams;
mod beats;
mod booked;
mod changes;
mod quiet;
mod run;
mod start;
mod timers;

use evenweave_tools::Failure;
use evenweave_tools::random::mix;
use evenweave_tools::traces::Job;
use evenweave_tools::whole_files::Drafts;
use rustc_hash::FxHashMap;

use super::asking::Outstanding;
use super::events::{Event, Kind};
use super::jobs::{Placing, deal, make};
use super::masters::Answer;
use super::options::AmStyle;
use super::record::{JobEnd, JobRecord, RunResult};
use super::run_progress::{Moment, Watch, interrupted};
use super::submission_order;
use super::wait_reasons::Waited;
use crate::api::Submission;
use run::{Coming, Master, Part};

pub(super) use run::Run;

/// Nothing has ended, started or come for so long, with nothing left to come: what still waits waits for ever.
const STALLED_MS: u64 = 6 * 3_600_000;

/// A look is taken each so many events, at whether the run is to stop and at how far it is.
const EVENTS_A_LOOK: u32 = 1 << 12;

/// Copies of a job of the trace are told apart by so many bits.
const COPY_BITS: u32 = 20;

/// The key of a job: its number in the trace, and that of its copy.
fn key_of(in_trace: u64, copy: u32) -> u64 {
    (in_trace << COPY_BITS) | u64::from(copy).min((1 << COPY_BITS) - 1)
}

/// A job of a reservation stands in the rows of its plan: its own queue has a name that tells nothing.
fn queue_shown(queue: &str, is_reserved: bool) -> &str {
    if is_reserved { queue.rsplit_once('.').map_or(queue, |(plan, _)| plan) } else { queue }
}

impl Run<'_> {
    /// Runs to the end. Gives what came of it, and the files of its jobs if there are any.
    ///
    /// # Errors
    /// What is wrong in a trace; a run that was told to stop.
    pub(super) fn run(mut self, watch: &Watch<'_>, number: usize) -> Result<(RunResult, Option<Drafts>), Failure> {
        self.next_jobs()?;
        let mut until_look = 0_u32;
        while self.goes_on() {
            self.step()?;
            until_look = until_look.wrapping_add(1);
            if until_look.is_multiple_of(EVENTS_A_LOOK) {
                let moment = Moment {
                    run: number,
                    now_ms: self.now,
                    jobs: self.tally.submitted,
                    open: self.masters.len(),
                    granted: self.granted,
                };
                if !watch(moment) {
                    return Err(interrupted());
                }
            }
        }
        self.result()
    }

    fn goes_on(&self) -> bool {
        let to_come = !self.coming.is_empty() || self.booked.to_come > 0;
        let open = to_come || !self.masters.is_empty();
        let stalled = !to_come && self.now > self.moved_at.max(self.latest_end) + STALLED_MS;
        open && !stalled && self.options.until_ms.is_none_or(|until| self.now < until)
    }

    /// The next report or event, whichever comes first.
    fn step(&mut self) -> Result<(), Failure> {
        let quiet = self.is_quiet();
        let report = if quiet { self.ring.next_needed() } else { self.ring.next() };
        match (report, self.events.next_at()) {
            (Some(report), event) if event.is_none_or(|event| report <= event) => {
                let (at, node) = if quiet {
                    self.ring.take_needed().unwrap_or((report, 0))
                } else {
                    let (at, node, _) = self.ring.take();
                    (at, node)
                };
                self.report(at, node);
            }
            (_, Some(_)) => {
                if let Some(event) = self.events.take() {
                    self.happen(event, quiet)?;
                }
            }
            (_, None) => self.now = self.now.max(self.moved_at.max(self.latest_end)).saturating_add(STALLED_MS + 1),
        }
        Ok(())
    }

    /// Time goes on.
    fn set_time(&mut self, at: u64) {
        self.now = self.now.max(at);
    }

    /// The core's clock shows the present.
    fn wind(&mut self) {
        use crate::api::Clock as _;
        let shows = self.clock.now_ms();
        if shows < self.now {
            self.clock.advance(self.now - shows);
        }
    }

    fn happen(&mut self, (at, kind, key): Event, quiet: bool) -> Result<(), Failure> {
        self.set_time(at);
        if quiet && self.can_wait(kind) {
            self.put_off(kind);
            return Ok(());
        }
        self.end_quiet(kind);
        self.wind();
        let number = u32::try_from(key).unwrap_or(u32::MAX);
        match kind {
            Kind::Node => self.change_nodes(),
            Kind::Kill => self.kill_due(),
            Kind::Update => self.update(),
            Kind::Preempt => self.preempt(),
            Kind::Offer => self.offer(),
            Kind::Look => self.look(),
            Kind::Book => self.book(number as usize),
            Kind::Follow => self.follow(),
            Kind::Up => self.am_is_up(number),
            Kind::Tick => self.tick(number),
            Kind::Arrival => self.arrive()?,
            Kind::Begin => self.begin_booked(number as usize),
            Kind::GiveUp => self.end_app(number, JobEnd::Broken),
            Kind::Sample => self.sample(),
        }
        if quiet {
            self.ring.leap(self.now);
        }
        Ok(())
    }

    // ------------------------------------------------------------------------------------------------ jobs

    /// Looks for the jobs that come next: those of one moment.
    fn next_jobs(&mut self) -> Result<(), Failure> {
        loop {
            let next = match self.ahead.take() {
                Some(next) => Some(next),
                None => self.read_job()?,
            };
            let Some((at, coming)) = next else { return Ok(()) };
            if self.coming.is_empty() {
                self.coming_at = at;
                self.events.put(at, Kind::Arrival, 0);
            } else if at != self.coming_at {
                self.ahead = Some((at, coming));
                return Ok(());
            }
            self.coming.push(coming);
        }
    }

    fn read_job(&mut self) -> Result<Option<(u64, Coming)>, Failure> {
        loop {
            let next = self.arrivals.next()?;
            let Some((at, job)) = next else { return Ok(None) };
            let number = self.jobs_read;
            self.jobs_read += 1;
            let copies = self.copies_of(number).saturating_mul(job.count.max(1));
            if copies > 0 {
                return Ok(Some((at, Coming { job, number, copies })));
            }
        }
    }

    /// How often a job of the trace comes, by the load that is wanted.
    fn copies_of(&self, number: u64) -> u32 {
        let load = self.options.load;
        let whole = load.floor();
        let low = u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0);
        let more = evenweave_tools::random::unit(self.seed ^ 0x4c4f_4144, low, 0) < load - whole;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "options are checked")]
        let whole = whole as u32;
        whole + u32::from(more)
    }

    fn arrive(&mut self) -> Result<(), Failure> {
        let jobs = std::mem::take(&mut self.coming);
        self.moved_at = self.now;
        if self.options.ams == AmStyle::Sls && jobs.len() > 1 {
            for index in submission_order::order(jobs.len(), &self.offsets, self.drawn(0x4f52_4445, self.now)) {
                self.submit_all(&jobs[index]);
            }
        } else {
            jobs.iter().for_each(|coming| self.submit_all(coming));
        }
        self.next_jobs()
    }

    fn submit_all(&mut self, coming: &Coming) {
        for copy in 0..coming.copies {
            self.submit(&coming.job, coming.number, copy);
        }
    }

    /// A job of the trace.
    fn submit(&mut self, job: &Job, in_trace: u64, copy: u32) {
        let whose = self.deals.then(|| deal(&self.dealt, in_trace.wrapping_mul(64).wrapping_add(u64::from(copy))));
        let (queue, user) = match &whose {
            Some(whose) if job.user == "default" => (&whose.queue, &whose.user),
            Some(whose) => (&whose.queue, &job.user),
            None => (&job.queue, &job.user),
        };
        let part = match &job.reservation {
            Some(name) => match self.part_of(name) {
                Some(part) => Some(part),
                None => {
                    let job = job.id.as_deref().unwrap_or_default();
                    let why = format!("{job}: --reservations names no reservation {name:?}");
                    self.refused.push_job(key_of(in_trace, copy), queue, why);
                    return;
                }
            },
            None => None,
        };
        self.enter(job, (in_trace, copy), (queue, user), part);
    }

    /// A job is submitted; `key` is its number and that of its copy.
    fn enter(&mut self, job: &Job, (in_trace, copy): (u64, u32), (queue, user): (&str, &str), part: Option<Part>) {
        let number = self.next_number;
        let name = match &job.id {
            Some(id) if copy == 0 => id.clone(),
            Some(id) => format!("{id}_{}", copy + 1),
            None => number.to_string(),
        };
        if let Some(label) = job.label.as_ref().filter(|label| self.plan.labels.is_none() && !label.is_empty()) {
            let why = format!("{name}: it is for nodes with the label {label}, and node labels are off");
            self.refused.push_job(key_of(in_trace, copy), queue, why);
            return;
        }
        let placing = Placing {
            places: &self.places[..self.first_nodes],
            synth_seed: self.synth_seed,
            shuffled: &self.shuffled,
            by_seed: self.options.place_tasks,
        };
        let made = make(job, (number, self.now), self.plan, self.options, &self.core, &placing, self.seed);
        let named = Some(queue).filter(|queue| *queue != "default");
        let am = (job.has_am || self.options.added_ams).then_some(made.am);
        let mut submission = Submission::new(number, user).maybe_in_queue(named.map(str::to_owned)).maybe_with_am(am);
        if let Some(label) = job.label.as_ref().filter(|_| self.plan.labels.is_some()) {
            submission = submission.labelled(label);
        }
        let reservation = part.and_then(|part| self.id_of(part));
        if let Some(id) = reservation {
            submission = submission.with_reservation(id);
        }
        let handle = match self.core.submit(&submission, am.as_ref(), &name) {
            Ok(handle) => handle,
            Err(refused) => {
                if let Some(part) = part {
                    self.part_refused(part, &refused);
                }
                self.refused.push_job(key_of(in_trace, copy), queue, format!("{name}: {refused}"));
                return;
            }
        };
        self.next_number += 1;
        self.added_ams += u64::from(!job.has_am && am.is_some());
        match am {
            Some(_) => self.quiet.outstanding += 1,
            None => self.events.put(self.now, Kind::Up, u64::from(number)),
        }
        self.quiet.changed();
        self.tally.submitted += 1;
        let record = JobRecord {
            job: name,
            application: number,
            queue: queue_shown(handle.queue(), reservation.is_some()).to_owned(),
            user: user.to_owned(),
            kind: made.kind,
            trace_start_ms: job.arrival_ms,
            trace_end_ms: job.finish_ms,
            submitted_ms: self.now,
            registered_ms: None,
            first_task_ms: None,
            ended_ms: None,
            end: JobEnd::Open,
            containers: 0,
            preempted: 0,
            unused: 0,
            lost_mib_s: 0.0,
            alone_ms: made.alone_ms,
            tasks: 0,
            tasks_done: 0,
            am_lost: None,
            waited_for: None,
        };
        let master = Master {
            handle,
            key: key_of(in_trace, copy),
            record,
            start_ms: if job.arrival_ms < 0 { self.now } else { u64::try_from(job.arrival_ms).unwrap_or(self.now) },
            registered: false,
            am: None,
            am_elsewhere: am.is_none(),
            waited: Waited::default(),
            work: made.work,
            program: made.program,
            outstanding: Outstanding::default(),
            sizes: FxHashMap::default(),
            granted: 0,
            inbox: Answer::default(),
            answer: None,
            tick_at: None,
            last_next: false,
            broken: None,
            breaks: made.breaks,
            part,
            leaving: None,
        };
        self.masters.insert(number, Box::new(master));
        self.moved_at = self.now;
        if let Some(part) = part.filter(|_| reservation.is_some()) {
            self.part_entered(part);
        }
        self.deliver();
    }

    /// # Errors
    /// A scenario that does not come to what the run came to.
    fn result(mut self) -> Result<(RunResult, Option<Drafts>), Failure> {
        let mut open: Vec<_> = std::mem::take(&mut self.masters).into_iter().collect();
        open.sort_unstable_by_key(|(number, _)| *number);
        for (_, mut master) in open {
            master.settle();
            self.tally.close(master.key, master.record, master.broken);
        }
        let (kept, drafts) = self.tally.finish()?;
        let last_end = self.tally.last_end.unwrap_or(self.now);
        let refused = self.arrivals.refused.iter().map(|refused| {
            let at = refused.refusal.at;
            format!("{}:{}:{}: {}", refused.trace, at.line, at.column, refused.refusal.problem)
        });
        let mut all_refused: Vec<String> = refused.collect();
        all_refused.append(&mut self.refused.said);
        let passed_over = self.arrivals.passed_over.iter();
        let passed_over =
            passed_over.map(|(trace, note)| format!("{trace}:{}:{}: {}", note.at.line, note.at.column, note.said));
        let passed_over = passed_over.collect();
        let heartbeats = self.ring.passed();
        let utilisation = self.busy.mean(last_end.max(1));
        let result = RunResult {
            name: self.plan.name.clone(),
            at: self.plan.at.clone(),
            seed: self.seed,
            wall_s: 0.0,
            simulated_ms: last_end,
            jobs: kept,
            figures: self.tally.figures,
            sums: self.tally.queues,
            has_rows: self.options.rows.is_some(),
            queues: self.queue_names,
            intervals: self.intervals,
            booked: self.booked.course,
            granted: self.granted,
            preempted: self.preempted,
            heartbeats,
            skipped: heartbeats.saturating_sub(self.quiet.reported),
            calls: self.calls,
            decisions: self.log.value(),
            scenario: self.core.take_scenario()?,
            refused: all_refused,
            refused_count: self.refused.count + self.arrivals.refused_count,
            refused_of: self.refused.jobs,
            unread: self.arrivals.refused_count,
            passed_over,
            passed_over_count: self.arrivals.passed_over_count,
            added_ams: self.added_ams,
            added_am: self.plan.am,
            unended: self.tally.unended,
            cut: self.options.until_ms.is_some_and(|until| self.now >= until),
            late: self.arrivals.late,
            times_told: std::mem::take(&mut self.arrivals.times_told),
            nodes: self.plan.cluster.clone(),
            cluster: self.cluster,
            lost_nodes: self.fates.lost,
            lost_containers: self.fates.lost_containers,
            utilisation,
            by_memory_alone: self.plan.by_memory_alone(),
            most_vcores: self.busy.most[1],
        };
        Ok((result, drafts))
    }

    /// A number that depends on the seed and what it is for.
    fn drawn(&self, what: u64, number: u64) -> u64 {
        mix(mix(self.seed ^ what).wrapping_add(number))
    }
}
