//! What a worker does besides the stages: it takes messages and snapshots over, counts usage, folds in what the others
//! have done, and begins anew after a panic.

pub(crate) mod handling;

mod prefetching;

pub(crate) mod adopt;

pub(crate) mod paths;

pub(crate) mod reconcile;

pub(crate) mod label_rooms;

mod nodes;

pub(crate) mod reserving;

mod expiry;

pub(crate) mod attempts;

mod recovering;

pub(crate) mod restart;
