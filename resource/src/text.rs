//! Resources as texts: `memory-mb=4096, vcores=4`, as people write them, and `<memory:4096, vCores:4>`, as they are
//! shown.

use crate::vector::{MAX_TYPES, Resource, ResourceTypes};
use std::str::FromStr;

/// How many characters of a text, a part or a name a message shows.
const SHOWN: usize = 64;

/// Why a text is no resource: what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceTextError {
    /// A part is no amount of a type.
    #[error("{part:?} is not of the form name=integer; write for example \"memory-mb=4096, vcores=4\"")]
    NotAnAmount {
        /// The part, or its beginning.
        part: String,
    },
    /// There is no such resource type.
    #[error("there is no resource type {name:?}; known are {known}")]
    UnknownType {
        /// The name, or its beginning.
        name: String,
        /// The names of all types.
        known: String,
    },
    /// A type has two amounts.
    #[error("{name} is named twice; write one amount of each type")]
    Twice {
        /// The type.
        name: String,
    },
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl ResourceTypes {
    /// Reads amounts of these types: `memory-mb=4096, vcores=4, gpu=2`, or as a [`Resource`] is shown:
    /// `<memory:4096, vCores:4, 2:2>`. A type that is not named has none. `memory` is `memory-mb`; a case of letters
    /// does not count in these two and in `vcores`.
    ///
    /// # Errors
    /// When a part is no amount, of no type that there is, or of one that an earlier part has named.
    ///
    /// ```
    /// use evenweave::Resource;
    /// use evenweave::resource::ResourceTypes;
    /// let types = ResourceTypes::with_custom([("gpu", "")])?;
    /// assert_eq!(types.parse("memory-mb=4096, vcores=4, gpu=2")?, Resource::from_slice(&[4096, 4, 2]));
    /// let unknown = types.parse("memory-mb=4096, fpga=1").unwrap_err();
    /// assert_eq!(unknown.to_string(), "there is no resource type \"fpga\"; known are memory-mb, vcores, gpu");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(&self, text: &str) -> Result<Resource, ResourceTextError> {
        let text = text.trim();
        let inner = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        let (mut amounts, sign) = (Resource::ZERO, if inner.is_some() { ':' } else { '=' });
        let mut named = [false; MAX_TYPES];
        for part in inner.unwrap_or(text).split(',').map(str::trim) {
            if inner.is_some() && part == "others unlimited" {
                let last = named.iter().rposition(|named| *named).unwrap_or_default().max(1);
                amounts = Resource::from_fn(|lane| if lane <= last { amounts.get(lane) } else { i64::MAX });
                continue;
            }
            let wrong = || ResourceTextError::NotAnAmount { part: shown(part) };
            let (name, amount) = part.split_once(sign).ok_or_else(wrong)?;
            let (name, amount) = (name.trim(), amount.trim().parse().map_err(|_| wrong())?);
            let lane = self.lane(name, inner.is_some())?;
            if std::mem::replace(&mut named[lane], true) {
                return Err(ResourceTextError::Twice { name: shown(name) });
            }
            amounts = amounts.with(lane, amount);
        }
        Ok(amounts)
    }

    /// The lane of a type. In the form that is shown, custom types have their lane as a name.
    fn lane(&self, name: &str, is_shown: bool) -> Result<usize, ResourceTextError> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        let lane = match () {
            () if is("memory") || is("memory-mb") => Some(0),
            () if is("vcores") => Some(1),
            () => {
                self.index(name).or_else(|| name.parse().ok().filter(|lane| is_shown && (2..MAX_TYPES).contains(lane)))
            }
        };
        lane.ok_or_else(|| ResourceTextError::UnknownType {
            name: shown(name),
            known: self.names().collect::<Vec<_>>().join(", "),
        })
    }
}

/// Reads memory and vcores, or what a [`Resource`] is shown as; [`ResourceTypes::parse`] reads custom types by their
/// names, too.
///
/// ```
/// use evenweave::Resource;
/// let written: Resource = "memory-mb=4096, vcores=4".parse()?;
/// assert_eq!(written, Resource::new(4096, 4));
/// assert_eq!(written.to_string().parse(), Ok(written));
///
/// let wrong = "4096 MB".parse::<Resource>().unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     "\"4096 MB\" is not of the form name=integer; write for example \"memory-mb=4096, vcores=4\""
/// );
/// # Ok::<(), evenweave::resource::ResourceTextError>(())
/// ```
impl FromStr for Resource {
    type Err = ResourceTextError;

    fn from_str(text: &str) -> Result<Resource, ResourceTextError> {
        ResourceTypes::standard().parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read() {
        let few = Resource::from_slice(&[-1, 0, 7, 0, i64::MAX]);
        let limit = Resource::from_fn(|lane| if lane < 3 { 5 } else { i64::MAX });
        let odd = Resource::UNBOUNDED.with(4, 0).with(6, -3);
        for resource in [Resource::ZERO, Resource::new(4096, 4), few, limit, odd, Resource::UNBOUNDED] {
            assert_eq!(resource.to_string().parse(), Ok(resource), "{resource}");
        }
    }

    #[test]
    fn what_people_write_is_read() {
        for text in ["memory-mb=4096,vcores=4", " vcores = 4 , memory = 4096 ", "<memory:4096, vCores:4>"] {
            assert_eq!(text.parse(), Ok(Resource::new(4096, 4)), "{text}");
        }
        assert_eq!("vcores=4".parse(), Ok(Resource::new(0, 4)));
    }

    #[test]
    fn a_message_says_what_would_be_right() {
        let told = |text: &str| text.parse::<Resource>().unwrap_err().to_string();
        let form = "is not of the form name=integer; write for example \"memory-mb=4096, vcores=4\"";
        for (text, part) in [
            ("", ""),
            ("1024", "1024"),
            ("memory-mb=1,", ""),
            ("memory-mb=1.5", "memory-mb=1.5"),
            ("memory-mb=50%", "memory-mb=50%"),
            ("memory-mb:1", "memory-mb:1"),
            ("<memory=1>", "memory=1"),
            ("<memory:1", "<memory:1"),
            ("vcores=9223372036854775808", "vcores=9223372036854775808"),
        ] {
            assert_eq!(told(text), format!("{part:?} {form}"), "{text}");
        }
        assert_eq!(told("gpu=1"), "there is no resource type \"gpu\"; known are memory-mb, vcores");
        assert_eq!(told("2=1"), "there is no resource type \"2\"; known are memory-mb, vcores");
        assert_eq!(told("vcores=1, vCores=2"), "vCores is named twice; write one amount of each type");
        assert_eq!(told(&"x".repeat(1 << 20)), format!("\"{}…\" {form}", "x".repeat(64)));
    }
}
