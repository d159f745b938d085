//! Tracing: what `assignment` does in a pass, noted as [`Decision`]s while it runs; and why an application is offered
//! nothing.
//!
//! # Where it stands
//! Called by `assignment` on the worker's own shard. A scheduler that traces visits children in Hadoop's order, sorted
//! anew for every container (`FairDecider::resort`), so that everybody whom Hadoop would ask is in the trace; the order
//! kept in winner trees passes over whole subtrees, and could not say why each of them got nothing. The decisions are
//! the same.
//!
//! # Cost
//! Without a trace one comparison with null a pass, a walk from root and a placement, and where something declines;
//! nothing is built. With one, every visit is copied into texts: for people, not for load.

use crate::app::SchedulingKey;
use crate::engine::proposal::{Proposal, Refusal};
use crate::engine::records::node::Reservation;
use crate::fair::decision::{
    AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle, PassEnd,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit,
};
use crate::fair::engine::Shard;
use crate::fair::outcome::{Outcome, Unreserved, Unwanted};
use crate::id::{Locality, NONE};
use crate::policy::{Precedence, Schedulable};
use crate::resource::Resource;
use crate::resource::sorted;
use std::cmp::Ordering;

/// The passes so far, and where in the last of them the walk is.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    passes: Vec<Decision>,
    /// Below the root of the last walk: the place of each queue among its siblings, then the application's.
    path: Vec<usize>,
    /// Keys go to the reservation that is served.
    serving: bool,
}

impl Recorder {
    fn pass(&mut self) -> Option<&mut Decision> {
        self.passes.last_mut()
    }

    /// The queue at a depth of the path, or the last one on it.
    fn queue(&mut self, depth: usize) -> Option<&mut QueueVisit> {
        let path = &self.path[..depth];
        let root = self.passes.last_mut()?.descents.last_mut()?;
        path.iter().try_fold(root, |queue, place| queue.queues.get_mut(*place))
    }

    /// The queue under visit.
    fn last_queue(&mut self) -> Option<&mut QueueVisit> {
        self.queue(self.path.len())
    }

    /// The application under visit.
    fn app(&mut self) -> Option<&mut AppVisit> {
        let (place, above) = self.path.split_last()?;
        let (place, depth) = (*place, above.len());
        self.queue(depth)?.apps.get_mut(place)
    }

    fn key(&mut self, visit: KeyVisit) {
        if !self.serving {
            if let Some(app) = self.app() {
                app.keys.push(visit);
            }
        } else if let Some(served) = self.pass().and_then(|pass| pass.reservation.as_mut()) {
            served.outcome = match visit.outcome {
                KeyOutcome::Placed { locality, .. } => ReservationOutcome::Fulfilled { locality },
                KeyOutcome::PassedOver(obstacle) => ReservationOutcome::NotServed(obstacle),
                // The ask has grown: the reservation stays as it is.
                KeyOutcome::Reserved { .. } | KeyOutcome::NotReached => ReservationOutcome::Kept,
            };
        }
    }
}

fn claim(of: &Schedulable<'_>, fair_share: &Resource) -> Claim {
    Claim { usage: *of.usage, demand: *of.demand, fair_share: *fair_share, min_share: *of.min_share, weight: of.weight }
}

impl Shard {
    /// Notes something, if anything is noted at all.
    #[inline]
    fn note(&mut self, note: impl FnOnce(&Shard, &mut Recorder)) {
        if self.own.trace.is_some() {
            self.note_now(note);
        }
    }

    #[cold]
    fn note_now(&mut self, note: impl FnOnce(&Shard, &mut Recorder)) {
        if let Some(mut recorder) = self.own.trace.take() {
            note(self, &mut recorder);
            self.own.trace = Some(recorder);
        }
    }

    /// The passes since this was last called.
    pub(crate) fn take_trace(&mut self) -> Vec<Decision> {
        self.own.trace.as_mut().map(|recorder| std::mem::take(&mut recorder.passes)).unwrap_or_default()
    }

    // ------------------------------------------------------------------------------------------------ a pass

