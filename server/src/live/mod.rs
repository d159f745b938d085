//! What a page that is looked at lives on: the state of the cluster, and what happens, as server-sent events.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use evenweave::Resource;
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::events::{Batch, Ring};
use crate::latency::Timed;
use crate::manager::ResourceManager;

/// How often a reader is told what is new.
const EVERY: Duration = Duration::from_millis(100);
/// Events in one message at most: a page draws no more in a tenth of a second.
const AT_ONCE: usize = 512;
/// Who may listen to events at once. More are asked to come again, so that memory and connections stay bounded.
const MOST_READERS: usize = 1024;
const TOO_MANY_READERS: &str = "1024 readers listen to events already. Come again later.\n";
/// A state stands for so long, however many ask.
const STANDS_MS: u64 = 900;

/// What is shown.
#[derive(Debug)]
pub(crate) struct Live {
    manager: Arc<ResourceManager>,
    ring: Arc<Ring>,
    readers: Arc<Semaphore>,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    at_ms: u64,
    granted: u64,
    body: Option<Bytes>,
}

impl Live {
    pub(crate) fn new(manager: Arc<ResourceManager>, ring: Arc<Ring>) -> Live {
        let last = Last { at_ms: 0, granted: manager.scheduler().counts().granted, body: None };
        Live { manager, ring, readers: Arc::new(Semaphore::new(MOST_READERS)), last: Mutex::new(last) }
    }

    /// The state, not older than a second. Those who ask at once wait for one who works it out.
    fn state(&self) -> Bytes {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.manager.now_ms();
        if let Some(body) = last.body.as_ref().filter(|_| now.abs_diff(last.at_ms) < STANDS_MS) {
            return body.clone();
        }
        let counts = self.manager.scheduler().counts();
        let since = if last.at_ms == 0 { self.manager.cluster().started_ms } else { last.at_ms };
        let seconds = now.saturating_sub(since).max(1) as f64 / 1e3;
        let rate = counts.granted.saturating_sub(last.granted) as f64 / seconds;
        let mut state = state(&self.manager, now, rate, self.ring.last());
        state["latencies_us"] = latencies(&self.manager);
        let body = Bytes::from(state.to_string());
        *last = Last { at_ms: now, granted: counts.granted, body: Some(body.clone()) };
        body
    }
}

/// Memory and vcores.
fn pair(of: &Resource) -> Value {
    json!([of.memory_mb(), of.vcores()])
}

/// 50 and 99 of a hundred, of the time since the state was last worked out. O(buckets): a few thousand.
fn latencies(manager: &ResourceManager) -> Value {
    let of = manager.latencies();
    let shown = |timed: &Timed| timed.take_lately().map_or(Value::Null, |found| json!([found.p50, found.p99]));
    json!({"allocate": shown(&of.allocate), "heartbeat": shown(&of.handling), "grant": shown(&of.grant)})
}

