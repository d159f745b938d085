//! Units of resource types, as YARN's `UnitsConversionUtil`.

/// A known unit prefix: `p n u m (none) k M G T P Ki Mi Gi Ti Pi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    numerator: i64,
    denominator: i64,
}

/// The text is not a unit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0:?} is not a unit; known are p n u m k M G T P Ki Mi Gi Ti Pi and none")]
#[non_exhaustive]
pub struct UnitError(pub String);

impl Unit {
    /// `Mi`.
    #[doc(hidden)]
    pub const MEBI: Unit = Unit { numerator: 1 << 20, denominator: 1 };
    /// `Gi`.
    #[doc(hidden)]
    pub const GIBI: Unit = Unit { numerator: 1 << 30, denominator: 1 };
    /// No prefix.
    #[doc(hidden)]
    pub const ONE: Unit = Unit { numerator: 1, denominator: 1 };

    /// Reads a unit; the empty text is the unit one.
    ///
    /// # Errors
    /// When the text is none of the known units.
    pub fn parse(text: &str) -> Result<Unit, UnitError> {
        let (numerator, denominator) = match text {
            "p" => (1, 1_000_000_000_000),
            "n" => (1, 1_000_000_000),
            "u" => (1, 1_000_000),
            "m" => (1, 1_000),
            "" => (1, 1),
            "k" => (1_000, 1),
            "M" => (1_000_000, 1),
            "G" => (1_000_000_000, 1),
            "T" => (1_000_000_000_000, 1),
            "P" => (1_000_000_000_000_000, 1),
            "Ki" => (1 << 10, 1),
            "Mi" => (1 << 20, 1),
            "Gi" => (1 << 30, 1),
            "Ti" => (1 << 40, 1),
            "Pi" => (1 << 50, 1),
            _ => return Err(UnitError(text.to_owned())),
        };
        Ok(Unit { numerator, denominator })
    }

    /// `amount` of this unit in another, in integer arithmetic; `None` when it does not fit 64 bits.
    ///
    /// ```
    /// use evenweave::resource::Unit;
    /// let (gi, mi) = (Unit::parse("Gi").unwrap(), Unit::parse("Mi").unwrap());
    /// assert_eq!(gi.convert(2, mi), Some(2048));
    /// ```
    #[must_use]
    pub fn convert(self, amount: i64, to: Unit) -> Option<i64> {
        let numerator = i128::from(amount) * i128::from(self.numerator) * i128::from(to.denominator);
        i64::try_from(numerator / (i128::from(self.denominator) * i128::from(to.numerator))).ok()
    }

    /// `amount` of this unit in another as `UnitsConversionUtil.convert` computes it: in 64 bits throughout, so that
    /// very large amounts lose digits, and `None` where it gives up.
    #[doc(hidden)]
    pub fn convert_in_64_bits(self, amount: i64, to: Unit) -> Option<i64> {
        if self == to {
            return Some(amount);
        }
        let numerator = self.numerator.wrapping_mul(to.denominator);
        let denominator = self.denominator.wrapping_mul(to.numerator);
        let most = i64::MAX.checked_div(numerator)?;
        if numerator < denominator {
            return (most >= amount).then(|| amount.wrapping_mul(numerator) / denominator);
        }
        if most > amount {
            return numerator.wrapping_mul(amount).checked_div(denominator);
        }
        let times = numerator.checked_div(denominator)?;
        (i64::MAX.checked_div(times)? >= amount).then(|| amount.wrapping_mul(times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_in_64_bits_loses_digits_of_very_large_amounts() {
        let unit = |text| Unit::parse(text).unwrap();
        let (g, mi) = (unit("G"), unit("Mi"));
        assert_eq!(g.convert_in_64_bits(20, mi), Some(19_073));
        assert_eq!(g.convert_in_64_bits(10_000_000_000, mi), Some(9_530_000_000_000));
        assert_eq!(unit("m").convert_in_64_bits(-5, mi), Some(0));
        assert_eq!(unit("k").convert_in_64_bits(i64::MAX / 999, mi), None);
        assert_eq!(unit("Pi").convert_in_64_bits(i64::MAX, mi), None);
    }
}
