//! Answers remembered for a while.
//!
//! # Where it stands
//! Between the control thread, which asks, and a [`Groups`] that may take long. Any thread may ask.
//! # Protocol
//! A lock around two maps, held for one look-up and never while the groups are asked for: two threads that miss the
//! same user both ask. Answers go into the young map; when that has half the capacity it becomes the old one, and what
//! was old goes. An old answer that is used becomes young.

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
    others: G,
    clock: Arc<dyn Clock>,
    keep_ms: u64,
    keep_empty_ms: u64,
    /// Of each of the two maps.
    capacity: usize,
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    young: HashMap<String, Answer>,
    old: HashMap<String, Answer>,
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
    /// Remembers the answers of `others` for 300 s, that a user has no groups for 30 s, 10,000 users at most.
    #[must_use]
    pub fn new(others: G, clock: Arc<dyn Clock>) -> CachedGroups<G> {
        let answers = Mutex::new(Answers::default());
        CachedGroups { others, clock, keep_ms: 300_000, keep_empty_ms: 30_000, capacity: 5000, answers }
    }

    /// How long an answer counts: `hadoop.security.groups.cache.secs`, in milliseconds; 0 remembers none.
    #[must_use]
    pub fn keep_ms(mut self, ms: u64) -> Self {
        self.keep_ms = ms;
        self
    }

    /// How long it counts that a user has no groups: `hadoop.security.groups.negative-cache.secs`, in milliseconds; 0
    /// asks each time.
    #[must_use]
    pub fn keep_empty_ms(mut self, ms: u64) -> Self {
        self.keep_empty_ms = ms;
        self
    }

    /// How many users are remembered at most, at least two; those that were not asked for lately go first.
    #[must_use]
    pub fn capacity(mut self, users: usize) -> Self {
        self.capacity = (users / 2).max(1);
        self
    }

    /// Forgets everything: the next question is asked anew. Hadoop's `rmadmin -refreshUserToGroupsMappings`.
    pub fn refresh(&self) {
        *self.answers.lock() = Answers::default();
    }
}

impl<G: Groups> Groups for CachedGroups<G> {
    fn of(&self, user: &str) -> Vec<String> {
        let now_ms = self.clock.now_ms();
        let known = self.answers.lock().get(user, now_ms, self.capacity);
        if let Some(known) = known {
            return known;
        }
        let groups = self.others.of(user);
        let keep_ms = if groups.is_empty() { self.keep_empty_ms } else { self.keep_ms };
        if keep_ms > 0 && user.len() <= MAX_NAME {
            let until = Deadline::after(self.clock.now_ms(), keep_ms);
            let answer = Answer { groups: groups.clone(), until };
            self.answers.lock().insert(user.to_owned(), answer, self.capacity);
        }
        groups
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        let now_ms = self.clock.now_ms();
        let known = self.answers.lock().get(user, now_ms, self.capacity);
        known.or_else(|| self.others.at_hand(user))
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
