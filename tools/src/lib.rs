//! What the commands of the program `evenweave` are made of, but for the load test and the simulator.
//!
//! | module | what |
//! | --- | --- |
//! | `replay` | recordings of real Hadoop: scenarios step by step, with the reasons; vectors case by case |
//! | `check` | configuration files, with all that is wrong in them |
//! | `convert` | the command that converts a FairScheduler's configuration to a CapacityScheduler's |
//! | `traces` | readers of job traces: SLS, RUMEN, SYNTH, SWIM, the public ones |
//! | `report` | parts of pages: plots, bars, tables |
//! | `bundled` | the trace, the recordings and the configurations in the program |
//! | `figures` | a queue, an application and the sums, whichever the scheduler |
//! | `reserving`, `reservation_results` | a file of reservations, and what came of them |
//! | `options` | what several commands are asked for |
//! | `amounts`, `numbers` | durations, loads and parts as people write them; how figures are written |
//! | `files`, `file_kind`, `whole_files` | reading files; writing them whole or not at all |
//! | `site` | properties and groups, from files and by name |
//! | `clock`, `random`, `java_random` | time; random numbers, ours and Java's |
//! | `failure`, `output` | why work is not done; standard output |

pub mod amounts;
mod api;
pub mod bundled;
pub mod check;
pub mod clock;
pub mod convert;
mod failure;
pub mod figures;
pub mod file_kind;
pub mod files;
pub mod java_random;
pub mod numbers;
pub mod options;
pub mod output;
pub mod random;
pub mod replay;
pub mod report;
pub mod reservation_results;
pub mod reserving;
pub mod site;
mod system_fault;
mod trace_error;
pub mod traces;
pub mod whole_files;

pub use failure::{Failure, Fault, FileFault};
pub use system_fault::SystemFault;
pub use trace_error::TraceError;
