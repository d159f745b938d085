//! Recordings of a real ResourceManager's answers: the state is set up, then each request goes through the router and
//! what comes back is held against what was recorded.

mod alike;

mod capacity_steps;

mod common;

mod compare;

mod fair_steps;

mod file;

mod step_records;

mod json_members;

mod play;

mod setup;

mod volatile;

pub use file::{Recording, RecordingError};
pub use play::{Case, Difference};
