//! The load tester, replay and benchmarks of the scheduler core, as the program `evenweave` calls them.
//!
//! | module | what |
//! | --- | --- |
//! | `load` | the closed-loop driver |
//! | `soak` | the long run, with faults |
//! | `report` | table, JSON, HTML |
//! | `replay` | recordings of real Hadoop: scenarios step by step, with the reasons; vectors case by case |
//! | `workload` | the standard workloads W1 to W4 |
//! | `compare` | the same workloads through other schedulers, and the figures side by side |
//! | `booked` | what came of reservations |
//! | `check` | configuration files, with all that is wrong in them |
//! | `convert` | the command that converts a FairScheduler's configuration to a CapacityScheduler's |
//! | `options` | what is asked of more than one of these |
//! | `engine` | the scheduler behind one trait: threaded, or the plain twin behind a mutex |
//! | `traces` | readers of job traces for a simulator: SLS, RUMEN, SYNTH, SWIM |
//! | `trace`, `jobs`, `bundled`, `random` | what the load is made from |
//! | `reserving` | a file of reservations |
//! | `amounts` | durations, loads and parts as people write them |
//! | `files`, `drafts` | reading files; writing them whole or not at all |
//! | `site` | properties and groups, from files and by name |
//! | `clock`, `latency`, `numbers` | measuring, and how figures are written |
//! | `failure`, `output` | why work is not done; standard output |

pub mod amounts;
mod api;
mod bundled;
pub mod check;
mod clock;
pub mod compare;
pub mod convert;
mod engine;
mod failure;
pub mod file_kind;
mod files;
mod java_random;
mod jobs;
mod latency;
pub mod load;
mod numbers;
pub mod options;
pub mod output;
mod random;
pub mod replay;
pub mod report;
mod reservation_results;
mod reserving;
pub mod simulate;
pub mod site;
pub mod soak;
mod system_fault;
mod trace;
pub mod traces;
mod whole_files;
pub mod workload;

pub use failure::{Failure, Fault, FileFault};
pub use numbers::grouped;
pub use reservation_results::{BookedCourse, BookedReservation, PlanCourse, PlanSample};
pub use system_fault::SystemFault;
pub use trace::TraceError;
pub use whole_files::{Drafts, remove_unfinished};
