//! Numbers of 32 bits as Java prints them.

/// As `Float.toString`: shortest digits that read back, at least one behind the point; an exponent below a thousandth
/// and from ten millions on.
pub(crate) fn float(of: f32) -> String {
    let size = of.abs();
    if of.is_nan() {
        return "NaN".to_owned();
    }
    if of.is_infinite() {
        return if of > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{of:?}");
    }
    let text = format!("{of:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        Some((digits, exponent)) => format!("{digits}E{exponent}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_look_as_java_has_them() {
        let cases = [
            (0.0, "0.0"),
            (25.0, "25.0"),
            (60.000_004, "60.000004"),
            (0.001, "0.001"),
            (9.999e-4, "9.999E-4"),
            (1e-5, "1.0E-5"),
            (1e7, "1.0E7"),
            (9_999_999.0, "9999999.0"),
            (f32::NAN, "NaN"),
            (f32::NEG_INFINITY, "-Infinity"),
        ];
        for (of, text) in cases {
            assert_eq!(float(of), text);
        }
    }
}
