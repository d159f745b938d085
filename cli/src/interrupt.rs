//! Ctrl-C and SIGTERM end what is under way instead of the program. The second one ends the program: what is under way
//! may wait for something, such as a trace that comes through a pipe.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenweave_tools::Failure;
use evenweave_tools::whole_files::remove_unfinished;
use tokio::runtime::Runtime;

/// As of a program that Ctrl-C ends.
const EXIT_CODE: i32 = 130;

/// After the first signal whoever is under way has so long to hear it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether these signals have come, and whether anybody has seen that.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    asked: AtomicBool,
    heard: AtomicBool,
}

impl Stop {
    /// Whether to stop. Whoever asks goes by the answer.
    pub(crate) fn is_asked(&self) -> bool {
        // ORDERING: Relaxed, here and below. The flags carry no data.
        let asked = self.asked.load(Ordering::Relaxed);
        if asked {
            self.heard.store(true, Ordering::Relaxed);
        }
        asked
    }
}

/// The flag that these signals put up from now on.
///
/// # Errors
/// When they cannot be caught.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    on_signal(move || {
        if flag.swap(true, Ordering::Relaxed) {
            end();
        }
    })?;
    Ok(stop)
}

/// What these signals say from now on. Where nobody hears the first one in time, as while a large file is read, it ends
/// the program as the second one does.
///
/// # Errors
/// When they cannot be caught.
pub(crate) fn stop() -> Result<Arc<Stop>, Failure> {
    let stop = Arc::new(Stop::default());
    let told = Arc::clone(&stop);
    on_signal(move || {
        if told.asked.swap(true, Ordering::Relaxed) {
            end();
        }
        let told = Arc::clone(&told);
        let watch = std::thread::Builder::new().name("patience".to_owned()).spawn(move || {
            std::thread::sleep(PATIENCE);
            if !told.heard.load(Ordering::Relaxed) {
                end();
            }
        });
        if watch.is_err() {
            end();
        }
    })?;
    Ok(stop)
}

fn on_signal(caught: impl Fn() + Send + 'static) -> Result<(), Failure> {
    catch(caught).map_err(|error| Failure::input(format!("Ctrl-C cannot be caught: {error}")))
}

/// Ends the program, whatever it is doing.
fn end() {
    remove_unfinished();
    std::process::exit(EXIT_CODE);
}

/// From now on calls `caught` for each signal, on a thread of its own.
#[cfg(unix)]
fn catch(caught: impl Fn() + Send + 'static) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = runtime()?;
    let (mut interrupts, mut ends) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    listen(runtime, async move {
        loop {
            tokio::select! {
                _ = interrupts.recv() => {}
                _ = ends.recv() => {}
            }
            caught();
        }
    })
}

/// From now on calls `caught` for each Ctrl-C, on a thread of its own.
#[cfg(not(unix))]
fn catch(caught: impl Fn() + Send + 'static) -> io::Result<()> {
    listen(runtime()?, async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            caught();
        }
    })
}

fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_io().build()
}

fn listen(runtime: Runtime, signals: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(signals)).map(drop)
}
