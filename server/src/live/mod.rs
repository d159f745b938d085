//! What a page that is looked at lives on: the state of the cluster, and what happens, as server-sent events.
//!
//! `picture` is how things stand at one moment, `written` how that is said. A reader that has one of the last pictures
//! is told what has changed since. It has nothing of single applications, so all see the same. `reader` is somebody who
//! listens to events, which are told by his rights.

mod picture;

mod reader;

mod written;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{self, HeaderMap, StatusCode, Uri, header};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::stream::{self, Stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::picture::{Picture, Since};
use self::reader::Reader;
use crate::access::{Caller, asking};
use crate::answer_slots::Cost;
use crate::events::{Batch, Ring};
use crate::manager::ResourceManager;
use crate::outgoing::{Again, Outgoing};
use crate::responses::whole;

/// How often a reader is told what is new.
const EVERY: Duration = Duration::from_millis(100);
/// Events in one message at most, where a reader does not want fewer.
const AT_ONCE: usize = 512;
/// Who may listen to events at once. More are asked to come again, so that memory and connections stay bounded.
const MAX_READERS: usize = 1024;
const TOO_MANY_READERS: &str = "1024 readers listen to events already. Come again later.\n";
/// A picture stands for so long, however many ask.
const STANDS_MS: u64 = 900;
/// So many pictures are kept, for readers that do not ask each second.
const KEPT: usize = 4;

/// What is shown.
#[derive(Debug)]
pub(crate) struct Live {
    manager: Arc<ResourceManager>,
    ring: Arc<Ring>,
    readers: Arc<Semaphore>,
    start: Since,
    kept: Mutex<Kept>,
}

/// The last pictures, and what was written of the newest.
#[derive(Debug, Default)]
struct Kept {
    /// The newest last.
    pictures: VecDeque<Picture>,
    /// By the picture that the reader had; 0 of all of it.
    written: Vec<(u64, Again)>,
}

/// What one or many are told.
type Answer = http::Response<Bytes>;

impl Live {
    pub(crate) fn new(manager: Arc<ResourceManager>, ring: Arc<Ring>) -> Live {
        let start = Since { at_ms: manager.cluster().started_ms, granted: manager.scheduler().counts().granted };
        Live { manager, ring, readers: Arc::new(Semaphore::new(MAX_READERS)), start, kept: Mutex::default() }
    }

    /// How things stand, not older than a second: what has changed since the reader's picture, or all of it. Those who
    /// ask at once wait for one who works it out.
    fn state(&self, had: Option<u64>) -> Answer {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = kept.pictures.back();
        if newest.is_none_or(|newest| self.manager.now_ms().abs_diff(newest.whole.now_ms) >= STANDS_MS) {
            let next = Picture::take(&self.manager, newest, self.start, self.ring.last());
            kept.add(next);
        }
        kept.told(had, self.manager.outgoing())
    }
}

impl Kept {
    fn add(&mut self, picture: Picture) {
        if self.pictures.len() == KEPT {
            self.pictures.pop_front();
        }
        self.pictures.push_back(picture);
        self.written.clear();
    }

    /// What is written once is told to all who ask for the same.
    fn told(&mut self, had: Option<u64>, outgoing: &Arc<Outgoing>) -> Answer {
        let Some(newest) = self.pictures.back() else { return whole(503, None, String::new()) };
        let had = self.pictures.iter().find(|picture| Some(picture.whole.version) == had);
        let version = had.map_or(0, |picture| picture.whole.version);
        if let Some((_, again)) = self.written.iter_mut().find(|(of, _)| *of == version) {
            return again.told(outgoing);
        }
        let body = had.map_or_else(|| written::whole(newest), |had| written::since(had, newest));
        let mut again = Again::new(whole(200, Some("application/json;charset=utf-8"), body));
        let answer = again.told(outgoing);
        self.written.push((version, again));
        answer
    }
}

/// `/events` and `/events/state`.
pub(crate) fn routes(of: Arc<Live>) -> Router {
    Router::new().route("/events", get(events)).route("/events/state", get(shown)).with_state(of)
}

/// The number that a parameter has.
fn number(uri: &Uri, name: &str) -> Option<u64> {
    let mut pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    pairs.find(|(is, _)| is == name).and_then(|(_, number)| number.parse().ok())
}

async fn shown(State(of): State<Arc<Live>>, uri: Uri) -> Response {
    let (manager, had) = (of.manager.clone(), number(&uri, "since"));
    // It may be large. Without a turn, so that others who want little go on.
    manager.outgoing().room().await;
    match manager.turns().work(Cost::Little, move || of.state(had)).await {
        Ok(answer) => manager.outgoing().sent(answer),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// From where a reader goes on: as he says; as his browser says that has lost the connection; from this moment on.
fn begin(uri: &Uri, headers: &HeaderMap, last: u64) -> u64 {
    let asked = number(uri, "after");
    let lost = || headers.get("last-event-id").and_then(|seq| seq.to_str().ok()?.parse().ok());
    lost().or(asked).unwrap_or(last)
}

async fn events(
    State(of): State<Arc<Live>>,
    caller: Option<Extension<Caller>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let Ok(place) = of.readers.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], TOO_MANY_READERS).into_response();
    };
    let after = begin(&uri, &headers, of.ring.last());
    let most = number(&uri, "most").and_then(|most| usize::try_from(most).ok()).unwrap_or(AT_ONCE).clamp(1, AT_ONCE);
    let user = asking(caller.as_deref(), &uri);
    let reader = Reader { manager: of.manager.clone(), ring: of.ring.clone(), user, most };
    Sse::new(batches(reader, place, after)).keep_alive(KeepAlive::default()).into_response()
}

