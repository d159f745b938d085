//! The CapacityScheduler on the engine: its decider, its part of the control, and their books.
//!
//! # Where it stands
//! The engine calls it by [`Decider`](crate::engine::decider::Decider) and [`ControlPart`](crate::engine::control::ControlPart). With one
//! worker it decides as Hadoop does. What several do otherwise says `docs/capacity.md`.

mod types;

mod published;

mod configuration;

mod settings;

mod books;

mod terms;

mod transit;

mod message;

mod parts;

mod decider;

mod asks;

mod pass;

mod commit;

mod known;

mod told;

mod anew;

mod victims;

mod preempting;

mod survey;

mod surveying;

mod moving;

mod folding;

mod overcommit;

pub(crate) mod control;

mod views;

mod explaining;

mod watching;

#[cfg(feature = "faults")]
mod audit;

pub use configuration::CapacityConfiguration;
pub(crate) use configuration::Refresh;
pub use control::Lifetime;
pub(crate) use control::{CapacityCall, CapacityControl, NoPlans};
pub(crate) use explaining::Waits;
pub use settings::Unsupported;
pub(crate) use surveying::{called, order_round};
pub use terms::SubmitTerms;
pub(crate) use types::{CapacityDecider, Shard as CapacityShard};
pub(crate) use views::capacity_stats;
pub use views::{
    CapacityAppView, CapacityLeafView, CapacityNotOffered, CapacityQueueView, CapacityStats, CapacityUserView,
};
