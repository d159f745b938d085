//! Groups of which two users' answers go wrong; all others' are those of the command line.

use std::sync::{Arc, Condvar, Mutex};

use crate::api::Groups;

/// Who is asked for them panics.
pub(super) const FAILS: &str = "soak-fails";
/// They are not answered before [`Unreliable::let_go`].
pub(super) const HANGS: &str = "soak-hangs";

/// See the module's text.
#[derive(Debug)]
pub(super) struct Unreliable {
    others: Option<Arc<dyn Groups>>,
    /// Answers that may go.
    go: Mutex<u32>,
    goes: Condvar,
}

impl Unreliable {
    pub(super) fn new(others: Option<Arc<dyn Groups>>) -> Unreliable {
        Unreliable { others, go: Mutex::new(0), goes: Condvar::new() }
    }

    /// One answer that hangs may go.
    pub(super) fn let_go(&self) {
        *self.go.lock().expect("no holder panics") += 1;
        self.goes.notify_one();
    }
}

impl Groups for Unreliable {
    fn of(&self, user: &str) -> Vec<String> {
        match user {
            FAILS => panic!("an injected panic of the groups"),
            HANGS => {
                let go = self.go.lock().expect("no holder panics");
                *self.goes.wait_while(go, |go| *go == 0).expect("no holder panics") -= 1;
                Vec::new()
            }
            _ => self.others.as_ref().map(|others| others.of(user)).unwrap_or_default(),
        }
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        match (&self.others, user) {
            (_, FAILS | HANGS) => None,
            (None, _) => Some(Vec::new()),
            (Some(others), _) => others.at_hand(user),
        }
    }
}
