//! Answers that wait to be taken by those who have asked for them.
//!
//! An answer stays in memory until its reader has taken the last of it. Small ones are bounded by the number of connections. All large ones
//! together have room for so many bytes; one that several readers wait for counts once. Where there is no room for the next one, it is made by
//! those who are the furthest behind a pace that any network has: what is left of their answers is dropped, and their connections end. Where
//! nobody is behind, whoever asks is told to come again.
//!
//! ```text
//! work ──> counted (there is room, or 503) ──> sent ──> pieces, one at a time ──> connection
//! ```

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// What is no larger is not counted.
pub(crate) const SMALL: usize = 16 << 10;
/// What a connection is given at a time: a copy, so that it holds nothing else of the answer.
const PIECE: usize = 16 << 10;
/// Bytes a second that any reader can take.
const PACE: u64 = 1 << 20;
/// Whoever is no more behind than that is not behind.
const GRACE: Duration = Duration::from_secs(1);
/// Room where nothing is said.
pub(crate) const ROOM: usize = 128 << 20;

const FULL: &str =
    "Others have not taken their answers yet, and there is no room for one more. Come again in a second.\n";

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Outgoing(Mutex<Held>);

#[derive(Debug)]
struct Held {
    room: usize,
    bytes: usize,
    readings: Vec<Weak<Reading>>,
}

impl Default for Outgoing {
    fn default() -> Outgoing {
        Outgoing(Mutex::new(Held { room: ROOM, bytes: 0, readings: Vec::new() }))
    }
}

/// The bytes of a large answer, which count until nobody has them.
struct Counted {
    body: Bytes,
    of: Arc<Outgoing>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.of.held().bytes -= self.body.len();
    }
}

/// How far a reader has come.
#[derive(Debug)]
struct Reading {
    begun: Instant,
    left: Mutex<Left>,
}

#[derive(Debug)]
struct Left {
    taken: usize,
    /// None where it was dropped.
    bytes: Option<Bytes>,
}

impl Reading {
    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far he is behind the pace; nothing where nothing is left.
    fn behind(&self, now: Instant) -> Option<Duration> {
        let left = self.left();
        left.bytes.as_ref()?;
        let due = Duration::from_millis(left.taken as u64 * 1000 / PACE);
        now.saturating_duration_since(self.begun).checked_sub(due)
    }
}

impl Outgoing {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has room for so many bytes from now on.
    pub(crate) fn has_room(&self, bytes: usize) {
        self.held().room = bytes;
    }

    /// An answer, as far as there is room for it; or else that there is none.
    pub(crate) fn counted(self: &Arc<Outgoing>, answer: Response<Bytes>) -> Response<Bytes> {
        let (parts, body) = answer.into_parts();
        match self.taken(body, Instant::now()) {
            Some(body) => Response::from_parts(parts, body),
            None => {
                let mut full = Response::new(Bytes::from_static(FULL.as_bytes()));
                *full.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                full.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain;charset=utf-8"));
                full.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                full
            }
        }
    }

    /// O(readers) for each whose answer is dropped.
    fn taken(self: &Arc<Outgoing>, body: Bytes, now: Instant) -> Option<Bytes> {
        if body.len() <= SMALL {
            return Some(body);
        }
        loop {
            // Looked at and dropped outside of the lock, which is taken when the last of an answer goes.
            let readings: Vec<Arc<Reading>> = {
                let mut held = self.held();
                // One that is larger than all the room may be there alone.
                if held.bytes == 0 || held.bytes.saturating_add(body.len()) <= held.room {
                    held.bytes += body.len();
                    drop(held);
                    return Some(Bytes::from_owner(Counted { body, of: self.clone() }));
                }
                held.readings.retain(|reading| reading.strong_count() > 0);
                held.readings.iter().filter_map(Weak::upgrade).collect()
            };
            let behind = readings.iter().filter_map(|reading| Some((reading.behind(now)?, reading)));
            let (behind, reading) = behind.filter(|(behind, _)| *behind >= GRACE).max_by_key(|(behind, _)| *behind)?;
            tracing::debug!(?behind, "what is left of an answer is dropped for another one");
            drop(reading.left().bytes.take());
        }
    }

    /// An answer that is counted, to one of those who wait for it.
    pub(crate) fn sent(self: &Arc<Outgoing>, answer: Response<Bytes>) -> axum::response::Response {
        answer.map(|body| match body.len() <= SMALL {
            true => Body::from(body),
            false => Body::new(self.pieces(body, Instant::now())),
        })
    }

    fn pieces(&self, body: Bytes, begun: Instant) -> Pieces {
        let reading = Arc::new(Reading { begun, left: Mutex::new(Left { taken: 0, bytes: Some(body) }) });
        let mut held = self.held();
        if held.readings.len() == held.readings.capacity() {
            held.readings.retain(|reading| reading.strong_count() > 0);
        }
        held.readings.push(Arc::downgrade(&reading));
        Pieces(reading)
    }
}

