//! What is asked of a scheduler, and the values that it answers with.

use evenweave::config::capacity::{CapacitySettings, QueueTemplates};
use evenweave::config::{Diagnostic, QueueAccess};
use evenweave::labels::{NewLabel, StoredLabels};
use evenweave::reason::{Reason, Watch, Watched};
use evenweave::refused::NotFound;
use evenweave::resource::{Calculator, ResourceTypes};
use evenweave::view::{
    AllocatedView, CapacityAppPartitionView, CapacityQueueView, CapacityStats, ContainerCounts, ContainerView,
    LabelView, NodeView, QueueView, RequestView, Stats,
};
use evenweave::{AppHandle, Refused, Resource, Settings};

use super::booking::Booking;
use super::kind::Kind;
use super::refresh::{NotRefreshed, QueuesText};

/// What stays as it is while a scheduler runs.
#[derive(Clone, Debug)]
pub struct Basics {
    /// Which it is.
    pub kind: Kind,
    /// The resource types.
    pub types: ResourceTypes,
    /// The least that a container has.
    pub minimum: Resource,
    /// The most that one may have, as configured.
    pub maximum: Resource,
    /// `yarn.acl.enable`
    pub acls: bool,
    /// `yarn.cluster.max-application-priority`
    pub max_priority: i32,
    /// `yarn.node-labels.enabled`, of a CapacityScheduler; a FairScheduler has no labels.
    pub labels: bool,
    /// Parts of a whole go by the type of which most is used, not by memory.
    pub dominant: bool,
    /// Names of scheduling policies that the embedder brings: a FairScheduler's queues may have them.
    pub policies: Vec<String>,
}

impl Basics {
    /// Of a FairScheduler with these settings.
    #[must_use]
    pub fn of_fair(settings: &Settings) -> Basics {
        Basics {
            kind: Kind::Fair,
            types: settings.types.clone(),
            minimum: settings.minimum,
            maximum: settings.maximum,
            acls: settings.acl_enable,
            max_priority: 0,
            labels: false,
            dominant: false,
            policies: Vec::new(),
        }
    }

    /// Of a CapacityScheduler with these settings.
    #[must_use]
    pub fn of_capacity(settings: &CapacitySettings) -> Basics {
        Basics {
            kind: Kind::Capacity,
            types: settings.types.clone(),
            minimum: settings.minimum,
            maximum: settings.maximum,
            acls: settings.acl_enable,
            max_priority: settings.max_application_priority,
            labels: settings.node_labels.enabled,
            dominant: settings.calculator == Calculator::Dominant,
            policies: Vec::new(),
        }
    }
}

/// A queue of a FairScheduler, with what metrics keep of it.
#[derive(Clone, Debug)]
pub struct FairQueue {
    /// As the scheduler shows it.
    pub view: QueueView,
    /// What AMs may use, as of the last time that one was held against it.
    pub am_limit: Resource,
    /// `maxAMShare`, as it is configured.
    pub max_am_share: f32,
}

/// An application that has not ended, as its scheduler has it.
#[derive(Clone, Debug)]
pub struct AppFigures {
    /// The number.
    pub number: u32,
    /// Its leaf queue's full name.
    pub queue: String,
    /// What its containers use, whatever their nodes.
    pub used: Resource,
    /// What its queue may use of the cluster: what part of the queue an application uses is told by it.
    pub queue_part: Resource,
    /// The nodes of which that is a part: all of them, or those with the label of its ApplicationMaster.
    pub nodes: Resource,
    /// Its priority, where the scheduler has such.
    pub priority: Option<i32>,
    /// It does not wait for a limit of applications that run at once.
    pub runnable: bool,
    /// What a CapacityScheduler has besides.
    pub of_capacity: Option<OfCapacity>,
}

/// What a CapacityScheduler has of an application.
#[derive(Clone, Debug)]
pub struct OfCapacity {
    /// Its queue orders applications by what they use.
    pub by_fairness: bool,
    /// What its containers use, on nodes without a label.
    pub used: Resource,
    /// By its reservations there.
    pub reserved: Resource,
    /// What it asks for there.
    pub pending: Resource,
    /// The same of nodes with a label, by label.
    pub partitions: Vec<CapacityAppPartitionView>,
    /// The label of the nodes where its ApplicationMaster counts; empty for none.
    pub am_label: String,
    /// What its ApplicationMaster counts as.
    pub am: Resource,
    /// It is among those that are offered nodes.
    pub is_active: bool,
    /// It counts as one that asks, by which its user is active.
    pub asks: bool,
}

