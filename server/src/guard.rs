//! Who may change something: whoever is on this machine, and comes from no other site.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

const READS_ONLY: &str = "This address is not loopback, and so it serves reads only: nothing was changed.\n";
const OTHER_SITE: &str = "The request comes from a page of another site: nothing was changed.\n";
const OTHER_HOST: &str = "The Host header does not name this machine's loopback address: nothing was changed.\n";

/// Lets reads through, and writes that may be.
pub(crate) async fn guard(State(listens): State<SocketAddr>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    match refusal(listens, request.uri(), request.headers()) {
        Some(why) => {
            // Where a body is left lying, a connection that closes may take the answer with it. It is limited outside of here.
            let _ = axum::body::to_bytes(request.into_body(), usize::MAX).await;
            (StatusCode::FORBIDDEN, why).into_response()
        }
        None => next.run(request).await,
    }
}

/// What stands against a write.
fn refusal(listens: SocketAddr, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
    if !listens.ip().is_loopback() {
        return Some(READS_ONLY);
    }
    let said = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if said("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Some(OTHER_SITE);
    }
    let host = uri.authority().map(|host| host.as_str()).or(said(header::HOST.as_str())).unwrap_or_default();
    if said(header::ORIGIN.as_str()).is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
        return Some(OTHER_SITE);
    }
    // A name that somebody else has led here would make his page one of this site.
    (!is_loopback(host)).then_some(OTHER_HOST)
}

fn is_loopback(host: &str) -> bool {
    let Ok(host) = host.parse::<axum::http::uri::Authority>() else { return false };
    let host = host.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
