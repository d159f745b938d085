//! Which path is answered by what, and HTTP around it.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, RawPathParams, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get};
use tower::Layer;
use tower_http::normalize_path::{NormalizePath, NormalizePathLayer};

use crate::access::{Caller, asking};
use crate::administration::{controls, dump, level_page, levels, node_commands, queues};
use crate::answer_slots::{Cost, Question};
use crate::manager::ResourceManager;
use crate::path;
use crate::responses::{closed, refusal, refusal_to, text, whole};
use crate::rest::errors::Fault;
use crate::rest::format::{Format, ranges};
use crate::rest::request::{Answer, Asked, Outcome};
use crate::rest::{
    access, activities, app, app_list, attempts, changes, cluster, labels, metrics, nodes, overview, plans,
    reservation, scheduler, statistics, why,
};

/// A body is a few words.
pub(crate) const LARGEST_BODY: usize = 64 << 10;

type Manager = Arc<ResourceManager>;
type Endpoint = fn(&ResourceManager, &Asked) -> Outcome;

/// All endpoints over a ResourceManager. A slash at the end of a path is none. Alone it believes whoever says
/// `?user.name=x`: it is for those who have a guard of their own in front of it. [`site`](crate::site) has one.
pub fn router(of: Manager) -> NormalizePath<Router> {
    const APP: &str = "/ws/v1/cluster/apps/{app}";
    let beneath = |path: &str| format!("{APP}{path}");
    let booked = |path: &str| format!("/ws/v1/cluster/reservation{path}");
    let router = Router::new()
        .route("/", get(home))
        .route("/ws/v1/cluster", looks_at(cluster::info))
        .route("/ws/v1/cluster/info", looks_at(cluster::info))
        .route("/ws/v1/cluster/userinfo", looks_at(cluster::user))
        .route("/ws/v1/cluster/metrics", reads(metrics::metrics))
        .route("/ws/v1/cluster/scheduler", reads(scheduler::scheduler))
        .route("/ws/v1/cluster/scheduler-overview", reads(overview::overview))
        .route("/ws/v1/cluster/scheduler-conf", looks_at(activities::configuration))
        .route("/ws/v1/cluster/scheduler/activities", reads(activities::activities))
        .route("/ws/v1/cluster/scheduler/bulk-activities", reads(activities::bulk))
        .route("/ws/v1/cluster/scheduler/app-activities/{app}", reads(activities::of_app))
        .route("/ws/v1/cluster/nodes", reads(nodes::nodes))
        .route("/ws/v1/cluster/nodes/{node}", reads(nodes::node))
        .route("/ws/v1/cluster/nodes/{node}/get-labels", reads(labels::of_node))
        .route("/ws/v1/cluster/nodes/{node}/replace-labels", commands(labels::replace_on_node))
        .route("/ws/v1/cluster/get-node-labels", reads(labels::all))
        .route("/ws/v1/cluster/add-node-labels", commands(labels::add))
        .route("/ws/v1/cluster/remove-node-labels", commands(labels::remove))
        .route("/ws/v1/cluster/replace-node-to-labels", commands(labels::replace))
        .route("/ws/v1/cluster/get-rm-node-labels", reads(labels::partitions))
        .route("/ws/v1/cluster/get-node-to-labels", reads(labels::of_nodes))
        .route("/ws/v1/cluster/label-mappings", reads(labels::of_labels))
        .route("/ws/v1/cluster/appstatistics", reads(statistics::statistics))
        .route("/ws/v1/cluster/queues/{queue}/access", reads(access::access))
        .route("/ws/v1/cluster/apps", reads(app_list::apps))
        .route(APP, reads(app::app))
        .route(&beneath("/appattempts"), reads(attempts::attempts))
        .route(&beneath("/appattempts/{attempt}"), reads(attempts::attempt))
        .route(&beneath("/appattempts/{attempt}/containers"), reads(attempts::containers))
        .route(&beneath("/appattempts/{attempt}/containers/{container}"), reads(attempts::container))
        .route(&beneath("/state"), changes(app::state, changes::state))
        .route(&beneath("/queue"), changes(app::queue, changes::queue))
        .route(&beneath("/priority"), changes(app::priority, changes::priority))
        .route(&beneath("/timeouts"), looks_at(app::lifetimes))
        .route(&beneath("/timeouts/{type}"), looks_at(app::lifetime))
        .route(&beneath("/timeout"), changes_only(changes::lifetime))
        .route(&booked("/new-reservation"), commands(reservation::new))
        .route(&booked("/submit"), commands(reservation::submit))
        .route(&booked("/update"), commands(reservation::update))
        .route(&booked("/delete"), commands(reservation::delete))
        .route(&booked("/list"), reads(reservation::list))
        .route("/ws/v1/evenweave/why", reads(why::why))
        .route("/ws/v1/evenweave/plans", reads(plans::plans))
        .route("/ws/v1/cluster/nodes/{node}/resource", commands(node_commands::resize))
        .route("/ws/v1/evenweave/controls", asked_and_done(controls::standing, controls::act))
        .route("/ws/v1/evenweave/queues/check", commands(controls::check))
        .route("/ws/v1/evenweave/queues", commands(controls::apply))
        .route("/ws/v1/evenweave/refresh-queues", commands(queues::refresh))
        .route("/ws/v1/evenweave/refresh-nodes", commands(node_commands::refresh))
        .route("/ws/v1/evenweave/refresh-tokens", commands(queues::refresh_tokens))
        .route("/ws/v1/evenweave/nodes/{node}/decommission", commands(node_commands::decommission))
        .route("/ws/v1/evenweave/nodes/{node}/recommission", commands(node_commands::recommission))
        .route("/ws/v1/evenweave/nodes/{node}/remove", commands(node_commands::remove))
        .route("/ws/v1/evenweave/state", reads(dump::state))
        .route("/ws/v1/evenweave/log-level", changes(levels::shown, levels::change))
        .route("/logLevel", get(log_page))
        .fallback(nothing_here)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::map_response(closed))
        .with_state(of);
    // What stands in front of the routes may change the path by which one is found, and what is behind them may not.
    let router = Router::new().fallback_service(router).layer(middleware::from_fn(readable));
    NormalizePathLayer::trim_trailing_slash().layer(router)
}