/// What the last passes of a CapacityScheduler came to.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// When one was last made, in ms since 1970; 0 before.
    pub last_run_ms: u64,
    /// The node of the last container, and its queue.
    pub last_allocation: Option<(String, String)>,
    /// The node of the last container that ended, its id, and its queue.
    pub last_release: Option<(String, String, String)>,
    /// The same of the last that was preempted.
    pub last_preemption: Option<(String, String, String)>,
    /// The node of the last reservation, and its queue.
    pub last_reservation: Option<(String, String)>,
    /// Of the last pass: how many containers had ended, and what they had.
    pub releases: (i64, Resource),
    /// How many were made, and what they have.
    pub allocations: (i64, Resource),
    /// How many reservations were made, and of what.
    pub reservations: (i64, Resource),
}

/// What a scheduler has done since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Containers granted.
    pub granted: u64,
    /// Of these, on a node that was asked for.
    pub node_local: u64,
    /// Of these, on a rack that was asked for and on no such node.
    pub rack_local: u64,
    /// Containers that have ended.
    pub completed: u64,
    /// Containers that live.
    pub running: u64,
    /// Heartbeats worked off.
    pub heartbeats: u64,
    /// How old the shares are, in ms; 0 where there are none.
    pub snapshot_age_ms: u64,
    /// How often shares were computed, and how long that took.
    pub updates: Updates,
}

/// How long computing shares has taken since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updates {
    /// How often.
    pub count: u64,
    /// In all, in ms.
    pub total_ms: u64,
    /// The longest, in ms.
    pub longest_ms: u64,
}

impl From<Stats> for Counts {
    fn from(stats: Stats) -> Counts {
        let Stats { granted, node_local, rack_local, completed, running, heartbeats, snapshot_age_ms, .. } = stats;
        let Stats { updates: count, update_total_ms: total_ms, update_longest_ms: longest_ms, .. } = stats;
        let updates = Updates { count, total_ms, longest_ms };
        Counts { granted, node_local, rack_local, completed, running, heartbeats, snapshot_age_ms, updates }
    }
}

impl From<CapacityStats> for Counts {
    fn from(stats: CapacityStats) -> Counts {
        let CapacityStats { granted, node_local, rack_local, completed, running, heartbeats, .. } = stats;
        Counts {
            granted,
            node_local,
            rack_local,
            completed,
            running,
            heartbeats,
            snapshot_age_ms: 0,
            updates: Updates::default(),
        }
    }
}

/// Why an application waits: one reason, in words.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Why {
    /// Priority and allocation request id of the request key that it is about; `None`: it is about all of them.
    pub key: Option<(i32, i64)>,
    /// How many nodes it is about, and the first of them; `None`: it stands whatever the node.
    pub nodes: Option<(usize, String)>,
    /// What stands against it, without a full stop.
    pub what: String,
}

impl Why {
    /// In words that are made of a reason's own.
    pub(super) fn told<W>(reason: Reason<W>, what: impl Fn(&W) -> String) -> Why {
        Why { key: reason.key, nodes: reason.nodes, what: what(&reason.wait) }
    }
}

