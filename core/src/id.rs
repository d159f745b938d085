//! Identifiers. An old id never names a newer object. How depends on the kind: an application has a slot with a
//! generation ([`Slot`]), the number of a node is not used again, and a container's id has its application and number
//! beside the place of its record.

mod locality;
mod yarn;

pub use locality::Locality;
pub use yarn::{ApplicationId, AttemptId, ContainerName, IdError};

use std::fmt;

/// Stands for "no index".
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
    /// The index as a `usize`.
    #[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
    #[inline]
    #[must_use]
    pub fn ix(self) -> usize {
        self.index as usize
    }
}

/// Hands out slots and gets them back. Each owner of a slot has another generation, so an id of an earlier owner does
/// not match.
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[derive(Debug, Default)]
pub struct Slots {
    /// The generation that the first owner of each slot gets.
    first: u32,
    /// By slot: the generation of its owner, or, where it is free, of the next one.
    generations: Vec<u32>,
    /// Slots that are free. The last one given back is at the end.
    free: Vec<u32>,
}

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
impl Slots {
    /// Slots for the scheduler with this number in the process. Each scheduler starts at another generation, far from
    /// the others'. So a handle of one scheduler does not, in practice, match a slot of another.
    #[cfg(not(loom))]
    pub(crate) fn of_scheduler(scheduler: u64) -> Slots {
        // Multiples of the golden ratio, modulo 2^64, are spread evenly: each is far from those before.
        let spread = scheduler.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        Slots { first: u32::try_from(spread).expect("half a word"), ..Slots::default() }
    }

    /// Hands out the slot that came back last, or else a new one.
    #[must_use]
    pub fn take(&mut self) -> Slot {
        let index = self.free.pop().unwrap_or_else(|| {
            self.generations.push(self.first);
            u32::try_from(self.generations.len() - 1).expect("slots are u32")
        });
        Slot { index, generation: self.generations[index as usize] }
    }

    /// How many slots have an owner.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn taken(&self) -> usize {
        self.generations.len() - self.free.len()
    }

    /// The owner gives the slot back.
    pub fn give_back(&mut self, slot: Slot) {
        // It wraps after 2^32 owners of one slot. Then nobody has an id of the first one.
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
    /// The slot of the attempt that it was granted to. A later attempt may have taken the container over.
    pub(crate) app: Slot,
    pub(crate) number: u32,
    pub(crate) worker: u16,
    pub(crate) record: u32,
}

/// A container's or reservation's place among those of its application, in the order of Hadoop's ids: attempt by
/// attempt, epoch by epoch, by number. Containers of before a restart come before those that this scheduler grants,
/// whatever their epochs.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContainerNumber {
    pub(crate) attempt: u32,
    pub(crate) granted_here: bool,
    pub(crate) epoch: u32,
    pub(crate) number: u32,
    /// Its number among the containers of before a restart, so that no two have the same place. 0: it was granted here.
    pub(crate) taken_over: u32,
}

#[cfg(not(loom))]
impl ContainerNumber {
    /// The place of a container that this scheduler has granted itself, in its present epoch.
    pub(crate) fn granted(attempt: u32, epoch: u32, number: u32) -> ContainerNumber {
        ContainerNumber { attempt, granted_here: true, epoch, number, taken_over: 0 }
    }
}

/// A container's name within the worker that granted it. Records are used again; number and slot tell the containers of
/// one record apart.
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
    /// The name within the given worker, if that worker granted the container.
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

    /// An id from its [words](ContainerId::to_words). Any words are accepted: a call ignores or refuses an id that
    /// names no container.
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
