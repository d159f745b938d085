//! Who is run: the programs, and the schedulers that this one is compared with.

/// Whose program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    Evenweave,
    Hadoop,
    Yunikorn,
}

impl Program {
    pub(super) fn name(self) -> &'static str {
        match self {
            Program::Evenweave => "evenweave",
            Program::Hadoop => "the program for Hadoop",
            Program::Yunikorn => "the program for YuniKorn",
        }
    }
}

/// Who is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    /// Hadoop's FairScheduler.
    Fair,
    /// Hadoop's CapacityScheduler.
    Capacity,
    /// The core of Apache YuniKorn.
    Yunikorn,
}

impl Peer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Peer::Fair => "fair",
            Peer::Capacity => "capacity",
            Peer::Yunikorn => "yunikorn",
        }
    }

    pub(super) fn program(self) -> Program {
        match self {
            Peer::Fair | Peer::Capacity => Program::Hadoop,
            Peer::Yunikorn => Program::Yunikorn,
        }
    }
}
