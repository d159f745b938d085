//! Views for the embedder: `current` reads shared figures on the caller's thread; `inspect` and `requests` ask the
//! workers. `audit` compares all records, for tests.

#[cfg(not(loom))]
pub(crate) mod current;

#[cfg(not(loom))]
pub(crate) mod inspect;

#[cfg(not(loom))]
pub(crate) mod requests;

#[cfg(all(feature = "faults", not(loom)))]
pub(crate) mod audit;
