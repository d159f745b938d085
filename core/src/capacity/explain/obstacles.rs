//! Why a request key gets nothing on a node, after
//! [`choose_observed`](crate::capacity::rules::allocator::choose_observed) has chosen nothing.
//!
//! Pure. Called only for a question, never in a pass.

use super::reasons::CapacityWait;
use crate::capacity::rules::allocator::{KeyFacts, Limits, NodeFacts, Row, Rules};
use crate::id::Locality;
use crate::resource::Resource;

/// The reason why a visit, which `key` counts already, has chosen nothing for a key.
pub(crate) fn why(
    key: &KeyFacts,
    node: &NodeFacts<'_>,
    limits: &Limits,
    has_reservation: bool,
    rules: &Rules,
) -> CapacityWait {
    let mut waits = None;
    let rows = [(Locality::Node, key.host), (Locality::Rack, key.rack), (Locality::OffSwitch, key.any)];
    for (locality, row) in rows {
        let Some(Row { size, relax, .. }) = row.filter(|row| row.count > 0) else { continue };
        if locality != Locality::Node && !relax {
            return waits.unwrap_or(CapacityWait::NotHere);
        }
        if key.may(locality, has_reservation, rules) {
            return no_fit(key, &size, node, limits, has_reservation, rules);
        }
        if locality != Locality::Node {
            let (visits, needed) = (key.opportunities, visits_needed(key, locality, rules));
            waits = waits.or(Some(CapacityWait::LocalityWait { locality, visits, needed }));
        }
    }
    waits.unwrap_or(CapacityWait::NotHere)
}

/// The number of the first visit at which `locality` is allowed. More visits never forbid it again.
fn visits_needed(key: &KeyFacts, locality: Locality, rules: &Rules) -> u32 {
    let (mut closed, mut open) = (key.opportunities, key.opportunities.max(rules.nodes).saturating_add(1));
    while closed + 1 < open {
        let between = closed + (open - closed) / 2;
        if (KeyFacts { opportunities: between, ..*key }).may(locality, false, rules) {
            open = between;
        } else {
            closed = between;
        }
    }
    open
}

/// Why a container of an allowed locality did not fit (rules/capacity.md 16.6).
fn no_fit(
    key: &KeyFacts,
    size: &Resource,
    node: &NodeFacts<'_>,
    limits: &Limits,
    has_reservation: bool,
    rules: &Rules,
) -> CapacityWait {
    let arith = rules.arith;
    if !arith.fits_in(size, &node.total) {
        return CapacityWait::LargerThanNode { asked: *size, total: node.total };
    }
    let room = node.killable.iter().filter(|_| limits.may_kill).fold(node.free, |room, size| room.plus(size));
    let short = arith.most(&rules.cluster, &size.minus(&limits.headroom), &limits.to_unreserve);
    let may_reserve = key.needs_more(size, rules) || has_reservation;
    let has_room = arith.fits_in(size, &room);
    if arith.any_above_zero(&short) && (has_room || may_reserve) {
        return CapacityWait::MustUnreserve { asked: *size, short };
    }
    CapacityWait::ReservedEnough { reserved: key.reserved }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::rules::allocator::{Skipped, choose};
    use crate::capacity::rules::arith::Arith;
    use crate::resource::Calculator;
    use proptest::prelude::*;

    fn rules(nodes: u32, delay: i32, additional: i32) -> Rules {
        Rules {
            arith: Arith { calculator: Calculator::Memory, types: 2 },
            cluster: Resource::new(32768, 32),
            nodes,
            node_locality_delay: delay,
            rack_locality_additional_delay: additional,
            continue_looking: true,
            maximum_allocation: Resource::new(8192, 4),
            minimum_allocation_factor: 0.875,
        }
    }

    fn row(count: i32) -> Option<Row> {
        Some(Row { count, size: Resource::new(1024, 1), relax: true })
    }

    proptest! {
        /// From the visit that is told on such a node will do, and not before.
        #[test]
        fn the_visit_that_is_told_is_the_first(
            nodes in 1_u32..60, delay in -1..50, additional in -1..20, count in 1..30, opportunities in 1_u32..70, named in 2_usize..9
        ) {
            let rules = rules(nodes, delay, additional);
            let key = KeyFacts {
                any: row(count), rack: row(1), host: None, locations: named, opportunities, reserved: 0, re_reservations: 0,
            };
            for locality in [Locality::Rack, Locality::OffSwitch] {
                if key.may(locality, false, &rules) {
                    continue;
                }
                let needed = visits_needed(&key, locality, &rules);
                let may = |opportunities| KeyFacts { opportunities, ..key }.may(locality, false, &rules);
                prop_assert!(may(needed) && !may(needed - 1), "{locality:?} at {needed}");
            }
        }
    }

    #[test]
    fn a_key_that_nothing_is_asked_for_here_says_so() {
        let strict = |row: Option<Row>| row.map(|row| Row { relax: false, ..row });
        let key = KeyFacts {
            any: strict(row(1)),
            rack: None,
            host: None,
            locations: 3,
            opportunities: 1,
            reserved: 0,
            re_reservations: 0,
        };
        let node = NodeFacts { free: Resource::new(8192, 8), total: Resource::new(8192, 8), killable: &[] };
        let limits = Limits { headroom: Resource::new(8192, 8), ..Limits::new(Resource::new(8192, 8)) };
        let rules = rules(4, 40, -1);
        let outcome = |key: &KeyFacts| {
            let chosen = choose(key, &node, &limits, &[], false, &rules);
            (chosen.err(), why(key, &node, &limits, false, &rules))
        };
        assert_eq!(outcome(&key), (Some(Skipped::Key), CapacityWait::NotHere));
        let waits = KeyFacts { any: row(3), rack: row(1), ..key };
        let rack = CapacityWait::LocalityWait { locality: Locality::Rack, visits: 1, needed: 5 };
        assert_eq!(outcome(&waits), (Some(Skipped::App), rack));
    }
}
