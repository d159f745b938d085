//! What is kept of jobs that have ended: a few numbers of each, sums of each queue. Their records go into files, or are
//! kept where there are none.

use evenweave_tools::Failure;
use evenweave_tools::whole_files::Drafts;
use rustc_hash::FxHashMap;

use super::record::{AllUnended, JobEnd, JobFigures, JobRecord, QueueSums, note_unended};
use super::rows::Rows;

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) figures: Vec<JobFigures>,
    pub(super) queues: Vec<QueueSums>,
    numbers: FxHashMap<String, u32>,
    /// Jobs that have come.
    pub(super) submitted: u64,
    pub(super) last_end: Option<u64>,
    pub(super) unended: AllUnended,
    rows: Option<Rows>,
    /// Records, where they are kept.
    kept: Option<Vec<JobRecord>>,
    failed: Option<Failure>,
}

impl Tally {
    /// Records go into rows, or are kept, or neither.
    pub(super) fn new(rows: Option<Rows>, keep: bool) -> Tally {
        Tally { rows, kept: keep.then(Vec::new), ..Tally::default() }
    }

    /// A job has ended, or the run has. `said`: what the scheduler has said against the job, if it has broken down.
    pub(super) fn close(&mut self, key: u64, job: JobRecord, said: Option<String>) {
        note_unended(&mut self.unended, &job, said);
        let next = u32::try_from(self.queues.len()).unwrap_or(u32::MAX);
        let queue = *self.numbers.entry(job.queue.clone()).or_insert(next);
        if queue == next {
            self.queues.push(QueueSums { name: job.queue.clone(), ..QueueSums::default() });
        }
        let sums = &mut self.queues[queue as usize];
        sums.jobs += 1;
        sums.not_done += u64::from(job.end != JobEnd::Done);
        sums.open += u64::from(job.ended_ms.is_none());
        sums.preempted += job.preempted;
        sums.lost_mib_s += job.lost_mib_s;
        self.figures.push(JobFigures::of(key, queue, &job));
        self.last_end = self.last_end.max(job.ended_ms);
        if let Some(rows) = &mut self.rows
            && let Err(failure) = rows.write(&job)
        {
            self.failed.get_or_insert(failure);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(job);
        }
    }

    /// All jobs are in: the records that were kept, by submission, and the files with the others.
    ///
    /// # Errors
    /// What the file system has said.
    pub(super) fn finish(&mut self) -> Result<(Vec<JobRecord>, Option<Drafts>), Failure> {
        if let Some(failure) = self.failed.take() {
            return Err(failure);
        }
        let drafts = self.rows.take().map(Rows::finish).transpose()?;
        self.figures.sort_by_key(|job| job.key);
        let mut kept = self.kept.take().unwrap_or_default();
        kept.sort_by_key(|job| job.application);
        Ok((kept, drafts))
    }
}
