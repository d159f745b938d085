//! The core, under one name.

pub use evenweave::*;
