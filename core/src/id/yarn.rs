//! Ids as YARN writes them: what crosses a wire. Plain values; any thread.
//!
//! Follows `ApplicationId`, `ApplicationAttemptId` and `ContainerId` of Hadoop 3.4.2.

use std::fmt;
use std::str::FromStr;

/// A YARN application id: `application_<clusterTimestamp>_<number, at least 4 digits>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApplicationId {
    /// The start time of the ResourceManager, ms since the epoch, as the embedder gave it.
    pub cluster_timestamp: u64,
    /// The running number of the application.
    pub number: u32,
}

impl ApplicationId {
    /// A number that orders applications of one cluster as their names order as text: `…_10000` sorts before `…_9999`,
    /// as in Hadoop's comparators. Each digit takes four bits from the left, a missing one sorts first.
    #[cfg(not(loom))]
    pub(crate) fn name_order(self) -> u64 {
        let mut digits = [0_u8; 16];
        let mut n = self.number;
        let mut length = 0;
        while n > 0 || length < 4 {
            digits[length] = u8::try_from(n % 10).expect("a digit") + 1;
            n /= 10;
            length += 1;
        }
        digits[..length].reverse();
        digits.iter().fold(0, |key, digit| key << 4 | u64::from(*digit))
    }
}

/// An attempt of an application: `appattempt_<clusterTimestamp>_<application, at least 4 digits>_<attempt, at least 6
/// digits>`.
///
/// ```
/// use evenweave::AttemptId;
///
/// let attempt: AttemptId = "appattempt_1410901177871_0001_000002".parse()?;
/// assert_eq!((attempt.application.number, attempt.number), (1, 2));
/// assert_eq!(attempt.to_string(), "appattempt_1410901177871_0001_000002");
/// # Ok::<(), evenweave::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptId {
    /// Whose it is.
    pub application: ApplicationId,
    /// Which one, from 1.
    pub number: u32,
}

/// A container's name, as AMs and nodes know it:
/// `container_[e<epoch>_]<clusterTimestamp>_<application>_<attempt>_<number>`.
///
/// The scheduler's own [`ContainerId`](crate::ContainerId) is smaller and is what its calls take. `container_name` of a
/// scheduler makes a name of one, `find_container` finds one by its name.
///
/// ```
/// use evenweave::ContainerName;
///
/// let name: ContainerName = "container_e17_1410901177871_0001_01_000005".parse()?;
/// assert_eq!((name.epoch, name.attempt.number, name.number), (17, 1, 5));
/// assert_eq!(name.to_string(), "container_e17_1410901177871_0001_01_000005");
/// # Ok::<(), evenweave::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerName {
    /// How often the ResourceManager has been restarted with its work kept; in the name where it is not 0. At most 24
    /// bits in Hadoop.
    pub epoch: u32,
    /// The attempt that it was granted to.
    pub attempt: AttemptId,
    /// The number within the attempt, from 1.
    pub number: u32,
}

/// A text is no id of the kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a valid {what} id: it should look like {example}")]
pub struct IdError {
    what: &'static str,
    example: &'static str,
    text: String,
}

impl fmt::Display for ApplicationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "application_{}_{:04}", self.cluster_timestamp, self.number)
    }
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ApplicationId { cluster_timestamp, number } = self.application;
        write!(f, "appattempt_{cluster_timestamp}_{number:04}_{:06}", self.number)
    }
}

impl fmt::Display for ContainerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("container_")?;
        if self.epoch > 0 {
            write!(f, "e{:02}_", self.epoch)?;
        }
        let AttemptId { application: ApplicationId { cluster_timestamp, number }, number: attempt } = self.attempt;
        write!(f, "{cluster_timestamp}_{number:04}_{attempt:02}_{:06}", self.number)
    }
}

