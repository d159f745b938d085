//! Ctrl-C and SIGTERM end what is under way instead of the program. The second one ends the program: what is under way may wait for
//! something, such as a trace that comes through a pipe.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenweave_bench::Failure;
use evenweave_bench::simulate::remove_unfinished;
use tokio::runtime::Runtime;

/// As of a program that Ctrl-C ends.
const EXIT_CODE: i32 = 130;

/// The flag that these signals put up from now on.
///
/// # Errors
/// When they cannot be caught.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let caught = move || {
        // ORDERING: Relaxed. The flag carries no data.
        if flag.swap(true, Ordering::Relaxed) {
            remove_unfinished();
            std::process::exit(EXIT_CODE);
        }
    };
    catch(caught).map_err(|error| Failure::input(format!("Ctrl-C cannot be caught: {error}")))?;
    Ok(stop)
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
