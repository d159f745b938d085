//! What a worker knows of its leaf queues beside the engine's records: usage with reservations, lists of applications,
//! users and limits.
//!
//! One worker owns the books, and uses them between two steps of the engine. The rules themselves are in `capacity`, as
//! functions of what the books give them. Follows rules/capacity.md 5.3, 6, 8.3, 9, 13 to 15, 20, 21, 23.

mod rebuild;

mod apps;

pub(crate) mod parts;

#[cfg(feature = "faults")]
mod audit;

mod charging;

mod counts;

mod drift;

mod figures;

mod folding;

mod shared_attempt;

mod limits;

mod lines;

pub(crate) mod life;

mod who_may;

mod prefetching;

mod siblings;

mod standing;

mod starters;

mod leaf_walk;

mod who_decides;

pub(crate) use self::apps::{AppBook, AppPart, Apps, AskChange};
pub(crate) use self::counts::{Counts, PartBook};
use self::drift::Drift;
use self::figures::{Figures, LeafFigures};
pub(crate) use self::leaf_walk::Walk;
pub(crate) use self::shared_attempt::{Others, Place, SharedAttempt, Start};
use self::standing::{LineKey, Siblings, Standing};
pub(crate) use self::standing::{PassMarks, Passed};
use self::who_decides::StartDeciders;
use crate::capacity::published::CapacityPublished;
use crate::capacity::rules::allocator::Rules;
use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::leaf::Leaf;
use crate::capacity::rules::order::{AppOrder, AppRank};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::Partition;
use crate::capacity::rules::tree::{QueueNode, ROOT};
use crate::capacity::rules::user_limit_figures::Bounds;
use crate::capacity::rules::users::LimitInputs;
use crate::config::capacity::CapacityFile;
use crate::id::LabelId;
use crate::labels::LabelTable;
use crate::resource::Resource;
use crate::sync::Arc;

/// One queue. What a charge and a pass read and write comes first, and the queue begins at a cache line: so few lines
/// are prefetched ([`prefetching`]), and all of them are needed.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct QueueBook {
    /// The place of the queue among its siblings; `None` if it is no longer in force.
    standing: Option<Standing>,
    /// More is asked for in it.
    wants: bool,
    figures: Figures,
    pub(crate) counts: Counts,
    /// Of a leaf queue.
    pub(crate) leaf: Option<Leaf>,
    /// Its children.
    siblings: Siblings,
    /// Applications in the lists of leaf queues here or below that are at home with this worker. 0 where it is the only
    /// one.
    at_home: u32,
    /// Of the nodes with a label, by label; none where there are no labels.
    pub(crate) parts: Vec<PartBook>,
    /// Its place among its siblings on each partition; none where there are no labels, or it is no longer in force.
    in_lines: Vec<LineKey>,
    /// Its children on each partition, in order.
    lines: Vec<Vec<LineKey>>,
    pub(crate) published: CapacityPublished,
}

impl QueueBook {
    /// One in which nothing has come yet.
    fn new(published: CapacityPublished, figures: Figures, leaf: Option<Leaf>) -> QueueBook {
        let (counts, siblings) = Default::default();
        let (parts, in_lines, lines) = Default::default();
        let (wants, at_home, standing) = (false, 0, None);
        QueueBook { published, figures, wants, counts, leaf, siblings, at_home, standing, parts, in_lines, lines }
    }

    pub(crate) fn node(&self) -> &QueueNode {
        &self.published.node
    }
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) place: Place,
    pub(crate) arith: Arith,
    pub(crate) minimum: Resource,
    /// See [`CapacityDecider`](super::types::CapacityDecider).
    pub(crate) resort: bool,
    /// How many containers more a queue may count than it has, if another worker had better serve it.
    slack: u32,
    pub(crate) cluster: Resource,
    /// What the nodes of each label have; empty where there are no labels.
    pub(crate) labels: Arc<LabelTable>,
    /// The same without names, those without a label first.
    pub(crate) sizes: Vec<Resource>,
    /// Nodes of the cluster.
    pub(crate) nodes: u32,
    /// By slot; one that a refresh has removed stays, for the applications that it may still have.
    pub(crate) queues: Vec<Option<QueueBook>>,
    pub(crate) apps: Apps,
    /// How often the cluster has changed, and how often the queues were refreshed, as far as this worker knows. A newer
    /// number makes it compute limits again.
    pub(crate) turns: [u64; 2],
    /// Labels that queues know from now on, and of which the control is to hear.
    pub(crate) newly_known: Vec<(u32, LabelId)>,
    /// Applications that this worker has let start, and has not told the others of.
    started: Vec<Start>,
    drift: Drift,
    deciders: StartDeciders,
}

