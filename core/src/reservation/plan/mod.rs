//! A plan: what is promised of a queue's resources, to whom, and when.
//!
//! Follows `InMemoryPlan` of Hadoop 3.4.2. [`PlanBooks`] has the figures, [`PlanView`] what is left by the rules of a
//! [`SharingPolicy`], [`Plan`] the ways in and out.

mod books;

mod found;

mod keeping;

mod view;

pub use books::{PlanBooks, PlanTerms};
pub use keeping::Plan;
pub use view::{PlanView, SharingPolicy};
