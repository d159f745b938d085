//! How figures are written.

/// `1234567.8` as `1,234,568`.
#[must_use]
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    if value < 0.0 && digits != "0" {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Microseconds with as many digits as are worth reading: `0.42 µs`, `37 µs`, `1.9 ms`.
pub fn micros(us: f64) -> String {
    if us < 10.0 {
        format!("{us:.2} µs")
    } else if us < 1_000.0 {
        format!("{us:.0} µs")
    } else if us < 1e6 {
        format!("{:.1} ms", us / 1e3)
    } else {
        format!("{:.2} s", us / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567.8), "1,234,568");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(-1000.0), "-1,000");
        assert_eq!(micros(0.4213), "0.42 µs");
        assert_eq!(micros(37.2), "37 µs");
        assert_eq!(micros(1_912.0), "1.9 ms");
    }
}
