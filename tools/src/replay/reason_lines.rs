//! The core's reasons as lines. A reason is two texts: what stands against it, the same each time, and the figures.

use std::fmt::Write;
use std::ops::Deref;

pub(super) use crate::api::Told as Reason;
use crate::api::{
    AppOutcome, AppVisit, Claim, CoreWords, Decision, KeyOutcome, KeyVisit, Obstacle, PassEnd, Precedence,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit, ResourceTypes, nearness, precedence,
};

/// A later version of the core may have reasons that this one does not know.
const UNKNOWN: &str = "for a reason that this program does not know";

/// Turns reasons into words, amounts by the names of their types.
#[derive(Debug)]
pub(super) struct Words<'a>(CoreWords<'a>);

impl<'a> Deref for Words<'a> {
    type Target = CoreWords<'a>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// A request key, as its AM knows it.
fn key_name(priority: i32, allocation_request_id: i64) -> String {
    match allocation_request_id {
        0 => format!("priority {priority}"),
        id => format!("priority {priority}, allocation request {id}"),
    }
}

impl Words<'_> {
    pub(super) fn new(types: &ResourceTypes) -> Words<'_> {
        Words(CoreWords::new(types))
    }

    /// Why a queue that was visited got nothing, whatever is below.
    pub(super) fn queue_stopped(&self, visit: &QueueVisit) -> Option<Reason> {
        let QueueOutcome::AboveMaxShare { max_share } = &visit.outcome else { return None };
        Some(self.above_max_share(&visit.queue, &visit.claim.usage, max_share))
    }

    /// Why an application that was visited, or listed in a leaf that was, got nothing: one reason, or one a request
    /// key.
    pub(super) fn app_stopped(&self, visit: &AppVisit) -> Vec<Reason> {
        match &visit.outcome {
            AppOutcome::Blacklisted => vec![Reason::new("it has blacklisted the node or its rack", "")],
            AppOutcome::AmShare(share) => vec![self.am_share(share)],
            AppOutcome::NothingPending => {
                let uses = self.amounts(&visit.claim.usage);
                vec![Reason::new(
                    "nothing was pending at the last update",
                    format!("its demand is what it uses: {uses}"),
                )]
            }
            AppOutcome::Waiting => vec![Reason::new("it waits for a limit of running applications", "")],
            AppOutcome::NoKey if visit.keys.is_empty() => vec![Reason::new("it asks for nothing", "")],
            AppOutcome::NotReached
            | AppOutcome::Placed
            | AppOutcome::PlacedNothing
            | AppOutcome::Reserved
            | AppOutcome::NoKey
            | _ => visit.keys.iter().filter_map(|key| self.key_stopped(key)).collect(),
        }
    }

    fn key_stopped(&self, key: &KeyVisit) -> Option<Reason> {
        match &key.outcome {
            KeyOutcome::PassedOver(Obstacle::NothingOutstanding) => None,
            KeyOutcome::PassedOver(obstacle) => {
                let Reason { what, figures } = self.obstacle(&key.size, obstacle);
                Some(Reason::new(format!("{}: {what}", key_name(key.priority, key.allocation_request_id)), figures))
            }
            KeyOutcome::NotReached => Some(Reason::new(
                format!("{}: waits behind the one before it", key_name(key.priority, key.allocation_request_id)),
                "",
            )),
            KeyOutcome::Placed { .. } | KeyOutcome::Reserved { .. } | _ => None,
        }
    }

    pub(super) fn end(&self, end: PassEnd) -> String {
        match end {
            PassEnd::BelowMinimum => "less than the minimum allocation is free: not offered".to_owned(),
            PassEnd::SameFreeMemory => "another node has as much memory free: not offered".to_owned(),
            PassEnd::Reservation => "the node is reserved: nobody else is offered it".to_owned(),
            PassEnd::Reserved => "the node is reserved now".to_owned(),
            PassEnd::NothingPlaced => "nobody can use what is free".to_owned(),
            PassEnd::OneContainer => "one container a pass (assignmultiple is off)".to_owned(),
            PassEnd::MaxAssign(most) => format!("{most} containers a pass (max.assign)"),
            PassEnd::HalfAssigned => "more than half of what was free is assigned (dynamic.max.assign)".to_owned(),
            PassEnd::MostOfANode(most) => {
                format!("the node runs {most} containers, and may run no more (max-containers-per-node)")
            }
            PassEnd::MostOfAHeartbeat => "as many containers as one heartbeat may grant".to_owned(),
            _ => UNKNOWN.to_owned(),
        }
    }

    /// What became of a reservation.
    pub(super) fn reservation(&self, visit: &ReservationVisit) -> Reason {
        let after = |what: &str, reason: Reason| Reason::new(format!("{what}: {}", reason.what), reason.figures);
        match &visit.outcome {
            ReservationOutcome::Kept => Reason::new("kept, it does not fit yet", ""),
            ReservationOutcome::Fulfilled { locality } => {
                Reason::new(format!("container made, {}", nearness(*locality)), "")
            }
            ReservationOutcome::NotServed(obstacle) => {
                after("kept and not served", self.obstacle(&visit.size, obstacle))
            }
            ReservationOutcome::Dropped(obstacle) => after("given up", self.obstacle(&visit.size, obstacle)),
            ReservationOutcome::DroppedForAmShare(share) => after("given up", self.am_share(share)),
            _ => Reason::new(UNKNOWN, ""),
        }
    }

    // ------------------------------------------------------------------------------------------------ a whole pass

    /// A pass as indented lines.
    pub(super) fn pass(&self, pass: &Decision) -> String {
        let mut out = String::new();
        let (free, total) = (self.amounts(&pass.free), self.amounts(&pass.total));
        line(&mut out, 1, &format!("{}: {free} free of {total}", pass.node));
        if let Some(visit) = &pass.reservation {
            let ReservationVisit { app, container, size, .. } = visit;
            let key = key_name(visit.priority, visit.allocation_request_id);
            let what = self.reservation(visit).to_string();
            let whose = format!("application {app}, container {container}, {key}, {}", self.amounts(size));
            line(&mut out, 2, &format!("reserved for {whose}: {what}"));
        }
        for (n, root) in pass.descents.iter().enumerate() {
            line(&mut out, 2, &format!("walk {}", n + 1));
            self.queue(&mut out, 3, root, None);
        }
        line(&mut out, 2, &format!("over: {}", self.end(pass.end)));
        out
    }

    fn claim(&self, claim: &Claim, next: Option<(String, Option<Precedence>)>) -> String {
        let mut text = format!(
            "uses {}; demand {}; fair share {}",
            self.amounts(&claim.usage),
            self.amounts(&claim.demand),
            self.amounts(&claim.fair_share)
        );
        if !claim.min_share.is_zero() {
            let _ = write!(text, "; min share {}", self.amounts(&claim.min_share));
        }
        if (claim.weight - 1.0).abs() > f32::EPSILON {
            let _ = write!(text, "; weight {}", claim.weight);
        }
        if let Some((next, Some(why))) = next {
            let _ = write!(text, "; before {next}: {}", precedence(why));
        }
        text
    }

    fn queue(&self, out: &mut String, depth: usize, visit: &QueueVisit, next: Option<&QueueVisit>) {
        let outcome = match &visit.outcome {
            QueueOutcome::NotReached => "not reached",
            QueueOutcome::Placed => "container made",
            QueueOutcome::Reserved => "node reserved",
            QueueOutcome::Nothing => "nothing",
            QueueOutcome::AboveMaxShare { .. } => "passed over",
            _ => UNKNOWN,
        };
        let next = next.map(|next| (next.queue.clone(), visit.precedes));
        line(out, depth, &format!("{}: {outcome}; {}", visit.queue, self.claim(&visit.claim, next)));
        if let Some(reason) = self.queue_stopped(visit) {
            line(out, depth + 1, &reason.to_string());
        }
        for (place, below) in visit.queues.iter().enumerate() {
            self.queue(out, depth + 1, below, visit.queues.get(place + 1));
        }
        for (place, app) in visit.apps.iter().enumerate() {
            self.app(out, depth + 1, app, visit.apps.get(place + 1));
        }
    }

    fn app(&self, out: &mut String, depth: usize, visit: &AppVisit, next: Option<&AppVisit>) {
        let outcome = match &visit.outcome {
            AppOutcome::NotReached => "not reached",
            AppOutcome::Placed => "container made",
            AppOutcome::PlacedNothing => "container of size zero made, the walk goes on",
            AppOutcome::Reserved => "node reserved",
            AppOutcome::NothingPending | AppOutcome::Waiting => "not offered",
            AppOutcome::NoKey | AppOutcome::Blacklisted | AppOutcome::AmShare(_) | _ => "passed over",
        };
        let next = next.map(|next| (format!("application {}", next.app), visit.precedes));
        let claim = self.claim(&visit.claim, next);
        line(out, depth, &format!("application {}: {outcome}; {claim}", visit.app));
        if visit.keys.is_empty() {
            self.app_stopped(visit).iter().for_each(|reason| line(out, depth + 1, &reason.to_string()));
        }
        for key in &visit.keys {
            let id = key_name(key.priority, key.allocation_request_id);
            let asked = format!("{id}, {} of {}", key.outstanding, self.amounts(&key.size));
            let what = match &key.outcome {
                KeyOutcome::NotReached => "not reached".to_owned(),
                KeyOutcome::Placed { container, locality } => {
                    format!("container {container}, {}", nearness(*locality))
                }
                KeyOutcome::Reserved { container, locality } => {
                    format!("node reserved for container {container}, {}", nearness(*locality))
                }
                KeyOutcome::PassedOver(obstacle) => self.obstacle(&key.size, obstacle).to_string(),
                _ => UNKNOWN.to_owned(),
            };
            line(out, depth + 1, &format!("{asked}: {what}"));
        }
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{:1$}{text}", "", 2 * depth);
}
