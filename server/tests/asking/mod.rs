//! A request to a router, without a connection.

use std::convert::Infallible;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use tower::{Service, ServiceExt};

/// The answer, whose body is a text.
pub(crate) fn answer(
    router: impl Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    request: Request<Body>,
) -> Response<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let (parts, body) = router.oneshot(request).await.expect("an answer").into_parts();
        let body = to_bytes(body, 1 << 20).await.expect("a body");
        Response::from_parts(parts, String::from_utf8(body.to_vec()).expect("UTF-8"))
    })
}