/// Whatever bytes a path has, it is read as Hadoop reads it. What Hadoop's web server takes for no path gets its page.
async fn readable(mut request: axum::extract::Request, next: middleware::Next) -> Response {
    let readable = path::readable(request.uri().path());
    let uri = match readable {
        Some(Cow::Borrowed(_)) => None,
        Some(Cow::Owned(path)) => with_path(request.uri(), path),
        None => {
            let page = "<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>".to_owned();
            return closed(sent(whole(400, Some("text/html;charset=iso-8859-1"), page))).await;
        }
    };
    if let Some(uri) = uri {
        *request.uri_mut() = uri;
    }
    next.run(request).await
}

fn with_path(uri: &Uri, mut path: String) -> Option<Uri> {
    if let Some(query) = uri.query() {
        path.push('?');
        path.push_str(query);
    }
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.parse().ok()?);
    Uri::from_parts(parts).ok()
}

/// What answers which method.
#[derive(Clone, Copy)]
struct Methods {
    get: Option<Endpoint>,
    /// Of what is read; who changes something does not wait.
    cost: Cost,
    put: Option<Endpoint>,
    post: Option<Endpoint>,
}

const NONE: Methods = Methods { get: None, cost: Cost::Much, put: None, post: None };

impl Methods {
    fn route(self) -> MethodRouter<Manager> {
        any(move |request: Request| by_method(self, request))
    }

    fn allowed(self) -> String {
        let named = [(self.get.is_some(), ",HEAD,GET"), (self.post.is_some(), ",POST"), (self.put.is_some(), ",PUT")];
        let names = named.into_iter().filter(|(is_there, _)| *is_there).map(|(_, name)| name);
        std::iter::once("OPTIONS").chain(names).collect()
    }
}

/// What is read, and takes a walk over all that there is.
fn reads(get: Endpoint) -> MethodRouter<Manager> {
    Methods { get: Some(get), ..NONE }.route()
}

