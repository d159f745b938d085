//! What a scheduler's decisions are to the control.
//!
//! # Where it stands
//! Each method is named after the moment in which the control calls it, on its own thread, between two messages or
//! within one. The part itself lies in [`Control::own`], what it keeps of a queue in the tree's own record of it.
//!
//! # What a decider may do
//! Read and change its own part, its queues' settings and the tree; call the control: [`start`](Control::start) whoever
//! waited, make and remove queues. A queue whose settings have changed it enters among the dirty ones, so that it is
//! published anew. It never sends to workers: what they have to know is in the structure that follows.

use super::state::{App, Control, WantedAm};
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::intake::submission::{AmRequest, Submission};
use crate::engine::parts::Parts;
use crate::event::Refused;
use crate::id::LabelId;
use crate::reservation::PlanQueues;
use crate::resource::Resource;
use crate::sync::Arc;
#[cfg(feature = "faults")]
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Where a submission goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The leaf queue, which has been made if it was missing.
    pub(crate) leaf: u32,
    /// How large the AM's container counts, if one is asked for.
    pub(crate) am: Option<Resource>,
    /// Of the nodes that the AM's container wants.
    pub(crate) am_label: LabelId,
    /// The ResourceManager keeps the name that was asked for, which lacks the `root.` of the leaf's.
    pub(crate) keeps_name: bool,
}

/// How an application stands: in which leaf queue, and whether it may be offered nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeafEntry {
    pub(crate) leaf: u32,
    pub(crate) runnable: bool,
}

/// What is published of a queue that is the decider's to say.
#[derive(Debug)]
pub(crate) struct QueueTerms<P: Parts> {
    /// No grant takes its usage above this.
    pub(crate) limit: Resource,
    /// The same on nodes of a label, by the label's number; none where that is not looked at by label.
    pub(crate) limits_by_label: Vec<Resource>,
    /// The most that one container may have here.
    pub(crate) max_container: Resource,
    pub(crate) own: P::QueuePublished,
}

/// Parts whose control can be called.
pub(crate) trait Controlled: Parts<Control: ControlPart<Self>, WholeControl = Control<Self>> {}

impl<P: Parts<Control: ControlPart<P>, WholeControl = Control<P>>> Controlled for P {}

/// See the module's text.
pub(crate) trait ControlPart<P: Parts<Control = Self>>: Debug + Send + Sized {
    // ------------------------------------------------------------------------------------------------ configuration

    /// The control begins: makes the queues, root first.
    fn begin(control: &mut Control<P>, configuration: P::Configuration);

    /// There is another configuration. Running applications and containers are untouched.
    fn reload(control: &mut Control<P>, configuration: P::Configuration) -> Result<(), Refused>;

    /// Something is asked that only the decider knows; it answers itself, by [`Control::answer`].
    fn called(control: &mut Control<P>, call: P::ControlCall);

    /// By time: queues that nobody has configured and nobody uses go.
    fn clean_up(control: &mut Control<P>);

    // ------------------------------------------------------------------------------------------------ applications

    /// An application is submitted: where it goes, or why it is refused. The leaf queue is made where that is due.
    fn submitted(control: &mut Control<P>, submission: &Submission) -> Result<Entry, Refused>;

    /// Another attempt wants an AM's container in a leaf: how large that counts, or why it is refused.
    fn am_wanted(control: &Control<P>, app: &AppShared, leaf: u32, asked: &AmRequest) -> Result<WantedAm, Refused>;

    /// An attempt enters a leaf queue, with an AM's container of this size if one is asked for: whether it may be
    /// offered nodes from now on. `keeps`: it takes over what runs of the attempt before. Others may
    /// [start](Control::start) by it.
    fn entering(control: &mut Control<P>, app: &Arc<AppShared>, leaf: u32, am: Option<&WantedAm>, keeps: bool) -> bool;

    /// It has entered, and the request for its AM's container goes out: as so much.
    fn am_asked(control: &Control<P>, leaf: u32, size: &Resource) -> Resource;

    /// The AM of an application that stands in a leaf runs already, and is this large.
    fn am_recovered(control: &mut Control<P>, leaf: u32, size: &Resource);

    /// An attempt has ended and is in no table any more; `goes_on`: another one of its application follows. Others may
    /// start by it.
    fn left(control: &mut Control<P>, app: &AppShared, stood: LeafEntry, goes_on: bool);

    /// An attempt that was to go on does not: the next one is refused, and its application is over.
    fn gave_up(control: &mut Control<P>, app: &AppShared, leaf: u32);

    /// An application is to move to a queue: how it stands there, or why it may not. `None`: it is there already.
    /// Nothing changes.
    fn moving(control: &Control<P>, app: &App, queue: &str) -> Result<Option<LeafEntry>, Refused>;

    /// It has moved, with what its AM counted in the leaf before. Others may start by it.
    fn moved(control: &mut Control<P>, app: &AppShared, stood: LeafEntry, am: &Resource);

    // ------------------------------------------------------------------------------------------------ queues

    /// The queues as the reservation system sees and changes them; `None` where they cannot be plans.
    fn plan_queues(control: &mut Control<P>) -> Option<&mut dyn PlanQueues>;

    /// Somebody names a queue: which one is meant.
    fn named(control: &Control<P>, queue: &str) -> Result<u32, Refused>;

    /// A worker is given up for good.
    fn worker_given_up(control: &mut Control<P>, worker: usize);

    /// What nodes of labels have together has changed; an event may follow.
    fn partitions_changed(control: &mut Control<P>);

    /// A queue that names a label, which is to go; its path.
    fn user_of_label(&self, label: &str) -> Option<String>;

    /// The cluster has another total.
    fn cluster_changed(control: &mut Control<P>);

    /// A node has another total; its worker has been told. `kill`: what does not fit any more is to end.
    fn resized(control: &mut Control<P>, node: &Arc<NodeShared>, kill: bool);

    /// A batch of messages is worked off, and what it has changed is about to be published.
    fn publishing(control: &mut Control<P>);

    /// A dirty queue is published: what the decider has to say of it.
    fn queue_published(control: &mut Control<P>, queue: u32) -> QueueTerms<P>;

    /// All of the control is held against what must be so: says what of the decider's part is not, and in `agreed` what
    /// all workers must say too. So many applications wait.
    #[cfg(feature = "faults")]
    fn audited(control: &Control<P>, waiting: usize, agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>);
}
