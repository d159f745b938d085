//! What a ResourceManager answers over HTTP, over a scheduler of evenweave.
//!
//! ```text
//! HTTP ──> router ──> rest ──> manager ──> scheduler   (views, as of now)
//!                      │          └──────> records     (names, times, what has ended)
//!                      └──> value ──> JSON or XML
//! ```
//! `rest` has no HTTP in it and `router` nothing else. Nothing here is on the way of a heartbeat: views come from
//! snapshot and ledger, and the lock of the records is one that no worker takes.
//!
//! `recording` plays what a real ResourceManager has answered, through the router.

mod access;

mod activities;

mod administration;

mod responses;

mod grant_rate;

pub mod controls;

pub mod events;

mod excluded_hosts;

mod guard;

mod invalid;

mod java;

mod latency;

mod live;

mod logging;

mod manager;

mod metering;

mod outgoing;

mod pages;

mod path;

mod probes;

mod read_timeout;

mod readiness;

pub mod recording;

pub mod records;

mod rest;

mod router;

pub mod scheduler;

mod serving;

mod time;

mod answer_slots;

mod value;

pub use access::{Access, Authenticator, Denied, Tokens, TrustedHeader};
pub use latency::Latencies;
pub use logging::{LogFormat, Logging};
pub use manager::{Cluster, Killed, ResourceManager};
pub use readiness::Readiness;
pub use router::router;
pub use serving::{Door, Limits, Tls, serve, site};
