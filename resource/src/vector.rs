//! The resource vector and the list of resource types.
//!
//! A [`Resource`] always has [`MAX_TYPES`] lanes; lanes beyond the configured types are zero (or, in an unbounded
//! limit, the largest value), so that every operation is a fixed loop which the compiler turns into vector
//! instructions. Follows `org.apache.hadoop.yarn.util.resource.Resources`.

// How a sum ends is said at each.
#![warn(clippy::arithmetic_side_effects)]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// The largest number of resource types: `memory-mb`, `vcores` and up to six custom ones.
pub const MAX_TYPES: usize = 8;

/// Amounts of every resource type: index 0 is `memory-mb` in MiB, index 1 `vcores`, then the custom types in the order
/// of [`ResourceTypes`], each in its default unit.
///
/// Arithmetic wraps, as in Java; [`saturating_plus`](Resource::saturating_plus) and
/// [`saturating_times_int`](Resource::saturating_times_int) stop at the ends of 64 bits. In a scheduler nothing wraps:
/// it refuses nodes with which the cluster would have more than 2<sup>60</sup> of a type, and its sums of asks stop at
/// the end.
///
/// ```
/// use evenweave::Resource;
/// let node = Resource::new(8192, 8);
/// let container = Resource::new(1024, 1);
/// assert!(container.fits_in(&node));
/// assert_eq!(node.minus(&container), Resource::new(7168, 7));
/// ```
#[derive(Clone, Copy, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Resource([i64; MAX_TYPES]);

