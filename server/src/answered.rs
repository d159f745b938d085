//! Answers as HTTP has them, whole: refusals in the format that is wanted.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

use crate::rest::errors::Fault;
use crate::rest::format::Format;

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
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Some(kind) = kind {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    // Whatever a name looks like, nobody is to take an answer for a page.
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
