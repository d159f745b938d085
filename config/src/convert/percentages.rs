//! Weights of siblings as percentages with three decimals.
//!
//! Hadoop's `WeightToPercentConverter`, which reckons in decimals; here thousandths of a percent are whole numbers.

use super::error::{ConvertError, JavaException};

/// The whole in thousandths of a percent.
const HUNDRED: i128 = 100_000;

/// What becomes of the weights of the children of one queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Percentages {
    /// By child, in thousandths of a percent.
    pub(super) thousandths: Vec<i128>,
    /// All are 0, and that is to be allowed.
    pub(super) zero_sum: bool,
}

/// Converts; `order` is that of the table in which Hadoop keeps the children, by index.
///
/// # Errors
/// A weight that is no number, or has more than five decimals.
pub(super) fn percentages(weights: &[f32], order: &[usize]) -> Result<Percentages, ConvertError> {
    if weights.len() < 2 {
        return Ok(Percentages { thousandths: vec![HUNDRED; weights.len()], zero_sum: false });
    }
    let total = total(weights);
    let share = |weight: &f32| if total == 0 { Ok(0) } else { share(*weight, total) };
    let mut thousandths = weights.iter().map(share).collect::<Result<Vec<_>, _>>()?;
    let sum: i128 = thousandths.iter().sum();
    let mut zero_sum = false;
    if sum != HUNDRED {
        let largest = thousandths.iter().max().copied().unwrap_or_default();
        zero_sum = largest == 0;
        if let Some(first) = order.iter().find(|child| thousandths[**child] == largest).filter(|_| !zero_sum) {
            thousandths[*first] += HUNDRED - sum;
        }
    }
    Ok(Percentages { thousandths, zero_sum })
}

/// The sum, cut to an integer of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "that is what Hadoop does")]
fn total(weights: &[f32]) -> i32 {
    compensated_sum(weights) as i32
}

/// `DoubleStream.sum` of Java 17: Kahan's.
fn compensated_sum(weights: &[f32]) -> f64 {
    let (mut sum, mut compensation, mut simple) = (0.0_f64, 0.0_f64, 0.0_f64);
    for weight in weights.iter().copied().map(f64::from) {
        let value = weight - compensation;
        let next = sum + value;
        compensation = (next - sum) - value;
        sum = next;
        simple += weight;
    }
    let sum = sum - compensation;
    if sum.is_nan() && simple.is_infinite() { simple } else { sum }
}

/// A weight over the total, in hundred-thousandths, halves away from zero.
fn share(weight: f32, total: i32) -> Result<i128, ConvertError> {
    if !weight.is_finite() {
        return Err(ConvertError::fatal("Infinite or NaN"));
    }
    let bits = weight.to_bits();
    let (fraction, exponent) = (i128::from(bits & 0x7f_ffff), i32::from((bits >> 23 & 0xff) as u8));
    // The weight is `mantissa` times 2 to the power of `exponent`, exactly.
    let (mantissa, exponent) = if exponent == 0 { (fraction, -149) } else { (fraction | 0x80_0000, exponent - 150) };
    let scaled = mantissa * HUNDRED;
    let divisor = i128::from(total.unsigned_abs());
    // Below 2^41; what is shifted out must be zeros. Upwards at most 2^104: in two steps, so that nothing is lost.
    let (quotient, rest) = if exponent < 0 {
        let down = exponent.unsigned_abs();
        if scaled.trailing_zeros() < down && scaled != 0 {
            return Err(ConvertError::crash(vec![JavaException::new("ArithmeticException", "Rounding necessary")]));
        }
        let exact = if scaled == 0 { 0 } else { scaled >> down };
        (exact / divisor, exact % divisor)
    } else {
        let (first, second) = (exponent.min(80), exponent - exponent.min(80));
        let (high, carry) = ((scaled << first) / divisor, ((scaled << first) % divisor) << second);
        ((high << second) + carry / divisor, carry % divisor)
    };
    let rounded = quotient + i128::from(rest * 2 >= divisor);
    Ok(if (weight < 0.0) == (total < 0) { rounded } else { -rounded })
}

/// Three decimals, always.
pub(super) fn text(thousandths: i128) -> String {
    let (sign, size) = (if thousandths < 0 { "-" } else { "" }, thousandths.unsigned_abs());
    format!("{sign}{}.{:03}", size / 1000, size % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(weights: &[f32]) -> Vec<String> {
        let order: Vec<usize> = (0..weights.len()).collect();
        percentages(weights, &order).unwrap().thousandths.into_iter().map(text).collect()
    }

    #[test]
    fn the_references_table() {
        assert_eq!(written(&[1.0, 1.0, 1.0]), ["33.334", "33.333", "33.333"]);
        assert_eq!(written(&[3.0, 1.0]), ["75.000", "25.000"]);
        assert_eq!(written(&[1.5, 1.25, 0.125]), ["31.250", "62.500", "6.250"]);
        assert_eq!(written(&[0.5, 0.5, 0.75]), ["50.000", "50.000", "0.000"]);
        assert_eq!(written(&[7.0]), ["100.000"]);
        // Halves away from zero, and then one too much in all.
        assert_eq!(written(&[1.0, 63.0]), ["1.563", "98.437"]);
        assert!(written(&[]).is_empty());
        for weights in [[0.25, 0.5], [0.0, 0.0]] {
            let zero = percentages(&weights, &[0, 1]).unwrap();
            assert_eq!(zero, Percentages { thousandths: vec![0, 0], zero_sum: true });
        }
    }

    #[test]
    fn the_order_of_the_table_breaks_ties() {
        let found = percentages(&[1.0, 1.0, 1.0], &[2, 0, 1]).unwrap();
        assert_eq!(found.thousandths, [33_333, 33_333, 33_334]);
    }

    #[test]
    fn odd_weights() {
        assert!(percentages(&[0.3, 0.7], &[0, 1]).is_err());
        assert!(percentages(&[f32::INFINITY, 1.0], &[0, 1]).is_err());
        // Their sum counts as 0, and then nobody looks at the weights.
        assert_eq!(written(&[f32::NAN, 1.0]), ["0.000", "0.000"]);
        assert_eq!(written(&[-1.0, 5.0]), ["-25.000", "125.000"]);
        // The total ends at the largest integer of 32 bits.
        let huge = percentages(&[f32::MAX, 1.0], &[0, 1]).unwrap();
        assert_eq!(huge.thousandths.iter().sum::<i128>(), HUNDRED);
        assert_eq!(share(f32::MAX, i32::MAX).unwrap(), 15_845_631_565_758_268_137_894_890_497_600_000);
    }

    #[test]
    fn decimals_of_a_percent() {
        assert_eq!([0, 5, -12_500, 100_000].map(text), ["0.000", "0.005", "-12.500", "100.000"]);
    }
}
