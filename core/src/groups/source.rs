//! What is asked for groups.

use crate::sync::Arc;
use std::collections::HashMap;
use std::fmt::Debug;

/// The source of users' groups, the primary group first.
///
/// ```
/// use evenweave::FairScheduler;
/// use evenweave::groups::Groups;
/// use std::{collections::HashMap, sync::Arc};
/// let groups = HashMap::from([("ann".to_owned(), vec!["staff".to_owned(), "dev".to_owned()])]);
/// assert_eq!(groups.of("ann"), ["staff", "dev"]);
/// assert!(groups.of("bob").is_empty());
/// let builder = FairScheduler::builder().groups(Arc::new(groups));
/// ```
pub trait Groups: Send + Sync + Debug {
    /// Returns the groups of `user`; empty if there are none or they cannot be found. The control waits for the answer,
    /// up to [`groups_timeout`](crate::FairSchedulerBuilder::groups_timeout). Put an implementation that asks a
    /// directory service into a [`CachedGroups`](super::CachedGroups).
    fn of(&self, user: &str) -> Vec<String>;

    /// Returns the groups of `user` if they are known without waiting, otherwise `None`.
    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        let _ = user;
        None
    }
}

/// Groups from a map.
impl Groups for HashMap<String, Vec<String>> {
    fn of(&self, user: &str) -> Vec<String> {
        self.get(user).cloned().unwrap_or_default()
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        Some(self.of(user))
    }
}

impl<G: Groups + ?Sized> Groups for Arc<G> {
    fn of(&self, user: &str) -> Vec<String> {
        (**self).of(user)
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        (**self).at_hand(user)
    }
}
