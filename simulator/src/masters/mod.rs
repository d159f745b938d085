//! Application masters: what each kind does with an answer, and what it asks for.
//!
//! `mapreduce`, `stream` and `dag` are those of Hadoop's Scheduler Load Simulator (`MRAMSimulator`,
//! `StreamAMSimulator`, `DAGAMSimulator`), call for call; `real` is a MapReduce job as its own ApplicationMaster runs
//! it, `stages` one of stages, or a service. All are plain: no clock, no scheduler.

mod calls;
mod dag;
mod mapreduce;
mod real;
mod stages;
mod stream;
mod work;

use super::tasks::Place;

pub(super) use calls::{Answer, Call, Going, Launch};
pub(super) use dag::Dag;
pub(super) use mapreduce::MapReduce;
pub(super) use real::{Real, RealOptions};
pub(super) use stages::Stages;
pub(super) use stream::Stream;
pub(super) use work::Work;

/// What an AM does.
#[derive(Debug)]
pub(super) enum Program {
    MapReduce(MapReduce),
    Stream(Stream),
    Dag(Dag),
    Real(Box<Real>),
    Stages(Box<Stages>),
}

impl Program {
    /// Does what an answer asks for; launches go onto `out`. `places`: of each node by number.
    pub(super) fn process(
        &mut self,
        work: &mut Work,
        answer: &Answer,
        now: u64,
        places: &[Place],
        out: &mut Vec<Launch>,
    ) -> Going {
        match self {
            Program::MapReduce(program) => program.process(work, answer, out),
            Program::Stream(program) => program.process(work, answer, now, out),
            Program::Dag(program) => program.process(work, answer, out),
            Program::Real(program) => program.process(work, answer, places, out),
            Program::Stages(program) => program.process(work, answer, places, out),
        }
    }

    /// What the next call asks for.
    pub(super) fn call(&mut self, work: &mut Work, now: u64) -> Call {
        match self {
            Program::MapReduce(program) => program.call(work),
            Program::Stream(program) => program.call(work),
            Program::Dag(program) => program.call(work, now),
            Program::Real(program) => program.call(work),
            Program::Stages(program) => program.call(work, now),
        }
    }

    /// Whether an answer is looked at in the call that brings it, or, as in SLS, at the next heartbeat.
    pub(super) fn is_prompt(&self) -> bool {
        matches!(self, Program::Real(_) | Program::Stages(_))
    }
}