/// What is read, and costs next to nothing.
fn looks_at(get: Endpoint) -> MethodRouter<Manager> {
    Methods { get: Some(get), cost: Cost::Little, ..NONE }.route()
}

/// What is read, at little cost, and changed.
fn changes(get: Endpoint, put: Endpoint) -> MethodRouter<Manager> {
    Methods { get: Some(get), cost: Cost::Little, put: Some(put), ..NONE }.route()
}

/// What is changed, and not read.
fn changes_only(put: Endpoint) -> MethodRouter<Manager> {
    Methods { put: Some(put), ..NONE }.route()
}

/// What is read, and may be large, and done.
fn asked_and_done(get: Endpoint, post: Endpoint) -> MethodRouter<Manager> {
    Methods { get: Some(get), post: Some(post), ..NONE }.route()
}

/// What is done.
fn commands(post: Endpoint) -> MethodRouter<Manager> {
    Methods { post: Some(post), ..NONE }.route()
}

/// Hadoop's own way with methods that are not there.
async fn by_method(methods: Methods, request: Request) -> Response {
    let endpoint = match request.method {
        Method::GET | Method::HEAD => methods.get,
        Method::PUT => methods.put,
        Method::POST => methods.post,
        Method::OPTIONS => return allowed(&methods.allowed()),
        _ => None,
    };
    match endpoint {
        Some(endpoint) => answer(endpoint, methods.cost, request).await,
        None => not_supported(&request.headers),
    }
}

/// All of a request.
struct Request {
    of: Manager,
    method: Method,
    path: Vec<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
    /// Who asks, where a guard has found it.
    caller: Option<Caller>,
    body: Bytes,
}

impl Request {
    /// As an endpoint looks at it.
    fn asked(self, format: Format) -> (Manager, Asked) {
        let Request { of, method: _, path, uri, headers, caller, body } = self;
        let query: Vec<(String, String)> =
            form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let user = asking(caller.as_ref(), &uri);
        let content = text(&headers, header::CONTENT_TYPE).and_then(Format::of_content);
        (of, Asked { path, query, user, format, content, body: body.into() })
    }
}

impl axum::extract::FromRequest<Manager> for Request {
    type Rejection = Response;

    async fn from_request(request: axum::extract::Request, of: &Manager) -> Result<Request, Response> {
        use axum::RequestExt;
        let (mut request, mut parts) = {
            let (parts, body) = request.into_parts();
            (axum::extract::Request::from_parts(parts.clone(), body), parts)
        };
        let params = {
            use axum::extract::FromRequestParts;
            let params = RawPathParams::from_request_parts(&mut parts, of).await;
            params.map_err(|refused| told(&parts.headers, refused.status(), refused.body_text()))?
        };
        let path = params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let headers = std::mem::take(request.headers_mut());
        let caller = request.extensions_mut().remove::<Caller>();
        let body = request.extract::<Bytes, _>().await;
        let body = body.map_err(|refused| told(&headers, refused.status(), refused.body_text()))?;
        Ok(Request { of: of.clone(), method, path, uri, headers, caller, body })
    }
}

/// What axum refuses, in the form of other refusals.
fn told(headers: &HeaderMap, status: StatusCode, why: String) -> Response {
    sent(refusal_to(headers, &Fault::of_web_application(status.as_u16(), why)))
}

/// Works an answer out, and writes it. Views may wait for the scheduler's threads, and a large answer takes long to be
/// written, so that is done where waiting is allowed.
async fn answer(endpoint: Endpoint, cost: Cost, request: Request) -> Response {
    let accept = text(&request.headers, header::ACCEPT);
    let Some(format) = Format::accepted(accept) else { return engines_page(accept) };
    let (method, path, uri) = (request.method.clone(), request.uri.path().to_owned(), request.uri.to_string());
    let (of, asked) = request.asked(format);
    let user = asked.user.clone();
    let manager = of.clone();
    let question = Question { user: user.clone(), uri, format: format.content_type() };
    let is_plain = asked.body.is_empty();
    let work = move || match endpoint(&of, &asked) {
        Ok(answer) => of.outgoing().counted(written(&answer, asked.format)),
        Err(fault) => refusal(&fault, asked.format),
    };
    let work = match method {
        Method::GET | Method::HEAD if is_plain => manager.turns().answer(cost, question, work).await,
        Method::GET | Method::HEAD => manager.turns().work(cost, work).await,
        _ => tokio::task::spawn_blocking(work).await,
    };
    let to_reader = |answer| manager.outgoing().sent(answer);
    // Where the endpoint has panicked it is said so, and the server goes on.
    let response = work.map_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response(), to_reader);
    let status = response.status().as_u16();
    match method {
        Method::GET | Method::HEAD => tracing::debug!(user, %method, path, status, "answered"),
        // Who has changed what.
        _ => tracing::info!(user, %method, path, status, "answered"),
    }
    response
}

