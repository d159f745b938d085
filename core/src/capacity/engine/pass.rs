//! A node's heartbeat: passes over it, each from root down to one container or one reservation
//! (rules/capacity.md 11 to 17).

use super::books::{Trail, Walk};
use super::commit::Proposal;
use super::types::Shard;
use crate::app::Locality;
use crate::capacity::allocator::{Chosen, KeyFacts, Limits, NodeFacts, Row, Skipped, choose, precheck};
use crate::capacity::order::{QueueKey, slot_of};
use crate::capacity::ordered::AppEntry;
use crate::capacity::tree::ROOT;
use crate::engine::worker::MOST_GRANTS_A_HEARTBEAT;
use crate::matching::number::containers_left;
use crate::resource::Resource;
use smallvec::SmallVec;

/// What came of offering a node to a queue.
#[derive(Debug)]
enum Offered {
    Proposal(Proposal),
    /// A queue below has no room for its next container.
    QueueLimit,
    Nothing,
}

/// What one pass handed out.
struct Handed {
    off_switch: bool,
    reservation: bool,
}

/// So often a pass begins anew because other workers were first; the node's next heartbeat comes soon.
const REFUSALS: usize = 4;

fn row(count: u32, size: &Resource, relax: bool) -> Row {
    Row { count: i32::try_from(count).unwrap_or(i32::MAX), size: *size, relax }
}

impl Shard {
    /// One pass, whatever it hands out (rules/capacity.md 19).
    pub(super) fn offer_once(&mut self, node: u32) {
        self.pass(node);
    }

    /// Passes until one hands out nothing, or the limits of a heartbeat are reached (rules/capacity.md 11).
    pub(super) fn offer_in_passes(&mut self, node: u32) {
        let Some(Some(root)) = self.own.books.queues.first() else { return };
        let settings = root.published.file.settings();
        let (multiple, most) = (settings.multiple_assignments, settings.maximum_container_assignments);
        let off_switch_most = settings.maximum_offswitch_assignments;
        let (mut off_switch, mut count) = (0, 0);
        while let Some(handed) = self.pass(node) {
            off_switch += i32::from(handed.off_switch);
            count += 1;
            let more = multiple && (most == -1 || count < most) && count < MOST_GRANTS_A_HEARTBEAT;
            if off_switch >= off_switch_most || handed.reservation || !more {
                break;
            }
        }
    }

    fn pass(&mut self, node: u32) -> Option<Handed> {
        if self.must_fold() {
            self.fold_now();
        }
        if self.own.watching.is_some() {
            self.tell_pass(node);
        }
        if self.has_most_containers(node).is_some() {
            return None;
        }
        if self.nodes[node as usize].reservation.is_some() {
            self.serve_reservation(node);
            return None;
        }
        let books = &self.own.books;
        let at = &self.nodes[node as usize];
        if books.arith.available_containers(&at.free.plus(&at.own.killable.sum()), &books.minimum) <= 0 {
            return None;
        }
        // Where another worker was first, somebody else is looked for, a few times.
        for _ in 0..REFUSALS {
            let mut limits = Limits::new(self.own.books.cluster);
            let Offered::Proposal(proposal) = self.offer_queue(ROOT, node, &mut limits) else { return None };
            // One that Hadoop would refuse counts, too.
            if self.commit(&proposal) {
                return Some(Handed {
                    off_switch: proposal.chosen.locality == Locality::OffSwitch,
                    reservation: !proposal.chosen.allocated,
                });
            }
        }
        None
    }

    /// As many containers as a node may have, where it has them.
    pub(super) fn has_most_containers(&self, node: u32) -> Option<i32> {
        let most = self.own.books.queues.first()?.as_ref()?.published.file.settings().max_containers_per_node;
        (containers_left(self.nodes[node as usize].containers.len(), most) == 0).then_some(most)
    }

