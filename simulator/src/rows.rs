//! Rows of jobs: as text, and written into files as jobs end, so that none has to be kept. The files get their names
//! with all others of the program.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use evenweave_tools::Failure;
use evenweave_tools::whole_files::Drafts;

use super::record::{JobEnd, JobRecord};

/// When the ResourceManager began, by the ids of its applications.
const BEGINS_MS: u64 = 1;

pub(super) const JOBS_HEAD: &str = "job,application,queue,user,type,submitted_ms,registered_ms,first_task_ms,ended_ms,runtime_ms,wait_ms,\
                                    slowdown,end,containers,preempted,unused,lost_mib_s,tasks,tasks_done,waited_for\n";
pub(super) const RUNTIMES_HEAD: &str = "JobID,real_start_time,real_end_time,simulate_start_time,simulate_end_time\n";

/// A field of a CSV file.
pub(super) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

pub(super) fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes everything");
}

/// A line of `jobs.csv`.
pub(super) fn job_row(text: &mut String, job: &JobRecord) {
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    put(
        text,
        format_args!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.0},{},{},{}\n",
            field(&job.job),
            job.application,
            field(&job.queue),
            field(&job.user),
            job.kind,
            job.submitted_ms,
            number(job.registered_ms),
            number(job.first_task_ms),
            number(job.ended_ms),
            number(job.runtime_ms()),
            number(job.wait_ms()),
            job.slowdown().map(|slowdown| format!("{slowdown:.3}")).unwrap_or_default(),
            job.end.as_str(),
            job.containers,
            job.preempted,
            job.unused,
            job.lost_mib_s,
            job.tasks,
            job.tasks_done,
            field(job.waited_for.as_deref().unwrap_or_default())
        ),
    );
}

/// A line of SLS's `jobruntime.csv`, of a job that is done.
pub(super) fn runtime_row(text: &mut String, job: &JobRecord) {
    if let Some(end) = job.ended_ms.filter(|_| job.end == JobEnd::Done) {
        put(
            text,
            format_args!(
                "application_{BEGINS_MS}_{:04},{},{},{},{end}\n",
                job.application, job.trace_start_ms, job.trace_end_ms, job.submitted_ms
            ),
        );
    }
}

/// The tables of one run's jobs; what is not finished is gone.
#[derive(Debug)]
pub(super) struct Rows {
    out: PathBuf,
    drafts: Drafts,
    /// `jobs-N.csv` and `jobruntime-N.csv`.
    files: Vec<BufWriter<File>>,
    text: String,
}

impl Rows {
    /// Begins the tables of a run.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn create(out: &Path, number: usize) -> Result<Rows, Failure> {
        let mut drafts = Drafts::default();
        let tables = [(format!("jobs-{number}.csv"), JOBS_HEAD), (format!("jobruntime-{number}.csv"), RUNTIMES_HEAD)];
        let begun = tables.into_iter().map(|(name, head)| {
            let mut file = BufWriter::new(drafts.create(&out.join(name))?);
            file.write_all(head.as_bytes())?;
            Ok(file)
        });
        let files = begun.collect::<std::io::Result<Vec<_>>>().map_err(|error| wrong(out, &error))?;
        Ok(Rows { out: out.to_owned(), drafts, files, text: String::new() })
    }

    /// Writes a job's rows.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn write(&mut self, job: &JobRecord) -> Result<(), Failure> {
        for (file, row) in self.files.iter_mut().zip([job_row, runtime_row]) {
            self.text.clear();
            row(&mut self.text, job);
            file.write_all(self.text.as_bytes()).map_err(|error| wrong(&self.out, &error))?;
        }
        Ok(())
    }

    /// All jobs are in: the files are whole, and closed.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn finish(self) -> Result<Drafts, Failure> {
        for mut file in self.files {
            file.flush().map_err(|error| wrong(&self.out, &error))?;
        }
        Ok(self.drafts)
    }
}

fn wrong(out: &Path, error: &std::io::Error) -> Failure {
    let shown = out.display();
    Failure::input(format!("--out {shown}: {error}; it must be a directory in which files can be written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!((field("a"), field("a,\"b\"")), ("a".to_owned(), "\"a,\"\"b\"\"\"".to_owned()));
    }

    #[test]
    fn tables_that_are_not_finished_leave_nothing() {
        let out = std::env::temp_dir().join(format!("evenweave-rows-{}", std::process::id()));
        drop(Rows::create(&out, 1).unwrap());
        assert!(!out.exists());
        drop(Rows::create(&out, 1).unwrap().finish().unwrap());
        assert!(!out.exists());
        Rows::create(&out, 1).unwrap().finish().unwrap().keep().unwrap();
        assert_eq!(std::fs::read_to_string(out.join("jobs-1.csv")).unwrap(), JOBS_HEAD);
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2);
        std::fs::remove_dir_all(&out).unwrap();
    }
}
