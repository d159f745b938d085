//! What one application asks for: request keys, each with what is wanted at which location.
//!
//! Follows rules/capacity.md 16.1; `AppSchedulingInfo` and `LocalityAppPlacementAllocator`. The `*` row drives
//! everything: without it a key is not served, though its other rows stay.

use super::allocator::Row;
use crate::app::Locality;
use crate::resource::{Resource, Wide};
use std::collections::BTreeMap;

/// The location that stands for all nodes.
pub(crate) const ANY: &str = "*";

/// The rows of one key, by location.
pub(crate) type Rows = BTreeMap<String, Row>;

/// The asks of one application, by priority.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    keys: BTreeMap<i32, Rows>,
}

/// A `*` row was replaced: what was outstanding before and is now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced {
    pub(crate) before: Wide,
    pub(crate) after: Wide,
    /// The key goes from nothing to something.
    pub(crate) begins: bool,
    /// The key is gone.
    pub(crate) ended: bool,
}

fn outstanding(row: Option<&Row>) -> Wide {
    row.map_or(Wide::ZERO, |row| Wide::of_count(&row.size, u32::try_from(row.count).unwrap_or(0)))
}

impl Asks {
    /// Priorities of keys that may be served, the smallest number first.
    pub(crate) fn served(&self) -> impl Iterator<Item = i32> + '_ {
        self.keys.iter().filter(|(_, rows)| rows.get(ANY).is_some_and(|row| row.count > 0)).map(|(key, _)| *key)
    }

    /// Whether anything is asked for.
    pub(crate) fn is_idle(&self) -> bool {
        self.served().next().is_none()
    }

    pub(crate) fn row(&self, key: i32, location: &str) -> Option<&Row> {
        self.keys.get(&key)?.get(location)
    }

    pub(crate) fn locations(&self, key: i32) -> usize {
        self.keys.get(&key).map_or(0, BTreeMap::len)
    }

    /// All that is outstanding.
    pub(crate) fn pending(&self) -> Wide {
        let rows = self.keys.values().map(|rows| outstanding(rows.get(ANY).filter(|row| row.count > 0)));
        rows.fold(Wide::ZERO, |sum, amount| sum.plus(&amount))
    }

    /// One call's rows for one key; what has become of its `*` row if that is among them.
    pub(crate) fn replace(&mut self, key: i32, rows: impl IntoIterator<Item = (String, Row)>) -> Option<Replaced> {
        let of_key = self.keys.entry(key).or_default();
        let mut replaced = None;
        for (location, row) in rows {
            let any = location == ANY;
            let before = of_key.insert(location, row);
            if any {
                let first = replaced.map_or(before, |replaced: (Option<Row>, Row)| replaced.0);
                replaced = Some((first, row));
            }
        }
        let (before, after) = replaced?;
        let ended = after.count <= 0;
        if ended {
            self.keys.remove(&key);
        }
        Some(Replaced {
            before: outstanding(before.as_ref()),
            after: outstanding(Some(&after)),
            begins: !ended && before.is_none_or(|row| row.count <= 0),
            ended,
        })
    }

    /// Takes one container's asks; gives what they were, each location with its row, and the size of the `*` row.
    pub(crate) fn take(
        &mut self,
        key: i32,
        locality: Locality,
        host: &str,
        rack: &str,
    ) -> (Vec<(String, Row)>, Resource) {
        let taken: &[&str] = match locality {
            Locality::Node => &[host, rack, ANY],
            Locality::Rack => &[rack, ANY],
            Locality::OffSwitch => &[ANY],
        };
        let mut asked = Vec::with_capacity(taken.len());
        let mut size = Resource::ZERO;
        let Some(rows) = self.keys.get_mut(&key) else { return (asked, size) };
        for location in taken {
            let Some(row) = rows.get_mut(*location) else { continue };
            asked.push(((*location).to_owned(), *row));
            if *location == ANY {
                size = row.size;
            }
            row.count -= 1;
            if row.count <= 0 {
                rows.remove(*location);
            }
        }
        (asked, size)
    }

    /// Gives back what a container was taken from.
    pub(crate) fn give_back(&mut self, key: i32, asked: &[(String, Row)]) -> Option<Replaced> {
        let rows: Vec<(String, Row)> = asked
            .iter()
            .map(|(location, row)| {
                let count = self.row(key, location).map_or(1, |now| now.count + 1);
                (location.clone(), Row { count, ..*row })
            })
            .collect();
        self.replace(key, rows)
    }

    /// Nothing is asked for any more.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: i32) -> Row {
        Row { count, size: Resource::new(1024, 1), relax: true }
    }

    #[test]
    fn a_key_without_any_is_not_served_and_keeps_its_rows() {
        let mut asks = Asks::default();
        assert!(asks.replace(1, [("n1".to_owned(), row(1))]).is_none());
        assert!(asks.is_idle());
        let replaced = asks.replace(1, [("/r".to_owned(), row(1)), (ANY.to_owned(), row(1))]).unwrap();
        assert!(replaced.begins && asks.locations(1) == 3);
        let (asked, _) = asks.take(1, Locality::OffSwitch, "n1", "/r");
        assert!(asks.is_idle() && asks.locations(1) == 2);
        let back = asks.give_back(1, &asked).unwrap();
        assert!(back.begins && back.after.amount() == Resource::new(1024, 1));
        assert!(asks.replace(1, [(ANY.to_owned(), row(0))]).unwrap().ended);
        assert_eq!(asks.locations(1), 0, "none of anything forgets all of the key");
    }
}
