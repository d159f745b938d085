//! The rules, as pure functions and plain data: what queues, users and applications may have, and whether a node's room
//! is theirs. Follows the queue classes, `UsersManager` and `RegularContainerAllocator` of Hadoop 3.4.2; the rules
//! themselves are in `docs/rules/capacity.md`.
//!
//! Nothing here knows the engine, a worker or a thread: whoever calls a rule brings what it is about.

pub(crate) mod arith;

pub(crate) mod partition;

pub(crate) mod candidates;

pub(crate) mod managed;

pub(crate) mod making;

pub(crate) mod reserved;

pub(crate) mod tree;

pub(crate) mod users;

pub(crate) mod user_limit_figures;

pub(crate) mod leaf;

pub(crate) mod order;

pub(crate) mod ordered;

pub(crate) mod tried;

pub(crate) mod allocator;

pub(crate) mod observer;

pub(crate) mod heap;

pub(crate) mod killable;

pub(crate) mod preemption;

pub(crate) mod preempted;