/// As their texts, in both directions.
#[cfg(feature = "serde")]
macro_rules! texts {
    ($($id:ty),*) => {$(
        impl serde::Serialize for $id {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $id {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$id, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

#[cfg(feature = "serde")]
texts!(ApplicationId, AttemptId, ContainerName);

/// A number without sign or white space, which `parse` alone would let through.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// The numbers of a text `<prefix>_a_b_…`, and no other.
fn parts<'a, const N: usize>(text: &'a str, prefix: &str) -> Option<[&'a str; N]> {
    let mut parts = text.strip_prefix(prefix)?.strip_prefix('_')?.split('_');
    let mut found = [""; N];
    for place in &mut found {
        *place = parts.next()?;
    }
    parts.next().is_none().then_some(found)
}

fn application(cluster_timestamp: &str, application: &str) -> Option<ApplicationId> {
    Some(ApplicationId { cluster_timestamp: number(cluster_timestamp)?, number: number(application)? })
}

fn attempt(of: &str, application_number: &str, attempt: &str) -> Option<AttemptId> {
    Some(AttemptId { application: application(of, application_number)?, number: number(attempt)? })
}

/// Of what is quoted in an error.
const LONGEST_SHOWN: usize = 100;

fn or_error<T>(found: Option<T>, text: &str, what: &'static str, example: &'static str) -> Result<T, IdError> {
    found.ok_or_else(|| IdError { what, example, text: text.chars().take(LONGEST_SHOWN).collect() })
}

impl FromStr for ApplicationId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<ApplicationId, IdError> {
        let found = parts(text, "application").and_then(|[of, number]| application(of, number));
        or_error(found, text, "application", "application_1410901177871_0001")
    }
}

impl FromStr for AttemptId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<AttemptId, IdError> {
        let found = parts(text, "appattempt").and_then(|[of, application, number]| attempt(of, application, number));
        or_error(found, text, "attempt", "appattempt_1410901177871_0001_000001")
    }
}

impl FromStr for ContainerName {
    type Err = IdError;

    fn from_str(text: &str) -> Result<ContainerName, IdError> {
        let plain = || {
            let [of, application, of_attempt, own] = parts(text, "container")?;
            Some(ContainerName { epoch: 0, attempt: attempt(of, application, of_attempt)?, number: number(own)? })
        };
        let with_epoch = || {
            let [epoch, of, application, of_attempt, own] = parts(text, "container")?;
            let epoch = number(epoch.strip_prefix('e')?)?;
            Some(ContainerName { epoch, attempt: attempt(of, application, of_attempt)?, number: number(own)? })
        };
        or_error(plain().or_else(with_epoch), text, "container", "container_e17_1410901177871_0001_01_000005")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_order_as_text(a: u32, b: u32) {
            let id = |number| ApplicationId { cluster_timestamp: 1, number };
            prop_assert_eq!(
                id(a).name_order().cmp(&id(b).name_order()),
                id(a).to_string().cmp(&id(b).to_string())
            );
        }

        #[test]
        fn what_is_written_is_read(timestamp: u64, app: u32, attempt: u32, epoch: u32, own: u32) {
            let application = ApplicationId { cluster_timestamp: timestamp, number: app };
            let attempt = AttemptId { application, number: attempt };
            let container = ContainerName { epoch, attempt, number: own };
            prop_assert_eq!(application.to_string().parse(), Ok(application));
            prop_assert_eq!(attempt.to_string().parse(), Ok(attempt));
            prop_assert_eq!(container.to_string().parse(), Ok(container));
        }
    }

    #[test]
    fn ten_thousand_sorts_before_nine_thousand() {
        let id = |number| ApplicationId { cluster_timestamp: 1, number };
        assert!(id(10_000).name_order() < id(9_999).name_order());
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["", "application", "application_1", "application_1_+2", "application_1_ 2", "application_1_2_3"] {
            assert!(text.parse::<ApplicationId>().is_err(), "{text:?}");
        }
        for text in ["appattempt_1_2", "application_1_2_3", "appattempt_1_2_99999999999"] {
            assert!(text.parse::<AttemptId>().is_err(), "{text:?}");
        }
        for text in ["container_1_2_3", "container_17_1_2_3_4", "container_e_1_2_3_4", "container_e1_1_2_3_4_5"] {
            assert!(text.parse::<ContainerName>().is_err(), "{text:?}");
        }
        let told = "x".parse::<ContainerName>().expect_err("no id").to_string();
        assert_eq!(
            told,
            r#""x" is not a valid container id: it should look like container_e17_1410901177871_0001_01_000005"#
        );
    }

    #[test]
    fn zeros_in_front_are_as_yarn_writes_them() {
        let application = ApplicationId { cluster_timestamp: 7, number: 12_345 };
        let attempt = AttemptId { application, number: 1 };
        assert_eq!(attempt.to_string(), "appattempt_7_12345_000001");
        let name = |epoch, number| ContainerName { epoch, attempt, number }.to_string();
        assert_eq!(name(0, 1), "container_7_12345_01_000001");
        assert_eq!(name(123, 1_234_567), "container_e123_7_12345_01_1234567");
    }
}
