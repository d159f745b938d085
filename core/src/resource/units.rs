//! Units of resource types, as YARN's `UnitsConversionUtil`.

/// A known unit prefix: `p n u m (none) k M G T P Ki Mi Gi Ti Pi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    numerator: i64,
    denominator: i64,
}

/// The text is no unit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0:?} is no unit; known are p n u m k M G T P Ki Mi Gi Ti Pi and none")]
pub struct UnitError(pub String);

impl Unit {
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
    /// use evenweave::Unit;
    /// let (gi, mi) = (Unit::parse("Gi").unwrap(), Unit::parse("Mi").unwrap());
    /// assert_eq!(gi.convert(2, mi), Some(2048));
    /// ```
    #[must_use]
    pub fn convert(self, amount: i64, to: Unit) -> Option<i64> {
        let numerator = i128::from(amount) * i128::from(self.numerator) * i128::from(to.denominator);
        i64::try_from(numerator / (i128::from(self.denominator) * i128::from(to.numerator))).ok()
    }
}
