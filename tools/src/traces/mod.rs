//! Readers of job traces for a simulator: SLS, RUMEN and SYNTH, as Hadoop's Scheduler Load Simulator 3.4.2 reads them
//! (rules/sls.md 3), SWIM, the public ones of Google and Alibaba (rules/sls.md 9), and a plain CSV.
//!
//! One type of job for all, [`Job`]. What a file is shows in its content ([`TraceKind`]); it may be packed with gzip or
//! zstd. Jobs are read one after the other, so that a file is never in memory as a whole; of a SYNTH file, which is a
//! recipe for jobs, the recipe is.
//!
//! ```text
//! bytes -> source (unpacks) -> json (values with places) -> sls | rumen | synth ──> Item: a job, a node, or a job that is refused
//!                           -> lines                     -> swim ───────────────┤
//!                                    -> csv (fields with places) -> plain | google | alibaba ┘
//! ```
//!
//! A job that the simulator would refuse is an [`Item::Refused`] with its place, and the others go on; what makes the
//! whole file useless is a [`TraceFileError`].

mod alibaba;
mod bookings;
mod changes;
mod clock;
mod csv;
mod error;
mod frames;
mod google;
mod held;
mod hosts;
mod job;
mod json;
mod lines;
mod nodes;
mod objects;
mod options;
mod plain;
mod rumen;
mod sls;
mod source;
mod stages;
mod swim;
mod swim_line;
mod synth;
mod values;

use std::io::Read;
use std::path::Path;

pub use bookings::{Booking, read_bookings};
pub use changes::{NodeChange, NodeEvent, read_node_changes};
pub use clock::{LATEST_START_MS, LONGEST_MS, shift, shift_of, shift_told};
pub use error::{At, TraceFileError};
pub use hosts::Host;
pub use job::{Execution, Item, Job, Note, Refusal, Task};
pub use nodes::{Node, Nodes, generated_nodes, node_label, read_node_file};
pub use options::{Times, TraceKind, TraceOptions};
pub use swim_line::{FieldProblem, SWIM_EXAMPLE, SwimLine};
pub use synth::Cluster;
pub use synth::Heap;

use objects::Objects;
use source::Source;

/// The jobs of a trace, one after the other.
pub struct Trace {
    kind: TraceKind,
    cluster: Option<Cluster>,
    items: Box<dyn Iterator<Item = Result<Item, TraceFileError>> + Send>,
}

/// The most unpacked bytes of a trace that are in memory at once.
const LARGEST_WHOLE: u64 = 1 << 30;

/// A file that is open.
#[derive(Debug)]
pub enum Opened {
    /// The unpacked text of a SWIM trace.
    Swim(String),
    /// Any other.
    Trace(Trace),
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Trace {
    /// Opens a file.
    ///
    /// # Errors
    /// A file that cannot be read or is no trace. What is wrong further on comes with the jobs.
    pub fn open(path: &Path, options: &TraceOptions) -> Result<Trace, TraceFileError> {
        let name = path.display().to_string();
        let file = std::fs::File::open(path).map_err(|error| TraceFileError::unreadable(&name, &error))?;
        Trace::read(file, &name, options)
    }

    /// Reads a stream; `name` stands in errors.
    ///
    /// # Errors
    /// A stream that cannot be read or is no trace.
    pub fn read(
        input: impl Read + Send + 'static,
        name: &str,
        options: &TraceOptions,
    ) -> Result<Trace, TraceFileError> {
        let mut source = Source::new(input, name)?;
        let kind = match options.kind {
            Some(kind) => kind,
            None => source.kind()?,
        };
        Trace::of(source, kind, options)
    }

    /// Opens a file whose lines somebody else reads if it is SWIM's.
    ///
    /// # Errors
    /// As [`Trace::open`] has them.
    pub fn open_or_swim(path: &Path, options: &TraceOptions) -> Result<Opened, TraceFileError> {
        let name = path.display().to_string();
        let file = std::fs::File::open(path).map_err(|error| TraceFileError::unreadable(&name, &error))?;
        let mut source = Source::new(file, &name)?;
        let kind = source.kind()?;
        if kind != TraceKind::Swim {
            return Trace::of(source, kind, options).map(Opened::Trace);
        }
        let mut text = String::new();
        let read = Read::take(&mut source.bytes, LARGEST_WHOLE + 1).read_to_string(&mut text);
        read.map_err(|error| TraceFileError::unreadable(&name, &error))?;
        if text.len() as u64 > LARGEST_WHOLE {
            let problem = "it unpacks to more than 1 GiB, and a load has all of its trace in memory";
            return Err(TraceFileError::unreadable(
                &name,
                &std::io::Error::new(std::io::ErrorKind::FileTooLarge, problem),
            ));
        }
        Ok(Opened::Swim(text))
    }

    fn of(source: Source, kind: TraceKind, options: &TraceOptions) -> Result<Trace, TraceFileError> {
        let mut cluster = None;
        let items: Box<dyn Iterator<Item = Result<Item, TraceFileError>> + Send> = match kind {
            TraceKind::Sls => Box::new(Objects::new(source, options, sls::Sls::new(options))),
            TraceKind::Rumen => Box::new(Objects::new(source, options, rumen::Rumen::new(options))),
            TraceKind::Synth => {
                let jobs = synth::Jobs::read(source, options)?;
                cluster = Some(jobs.cluster());
                Box::new(jobs)
            }
            TraceKind::Swim => Box::new(swim::Jobs::new(source, options)),
            TraceKind::Plain => Box::new(plain::Jobs::read(source)?),
            TraceKind::Google2011 => Box::new(google::Jobs::of_2011(source, options)),
            TraceKind::Google2019 => Box::new(google::Jobs::of_2019(source, options)?),
            TraceKind::Alibaba2018 => Box::new(alibaba::Jobs::new(source, options)),
        };
        Ok(Trace { kind, cluster, items })
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> TraceKind {
        self.kind
    }

    /// The cluster that a SYNTH file describes.
    #[must_use]
    pub fn cluster(&self) -> Option<Cluster> {
        self.cluster
    }
}

impl Iterator for Trace {
    type Item = Result<Item, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.items.next()
    }
}
