//! Settings of the whole scheduler that stand where a queue has none of its own. Each is read once, and refused only
//! when a queue asks for it.

use super::error::CapacityFileError;
use super::settings::sorting_class;
use super::source::{PREFIX, Source};
use crate::java;

type Read<T> = Result<T, CapacityFileError>;

const AM_PERCENT: &str = "maximum-am-resource-percent";
const USER_LIMIT: &str = "minimum-user-limit-percent";
const USER_LIMIT_FACTOR: &str = "user-limit-factor";
const MAX_PARALLEL_APPS: &str = "max-parallel-apps";
const QUEUE_DEPTH: &str = "auto-queue-creation-v2.maximum-queue-depth";
const SORTING_POLICY: &str = "multi-node-sorting.policy";

#[derive(Debug)]
pub(super) struct Defaults {
    am_percent: Read<f32>,
    user_limit: Read<f32>,
    user_limit_factor: Read<f32>,
    max_parallel_apps: Read<i32>,
    queue_depth: Read<i32>,
    /// Its class.
    sorting_policy: Read<Option<String>>,
    /// Whether monitors run, without which there is no preemption.
    pub(super) monitors: bool,
    /// Whether there is preemption within queues.
    pub(super) preemption_within: bool,
}

impl Defaults {
    pub(super) fn read(source: &Source<'_>) -> Defaults {
        let name = |tail: &str| format!("{PREFIX}{tail}");
        Defaults {
            am_percent: source.float(&name(AM_PERCENT), 0.1),
            user_limit: source.float(&name(USER_LIMIT), 100.0),
            user_limit_factor: source.float(&name(USER_LIMIT_FACTOR), 1.0),
            max_parallel_apps: source.int(&name(MAX_PARALLEL_APPS), i32::MAX),
            queue_depth: source.int(&name(QUEUE_DEPTH), 2),
            sorting_policy: source
                .text(&name(SORTING_POLICY))
                .filter(|policy| !policy.is_empty())
                .map(|policy| sorting_class(source, &policy))
                .transpose(),
            monitors: source.flag("yarn.resourcemanager.scheduler.monitor.enable", false),
            preemption_within: source
                .flag("yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled", false),
        }
    }

    /// The share of application masters for a label: the label's, the queue's or the cluster's.
    pub(super) fn am_percent(&self, source: &Source<'_>, queue: &str, label: &str) -> Read<f32> {
        let of_queue = source.float(&Source::of(queue, AM_PERCENT), self.am_percent.clone()?)?;
        if label.is_empty() {
            Ok(of_queue)
        } else {
            source.float(&Source::of_label(queue, label, AM_PERCENT), of_queue)
        }
    }

    pub(super) fn user_limit(&self, source: &Source<'_>, queue: &str) -> Read<f32> {
        source.float(&Source::of(queue, USER_LIMIT), self.user_limit.clone()?)
    }

    pub(super) fn user_limit_factor(&self, source: &Source<'_>, queue: &str) -> Read<f32> {
        source.float(&Source::of(queue, USER_LIMIT_FACTOR), self.user_limit_factor.clone()?)
    }

    /// The queue's own is not trimmed, and where there is one the default is not asked for.
    pub(super) fn max_parallel_apps(&self, source: &Source<'_>, queue: &str) -> Read<i32> {
        source.bare_int(&Source::of(queue, MAX_PARALLEL_APPS))?.map_or_else(|| self.max_parallel_apps.clone(), Ok)
    }

    /// So many levels of queues may make themselves below this one.
    pub(super) fn queue_depth(&self, source: &Source<'_>, queue: &str) -> Read<i32> {
        source.int(&Source::of(queue, QUEUE_DEPTH), self.queue_depth.clone()?)
    }

    /// The queue's own policy for sorting nodes, and the class of the one that holds there. Where it has none of its
    /// own, the cluster's must be good.
    pub(super) fn sorting_policy(&self, source: &Source<'_>, queue: &str) -> Read<(Option<String>, Option<String>)> {
        let Some(policy) = source.text(&Source::of(queue, SORTING_POLICY)) else {
            return self.sorting_policy.clone().map(|class| (None, class));
        };
        if policy.is_empty() {
            return Ok((Some(policy), None));
        }
        let class = sorting_class(source, &policy)?;
        Ok((Some(java::trim(&policy).to_owned()), Some(class)))
    }
}
