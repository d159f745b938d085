//! For which of its requests a starved application gets containers (rules/preemption.md 6.1 and 6.2).

use crate::resource::Resource;
use rustc_hash::FxHashSet;
use std::collections::HashMap;

/// Where a request wants its containers, by interned names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A node, and the rack that it is in.
    Node {
        name: u32,
        rack: u32,
    },
    Rack(u32),
    Any,
}

/// One outstanding request as it is stored, counts of zero included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredAsk {
    pub(crate) priority: i32,
    pub(crate) place: Place,
    pub(crate) size: Resource,
    pub(crate) count: u32,
    pub(crate) relax: bool,
}

/// Containers to be freed for one request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) place: Place,
    pub(crate) size: Resource,
    pub(crate) count: u32,
    pub(crate) relax: bool,
}

/// At which level the containers of one priority and size are looked for: a container asked for at a node, its rack and
/// `*` is wanted once.
#[derive(Debug, Default)]
struct Levels {
    any: bool,
    racks: FxHashSet<u32>,
    racks_of_nodes: FxHashSet<u32>,
}

impl Levels {
    /// Notes a request. False if an earlier request at another level already stands for the same containers.
    fn take(&mut self, place: Place) -> bool {
        match place {
            Place::Any => {
                let free = self.racks.is_empty() && self.racks_of_nodes.is_empty();
                self.any |= free;
                free
            }
            Place::Rack(rack) => {
                let free = !self.any && !self.racks_of_nodes.contains(&rack);
                self.racks.extend(free.then_some(rack));
                free
            }
            Place::Node { rack, .. } => {
                let free = !self.any && !self.racks.contains(&rack);
                self.racks_of_nodes.extend(free.then_some(rack));
                free
            }
        }
    }
}

/// How many containers of `size` fit into the starvation. As in Hadoop it compares memory alone, in single precision.
#[expect(clippy::cast_possible_truncation, reason = "as in Java: x/0 becomes the largest i32, 0/0 becomes 0")]
fn containers_in(starvation: &Resource, size: &Resource) -> u32 {
    let ratio = starvation.memory_mb() as f32 / size.memory_mb() as f32;
    u32::try_from(ratio.floor() as i32).unwrap_or(0)
}

/// The requests, of those in `asks` and in their order, that make up for the starvation.
pub(crate) fn requests_to_serve(starvation: &Resource, asks: &[StoredAsk]) -> Vec<Wanted> {
    let (mut pending, mut out) = (*starvation, Vec::new());
    let mut seen: HashMap<(i32, Resource), Levels> = HashMap::new();
    for ask in asks {
        if pending.is_zero() {
            break;
        }
        if !seen.entry((ask.priority, ask.size)).or_default().take(ask.place) {
            continue;
        }
        let most = containers_in(&pending, &ask.size);
        if most == 0 {
            continue;
        }
        // As in Hadoop, a request whose count is lowered gets relaxed locality, whatever the ask said.
        let (count, relax) = if most < ask.count { (most, true) } else { (ask.count, ask.relax) };
        pending = pending.minus_non_negative(&ask.size.saturating_times_int(i64::from(count)));
        if count > 0 {
            out.push(Wanted { place: ask.place, size: ask.size, count, relax });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: Place = Place::Node { name: 10, rack: 1 };
    const NODE_ELSEWHERE: Place = Place::Node { name: 20, rack: 2 };

    fn ask(place: Place, mb: i64, count: u32) -> StoredAsk {
        StoredAsk { priority: 1, place, size: Resource::new(mb, 1), count, relax: false }
    }

    fn served(starvation: i64, asks: &[StoredAsk]) -> Vec<(Place, u32, bool)> {
        let wanted = requests_to_serve(&Resource::new(starvation, 9), asks);
        wanted.into_iter().map(|wanted| (wanted.place, wanted.count, wanted.relax)).collect()
    }

    #[test]
    fn what_is_cut_is_relaxed() {
        assert_eq!(served(2048, &[ask(Place::Any, 1024, 8)]), [(Place::Any, 2, true)]);
        assert_eq!(served(9000, &[ask(Place::Any, 1024, 8)]), [(Place::Any, 8, false)]);
        assert_eq!(served(1000, &[ask(Place::Any, 1024, 8)]), []);
    }

    #[test]
    fn a_container_is_wanted_at_one_level() {
        let everywhere = [ask(NODE, 1024, 1), ask(Place::Rack(1), 1024, 1), ask(Place::Any, 1024, 1)];
        assert_eq!(served(4096, &everywhere), [(NODE, 1, false)]);
        let racks = [ask(NODE_ELSEWHERE, 1024, 1), ask(Place::Rack(1), 1024, 1), ask(Place::Any, 1024, 1)];
        assert_eq!(served(4096, &racks), [(NODE_ELSEWHERE, 1, false), (Place::Rack(1), 1, false)]);
        let sizes = [ask(NODE, 1024, 1), ask(Place::Any, 2048, 1)];
        assert_eq!(served(4096, &sizes), [(NODE, 1, false), (Place::Any, 1, false)]);
        let after_any = [ask(Place::Any, 1024, 1), ask(NODE, 1024, 1), ask(Place::Any, 1024, 1)];
        assert_eq!(served(4096, &after_any), [(Place::Any, 1, false), (Place::Any, 1, false)]);
    }

    /// A request that is skipped for its size, or wants none, stands for its level all the same.
    #[test]
    fn a_skipped_request_was_seen() {
        let none = [ask(NODE, 1024, 0), ask(Place::Any, 1024, 3)];
        assert_eq!(served(4096, &none), []);
    }

    #[test]
    fn sizes_without_memory() {
        assert_eq!(served(1024, &[ask(Place::Any, 0, 3)]), [(Place::Any, 3, false)]);
        assert_eq!(served(0, &[ask(Place::Any, 0, 3)]), [], "nothing in nothing is nothing");
    }
}
