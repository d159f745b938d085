//! Answers that wait to be taken by those who have asked for them.
//!
//! An answer stays in memory until its reader has taken the last of it. Small ones are bounded by the number of
//! connections. All large ones together have room for so many bytes; one that several readers wait for counts once.
//! Where that is used up, no further one is worked out until there is room again, so what is held exceeds it by the
//! answers of as many turns as there are. Room is made by those who are the furthest behind a pace that any network
//! has: what is left of their answers is dropped, and their connections end.
//!
//! ```text
//! turn ──> room (waits) ──> work ──> counted ──> sent ──> pieces, one at a time ──> connection
//! ```

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Response;
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

/// How often it is looked whether there is room again.
const LOOK_EVERY: Duration = Duration::from_millis(50);

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

impl Drop for Counted {
    fn drop(&mut self) {
        self.of.held().bytes -= self.body.len();
    }
}

/// Those who read the same own it together.
struct ReadBy(Arc<Counted>);

impl AsRef<[u8]> for ReadBy {
    fn as_ref(&self) -> &[u8] {
        &self.0.body
    }
}

/// An answer that is kept to be told again. Whoever keeps it bounds how many he keeps; it counts while somebody reads
/// it.
pub(crate) struct Again {
    answer: Response<Bytes>,
    read: Weak<Counted>,
}

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Again").field("bytes", &self.answer.body().len()).finish_non_exhaustive()
    }
}

impl Again {
    pub(crate) fn new(answer: Response<Bytes>) -> Again {
        Again { answer, read: Weak::new() }
    }