    fn offer_queue(&mut self, slot: u32, node: u32, limits: &mut Limits) -> Offered {
        let books = &self.own.books;
        if books.is_leaf(slot) {
            return self.offer_leaf(slot, node, limits);
        }
        if !books.is_wanting(slot) {
            return Offered::Nothing;
        }
        let at = &self.nodes[node as usize];
        if at.reservation.is_some() || !books.arith.fits_in(&books.minimum, &at.free.plus(&at.own.killable.sum())) {
            return Offered::Nothing;
        }
        let by_apps = books.counts(slot).reserved_by_apps;
        if !books.may_assign(slot, limits, &Resource::new(by_apps.memory_mb(), by_apps.vcores())) {
            return Offered::Nothing;
        }
        self.offer_children(slot, node, limits)
    }

    fn offer_children(&mut self, slot: u32, node: u32, limits: &mut Limits) -> Offered {
        let mut answer = Offered::Nothing;
        let mut trail = Trail::new();
        let mut left = self.own.books.left_for_children(slot, limits);
        let mut at = None;
        while let Some(key) = self.own.books.next_child(slot, at) {
            at = Some(key);
            let child = slot_of(key);
            let mut of_child = Limits::new(self.own.books.limit_of_child(child, &left));
            match self.offer_queue(child, node, &mut of_child) {
                proposal @ Offered::Proposal(_) => {
                    trail.push((key, left));
                    self.own.books.mark(slot, trail);
                    return proposal;
                }
                Offered::QueueLimit => {
                    trail.push((key, left));
                    let books = &self.own.books;
                    let kept = if books.is_leaf(child) { of_child.headroom } else { of_child.blocked };
                    let kept = books.arith.most(&books.cluster, &kept, &Resource::ZERO);
                    limits.blocked = limits.blocked.plus(&kept);
                    left = books.left_for_children(slot, limits);
                    answer = Offered::QueueLimit;
                }
                Offered::Nothing => {}
            }
        }
        trail.push((QueueKey::MAX, left));
        self.own.books.mark(slot, trail);
        answer
    }

    /// A leaf offers the node to its applications in order, until one takes it or holds back what is left
    /// (rules/capacity.md 13.1).
    fn offer_leaf(&mut self, slot: u32, node: u32, limits: &mut Limits) -> Offered {
        let books = &mut self.own.books;
        books.enter_leaf(slot, limits);
        if !books.is_wanting(slot) {
            return Offered::Nothing;
        }
        books.reorder(slot);
        // Nobody comes or goes before something is proposed.
        let mut walk = Walk::new();
        while let Some(entry) = self.own.books.next_app(slot, limits, &mut walk) {
            match self.offer_app(entry, node, limits) {
                Ok(proposal) => return Offered::Proposal(proposal),
                Err(Skipped::Queue) => return Offered::QueueLimit,
                Err(Skipped::App | Skipped::Key) => {}
            }
        }
        Offered::Nothing
    }

    // ------------------------------------------------------------------------------------------------ an application

    /// The first key that is not passed over decides for an application that asks for something
    /// (rules/capacity.md 16.2).
    fn offer_app(&mut self, entry: AppEntry, node: u32, limits: &Limits) -> Result<Proposal, Skipped> {
        let local = &self.own.books.apps[entry];
        let (app, leaf, reserved) = (local.slot, local.leaf, local.reserved);
        for key in 0..self.app(app).keys.len() {
            if !self.app(app).keys[key].is_open() {
                // Others have taken what was left. Counted at once, so that the next pass does not come by.
                if self.app(app).keys[key].own.count > 0 {
                    self.recount(app, key);
                }
                continue;
            }
            let facts = self.key_facts(app, key, node);
            let outcome = match precheck(&facts, limits, &reserved, &self.own.books.rules(leaf)) {
                Some(skipped) => Err(skipped),
                None => self.offer_key(app, key, node, limits, false),
            };
            match outcome {
                Err(Skipped::Key) => {}
                outcome => return outcome,
            }
        }
        Err(Skipped::App)
    }