/// A message whenever there is something new; the server looks ten times a second, and not before the last one is on
/// its way. The reader's place is free when the stream is dropped.
fn batches(reader: Reader, place: OwnedSemaphorePermit, after: u64) -> impl Stream<Item = Result<Sent, Infallible>> {
    stream::unfold((reader, place, after), |(reader, place, mut after)| async move {
        // What he has missed since the last message, for the next one.
        let mut lost = 0;
        loop {
            tokio::time::sleep(EVERY).await;
            let mut batch = reader.next(after).await;
            (lost, after) = (lost + batch.lost, batch.last);
            if !batch.events.is_empty() {
                batch.lost = lost;
                return Some((Ok(sent(&batch)), (reader, place, after)));
            }
        }
    })
}

fn sent(batch: &Batch) -> Sent {
    let text = serde_json::to_string(batch).unwrap_or_default();
    Sent::default().id(batch.last.to_string()).data(text)
}

#[cfg(test)]
mod tests {
    use evenweave::{FairScheduler, Settings};

    use self::picture::Whole;
    use super::*;
    use crate::manager::Cluster;
    use crate::scheduler::{Basics, Steps};

    #[tokio::test]
    async fn how_things_stand_waits_for_room() {
        let settings = Settings::from_properties([]).expect("Hadoop's defaults");
        let basics = Basics::of_fair(&settings);
        let stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
        let manager = Arc::new(ResourceManager::new(Cluster::new(1, "rm:8088"), Arc::new(Steps::new(stepped, basics))));
        let live = Arc::new(Live::new(manager.clone(), Arc::default()));
        manager.outgoing().has_room(64 << 10);
        let held = manager.outgoing().counted(http::Response::new(Bytes::from(vec![b'x'; 64 << 10])));
        let asked = tokio::spawn(shown(State(live.clone()), Uri::from_static("/events/state")));
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let kept = || live.kept.lock().expect("nobody panics").pictures.len();
        assert_eq!((asked.is_finished(), kept()), (false, 0));
        drop(held);
        assert_eq!((asked.await.expect("answered").status(), kept()), (StatusCode::OK, 1));
    }

    fn kept(versions: std::ops::RangeInclusive<u64>) -> Kept {
        let mut kept = Kept::default();
        for version in versions {
            let whole = Whole { version, ..Whole::default() };
            kept.add(Picture { whole, ..Picture::default() });
        }
        kept
    }

    #[test]
    fn changes_are_told_to_those_who_have_one_of_the_last_pictures() {
        let (mut kept, outgoing) = (kept(11..=16), Arc::new(Outgoing::default()));
        let is_whole = |body: &Bytes| !String::from_utf8_lossy(body).contains("nodes_changed");
        for (had, whole) in [(None, true), (Some(12), true), (Some(17), true), (Some(13), false), (Some(15), false)] {
            let body = kept.told(had, &outgoing).into_body();
            assert_eq!(is_whole(&body), whole, "{had:?}");
            assert!(String::from_utf8_lossy(&body).contains("\"version\":16"));
            // What was written once is not written again.
            assert_eq!(kept.told(had, &outgoing).into_body().as_ptr(), body.as_ptr());
        }
        assert_eq!(kept.written.len(), 3);
        kept.add(Picture { whole: Whole { version: 17, ..Whole::default() }, ..Picture::default() });
        let body = kept.told(Some(16), &outgoing).into_body();
        assert!(String::from_utf8_lossy(&body).contains("\"version\":17"));
    }
}
