//! The `evenweave` program: the scheduler core under load, replays of recorded Hadoop runs, standard workloads.
//!
//! | module | what |
//! | --- | --- |
//! | `cli`, `failure` | the command line; why it may fail |
//! | `trace`, `jobs`, `bundled`, `random` | what the load is made from |
//! | `engine` | the scheduler behind one trait: threaded, or the plain twin behind a mutex |
//! | `load` | the closed-loop driver |
//! | `report` | table, JSON, HTML |
//! | `replay` | scenario files, step by step |
//! | `workload` | W1 and W2 |
//! | `clock`, `latency` | measuring |

mod api;
mod api_stub;
mod bundled;
mod cli;
mod clock;
mod engine;
mod failure;
mod jobs;
mod latency;
mod load;
mod random;
mod trace;

fn main() {}