// By hand, as is the hash that goes with it: what is derived calls `memcmp`, and this stays in registers.
impl PartialEq for Resource {
    #[inline]
    fn eq(&self, other: &Resource) -> bool {
        // The first two nearly always decide where two differ.
        self.0[0] == other.0[0]
            && self.0[1] == other.0[1]
            && self.0[2..].iter().zip(&other.0[2..]).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

impl Hash for Resource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Resource {
    /// Zero of every type.
    pub const ZERO: Resource = Resource([0; MAX_TYPES]);
    /// No limit in any type.
    pub const UNBOUNDED: Resource = Resource([i64::MAX; MAX_TYPES]);

    /// `memory_mb` MiB of memory and `vcores` virtual cores, zero of every custom type.
    #[must_use]
    #[inline]
    pub const fn new(memory_mb: i64, vcores: i64) -> Resource {
        let mut lanes = [0; MAX_TYPES];
        lanes[0] = memory_mb;
        lanes[1] = vcores;
        Resource(lanes)
    }

    /// The amounts in type order; missing ones are zero.
    ///
    /// # Panics
    /// When `amounts` has more than [`MAX_TYPES`] entries.
    #[must_use]
    #[inline]
    pub fn from_slice(amounts: &[i64]) -> Resource {
        assert!(amounts.len() <= MAX_TYPES, "at most {MAX_TYPES} resource types");
        Resource::from_fn(|lane| amounts.get(lane).copied().unwrap_or(0))
    }

    /// `lane(i)` for every lane.
    #[must_use]
    #[inline]
    pub fn from_fn(lane: impl FnMut(usize) -> i64) -> Resource {
        Resource(std::array::from_fn(lane))
    }

    /// `lane(i)` for the lanes of so many types, nothing in the others: where a call is to cost no more than it must.
    #[inline(always)]
    #[doc(hidden)]
    pub fn of_types(types: usize, mut lane: impl FnMut(usize) -> i64) -> Resource {
        let mut lanes = [0; MAX_TYPES];
        // There are always memory and vcores; who has no more types has no loop in the way.
        (lanes[0], lanes[1]) = (lane(0), lane(1));
        if types > 2 {
            lanes.iter_mut().enumerate().take(types).skip(2).for_each(|(i, value)| *value = lane(i));
        }
        Resource(lanes)
    }

    /// Memory in MiB.
    #[must_use]
    #[inline]
    pub const fn memory_mb(&self) -> i64 {
        self.0[0]
    }

    /// Virtual cores.
    #[must_use]
    #[inline]
    pub const fn vcores(&self) -> i64 {
        self.0[1]
    }

    /// The amount of one type.
    ///
    /// # Panics
    /// When `index` is [`MAX_TYPES`] or more.
    #[must_use]
    #[inline]
    pub const fn get(&self, index: usize) -> i64 {
        self.0[index]
    }

    /// The same with the amount of one type replaced.
    ///
    /// # Panics
    /// When `index` is [`MAX_TYPES`] or more.
    #[must_use]
    #[inline]
    pub const fn with(mut self, index: usize, amount: i64) -> Resource {
        self.0[index] = amount;
        self
    }

    /// Every lane, unused ones included.
    #[must_use]
    #[inline]
    pub const fn amounts(&self) -> &[i64; MAX_TYPES] {
        &self.0
    }

    #[inline]
    fn zip(&self, other: &Resource, f: impl Fn(i64, i64) -> i64) -> Resource {
        Resource(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// Component by component, wrapping.
    #[must_use]
    #[inline]
    pub fn plus(&self, other: &Resource) -> Resource {
        self.zip(other, i64::wrapping_add)
    }

    /// Component by component, wrapping.
    #[must_use]
    #[inline]
    pub fn minus(&self, other: &Resource) -> Resource {
        self.zip(other, i64::wrapping_sub)
    }

    /// Component by component, stopping at the ends of 64 bits.
    #[must_use]
    #[inline]
    pub fn saturating_plus(&self, other: &Resource) -> Resource {
        self.zip(other, i64::saturating_add)
    }

    /// `self - other` with memory and vcores clamped at zero. Custom types are *not* clamped, as in Hadoop
    /// (`Resources.subtractNonNegative`).
    #[must_use]
    #[inline]
    pub fn minus_non_negative(&self, other: &Resource) -> Resource {
        let mut out = self.minus(other);
        out.0[0] = out.0[0].max(0);
        out.0[1] = out.0[1].max(0);
        out
    }

    /// Each component times `n`, wrapping.
    #[must_use]
    #[inline]
    pub fn times_int(&self, n: i64) -> Resource {
        Resource(std::array::from_fn(|i| self.0[i].wrapping_mul(n)))
    }

    /// Each component times `n`, stopping at the ends of 64 bits.
    #[must_use]
    #[inline]
    pub fn saturating_times_int(&self, n: i64) -> Resource {
        Resource(std::array::from_fn(|i| self.0[i].saturating_mul(n)))
    }

    /// Each component times `factor` as a double, truncated towards zero.
    #[must_use]
    #[inline]
    pub fn times(&self, factor: f64) -> Resource {
        Resource(std::array::from_fn(|i| f64_to_i64(self.0[i] as f64 * factor)))
    }

    /// Each component times `factor` as a double, rounded up.
    #[must_use]
    #[inline]
    pub fn times_round_up(&self, factor: f64) -> Resource {
        Resource(std::array::from_fn(|i| f64_to_i64((self.0[i] as f64 * factor).ceil())))
    }

    /// The smaller of each component.
    #[must_use]
    #[inline]
    pub fn least(&self, other: &Resource) -> Resource {
        self.zip(other, i64::min)
    }

    /// The larger of each component.
    #[must_use]
    #[inline]
    pub fn most(&self, other: &Resource) -> Resource {
        self.zip(other, i64::max)
    }

    /// Whether every component is at most the other's: all types, whatever the policy.
    #[must_use]
    #[inline]
    pub fn fits_in(&self, other: &Resource) -> bool {
        // One after the other: the first two nearly always decide, and SSE2 has no comparison of 64-bit integers.
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }

    /// [`Resource::fits_in`] where nothing has lanes beyond so many types: what is asked with each grant is to cost no
    /// more than it must.
    #[inline(always)]
    #[doc(hidden)]
    pub fn fits_in_types(&self, types: usize, other: &Resource) -> bool {
        self.0[0] <= other.0[0] && self.0[1] <= other.0[1] && (types <= 2 || self.fits_in(other))
    }

    /// [`Resource::least`] where only so many types matter; the other lanes stay as they are.
    #[inline(always)]
    #[doc(hidden)]
    pub fn least_of_types(&self, types: usize, other: &Resource) -> Resource {
        self.zip_types(types, other, i64::min)
    }

    /// [`Resource::most`] where only so many types matter; the other lanes stay as they are.
    #[inline(always)]
    #[doc(hidden)]
    pub fn most_of_types(&self, types: usize, other: &Resource) -> Resource {
        self.zip_types(types, other, i64::max)
    }

    #[inline(always)]
    fn zip_types(mut self, types: usize, other: &Resource, f: impl Fn(i64, i64) -> i64) -> Resource {
        (self.0[0], self.0[1]) = (f(self.0[0], other.0[0]), f(self.0[1], other.0[1]));
        if types > 2 {
            self = self.zip(other, f);
        }
        self
    }

    /// Whether every component is zero. A negative component makes it *not* none.
    #[must_use]
    #[inline]
    pub fn is_zero(&self) -> bool {
        let mut any = 0;
        for lane in self.0 {
            any |= lane;
        }
        any == 0
    }

    /// [`Resource::eq`] in so many types; the other may have no limit in what lies beyond.
    #[inline(always)]
    #[doc(hidden)]
    pub fn equals_in_types(&self, types: usize, other: &Resource) -> bool {
        self.0[0] == other.0[0]
            && self.0[1] == other.0[1]
            && (types <= 2 || self.0[2..types.min(MAX_TYPES)] == other.0[2..types.min(MAX_TYPES)])
    }

    /// [`Resource::is_zero`] where there are no lanes beyond so many types.
    #[inline(always)]
    #[doc(hidden)]
    pub fn is_zero_in_types(&self, types: usize) -> bool {
        self.0[0] == 0 && self.0[1] == 0 && (types <= 2 || self.is_zero())
    }

    /// A copy, where there are no lanes beyond so many types: of two, those further away are not read.
    #[inline(always)]
    #[doc(hidden)]
    pub fn copied_in_types(&self, types: usize) -> Resource {
        if types <= 2 { Resource::new(self.0[0], self.0[1]) } else { *self }
    }

    /// [`Resource::plus`] in place, where the other has no lanes beyond so many types.
    #[inline(always)]
    #[doc(hidden)]
    pub fn add_in_types(&mut self, types: usize, other: &Resource) {
        self.0[0] = self.0[0].wrapping_add(other.0[0]);
        self.0[1] = self.0[1].wrapping_add(other.0[1]);
        if types > 2 {
            self.change_custom(other, i64::wrapping_add);
        }
    }

    /// [`Resource::minus`] in place, where the other has no lanes beyond so many types.
    #[inline(always)]
    #[doc(hidden)]
    pub fn subtract_in_types(&mut self, types: usize, other: &Resource) {
        self.0[0] = self.0[0].wrapping_sub(other.0[0]);
        self.0[1] = self.0[1].wrapping_sub(other.0[1]);
        if types > 2 {
            self.change_custom(other, i64::wrapping_sub);
        }
    }

    /// A call, so that who has two types has no loop in the way.
    #[inline(never)]
    fn change_custom(&mut self, other: &Resource, f: impl Fn(i64, i64) -> i64) {
        self.0[2..].iter_mut().zip(&other.0[2..]).for_each(|(lane, by)| *lane = f(*lane, *by));
    }
}

/// Component by component, wrapping: as [`Resource::plus`].
impl Add for Resource {
    type Output = Resource;

    #[inline]
    fn add(self, other: Resource) -> Resource {
        self.plus(&other)
    }
}

impl AddAssign for Resource {
    #[inline]
    fn add_assign(&mut self, other: Resource) {
        *self = self.plus(&other);
    }
}

/// Component by component, wrapping: as [`Resource::minus`].
impl Sub for Resource {
    type Output = Resource;

    #[inline]
    fn sub(self, other: Resource) -> Resource {
        self.minus(&other)
    }
}

impl SubAssign for Resource {
    #[inline]
    fn sub_assign(&mut self, other: Resource) {
        *self = self.minus(&other);
    }
}

impl Sum for Resource {
    #[inline]
    fn sum<I: Iterator<Item = Resource>>(all: I) -> Resource {
        all.fold(Resource::ZERO, Resource::add)
    }
}

impl<'a> Sum<&'a Resource> for Resource {
    #[inline]
    fn sum<I: Iterator<Item = &'a Resource>>(all: I) -> Resource {
        all.copied().sum()
    }
}

impl Default for Resource {
    #[inline]
    fn default() -> Self {
        Resource::ZERO
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// YARN's form: `<memory:1024, vCores:1>`, then the custom lanes that are not zero, by index. Where there is no limit
/// from one of them on, types that the cluster lacks included, `others unlimited` stands for these.
///
/// ```
/// use evenweave::Resource;
/// let limit = Resource::UNBOUNDED.with(0, 4096).with(1, 4);
/// assert_eq!(limit.to_string(), "<memory:4096, vCores:4, others unlimited>");
/// assert_eq!(limit.with(2, 1).to_string(), "<memory:4096, vCores:4, 2:1, others unlimited>");
/// ```
impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unlimited = self.0[2..].iter().rev().take_while(|lane| **lane == i64::MAX).count();
        let limited = MAX_TYPES.saturating_sub(unlimited);
        write!(f, "<memory:{}, vCores:{}", self.0[0], self.0[1])?;
        for (i, lane) in self.0.iter().enumerate().take(limited).skip(2).filter(|(_, lane)| **lane != 0) {
            write!(f, ", {i}:{lane}")?;
        }
        f.write_str(if limited < MAX_TYPES { ", others unlimited>" } else { ">" })
    }
}

/// Java's conversion of a double to a long: NaN is 0, out of range saturates. Rust's `as` does exactly this.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted")]
pub fn f64_to_i64(value: f64) -> i64 {
    value as i64
}

/// The resource types of a cluster, in vector order: `memory-mb` (MiB), `vcores`, then the custom types.
///
/// ```
/// use evenweave::resource::ResourceTypes;
/// let types = ResourceTypes::with_custom([("gpu", "")]).unwrap();
/// assert_eq!(types.index("gpu"), Some(2));
/// ```
///
/// Feature `serde`: the list of the custom ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTypes {
    types: Vec<(String, String)>,
}

#[cfg(feature = "serde")]
impl serde::Serialize for ResourceTypes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.types.iter().skip(ResourceTypes::standard().types.len()))
    }
}

