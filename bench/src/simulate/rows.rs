//! Rows of jobs: as text, and written into files as jobs end, so that none has to be kept. The files get their names when all runs are done.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use super::record::{JobEnd, JobRecord};
use crate::failure::Failure;

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

/// Files that have no name of their own yet, in this whole program: what a program that ends at once has to remove.
static NAMELESS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn nameless() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    NAMELESS.lock().expect("nothing panics while it holds the lock")
}

/// Removes the files of all runs that are under way, for a program that ends without waiting for them.
pub fn remove_unfinished() {
    let mut nameless = nameless();
    for path in std::mem::take(&mut *nameless) {
        let _ = std::fs::remove_file(&path);
        // The directory goes if it was made for these alone.
        let _ = path.parent().map(std::fs::remove_dir);
    }
}

/// Files of one run under names for the time being. They get their own together, or are removed.
#[derive(Debug)]
pub(super) struct Drafts {
    out: PathBuf,
    /// Of each file the name for the time being, and its own.
    names: Vec<[PathBuf; 2]>,
}

impl Drafts {
    fn create(&mut self, name: &str, head: &str) -> std::io::Result<BufWriter<File>> {
        let name = self.out.join(name);
        let meanwhile = name.with_extension(format!("tmp{}", std::process::id()));
        nameless().insert(meanwhile.clone());
        let file = File::create(&meanwhile);
        self.names.push([meanwhile, name]);
        let mut file = BufWriter::new(file?);
        file.write_all(head.as_bytes())?;
        Ok(file)
    }

    fn wrong(&self, error: &std::io::Error) -> Failure {
        Failure::input(format!(
            "--out {}: {error}; it must be a directory in which files can be written",
            self.out.display()
        ))
    }

    /// The files get their names.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn keep(mut self) -> Result<(), Failure> {
        while let Some([meanwhile, name]) = self.names.last() {
            std::fs::rename(meanwhile, name).map_err(|error| self.wrong(&error))?;
            nameless().remove(meanwhile);
            self.names.pop();
        }
        Ok(())
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        if self.names.is_empty() {
            return;
        }
        for [meanwhile, _] in self.names.drain(..) {
            let _ = std::fs::remove_file(&meanwhile);
            nameless().remove(&meanwhile);
        }
        // It goes if it was made for these alone.
        let _ = std::fs::remove_dir(&self.out);
    }
}

/// The tables of one run's jobs; what is not finished is gone.
#[derive(Debug)]
pub(super) struct Rows {
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
        let mut drafts = Drafts { out: out.to_owned(), names: Vec::new() };
        let begun = std::fs::create_dir_all(out).and_then(|()| {
            Ok(vec![
                drafts.create(&format!("jobs-{number}.csv"), JOBS_HEAD)?,
                drafts.create(&format!("jobruntime-{number}.csv"), RUNTIMES_HEAD)?,
            ])
        });
        let files = begun.map_err(|error| drafts.wrong(&error))?;
        Ok(Rows { drafts, files, text: String::new() })
    }

    /// Writes a job's rows.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn write(&mut self, job: &JobRecord) -> Result<(), Failure> {
        for (file, row) in self.files.iter_mut().zip([job_row, runtime_row]) {
            self.text.clear();
            row(&mut self.text, job);
            file.write_all(self.text.as_bytes()).map_err(|error| self.drafts.wrong(&error))?;
        }
        Ok(())
    }

    /// All jobs are in: the files are whole, and closed.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn finish(self) -> Result<Drafts, Failure> {
        for mut file in self.files {
            file.flush().map_err(|error| self.drafts.wrong(&error))?;
        }
        Ok(self.drafts)
    }
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