fn written(answer: &Answer, format: Format) -> axum::http::Response<Bytes> {
    let mut response = whole(answer.status, Some(format.content_type()), answer.written(format));
    if let Some(location) = answer.location.as_deref().and_then(|at| HeaderValue::from_str(at).ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

fn sent(answer: axum::http::Response<Bytes>) -> Response {
    answer.map(Body::from)
}

fn not_supported(headers: &HeaderMap) -> Response {
    let accept = text(headers, header::ACCEPT);
    match Format::accepted(accept) {
        Some(format) => sent(refusal(&Fault::not_supported(), format)),
        None => engines_page(accept),
    }
}

/// Where somebody accepts neither JSON nor XML.
fn engines_page(accept: Option<&str>) -> Response {
    if Format::wants_text_xml(accept) {
        let (_, _, body) = Fault::not_supported().written(Format::Xml);
        return sent(whole(503, Some("text/xml;charset=null"), body));
    }
    let mut wanted: Vec<(&str, f32)> = ranges(accept.unwrap_or("*/*")).filter(|(_, quality)| *quality > 0.0).collect();
    wanted.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    // The servlet engine has pages of two kinds; to who wants neither it says nothing.
    let kind = wanted.into_iter().find_map(|(kind, _)| match kind {
        "text/html" | "text/*" | "*/*" => Some(true),
        "text/plain" => Some(false),
        _ => None,
    });
    let page = match kind {
        Some(false) => whole(500, Some("text/plain;charset=iso-8859-1"), "HTTP ERROR 500 Server Error\n".to_owned()),
        Some(true) => {
            let page = "<html>\n<head><title>Error 500 Server Error</title></head>\n<body><h2>HTTP ERROR 500 Server \
                        Error</h2></body>\n</html>\n";
            whole(500, Some("text/html;charset=iso-8859-1"), page.to_owned())
        }
        None => whole(500, None, String::new()),
    };
    sent(page)
}

fn allowed(methods: &str) -> Response {
    let mut response = sent(whole(204, Some("text/plain;charset=utf-8"), String::new()));
    if let Ok(methods) = HeaderValue::from_str(methods) {
        response.headers_mut().insert(header::ALLOW, methods);
    }
    response
}

/// The page of the log's levels has forms, which lead to itself, and nothing else.
const FORMS_ALONE: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");

/// For whatever is accepted: `hadoop daemonlog` takes what comes.
async fn log_page(request: Request) -> Response {
    let format = Format::accepted(text(&request.headers, header::ACCEPT)).unwrap_or(Format::Json);
    let (of, asked) = request.asked(format);
    match tokio::task::spawn_blocking(move || level_page::page(&of, &asked)).await {
        Ok(Ok(page)) => {
            let mut page = whole(200, Some("text/html;charset=utf-8"), page);
            page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, FORMS_ALONE);
            sent(page)
        }
        Ok(Err(fault)) => sent(refusal(&fault, format)),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn home(State(of): State<Manager>) -> Response {
    let mut response = sent(whole(302, Some("text/plain;charset=utf-8"), String::new()));
    let to = format!("{}/cluster", of.cluster().url());
    if let Ok(to) = HeaderValue::from_str(&to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

async fn nothing_here() -> Response {
    let page = "<!DOCTYPE html>\n<html><head><title>Sorry, got error 404</title></head>\n<body><h1>Sorry, got error \
                404</h1></body></html>\n";
    sent(whole(404, Some("text/html;charset=utf-8"), page.to_owned()))
}