fn state(manager: &ResourceManager, now_ms: u64, rate: f64, last_event: u64) -> Value {
    let scheduler = manager.scheduler();
    let counts = scheduler.counts();
    let present = scheduler.nodes();
    let by_name: HashMap<&str, _> = present.iter().map(|node| (node.name.as_str(), node)).collect();
    let (mut nodes, mut used) = (Vec::new(), Resource::ZERO);
    let apps = {
        let records = manager.records();
        for record in records.nodes() {
            let taken = by_name.get(record.name.as_str()).map_or(Resource::ZERO, |node| node.total.minus(&node.free));
            let total = by_name.get(record.name.as_str()).map_or(record.total, |node| node.total);
            used = used.plus(&taken);
            nodes.push(json!([
                record.name,
                record.rack,
                record.state.name(),
                taken.memory_mb(),
                taken.vcores(),
                total.memory_mb(),
                total.vcores(),
                by_name.get(record.name.as_str()).map(|node| node.worker)
            ]));
        }
        let (mut waiting, mut running) = (0_u64, 0_u64);
        for app in records.apps().filter(|app| !app.state.is_over()) {
            *(if app.state == crate::records::AppState::Running { &mut running } else { &mut waiting }) += 1;
        }
        let ends = records.ends();
        json!({
            "accepted": waiting, "running": running, "submitted": ends.submitted, "completed": ends.completed,
            "failed": ends.failed, "killed": ends.killed,
        })
    };
    let fair = scheduler.fair_queues().into_iter().map(|queue| {
        let queue = queue.view;
        json!({
            "path": queue.name, "leaf": queue.leaf, "policy": queue.policy, "steady": pair(&queue.steady_fair_share),
            "fair": pair(&queue.fair_share), "used": pair(&queue.usage), "demand": pair(&queue.demand),
            "pending": pair(&queue.demand.minus(&queue.usage)), "maximum": pair(&queue.max_share),
            "apps": queue.runnable + queue.non_runnable, "apps_pending": queue.pending,
        })
    });
    let capacities = scheduler.capacity_queues().into_iter().map(|queue| {
        let pending = queue.leaf.as_ref().map(|leaf| leaf.pending_applications);
        json!({
            "path": queue.name, "leaf": queue.leaf.is_some(), "policy": "capacity", "capacity": pair(&queue.guaranteed),
            "fair": pair(&queue.guaranteed), "used": pair(&queue.used), "demand": pair(&queue.used.plus(&queue.pending)),
            "pending": pair(&queue.pending), "maximum": pair(&queue.maximum), "apps": queue.applications,
            "apps_pending": pending,
        })
    });
    let queues: Vec<Value> = fair.chain(capacities).collect();
    json!({
        "now_ms": now_ms,
        "cluster_timestamp": manager.cluster().timestamp,
        "scheduler": match scheduler.basics().kind {
            crate::scheduler::Kind::Fair => "fair",
            crate::scheduler::Kind::Capacity => "capacity",
        },
        "nodes": nodes,
        "queues": queues,
        "totals": {
            "nodes": present.len(), "total": pair(&scheduler.cluster()), "used": pair(&used), "apps": apps,
            "containers": counts.running, "granted": counts.granted, "completed": counts.completed,
            "heartbeats": counts.heartbeats, "snapshot_age_ms": counts.snapshot_age_ms,
        },
        "allocations_per_second": (rate * 10.0).round() / 10.0,
        "last_event": last_event,
    })
}

/// `/events` and `/events/state`.
pub(crate) fn routes(of: Arc<Live>) -> Router {
    Router::new().route("/events", get(events)).route("/events/state", get(shown)).with_state(of)
}

async fn shown(State(of): State<Arc<Live>>) -> Response {
    let manager = of.manager.clone();
    match manager.turns().work(move || of.state()).await {
        Ok(body) => {
            let headers = [
                (header::CONTENT_TYPE, "application/json;charset=utf-8"),
                (header::CACHE_CONTROL, "no-store"),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, body).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// From where a reader goes on: as he says; as his browser says that has lost the connection; from this moment on.
fn begin(uri: &Uri, headers: &HeaderMap, last: u64) -> u64 {
    let asked = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .find(|(name, _)| name == "after")
        .and_then(|(_, seq)| seq.parse().ok());
    let lost = || headers.get("last-event-id").and_then(|seq| seq.to_str().ok()?.parse().ok());
    lost().or(asked).unwrap_or(last)
}

async fn events(State(of): State<Arc<Live>>, uri: Uri, headers: HeaderMap) -> Response {
    let Ok(place) = of.readers.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], TOO_MANY_READERS).into_response();
    };
    let after = begin(&uri, &headers, of.ring.last());
    Sse::new(batches(of, place, after)).keep_alive(KeepAlive::default()).into_response()
}

/// A message whenever there is something new; the server looks ten times a second, and not before the last one is on its way.
/// The reader's place is free when the stream is dropped.
fn batches(of: Arc<Live>, place: OwnedSemaphorePermit, after: u64) -> impl Stream<Item = Result<Sent, Infallible>> {
    stream::unfold((of, place, after), |(of, place, after)| async move {
        loop {
            tokio::time::sleep(EVERY).await;
            let batch = of.ring.after(after, AT_ONCE);
            if let Some(last) = batch.events.last().map(|event| event.seq) {
                return Some((Ok(sent(&batch, last)), (of, place, last)));
            }
        }
    })
}

fn sent(batch: &Batch, last: u64) -> Sent {
    let text = serde_json::to_string(batch).unwrap_or_default();
    Sent::default().id(last.to_string()).data(text)
}
