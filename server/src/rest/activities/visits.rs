//! Visits of an application, as Hadoop's `AppAllocation` has them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use evenweave::parts::java::hash_order;
use evenweave::reason::{AppEnd, AppVisited};

use super::names::Names;
use super::words::{Level, NOTHING_WANTED, Said, of_app, of_try};
use crate::rest::app::request_id;

/// One try of a visit.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) said: Said,
    /// Priority and allocation request id; `None`: the application as a whole.
    pub(super) request: Option<(i32, i64)>,
    /// The node's id, where the node was looked at.
    pub(super) node: Option<String>,
}

/// A visit.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) node: Option<String>,
    pub(super) time_ms: u64,
    pub(super) queue: String,
    pub(super) priority: i32,
    pub(super) said: Said,
    pub(super) attempts: Vec<Attempt>,
}

impl Attempt {
    /// As Hadoop groups by it.
    pub(super) fn group(&self) -> String {
        match self.request {
            Some((priority, id)) => format!("{priority}_{id}"),
            None => "null_null".to_owned(),
        }
    }
}

pub(super) fn visit(of: &AppVisited, names: &Names<'_>) -> Visit {
    let node = names.node(&of.node);
    let mut attempts = Vec::new();
    if of.app.end == AppEnd::NothingWanted {
        attempts.push(Attempt { said: Said::because("SKIPPED", NOTHING_WANTED), request: None, node: None });
    }
    for key in &of.app.keys {
        for end in &key.ends {
            let (level, said) = of_try(end, names.basics);
            let node = (level == Level::Node).then(|| node.clone());
            attempts.push(Attempt { said, request: Some((key.priority, request_id(key.allocation_request_id))), node });
        }
    }
    let queue = of.app.queue.rsplit('.').next().unwrap_or_default().to_owned();
    let said = of_app(of.app.end, of.is_of_reservation);
    Visit { node: Some(node), time_ms: of.time_ms, queue, priority: of.app.priority, said, attempts }
}

/// What is wanted of visits.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) priorities: HashSet<i32>,
    pub(super) ids: HashSet<i64>,
}

impl Wanted {
    /// With the tries of these alone; of visits without any none.
    pub(super) fn of(&self, visits: Vec<Visit>) -> Vec<Visit> {
        if self.priorities.is_empty() && self.ids.is_empty() {
            return visits;
        }
        let is_wanted = |attempt: &Attempt| match attempt.request {
            Some((priority, id)) => {
                (self.priorities.is_empty() || self.priorities.contains(&priority))
                    && (self.ids.is_empty() || self.ids.contains(&id))
            }
            None => false,
        };
        let mut visits = visits;
        visits.iter_mut().for_each(|visit| visit.attempts.retain(is_wanted));
        visits.retain(|visit| !visit.attempts.is_empty());
        visits
    }
}

/// The last visits of so many ms as one: of each request on each node the last try.
pub(super) fn summary(visits: &[Visit], within_ms: i64) -> Option<Visit> {
    let last = visits.last()?;
    let since = i128::from(last.time_ms) - i128::from(within_ms);
    let (mut names, mut found): (Vec<String>, HashMap<String, Attempt>) = Default::default();
    for visit in visits.iter().rev().take_while(|visit| i128::from(visit.time_ms) >= since) {
        for attempt in &visit.attempts {
            let name = format!("{}_{}", attempt.group(), attempt.node.as_deref().unwrap_or("null"));
            if let Entry::Vacant(free) = found.entry(name) {
                names.push(free.key().clone());
                free.insert(attempt.clone());
            }
        }
    }
    let order = hash_order(names.iter().map(String::as_str));
    let attempts = order.into_iter().filter_map(|name| found.remove(name)).collect();
    Some(Visit { node: None, attempts, ..last.clone() })
}
