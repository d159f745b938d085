//! Messages from the embedder to a worker: the external lane.

use super::asks::{AskChange, OneGroup};
use super::report::{Heartbeat, Report};
use crate::event::Refused;
use crate::event::refused::{Gone, TryAgain};
use crate::id::ContainerId;
use crate::sync::channel::{Sender, TrySendError};
use std::cell::Cell;
use std::fmt;

/// A message from the embedder to a worker.
///
/// It is small, because thousands wait in a lane: one core writes them and another reads them, so each cache line is
/// fetched twice. The usual heartbeat and the usual ask are in the message itself; larger ones are boxed.
#[derive(Debug)]
pub(crate) enum External {
    Report(Report),
    /// A heartbeat with more containers than a [`Report`] holds.
    Heartbeat(Box<Heartbeat>),
    Heartbeats(Vec<Heartbeat>),
    /// Asks of one key and size, to the application's home worker.
    Group(OneGroup),
    /// Any other change of asks, to the application's home worker.
    Asks(Box<AskChange>),
    /// A released container, to the worker that granted it.
    Release(ContainerId),
    /// Several released containers of one worker.
    Releases(Vec<ContainerId>),
    /// The worker answers when it comes to this message.
    Barrier(Sender<()>),
}

const _: () = assert!(size_of::<External>() <= 80, "the usual messages set the size");

/// An external message in a cell, so that it is moved as a whole.
///
/// A channel passes a message from call to call in an `Option` or a `Result`, which would keep its own tag in a spare
/// bit pattern of the message. Then each move copies the tag, and the rest as an odd number of bytes in pieces that
/// overlap. A read of a piece that was not written as one piece waits until all earlier writes have finished, also
/// those to other cores' cache lines. A cell has no spare bit patterns.
pub(crate) struct Parcel(Cell<External>);

impl Parcel {
    #[inline]
    pub(crate) fn of(message: External) -> Parcel {
        Parcel(Cell::new(message))
    }

    /// The message, without a move.
    #[inline]
    pub(crate) fn message(&mut self) -> &mut External {
        self.0.get_mut()
    }

    #[inline]
    pub(crate) fn into_message(self) -> External {
        self.0.into_inner()
    }
}

const _: () = assert!(size_of::<Option<Parcel>>() > size_of::<Parcel>(), "no spare bit patterns");

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parcel")
    }
}

/// The refusal for a message that a channel did not take. Not a `From`: a refusal is public, and a parcel is not.
pub(crate) fn not_taken(error: &TrySendError<Parcel>) -> Refused {
    match error {
        TrySendError::Full(_) => Refused::TryAgain(TryAgain::Busy),
        TrySendError::Disconnected(_) => Refused::Gone(Gone::ShutDown),
    }
}
