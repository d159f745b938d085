//! The load tester, the soak and the benchmarks of the scheduler core, as the program `evenweave` calls them.
//!
//! | module | what |
//! | --- | --- |
//! | `load` | the closed-loop driver |
//! | `soak` | the long run, with faults |
//! | `workload` | the standard workloads W1 to W4 |
//! | `compare` | the same workloads through other schedulers, and the figures side by side |
//! | `report` | table, JSON, HTML |
//! | `options` | what is asked of more than one of these |
//! | `engine` | the scheduler behind one trait: threaded, or the plain twin behind a mutex |
//! | `trace`, `jobs` | what the load is made from |
//! | `latency` | how long calls take |

mod api;
pub mod compare;
mod engine;
mod jobs;
mod latency;
pub mod load;
pub mod options;
pub mod report;
pub mod soak;
mod trace;
pub mod workload;
