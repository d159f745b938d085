//! Groups of users, as Hadoop's mapping in the ResourceManager has them: Java sends them before it asks about a user.

use evenweave::groups::Groups;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct SentGroups(Mutex<HashMap<String, Vec<String>>>);

impl SentGroups {
    pub(crate) fn set(&self, user: &str, groups: Vec<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(user.to_owned(), groups);
    }
}

impl Groups for SentGroups {
    fn of(&self, user: &str) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(user).cloned().unwrap_or_default()
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        Some(self.of(user))
    }
}
