//! `java.util.Random`, number for number: W4's tasks name the nodes that a Java program with the same seed would draw.

/// The linear congruential generator of 48 bits that Java's documentation specifies.
#[derive(Clone, Debug)]
pub struct JavaRandom {
    state: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    /// `new Random(seed)`.
    pub fn new(seed: u64) -> JavaRandom {
        JavaRandom { state: (seed ^ MULTIPLIER) & MASK }
    }

    /// `next(31)`.
    fn next_31(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        u32::try_from(self.state >> 17).expect("31 of 48 bits")
    }

    /// `nextInt(bound)`, of a bound from 1 to 2^31 - 1.
    ///
    /// # Panics
    /// Of a bound of 0.
    pub fn next_int(&mut self, bound: u32) -> u32 {
        if bound.is_power_of_two() {
            let product = u64::from(bound) * u64::from(self.next_31());
            return u32::try_from(product >> 31).expect("less than the bound");
        }
        loop {
            let drawn = self.next_31();
            let rest = drawn % bound;
            // Java sees an int overflow: the last numbers below 2^31, which would make small remainders likelier.
            if drawn - rest + (bound - 1) < 1 << 31 {
                return rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first<const N: usize>(bound: u32) -> [u32; N] {
        let mut random = JavaRandom::new(42);
        std::array::from_fn(|_| random.next_int(bound))
    }

    /// What `new java.util.Random(42)` gave in a JDK 17: plain bounds, powers of two, and one that draws again.
    #[test]
    fn numbers_are_those_of_java() {
        assert_eq!(first(1000), [130, 763, 248, 884, 970, 525, 505, 918, 519, 93, 182, 502]);
        assert_eq!(first(10_000), [1130, 2763, 1248, 8884, 9970, 7525, 1505, 6918, 5519, 8093, 7182, 7502]);
        assert_eq!(first(64), [46, 3, 43, 3, 19, 60, 17, 45, 42, 5, 57, 28]);
        assert_eq!(first(1 << 30), [781_215_565, 58_696_381, 733_605_624, 51_474_442]);
        assert_eq!(first((1 << 30) + 1), [117_392_763, 102_948_884, 662_969_970, 595_021_505, 196_118_093]);
        assert_eq!(first(i32::MAX.unsigned_abs()), [1_562_431_130, 117_392_763, 1_467_211_248]);
    }

    /// The same of many numbers, by Java's `hash = hash * 31 + number` in a `long`.
    #[test]
    fn many_numbers_are_those_of_java() {
        let hash = |bound, count| {
            let mut random = JavaRandom::new(42);
            (0..count).fold(0_i64, |hash, _| hash.wrapping_mul(31).wrapping_add(i64::from(random.next_int(bound))))
        };
        assert_eq!(hash(1000, 100_000), -8_531_441_366_608_764_049);
        assert_eq!(hash((1 << 30) + 1, 1000), 7_419_877_461_295_092_446);
    }
}
