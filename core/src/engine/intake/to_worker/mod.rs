//! Messages to a worker: the embedder's (`external`) and those of the core's own threads (`internal`).

mod asks;

mod report;

mod external;

mod internal;

pub(crate) use asks::{AskChange, AskGroup, AskRow, Asked, Asking, OneGroup, grouped};
pub(crate) use external::{External, Parcel, not_taken};
pub(crate) use internal::{
    AskNews, GiveBack, Internal, Look, News, NewsKind, Recovery, RelabelledNode, Round, Successor,
};
pub use report::Heartbeat;
pub(crate) use report::Report;
