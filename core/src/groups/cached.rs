//! Answers remembered for a while.
//!
//! # Where it stands
//! Between the control thread, which asks, and a [`Groups`] that may take long. Any thread may ask.
//! # Protocol
//! A lock protects two maps. A thread holds it for one look-up, and never while it asks the source: two threads that
//! miss the same user both ask. Answers go into the young map. When the young map has half the capacity it becomes the
//! old one, and the old one is dropped. An old answer that is used moves into the young map.
//! # What races, and why it is safe
//! A refresh against a thread that has asked the source and not inserted the answer yet. Each refresh begins a new
//! generation, under the lock. A thread notes the generation at its look-up, and inserts its answer only if no refresh
//! has come in between: so no answer of before a refresh is remembered after it.

use super::source::Groups;
use crate::clock::{Clock, Deadline};
use crate::sync::{Arc, Mutex};
use std::collections::HashMap;
use std::fmt;

/// Longer names are not remembered: whoever submits may choose them.
const MAX_NAME: usize = 1024;

/// Groups that remember the answers of others, as Hadoop's `Groups` service does: 300 s, and 30 s for a user without
/// any.
///
/// ```
/// use evenweave::clock::VirtualClock;
/// use evenweave::groups::{CachedGroups, Groups, parse_groups};
/// use std::sync::Arc;
/// let clock = Arc::new(VirtualClock::new());
/// let slow = parse_groups("ann: staff\n", "groups.txt").unwrap();
/// let groups = CachedGroups::new(slow, clock.clone()).keep_ms(60_000);
/// assert_eq!(groups.of("ann"), ["staff"]);
/// clock.advance(60_000);
/// // Asked anew.
/// assert_eq!(groups.of("ann"), ["staff"]);
/// ```
pub struct CachedGroups<G> {
    source: G,
    clock: Arc<dyn Clock>,
    keep_ms: u64,
    keep_empty_ms: u64,
    /// How many users each of the two maps holds at most.
    capacity: usize,
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    young: HashMap<String, Answer>,
    old: HashMap<String, Answer>,
    /// How many refreshes there have been.
    generation: u64,
}

#[derive(Debug)]
struct Answer {
    groups: Vec<String>,
    until: Deadline,
}

impl Answers {
    fn get(&mut self, user: &str, now_ms: u64, capacity: usize) -> Option<Vec<String>> {
        if let Some(answer) = self.young.get(user) {
            return (!answer.until.is_over(now_ms)).then(|| answer.groups.clone());
        }
        let answer = self.old.remove(user).filter(|answer| !answer.until.is_over(now_ms))?;
        let groups = answer.groups.clone();
        self.insert(user.to_owned(), answer, capacity);
        Some(groups)
    }

    fn insert(&mut self, user: String, answer: Answer, capacity: usize) {
        if self.young.len() >= capacity && !self.young.contains_key(&user) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(user, answer);
    }
}

impl<G> fmt::Debug for CachedGroups<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedGroups").field("keep_ms", &self.keep_ms).finish_non_exhaustive()
    }
}

impl<G: Groups> CachedGroups<G> {
    /// Remembers the answers of `source` for 300 s, and for 30 s that a user has no groups; of at most 10,000 users.
    #[must_use]
    pub fn new(source: G, clock: Arc<dyn Clock>) -> CachedGroups<G> {
        let answers = Mutex::new(Answers::default());
        CachedGroups { source, clock, keep_ms: 300_000, keep_empty_ms: 30_000, capacity: 5000, answers }
    }

    /// How long an answer counts: `hadoop.security.groups.cache.secs`, in milliseconds; 0 remembers none.
    #[must_use]
    pub fn keep_ms(mut self, ms: u64) -> Self {
        self.keep_ms = ms;
        self
    }

    /// How long the answer that a user has no groups counts: `hadoop.security.groups.negative-cache.secs`, in
    /// milliseconds; 0 asks each time.
    #[must_use]
    pub fn keep_empty_ms(mut self, ms: u64) -> Self {
        self.keep_empty_ms = ms;
        self
    }

    /// How many users are remembered at most, at least two. The users that were not looked up lately are forgotten
    /// first.
    #[must_use]
    pub fn capacity(mut self, users: usize) -> Self {
        self.capacity = (users / 2).max(1);
        self
    }

    /// Forgets all answers, also those that other threads are waiting for: the next look-up asks the source. Hadoop's
    /// `rmadmin -refreshUserToGroupsMappings`.
    pub fn refresh(&self) {
        let mut answers = self.answers.lock();
        *answers = Answers { generation: answers.generation + 1, ..Answers::default() };
    }
}

