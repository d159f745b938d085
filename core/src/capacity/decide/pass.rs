//! A node's heartbeat: passes over it, each from root down to one container or one reservation
//! (rules/capacity.md 11 to 17).
//!
//! There is one traversal, for whoever [looks on](Observer): a pass, which keeps what it works out on the way, whether
//! it is [told of](super::watching) or not; and a [question](crate::capacity::explain::words), which keeps nothing.

use super::commit::Proposal;
use crate::capacity::books::{PassMarks, Passed};
use crate::capacity::rules::allocator::{Chosen, KeyFacts, Limits, NodeFacts, Row, Skipped, choose_observed, precheck};
use crate::capacity::rules::observer::{Looked, Observer, Recorder};
use crate::capacity::rules::order::{QueueKey, slot_of};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Whole};
use crate::capacity::rules::tree::ROOT;
use crate::capacity::rules::tried::{AppTried, KeyEnd, PassCourse, QueueEnd};
use crate::capacity::types::Shard;
use crate::engine::stage::offer::MAX_GRANTS_PER_HEARTBEAT;
use crate::id::Locality;
use crate::matching::number::containers_left;
use crate::resource::Resource;
use smallvec::SmallVec;

/// What came of offering a node to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// There is a [proposal](Visit::proposal).
    Proposal,
    /// A queue below has no room for its next container.
    QueueLimit,
    Nothing,
}

/// A node that is offered, and what has been chosen for it.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) node: u32,
    /// It has room for the smallest container, and nothing is reserved on it.
    pub(super) is_free: bool,
    /// Some of its containers may go for others.
    pub(super) has_killable: bool,
    /// Of nodes that are offered together: further ones come after it, so it is not reserved.
    pub(super) has_later: bool,
    pub(crate) proposal: Option<Proposal>,
}

/// What a pass goes over: one node, or [several together](super::together).
pub(super) trait Over: Copy {
    fn go<O: Observer>(self, shard: &mut Shard, eye: &mut O) -> Option<PassResult>;
}

#[derive(Clone, Copy, Debug)]
struct OneNode(u32);

impl Over for OneNode {
    #[inline]
    fn go<O: Observer>(self, shard: &mut Shard, eye: &mut O) -> Option<PassResult> {
        shard.go(self.0, eye)
    }
}

/// What one pass handed out.
pub(super) struct PassResult {
    pub(super) off_switch: bool,
    pub(super) reservation: bool,
}

/// So often a pass begins anew because other workers were first; the node's next heartbeat comes soon.
pub(super) const MAX_CONFLICTS: usize = 4;

fn row(count: u32, size: &Resource, relax: bool) -> Row {
    Row { count: i32::try_from(count).unwrap_or(i32::MAX), size: *size, relax }
}

impl Shard {
    /// One pass, whatever it hands out (rules/capacity.md 19).
    pub(crate) fn offer_once(&mut self, node: u32) {
        self.pass(node);
    }

    /// Passes until one hands out nothing, or the limits of a heartbeat are reached (rules/capacity.md 11).
    pub(crate) fn offer_in_passes(&mut self, node: u32) {
        self.in_passes(|shard| shard.pass(node));
    }

    #[inline]
    pub(super) fn in_passes(&mut self, mut pass: impl FnMut(&mut Shard) -> Option<PassResult>) {
        let Some(Some(root)) = self.own.books.queues.first() else { return };
        let settings = root.published.file.settings();
        let (multiple, most) = (settings.multiple_assignments, settings.maximum_container_assignments);
        let off_switch_most = settings.maximum_offswitch_assignments;
        let (mut off_switch, mut count) = (0, 0);
        while let Some(handed) = pass(self) {
            off_switch += i32::from(handed.off_switch);
            count += 1;
            let more = multiple && (most == -1 || count < most) && count < MAX_GRANTS_PER_HEARTBEAT;
            if off_switch >= off_switch_most || handed.reservation || !more {
                break;
            }
        }
    }

    fn pass(&mut self, node: u32) -> Option<PassResult> {
        self.pass_over(node, OneNode(node))
    }

