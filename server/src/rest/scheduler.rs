//! `/scheduler`. The answer comes from `fair` or `capacity`, as the scheduler is one or the other.

use super::request::{Asked, Outcome};
use crate::manager::ResourceManager;
use crate::scheduler::Kind;

pub(crate) fn scheduler(of: &ResourceManager, _: &Asked) -> Outcome {
    match of.scheduler().basics().kind {
        Kind::Fair => super::fair::scheduler(of),
        Kind::Capacity => super::capacity::scheduler(of),
    }
}
