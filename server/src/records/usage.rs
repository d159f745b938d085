//! What an application has used, as Hadoop adds it up: of each container, each amount times the seconds for which it
//! has lived.
//!
//! People charge by it. Of a container that has ended the product is rounded down; of those that live all are worked
//! out together.

use evenweave::Resource;
use evenweave::resource::MAX_TYPES;

const MS_A_SECOND: i128 = 1000;

/// See the module's text. Amounts are in the order of the resource types.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Amounts of containers that live.
    live: [i128; MAX_TYPES],
    /// The same, each times when its container was made, in ms.
    made: [i128; MAX_TYPES],
    /// Of containers that have ended, times seconds.
    ended: [i128; MAX_TYPES],
    /// Of these, of containers that were preempted.
    preempted: [i128; MAX_TYPES],
}

fn long(of: i128) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

impl Usage {
    /// A container was made.
    pub(super) fn begins(&mut self, amounts: &Resource, at_ms: u64) {
        for index in 0..MAX_TYPES {
            let amount = i128::from(amounts.get(index));
            self.live[index] += amount;
            self.made[index] += amount * i128::from(at_ms);
        }
    }

    /// It has ended. Gives what it has used, times seconds: memory and vcores.
    pub(super) fn ends(&mut self, amounts: &Resource, made_ms: u64, at_ms: u64, preempted: bool) -> [i64; 2] {
        let lived = i128::from(at_ms.saturating_sub(made_ms));
        let mut used = [0; 2];
        for index in 0..MAX_TYPES {
            let amount = i128::from(amounts.get(index));
            self.live[index] -= amount;
            self.made[index] -= amount * i128::from(made_ms);
            let seconds = amount * lived / MS_A_SECOND;
            self.ended[index] += seconds;
            if preempted {
                self.preempted[index] += seconds;
            }
            if let Some(used) = used.get_mut(index) {
                *used = long(seconds);
            }
        }
        used
    }

    /// How much of a type, times seconds, until now.
    #[must_use]
    pub fn seconds(&self, index: usize, now_ms: u64) -> i64 {
        // A clock that was set back makes nothing undone.
        let living = (self.live[index] * i128::from(now_ms) - self.made[index]).max(0) / MS_A_SECOND;
        long(self.ended[index] + living)
    }

    /// How much of it was of containers that were preempted.
    #[must_use]
    pub fn preempted_seconds(&self, index: usize) -> i64 {
        long(self.preempted[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_count_for_as_long_as_their_containers_live() {
        let mut usage = Usage::default();
        let (large, small) = (Resource::new(2048, 2), Resource::new(512, 1));
        usage.begins(&large, 1_000);
        usage.begins(&small, 2_500);
        assert_eq!((usage.seconds(0, 4_500), usage.seconds(1, 4_500)), (2048 * 7 / 2 + 512 * 2, 7 + 2));
        assert_eq!(usage.ends(&large, 1_000, 4_999, true), [2048 * 3_999 / 1000, 7]);
        assert_eq!(usage.seconds(0, 4_500), 2048 * 3_999 / 1000 + 1024);
        assert_eq!(usage.ends(&small, 2_500, 4_500, false), [1024, 2]);
        // Nothing lives any more: time alone adds nothing.
        for now in [5_000, 1_000_000] {
            assert_eq!((usage.seconds(0, now), usage.seconds(1, now)), (2048 * 3_999 / 1000 + 1024, 7 + 2));
        }
        assert_eq!((usage.preempted_seconds(0), usage.preempted_seconds(1)), (2048 * 3_999 / 1000, 7));
    }
}
