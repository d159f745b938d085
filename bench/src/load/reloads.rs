//! Reloads during a load: the allocation file and a variant of it in turn, as an administrator would who cannot decide.
//!
//! A thread of its own reads the text anew each time, as the scheduler's watcher does, and waits until it has taken
//! effect. The variant has other weights, a maximum for every third leaf queue, and one queue more; the run ends under
//! the file itself.

use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use evenweave_tools::clock::now_ns;
use hdrhistogram::Histogram;

use crate::api::{AllocationFile, FairScheduler, Missing, Refused, ResourceTypes, parse_resource};
use crate::latency::{histogram, record};
use evenweave::refused::Configuration;

/// The queue that the variant alone has.
const GUEST: &str = "root.evenweave-guest";

/// What came of the reloads of one run.
#[derive(Clone, Debug)]
pub(crate) struct Reloads {
    /// From the text to the parsed file, ns.
    pub(crate) read: Histogram<u64>,
    /// From the parsed file to its publication, ns.
    pub(crate) take: Histogram<u64>,
}

/// The thread that reloads.
#[derive(Debug)]
pub(crate) struct Reloader {
    stop: Sender<()>,
    thread: JoinHandle<Result<Reloads, String>>,
}

/// The same queues with other weights and maxima, and one more.
fn vary(file: &mut AllocationFile, types: &ResourceTypes) {
    let some = parse_resource("60.0%", types, Missing::Max).expect("a percentage");
    for (index, leaf) in file.leaves.iter().enumerate() {
        let queue = file.queues.entry(leaf.clone()).or_default();
        queue.weight = Some(queue.weight.unwrap_or(1.0) * [1.0, 2.0, 0.5][index % 3]);
        if index.is_multiple_of(3) {
            queue.max = Some(some);
        }
    }
    file.leaves.insert(GUEST.to_owned());
    file.queues.entry(GUEST.to_owned()).or_default();
}

impl Reloader {
    /// Starts to reload `text` and its variant in turn, so far apart.
    pub(crate) fn start(
        scheduler: FairScheduler,
        text: String,
        name: String,
        types: ResourceTypes,
        every: Duration,
    ) -> Reloader {
        let (stop, stopped) = bounded::<()>(0);
        let thread = std::thread::spawn(move || {
            let mut done = Reloads { read: histogram(), take: histogram() };
            let mut reload = |variant: bool| -> Result<(), String> {
                let begun = now_ns();
                let parsed = AllocationFile::parse(&text, &name, &types, &[]).map_err(|error| error.to_string())?;
                let mut file = parsed.file;
                let read = now_ns();
                if variant {
                    vary(&mut file, &types);
                }
                let given = now_ns();
                match scheduler.reload(file) {
                    // In force as well: a queue that root's policy does not allow, say.
                    Ok(()) | Err(Refused::Configuration(Configuration::BrokeOff { .. })) => {}
                    Err(refused) => return Err(format!("reload: {refused}")),
                }
                record(&mut done.read, read - begun);
                record(&mut done.take, now_ns() - given);
                Ok(())
            };
            let mut variant = false;
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                variant = !variant;
                reload(variant)?;
            }
            if variant {
                reload(false)?;
            }
            Ok(done)
        });
        Reloader { stop, thread }
    }

    /// Ends under the file itself.
    ///
    /// # Errors
    /// What the scheduler had against a reload.
    pub(crate) fn stop(self) -> Result<Reloads, String> {
        drop(self.stop);
        self.thread.join().unwrap_or_else(|_| Err("the reloading thread panicked".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reloads_alternate_and_end_with_the_file() {
        let text = "<allocations><queue name='a'><weight>3</weight></queue><queue name='b'/></allocations>".to_owned();
        let scheduler = FairScheduler::builder().start().unwrap();
        let weight = |name: &str| {
            let queue = scheduler.queues().unwrap_or_default().into_iter().find(|queue| queue.name == name)?;
            Some((queue.weight, queue.dynamic))
        };
        let reloader = Reloader::start(
            scheduler.clone(),
            text,
            "test".to_owned(),
            ResourceTypes::standard(),
            Duration::from_millis(1),
        );
        while weight(GUEST).is_none() {
            std::thread::yield_now();
        }
        let done = reloader.stop().unwrap();
        assert!(done.take.len() >= 2 && done.take.len() == done.read.len() && done.take.len().is_multiple_of(2));
        assert_eq!(weight("root.a"), Some((3.0, false)));
        assert_eq!(weight("root.b"), Some((1.0, false)));
        assert!(weight(GUEST).is_none_or(|(_, dynamic)| dynamic), "it has left the file");
    }

    #[test]
    fn a_file_that_is_refused_is_told_of() {
        let scheduler = FairScheduler::builder().start().unwrap();
        let reloader = Reloader::start(
            scheduler,
            "<x/>".to_owned(),
            "test".to_owned(),
            ResourceTypes::standard(),
            Duration::from_millis(1),
        );
        while !reloader.thread.is_finished() {
            std::thread::yield_now();
        }
        assert!(reloader.stop().unwrap_err().starts_with("test:1:"));
    }
}
