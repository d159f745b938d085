//! Whether a request key gets a container on a node: locality and its delay, the size, reservations.
//!
//! Follows rules/capacity.md 16.4 to 16.6 and 17.1; `RegularContainerAllocator`. One function over plain facts, which
//! only reads: what it has chosen is the caller's to commit.

use super::arith::Arith;
use super::tried::KeyEnd;
use crate::id::Locality;
use crate::resource::Resource;

/// What is asked for at one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) count: i32,
    pub(crate) size: Resource,
    /// Whether further away will do.
    pub(crate) relax: bool,
}

/// What a pass may still use; each queue on the way narrows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) limit: Resource,
    /// What the last queue asked has left.
    pub(crate) headroom: Resource,
    /// What children that stopped at a limit keep for themselves.
    pub(crate) blocked: Resource,
    /// What has to be given up for the user to stay within his limit.
    pub(crate) to_unreserve: Resource,
    /// Killable containers may make room.
    pub(crate) may_kill: bool,
}

impl Limits {
    pub(crate) fn new(limit: Resource) -> Limits {
        let none = Resource::ZERO;
        Limits { limit, headroom: none, blocked: none, to_unreserve: none, may_kill: false }
    }
}

/// The settings that count here. What mostly decides comes first, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Rules {
    pub(crate) arith: Arith,
    pub(crate) nodes: u32,
    pub(crate) node_locality_delay: i32,
    pub(crate) rack_locality_additional_delay: i32,
    pub(crate) minimum_allocation_factor: f32,
    pub(crate) continue_looking: bool,
    pub(crate) cluster: Resource,
    /// The leaf's.
    pub(crate) maximum_allocation: Resource,
}

/// A key, as far as one node is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyFacts {
    pub(crate) any: Option<Row>,
    pub(crate) rack: Option<Row>,
    pub(crate) host: Option<Row>,
    /// How many locations it names, `*` among them.
    pub(crate) locations: usize,
    /// Nodes visited in vain, this one included.
    pub(crate) opportunities: u32,
    /// Its reservations.
    pub(crate) reserved: u32,
    pub(crate) re_reservations: u32,
}

/// A node, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeFacts<'a> {
    pub(crate) free: Resource,
    pub(crate) total: Resource,
    /// Sizes of killable containers, in the order in which they would go.
    pub(crate) killable: &'a [Resource],
}

/// Why there is nothing for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// The next key may try.
    Key,
    /// The next application may.
    App,
    /// The queue has no room for what is asked for: it keeps what it has left.
    Queue,
}

/// What a key gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) locality: Locality,
    pub(crate) size: Resource,
    /// A container; else the node is reserved.
    pub(crate) allocated: bool,
    /// So many of the killable ones have to go.
    pub(crate) kills: usize,
    /// Which of its own reservations is given up.
    pub(crate) unreserve: Option<usize>,
}

impl KeyFacts {
    fn outstanding(&self) -> i32 {
        self.any.map_or(0, |any| any.count)
    }

    /// rules/capacity.md 17.1: a key that waits long for large containers may reserve more nodes than it needs.
    pub(crate) fn needs_more(&self, size: &Resource, rules: &Rules) -> bool {
        let starvation = if self.reserved == 0 {
            0
        } else {
            let part = rules.arith.ratio(size, &rules.maximum_allocation).min(rules.minimum_allocation_factor);
            let waited = self.re_reservations as f32 / self.reserved as f32;
            i64::from(crate::config::float_to_int(waited * (1.0 - part)))
        };
        starvation + i64::from(self.outstanding()) > i64::from(self.reserved)
    }

    pub(crate) fn may(&self, locality: Locality, has_reservation: bool, rules: &Rules) -> bool {
        let wanted = |row: Option<Row>| row.is_some_and(|row| row.count > 0);
        let nodes = i64::from(rules.nodes);
        let waited = i64::from(self.opportunities);
        match locality {
            Locality::Node => wanted(self.rack) && wanted(self.host),
            Locality::Rack => wanted(self.rack) && nodes.min(i64::from(rules.node_locality_delay)) < waited,
            Locality::OffSwitch => {
                has_reservation
                    || nodes > 0
                        && (self.locations <= 1 || {
                            let additional = i64::from(rules.rack_locality_additional_delay);
                            if additional > -1 {
                                waited > nodes.min(i64::from(rules.node_locality_delay) + additional)
                            } else {
                                let others = self.locations.saturating_sub(1);
                                let factor = (others as f32 / rules.nodes as f32).min(1.0);
                                (nodes as f32).min(self.outstanding() as f32 * factor) < waited as f32
                            }
                        })
            }
        }
    }
}

