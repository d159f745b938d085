//! Columns and decimals, as Java prints them.

/// `%{width}s`, right-aligned.
pub(super) fn columns(widths: &[usize], of: &[&str]) -> String {
    let cells = widths.iter().zip(of).map(|(width, text)| format!("{text:>width$}"));
    format!("{}\n", cells.collect::<Vec<_>>().join("\t"))
}

/// Java's `DecimalFormat("0.00")`.
pub(super) fn two_digits(of: f64) -> String {
    format!("{of:.2}")
}

/// Java's `DecimalFormat("#.00")`: nothing before the point where there is no whole part.
pub(super) fn at_most_one_whole(of: f64) -> String {
    let text = two_digits(of);
    match (text.strip_prefix("0."), text.strip_prefix("-0.")) {
        (Some(rest), _) => format!(".{rest}"),
        (_, Some(rest)) => format!("-.{rest}"),
        _ => text,
    }
}

/// Java's `DecimalFormat("###.##%")` of a part of a whole.
pub(super) fn percent(of: f64) -> String {
    let text = two_digits(of * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}%", if text == "-0" { "0" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_look_as_java_has_them() {
        assert_eq!([0.0, 0.5, 12.345, 100.0].map(at_most_one_whole), [".00", ".50", "12.35", "100.00"]);
        assert_eq!([0.0, 0.5, 0.33333, 1.0].map(percent), ["0%", "50%", "33.33%", "100%"]);
        assert_eq!(two_digits(0.125), "0.12");
    }

    #[test]
    fn columns_are_as_wide_as_hadoops() {
        assert_eq!(columns(&[4, 2], &["a", "long"]), "   a\tlong\n");
    }
}
