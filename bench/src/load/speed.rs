//! How much faster than in its trace a load plays.

use std::fmt;
use std::str::FromStr;

const LEAST: f64 = 0.001;
const MOST: f64 = 100_000.0;

/// A factor by which all times of a trace are divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(f64);

impl Speed {
    pub(crate) fn factor(self) -> f64 {
        self.0
    }

    /// Milliseconds of the trace as nanoseconds of the run.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a century at most, and not negative")]
    pub(super) fn to_ns(self, trace_ms: f64) -> u64 {
        const CENTURY_NS: f64 = 3.2e18;
        (trace_ms * 1e6 / self.0).clamp(0.0, CENTURY_NS) as u64
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", self.0)
    }
}

impl FromStr for Speed {
    type Err = String;

    /// # Errors
    /// Whatever is no factor, with what would be one.
    fn from_str(text: &str) -> Result<Speed, String> {
        let number = text.strip_suffix(['x', 'X']).unwrap_or(text);
        match number.parse::<f64>() {
            Ok(factor) if (LEAST..=MOST).contains(&factor) => Ok(Speed(factor)),
            _ => Err(format!("a speed is a number from {LEAST} to {MOST}, for example 10x, 10 or 0.5x")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_positive_factor() {
        for (text, factor, shown) in
            [("10x", 10.0, "10x"), ("10", 10.0, "10x"), ("0.5x", 0.5, "0.5x"), ("2X", 2.0, "2x")]
        {
            let speed: Speed = text.parse().unwrap();
            assert_eq!((speed.factor(), speed.to_string().as_str()), (factor, shown));
        }
        for wrong in ["0", "0x", "-1", "-2x", "NaN", "nanx", "inf", "fast", "", "x", "10xx", "10 times", "1e9"] {
            let said = wrong.parse::<Speed>().unwrap_err();
            assert!(said.contains("for example 10x, 10 or 0.5x"), "{wrong}: {said}");
        }
    }

    #[test]
    fn times_are_divided() {
        let speed = |text: &str| text.parse::<Speed>().unwrap();
        assert_eq!(speed("10x").to_ns(20_000.0), 2_000_000_000);
        assert_eq!(speed("0.5x").to_ns(1.0), 2_000_000);
        assert_eq!(speed("0.001").to_ns(f64::MAX), 3_200_000_000_000_000_000);
    }
}
