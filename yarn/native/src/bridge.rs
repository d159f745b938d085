//! One scheduler of one ResourceManager: what the numbers of Java stand for, and the lock.
//!
//! # Ids
//! An application's number is Java's own; a node's is the core's, counted from 0; a container's are the three words of
//! its id. Java keeps what is needed to make Hadoop's ids of them.

use crate::commands::Batch;
use crate::driver::Driver;
use crate::groups::SentGroups;
use crate::sent_file::SentFile;
use crate::state::{Mail, Outcomes, State};
use crate::wire::{Malformed, Reader, Writer};
use evenweave::clock::MonotonicClock;
use evenweave::config::SettingsError;
use evenweave::config::capacity::CapacityFileError;
use evenweave::{BuildError, CapacityConfiguration, CapacityScheduler, FairScheduler, Settings};
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A property of YARN alone: the scheduler gets no request with constraints.
const CONSTRAINTS: &str = "yarn.resourcemanager.placement-constraints.handler";

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

/// Most answers are shorter.
const ANSWER: usize = 4096;

/// The longest answer: no buffer of Java's holds more.
const LONGEST_ANSWER: usize = 0x7fff_ffff;

/// What is said of a panic.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the scheduler core panicked: {}", said.unwrap_or_default())
}

/// See the module's text. After a panic the books of the core are what it has made of them, and after an answer that
/// Java cannot have Java's are others than the core's: then the state is dropped, and why is kept for whoever still
/// calls.
#[derive(Debug)]
pub struct Bridge {
    state: Mutex<Result<State, String>>,
    longest_answer: usize,
}

