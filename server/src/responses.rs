//! Answers as HTTP has them, whole: refusals in the format that is wanted, and what every answer tells a browser.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

use crate::rest::errors::Fault;
use crate::rest::format::Format;

/// What an answer may do that a browser takes for a page: nothing.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

/// Every answer goes through here, whatever has made it. What it says itself of these things holds; otherwise it is
/// kept nowhere, is taken for nothing else than what it says that it is, and does nothing where a browser shows it.
pub(crate) async fn closed(mut answer: axum::response::Response) -> axum::response::Response {
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, NOTHING),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ] {
        headers.entry(name).or_insert(value);
    }
    answer
}

pub(crate) fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

pub(crate) fn refusal(fault: &Fault, format: Format) -> Response<Bytes> {
    let (status, kind, body) = fault.written(format);
    whole(status, kind, body)
}

/// In what somebody wants; in JSON where he wants neither that nor XML.
pub(crate) fn refusal_to(headers: &HeaderMap, fault: &Fault) -> Response<Bytes> {
    refusal(fault, Format::accepted(text(headers, header::ACCEPT)).unwrap_or(Format::Json))
}

pub(crate) fn whole(status: u16, kind: Option<&'static str>, body: String) -> Response<Bytes> {
    // What a text has room for besides is not kept.
    let mut response = Response::new(Bytes::from(body.into_boxed_str().into_boxed_bytes()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Some(kind) = kind {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    response
}
