//! Matching: which ask fits which node.
//!
//! Plain functions over plain values. What they are asked about lies with a worker; who asks is a decider.

pub(crate) mod blacklist;

pub(crate) mod delay;

pub(crate) mod number;

pub(crate) mod size;