/// The calls of whoever answers that are the same for both schedulers.
pub trait Common: Send + Sync {
    /// What does not change.
    fn basics(&self) -> &Basics;
    /// The sum of all nodes.
    fn cluster(&self) -> Resource;
    /// What it has done.
    fn counts(&self) -> Counts;
    /// The most that one container may have, now.
    fn largest(&self) -> Resource;
    /// The applications that have not ended.
    fn apps(&self) -> Vec<AppFigures>;
    /// The priority of one that has not ended, where the scheduler has such. It is looked up by its number.
    fn priority(&self, number: u32) -> Option<i32>;
    /// The label of the nodes where the ApplicationMaster of one that has not ended counts; empty for none.
    fn am_label(&self, number: u32) -> String;
    /// The queues of a CapacityScheduler, by path; of another scheduler none.
    fn capacity_queues(&self) -> Vec<CapacityQueueView>;
    /// Its reservation system; none where it can have none.
    fn booking(&self) -> Option<&dyn Booking>;
    /// Why an application waits. Workers are asked, O(nodes × request keys).
    ///
    /// # Errors
    /// What keeps the scheduler from answering.
    fn why_waiting(&self, app: &AppHandle) -> Result<Vec<Why>, Refused>;
    /// Whether there is a queue of that full name.
    fn has_queue(&self, name: &str) -> bool;
    /// The scheduler's own check of a right in a queue.
    fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool;
    /// All present nodes.
    fn nodes(&self) -> Vec<NodeView>;
    /// All containers, also those that have ended and whose room is taken.
    fn containers(&self) -> Vec<ContainerView>;
    /// How many containers applications and nodes have.
    fn container_counts(&self) -> ContainerCounts;
    /// Node labels, the default partition first, and the nodes of each; none where labels are off.
    fn labels(&self) -> Vec<LabelView>;
    /// The labels, and which hosts and nodes have one: also those that are not there.
    fn stored_labels(&self) -> StoredLabels;
    /// The label of each node, `host:port`, or host, `host:0`; empty for none.
    fn node_labels(&self, nodes: &[&str]) -> Vec<String>;
    /// Adds labels.
    ///
    /// # Errors
    /// Why none was added.
    fn add_labels(&self, labels: &[NewLabel]) -> Result<(), Refused>;
    /// Removes labels.
    ///
    /// # Errors
    /// Why none was removed.
    fn remove_labels(&self, labels: &[&str]) -> Result<(), Refused>;
    /// Gives nodes and hosts other labels.
    ///
    /// # Errors
    /// Why none has got one.
    fn set_node_labels(&self, nodes: &[(&str, &[&str])]) -> Result<(), Refused>;
    /// The reservations that stand.
    fn reservations(&self) -> Vec<AllocatedView>;
    /// What applications ask for.
    fn requests(&self) -> Vec<RequestView>;
    /// Whether the user is in `yarn.admin.acl`.
    fn is_admin(&self, user: &str) -> bool;
    /// Ends an application.
    ///
    /// # Errors
    /// When it has ended.
    fn kill(&self, app: &AppHandle) -> Result<(), Refused>;
    /// Moves an application.
    ///
    /// # Errors
    /// What the scheduler says against it.
    fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused>;
    /// Lets a node run empty: it is granted nothing more.
    ///
    /// # Errors
    /// [`NotFound::Node`], or that the scheduler has ended.
    fn decommission_node(&self, node: &str) -> Result<(), Refused>;
    /// Keeps a node that was to run empty.
    ///
    /// # Errors
    /// As of [`decommission_node`](Self::decommission_node).
    fn recommission_node(&self, node: &str) -> Result<(), Refused>;
    /// Takes a node away with all that runs on it.
    ///
    /// # Errors
    /// As of [`decommission_node`](Self::decommission_node).
    fn remove_node(&self, node: &str) -> Result<(), Refused>;
    /// Gives a node another total. What runs on it goes on, if it fits or not.
    ///
    /// # Errors
    /// As of [`decommission_node`](Self::decommission_node), and what the scheduler says against the total.
    fn resize_node(&self, node: &str, total: Resource) -> Result<(), Refused>;
}

/// The calls of whoever answers: those that each driver of each scheduler does in its own way.
pub trait Scheduler: Common {
    /// The queues of a FairScheduler, by name; of another scheduler none.
    fn fair_queues(&self) -> Vec<FairQueue> {
        Vec::new()
    }
    /// What queues begin with that make themselves in a configured queue of a CapacityScheduler.
    fn templates(&self, _queue: &str) -> Option<QueueTemplates> {
        None
    }
    /// What a CapacityScheduler's last passes came to.
    fn health(&self) -> Health {
        Health::default()
    }
    /// What passes of a CapacityScheduler try is told from now on, for [`take_watched`](Self::take_watched).
    fn watch(&self, _what: Watch) {}
    /// What was told since this was last called.
    fn take_watched(&self) -> Watched {
        Watched::default()
    }
    /// Gives an application a priority on behalf of a user; what it comes to.
    ///
    /// # Errors
    /// What the scheduler says against it. The FairScheduler has no priorities: it refuses it, as Hadoop's does, whatever
    /// the application.
    fn set_priority(&self, _by: &str, app: &AppHandle, _priority: i32) -> Result<i32, Refused> {
        Err(NotFound::App(app.number()).into())
    }
    /// Takes the queues of a file; without one those of the file that the scheduler watches. Returns what is probably a
    /// mistake.
    ///
    /// # Errors
    /// Why it has taken nothing of them.
    fn refresh_queues(&self, file: Option<&QueuesText>) -> Result<Vec<Diagnostic>, NotRefreshed>;
}
