//! A small repeatable random source (splitmix64): the same seed gives the same load everywhere.

/// Scrambles 64 bits; neighbouring inputs give unrelated outputs.
#[must_use]
#[inline]
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number in `0.0..1.0` that depends on the three inputs only.
#[must_use]
#[inline]
pub fn unit(seed: u64, a: u32, b: u32) -> f64 {
    let bits = mix(seed ^ mix((u64::from(a) << 32) | u64::from(b)));
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_inputs_same_number_and_all_of_them_in_range() {
        let mean = (0..10_000).map(|i| unit(7, i, 3)).inspect(|u| assert!((0.0..1.0).contains(u))).sum::<f64>() / 1e4;
        assert!((0.48..0.52).contains(&mean), "{mean}");
        assert_eq!(unit(1, 2, 3).to_bits(), unit(1, 2, 3).to_bits());
        assert_ne!(unit(1, 2, 3).to_bits(), unit(2, 2, 3).to_bits());
    }
}