/// Checked as by [`ResourceTypes::with_custom`].
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ResourceTypes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ResourceTypes, D::Error> {
        let custom = Vec::<(String, String)>::deserialize(deserializer)?;
        ResourceTypes::with_custom(custom).map_err(serde::de::Error::custom)
    }
}

/// Bytes of the longest name of a queue, user, node, rack or resource type; a queue's is its full one, with `root`.
/// Names are repeated in messages, views and below each queue; no host, path or principal comes near it.
pub const LONGEST_NAME: usize = 1_000;

/// Why a list of custom resource types cannot be taken.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceTypesError {
    /// More types than a vector has lanes.
    #[error("{given} resource types: give at most {MAX_TYPES}, memory-mb and vcores included")]
    TooMany {
        /// How many were given.
        given: usize,
    },
    /// A name that nobody could read in a message.
    #[error("a resource type's name of {bytes} bytes: give at most {LONGEST_NAME}")]
    NameTooLong {
        /// Its length.
        bytes: usize,
    },
    /// Two types of one name.
    #[error("resource type {0:?} is named twice")]
    Twice(String),
}

impl ResourceTypes {
    /// The two types that every cluster has.
    #[must_use]
    pub fn standard() -> ResourceTypes {
        ResourceTypes { types: vec![("memory-mb".into(), "Mi".into()), ("vcores".into(), String::new())] }
    }