/// The body of a large answer.
struct Pieces(Arc<Reading>);

/// What a reader finds whose answer was dropped: its end is not the answer's.
#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reader was too slow, and others needed the room")
    }
}

impl std::error::Error for Dropped {}

impl Pieces {
    fn next(&self) -> Option<Result<Bytes, Dropped>> {
        let mut left = self.0.left();
        let Some(bytes) = left.bytes.as_mut() else { return Some(Err(Dropped)) };
        if bytes.is_empty() {
            return None;
        }
        let piece = bytes.split_to(bytes.len().min(PIECE));
        let copy = Bytes::copy_from_slice(&piece);
        // What is not there any more is nothing to be counted.
        if bytes.is_empty() {
            *bytes = Bytes::new();
        }
        left.taken += copy.len();
        Some(Ok(copy))
    }
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Dropped;

    fn poll_frame(self: Pin<&mut Pieces>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Dropped>>> {
        Poll::Ready(self.next().map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.left().bytes.as_ref().is_some_and(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.left().bytes.as_ref().map_or(0, Bytes::len) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1 << 10;

    /// What one reads in a second who keeps up.
    const SECOND: usize = 1024 * KIB;
    const _: () = assert!(SECOND as u64 == PACE);

    fn of_room(room: usize) -> Arc<Outgoing> {
        let outgoing = Arc::new(Outgoing::default());
        outgoing.has_room(room);
        outgoing
    }

    fn answer(bytes: usize) -> Bytes {
        Bytes::from(vec![b'x'; bytes])
    }

    #[test]
    fn what_is_taken_makes_room() {
        let (outgoing, now) = (of_room(100 * KIB), Instant::now());
        let one = outgoing.taken(answer(60 * KIB), now).expect("there is room");
        // Two wait for the same answer, which counts once.
        let (first, second) = (outgoing.pieces(one.clone(), now), outgoing.pieces(one, now));
        assert_eq!(outgoing.held().bytes, 60 * KIB);
        assert!(outgoing.taken(answer(60 * KIB), now).is_none());
        assert!(outgoing.taken(answer(SMALL), now).is_some(), "small ones do not count");
        let read = |pieces: &Pieces| -> usize {
            std::iter::from_fn(|| pieces.next()).map(|piece| piece.expect("it is there").len()).sum()
        };
        assert_eq!(read(&first), 60 * KIB);
        assert_eq!(outgoing.held().bytes, 60 * KIB);
        assert_eq!(read(&second), 60 * KIB);
        assert_eq!(outgoing.held().bytes, 0);
        assert!(outgoing.taken(answer(60 * KIB), now).is_some());
    }

    #[test]
    fn one_that_is_larger_than_the_room_is_there_alone() {
        let (outgoing, now) = (of_room(20 * KIB), Instant::now());
        let large = outgoing.taken(answer(90 * KIB), now);
        assert!(large.is_some() && outgoing.taken(answer(17 * KIB), now).is_none());
        drop(large);
        assert!(outgoing.taken(answer(17 * KIB), now).is_some());
    }

    #[test]
    fn the_furthest_behind_makes_room() {
        let (outgoing, start) = (of_room(4 * SECOND), Instant::now());
        let after = |ms| start + Duration::from_millis(ms);
        let read = |at| outgoing.pieces(outgoing.taken(answer(SECOND), start).expect("there is room"), at);
        let (first, second, third, fourth) = (read(start), read(after(100)), read(start), read(after(900)));
        // The third keeps up with the pace.
        while third.0.left().taken < SECOND / 2 {
            assert!(third.next().is_some_and(|piece| piece.is_ok()));
        }
        // A piece held by a connection holds nothing else.
        let held = first.next().expect("a piece").expect("it is there");
        assert!(outgoing.taken(answer(SECOND), after(999)).is_none(), "nobody is behind");
        assert!(outgoing.taken(answer(SECOND), after(1200)).is_some());
        let is_dropped = |pieces: &Pieces| pieces.next().is_some_and(|piece| piece.is_err());
        assert!(is_dropped(&first) && !is_dropped(&second) && !is_dropped(&third) && !is_dropped(&fourth));
        assert_eq!(held.len(), PIECE);
        // As many as it takes, and no more.
        let two = outgoing.taken(answer(2 * SECOND), after(1400));
        assert!(two.is_some() && is_dropped(&second) && !is_dropped(&third) && !is_dropped(&fourth));
        assert!(outgoing.taken(answer(SECOND), after(1400)).is_none());
        drop((two, third, fourth));
        assert_eq!(outgoing.held().bytes, 0);
    }

    #[test]
    fn who_finds_no_room_is_told_to_come_again() {
        let outgoing = of_room(40 * KIB);
        let first = outgoing.counted(Response::new(answer(30 * KIB)));
        assert_eq!(first.status(), 200);
        let second = outgoing.counted(Response::new(answer(30 * KIB)));
        assert_eq!((second.status().as_u16(), &second.headers()["retry-after"]), (503, &HeaderValue::from_static("1")));
    }
}
