//! What a browser is given: a page and what belongs to it, all inside the program.

use std::borrow::Cow;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rust_embed::Embed;

/// Files of the page. Nothing is loaded from elsewhere.
#[derive(Embed)]
#[folder = "assets/"]
struct Assets;

const NOT_THERE: &str = "There is no such page.\n";

/// Scripts and styles of the page itself, and nothing that is written into it. The chart library sets styles of
/// elements.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The live page, at `/`; the pages in YARN's places, which are one file that looks where it is; and what belongs to
/// them.
pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(async || file("index.html")))
        .route("/cluster", get(cluster))
        .route("/cluster/", get(cluster))
        .route("/cluster/{page}", get(async |Path(page): Path<String>| page_of_the_cluster(&page)))
        .route("/cluster/{page}/", get(async |Path(page): Path<String>| page_of_the_cluster(&page)))
        .route("/cluster/app/{id}", get(cluster))
        .route("/assets/{*path}", get(async |Path(path): Path<String>| file(&path)))
}

async fn cluster() -> Response {
    file("cluster.html")
}

fn page_of_the_cluster(page: &str) -> Response {
    match page {
        "scheduler" | "apps" | "nodes" | "nodelabels" => file("cluster.html"),
        _ => (StatusCode::NOT_FOUND, NOT_THERE).into_response(),
    }
}

fn file(path: &str) -> Response {
    let Some(found) = Assets::get(path) else {
        return (StatusCode::NOT_FOUND, NOT_THERE).into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(path))),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    // It is in the program: however many read it, nobody holds a copy.
    let body = match found.data {
        Cow::Borrowed(data) => Body::from(data),
        Cow::Owned(data) => Body::from(data),
    };
    (headers, body).into_response()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, kind)| kind) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}
