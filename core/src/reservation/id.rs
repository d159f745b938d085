//! Names of reservations.

use std::fmt;
use std::str::FromStr;

/// A reservation's name: `reservation_<clusterTimestamp>_<number, at least 4 digits>`; its queue has that name below
/// the plan.
///
/// ```
/// use evenweave::reservation::ReservationId;
///
/// let id: ReservationId = "reservation_1654211909640_0003".parse()?;
/// assert_eq!(id.number, 3);
/// assert_eq!(id.to_string(), "reservation_1654211909640_0003");
/// # Ok::<(), evenweave::reservation::ReservationIdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReservationId {
    /// The start time of the ResourceManager, ms since the epoch.
    pub cluster_timestamp: i64,
    /// The running number, from 1.
    pub number: i64,
}

impl fmt::Display for ReservationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reservation_{}_{:04}", self.cluster_timestamp, self.number)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for ReservationId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ReservationId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<ReservationId, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Why a text is no reservation's name. Hadoop tells the three apart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReservationIdError {
    /// It does not begin with `reservation_`.
    #[error("The specified reservation id is invalid: {0}")]
    Prefix(String),
    /// It has not two parts after that.
    #[error("The specified reservation id is not parseable: {0}")]
    Parts(String),
    /// One of the parts is no number.
    #[error("For input string: \"{0}\"")]
    Number(String),
}

impl FromStr for ReservationId {
    type Err = ReservationIdError;

    fn from_str(text: &str) -> Result<ReservationId, ReservationIdError> {
        let rest = text.strip_prefix("reservation_").ok_or_else(|| ReservationIdError::Prefix(shortened(text)))?;
        // As Java splits: empty parts at the end do not count.
        let rest = rest.trim_end_matches('_');
        let Some((timestamp, number)) = rest.split_once('_').filter(|(_, number)| !number.contains('_')) else {
            return Err(ReservationIdError::Parts(shortened(text)));
        };
        Ok(ReservationId { cluster_timestamp: long(timestamp)?, number: long(number)? })
    }
}

/// `Long.parseLong`: a sign is allowed, white space is not.
fn long(text: &str) -> Result<i64, ReservationIdError> {
    text.parse().map_err(|_| ReservationIdError::Number(shortened(text)))
}

/// Of what is quoted in a message.
const LONGEST_SHOWN: usize = 100;

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        text.parse::<ReservationId>().expect_err("no id").to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        for number in [1, 9_999, 10_000, i64::MAX] {
            let id = ReservationId { cluster_timestamp: 7, number };
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_eq!(ReservationId { cluster_timestamp: 7, number: 3 }.to_string(), "reservation_7_0003");
    }

    #[test]
    fn what_is_no_id_is_told_as_hadoop_tells_it() {
        assert_eq!(told("bogus"), "The specified reservation id is invalid: bogus");
        assert_eq!(told("reservation_1_2_3"), "The specified reservation id is not parseable: reservation_1_2_3");
        assert_eq!(told("reservation_1"), "The specified reservation id is not parseable: reservation_1");
        assert_eq!(told("reservation_x_1"), "For input string: \"x\"");
    }
}
