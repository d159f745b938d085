//! Java's random generators, so that a SYNTH file gives the same jobs as in Hadoop: `java.util.Random`, and
//! commons-math's `Well19937c`. `tools/tests/traces.rs` compares the jobs with Hadoop's. commons-math has its own
//! `sin`, `cos` and `ln` (`FastMath`), so a Gaussian may differ in the last bit.

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// `java.util.Random`.
#[derive(Clone, Debug)]
pub(super) struct JavaRandom {
    state: u64,
}

impl JavaRandom {
    pub(super) fn new(seed: i64) -> JavaRandom {
        let mut random = JavaRandom { state: 0 };
        random.reseed(seed);
        random
    }

    /// `setSeed`.
    pub(super) fn reseed(&mut self, seed: i64) {
        self.state = (seed.cast_unsigned() ^ MULTIPLIER) & MASK;
    }

    /// The top `bits` bits of the next state. `bits` is at most 32.
    fn next(&mut self, bits: u32) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        self.state >> (48 - bits)
    }

    /// `nextLong`.
    pub(super) fn long(&mut self) -> i64 {
        let signed = |bits: u64| i64::from(low_half(bits).cast_signed());
        let (high, low) = (signed(self.next(32)), signed(self.next(32)));
        (high << 32).wrapping_add(low)
    }

    /// `nextDouble`: 53 bits.
    pub(super) fn double(&mut self) -> f64 {
        let (high, low) = (self.next(26), self.next(27));
        ((high << 27) + low) as f64 * (-53_f64).exp2()
    }

    /// `nextInt` of a bound from 1 to 2^31 - 1.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let mut draw = || low_half(self.next(31));
        if bound.is_power_of_two() {
            return low_half((u64::from(bound) * u64::from(draw())) >> 31);
        }
        loop {
            let drawn = draw();
            let rest = drawn % bound;
            // Java's test for overflow of an int. It rejects the last, incomplete block of `bound`, so that all results
            // are equally likely.
            if u64::from(drawn - rest) + u64::from(bound - 1) < 1 << 31 {
                return rest;
            }
        }
    }
}

/// The low 32 bits. The callers have no more, or want no more.
fn low_half(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(0)
}

const WORDS: usize = 624;

/// `Well19937c` of commons-math, with the Gaussian that it keeps for the next call.
#[derive(Clone, Debug)]
pub(super) struct Well {
    words: Vec<u32>,
    at: usize,
    spare: Option<f64>,
}

impl Well {
    pub(super) fn new(seed: i64) -> Well {
        let mut words = vec![low_half(seed.cast_unsigned() >> 32), low_half(seed.cast_unsigned())];
        for i in 2..WORDS {
            // Java widens the int with its sign before it multiplies.
            let word = i64::from(words[i - 2].cast_signed());
            let mixed = 1_812_433_253_i64.wrapping_mul(word ^ word >> 30).wrapping_add(i as i64);
            words.push(low_half(mixed.cast_unsigned()));
        }
        Well { words, at: 0, spare: None }
    }

    /// `next` of `Well19937c`. `a` and `b` are its `indexRm1` and `indexRm2`; `m1` to `m3` are its `vM1` to `vM3`. The
    /// other names are its own.
    fn next(&mut self, bits: u32) -> u64 {
        let (v, i) = (&mut self.words, self.at);
        let (a, b) = ((i + 623) % WORDS, (i + 622) % WORDS);
        let (v0, m1, m2, m3) = (v[i], v[(i + 70) % WORDS], v[(i + 179) % WORDS], v[(i + 449) % WORDS]);
        let z0 = (0x8000_0000 & v[a]) ^ (0x7fff_ffff & v[b]);
        let z1 = v0 ^ (v0 << 25) ^ m1 ^ (m1 >> 27);
        let z2 = (m2 >> 9) ^ m3 ^ (m3 >> 1);
        let z3 = z1 ^ z2;
        let mut z4 = z0 ^ z1 ^ (z1 << 9) ^ z2 ^ (z2 << 21) ^ z3 ^ (z3 >> 21);
        v[i] = z3;
        v[a] = z4;
        v[b] &= 0x8000_0000;
        self.at = a;
        // Tempering by Matsumoto and Kurita.
        z4 ^= (z4 << 7) & 0xe46e_1700;
        z4 ^= (z4 << 15) & 0x9b86_8000;
        u64::from(z4 >> (32 - bits))
    }

    /// `nextDouble`: 52 bits.
    fn double(&mut self) -> f64 {
        let (high, low) = (self.next(26), self.next(26));
        ((high << 26) | low) as f64 * (-52_f64).exp2()
    }

    /// `nextGaussian`: two at a time.
    pub(super) fn gauss(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let alpha = 2.0 * std::f64::consts::PI * self.double();
        let r = (-2.0 * self.double().ln()).sqrt();
        self.spare = Some(r * alpha.sin());
        r * alpha.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `new java.util.Random(42)` of JDK 17 gives them.
    #[test]
    fn numbers_are_javas() {
        let mut random = JavaRandom::new(42);
        assert_eq!(random.long(), -5_025_562_857_975_149_833);
        assert_eq!(JavaRandom::new(42).double(), 0.727_563_680_032_868_1);
        let mut random = JavaRandom::new(42);
        assert_eq!([random.below(1000), random.below(1000), random.below(1000)], [130, 763, 248]);
        let mut random = JavaRandom::new(42);
        assert_eq!([random.below(64), random.below(64)], [46, 3]);
    }
}
