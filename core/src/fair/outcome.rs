//! What an offer comes to, and why it comes to nothing.

/// What a visit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A container was made, and its node has less free by the size of the ask, unless the node's reservation was
    /// fulfilled: then by what was reserved.
    Placed,
    /// The node is reserved now.
    Reserved,
    /// Nothing, or a container of size zero.
    Declined,
}

/// Why a request key has no use for a node, whatever is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unwanted {
    NothingOutstanding,
    RackNotAsked,
    NodeNotAsked,
    LargerThanNode,
    /// Of the leaf or a queue above.
    MaxShare,
}

/// Why a node is not reserved for a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreserved {
    NotStarved,
    BelowThreshold,
    /// Room is owed to the application there.
    RoomOwed,
    OthersNode,
    /// So many are, of so many that count.
    TooManyNodes(u32, u32),
}
