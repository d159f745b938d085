//! Sums that 64 bits may not hold: of what is asked for, and of what an audit adds up.
//!
//! What runs stays below 2<sup>60</sup> of a type. What is asked for does not: a count of 32 bits times a size, under
//! as many keys as applications have. And an audit must not wrap as the sums do that it looks at.

use super::vector::{MAX_TYPES, Resource};
use std::fmt;
use std::iter::Sum;

/// As much of a type is compared with other amounts, and no more: with what a cluster may have in all it still makes a
/// sum of 64 bits.
const MOST: i64 = 1 << 61;

/// Amounts of every resource type in 128 bits. See the module's text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Wide([i128; MAX_TYPES]);

impl Wide {
    #[doc(hidden)]
    pub const ZERO: Wide = Wide([0; MAX_TYPES]);

    /// So many of a size.
    #[doc(hidden)]
    #[inline]
    pub fn of_count(size: &Resource, count: u32) -> Wide {
        Wide(size.amounts().map(|amount| i128::from(amount) * i128::from(count)))
    }

    #[doc(hidden)]
    #[inline]
    pub fn plus(&self, other: &Wide) -> Wide {
        Wide(std::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    #[doc(hidden)]
    #[inline]
    pub fn minus(&self, other: &Wide) -> Wide {
        Wide(std::array::from_fn(|i| self.0[i].wrapping_sub(other.0[i])))
    }

    #[doc(hidden)]
    #[inline]
    pub fn is_zero(&self) -> bool {
        // The first mostly decides.
        self.0.iter().all(|amount| *amount == 0)
    }

    /// What changes where so many of a size become so many of another one. Of each type that there is.
    #[doc(hidden)]
    #[inline]
    pub fn of_change(types: usize, before: (&Resource, u32), after: (&Resource, u32)) -> Wide {
        let of = |(size, count): (&Resource, u32), i: usize| i128::from(size.get(i)) * i128::from(count);
        let mut change = Wide::ZERO;
        for (i, lane) in change.0.iter_mut().enumerate().take(types) {
            *lane = of(after, i) - of(before, i);
        }
        change
    }

    /// Adds to the types that there are.
    #[doc(hidden)]
    #[inline]
    pub fn add_in_types(&mut self, types: usize, other: &Wide) {
        for (lane, more) in self.0.iter_mut().zip(&other.0).take(types) {
            *lane = lane.wrapping_add(*more);
        }
    }

    /// One type, whole.
    #[inline]
    #[doc(hidden)]
    pub fn whole(&self, index: usize) -> i128 {
        self.0[index]
    }

    /// One type of [`amount`](Self::amount).
    #[doc(hidden)]
    #[inline]
    pub fn get(&self, index: usize) -> i64 {
        i64::try_from(self.0[index].clamp((-MOST).into(), MOST.into())).unwrap_or(MOST)
    }

    /// As amounts: of what is beyond 2<sup>61</sup> these.
    #[doc(hidden)]
    #[inline]
    pub fn amount(&self) -> Resource {
        Resource::from_fn(|i| self.get(i))
    }
}

impl From<&Resource> for Wide {
    #[inline]
    fn from(amount: &Resource) -> Wide {
        Wide(amount.amounts().map(i128::from))
    }
}

impl<'a> Sum<&'a Resource> for Wide {
    #[inline]
    fn sum<I: Iterator<Item = &'a Resource>>(all: I) -> Wide {
        all.fold(Wide::ZERO, |sum, amount| sum.plus(&amount.into()))
    }
}

impl PartialEq<Resource> for Wide {
    #[inline]
    fn eq(&self, other: &Resource) -> bool {
        *self == Wide::from(other)
    }
}

/// As [`Resource`] is written.
impl fmt::Display for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<memory:{}, vCores:{}", self.0[0], self.0[1])?;
        for (i, amount) in self.0.iter().enumerate().skip(2).filter(|(_, amount)| **amount != 0) {
            write!(f, ", {i}:{amount}")?;
        }
        f.write_str(">")
    }
}

impl fmt::Debug for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_go_beyond_64_bits_and_come_back() {
        let size = Resource::from_slice(&[1 << 60, 3, -5]);
        let asked = Wide::of_count(&size, u32::MAX);
        let twice = asked.plus(&asked);
        assert_eq!(twice.amount(), Resource::from_slice(&[MOST, 6 * i64::from(u32::MAX), -10 * i64::from(u32::MAX)]));
        assert_eq!(twice.minus(&asked).minus(&asked), Wide::ZERO);
        assert_eq!([size; 3].iter().sum::<Wide>(), Wide::of_count(&size, 3));
        assert!(Wide::from(&size) == size && Wide::of_count(&size, 2) != size);
        assert_eq!(Wide::of_count(&size, 16).to_string(), "<memory:18446744073709551616, vCores:48, 2:-80>");
        // With all that a cluster may have, twice over, there is no wrap.
        assert!(twice.amount().memory_mb().checked_add(1 << 61).is_some());
    }
}
