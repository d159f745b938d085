//! Cases of Apache Hadoop 3.4.2's own CapacityScheduler tests, with the figures that they assert, as tests of our own.
//!
//! A test is named after the behaviour. The last line of its comment names the cases of Hadoop that it stands for, as
//! `Class.testName`; a case may be named by several tests when each shows a part of it. All of them drive the public
//! `CapacityStepped`.
//!
//! Settings unless a test says otherwise: the default calculator, containers from 1024 MB and 1 vcore to 16384 MB and
//! 32 vcores, one container a heartbeat, and room for every AM.
//!
//! # Counting
//! `cases.txt` has the cases. The module `coverage` reads the comments of these sources: every test names at least one
//! case, every name stands in the list, and together they are at least as many as it says. To see how many, and which
//! are missing: `cargo test -p evenweave --test hadoop_capacity coverage -- --nocapture`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod am_limits;
mod capacities;
mod cluster;
mod coverage;
mod headroom;
mod intra_queue;
mod life_cycle;
mod locality;
mod made_queues;
mod mapping;
mod ordering;
mod parallel;
mod parents;
mod preempted_trees;
mod preemption;
mod refusals;
mod reservations;
mod scheduling;
mod several_at_once;
mod user_limits;