    /// A pass over a node begins; `end` is what it comes to unless something else is noted.
    #[inline]
    pub(crate) fn note_pass(&mut self, node: u32, end: PassEnd) {
        self.note(|shard, recorder| {
            let at = &shard.nodes[node as usize];
            recorder.passes.push(Decision {
                node: at.shared.name.to_string(),
                total: at.total,
                free: at.free,
                reservation: at.reservation.as_ref().map(|reservation| shard.visit_of_reservation(reservation)),
                descents: Vec::new(),
                end,
            });
        });
    }

    #[inline]
    pub(crate) fn note_pass_end(&mut self, end: PassEnd) {
        self.note(|_, recorder| {
            if let Some(pass) = recorder.pass() {
                pass.end = end;
            }
        });
    }

    fn visit_of_reservation(&self, reservation: &Reservation) -> ReservationVisit {
        ReservationVisit {
            app: self.find_app(reservation.app).map_or(0, |app| app.shared.id.number),
            container: reservation.number,
            priority: reservation.key.priority,
            allocation_request_id: reservation.key.allocation_request_id,
            size: reservation.size,
            outcome: ReservationOutcome::Kept,
            am_limit: self.find_app(reservation.app).and_then(|_| self.am_limit_of(reservation.app.index)),
        }
    }

    /// What AMs may use in the leaf queue of an application that waits for its own.
    fn am_limit_of(&self, app: u32) -> Option<Resource> {
        let local = self.app(app);
        if local.waits_for_am() && local.leaf != NONE { self.am_limit(local.leaf) } else { None }
    }

    /// The pass's reservation is given up: its ask is unwanted here, or else the AM share stands against it.
    #[inline]
    pub(crate) fn note_dropped(&mut self, reservation: &Reservation, node: u32, unwanted: Option<Unwanted>) {
        self.note(|shard, recorder| {
            let Some(visit) = recorder.pass().and_then(|pass| pass.reservation.as_mut()) else { return };
            let app = reservation.app.index;
            visit.outcome = match unwanted {
                // The application may have ended, the key be gone.
                Some(Unwanted::NothingOutstanding) => ReservationOutcome::Dropped(Obstacle::NothingOutstanding),
                Some(unwanted) => {
                    let key = shard.key_index(app, reservation.key);
                    let size = key.map_or(reservation.size, |key| shard.app(app).keys[key].size);
                    ReservationOutcome::Dropped(shard.obstacle_of(app, &size, node, unwanted))
                }
                None => match shard.am_share_of(app) {
                    Some(share) => ReservationOutcome::DroppedForAmShare(share),
                    None => ReservationOutcome::Dropped(Obstacle::NothingOutstanding),
                },
            };
        });
    }

    /// The pass's reservation is served from here on, or no longer.
    #[inline]
    pub(crate) fn note_serving(&mut self, serving: bool) {
        self.note(|_, recorder| recorder.serving = serving);
    }

    // ------------------------------------------------------------------------------------------------ a walk

    /// A walk from root begins.
    #[inline]
    pub(crate) fn note_descent(&mut self, root: u32) {
        self.note(|shard, recorder| {
            let visit = QueueVisit { outcome: QueueOutcome::Nothing, ..shard.visit_of_queue(root, None) };
            recorder.path.clear();
            if let Some(pass) = recorder.pass() {
                pass.descents.push(visit);
            }
        });
    }

    /// The visit of the last queue on the path has come to something; of the root's, the walk.
    #[inline]
    pub(crate) fn note_queue_end(&mut self, outcome: Outcome) {
        self.note(|_, recorder| {
            if let Some(queue) = recorder.last_queue() {
                match outcome {
                    Outcome::Placed => queue.outcome = QueueOutcome::Placed,
                    Outcome::Reserved => queue.outcome = QueueOutcome::Reserved,
                    Outcome::Declined => {}
                }
            }
        });
    }

    #[inline]
    pub(crate) fn note_above_max_share(&mut self, queue: u32) {
        self.note(|shard, recorder| {
            if let Some(visit) = recorder.last_queue() {
                visit.outcome = QueueOutcome::AboveMaxShare { max_share: shard.queue(queue).snapshot.limit };
            }
        });
    }

