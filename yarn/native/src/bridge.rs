//! One scheduler of one ResourceManager: what the numbers of Java stand for, and the lock.
//!
//! # Ids
//! An application's number is Java's own; a node's is the core's, counted from 0; a container's are the three words of its id. Java keeps
//! what is needed to make Hadoop's ids of them.

use crate::answers::Outcomes;
use crate::commands::Batch;
use crate::driver::Driver;
use crate::groups::SentGroups;
use crate::wire::{Malformed, Reader, Writer};
use evenweave::clock::MonotonicClock;
use evenweave::config::SettingsError;
use evenweave::config::capacity::CapacityFileError;
use evenweave::{AppHandle, BuildError, CapacityConfiguration, CapacityScheduler, FairScheduler, NodeHandle, Settings};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Which scheduler decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As Hadoop's FairScheduler.
    Fair,
    /// As Hadoop's CapacityScheduler.
    Capacity,
}

/// Why a scheduler does not start.
#[derive(Debug)]
pub enum StartError {
    /// A property cannot be.
    Settings(Box<SettingsError>),
    /// The queues of a `capacity-scheduler.xml` cannot be.
    Queues(Box<CapacityFileError>),
    /// The allocation file cannot be read, or something else.
    Build(Box<BuildError>),
    /// Java and the native library are of different versions.
    Malformed,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Settings(error) => error.fmt(f),
            StartError::Queues(error) => error.fmt(f),
            StartError::Build(error) => error.fmt(f),
            StartError::Malformed => f.write_str("the jar and the native library are of different versions"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<Malformed> for StartError {
    fn from(Malformed: Malformed) -> StartError {
        StartError::Malformed
    }
}

impl From<BuildError> for StartError {
    fn from(error: BuildError) -> StartError {
        StartError::Build(Box::new(error))
    }
}

/// Applications that have something in their mailbox, in the order in which it came.
pub(crate) type Mail = Arc<Mutex<Vec<u32>>>;

/// What a batch works on.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) driver: Driver,
    pub(crate) mail: Mail,
    pub(crate) groups: Arc<SentGroups>,
    pub(crate) apps: HashMap<u32, AppHandle>,
    pub(crate) nodes: HashMap<u32, NodeHandle>,
    pub(crate) outcomes: Outcomes,
    /// The names of the resource types, in the order of their amounts.
    pub(crate) types: Vec<String>,
}

/// See the module's text.
#[derive(Debug)]
pub struct Bridge(Mutex<State>);

impl Bridge {
    /// Starts a scheduler.
    ///
    /// `start` holds the site's properties, then those of the queue file (CapacityScheduler) or its path (FairScheduler).
    ///
    /// # Errors
    /// Where Hadoop's scheduler would not start.
    pub fn start(kind: Kind, start: &[u8]) -> Result<Bridge, StartError> {
        let mut start = Reader::new(start);
        let site = start.list(|pair| Ok((pair.text()?, pair.text()?)))?;
        let (mail, groups) = (Mail::default(), Arc::new(SentGroups::default()));
        let settings = Settings::from_properties(site.iter().copied());
        let settings = settings.map_err(|error| StartError::Settings(Box::new(error)))?;
        let types = settings.types.names().map(str::to_owned).collect();
        let (waking, of_users) = (mail.clone(), groups.clone());
        let wake = Arc::new(move |app| waking.lock().unwrap_or_else(PoisonError::into_inner).push(app));
        let driver = match kind {
            Kind::Fair => {
                let builder = FairScheduler::builder().settings(settings).groups(of_users).on_grants(wake);
                let builder = builder.clock(Arc::new(MonotonicClock::new()));
                let file = start.maybe(Reader::text)?;
                let builder = match file {
                    Some(file) => builder.allocation_file(file, &[]),
                    None => builder,
                };
                Driver::Fair(Box::new(builder.stepped()?))
            }
            Kind::Capacity => {
                let queues = start.list(|pair| Ok((pair.text()?, pair.text()?)))?;
                let configuration = CapacityConfiguration::from_properties(site, queues);
                let configuration = configuration.map_err(|error| StartError::Queues(Box::new(error)))?;
                let builder = CapacityScheduler::builder(configuration).groups(of_users).on_grants(wake);
                Driver::Capacity(Box::new(builder.clock(Arc::new(MonotonicClock::new())).stepped()?))
            }
        };
        let state = State {
            driver,
            mail,
            groups,
            types,
            apps: HashMap::new(),
            nodes: HashMap::new(),
            outcomes: Outcomes::default(),
        };
        Ok(Bridge(Mutex::new(state)))
    }

    /// Works off a batch of commands; the answers to each, then what has happened.
    ///
    /// # Errors
    /// A sentence where the batch cannot be read. What came before that has been done.
    pub fn run(&self, batch: &[u8]) -> Result<Vec<u8>, &'static str> {
        // After a panic the books of the core are what it has made of them: the caller has been told, and may go on or not.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = Writer { types: state.types.len(), ..Writer::default() };
        let outcome = Batch { state: &mut state, out: &mut out }.run(batch);
        outcome.map_err(|Malformed| "the jar and the native library are of different versions")?;
        Ok(out.bytes)
    }

    /// The names of the resource types, in the order of their amounts, one in a line.
    #[must_use]
    pub fn types(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).types.join("\n")
    }
}
