//! Identifiers. Inside, everything is a dense slot with a generation; a stale identifier never names a newer object.

mod locality;
mod yarn;

pub use locality::Locality;
pub use yarn::{ApplicationId, AttemptId, ContainerName, IdError};

use std::fmt;

/// "None" where an index is kept.
#[cfg(not(loom))]
pub(crate) const NONE: u32 = u32::MAX;

/// The slot of the root queue.
#[cfg(not(loom))]
pub(crate) const ROOT: u32 = 0;

/// A slot with its generation.
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slot {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl Slot {
    /// The index, as one.
    #[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
    #[inline]
    #[must_use]
    pub fn ix(self) -> usize {
        self.index as usize
    }
}

/// Gives slots out and takes them back: each time with another generation, so that who still names what was there
/// before is not taken to mean what is there now.
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[derive(Debug, Default)]
pub struct Slots {
    /// Of each slot's first owner.
    first: u32,
    /// Of each slot's next owner.
    generations: Vec<u32>,
    free: Vec<u32>,
}

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
impl Slots {
    /// Slots of the process's scheduler of this number. Generations of two schedulers lie far apart, so that who names
    /// what is in a slot of the one names nothing of the other.
    #[cfg(not(loom))]
    pub(crate) fn of_scheduler(scheduler: u64) -> Slots {
        // The golden ratio: as far from all before as can be.
        let spread = scheduler.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        Slots { first: u32::try_from(spread).expect("half a word"), ..Slots::default() }
    }

    /// The slot that was given back last, or one more.
    #[must_use]
    pub fn take(&mut self) -> Slot {
        let index = self.free.pop().unwrap_or_else(|| {
            self.generations.push(self.first);
            u32::try_from(self.generations.len() - 1).expect("slots are u32")
        });
        Slot { index, generation: self.generations[index as usize] }
    }

    /// How many somebody is in.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn taken(&self) -> usize {
        self.generations.len() - self.free.len()
    }

    /// Nobody is in this slot any more.
    pub fn give_back(&mut self, slot: Slot) {
        // After four thousand million owners of one slot nobody names the first any more.
        let generation = &mut self.generations[slot.ix()];
        *generation = generation.wrapping_add(1);
        self.free.push(slot.index);
    }
}

/// The number of a node: from 0 on, without gaps, in the order of registration. The number of a removed node is not
/// used again while the scheduler lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The dense number, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The id of a container: its application, its attempt, its number in the attempt, and the place of its record.
///
/// Cheap to copy. Only the scheduler makes ids. It recognises the id of an ended container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContainerId {
    pub(crate) application: u32,
    /// Two bytes, so that the whole is 24: nodes report containers by the dozen.
    pub(crate) attempt: u16,
    /// Of the attempt that it was granted to; a later one may have taken it over.
    pub(crate) app: Slot,
    pub(crate) number: u32,
    pub(crate) worker: u16,
    pub(crate) record: u32,
}

/// A container's or reservation's place among those of its application, in the order of Hadoop's ids: attempt by
/// attempt, epoch by epoch, by number. What was taken over comes before what this scheduler grants, whatever epochs it
/// was told.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContainerNumber {
    pub(crate) attempt: u32,
    pub(crate) granted_here: bool,
    pub(crate) epoch: u32,
    pub(crate) number: u32,
    /// Which of those that were taken over it is, so that no two are one.
    pub(crate) taken_over: u32,
}

#[cfg(not(loom))]
impl ContainerNumber {
    /// Of what a scheduler of this epoch has granted itself.
    pub(crate) fn granted(attempt: u32, epoch: u32, number: u32) -> ContainerNumber {
        ContainerNumber { attempt, granted_here: true, epoch, number, taken_over: 0 }
    }
}

/// A container as the worker names it that granted it: what tells it from all others that have had its record.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnContainer {
    pub(crate) record: u32,
    pub(crate) number: u32,
    pub(crate) app: Slot,
}

#[cfg(not(loom))]
impl OwnContainer {
    /// No container: numbers begin at 1.
    pub(crate) const NONE: OwnContainer = OwnContainer { record: 0, number: 0, app: Slot { index: 0, generation: 0 } };
}

impl ContainerId {
    /// As the given worker names it, if that granted it.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn own_of(&self, worker: usize) -> Option<OwnContainer> {
        let ContainerId { number, record, app, .. } = *self;
        (usize::from(self.worker) == worker).then_some(OwnContainer { record, number, app })
    }

    /// The whole id as numbers, for another language. [`from_words`](ContainerId::from_words) makes the id from them
    /// again.
    #[must_use]
    pub fn to_words(self) -> [u64; 3] {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let ContainerId { application, attempt, app, number, worker, record } = self;
        let of_worker = u32::from(attempt) << 16 | u32::from(worker);
        [pair(application, number), pair(app.index, app.generation), pair(of_worker, record)]
    }

    /// An id from its [words](ContainerId::to_words). Calls recognise an id that names no container.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "halves of words, and halves of these")]
    pub fn from_words([of_app, slot, of_worker]: [u64; 3]) -> ContainerId {
        let halves = |word: u64| ((word >> 32) as u32, word as u32);
        let ((application, number), (index, generation)) = (halves(of_app), halves(slot));
        let (high, record) = halves(of_worker);
        let (attempt, worker) = ((high >> 16) as u16, high as u16);
        ContainerId { application, attempt, app: Slot { index, generation }, number, worker, record }
    }

    /// The number within the attempt, from 1. Reservations take numbers too, so there are gaps.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// The number of the attempt that it was granted to, from 1. 65,535 also stands for all later attempts.
    #[must_use]
    pub fn attempt(self) -> u32 {
        u32::from(self.attempt)
    }

    /// The number of the application, as in its [`ApplicationId`].
    #[must_use]
    pub fn application_number(self) -> u32 {
        self.application
    }

    /// The container's name outside the scheduler, in a cluster with this start time and epoch.
    #[cfg(not(loom))]
    pub(crate) fn name(self, cluster_timestamp: u64, epoch: u32) -> ContainerName {
        let application = ApplicationId { cluster_timestamp, number: self.application };
        let attempt = AttemptId { application, number: u32::from(self.attempt) };
        ContainerName { epoch, attempt, number: self.number }
    }
}

/// `container 5 of attempt 1 of application 12`: for people. What crosses a wire is a [`ContainerName`].
impl fmt::Display for ContainerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ContainerId { number, attempt, application, .. } = self;
        write!(f, "container {number} of attempt {attempt} of application {application}")
    }
}

/// `node 3`: its number.
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}