    /// The children of the queue under visit, in the order in which they will be visited, as far as it comes to that.
    #[inline]
    pub(crate) fn note_children(&mut self, queue: u32, order: &[u32]) {
        self.note(|shard, recorder| {
            let Some(visit) = recorder.last_queue() else { return };
            let next = |place: usize| order.get(place + 1).copied();
            if shard.queue(queue).snapshot.leaf {
                visit.apps = order
                    .iter()
                    .enumerate()
                    .map(|(place, app)| shard.visit_of_app(*app, next(place), AppOutcome::NotReached))
                    .collect();
                visit.apps.extend(shard.apps_without_a_place(queue));
            } else {
                let children = order.iter().enumerate();
                visit.queues = children.map(|(place, child)| shard.visit_of_queue(*child, next(place))).collect();
            }
        });
    }

    /// The child at a place of the order is visited.
    #[inline]
    pub(crate) fn note_child(&mut self, place: usize) {
        self.note(|_, recorder| {
            recorder.path.push(place);
            if let Some(app) = recorder.app() {
                app.outcome = AppOutcome::NoKey;
            } else if let Some(queue) = recorder.last_queue() {
                queue.outcome = QueueOutcome::Nothing;
            }
        });
    }

    /// Its visit has come to something.
    #[inline]
    pub(crate) fn note_child_end(&mut self, outcome: Outcome) {
        self.note(|_, recorder| {
            if let Some(app) = recorder.app() {
                let made = app.keys.iter().any(|key| matches!(key.outcome, KeyOutcome::Placed { .. }));
                match outcome {
                    Outcome::Placed => app.outcome = AppOutcome::Placed,
                    Outcome::Reserved => app.outcome = AppOutcome::Reserved,
                    Outcome::Declined if made => app.outcome = AppOutcome::PlacedNothing,
                    Outcome::Declined => {}
                }
            }
        });
        self.note_queue_end(outcome);
        self.note(|_, recorder| {
            recorder.path.pop();
        });
    }

