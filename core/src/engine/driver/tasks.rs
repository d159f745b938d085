//! Threads of the scheduler's own: how they begin, how they end, and what is told where one panics.

use crate::engine::driver::events::EventSink;
use crate::event::SchedulerEvent;
use crate::sync::thread::{Builder, JoinHandle};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    Builder::new().name(name).spawn(run)
}

pub(super) fn join(thread: JoinHandle<()>) {
    // A panic was reported as an event where it happened.
    let _ = thread.join();
}

pub(super) fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Runs a task of the scheduler's own to its end; a panic is told of.
pub(crate) fn run_task(task: &'static str, events: &EventSink, run: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
        events.put(SchedulerEvent::TaskPanicked { task, message: message_of(&*panic) });
    }
}
