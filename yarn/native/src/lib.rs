//! The native half of `EvenweaveFairScheduler` and `EvenweaveCapacityScheduler`, the classes for
//! `yarn.resourcemanager.scheduler.class`.
//!
//! # Where it stands
//! Java keeps what is the ResourceManager's: state machines of containers, tokens, metrics. The core decides. Between
//! them go batches of commands and answers in direct buffers, with numbers as ids: `wire` says how, `commands` what.
//! `boundary` is all that Java calls.
//!
//! # Threads
//! A scheduler without threads of its own ([`evenweave::Stepped`]) behind a lock, so each batch is worked off when the
//! call returns. What time makes due Java's threads ask for.

mod answers;
mod boundary;
mod bridge;
mod capacity_queue;
mod commands;
mod driver;
mod groups;
mod queues;
mod sent_file;
mod state;
mod wire;

pub use bridge::{Bridge, Kind, StartError};
