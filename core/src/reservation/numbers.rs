//! Java's arithmetic, where the results of plans hang on it.

use crate::resource::f64_to_i64;

/// The next multiple of a step. `step` is not 0.
pub(super) fn up(t: i64, step: i64) -> i64 {
    t.wrapping_add(step).wrapping_sub(1).wrapping_div(step).wrapping_mul(step)
}

/// The multiple of a step before. `step` is not 0.
pub(super) fn down(t: i64, step: i64) -> i64 {
    t.wrapping_div(step).wrapping_mul(step)
}

/// A duration as a multiple of the step, as greedy placement rounds it: of a negative one the next above.
pub(super) fn whole_steps(duration: i64, step: i64) -> i64 {
    match duration.wrapping_rem(step) {
        0 => duration,
        rest => duration.wrapping_add(step.wrapping_sub(rest)),
    }
}

/// `Math.round` of a double: to the nearest, halves up.
pub(super) fn round(value: f64) -> i64 {
    let below = value.floor();
    f64_to_i64(if value - below >= 0.5 { below + 1.0 } else { below })
}

/// Java's cast of a long to an int: the lower half.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
pub(super) fn low_int(value: i64) -> i32 {
    value as i32
}

/// Java's cast of a double to an int: saturating, what is no number is 0.
#[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted")]
pub(super) fn int(value: f64) -> i32 {
    value as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_java_s() {
        assert_eq!([0.5, -0.5, 1.5, -1.5, f64::NAN].map(round), [1, 0, 2, -1, 0]);
        assert_eq!(round(0.499_999_999_999_999_94), 0, "adding a half would make it 1");
        assert_eq!((up(-5, 10), down(-5, 10), whole_steps(-5, 10)), (0, 0, 10));
        assert_eq!((up(11, 10), down(19, 10), whole_steps(11, 10)), (20, 10, 20));
        assert_eq!(low_int((1 << 32) + 7), 7);
    }
}