    /// A pass. Whoever watches is told of it as one over `node`.
    #[inline]
    pub(super) fn pass_over(&mut self, node: u32, over: impl Over) -> Option<PassResult> {
        if self.must_fold() {
            self.fold_now();
        }
        if self.own.watching.is_some() { self.pass_with_watch(node, over) } else { over.go(self, &mut ()) }
    }

    /// A pass, and what it tries is told if that is asked for.
    #[cold]
    fn pass_with_watch(&mut self, node: u32, over: impl Over) -> Option<PassResult> {
        let wanted = self.is_told(node);
        if wanted == (false, false) {
            return over.go(self, &mut ());
        }
        let mut recorder = Recorder::default();
        let handed = over.go(self, &mut recorder);
        if let Some(course) = recorder.into_course() {
            self.tell_pass(node, wanted, course);
        }
        handed
    }

    fn go<O: Observer>(&mut self, node: u32, eye: &mut O) -> Option<PassResult> {
        if let Some(most) = self.has_most_containers(node) {
            eye.course(PassCourse::MostContainers { most });
            return None;
        }
        if self.nodes[node as usize].reservation.is_some() {
            self.serve_reservation(node, eye);
            return None;
        }
        if self.is_full(node) {
            eye.course(PassCourse::NodeFull);
            return None;
        }
        if self.own.books.has_labels() { self.go_by_partition(node, eye) } else { self.go_in(node, Whole, eye) }
    }

    /// A node of a partition is for asks that name its label; then, if the label is shared, for those that name none
    /// (rules/node-labels.md 10).
    fn go_by_partition<O: Observer>(&mut self, node: u32, eye: &mut O) -> Option<PassResult> {
        let label = self.nodes[node as usize].label;
        let handed = self.go_in(node, Part::of(label), eye);
        let is_shared = self.own.books.labels.partition(label).is_some_and(|partition| !partition.exclusive);
        if handed.is_some() || label.is_none() || !is_shared {
            handed
        } else {
            self.go_in(node, Part::lent(label), eye)
        }
    }

    /// A pass from root down, and its proposal.
    fn go_in<O: Observer, P: Partition>(&mut self, node: u32, p: P, eye: &mut O) -> Option<PassResult> {
        // Where another worker was first, somebody else is looked for, a few times.
        for _ in 0..MAX_CONFLICTS {
            let mut limits = Limits::new(*self.own.books.size(p.asked()));
            let mut visit = self.visit(node);
            self.offer_queue(ROOT, &mut visit, &mut limits, p, eye);
            let Some(proposal) = &visit.proposal else { return None };
            // One that Hadoop would refuse counts, too.
            if self.commit(proposal, p) {
                return Some(PassResult {
                    off_switch: proposal.chosen.locality == Locality::OffSwitch,
                    reservation: !proposal.chosen.allocated,
                });
            }
        }
        None
    }

    /// As many containers as a node may have, where it has them.
    pub(crate) fn has_most_containers(&self, node: u32) -> Option<i32> {
        let most = self.own.books.queues.first()?.as_ref()?.published.file.settings().max_containers_per_node;
        (containers_left(self.nodes[node as usize].containers.len(), most) == 0).then_some(most)
    }

    /// Whether a node has no room even for the smallest container.
    pub(crate) fn is_full(&self, node: u32) -> bool {
        let books = &self.own.books;
        !books.arith.has_room_for(&self.room_of(node), &books.minimum)
    }

    /// What a node has left, killable containers included.
    #[inline]
    fn room_of(&self, node: u32) -> Resource {
        let at = &self.nodes[node as usize];
        if at.own.killable.is_empty() { at.free } else { at.free.plus(&at.own.killable.sum()) }
    }

    /// A node is offered from now on.
    pub(crate) fn visit(&self, node: u32) -> Visit {
        let books = &self.own.books;
        let is_reserved = self.nodes[node as usize].reservation.is_some();
        let is_free = !is_reserved && books.arith.fits_in(&books.minimum, &self.room_of(node));
        let has_killable = !self.nodes[node as usize].own.killable.is_empty();
        Visit { node, is_free, has_killable, has_later: false, proposal: None }
    }

