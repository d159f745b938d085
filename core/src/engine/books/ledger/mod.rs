//! The ledger: what is true now, of queues, applications and nodes.
//!
//! # Who owns what
//! Usage is kept in cells, one a worker, padded: each worker changes only its own (a load and a store, no
//! read-modify-write), everybody may read all; the sum is the usage. Limits are kept by a
//! [`Watch`](crate::engine::lease::watch::Watch), outstanding asks by [`AskPool`](crate::engine::lease::AskPool)s. The
//! AM usage of a leaf queue changes once an application, so it is one shared word a type.
//!
//! # Reading
//! A sum is exact when nothing moves (one worker between two messages, or quiescence); otherwise each type is a value
//! that the cell had, and types of one cell may be a grant apart. A container is in its mailbox, or gone from there,
//! before its leaf's usage says so, and a lone worker tells of the root's once a heartbeat. Orders and views live with
//! that, and a move, whose check may miss what was granted an instant before; grants do not look here for limits.

mod app;

mod key;

mod queue;

mod node;

pub(crate) use app::{AppCell, AppShared, NewApp};
pub(crate) use key::{KeyCell, LocationCount};
pub(crate) use node::NodeShared;
pub(crate) use queue::{QueueCell, QueueShared};
