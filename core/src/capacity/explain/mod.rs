//! Why an application waits: the pass's own refusals, in words.
//!
//! A question makes a pass of which nothing stays, so that what is told is what is done.

pub(crate) mod reasons;

pub(crate) mod obstacles;

pub(crate) mod words;
