//! Reserved nodes: when the FairScheduler keeps a node for a starved application, and what becomes of that
//! (rules/assignment.md 8).

use crate::engine::books::reserved::may_reserve;
use crate::engine::proposal::Proposal;
use crate::engine::records::node::Reservation;
use crate::fair::engine::Shard;
use crate::fair::outcome::{Unreserved, Unwanted};
use crate::id::{LabelId, Locality};
use crate::preemption::Starvation;

impl Shard {
    /// The node's reservation, at each pass: true when it is valid, which ends the pass.
    pub(super) fn serve_reservation(&mut self, node: u32) -> bool {
        let reservation = self.nodes[node as usize].reservation.expect("asked for");
        let app = reservation.app.index;
        if let Err(unwanted) = self.is_valid(&reservation, node) {
            self.note_dropped(&reservation, node, unwanted);
            self.unreserve(node);
            return false;
        }
        if reservation.size.fits_in(&self.nodes[node as usize].free) {
            self.note_serving(true);
            self.assign(app, node, Some(reservation.key));
            self.note_serving(false);
        }
        true
    }

    /// Whether a node's reservation stands; else why its ask is unwanted there, or nothing where the AM share stands
    /// against it.
    #[inline]
    pub(super) fn is_valid(&self, reservation: &Reservation, node: u32) -> Result<(), Option<Unwanted>> {
        let app = reservation.app.index;
        let gone = Err(Some(Unwanted::NothingOutstanding));
        if self.find_app(reservation.app).is_none() {
            return gone;
        }
        let Some(key) = self.key_index(app, reservation.key) else { return gone };
        let local = self.app(app);
        let key = &local.keys[key];
        self.wanted_here(local, key, key.visible(self.worker), &self.nodes[node as usize]).map_err(Some)?;
        if self.over_am_share(app) { Err(None) } else { Ok(()) }
    }

    /// Whether the application uses less than its fair share, or was handed out some of its queue's min-share
    /// starvation.
    pub(crate) fn is_starved(&self, app: u32) -> bool {
        let local = self.app(app);
        let calculator = self.queue(local.leaf).snapshot.own.calculator;
        calculator.compare(self.types, &self.cluster.total, &local.usage, &local.own.fair_share, true).is_lt()
            || !self.starvation(app).min_share.is_zero()
    }

    /// What the last look at the application found it short of.
    pub(crate) fn starvation(&self, app: u32) -> Starvation {
        self.snapshot.figures.starvation.get(&self.app(app).slot).copied().unwrap_or_default()
    }

    /// Keeps the node for a proposal that does not fit, if the rules allow.
    #[inline(never)]
    pub(super) fn reserve(&mut self, proposal: &Proposal) -> Result<(), Unreserved> {
        self.may_reserve(proposal, false)?;
        let Proposal { app, key, node, size, .. } = *proposal;
        // As in Hadoop: whoever serves the reservation keeps it. A proposal in room that the node owes comes by the
        // reservation that the application has there, and replaces it by one of its own, with a new number.
        if !proposal.reserved {
            self.unreserve(node);
            self.reserve_node(node, app, self.app(app).keys[key].id(), size, LabelId::NONE);
        }
        Ok(())
    }

    /// Whether the rules allow that the node is kept for a proposal that does not fit; with `dropped` as if the
    /// reservation that it has were given up.
    #[inline]
    pub(super) fn may_reserve(&self, proposal: &Proposal, dropped: bool) -> Result<(), Unreserved> {
        let Proposal { app, node, locality, size, .. } = *proposal;
        if !self.is_starved(app) {
            return Err(Unreserved::NotStarved);
        }
        let settings = &self.shared.decider.settings;
        let calculator = self.queue(self.app(app).leaf).snapshot.own.calculator;
        let threshold = &settings.reservation_threshold;
        if calculator.compare(self.types, &self.cluster.total, &size, threshold, false).is_lt() {
            return Err(Unreserved::BelowThreshold);
        }
        let slot = self.app(app).slot;
        let at = &self.nodes[node as usize];
        let (present, given_up) = if dropped { (None, at.reservation) } else { (at.reservation, None) };
        let gone = u32::from(given_up.is_some_and(|reservation| reservation.app == slot));
        if at.own.owes(self.app(app)) {
            return Err(Unreserved::RoomOwed);
        }
        if present.is_some_and(|reservation| reservation.app != slot) {
            return Err(Unreserved::OthersNode);
        }
        let rack = self.nodes[node as usize].shared.rack_location;
        let (existing, nodes) = match locality {
            Locality::Node => (0, u32::MAX),
            Locality::Rack => {
                let here = |node: &&u32| self.nodes[**node as usize].shared.rack_location == rack;
                let existing = self.app(app).reserved.iter().filter(here).count();
                let nodes = self.snapshot.structure.racks.get(&rack).copied().unwrap_or(0);
                (u32::try_from(existing).unwrap_or(u32::MAX), nodes)
            }
            Locality::OffSwitch => (self.app(app).shared.reserved(), self.snapshot.structure.nodes),
        };
        let existing = existing.saturating_sub(gone);
        if locality != Locality::Node && !may_reserve(existing, nodes, settings.reservable_nodes) {
            return Err(Unreserved::TooManyNodes(existing, nodes));
        }
        Ok(())
    }
}