    pub(super) fn precedence(&self, parent: u32, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Precedence {
        let policy = &self.queue(parent).snapshot.own.policy;
        match policy.compare(&self.cluster, first, second) {
            Ordering::Less => policy.precedence(&self.cluster, first, second),
            Ordering::Equal | Ordering::Greater => Precedence::Policy,
        }
    }

    fn visit_of_queue(&self, queue: u32, next: Option<u32>) -> QueueVisit {
        let local = self.queue(queue);
        let own = local.schedulable();
        QueueVisit {
            queue: local.snapshot.name.to_string(),
            claim: claim(&own, &local.own.fair_share),
            precedes: next.map(|next| self.precedence(local.parent, &own, &self.queue(next).schedulable())),
            outcome: QueueOutcome::NotReached,
            queues: Vec::new(),
            apps: Vec::new(),
        }
    }

    fn visit_of_app(&self, app: u32, next: Option<u32>, outcome: AppOutcome) -> AppVisit {
        let local = self.app(app);
        let own = local.schedulable();
        AppVisit {
            app: local.shared.id.number,
            claim: claim(&own, &local.own.fair_share),
            precedes: next.map(|next| self.precedence(local.leaf, &own, &self.app(next).schedulable())),
            outcome,
            am_limit: self.am_limit_of(app),
            keys: Vec::new(),
        }
    }

    /// A leaf's applications that the policy does not put in order, by number: runnable ones without pending demand,
    /// and those that wait.
    fn apps_without_a_place(&self, leaf: u32) -> Vec<AppVisit> {
        let local = self.queue(leaf);
        let known = |app: &u32| self.app(*app).runnable && !self.app(*app).is_pending();
        let idle = local.own.order.children().filter(known);
        let mut out: Vec<_> = idle.map(|app| self.visit_of_app(app, None, AppOutcome::NothingPending)).collect();
        let waiting =
            local.snapshot.waiting.iter().filter(|app| self.find_app(app.slot).is_some_and(|app| !app.closed));
        out.extend(waiting.map(|app| self.visit_of_app(app.slot.index, None, AppOutcome::Waiting)));
        sorted::by_key(&mut out, |visit| visit.app);
        out
    }

    // ------------------------------------------------------------------------------------------------ an application

    #[inline]
    pub(crate) fn note_blacklisted(&mut self) {
        self.note(|_, recorder| {
            if let Some(app) = recorder.app() {
                app.outcome = AppOutcome::Blacklisted;
            }
        });
    }

    #[inline]
    pub(crate) fn note_am_share(&mut self, app: u32) {
        self.note(|shard, recorder| {
            if let (Some(visit), Some(share)) = (recorder.app(), shard.am_share_of(app)) {
                visit.outcome = AppOutcome::AmShare(share);
            }
        });
    }

    /// The AM share against an application's first ask; nothing where no share is set or nothing is asked for.
    fn am_share_of(&self, app: u32) -> Option<AmShare> {
        let leaf = self.app(app).leaf;
        let (asked, limit) = (self.first_ask(app)?, self.am_limit(leaf)?);
        Some(AmShare { used: self.queue(leaf).snapshot.shared.am_usage.read(), asked, limit })
    }

    /// A key cannot use the node: the next one has its turn.
    #[inline]
    pub(crate) fn note_unwanted(&mut self, app: u32, key: usize, node: u32, unwanted: Unwanted) {
        self.note(|shard, recorder| {
            let outcome =
                KeyOutcome::PassedOver(shard.obstacle_of(app, &shard.app(app).keys[key].size, node, unwanted));
            recorder.key(shard.visit_of_key(app, key, outcome));
        });
    }

    /// The node is not near enough to what a key asks for: the next one has its turn.
    #[inline]
    pub(crate) fn note_too_far(&mut self, app: u32, key: usize, node: u32, allowed: Locality) {
        self.note(|shard, recorder| {
            let opportunities = shard.app(app).keys[key].own.opportunities;
            let obstacle = shard.too_far(app, key, node, allowed, opportunities);
            recorder.key(shard.visit_of_key(app, key, KeyOutcome::PassedOver(obstacle)));
        });
    }

    /// What keeps a key from a node that is not near enough.
    pub(super) fn too_far(&self, app: u32, key: usize, node: u32, allowed: Locality, opportunities: u32) -> Obstacle {
        let rack = self.app(app).keys[key].rows().present(self.nodes[node as usize].shared.rack_location);
        if rack.is_some_and(|row| !row.relax()) {
            Obstacle::RackNotRelaxed
        } else {
            Obstacle::TooFar { allowed, opportunities }
        }
    }

    /// A key is tried, and does not fit what is free.
    #[inline]
    pub(crate) fn note_no_fit(&mut self, proposal: &Proposal, reserved: Result<(), Unreserved>) {
        self.note(|shard, recorder| {
            let Proposal { node, locality, size, .. } = *proposal;
            let at = &shard.nodes[node as usize];
            let outcome = match (reserved, &at.reservation) {
                (Ok(()), Some(made)) => KeyOutcome::Reserved { container: made.number, locality },
                (Err(unreserved), _) => {
                    let not_reserved = shard.not_reserved(proposal.app, unreserved);
                    KeyOutcome::PassedOver(Obstacle::DoesNotFit { size, free: at.free, locality, not_reserved })
                }
                (Ok(()), None) => KeyOutcome::NotReached,
            };
            shard.note_tried(recorder, proposal, 0, outcome);
        });
    }

    pub(super) fn not_reserved(&self, app: u32, unreserved: Unreserved) -> NotReserved {
        match unreserved {
            Unreserved::NotStarved => {
                let local = self.app(app);
                NotReserved::NotStarved { usage: local.usage, fair_share: local.own.fair_share }
            }
            Unreserved::BelowThreshold => {
                NotReserved::BelowThreshold { threshold: self.shared.decider.settings.reservation_threshold }
            }
            Unreserved::RoomOwed => NotReserved::RoomOwed,
            Unreserved::OthersNode => NotReserved::OthersNode,
            Unreserved::TooManyNodes(reserved, nodes) => NotReserved::TooManyNodes { reserved, nodes },
        }
    }

    /// A key is tried, and fits.
    #[inline]
    pub(crate) fn note_fit(&mut self, proposal: &Proposal, granted: Result<(), Refusal>) {
        self.note(|shard, recorder| {
            let outcome = match granted {
                Ok(()) => {
                    let newest = *shard.app(proposal.app).containers.last().expect("it has just got one");
                    KeyOutcome::Placed { container: shard.containers[newest].number, locality: proposal.locality }
                }
                Err(Refusal::NoRecord) => KeyOutcome::PassedOver(Obstacle::NoRecord),
                Err(Refusal::AskGone | Refusal::AmLimit | Refusal::NoRoomUnderLimit | Refusal::Moved) => {
                    KeyOutcome::PassedOver(Obstacle::Overtaken)
                }
            };
            // What was taken was outstanding.
            shard.note_tried(recorder, proposal, u32::from(granted.is_ok()), outcome);
        });
    }

    /// A key that was tried, and those behind it, which are not.
    fn note_tried(&self, recorder: &mut Recorder, proposal: &Proposal, taken: u32, outcome: KeyOutcome) {
        let Proposal { app, key, .. } = *proposal;
        let mut tried = self.visit_of_key(app, key, outcome);
        tried.outstanding += taken;
        recorder.key(tried);
        if !recorder.serving {
            for behind in key + 1..self.app(app).keys.len() {
                let visit = self.visit_of_key(app, behind, KeyOutcome::NotReached);
                if visit.outstanding > 0 {
                    recorder.key(visit);
                }
            }
        }
    }

    fn visit_of_key(&self, app: u32, key: usize, outcome: KeyOutcome) -> KeyVisit {
        let key = &self.app(app).keys[key];
        let outstanding = key.visible(self.worker);
        let SchedulingKey { priority, allocation_request_id } = key.id();
        KeyVisit { priority, allocation_request_id, size: key.size, outstanding, outcome }
    }

    pub(super) fn obstacle_of(&self, app: u32, size: &Resource, node: u32, unwanted: Unwanted) -> Obstacle {
        match unwanted {
            Unwanted::NothingOutstanding => Obstacle::NothingOutstanding,
            Unwanted::RackNotAsked => Obstacle::RackNotAsked,
            Unwanted::NodeNotAsked => Obstacle::NodeNotAsked,
            Unwanted::LargerThanNode => Obstacle::LargerThanNode { total: self.nodes[node as usize].total },
            Unwanted::MaxShare => {
                let leaf = self.app(app).leaf;
                let queue = self.queue(self.first_full_queue(leaf, size).unwrap_or(leaf));
                Obstacle::MaxShare {
                    queue: queue.snapshot.name.to_string(),
                    usage: queue.usage,
                    max_share: queue.snapshot.limit,
                }
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ no offer

    /// Why an application that runs is offered nothing, whatever the node.
    pub(crate) fn why_not_offered(&self, app: u32) -> Option<NotOffered> {
        let local = self.apps.get(app as usize)?.as_ref()?;
        if let Some(at_places) = local.asks_in_vain() {
            return Some(if at_places { NotOffered::NothingAnywhere } else { NotOffered::NothingOutstanding });
        }
        if !local.is_pending() {
            return Some(NotOffered::NothingPending { outstanding: local.shared.wanted() });
        }
        let mut above = None;
        let mut at = local.leaf;
        while at != NONE {
            let queue = self.queue(at);
            if queue.limited && !queue.usage.fits_in(&queue.snapshot.limit) {
                above = Some(queue);
            }
            at = queue.parent;
        }
        if let Some(queue) = above {
            return Some(NotOffered::AboveMaxShare {
                queue: queue.snapshot.name.to_string(),
                usage: queue.usage,
                max_share: queue.snapshot.limit,
            });
        }
        if self.over_am_share(app) { self.am_share_of(app).map(NotOffered::AmShare) } else { None }
    }
}
