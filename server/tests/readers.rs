//! Those who listen to events are bounded, and their places are free again.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::Response;
use evenweave::prelude::*;
use evenweave_server::events::Ring;
use evenweave_server::scheduler::{Basics, Threads};
use evenweave_server::{Cluster, ResourceManager, site};
use tower::ServiceExt;

async fn listen(site: &axum::Router) -> Response {
    let request = Request::get("/events").body(Body::empty()).expect("a request");
    site.clone().oneshot(request).await.expect("an answer")
}

#[tokio::test]
async fn no_more_readers_than_there_are_places() {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let scheduler = FairScheduler::builder().settings(settings).timers(false).start().unwrap();
    let threads = Arc::new(Threads::new(scheduler.clone(), basics));
    let manager = Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), threads));
    let site = site(manager, Arc::new(Ring::default()), SocketAddr::from(([127, 0, 0, 1], 8088)));
    let mut readers = Vec::new();
    for _ in 0..1024 {
        let response = listen(&site).await;
        assert_eq!(response.status(), StatusCode::OK);
        readers.push(response);
    }
    let refused = listen(&site).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "5");
    let said = to_bytes(refused.into_body(), 1 << 10).await.expect("a body");
    assert!(said.starts_with(b"1024 readers listen"), "{said:?}");
    readers.pop();
    assert_eq!(listen(&site).await.status(), StatusCode::OK);
    scheduler.shutdown().unwrap();
}
