//! `/healthz` and `/readyz`, for whoever starts, watches and stops servers.
//!
//! `/healthz` says that the process answers. `/readyz` says that the scheduler takes work, or why it does not. Both are
//! for everybody: a probe has no token, and a sentence about the server is all that it gets.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::manager::ResourceManager;
use crate::responses::whole;

const PLAIN: Option<&str> = Some("text/plain;charset=utf-8");

/// `/healthz` and `/readyz`. They need no turn, so they answer while all turns are taken.
pub(crate) fn routes(of: Arc<ResourceManager>) -> Router {
    Router::new().route("/healthz", get(healthy)).route("/readyz", get(ready)).with_state(of)
}

async fn healthy() -> Response {
    said(200, "ok".to_owned())
}

async fn ready(State(of): State<Arc<ResourceManager>>) -> Response {
    match of.readiness().why_not() {
        None => said(200, "ready".to_owned()),
        Some(why) => said(503, format!("not ready: {why}")),
    }
}

fn said(status: u16, mut line: String) -> Response {
    line.push('\n');
    whole(status, PLAIN, line).map(Body::from)
}
