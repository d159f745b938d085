//! The scheduler under load, behind one small trait.

pub(crate) mod figures;

mod under_load;

mod running;

mod capacity;

mod fair;

pub(crate) use capacity::{Capacity, CapacityParts};
pub(crate) use fair::{Locked, Parts, Threaded};
pub(crate) use figures::Totals;
pub(crate) use under_load::{CLUSTER_TIMESTAMP, Engine, NODE_PORT, Pending, Wake};
