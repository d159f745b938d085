//! A server that listens: what is mounted, what protects it, and how it ends.

mod connections;

mod limited_log;

mod tls;

use std::io;
use std::net::{self, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::{Router, middleware};
use tokio::net::TcpListener;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

use crate::events::Ring;
use crate::guard::{Gate, guard};
use crate::live::{Live, routes};
use crate::manager::ResourceManager;
use crate::metering;
use crate::pages;
use crate::probes;
use crate::responses::closed;
use crate::router::{LARGEST_BODY, router};

pub use connections::Limits;
use connections::answer_all;
pub use tls::Tls;

/// An answer takes no longer, or the request is given up.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Connections that are open when the server ends have so long to end too.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Everything that a server answers that listens there: the ResourceManager's endpoints, the live page, and what
/// that asks for.
pub fn site(manager: Arc<ResourceManager>, ring: Arc<Ring>, listens: SocketAddr) -> Router {
    let live = Arc::new(Live::new(manager.clone(), ring));
    let gate = Arc::new(Gate { listens, https: manager.cluster().https, access: manager.access().clone() });
    routes(live)
        .merge(metering::routes(manager.clone()))
        .merge(pages::routes())
        .fallback_service(router(manager.clone()))
        .layer(middleware::from_fn_with_state(gate, guard))
        // In front of the guard.
        .merge(probes::routes(manager))
        .layer(RequestBodyLimitLayer::new(LARGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, PATIENCE))
        .layer(middleware::map_response(closed))
}

/// Where a server listens, and how it speaks there.
#[derive(Debug)]
pub struct Door {
    /// Where.
    pub listener: net::TcpListener,
    /// Over TLS; without it what is said can be read and changed on the way. The ResourceManager has to be
    /// [`over_https`](ResourceManager::over_https) then.
    pub tls: Option<Tls>,
}

impl From<net::TcpListener> for Door {
    /// Without TLS.
    fn from(listener: net::TcpListener) -> Door {
        Door { listener, tls: None }
    }
}

/// Serves at a door, until Ctrl-C, SIGTERM, the time is over, or `over` says so, which is asked now and then. From then
/// on it is not [ready](ResourceManager::readiness). It goes on for [`Limits::drain`], unless a second signal comes or
/// it ends because `over` says so.
///
/// # Errors
/// When it cannot listen there.
pub fn serve(
    manager: &Arc<ResourceManager>,
    ring: &Arc<Ring>,
    door: impl Into<Door>,
    limits: Limits,
    time: Option<Duration>,
    over: &dyn Fn() -> bool,
) -> io::Result<()> {
    let Door { listener, tls } = door.into();
    manager.outgoing().has_room(limits.unread_bytes);
    let listens = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        let site = site(manager.clone(), ring.clone(), listens);
        let ended = async {
            let why = tokio::select! {
                () = signals() => "the server was told to end",
                () = after(time) => "the time of the server is over",
                () = until(over) => return manager.readiness().ends("what the server shows has ended"),
            };
            manager.readiness().ends(why);
            if limits.drain > Duration::ZERO {
                tracing::info!(seconds = limits.drain.as_secs(), "{why}; it is not ready any more, and still answers");
                tokio::select! {
                    () = signals() => {}
                    () = until(over) => {}
                    () = tokio::time::sleep(limits.drain) => {}
                }
            }
        };
        answer_all(listener, tls, site, limits, ended, LAST_ANSWERS).await;
        Ok(())
    });
    runtime.shutdown_timeout(LAST_ANSWERS);
    outcome
}

async fn until(over: &dyn Fn() -> bool) {
    while !over() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn after(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

/// Ctrl-C or, where there is such, SIGTERM.
async fn signals() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return interrupt.await };
        tokio::select! {
            () = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_slots::Cost;
    use crate::manager::Cluster;
    use crate::scheduler::{Basics, Steps};
    use axum::body::Body;
    use axum::http::Request;
    use evenweave::{FairScheduler, Settings};
    use tower::ServiceExt;

    /// Every kind of answer that takes long, and then what takes no time, while all turns of those are taken. With one
    /// thread for work that waits, what has begun before it is done when it has come to the `marker`: so it is seen,
    /// and without a clock, that nothing has begun.
    #[test]
    fn an_answer_waits_for_its_turn() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build().expect("one");
        runtime.block_on(async {
            let settings = Settings::from_properties([]).expect("Hadoop's defaults");
            let basics = Basics::of_fair(&settings);
            let stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
            let steps = Arc::new(Steps::new(stepped, basics));
            let manager = Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), steps));
            let site = site(manager.clone(), Arc::default(), SocketAddr::from(([127, 0, 0, 1], 8088)));
            let ask = |path: &str| {
                let request = Request::get(path).body(Body::empty()).expect("a request");
                tokio::spawn(site.clone().oneshot(request))
            };
            let costly =
                ["/ws/v1/cluster/apps", "/ws/v1/cluster/scheduler", "/metrics", "/jmx"].map(|path| (path, Cost::Much));
            let cheap = ["/events/state", "/ws/v1/cluster/info"].map(|path| (path, Cost::Little));
            for (path, cost) in costly.into_iter().chain(cheap) {
                let taken = manager.turns().take_all(cost).await;
                let answer = ask(path);
                let as_far_as_it_goes = async || {
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
                };
                as_far_as_it_goes().await;
                let marker = tokio::task::spawn_blocking(|| ());
                marker.await.expect("done");
                as_far_as_it_goes().await;
                assert!(!answer.is_finished(), "{path} has not waited");
                drop(taken);
                let status = answer.await.expect("no panic").expect("an answer").status();
                assert_eq!(status, StatusCode::OK, "{path}");
            }
            let _taken = manager.turns().take_all(Cost::Much).await;
            let behind = ask("/ws/v1/cluster/apps");
            for (path, _) in cheap {
                let status = ask(path).await.expect("no panic").expect("an answer").status();
                assert_eq!(status, StatusCode::OK, "{path} stands behind what takes long");
            }
            assert!(!behind.is_finished());
            behind.abort();
        });
    }
}
