//! What is used of the simulator, the checks and the conversion.

pub(crate) use evenweave_bench::amounts::{interval, load, part, span};
pub(crate) use evenweave_bench::check::{Kind, check};
pub(crate) use evenweave_bench::convert::{ConvertSurroundings, run as convert};
pub(crate) use evenweave_bench::options::SchedulerChoice;
pub(crate) use evenweave_bench::report::{check_writable, put_simulation};
pub(crate) use evenweave_bench::simulate::{
    AmStyle, ClusterOptions, JobRecord, Moment, PointFacts, RunResult, SimulateOptions, Simulated, Spread, Sweep, json,
    put_decisions, put_tables, refusals, remarks, scenarios_end, simulate_drafted, unended, words,
};
pub(crate) use evenweave_bench::site::SiteOptions;
pub(crate) use evenweave_bench::traces::Times;
pub(crate) use evenweave_bench::{Drafts, Failure, Fault};
