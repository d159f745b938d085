//! What applications ask for, as their home workers know it.
//!
//! # Where it stands
//! Plain code over one shard, as `inspect`: nothing here is on the path of a heartbeat.

use crate::engine::decider::Decider;
use crate::engine::intake::locations::ANY;
use crate::engine::shard::Shard;
use crate::id::AttemptId;
use crate::resource::Resource;
use crate::resource::sorted;
use rustc_hash::FxHashMap;

/// An outstanding request of an application at one location.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RequestView {
    /// The attempt that asks.
    pub attempt: AttemptId,
    /// The priority. A smaller number is tried first.
    pub priority: i32,
    /// The [`allocation_request_id`](crate::Ask::allocation_request_id) of the ask.
    pub allocation_request_id: i64,
    /// `*`, a rack or a node.
    pub location: String,
    /// The size of a container.
    pub resource: Resource,
    /// How many are outstanding.
    pub count: u32,
    /// Whether a less near location is allowed.
    pub relax: bool,
    /// The label of the nodes that are wanted: that of the ask at `*`. Empty for none.
    pub label: String,
}

impl<D: Decider> Shard<D> {
    /// What the applications whose home is here ask for: by application, then in the order in which keys are tried, `*`
    /// before racks and nodes. Where nothing is left at `*` that is not there, and what is left at racks and nodes is,
    /// as in Hadoop. O(what is asked for + names that are known).
    pub(crate) fn request_views(&self) -> Vec<RequestView> {
        let mut found = Vec::new();
        let labels = &self.snapshot.structure.labels;
        let at_home = self.apps.iter().flatten().filter(|app| app.shared.home == self.worker && !app.closed);
        for app in at_home {
            let attempt = AttemptId { application: app.shared.id, number: app.shared.attempt };
            for key in &app.keys {
                let view = |resource: Resource, count: u32, relax: bool| RequestView {
                    attempt,
                    priority: key.priority,
                    allocation_request_id: key.allocation_request_id,
                    location: String::new(),
                    resource,
                    count,
                    relax,
                    label: labels.name_of(key.label).unwrap_or_default().to_owned(),
                };
                let left = key.total();
                if left > 0 {
                    found.push((ANY, view(key.size, left, key.relax)));
                }
                let rows = key.named().into_iter().flat_map(|rows| rows.iter()).filter(|row| row.present());
                found.extend(rows.map(|row| (row.location, view(*row.size(), row.left(), row.relax()))));
            }
        }
        let mut names: FxHashMap<u32, String> = found.iter().map(|(number, _)| (*number, String::new())).collect();
        self.shared.locations.tell_names(&mut names);
        let named = |(number, mut view): (u32, RequestView)| {
            view.location.clone_from(&names[&number]);
            view
        };
        let mut views: Vec<RequestView> = found.into_iter().map(named).collect();
        sorted::by_key(&mut views, |view| view.attempt);
        views
    }
}
