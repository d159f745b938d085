//! Numbers for those who graph them: `/metrics` for Prometheus, `/jmx` with Hadoop's names.
//!
//! Both write what `measured` has taken. Nothing is counted here: it is asked for when somebody scrapes.

mod jmx;

mod measured;

mod prometheus;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::manager::ResourceManager;
use measured::Measured;

/// `/metrics` and `/jmx`.
pub(crate) fn routes(of: Arc<ResourceManager>) -> Router {
    Router::new().route("/metrics", get(metrics)).route("/jmx", get(beans)).with_state(of)
}

/// Views may wait for the scheduler's threads, so they are taken where waiting is allowed.
async fn written(kind: &'static str, write: impl FnOnce() -> String + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(write).await {
        Ok(text) => {
            let headers = [(header::CONTENT_TYPE, kind), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
            (headers, text).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn metrics(State(of): State<Arc<ResourceManager>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    written(kind, move || prometheus::text(&Measured::of(&of))).await
}

async fn beans(State(of): State<Arc<ResourceManager>>, uri: Uri) -> Response {
    let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let wanted =
        query.into_owned().find(|(name, _)| name == "qry").map_or_else(|| "*:*".to_owned(), |(_, wanted)| wanted);
    written("application/json; charset=utf8", move || jmx::text(&Measured::of(&of), &wanted)).await
}