impl Books {
    pub(crate) fn new(arith: Arith, minimum: Resource, place: Place, resort: bool, slack: u32) -> Books {
        Books {
            place,
            arith,
            minimum,
            resort,
            slack,
            cluster: Resource::ZERO,
            labels: Arc::default(),
            sizes: Vec::new(),
            nodes: 0,
            queues: Vec::new(),
            apps: Apps::default(),
            turns: [0; 2],
            newly_known: Vec::new(),
            started: Vec::new(),
            drift: Drift::default(),
            deciders: StartDeciders::of(place.workers),
        }
    }

    #[inline]
    pub(crate) fn queue(&self, slot: u32) -> &QueueBook {
        self.queues[slot as usize].as_ref().expect("a queue that was published")
    }

    #[inline]
    pub(crate) fn queue_mut(&mut self, slot: u32) -> &mut QueueBook {
        self.queues[slot as usize].as_mut().expect("a queue that was published")
    }

    pub(crate) fn node(&self, slot: u32) -> &QueueNode {
        self.queue(slot).node()
    }

    #[inline]
    pub(crate) fn counts(&self, slot: u32) -> &Counts {
        &self.queue(slot).counts
    }

    #[inline]
    pub(crate) fn is_leaf(&self, slot: u32) -> bool {
        self.queue(slot).leaf.is_some()
    }

    #[inline]
    pub(crate) fn leaf(&self, slot: u32) -> &Leaf {
        self.queue(slot).leaf.as_ref().expect("a leaf queue")
    }

    #[inline]
    pub(crate) fn leaf_mut(&mut self, slot: u32) -> &mut Leaf {
        self.queue_mut(slot).leaf.as_mut().expect("a leaf queue")
    }

    /// A leaf queue, and its applications.
    #[inline]
    fn leaf_and_apps(&mut self, slot: u32) -> (&mut Leaf, &mut Apps) {
        let Books { queues, apps, .. } = self;
        let leaf = &mut queues[slot as usize].as_mut().expect("a queue that was published").leaf;
        (leaf.as_mut().expect("a leaf queue"), apps)
    }

    /// The same, and what limits of its users on a partition are worked out by.
    #[inline]
    pub(crate) fn limits_of_leaf<P: Partition>(&mut self, slot: u32, p: P) -> (LimitInputs<'_>, &mut Leaf, &mut Apps) {
        let Books { queues, apps, cluster, sizes, minimum, .. } = self;
        let QueueBook { figures, leaf, parts, .. } =
            queues[slot as usize].as_mut().expect("a queue that was published");
        let figures = if p.is_first() { figures } else { &parts[p.place()].figures };
        let figures = figures.leaf.as_ref().expect("a leaf queue");
        // The same as the leaf's own, which are in no cache as often.
        let cluster = if P::IS_WHOLE { cluster } else { &sizes[p.label().ix()] };
        let inputs = figures.bounds.inputs();
        let by = match p.is_lent() {
            false => LimitInputs { cluster, minimum, ..inputs },
            // What is lent has no other end than its nodes.
            true => LimitInputs { cluster, minimum, most: cluster, usual: None, ..inputs },
        };
        (by, leaf.as_mut().expect("a leaf queue"), apps)
    }

    #[inline]
    fn leaf_figures(&self, slot: u32) -> &LeafFigures {
        self.queue(slot).figures.leaf.as_ref().expect("a leaf queue")
    }

    /// An attempt that has not ended.
    pub(crate) fn find(&self, number: u32) -> Option<&AppBook> {
        self.apps.find(number)
    }

    /// The queues in force, each before its children.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let (mut out, mut open) = (Vec::new(), vec![ROOT]);
        while let Some(at) = open.pop() {
            out.push(at);
            open.extend(self.node(at).children.iter().rev());
        }
        out
    }

    pub(crate) fn rank(&self, entry: AppEntry) -> AppRank {
        self.apps.rank(entry)
    }

    /// How the active applications of a leaf are ordered.
    #[inline]
    pub(crate) fn app_order(&self, slot: u32) -> AppOrder {
        self.queue(slot).figures.order
    }

    pub(crate) fn file(&self, slot: u32) -> &CapacityFile {
        &self.queue(slot).published.file
    }

    /// From a queue up to root.
    #[inline]
    pub(crate) fn parent(&self, slot: u32) -> Option<u32> {
        self.queue(slot).figures.parent
    }

    /// Of a leaf queue.
    #[inline]
    pub(crate) fn bounds(&self, slot: u32) -> &Bounds {
        &self.leaf_figures(slot).bounds
    }

    /// Of a leaf queue.
    #[inline]
    pub(crate) fn rack_resets(&self, slot: u32) -> bool {
        self.leaf_figures(slot).rack_resets
    }

    /// Of a leaf queue.
    #[inline]
    pub(crate) fn rules(&self, slot: u32) -> &Rules {
        &self.leaf_figures(slot).rules
    }

    /// What a queue may use of a partition.
    #[inline]
    pub(crate) fn maximum<P: Partition>(&self, slot: u32, p: P) -> &Resource {
        &self.queue(slot).figures_in(p).maximum
    }
}
