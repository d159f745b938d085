//! What the batches of one scheduler work on. The bridge owns it, behind its lock.

use crate::driver::Driver;
use crate::groups::SentGroups;
use crate::sent_file::SentFile;
use evenweave::{Allocation, AppHandle, Container, ContainerId, NodeHandle};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Applications that have something in their mailbox, in the order in which it came.
pub(crate) type Mail = Arc<Mutex<Vec<u32>>>;

/// What a batch works on.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) driver: Driver,
    pub(crate) mail: Mail,
    pub(crate) groups: Arc<SentGroups>,
    /// The allocation file, where Java reads it.
    pub(crate) sent_file: Option<SentFile>,
    pub(crate) apps: HashMap<u32, AppHandle>,
    pub(crate) nodes: HashMap<u32, NodeHandle>,
    pub(crate) outcomes: Outcomes,
    /// The names of the resource types, in the order of their amounts.
    pub(crate) types: Vec<String>,
}

/// What has happened while a batch was worked off, and has not been written yet.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) granted: Vec<(u32, Container)>,
    /// The one end that the core decides: all others are asked for by Java.
    pub(crate) preempted: Vec<ContainerId>,
    /// What AMs are to be told of preemption, and are told once: it came with a look into a mailbox that was no AM's
    /// call.
    pub(crate) to_tell: HashMap<u32, Vec<ContainerId>>,
    /// Memory for a look into the mailboxes.
    pub(crate) scratch: (Vec<u32>, Allocation),
}