    pub(super) fn key_facts(&self, app: u32, key: usize, node: u32) -> KeyFacts {
        let local = self.app(app);
        let key = &local.keys[key];
        let [rack, name] = self.nodes[node as usize].shared.locations();
        let outstanding = key.total();
        let at = |location| {
            let found = key.named().and_then(|rows| rows.present(location));
            found.map(|found| row(found.left(), found.size(), found.relax()))
        };
        let named = key.named().map_or(0, |rows| rows.count_present());
        let reserved = self.reservations_of(app).filter(|(_, made)| made.key == key.id()).count();
        KeyFacts {
            any: (outstanding > 0).then(|| row(outstanding, &key.size, key.relax)),
            rack: at(rack),
            host: at(name),
            locations: named + usize::from(outstanding > 0),
            opportunities: key.own.opportunities,
            reserved: u32::try_from(reserved).unwrap_or(u32::MAX),
            re_reservations: key.own.re_reservations,
        }
    }

    #[inline]
    pub(super) fn is_blacklisted(&self, app: u32, node: u32) -> bool {
        let (at, local) = (&self.nodes[node as usize], self.app(app));
        local.blacklists.as_ref().is_some_and(|lists| lists.forbid(at.shared.locations(), local.waits_for_am()))
    }

    /// Counts the visit, and tries the node, its rack and anywhere (rules/capacity.md 16.5). `converts`: the node is
    /// reserved for the key.
    fn offer_key(
        &mut self,
        app: u32,
        key: usize,
        node: u32,
        limits: &Limits,
        converts: bool,
    ) -> Result<Proposal, Skipped> {
        if self.is_blacklisted(app, node) {
            return Err(Skipped::App);
        }
        let id = self.app(app).keys[key].id();
        let leaf = self.own.books.apps[self.entry(app).ok_or(Skipped::App)?].leaf;
        self.key_mut(app, key).opportunities += 1;
        let facts = self.key_facts(app, key, node);
        let rules = self.own.books.rules(leaf);
        let mut made_at: SmallVec<[u32; 2]> = SmallVec::new();
        let mut sizes: SmallVec<[Resource; 2]> = SmallVec::new();
        for (node, made) in self.reservations_of(app).filter(|(_, made)| made.key == id) {
            made_at.push(node);
            sizes.push(made.size);
        }
        let at = &self.nodes[node as usize];
        let killable = at.own.killable.in_order();
        let killable_sizes: SmallVec<[Resource; 2]> = killable.iter().map(|(_, size)| *size).collect();
        let facts_of_node = NodeFacts { free: at.free, total: at.total, killable: &killable_sizes };
        let chosen = choose(&facts, &facts_of_node, limits, &sizes, converts, &rules);
        let rack_resets = self.own.books.file(leaf).settings().rack_locality_full_reset;
        let own = self.key_mut(app, key);
        match chosen {
            Err(Skipped::Key) if !converts => own.opportunities -= 1,
            Ok(Chosen { locality, .. }) if !converts => {
                let resets = match locality {
                    Locality::Node => true,
                    Locality::Rack => rack_resets,
                    Locality::OffSwitch => false,
                };
                if resets {
                    own.opportunities = 0;
                }
            }
            _ => {}
        }
        let chosen = chosen?;
        let gives_up = chosen.unreserve.map(|at| made_at[at]);
        let kills = killable.iter().take(chosen.kills).map(|(candidate, _)| *candidate).collect();
        Ok(Proposal { app, key, node, chosen, converts, gives_up, kills })
    }

    /// On a reserved node only the reservation is tried; it becomes a container, goes, or stays
    /// (rules/capacity.md 17.3).
    fn serve_reservation(&mut self, node: u32) {
        let Some(made) = self.nodes[node as usize].reservation else { return };
        let Some(entry) = self.find_app(made.app).and_then(|app| app.own.entry) else { return };
        let leaf = self.own.books.apps[entry].leaf;
        let app = made.app.index;
        let mut limits = Limits::new(self.own.books.cluster);
        self.own.books.enter_leaf(leaf, &mut limits);
        let key = self.key_index(app, made.key).filter(|key| self.app(app).keys[*key].total() > 0);
        let Some(key) = key else {
            self.end_reservation(node);
            return;
        };
        if let Ok(proposal) = self.offer_key(app, key, node, &limits, true) {
            self.commit(&proposal);
        }
    }
}
