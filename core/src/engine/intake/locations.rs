//! Names of nodes and racks as small numbers. 0 is `*`. At the edge: the workers see numbers only.
//!
//! A name keeps its number for good: numbers are in embedders' hands and in rows of asks. So an AM that asks for ever
//! new names would take ever more memory: what is kept of names that no node or rack has had when they were first heard
//! is bounded.

use crate::app::{Location, LocationTag};
use crate::event::refused::Invalid;
use crate::event::{LONGEST_NAME, Refused};
use crate::sync::{Map, Mutex};

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Locations {
    /// What its numbers carry outside.
    tag: LocationTag,
    numbers: Map<Box<str>, u32>,
    made: Mutex<Made>,
}

#[derive(Debug)]
struct Made {
    next: u32,
    /// Bytes that names may still take which come from requests.
    left: usize,
}

/// Bytes for the names that come from requests, each counted with [`BESIDE_A_NAME`]: a million and a half of 20
/// letters.
const NAMES_OF_REQUESTS: usize = 128 << 20;

/// What a name takes in memory besides its letters.
const BESIDE_A_NAME: usize = 64;

/// The number of `*`.
pub(crate) const ANY: u32 = 0;

/// The number of all places in requests that got none of their own: no node is there.
pub(crate) const ELSEWHERE: u32 = 1;

impl Locations {
    /// Of the process's scheduler of this number.
    pub(crate) fn new(scheduler: u64) -> Locations {
        let numbers = Map::default();
        numbers.insert("*".into(), ANY);
        Locations {
            tag: LocationTag::of(scheduler),
            numbers,
            made: Mutex::new(Made { next: ELSEWHERE + 1, left: NAMES_OF_REQUESTS }),
        }
    }

    /// The number of a name that a node or rack has; none where there are no more.
    pub(crate) fn intern(&self, name: &str) -> Option<u32> {
        self.number(name, |_| true)
    }

    /// The place of a name in a request, [`ELSEWHERE`] of a new one where there are too many: what names it is served
    /// as if no node had that name. `NOWHERE` of one that is too long.
    pub(crate) fn requested(&self, name: &str) -> Location {
        self.request_number(name).map_or(Location::NOWHERE, |number| self.tag.location(number))
    }

    fn request_number(&self, name: &str) -> Option<u32> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let may_be_new = |made: &mut Made| match made.left.checked_sub(name.len() + BESIDE_A_NAME) {
            Some(left) => {
                made.left = left;
                true
            }
            None => false,
        };
        Some(self.number(name, may_be_new).unwrap_or(ELSEWHERE))
    }

    /// Whether these are all this scheduler's own.
    ///
    /// # Errors
    /// Why the first that is not is none.
    #[inline]
    pub(crate) fn check<'a>(&self, mut asked: impl Iterator<Item = &'a Location>) -> Result<(), Refused> {
        match asked.find(|location| !self.tag.takes(**location)) {
            None => Ok(()),
            Some(&Location::NOWHERE) => Err(Invalid::NoLocation.into()),
            Some(_) => Err(Invalid::OthersLocation.into()),
        }
    }

    /// The name of a location of this scheduler. O(all names): where somebody names a label.
    #[cfg(not(loom))]
    pub(crate) fn name_of(&self, location: Location) -> Result<String, Refused> {
        self.check(std::iter::once(&location))?;
        let number = location.number();
        let mut names = rustc_hash::FxHashMap::from_iter([(number, String::new())]);
        self.tell_names(&mut names);
        Ok(names.remove(&number).unwrap_or_default())
    }

    /// The names of numbers, in place of what stands there. O(all names).
    #[cfg(not(loom))]
    pub(crate) fn tell_names(&self, of: &mut rustc_hash::FxHashMap<u32, String>) {
        for entry in &self.numbers {
            if let Some(name) = of.get_mut(entry.value()) {
                entry.key().as_ref().clone_into(name);
            }
        }
    }

    fn number(&self, name: &str, may_be_new: impl FnOnce(&mut Made) -> bool) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let mut made = self.made.lock();
        // Another thread may have been quicker.
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = made.next;
        if number > LocationTag::LAST_NUMBER || !may_be_new(&mut made) {
            return None;
        }
        made.next = number + 1;
        self.numbers.insert(name.into(), number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_numbers_once() {
        let locations = Locations::new(7);
        let intern = |name| locations.intern(name).unwrap();
        assert_eq!(intern("*"), ANY);
        let n1 = intern("n1");
        assert_eq!((intern("/r1"), intern("n1")), (n1 + 1, n1));
        assert_eq!(["*", "n1", "n2"].map(|name| locations.requested(name).number()), [ANY, n1, n1 + 2]);
        assert_eq!(locations.requested("*"), Location::ANY);
    }

    #[test]
    fn names_of_requests_end_and_those_of_nodes_do_not() {
        let locations = Locations::new(0);
        let n1 = locations.intern("n1").unwrap();
        assert_eq!(locations.requested(&"x".repeat(LONGEST_NAME + 1)), Location::NOWHERE);
        locations.made.lock().left = 2 * (BESIDE_A_NAME + 2);
        let requested = |name| locations.requested(name).number();
        assert_eq!(["a1", "a2", "a3", "a1"].map(requested), [n1 + 1, n1 + 2, ELSEWHERE, n1 + 1]);
        assert_eq!((locations.intern("a3"), requested("a3")), (Some(n1 + 3), n1 + 3));
        // The last number there is.
        locations.made.lock().next = LocationTag::LAST_NUMBER;
        assert_eq!((locations.intern("b"), locations.intern("c")), (Some(LocationTag::LAST_NUMBER), None));
        assert_eq!((locations.intern("b"), requested("c")), (Some(LocationTag::LAST_NUMBER), ELSEWHERE));
    }

    #[test]
    fn a_location_is_one_schedulers_alone() {
        let made: Vec<_> = (0..62).map(Locations::new).collect();
        for (of, locations) in made.iter().enumerate() {
            let (place, any) = (locations.requested("n"), locations.requested("*"));
            for (at, other) in made.iter().enumerate() {
                let refused = if of == at { Ok(()) } else { Err(Refused::Invalid(Invalid::OthersLocation)) };
                assert_eq!(other.check([any, place].iter()), refused, "of {of} at {at}");
            }
            assert_eq!(locations.check([Location::NOWHERE].iter()), Err(Refused::Invalid(Invalid::NoLocation)));
        }
    }
}
