//! Numbers for those who graph them: `/metrics` for Prometheus, `/jmx` with Hadoop's names.
//!
//! Both write what `measured` has taken when somebody scrapes. Durations alone are counted, by whoever times calls
//! (`latency`).
//!
//! They have the usage of every user and queue. Whoever may read anything may read them, as in Hadoop, unless the site
//! keeps them for administrators.

mod bean;
mod beans;

mod capacities;

mod jmx;

mod measured;

mod prometheus;

mod tallies;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::access::{Caller, asking};
use crate::answer_slots::{Cost, Question};
use crate::manager::ResourceManager;
use crate::responses::{refusal_to, whole};
use crate::rest::errors::Fault;
use measured::Measured;

/// `/metrics` and `/jmx`.
pub(crate) fn routes(of: Arc<ResourceManager>) -> Router {
    let routes = Router::new().route("/metrics", get(metrics)).route("/jmx", get(beans));
    routes.route_layer(middleware::from_fn_with_state(of.clone(), for_whom)).with_state(of)
}

/// Where they are for administrators alone, nobody else gets to them.
async fn for_whom(State(of): State<Arc<ResourceManager>>, request: Request, next: Next) -> Response {
    if !of.cluster().metrics_for_admins {
        return next.run(request).await;
    }
    let user = asking(request.extensions().get::<Caller>(), request.uri());
    let (manager, asks) = (of.clone(), user.clone());
    match of.turns().work(Cost::Little, move || manager.scheduler().is_admin(&asks)).await {
        Ok(true) => next.run(request).await,
        Ok(false) => {
            let path = request.uri().path();
            let fault = Fault::forbidden(format_args!(
                "User {user} may not read {path}: hadoop.security.instrumentation.requires.admin keeps it for administrators."
            ));
            refusal_to(request.headers(), &fault).map(Body::from)
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Views may wait for the scheduler's threads, so they are taken where waiting is allowed. All see the same.
async fn written(
    of: &Arc<ResourceManager>,
    uri: &Uri,
    kind: &'static str,
    write: impl FnOnce() -> (u16, String) + Send + 'static,
) -> Response {
    let question = Question { user: String::new(), uri: uri.to_string(), format: kind };
    let outgoing = of.outgoing().clone();
    let write = move || {
        let (status, text) = write();
        outgoing.counted(whole(status, Some(kind), text))
    };
    let answer = of.turns().answer(Cost::Much, question, write).await;
    answer.map_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response(), |answer| of.outgoing().sent(answer))
}

async fn metrics(State(of): State<Arc<ResourceManager>>, uri: Uri) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let manager = of.clone();
    written(&manager, &uri, kind, move || (200, prometheus::text(&Measured::of(&of), of.latencies()))).await
}

async fn beans(State(of): State<Arc<ResourceManager>>, uri: Uri) -> Response {
    let query: Vec<(String, String)> =
        form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let asked = |name: &str| query.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
    let (get, wanted) = (asked("get"), asked("qry"));
    let manager = of.clone();
    let write = move || {
        let measured = Measured::all_of(&of);
        let beans = beans::beans(&measured, of.latencies(), of.assigned_per_second(measured.counts.granted));
        match get {
            Some(get) => jmx::attribute(&beans, &get),
            None => jmx::text(&beans, wanted.as_deref().unwrap_or("*:*")),
        }
    };
    written(&manager, &uri, "application/json; charset=utf8", write).await
}
