//! Cases of Apache Hadoop 3.4.2's own FairScheduler tests, with the numbers that they assert, as tests of our own.
//!
//! A test is named after the behaviour. The last line of its comment names the cases of Hadoop that it stands for, as
//! `Class.testName`; a case may be named by several tests when each shows a part of it. What an embedder cannot see
//! (preemption, metrics, recovery, reservation plans, threads of the ResourceManager) is left out.
//!
//! Settings unless a test says otherwise: nothing as the least container, 1024 MB and 1 vcore as the increment, 10240
//! MB and 4 vcores as the largest, one container a heartbeat; applications start one after another.
//!
//! # Counting
//! `cases.txt` has every case of Hadoop's fair side. The module `coverage` reads the comments of these sources: every
//! test names at least one case, every name stands in the list, and together they are at least 125. To see how many,
//! and which are missing: `cargo test -p evenweave --test hadoop_cases coverage -- --nocapture`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod allocation_file;
mod am_share;
mod assignment;
mod cluster;
mod comparators;
mod coverage;
mod fair_shares;
mod locality;
mod maxima;
mod moves;
mod nodes;
mod placement;
mod policies;
mod queue_tree;
mod reservations;
mod running_limits;
mod settings;
mod share_computation;