impl Bridge {
    /// Starts a scheduler.
    ///
    /// `start` holds the site's properties, then those of the queue file (CapacityScheduler) or where it is
    /// (FairScheduler): nothing, its path, or its name with what Java has found there.
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
        let mut sent_file = None;
        let driver = match kind {
            Kind::Fair => {
                let builder = FairScheduler::builder().settings(settings).groups(of_users).on_grants(wake);
                // Java has checked sizes, by Hadoop's own rule.
                let builder =
                    builder.largest_node(false).note_reservations(true).clock(Arc::new(MonotonicClock::new()));
                let builder = match start.maybe(Reader::text)? {
                    Some(name) if start.flag()? => {
                        let file = SentFile::read(name, &mut start)?;
                        sent_file = Some(file.clone());
                        // Java says when somebody looks.
                        builder.watch(file).reload_interval(Duration::from_millis(1))
                    }
                    Some(path) => builder.allocation_file(path, &[]),
                    None => builder,
                };
                Driver::Fair(Box::new(builder.stepped()?))
            }
            Kind::Capacity => {
                let queues = start.list(|pair| Ok((pair.text()?, pair.text()?)))?;
                // YARN itself refuses what asks for constraints.
                let site = site.into_iter().filter(|(name, _)| *name != CONSTRAINTS);
                let configuration = CapacityConfiguration::from_properties(site, queues);
                let configuration = configuration.map_err(|error| StartError::Queues(Box::new(error)))?;
                let builder = CapacityScheduler::builder(configuration).groups(of_users).on_grants(wake);
                let builder = builder.largest_node(false).note_reservations(true);
                Driver::Capacity(Box::new(builder.clock(Arc::new(MonotonicClock::new())).stepped()?))
            }
        };
        let state = State {
            driver,
            mail,
            groups,
            sent_file,
            types,
            apps: HashMap::new(),
            nodes: HashMap::new(),
            outcomes: Outcomes::default(),
        };
        Ok(Bridge { state: Mutex::new(Ok(state)), longest_answer: LONGEST_ANSWER })
    }

    fn state(&self) -> MutexGuard<'_, Result<State, String>> {
        // What is there is whole: a panic is caught below.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works off a batch of commands; the answers to each, then what has happened.
    ///
    /// # Errors
    /// A sentence where the batch cannot be read: what came before that has been done. Where the core panics, or
    /// answers at more length than Java can have: then it is gone, and every later call says so.
    pub fn run(&self, batch: &[u8]) -> Result<Vec<u8>, String> {
        let mut whole = self.state();
        let state = whole.as_mut().map_err(|why| why.clone())?;
        let mut out = Writer { bytes: Vec::with_capacity(ANSWER), types: state.types.len() };
        let outcome = catch_unwind(AssertUnwindSafe(|| Batch { state, out: &mut out }.run(batch)));
        let lost = match &outcome {
            Err(panic) => Some(panicked(&**panic)),
            Ok(_) if out.bytes.len() > self.longest_answer => Some(format!(
                "an answer of {} bytes: no buffer holds more than {}",
                out.bytes.len(),
                self.longest_answer
            )),
            Ok(_) => None,
        };
        if let Some(why) = lost {
            let left = std::mem::replace(
                &mut *whole,
                Err(format!("{why}; the scheduler is gone: restart the ResourceManager")),
            );
            // What a panic has left may panic once more.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(left)));
            return Err(why);
        }
        match outcome {
            Ok(Err(Malformed)) => Err("the jar and the native library are of different versions".to_owned()),
            Ok(Ok(())) | Err(_) => Ok(out.bytes),
        }
    }

    /// The names of the resource types, in the order of their amounts, one in a line.
    ///
    /// # Errors
    /// Why the scheduler is gone.
    pub fn types(&self) -> Result<String, String> {
        self.state().as_ref().map(|state| state.types.join("\n")).map_err(Clone::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenweave::Resource;

    fn start(kind: Kind) -> Bridge {
        let mut out = Writer::default();
        out.count(0);
        match kind {
            Kind::Fair => out.flag(false),
            Kind::Capacity => {
                let queues = [("queues", "a"), ("a.capacity", "100"), ("a.maximum-am-resource-percent", "1")];
                out.length(queues.len());
                for (name, value) in queues {
                    out.text(&format!("yarn.scheduler.capacity.root.{name}"));
                    out.text(value);
                }
            }
        }
        Bridge::start(kind, &out.bytes).unwrap()
    }

    fn batch(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut out = Writer { types: 2, ..Writer::default() };
        write(&mut out);
        out.bytes
    }

    /// A node, an application accepted before with an unmanaged AM, an ask of two, two heartbeats, in one batch.
    fn work(out: &mut Writer) {
        out.byte(1);
        out.text("n1");
        out.count(8041);
        out.text("/r1");
        out.resource(&Resource::new(8192, 8));
        out.byte(6);
        out.count(7);
        out.text("ann");
        out.flag(true);
        out.maybe_text(Some("root.a"));
        (0..3).for_each(|_| out.flag(false));
        out.byte(8);
        out.count(7);
        out.length(1);
        out.int(1);
        out.long(0);
        out.text("*");
        out.resource(&Resource::new(1024, 1));
        out.count(2);
        out.flag(true);
        (0..2).for_each(|_| out.length(0));
        out.byte(12);
        for _ in 0..2 {
            out.byte(4);
            out.count(0);
            out.flag(true);
            (0..2).for_each(|_| out.length(0));
        }
    }

    #[test]
    fn a_batch_is_worked_off_with_either_scheduler() {
        for kind in [Kind::Fair, Kind::Capacity] {
            let bridge = start(kind);
            assert_eq!(bridge.types().unwrap(), "memory-mb\nvcores");
            let answer = bridge.run(&batch(work)).unwrap();
            let mut read = Reader::new(&answer);
            assert_eq!((read.flag(), read.count()), (Ok(true), Ok(0)), "the node's number");
            assert_eq!((read.flag(), read.text()), (Ok(true), Ok("root.a")));
            assert_eq!(read.flag(), Ok(true));
            read.resource().unwrap();
            assert_eq!(read.list(Reader::container), Ok(Vec::new()), "nothing is preempted");
            assert_eq!([read.flag(), read.flag(), read.flag()], [Ok(true); 3]);
            assert_eq!(read.count(), Ok(2), "granted");
            for number in [1, 2] {
                assert_eq!(read.count(), Ok(7), "whose");
                assert_eq!(read.container().unwrap().number(), number);
                assert_eq!((read.count(), read.int(), read.long()), (Ok(0), Ok(1), Ok(0)));
                assert_eq!(read.resource(), Ok(Resource::new(1024, 1)));
            }
            assert_eq!(read.count(), Ok(0), "reserved");
            assert_eq!(read.count(), Ok(0), "preempted");
            assert!(read.is_at_end());
        }
    }

    /// What does not fit is reserved, and told of with its number; when it is no longer asked for that is told too.
    #[test]
    fn reservations_are_told_when_they_come_and_when_they_go() {
        let bridge = start(Kind::Fair);
        bridge.run(&batch(work)).unwrap();
        let ask_and_offer = |count: u32| {
            let answer = bridge.run(&batch(|out| {
                out.byte(8);
                out.count(7);
                out.length(1);
                out.int(2);
                out.long(5);
                out.text("*");
                out.resource(&Resource::new(8192, 1));
                out.count(count);
                out.flag(true);
                (0..2).for_each(|_| out.length(0));
                out.byte(12);
                out.byte(4);
                out.count(0);
                out.flag(true);
                (0..2).for_each(|_| out.length(0));
            }));
            let answer = answer.unwrap();
            let mut read = Reader::new(&answer);
            assert_eq!(read.flag(), Ok(true));
            read.resource().unwrap();
            assert_eq!(read.count(), Ok(0), "nothing is preempted");
            assert_eq!([read.flag(), read.flag()], [Ok(true); 2]);
            assert_eq!(read.count(), Ok(0), "nothing is granted");
            let news = read
                .list(|read| {
                    let node = read.count()?;
                    Ok((
                        node,
                        read.maybe(|read| {
                            Ok((read.count()?, read.count()?, read.int()?, read.long()?, read.resource()?))
                        })?,
                    ))
                })
                .unwrap();
            assert_eq!((read.count(), read.is_at_end()), (Ok(0), true));
            news
        };
        assert_eq!(ask_and_offer(1), [(0, Some((7, 3, 2, 5, Resource::new(8192, 1))))]);
        assert_eq!(ask_and_offer(1), [], "it stands");
        assert_eq!(ask_and_offer(0), [(0, None)]);
    }

    #[test]
    fn a_refusal_stands_where_the_answer_would_and_the_batch_goes_on() {
        let bridge = start(Kind::Fair);
        let answer = bridge.run(&batch(|out| {
            out.byte(10);
            out.count(9);
            work(out);
        }));
        let answer = answer.unwrap();
        let mut read = Reader::new(&answer);
        assert_eq!((read.flag(), read.text()), (Ok(false), Ok("no-such-app")));
        assert!(read.text().unwrap().contains('9'));
        assert_eq!((read.flag(), read.count()), (Ok(true), Ok(0)));
    }

    /// What runs already and cannot be is refused, with either scheduler; what can be is taken over.
    #[test]
    fn what_cannot_run_is_not_taken_over() {
        for kind in [Kind::Fair, Kind::Capacity] {
            let bridge = start(kind);
            bridge.run(&batch(work)).unwrap();
            let recover = |number: u32, size: Resource| {
                let answer = bridge.run(&batch(|out| {
                    out.byte(23);
                    [7, 0, 1, number].iter().for_each(|number| out.count(*number));
                    out.int(1);
                    out.long(0);
                    out.resource(&size);
                    out.flag(false);
                    out.count(0);
                }));
                let answer = answer.unwrap();
                let mut read = Reader::new(&answer);
                if read.flag() == Ok(true) {
                    Ok(read.container().unwrap().number())
                } else {
                    Err(read.text().unwrap().to_owned())
                }
            };
            for end in [i64::MAX, i64::MIN, -1, (1 << 60) + 1] {
                for size in [Resource::new(end, 1), Resource::new(1, end)] {
                    assert_eq!(recover(8, size), Err("invalid-resource".to_owned()), "{kind:?}: {size}");
                }
            }
            let half = Resource::new(1 << 59, 1);
            assert_eq!(recover(8, half), Ok(8));
            assert_eq!(recover(9, half), Err("invalid-resource".to_owned()), "with the node's own it is too much");
        }
    }

    /// A command that panics, for tests alone.
    const PANICS: u8 = 255;

    #[test]
    fn after_a_panic_the_scheduler_is_gone() {
        for kind in [Kind::Fair, Kind::Capacity] {
            let bridge = start(kind);
            bridge.run(&batch(work)).unwrap();
            let why = bridge.run(&[PANICS]).unwrap_err();
            assert_eq!(why, "the scheduler core panicked: on purpose");
            for later in [bridge.run(&batch(work)).map(drop), bridge.run(&[]).map(drop), bridge.types().map(drop)] {
                let said = later.unwrap_err();
                assert!(said.starts_with(&why) && said.ends_with("restart the ResourceManager"), "{said}");
            }
        }
    }

    /// What it has done is unknown to Java then.
    #[test]
    fn after_an_answer_that_no_buffer_holds_the_scheduler_is_gone() {
        let length = start(Kind::Fair).run(&batch(work)).unwrap().len();
        for (longest, is_held) in [(length, true), (length - 1, false)] {
            let bridge = Bridge { longest_answer: longest, ..start(Kind::Fair) };
            assert_eq!(bridge.run(&batch(work)).is_ok(), is_held);
            assert_eq!(bridge.run(&[]).is_ok(), is_held);
        }
    }

    #[test]
    fn what_is_no_batch_is_refused() {
        let bridge = start(Kind::Fair);
        for wrong in [&[99_u8][..], &[1, 200], &[4, 0, 0]] {
            assert!(bridge.run(wrong).is_err(), "{wrong:?}");
        }
        assert!(matches!(Bridge::start(Kind::Fair, &[1]), Err(StartError::Malformed)));
    }
}
