//! The edge: an AM's call, on the caller's thread.

pub(crate) mod allocate;

pub(crate) mod label_of_ask;

pub(crate) mod warnings;
