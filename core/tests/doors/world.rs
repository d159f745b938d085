//! What the embedder brings, and how it goes wrong: a policy, a source, a clock that panic or hang when they are told
//! to.

use evenweave::clock::Clock;
use evenweave::config::AllocationSource;
use evenweave::policy::{ClusterTotal, OrderKey, Schedulable, SchedulingPolicy, ShareInput};
use evenweave::resource::{Calculator, ResourceTypes};
use evenweave::shares::Fair;
use evenweave::{AllocationFile, FairScheduler, Resource, SchedulerEvent};
use std::cmp::Ordering;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering as Memory};
use std::sync::{Arc, Mutex, mpsc};

/// Panics so many times from now on: on any thread, or on those of one name.
#[derive(Debug, Default)]
pub(crate) struct Bomb(AtomicU32, Mutex<Option<String>>);

impl Bomb {
    pub(crate) fn set(&self, times: u32) {
        self.0.store(times, Memory::Relaxed);
    }

    /// On the thread of that name alone: others ask too, at moments of their own.
    pub(crate) fn set_on(&self, thread: &str) {
        *self.1.lock().unwrap() = Some(thread.to_owned());
        self.set(1);
    }

    fn touch(&self, what: &str) {
        let is_there = |name: &String| std::thread::current().name() == Some(name);
        if !self.1.lock().unwrap().as_ref().is_none_or(is_there) {
            return;
        }
        let left = self.0.fetch_update(Memory::Relaxed, Memory::Relaxed, |left| left.checked_sub(1));
        assert!(left.is_err(), "{what} panics");
    }
}

/// `Fair` under another name, with a bomb for each question.
#[derive(Debug, Default)]
pub(crate) struct Touchy {
    pub(crate) named: Bomb,
    pub(crate) calculator: Bomb,
    pub(crate) shares: Bomb,
    pub(crate) steady: Bomb,
    pub(crate) headroom: Bomb,
    pub(crate) child: Bomb,
    /// Whether it says that its shares are stable, as those of `Fair` are.
    pub(crate) stable: AtomicBool,
    /// How often it was asked for shares that are not steady.
    pub(crate) asked: AtomicU32,
}

impl SchedulingPolicy for Touchy {
    fn name(&self) -> &str {
        self.named.touch("name");
        "touchy"
    }
    fn calculator(&self) -> Calculator {
        self.calculator.touch("calculator");
        Fair.calculator()
    }
    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        Fair.compare(cluster, a, b)
    }
    fn key(&self, cluster: &ClusterTotal, s: &Schedulable<'_>) -> Option<OrderKey> {
        Fair.key(cluster, s)
    }
    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        let bomb = if steady { &self.steady } else { &self.shares };
        self.asked.fetch_add(u32::from(!steady), Memory::Relaxed);
        // In the midst of it.
        children.iter_mut().take(1).for_each(|child| child.share = Resource::new(7, child.share.vcores()));
        bomb.touch("compute_shares");
        Fair.compute_shares(types, total, children, steady);
    }
    fn shares_are_stable(&self) -> bool {
        self.stable.load(Memory::Relaxed)
    }
    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        self.headroom.touch("headroom");
        Fair.headroom(fair_share, usage, available)
    }
    fn allows_child(&self, child: &dyn SchedulingPolicy) -> bool {
        self.child.touch("allows_child");
        Fair.allows_child(child)
    }
}

/// Two leaves; every queue has the policy.
pub(crate) fn touchy_file() -> AllocationFile {
    let policy = "<schedulingPolicy>touchy</schedulingPolicy>";
    let text = format!(
        "<allocations><queue name='root'>{policy}<queue name='a'>{policy}</queue><queue name='b'>{policy}</queue></queue>\
         <defaultQueueSchedulingPolicy>touchy</defaultQueueSchedulingPolicy></allocations>"
    );
    AllocationFile::parse(&text, "touchy", &ResourceTypes::standard(), &["touchy".to_owned()]).unwrap().file
}

/// A clock that stands still and panics when it is told to.
#[derive(Debug, Default)]
pub(crate) struct Timebomb(pub(crate) Bomb);

impl Clock for Timebomb {
    fn now_ms(&self) -> u64 {
        self.0.touch("clock");
        1000
    }
    fn wall_ms(&self) -> u64 {
        self.0.touch("clock");
        1000
    }
}

/// A clock that panics when it is read for the nth time on the thread that made it, and on that alone.
#[derive(Debug)]
pub(crate) struct Fuse {
    left: AtomicU32,
    on: std::thread::ThreadId,
}

impl Fuse {
    pub(crate) fn new(nth: u32) -> Fuse {
        Fuse { left: AtomicU32::new(nth), on: std::thread::current().id() }
    }
}

impl Clock for Fuse {
    fn now_ms(&self) -> u64 {
        if std::thread::current().id() == self.on {
            let left = self.left.fetch_update(Memory::Relaxed, Memory::Relaxed, |left| left.checked_sub(1));
            assert!(left != Ok(1), "the fuse has burnt");
        }
        1000
    }
}

/// A source that hangs, once it is told to, until it is let go; and panics when it is told to.
#[derive(Clone, Debug)]
pub(crate) struct Source(pub(crate) Arc<SourceState>);

#[derive(Debug)]
pub(crate) struct SourceState {
    pub(crate) bomb: Bomb,
    hangs: AtomicU32,
    has_hung: mpsc::Sender<()>,
    let_go: Mutex<mpsc::Receiver<()>>,
}

/// With who hears that it hangs, and who lets it go.
pub(crate) fn source() -> (Source, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let ((has_hung, hears), (lets_go, let_go)) = (mpsc::channel(), mpsc::channel());
    let state = SourceState { bomb: Bomb::default(), hangs: AtomicU32::new(0), has_hung, let_go: Mutex::new(let_go) };
    (Source(Arc::new(state)), hears, lets_go)
}

impl Source {
    pub(crate) fn hang(&self) {
        self.0.hangs.store(1, Memory::Relaxed);
    }
}

impl AllocationSource for Source {
    fn name(&self) -> String {
        "unreliable".to_owned()
    }
    fn modified_ms(&self) -> io::Result<Option<u64>> {
        Ok(Some(1))
    }
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        self.0.bomb.touch("source");
        if self.0.hangs.swap(0, Memory::Relaxed) == 1 {
            self.0.has_hung.send(()).unwrap();
            // Until it is let go, or the test has ended.
            let _ = self.0.let_go.lock().unwrap().recv();
        }
        Ok(Box::new("<allocations><queue name='a'/></allocations>".as_bytes()))
    }
}

/// The panics of tasks that were told of since.
pub(crate) fn task_panics(scheduler: &FairScheduler) -> Vec<(&'static str, String)> {
    let mut panics = Vec::new();
    while let Some(event) = scheduler.next_event() {
        if let SchedulerEvent::TaskPanicked { task, message } = event {
            panics.push((task, message));
        }
    }
    panics
}