    /// The two standard types and the custom ones, each a name and a default unit.
    ///
    /// # Errors
    /// When there are more than [`MAX_TYPES`] in all, or one is named twice, or with more than 1,000 bytes.
    pub fn with_custom<N: Into<String>, U: Into<String>>(
        custom: impl IntoIterator<Item = (N, U)>,
    ) -> Result<ResourceTypes, ResourceTypesError> {
        let mut out = ResourceTypes::standard();
        for (name, unit) in custom {
            let name = name.into();
            if name.len() > LONGEST_NAME {
                return Err(ResourceTypesError::NameTooLong { bytes: name.len() });
            }
            if out.index(&name).is_some() {
                return Err(ResourceTypesError::Twice(name));
            }
            out.types.push((name, unit.into()));
        }
        if out.types.len() > MAX_TYPES {
            return Err(ResourceTypesError::TooMany { given: out.types.len() });
        }
        Ok(out)
    }

    /// How many types there are: 2 to [`MAX_TYPES`].
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    #[inline]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// The vector index of a type.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|(n, _)| n == name)
    }

    /// The name of the type at an index.
    ///
    /// # Panics
    /// When there is none, as of [`ResourceTypes::len`] on.
    #[must_use]
    pub fn name(&self, index: usize) -> &str {
        &self.types[index].0
    }

    /// The default unit of the type at an index.
    ///
    /// # Panics
    /// When there is none, as of [`ResourceTypes::len`] on.
    #[must_use]
    pub fn unit(&self, index: usize) -> &str {
        &self.types[index].1
    }

    /// The names in vector order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(|(name, _)| name.as_str())
    }
}