/// rules/capacity.md 16.4: what speaks against a key before the node is looked at. `app_reserved` is what its
/// application has reserved.
pub(crate) fn precheck(key: &KeyFacts, limits: &Limits, app_reserved: &Resource, rules: &Rules) -> Option<Skipped> {
    let Some(any) = key.any.filter(|any| any.count > 0) else { return Some(Skipped::Key) };
    if !rules.continue_looking && !key.needs_more(&any.size, rules) {
        return Some(Skipped::Key);
    }
    let room = if rules.continue_looking { limits.headroom.plus(app_reserved) } else { limits.headroom };
    (!rules.arith.fits_in(&any.size, &room)).then_some(Skipped::Queue)
}

/// [`choose_observed`], to nobody.
#[cfg(test)]
pub(crate) fn choose(
    key: &KeyFacts,
    node: &NodeFacts<'_>,
    limits: &Limits,
    own: &[Resource],
    has_reservation: bool,
    rules: &Rules,
) -> Result<Chosen, Skipped> {
    choose_observed(key, node, limits, own, has_reservation, rules, &mut |_| {})
}

/// What a key gets on a node: which locality will do, and whether its size fits (rules/capacity.md 16.5 and 16.6).
/// `own` are the sizes of the key's reservations in the order in which they were made;
/// `has_reservation`: this node is reserved for the key. Tells of each place that is tried.
#[inline]
pub(crate) fn choose_observed(
    key: &KeyFacts,
    node: &NodeFacts<'_>,
    limits: &Limits,
    own: &[Resource],
    has_reservation: bool,
    rules: &Rules,
    tell: &mut impl FnMut(KeyEnd),
) -> Result<Chosen, Skipped> {
    let wanted = |row: Option<Row>| row.filter(|row| row.count > 0);
    let may = |locality| key.may(locality, has_reservation, rules);
    let mut fits =
        |row: &Row, locality| fit(key, &row.size, locality, node, limits, own, has_reservation, rules, &mut *tell);
    if let Some(row) = wanted(key.host)
        && may(Locality::Node)
        && let Some(chosen) = fits(&row, Locality::Node)
    {
        return Ok(chosen);
    }
    if let Some(row) = wanted(key.rack) {
        if !row.relax {
            tell(KeyEnd::Strict);
            return Err(Skipped::Key);
        }
        if may(Locality::Rack)
            && let Some(chosen) = fits(&row, Locality::Rack)
        {
            return Ok(chosen);
        }
    }
    let Some(row) = wanted(key.any) else {
        tell(KeyEnd::NotHere);
        return Err(Skipped::Key);
    };
    if !row.relax {
        tell(KeyEnd::Strict);
        return Err(Skipped::Key);
    }
    if !may(Locality::OffSwitch) {
        tell(KeyEnd::TooFar);
        return Err(Skipped::App);
    }
    fits(&row, Locality::OffSwitch).ok_or(Skipped::App)
}

