//! Identifiers. An old id never names a newer object. Each kind of id has its own reason: an application has a slot
//! with a generation ([`Slot`]); the number of a removed node is not used again; a container's id has its application
//! and its number beside the place of its record.

mod locality;
mod yarn;

pub use locality::Locality;
pub use yarn::{ApplicationId, AttemptId, ContainerName, IdError};

use std::fmt;

/// The index that means "none".
#[cfg(not(loom))]
pub(crate) const NONE: u32 = u32::MAX;

/// The slot of the root queue.
#[cfg(not(loom))]
pub(crate) const ROOT: u32 = 0;

/// A node label, by the number that a scheduler has given it; none has it again. 0 is the default partition, whose
/// nodes have no label.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LabelId(pub(crate) u16);

#[cfg(not(loom))]
impl LabelId {
    /// No label: the default partition.
    pub(crate) const NONE: LabelId = LabelId(0);

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self == LabelId::NONE
    }

    #[inline]
    pub(crate) fn ix(self) -> usize {
        self.0.into()
    }
}

/// A slot: an index that is used again, with a generation that tells its owners apart.
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

/// Hands out slots and takes them back. Each owner of a slot has a different generation, so the id of an earlier owner
/// does not match.
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[derive(Debug, Default)]
pub struct Slots {
    /// The generation that the first owner of each slot gets.
    first: u32,
    /// By slot: the generation of its owner; for a free slot, of its next owner.
    generations: Vec<u32>,
    /// Free slots. The slot that was given back last is at the end.
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

    /// Hands out the slot that was given back last. Without free slots, hands out a new one.
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

    /// Takes a slot back from its owner.
    pub fn give_back(&mut self, slot: Slot) {
        // Wraps after 2^32 owners of one slot. By then no id of the first owner is left.
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
    /// Two bytes, so that the whole id has 24: nodes report containers by the dozen.
    pub(crate) attempt: u16,
    /// The slot of the attempt that the container was granted to. A later attempt may have taken it over.
    pub(crate) app: Slot,
    pub(crate) number: u32,
    pub(crate) worker: u16,
    pub(crate) record: u32,
}

/// A container's or reservation's place among those of its application, in the order of Hadoop's ids: by attempt, then
/// by epoch, then by number. Within an attempt, containers from before a restart come before containers that this
/// scheduler has granted, whatever their epochs.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ContainerNumber {
    pub(crate) attempt: u32,
    pub(crate) epoch: u32,
    pub(crate) number: u32,
    /// The number among the containers from before a restart, so that no two containers have the same place. 0: this
    /// scheduler has granted the container.
    pub(crate) taken_over: u32,
}

#[cfg(not(loom))]
impl ContainerNumber {
    /// The place of a container that this scheduler has granted itself, in its present epoch.
    pub(crate) fn granted(attempt: u32, epoch: u32, number: u32) -> ContainerNumber {
        ContainerNumber { attempt, epoch, number, taken_over: 0 }
    }

    fn order(&self) -> impl Ord {
        let ContainerNumber { attempt, epoch, number, taken_over } = *self;
        (attempt, taken_over == 0, epoch, number, taken_over)
    }
}

#[cfg(not(loom))]
impl Ord for ContainerNumber {
    fn cmp(&self, other: &ContainerNumber) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

#[cfg(not(loom))]
impl PartialOrd for ContainerNumber {
    fn partial_cmp(&self, other: &ContainerNumber) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A container's name within the worker that granted it. A record is used for one container after the other; number and
/// slot tell them apart.
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
