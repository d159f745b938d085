//! The ResourceManager's REST interface: one file an endpoint family, each a function from the state and what was asked
//! to an answer (rules/web.md 1 to 4). No HTTP in here: that is the `router`'s.

pub(crate) mod access;

pub(crate) mod activities;

pub(crate) mod app;

pub(crate) mod app_list;

pub(crate) mod request;

pub(crate) mod attempts;

pub(crate) mod body;

pub(crate) mod capacity;

pub(crate) mod changes;

pub(crate) mod cluster;

pub(crate) mod queue_counts;

pub(crate) mod document;

pub(crate) mod errors;

pub(crate) mod fair;

pub(crate) mod filters;

pub(crate) mod format;

pub(crate) mod labels;

pub(crate) mod metrics;

pub(crate) mod nodes;

pub(crate) mod overview;

pub(crate) mod partitions;

pub(crate) mod reservation;

pub(crate) mod resource;

pub(crate) mod rights;

pub(crate) mod scheduler;

pub(crate) mod statistics;

pub(crate) mod plans;
pub(crate) mod waiting;
pub(crate) mod why;