/// rules/capacity.md 16.6: whether a size fits, or the node is to be reserved for it.
#[expect(clippy::too_many_arguments, reason = "the facts are what they are")]
fn fit(
    key: &KeyFacts,
    size: &Resource,
    locality: Locality,
    node: &NodeFacts<'_>,
    limits: &Limits,
    own: &[Resource],
    has_reservation: bool,
    rules: &Rules,
    tell: &mut impl FnMut(KeyEnd),
) -> Option<Chosen> {
    let arith = rules.arith;
    let asked = *size;
    if !arith.fits_in(size, &node.total) {
        tell(KeyEnd::LargerThanNode { asked, total: node.total });
        return None;
    }
    let needs_more = key.needs_more(size, rules);
    let mut fits = match arith.has_room_for(&node.free, size) {
        true => 1,
        false => arith.available_containers(&node.free, size),
    };
    let short = arith.most(&rules.cluster, &size.minus(&limits.headroom), &limits.to_unreserve);
    let must_unreserve = arith.any_above_zero(&short);
    let mut kills = 0;
    let mut room = node.free;
    if fits == 0 && limits.may_kill {
        for killable in node.killable {
            kills += 1;
            room = room.plus(killable);
            if arith.fits_in(size, &room) {
                fits = 1;
                break;
            }
        }
    }
    let chosen = |allocated, unreserve| {
        let kills = if allocated { kills } else { 0 };
        Some(Chosen { locality, size: *size, allocated, kills, unreserve })
    };
    if fits > 0 {
        if has_reservation || !rules.continue_looking || (needs_more && !must_unreserve) {
            return chosen(true, None);
        }
        let covered = if must_unreserve { &short } else { size };
        let Some(given_up) = own.iter().position(|own| arith.fits_in(covered, own)) else {
            tell(KeyEnd::NothingToUnreserve);
            return None;
        };
        return chosen(true, Some(given_up));
    }
    let may_reserve = needs_more || has_reservation;
    let over_limit = rules.continue_looking && !has_reservation && must_unreserve;
    if !may_reserve || over_limit {
        tell(KeyEnd::NoRoom { asked, available: room });
        return None;
    }
    tell(if has_reservation {
        KeyEnd::StaysReserved { asked, available: room }
    } else {
        KeyEnd::Reserved { asked, available: room }
    });
    chosen(false, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Calculator;

    const SMALL: Resource = Resource::new(1024, 1);

    fn rules() -> Rules {
        Rules {
            arith: Arith { calculator: Calculator::Memory, types: 2 },
            cluster: Resource::new(32768, 32),
            nodes: 4,
            node_locality_delay: 40,
            rack_locality_additional_delay: -1,
            continue_looking: true,
            maximum_allocation: Resource::new(8192, 4),
            minimum_allocation_factor: 0.875,
        }
    }

    fn row(count: i32) -> Option<Row> {
        Some(Row { count, size: SMALL, relax: true })
    }

    fn near(opportunities: u32) -> KeyFacts {
        KeyFacts { any: row(2), rack: row(2), host: None, locations: 3, opportunities, reserved: 0, re_reservations: 0 }
    }

    fn node() -> NodeFacts<'static> {
        NodeFacts { free: Resource::new(8192, 8), total: Resource::new(8192, 8), killable: &[] }
    }

    fn limits() -> Limits {
        Limits { headroom: Resource::new(8192, 8), ..Limits::new(Resource::new(8192, 8)) }
    }

    #[test]
    fn off_switch_may_be_allowed_before_the_rack() {
        // The worked example of rules/capacity.md 16.5.
        let at = |m| choose(&near(m), &node(), &limits(), &[], false, &rules());
        assert_eq!(at(1), Err(Skipped::App));
        assert_eq!(at(2).map(|chosen| chosen.locality), Ok(Locality::OffSwitch));
        assert_eq!(at(5).map(|chosen| chosen.locality), Ok(Locality::Rack));
        let waits = Rules { rack_locality_additional_delay: 0, ..rules() };
        assert_eq!(choose(&near(4), &node(), &limits(), &[], false, &waits), Err(Skipped::App));
    }

    #[test]
    fn a_host_without_its_rack_is_never_near() {
        let key = KeyFacts { rack: None, host: row(1), ..near(1) };
        assert_eq!(choose(&key, &node(), &limits(), &[], false, &rules()), Err(Skipped::App));
    }

    #[test]
    fn a_starved_large_ask_reserves_further_nodes() {
        // The example of rules/capacity.md 17.1.
        let large = Resource::new(4096, 1);
        let key = |re_reservations| KeyFacts { any: row(1), reserved: 1, re_reservations, ..near(1) };
        assert!(!key(1).needs_more(&large, &rules()));
        assert!(key(2).needs_more(&large, &rules()));
    }

    #[test]
    fn who_has_reserved_all_gives_one_up_for_a_container() {
        let key = KeyFacts { any: row(1), rack: None, locations: 1, reserved: 1, ..near(1) };
        let small = [Resource::new(512, 1)];
        assert_eq!(choose(&key, &node(), &limits(), &small, false, &rules()), Err(Skipped::App));
        let chosen = choose(&key, &node(), &limits(), &[small[0], SMALL], false, &rules());
        assert_eq!(chosen.map(|chosen| chosen.unreserve), Ok(Some(1)));
    }

    #[test]
    fn a_queue_without_room_for_it_keeps_what_it_has() {
        let narrow = Limits { headroom: Resource::new(512, 8), ..limits() };
        assert_eq!(precheck(&near(1), &narrow, &Resource::ZERO, &rules()), Some(Skipped::Queue));
        assert_eq!(precheck(&near(1), &narrow, &SMALL, &rules()), None, "a reservation could be given up");
    }
}
