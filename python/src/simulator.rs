//! What is used of the simulator, the checks and the conversion.

pub(crate) use evenweave_simulator::report::put_simulation;
pub(crate) use evenweave_simulator::{
    AmStyle, ClusterOptions, JobRecord, Moment, PointFacts, RunResult, SimulateOptions, Simulated, Spread, Sweep, json,
    put_decisions, put_tables, refusals, remarks, scenarios_end, simulate_drafted, unended, words,
};
pub(crate) use evenweave_tools::Failure;
pub(crate) use evenweave_tools::Fault;
pub(crate) use evenweave_tools::amounts::{interval, load, part, span};
pub(crate) use evenweave_tools::check::{ClusterFacts, Kind, check};
pub(crate) use evenweave_tools::convert::{ConvertSurroundings, run as convert};
pub(crate) use evenweave_tools::options::SchedulerChoice;
pub(crate) use evenweave_tools::report::check_writable;
pub(crate) use evenweave_tools::site::SiteOptions;
pub(crate) use evenweave_tools::traces::Times;
pub(crate) use evenweave_tools::whole_files::Drafts;
