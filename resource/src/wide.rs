//! Sums that 64 bits may not hold: of what is asked for, and of what an audit adds up.
//!
//! What runs stays below 2<sup>60</sup> of a type. What is asked for does not: a count of 32 bits times a size, under as many keys as
//! applications have. And an audit must not wrap as the sums do that it looks at.

use super::vector::{MAX_TYPES, Resource};
use std::fmt;
use std::iter::Sum;

/// As much of a type is compared with other amounts, and no more: with what a cluster may have in all it still makes a sum of 64 bits.
const MOST: i64 = 1 << 61;

/// Amounts of every resource type in 128 bits. See the module's text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wide([i128; MAX_TYPES]);

impl Wide {
    pub(crate) const ZERO: Wide = Wide([0; MAX_TYPES]);

    /// So many of a size.
    pub(crate) fn of_count(size: &Resource, count: u32) -> Wide {
        Wide(size.amounts().map(|amount| i128::from(amount) * i128::from(count)))
    }

    pub(crate) fn plus(&self, other: &Wide) -> Wide {
        Wide(std::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    pub(crate) fn minus(&self, other: &Wide) -> Wide {
        Wide(std::array::from_fn(|i| self.0[i].wrapping_sub(other.0[i])))
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Wide::ZERO
    }

    /// As amounts: of what is beyond 2<sup>61</sup> these.
    pub(crate) fn amount(&self) -> Resource {
        Resource::from_fn(|i| i64::try_from(self.0[i].clamp((-MOST).into(), MOST.into())).unwrap_or(MOST))
    }
}

impl From<&Resource> for Wide {
    fn from(amount: &Resource) -> Wide {
        Wide(amount.amounts().map(i128::from))
    }
}

impl<'a> Sum<&'a Resource> for Wide {
    fn sum<I: Iterator<Item = &'a Resource>>(all: I) -> Wide {
        all.fold(Wide::ZERO, |sum, amount| sum.plus(&amount.into()))
    }
}

impl PartialEq<Resource> for Wide {
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
