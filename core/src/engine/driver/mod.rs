//! Drivers: the code that calls the stages. [`Threads`](threads::Threads) runs them on threads of the scheduler,
//! [`Stepper`](steps::Stepper) on the caller's thread. Both take over a scheduler [at rest](setup::AtRest).

pub(crate) mod setup;

pub(crate) mod threads;

pub(crate) mod steps;

pub(crate) mod runner;

#[cfg(test)]
pub(crate) mod tests;