    /// The answer for one more reader. It counts once, however many read it.
    pub(crate) fn told(&mut self, outgoing: &Arc<Outgoing>) -> Response<Bytes> {
        self.answer.clone().map(|body| outgoing.counts(body, &mut self.read))
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

    /// Sets how many bytes there is room for.
    pub(crate) fn has_room(&self, bytes: usize) {
        self.held().room = bytes;
    }

    /// Waits until there is room. Whoever works large answers out waits here, with his turn.
    pub(crate) async fn room(&self) {
        // What is dropped may be little, and an answer that others wait for stays: so it is looked again after each.
        while !self.is_there_room() {
            if !self.makes_room(Instant::now()) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }

    fn is_there_room(&self) -> bool {
        let held = self.held();
        held.bytes < held.room
    }

    /// Drops what is left of the answer of him who is the furthest behind; whether there is such a one. O(readers).
    fn makes_room(&self, now: Instant) -> bool {
        // Looked at and dropped outside of the lock, which is taken when the last of an answer goes.
        let readings: Vec<Arc<Reading>> = {
            let mut held = self.held();
            held.readings.retain(|reading| reading.strong_count() > 0);
            held.readings.iter().filter_map(Weak::upgrade).collect()
        };
        let behind = readings.iter().filter_map(|reading| Some((reading.behind(now)?, reading)));
        let furthest = behind.filter(|(behind, _)| *behind >= GRACE).max_by_key(|(behind, _)| *behind);
        let Some((behind, reading)) = furthest else { return false };
        tracing::debug!(?behind, "what is left of an answer is dropped to make room");
        drop(reading.left().bytes.take());
        true
    }

    /// An answer that counts from now on.
    pub(crate) fn counted(self: &Arc<Outgoing>, answer: Response<Bytes>) -> Response<Bytes> {
        answer.map(|body| self.counts(body, &mut Weak::new()))
    }

    /// `read`: those who read these bytes already.
    fn counts(self: &Arc<Outgoing>, body: Bytes, read: &mut Weak<Counted>) -> Bytes {
        if body.len() <= SMALL {
            return body;
        }
        let counted = read.upgrade().unwrap_or_else(|| {
            self.held().bytes += body.len();
            Arc::new(Counted { body, of: self.clone() })
        });
        *read = Arc::downgrade(&counted);
        Bytes::from_owner(ReadBy(counted))
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

    fn of_room(room: usize) -> Arc<Outgoing> {
        let outgoing = Arc::new(Outgoing::default());
        outgoing.has_room(room);
        outgoing
    }

    fn counted(outgoing: &Arc<Outgoing>, bytes: usize) -> Bytes {
        outgoing.counted(Response::new(Bytes::from(vec![b'x'; bytes]))).into_body()
    }

    #[test]
    fn what_is_taken_makes_room() {
        let (outgoing, now) = (of_room(60 * KIB), Instant::now());
        let one = counted(&outgoing, 60 * KIB);
        // Two wait for the same answer, which counts once.
        let (first, second) = (outgoing.pieces(one.clone(), now), outgoing.pieces(one, now));
        let small = counted(&outgoing, SMALL);
        assert_eq!((outgoing.held().bytes, small.len()), (60 * KIB, SMALL), "small ones do not count");
        assert!(!outgoing.is_there_room() && !outgoing.makes_room(now));
        let read = |pieces: &Pieces| -> usize {
            std::iter::from_fn(|| pieces.next()).map(|piece| piece.expect("it is there").len()).sum()
        };
        assert_eq!(read(&first), 60 * KIB);
        assert_eq!(outgoing.held().bytes, 60 * KIB);
        assert_eq!(read(&second), 60 * KIB);
        assert_eq!(outgoing.held().bytes, 0);
        assert!(outgoing.is_there_room());
    }

    #[test]
    fn the_furthest_behind_makes_room() {
        let (outgoing, start, mib) = (of_room(4 << 20), Instant::now(), 1 << 20);
        let after = |ms| start + Duration::from_millis(ms);
        let read = |at| outgoing.pieces(counted(&outgoing, mib), at);
        let (first, second, third, fourth) = (read(start), read(after(100)), read(start), read(after(900)));
        // The third keeps up with the pace.
        while third.0.left().taken < mib / 2 {
            assert!(third.next().is_some_and(|piece| piece.is_ok()));
        }
        // A piece held by a connection holds nothing else.
        let held = first.next().expect("a piece").expect("it is there");
        assert!(!outgoing.makes_room(after(999)), "nobody is behind");
        let dropped = |pieces: [&Pieces; 4]| pieces.map(|pieces| pieces.0.left().bytes.is_none());
        assert!(outgoing.makes_room(after(1200)));
        assert_eq!((dropped([&first, &second, &third, &fourth]), held.len()), ([true, false, false, false], PIECE));
        assert_eq!(outgoing.held().bytes, 3 * mib);
        assert!(first.next().is_some_and(|piece| piece.is_err()), "its end is not the answer's");
        assert!(outgoing.makes_room(after(1400)) && !outgoing.makes_room(after(1400)));
        assert_eq!(dropped([&first, &second, &third, &fourth]), [true, true, false, false]);
        drop((third, fourth));
        assert_eq!(outgoing.held().bytes, 0);
    }

    #[test]
    fn what_is_kept_counts_while_it_is_read() {
        let outgoing = of_room(40 * KIB);
        let mut kept = Again::new(Response::new(Bytes::from(vec![b'x'; 90 * KIB])));
        assert!(outgoing.is_there_room(), "nobody reads it");
        for _ in 0..2 {
            let readers = [kept.told(&outgoing), kept.told(&outgoing)];
            assert_eq!(outgoing.held().bytes, 90 * KIB, "once");
            let [first, second] = readers.map(Response::into_body);
            drop(first);
            assert_eq!(outgoing.held().bytes, 90 * KIB);
            drop(second);
            assert_eq!(outgoing.held().bytes, 0);
        }
    }

    #[tokio::test]
    async fn readers_are_dropped_until_there_is_room() {
        let outgoing = of_room(40 * KIB);
        let Some(long_ago) = Instant::now().checked_sub(2 * GRACE) else { panic!("the clock is too young") };
        let one = counted(&outgoing, 90 * KIB);
        // The one who is dropped first frees nothing: another reads the same.
        let readers = [outgoing.pieces(one.clone(), long_ago), outgoing.pieces(one, long_ago)];
        outgoing.room().await;
        assert_eq!(outgoing.held().bytes, 0);
        assert!(readers.iter().all(|reader| reader.0.left().bytes.is_none()));
    }

    #[tokio::test]
    async fn who_works_an_answer_out_waits_for_room() {
        let outgoing = of_room(40 * KIB);
        outgoing.room().await;
        let large = counted(&outgoing, 90 * KIB);
        let waits = tokio::spawn({
            let outgoing = outgoing.clone();
            async move { outgoing.room().await }
        });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!waits.is_finished());
        drop(large);
        waits.await.expect("there is room");
    }
}