impl<G: Groups> Groups for CachedGroups<G> {
    fn of(&self, user: &str) -> Vec<String> {
        let now_ms = self.clock.now_ms();
        let (known, generation) = {
            let mut answers = self.answers.lock();
            (answers.get(user, now_ms, self.capacity), answers.generation)
        };
        if let Some(known) = known {
            return known;
        }
        let groups = self.source.of(user);
        let keep_ms = if groups.is_empty() { self.keep_empty_ms } else { self.keep_ms };
        if keep_ms > 0 && user.len() <= MAX_NAME {
            let until = Deadline::after(self.clock.now_ms(), keep_ms);
            let answer = Answer { groups: groups.clone(), until };
            let mut answers = self.answers.lock();
            if answers.generation == generation {
                answers.insert(user.to_owned(), answer, self.capacity);
            }
        }
        groups
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        let now_ms = self.clock.now_ms();
        let known = self.answers.lock().get(user, now_ms, self.capacity);
        known.or_else(|| self.source.at_hand(user))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::VirtualClock;

    /// Counts its questions; `none…` has no groups.
    #[derive(Debug, Default)]
    struct Counting(Mutex<Vec<String>>);

    impl Groups for Counting {
        fn of(&self, user: &str) -> Vec<String> {
            self.0.lock().push(user.to_owned());
            if user.starts_with("none") { Vec::new() } else { vec![format!("{user}-group")] }
        }
    }

    fn cached() -> (CachedGroups<Arc<Counting>>, Arc<Counting>, Arc<VirtualClock>) {
        let (counting, clock) = (Arc::new(Counting::default()), Arc::new(VirtualClock::new()));
        (CachedGroups::new(counting.clone(), clock.clone()), counting, clock)
    }

    /// Who was asked for when these were looked up.
    fn asked(groups: &dyn Groups, counting: &Counting, users: &[&str]) -> Vec<String> {
        for user in users {
            groups.of(user);
        }
        std::mem::take(&mut counting.0.lock())
    }

    #[test]
    fn an_answer_counts_300_s_and_that_there_is_none_30_s() {
        let (groups, counting, clock) = cached();
        assert_eq!((groups.of("ann"), groups.of("none")), (vec!["ann-group".to_owned()], Vec::new()));
        assert_eq!((groups.of("ann"), groups.of("none")), (vec!["ann-group".to_owned()], Vec::new()));
        assert_eq!(asked(&groups, &counting, &[]), ["ann", "none"]);
        clock.advance(29_999);
        assert_eq!(asked(&groups, &counting, &["ann", "none"]), [""; 0]);
        clock.advance(1);
        assert_eq!(asked(&groups, &counting, &["ann", "none"]), ["none"]);
        clock.advance(269_999);
        assert_eq!(asked(&groups, &counting, &["ann"]), [""; 0]);
        clock.advance(1);
        assert_eq!(asked(&groups, &counting, &["ann"]), ["ann"]);
        groups.refresh();
        assert_eq!(asked(&groups, &counting, &["ann"]), ["ann"]);
    }

    /// The source is asked, a refresh comes, and only then the source answers: the answer is not remembered.
    #[test]
    fn an_answer_of_before_a_refresh_is_not_remembered() {
        #[derive(Debug, Default)]
        struct Refreshing {
            cache: Mutex<Option<Arc<CachedGroups<Arc<Refreshing>>>>>,
            asked: Mutex<u32>,
        }
        impl Groups for Refreshing {
            fn of(&self, _user: &str) -> Vec<String> {
                *self.asked.lock() += 1;
                match self.cache.lock().take() {
                    Some(cache) => {
                        cache.refresh();
                        vec!["before".to_owned()]
                    }
                    None => vec!["after".to_owned()],
                }
            }
        }
        let source = Arc::new(Refreshing::default());
        let groups = Arc::new(CachedGroups::new(source.clone(), Arc::new(VirtualClock::new())));
        *source.cache.lock() = Some(groups.clone());
        assert_eq!([groups.of("ann"), groups.of("ann"), groups.of("ann")], [["before"], ["after"], ["after"]]);
        assert_eq!(*source.asked.lock(), 2);
    }

    #[test]
    fn times_can_be_set_and_be_nothing() {
        let (groups, counting, clock) = cached();
        let groups = groups.keep_ms(10).keep_empty_ms(0);
        assert_eq!(asked(&groups, &counting, &["ann", "none", "none"]), ["ann", "none", "none"]);
        clock.advance(10);
        assert_eq!(asked(&groups, &counting, &["ann"]), ["ann"]);
    }

    /// What is kept until after the end of time is kept for good.
    #[test]
    fn an_answer_is_kept_at_the_end_of_time() {
        let (groups, counting, clock) = cached();
        clock.advance(u64::MAX);
        assert_eq!(asked(&groups, &counting, &["ann", "ann", "ann"]), ["ann"]);
    }

    #[test]
    fn no_more_users_than_there_is_room_for() {
        let (groups, counting, _) = cached();
        let groups = groups.capacity(10);
        for i in 0..1000 {
            groups.of(&format!("u{i}"));
            groups.of("often");
            let answers = groups.answers.lock();
            assert!(answers.young.len() <= 5 && answers.old.len() <= 5);
        }
        let often = asked(&groups, &counting, &[]).iter().filter(|user| *user == "often").count();
        assert_eq!(often, 1, "what is used stays");
        let long = "x".repeat(MAX_NAME + 1);
        assert_eq!(asked(&groups, &counting, &[&long, &long]).len(), 2);
    }
}
