//! Reading what may hang: a file on a mount whose server is gone keeps its reader for ever.
//!
//! So it is read on a thread of its own, and whoever asked waits for a while. A thread that hangs cannot be ended; it
//! goes when the mount is back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long a file is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// So many threads may hang; then nothing more is read.
const MOST: usize = 4;

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    time: Duration,
    under_way: Arc<AtomicUsize>,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience::of(PATIENCE)
    }
}

/// Counts a thread as long as it reads, whatever ends it.
struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        // ORDERING: Relaxed, here and below. The number carries no data; each change is one step of it.
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Patience {
    pub(crate) fn of(time: Duration) -> Patience {
        Patience { time, under_way: Arc::default() }
    }

    /// Reads `what`, which may hang.
    ///
    /// # Errors
    /// A sentence, where it does not come in time.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        what: &str,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let before = self.under_way.fetch_add(1, Ordering::Relaxed);
        let under_way = UnderWay(self.under_way.clone());
        if before >= MOST {
            return Err(format!(
                "{what} is not read: {before} earlier reads of files have not come back; a disk or a mount hangs"
            ));
        }
        let (done, outcome) = channel();
        let thread = std::thread::Builder::new().name("reads a file".to_owned()).spawn(move || {
            let read = read();
            drop(under_way);
            // Nobody waits for it any more.
            let _ = done.send(read);
        });
        thread.map_err(|error| format!("{what} is not read: no thread can be had: {error}"))?;
        outcome.recv_timeout(self.time).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                let seconds = self.time.as_secs_f64();
                format!(
                    "{what} has not been read within {seconds} s: its disk or mount may hang; look at it, and try again"
                )
            }
            RecvTimeoutError::Disconnected => format!("{what}: reading it has panicked, which is a bug"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::{Cluster, ResourceManager};
    use crate::scheduler::{Basics, CapacitySteps, NotRefreshed, QueuesSource, QueuesText, Steps};
    use evenweave::{CapacityConfiguration, CapacityScheduler, FairScheduler, Settings};
    use evenweave_testkit::until;
    use std::sync::Mutex;

    #[test]
    fn what_hangs_is_left_behind_and_counted() {
        let patience = Patience::of(Duration::from_millis(1));
        let (release, hangs) = channel::<()>();
        let hangs = Arc::new(Mutex::new(hangs));
        for _ in 0..MOST {
            let hangs = hangs.clone();
            let outcome = patience.read("the file", move || drop(hangs.lock().map(|hangs| hangs.recv())));
            assert!(outcome.unwrap_err().contains("the file has not been read within 0.001 s"));
        }
        let refused = patience.read("the file", || ()).unwrap_err();
        assert!(refused.contains("4 earlier reads"), "{refused}");
        drop(release);
        let patient = Patience { time: Duration::from_secs(600), ..patience };
        // They go one after the other.
        while patient.read("the file", || ()).is_err() {
            std::thread::yield_now();
        }
        assert_eq!(patient.read("the file", || 7), Ok(7));
        let panics = patient.read("the file", || {
            if patient_panics() {
                panic!("on purpose")
            }
        });
        assert!(panics.unwrap_err().contains("panicked"));
    }

    fn patient_panics() -> bool {
        true
    }

    #[test]
    fn a_file_of_queues_that_hangs_is_in_the_way_of_no_later_refresh() {
        let settings = Settings::from_properties([]).unwrap();
        let basics = Basics::of_fair(&settings);
        let stepped = FairScheduler::builder().settings(settings).stepped().unwrap();
        let (release, hangs) = channel::<()>();
        let (hangs, times) = (Mutex::new(hangs), Arc::new(AtomicUsize::new(0)));
        let begun = times.clone();
        let source: QueuesSource = Arc::new(move || {
            // The first time only, and until this test ends.
            if begun.fetch_add(1, Ordering::Relaxed) == 0 {
                let _ = hangs.lock().unwrap().recv();
            }
            Ok(QueuesText { name: "q.xml".to_owned(), text: "<allocations><queue name='a'/></allocations>".to_owned() })
        });
        let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(Steps::new(stepped, basics)));
        let manager = manager.with_queues(source).with_patience(Duration::from_millis(1));
        let Err(NotRefreshed::Unreadable(why)) = manager.refresh_queues() else { panic!("it hangs") };
        assert!(why.contains("the file of queues has not been read within 0.001 s"), "{why}");
        // A thread may begin later than it is waited for, and then the next one would be the first.
        until("the file is read", || times.load(Ordering::Relaxed) == 1);
        let manager = manager.with_patience(Duration::from_secs(600));
        assert_eq!(manager.refresh_queues(), Ok(Vec::new()));
        assert!(manager.scheduler().has_queue("root.a"));
        drop(release);
    }

    #[test]
    fn a_file_of_mapping_rules_is_waited_for_as_any_other() {
        let queues = [("yarn.scheduler.capacity.root.queues", "a"), ("yarn.scheduler.capacity.root.a.capacity", "100")];
        let rules = ("yarn.scheduler.capacity.mapping-rule-json-file", "rules.json");
        let text: String = queues
            .into_iter()
            .chain([rules])
            .map(|(name, value)| format!("<property><name>{name}</name><value>{value}</value></property>"))
            .collect();
        let file = QueuesText { name: "q.xml".to_owned(), text: format!("<configuration>{text}</configuration>") };
        let configuration = CapacityConfiguration::from_properties([], queues).unwrap();
        let basics = Basics::of_capacity(configuration.file().settings());
        let stepped = CapacityScheduler::builder(configuration).stepped().unwrap();
        let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(CapacitySteps::new(stepped, basics)));
        let manager = manager.with_patience(Duration::from_millis(1));
        let (release, hangs) = channel::<()>();
        let hangs = Arc::new(Mutex::new(hangs));
        for _ in 0..MOST {
            let hangs = hangs.clone();
            let outcome = manager.patience().read("a file", move || drop(hangs.lock().map(|hangs| hangs.recv())));
            assert!(outcome.is_err());
        }
        let Err(NotRefreshed::Unreadable(why)) = manager.refresh_with(&file) else { panic!("too many hang") };
        assert!(why.contains("rules.json is not read: 4 earlier reads"), "{why}");
        drop(release);
        let taken = manager.with_patience(Duration::from_secs(600)).refresh_with(&file);
        assert!(taken.is_ok(), "{taken:?}");
    }
}
