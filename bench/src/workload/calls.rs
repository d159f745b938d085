//! The two calls that workloads make of a scheduler, and the row of an ask. Any thread.

use std::time::Duration;

use evenweave_tools::clock::now_ns;
use hdrhistogram::Histogram;

use super::shape::CONTAINER;
use crate::api::{AllocateRequest, Allocation, AppHandle, Ask, Heartbeat, Refused};
use crate::engine::Engine;
use crate::latency::record;
use evenweave::refused::TryAgain;

/// One heartbeat and one allocate in so many is timed, here and in the workers. No number of nodes is a multiple of it,
/// so that every node has its turn.
pub(super) const TIMED: u64 = 7;
/// How long a driver sleeps whose lane is full.
const FULL_LANE: Duration = Duration::from_micros(400);
const PRIORITY: i32 = 1;

/// One row of a workload's request.
pub(super) fn ask(count: u32) -> Ask {
    Ask::anywhere(PRIORITY, CONTAINER, count)
}

/// Calls until the scheduler takes it; gives how long the call that it took lasted, where that is asked for.
///
/// # Errors
/// Any other refusal than that it is busy.
pub(super) fn allocate(
    engine: &dyn Engine,
    app: &AppHandle,
    request: &AllocateRequest,
    answer: &mut Allocation,
    is_timed: bool,
) -> Result<Option<u64>, String> {
    loop {
        let since = is_timed.then(now_ns);
        match engine.allocate(app, request, answer) {
            Ok(()) => return Ok(since.map(|since| now_ns() - since)),
            Err(Refused::TryAgain(TryAgain::Busy)) => std::thread::sleep(FULL_LANE),
            Err(error) => return Err(format!("allocate of application {}: {error}", app.number())),
        }
    }
}

/// Which heartbeat of a driver it is, and in an open loop when it is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub(super) beat: u64,
    pub(super) due: Option<u64>,
}

/// Offers a heartbeat until there is room for it. Of a timed one, the time of the call that took it goes into the
/// histogram.
///
/// # Errors
/// Any other refusal than that it is busy.
pub(super) fn hand_over(
    engine: &dyn Engine,
    mut heartbeat: Heartbeat,
    Timing { beat, due }: Timing,
    enqueue: &mut Histogram<u64>,
) -> Result<(), String> {
    let mut since = beat.is_multiple_of(TIMED).then(now_ns);
    if let Some(now) = since {
        // In an open loop a late heartbeat's waiting counts from when it was due.
        heartbeat.stamp = due.unwrap_or(now);
    }
    loop {
        match engine.heartbeat(heartbeat) {
            Ok(()) => {
                if let Some(since) = since {
                    record(enqueue, now_ns() - since);
                }
                return Ok(());
            }
            Err(back) if back.reason == Refused::TryAgain(TryAgain::Busy) => {
                heartbeat = back.returned;
                // Thousands wait in the lane: who turns round and round meanwhile takes processor time from whom it
                // waits for. It is full for milliseconds, so a longer sleep than elsewhere leaves nobody without work.
                std::thread::sleep(FULL_LANE);
                since = since.map(|_| now_ns());
            }
            Err(back) => return Err(format!("a heartbeat: {}", back.reason)),
        }
    }
}
