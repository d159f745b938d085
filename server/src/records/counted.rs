//! What queues, and users in them, have had since the start; and queues on the nodes of a label.

use std::collections::HashMap;

/// The most queues, and the most users of queues, that are counted: the first ones. The others are not counted.
const KEPT: usize = 10_000;

/// How applications that a queue had have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// That entered a queue.
    pub submitted: u64,
    /// `FINISHED`
    pub completed: u64,
    /// `FAILED`
    pub failed: u64,
    /// `KILLED`
    pub killed: u64,
}

/// Applications and containers since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) apps: Ends,
    /// Of these, applications whose ApplicationMaster runs outside.
    pub(crate) unmanaged: Ends,
    /// Containers that ApplicationMasters were given, on nodes without a label.
    pub(crate) allocated: u64,
    /// Of these, containers that have ended.
    pub(crate) released: u64,
    /// Containers that were preempted, whatever their nodes.
    pub(crate) preempted: Preempted,
}

/// The same of containers, on the nodes of a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnLabel {
    pub(crate) allocated: u64,
    pub(crate) released: u64,
}

/// Containers that were preempted, what they had, and that times the seconds for which they had lived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preempted {
    pub(crate) containers: u64,
    pub(crate) memory_mb: i64,
    pub(crate) vcores: i64,
    pub(crate) memory_mb_seconds: i64,
    pub(crate) vcore_seconds: i64,
}

impl Preempted {
    pub(super) fn add(&mut self, more: &Preempted) {
        self.containers += more.containers;
        for (sum, more) in [
            (&mut self.memory_mb, more.memory_mb),
            (&mut self.vcores, more.vcores),
            (&mut self.memory_mb_seconds, more.memory_mb_seconds),
            (&mut self.vcore_seconds, more.vcore_seconds),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

impl Ends {
    fn add(&mut self, more: &Ends) {
        self.submitted += more.submitted;
        self.completed += more.completed;
        self.failed += more.failed;
        self.killed += more.killed;
    }
}

impl Counted {
    pub(crate) fn add(&mut self, more: &Counted) {
        self.apps.add(&more.apps);
        self.unmanaged.add(&more.unmanaged);
        self.allocated += more.allocated;
        self.released += more.released;
        self.preempted.add(&more.preempted);
    }
}

/// The full names of a queue and of all above it.
pub(crate) fn upwards(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(above, _)| above))
}

/// By queue, and by queue and user, each with all below it. What a queue had stays when the queue goes.
#[derive(Debug)]
pub(crate) struct Counters {
    kept: usize,
    queues: HashMap<String, Counted>,
    users: HashMap<(String, String), Counted>,
    /// By label, then by queue.
    labels: HashMap<String, HashMap<String, OnLabel>>,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters::keeping(KEPT)
    }
}

impl Counters {
    fn keeping(kept: usize) -> Counters {
        Counters { kept, queues: HashMap::new(), users: HashMap::new(), labels: HashMap::new() }
    }

    /// Of a user's application in a queue.
    pub(super) fn add(&mut self, queue: &str, user: &str, more: &Counted) {
        for name in counted_in(queue) {
            add(&mut self.queues, self.kept, name, |of| of.add(more));
            let key = (name.to_owned(), user.to_owned());
            if self.users.len() < self.kept || self.users.contains_key(&key) {
                self.users.entry(key).or_default().add(more);
            }
        }
    }

    /// Containers of a queue's application were made or have ended on the nodes of a label.
    pub(super) fn add_on_label(&mut self, queue: &str, label: &str, more: OnLabel) {
        if !self.labels.contains_key(label) {
            self.labels.insert(label.to_owned(), HashMap::new());
        }
        let Some(queues) = self.labels.get_mut(label) else { return };
        for name in counted_in(queue) {
            add(queues, self.kept, name, |of| {
                of.allocated += more.allocated;
                of.released += more.released;
            });
        }
    }

    /// Of a queue and those below it; `None` where that is not counted.
    pub(crate) fn of_queue(&self, queue: &str) -> Option<Counted> {
        of(self.queues.get(queue), self.queues.len(), self.kept)
    }

    /// Of a user there.
    pub(crate) fn of_user(&self, queue: &str, user: &str) -> Option<Counted> {
        of(self.users.get(&(queue.to_owned(), user.to_owned())), self.users.len(), self.kept)
    }

    /// Of a queue and those below it on the nodes of a label.
    pub(crate) fn on_label(&self, queue: &str, label: &str) -> Option<OnLabel> {
        let Some(queues) = self.labels.get(label) else { return Some(OnLabel::default()) };
        of(queues.get(queue), queues.len(), self.kept)
    }

    /// Users of queues that something is counted of.
    pub(crate) fn users(&self) -> impl Iterator<Item = (&str, &str)> {
        self.users.keys().map(|(queue, user)| (queue.as_str(), user.as_str()))
    }
}

/// A queue of an application and all above it. What no queue took counts for root.
fn counted_in(queue: &str) -> impl Iterator<Item = &str> {
    upwards(if queue.starts_with("root.") { queue } else { "root" })
}

/// Makes no text where the queue is counted already.
fn add<V: Default>(counted: &mut HashMap<String, V>, kept: usize, queue: &str, add: impl FnOnce(&mut V)) {
    if let Some(of) = counted.get_mut(queue) {
        add(of);
    } else if counted.len() < kept {
        add(counted.entry(queue.to_owned()).or_default());
    }
}

fn of<V: Copy + Default>(there: Option<&V>, counted: usize, kept: usize) -> Option<V> {
    // Where there was room for it, it has had nothing yet.
    there.copied().or_else(|| (counted < kept).then(V::default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_counted_and_others_are_unknown() {
        let mut counters = Counters::keeping(3);
        let one = Counted { allocated: 1, ..Counted::default() };
        for (queue, user) in [("root.a", "ann"), ("root.b", "ann"), ("root.c", "bob"), ("default", "bob")] {
            counters.add(queue, user, &one);
        }
        let queue = |name| counters.of_queue(name).map(|of| of.allocated);
        assert_eq!([queue("root"), queue("root.a"), queue("root.b")], [Some(4), Some(1), Some(1)]);
        assert_eq!(queue("root.c"), None, "there was no room for it");
        let user = |queue, name| counters.of_user(queue, name).map(|of| of.allocated);
        assert_eq!([user("root", "ann"), user("root.b", "ann"), user("root", "bob")], [Some(2), Some(1), None]);
        assert_eq!(counters.users().count(), 3);
        assert_eq!(Counters::keeping(1).of_queue("root"), Some(Counted::default()), "nothing yet");
    }
}
