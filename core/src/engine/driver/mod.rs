//! Drivers: who calls the stages, and what comes by time.

pub(crate) mod threads_and_steps;

pub(crate) mod steps;

pub(crate) mod runner;