    pub(crate) fn offer_queue<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        visit: &mut Visit,
        limits: &mut Limits,
        p: P,
        eye: &mut O,
    ) -> Offered {
        if !O::VISITS_ALL {
            return self.offer_within(slot, visit, limits, p, eye);
        }
        eye.queue(&self.own.books.node(slot).config.path);
        let offered = self.offer_within(slot, visit, limits, p, eye);
        eye.queue_is_left();
        offered
    }

    #[inline]
    fn offer_within<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        visit: &mut Visit,
        limits: &mut Limits,
        p: P,
        eye: &mut O,
    ) -> Offered {
        if self.own.books.is_leaf(slot) {
            self.offer_leaf(slot, visit, limits, p, eye)
        } else {
            self.offer_parent(slot, visit, limits, p, eye)
        }
    }

    fn offer_parent<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        visit: &mut Visit,
        limits: &mut Limits,
        p: P,
        eye: &mut O,
    ) -> Offered {
        let books = &self.own.books;
        if !books.may_be_offered(slot, p) || !books.is_wanting(slot, p) {
            eye.queue_ends(QueueEnd::NothingWanted);
            return Offered::Nothing;
        }
        if !visit.is_free {
            eye.queue_ends(QueueEnd::NodeFull);
            return Offered::Nothing;
        }
        let by_apps = books.counts(slot).reserved_by_apps;
        if let Err(stop) = books.may_assign(slot, limits, &Resource::new(by_apps.memory_mb(), by_apps.vcores()), p) {
            eye.stopped(&stop);
            return Offered::Nothing;
        }
        self.offer_children(slot, visit, limits, p, eye)
    }

    fn offer_children<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        visit: &mut Visit,
        limits: &mut Limits,
        p: P,
        eye: &mut O,
    ) -> Offered {
        let mut answer = Offered::Nothing;
        let mut pass_marks = PassMarks::new();
        let books = &self.own.books;
        let mut left = books.left_for_children(slot, limits, p);
        let keeps_marks = O::KEEPS_RESULTS && books.keeps_marks(slot);
        let is_copied = O::VISITS_ALL || books.resort;
        let mut line = is_copied.then(|| books.children_in_turn(slot, p).into_iter());
        let mut passed = Passed::new();
        for at in 0.. {
            let books = &self.own.books;
            let next = match &mut line {
                Some(line) => line.next(),
                None if P::IS_WHOLE => books.first_child(slot),
                // Nothing is charged before something is proposed, so the order stays.
                None => books.child_in_line(slot, at, p),
            };
            let Some(key) = next else { break };
            let child = slot_of(key);
            let mut of_child = Limits::new(self.own.books.limit_of_child(child, &left, p));
            match self.offer_queue(child, visit, &mut of_child, p, eye) {
                Offered::Proposal => {
                    if keeps_marks {
                        pass_marks.push((key, left));
                        self.own.books.mark(slot, pass_marks);
                    }
                    self.own.books.take_back(slot, &passed);
                    return Offered::Proposal;
                }
                Offered::QueueLimit => {
                    if keeps_marks {
                        pass_marks.push((key, left));
                    }
                    let books = &self.own.books;
                    let is_leaf = books.is_leaf(child);
                    let kept = if is_leaf { of_child.headroom } else { of_child.blocked };
                    let kept = books.arith.most(&books.cluster, &kept, &Resource::ZERO);
                    if is_leaf {
                        eye.leaf_keeps(child, &kept);
                    }
                    limits.blocked = limits.blocked.plus(&kept);
                    left = books.left_for_children(slot, limits, p);
                    answer = Offered::QueueLimit;
                }
                Offered::Nothing => {}
            }
            if P::IS_WHOLE && line.is_none() {
                self.own.books.leave_behind(slot, child, &mut passed);
            }
        }
        self.own.books.take_back(slot, &passed);
        if keeps_marks {
            pass_marks.push((QueueKey::MAX, left));
            self.own.books.mark(slot, pass_marks);
        }
        answer
    }

    /// A leaf offers the node to its applications in order, until one takes it or holds back what is left
    /// (rules/capacity.md 13.1).
    fn offer_leaf<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        visit: &mut Visit,
        limits: &mut Limits,
        p: P,
        eye: &mut O,
    ) -> Offered {
        let books = &mut self.own.books;
        books.enter_leaf::<O, P>(slot, limits, visit.has_killable, p);
        if !books.may_be_offered(slot, p) || !books.is_wanting(slot, p) {
            eye.queue_ends(QueueEnd::NothingWanted);
            return Offered::Nothing;
        }
        if O::KEEPS_RESULTS {
            self.offer_apps(slot, visit, limits, p, eye)
        } else {
            self.restoring_users(slot, |shard| shard.offer_apps(slot, visit, limits, p, eye))
        }
    }

    #[inline]
    fn offer_apps<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        visit: &mut Visit,
        limits: &mut Limits,
        p: P,
        eye: &mut O,
    ) -> Offered {
        // Nobody comes or goes before something is proposed.
        let mut walk = self.own.books.begin_walk::<O>(slot);
        while let Some(entry) = self.own.books.next_app(slot, limits, &mut walk, p, eye) {
            match self.offer_app(entry, visit, limits, p, eye) {
                Ok(()) => return Offered::Proposal,
                Err(Skipped::Queue) => {
                    eye.no_room();
                    return Offered::QueueLimit;
                }
                Err(Skipped::App | Skipped::Key) => {}
            }
        }
        Offered::Nothing
    }

    /// What is worked out of a leaf's users on the way does not stay.
    pub(crate) fn restoring_users<T>(&mut self, leaf: u32, look: impl FnOnce(&mut Shard) -> T) -> T {
        let users = self.own.books.leaf(leaf).users.clone();
        let seen = look(self);
        self.own.books.leaf_mut(leaf).users = users;
        seen
    }

    // ------------------------------------------------------------------------------------------------ an application

    /// The first key that is not passed over decides for an application that asks for something
    /// (rules/capacity.md 16.2).
    pub(crate) fn offer_app<O: Observer, P: Partition>(
        &mut self,
        entry: AppEntry,
        visit: &mut Visit,
        limits: &Limits,
        p: P,
        eye: &mut O,
    ) -> Result<(), Skipped> {
        let local = &self.own.books.apps[entry];
        let (app, leaf, reserved) = (local.slot, local.leaf, local.reserved_in(p));
        for key in 0..self.app(app).keys.len() {
            let asking = &self.app(app).keys[key];
            // A question notes nothing.
            let is_open = if O::KEEPS_RESULTS { asking.is_open_or_note_zero() } else { asking.total() > 0 };
            if !is_open {
                // Others have taken what was left. Counted at once, so that the next pass does not come by.
                if O::KEEPS_RESULTS && self.app(app).keys[key].own.count > 0 {
                    self.recount(app, key);
                }
                continue;
            }
            if O::VISITS_ALL {
                eye.key(self.app(app).keys[key].id());
            }
            let outcome = if P::IS_TOGETHER {
                self.try_on_candidates((entry, app, key), &reserved, visit, limits, p, eye)
            } else {
                self.try_key((app, key), (leaf, &reserved), visit, limits, p, eye)
            };
            match outcome {
                Err(Skipped::Key) => {}
                outcome => return outcome,
            }
        }
        Err(Skipped::App)
    }

    /// A key on one node: what speaks against it at all, and then the node.
    #[inline(always)]
    pub(super) fn try_key<O: Observer, P: Partition>(
        &mut self,
        (app, key): (u32, usize),
        (leaf, reserved): (u32, &Resource),
        visit: &mut Visit,
        limits: &Limits,
        p: P,
        eye: &mut O,
    ) -> Result<(), Skipped> {
        let mut facts = self.key_facts(app, key, visit.node);
        if !P::IS_WHOLE
            && let Some(skipped) = self.is_elsewhere(app, key, p)
        {
            eye.key_is_elsewhere();
            return Err(skipped);
        }
        match precheck(&facts, limits, reserved, self.own.books.rules(leaf)) {
            Some(skipped) => {
                eye.key_refused(skipped, &facts, limits);
                Err(skipped)
            }
            None if !P::IS_WHOLE && self.misses::<O, P>(app, key, p) => {
                eye.key_is_elsewhere();
                Err(Skipped::App)
            }
            None => self.offer_key::<O, P>((app, key), &mut facts, visit, limits, false, eye),
        }
    }

    /// What a label has against a key (rules/node-labels.md 14, steps 2 and 3).
    fn is_elsewhere<P: Partition>(&self, app: u32, key: usize, p: P) -> Option<Skipped> {
        let local = self.app(app);
        let ams_by_sharing = self.shared.decider.settings.node_labels.am_by_sharing;
        if p.is_lent() && !ams_by_sharing && local.waits_for_am() {
            return Some(Skipped::App);
        }
        (local.keys[key].label != p.asked().label()).then_some(Skipped::Key)
    }

    /// A key that names no label counts a node that it is offered; nodes that are lent are for those who have waited
    /// long enough (rules/node-labels.md 14, step 6).
    fn misses<O: Observer, P: Partition>(&mut self, app: u32, key: usize, p: P) -> bool {
        let nodes = self.own.books.nodes;
        let key = &mut self.app_mut(app).keys[key];
        if !key.label.is_none() {
            return false;
        }
        let missed = key.own.missed.saturating_add(1);
        if O::KEEPS_RESULTS {
            key.own.missed = missed;
        }
        p.is_lent() && missed < nodes
    }

    pub(crate) fn key_facts(&self, app: u32, key: usize, node: u32) -> KeyFacts {
        let local = self.app(app);
        let key = &local.keys[key];
        let [rack, name] = self.nodes[node as usize].shared.locations();
        let outstanding = key.total();
        let at = |location| {
            let found = key.named().and_then(|rows| rows.present(location));
            found.map(|found| row(found.left(), found.size(), found.relax()))
        };
        let named = key.named().map_or(0, |rows| rows.count_present());
        let reserved = match &local.reserved[..] {
            [] => 0,
            _ => self.reservations_of(app).filter(|(_, made)| made.key == key.id()).count(),
        };
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
    pub(crate) fn is_blacklisted(&self, app: u32, node: u32) -> bool {
        let (at, local) = (&self.nodes[node as usize], self.app(app));
        local.blacklists.as_ref().is_some_and(|lists| lists.forbid(at.shared.locations(), local.waits_for_am()))
    }

    /// Counts the visit, and tries the node, its rack and anywhere (rules/capacity.md 16.5). `converts`: the node is
    /// reserved for the key.
    pub(crate) fn offer_key<O: Observer, P: Partition>(
        &mut self,
        (app, key): (u32, usize),
        facts: &mut KeyFacts,
        visit: &mut Visit,
        limits: &Limits,
        converts: bool,
        eye: &mut O,
    ) -> Result<(), Skipped> {
        let node = visit.node;
        if self.is_blacklisted(app, node) {
            eye.key_ends(KeyEnd::Blacklisted);
            return Err(Skipped::App);
        }
        let id = self.app(app).keys[key].id();
        let leaf = self.own.books.apps[self.entry(app).ok_or(Skipped::App)?].leaf;
        facts.opportunities += 1;
        let rules = self.own.books.rules(leaf);
        let mut made_at: SmallVec<[u32; 2]> = SmallVec::new();
        let mut sizes: SmallVec<[Resource; 2]> = SmallVec::new();
        for (node, made) in self.reservations_of(app).filter(|(_, made)| made.key == id) {
            made_at.push(node);
            sizes.push(made.size);
        }
        let at = &self.nodes[node as usize];
        let killable = if visit.has_killable { at.own.killable.in_order() } else { Vec::new() };
        let killable_sizes: SmallVec<[Resource; 2]> = killable.iter().map(|(_, size)| *size).collect();
        let facts: &KeyFacts = facts;
        let facts_of_node = NodeFacts { free: at.free, total: at.total, killable: &killable_sizes };
        let tell = &mut |end| eye.key_ends(end);
        let chosen = choose_observed(facts, &facts_of_node, limits, &sizes, converts, rules, tell);
        if O::VISITS_ALL {
            eye.key_looked(&Looked { facts, node: &facts_of_node, limits, rules, converts, outcome: chosen });
        }
        // Where a later node may have room, this one is not reserved.
        let is_left = P::IS_TOGETHER && visit.has_later && chosen.is_ok_and(|chosen| !chosen.allocated);
        if O::KEEPS_RESULTS {
            let rack_resets = self.own.books.rack_resets(leaf);
            let visited = match chosen {
                // It is no visit in vain.
                Err(Skipped::Key) if !converts => None,
                Ok(_) if is_left => Some(facts.opportunities),
                Ok(Chosen { locality, .. }) if !converts => {
                    let resets = match locality {
                        Locality::Node => true,
                        Locality::Rack => rack_resets,
                        Locality::OffSwitch => false,
                    };
                    Some(if resets { 0 } else { facts.opportunities })
                }
                _ => Some(facts.opportunities),
            };
            let is_labelled = !self.nodes[node as usize].label.is_none();
            if let Some(opportunities) = visited {
                let key = self.key_mut(app, key);
                key.opportunities = opportunities;
                if chosen.is_ok() && !is_left && !converts && !is_labelled {
                    key.missed = 0;
                }
            }
            if let Ok(Chosen { unreserve: Some(_), .. }) = chosen
                && self.own.books.has_labels()
                && let Some(entry) = self.entry(app)
            {
                // As in Hadoop the headroom is worked out, and limits of users with it.
                self.own.books.headroom(entry);
            }
        }
        let chosen = chosen?;
        if is_left {
            return Err(Skipped::App);
        }
        eye.gets(&chosen);
        let gives_up = chosen.unreserve.map(|at| made_at[at]);
        let kills = killable.iter().take(chosen.kills).map(|(candidate, _)| *candidate).collect();
        visit.proposal = Some(Proposal { app, key, node, chosen, converts, gives_up, kills });
        Ok(())
    }

    /// On a reserved node only the reservation is tried; it becomes a container, goes, or stays
    /// (rules/capacity.md 17.3).
    pub(super) fn serve_reservation<O: Observer>(&mut self, node: u32, eye: &mut O) {
        let Some(made) = self.nodes[node as usize].reservation else { return };
        let Some(entry) = self.find_app(made.app).and_then(|app| app.own.entry) else { return };
        let leaf = self.own.books.apps[entry].leaf;
        let app = made.app.index;
        let mut visit = self.visit(node);
        let mut limits;
        if self.own.books.has_labels() {
            // As in Hadoop, whatever the node's label.
            limits = Limits::new(*self.own.books.size(Part::DEFAULT));
            let p = Part::of(self.nodes[node as usize].label);
            self.own.books.enter_leaf::<O, Part>(leaf, &mut limits, visit.has_killable, p);
        } else {
            limits = Limits::new(self.own.books.cluster);
            self.own.books.enter_leaf::<O, Whole>(leaf, &mut limits, visit.has_killable, Whole);
        }
        if O::VISITS_ALL {
            let books = &self.own.books;
            let app = &books.apps[entry];
            let queue = books.node(leaf).config.path.clone();
            let app = AppTried::of(app.number, &queue, app.priority);
            eye.course(PassCourse::Reserved { queue, container: made.number, app });
        }
        let key = self.key_index(app, made.key).filter(|key| self.app(app).keys[*key].total() > 0);
        let Some(key) = key else {
            self.end_reservation(node);
            return;
        };
        eye.key(made.key);
        let mut facts = self.key_facts(app, key, node);
        if self.offer_key::<O, Whole>((app, key), &mut facts, &mut visit, &limits, true, eye).is_ok()
            && let Some(proposal) = &visit.proposal
        {
            by_partition!(self, node, |p| self.commit(proposal, p));
        }
    }
}