impl Default for ResourceTypes {
    #[inline]
    fn default() -> Self {
        ResourceTypes::standard()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_component_is_not_none_and_does_fit() {
        let debt = Resource::new(0, -1);
        assert!(!debt.is_zero());
        assert!(debt.fits_in(&Resource::ZERO));
    }

    #[test]
    fn operators_are_the_calls() {
        let (a, b) = (Resource::from_slice(&[1, 2, 3]), Resource::from_slice(&[10, 20, i64::MAX]));
        assert_eq!((a + b, a - b), (a.plus(&b), a.minus(&b)));
        let mut sum = a;
        sum += b;
        assert_eq!(sum, [a, b].iter().sum());
        sum -= b;
        assert_eq!(sum, a);
        assert_eq!([a, a].into_iter().sum::<Resource>(), a.times_int(2));
    }

    #[test]
    fn non_negative_subtraction_leaves_custom_types_negative() {
        let a = Resource::from_slice(&[1, 1, 1]);
        let b = Resource::from_slice(&[2, 2, 2]);
        assert_eq!(a.minus_non_negative(&b), Resource::from_slice(&[0, 0, -1]));
    }

    #[test]
    fn am_limit_rounds_up_the_widened_float() {
        // rules/fair-shares.md 9.5: 10 x 0.1f is 1.0000000149, rounded up to 2.
        let limit = Resource::new(10, 1000).times_round_up(f64::from(0.1_f32));
        assert_eq!(limit, Resource::new(2, 101));
    }

    #[test]
    fn what_looks_at_some_types_only_sees_what_the_whole_does() {
        let amounts = [0, 1, -3, i64::MAX, i64::MIN];
        let vectors = |types: usize| {
            let lanes = move |lane: usize| amounts.map(|amount| Resource::ZERO.with(lane, amount));
            (0..types).flat_map(lanes).chain([Resource::from_fn(|i| if i < types { 7 - i as i64 } else { 0 })])
        };
        for types in [2, 3, MAX_TYPES] {
            for (a, b) in vectors(types).flat_map(|a| vectors(types).map(move |b| (a, b))) {
                let (mut sum, mut difference) = (a, a);
                sum.add_in_types(types, &b);
                difference.subtract_in_types(types, &b);
                assert_eq!((sum, difference), (a.plus(&b), a.minus(&b)));
                assert_eq!(a.copied_in_types(types), a);
                assert_eq!(a.equals_in_types(types, &b), a == b);
                assert!(!a.equals_in_types(types, &Resource::UNBOUNDED));
                assert_eq!(a.fits_in_types(types, &b), a.fits_in(&b));
            }
            assert!(vectors(types).all(|a| a.is_zero_in_types(types) == a.is_zero()));
        }
    }

    #[test]
    fn truncation_saturates_like_java() {
        assert_eq!(f64_to_i64(f64::NAN), 0);
        assert_eq!(f64_to_i64(1e300), i64::MAX);
        assert_eq!(f64_to_i64(-1e300), i64::MIN);
    }
}
