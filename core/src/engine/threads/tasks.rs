//! Threads of the scheduler's own: how they begin, how they end, and what is told where one panics.

use crate::caught::caught;
use crate::engine::threads::events::EventSink;
use crate::event::SchedulerEvent;
use crate::sync::thread::{Builder, JoinHandle};

pub(crate) fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    Builder::new().name(name).spawn(run)
}

pub(crate) fn join(thread: JoinHandle<()>) {
    // A panic was reported as an event where it happened.
    let _ = thread.join();
}

/// Does something that may panic in code of the embedder's; the panic is told of, and comes back as its message.
pub(crate) fn guarded<T>(task: &'static str, events: &EventSink, act: impl FnOnce() -> T) -> Result<T, String> {
    caught(act).inspect_err(|message| events.put(SchedulerEvent::TaskPanicked { task, message: message.clone() }))
}

/// Runs a task of the scheduler's own to its end; a panic is told of.
pub(crate) fn run_task(task: &'static str, events: &EventSink, run: impl FnOnce()) {
    // Told of where it happened.
    let _ = guarded(task, events, run);
}
