//! A stepped scheduler beside a slow, plain account of what it must have done.
//!
//! [`Shape`] is a cluster with its queues and settings, [`Op`] one operation; both can be made from any bytes, so that
//! property tests and fuzzing share them; a [`Case`] is both. [`World::step`] does an operation and compares every
//! book.
//!
//! `calls` does an operation and says what must end by it, `account` enters what the step says that it did, `compare`
//! looks at every view, `ending` at what is left when everything is served or over. `books` has the plain account
//! itself.

#![allow(dead_code, reason = "each user needs a part of it")]
#![allow(missing_docs, reason = "a test's helpers")]

/// Fails with the text unless the condition holds.
macro_rules! hold {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err(format!($($text)*));
        }
    };
}

#[path = "../container_counts/mod.rs"]
mod container_counts;

mod account;
mod books;
mod calls;
mod case;
mod compare;
mod counts;
mod ending;
mod op;
mod shape;
mod world;

#[allow(unused_imports, reason = "each user needs a part of it")]
pub(crate) use {
    books::NEWEST,
    case::Case,
    counts::Counts,
    op::{OP, kind},
    shape::SHAPE,
    world::World,
};
