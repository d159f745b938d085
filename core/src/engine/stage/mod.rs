//! What happens on a worker, one stage a file, in the order of the story: a node reports, containers end, the node is
//! offered, an AM asks, a container is granted, an attempt is closed.

pub(crate) mod report;

pub(crate) mod container_end;

pub(crate) mod offer;

pub(crate) mod ask;

pub(crate) mod grant;

pub(crate) mod close;
