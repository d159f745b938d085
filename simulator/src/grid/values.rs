//! The values of an axis as they are written on a command line.

/// More values than these are a mistake.
const MOST: usize = 1000;

/// `1,2,4`, `1..8`, `0.5..2/0.5`, `10%..50%/10`; where a value has commas, `|` stands between them.
///
/// # Errors
/// What is wrong, and what would be right.
pub(super) fn values(text: &str) -> Result<Vec<String>, String> {
    let separator = if text.contains('|') { '|' } else { ',' };
    let mut list = Vec::new();
    for part in text.split(separator).map(str::trim) {
        if part.is_empty() {
            return Err("there is an empty value; write values as in 1,2,4 or 1..8".to_owned());
        }
        match part.split_once("..") {
            Some((from, to)) => range(part, from, to, &mut list)?,
            None => list.push(part.to_owned()),
        }
        if list.len() > MOST {
            return Err(format!("there are more than {MOST} values; give fewer, or a longer step as in 0..1000/50"));
        }
    }
    Ok(list)
}

/// A number and what stands behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim()))
}

fn range(whole: &str, from: &str, to: &str, list: &mut Vec<String>) -> Result<(), String> {
    let (to, step) = to.split_once('/').map_or((to, None), |(to, step)| (to, Some(step)));
    let wrong = || format!("{whole} is no range; write FROM..TO or FROM..TO/STEP, such as 1..8 or 10%..50%/10");
    let ((from, unit), (to, same)) = split(from).zip(split(to)).ok_or_else(wrong)?;
    let step = step.map_or(Some((1.0, "")), split).filter(|(_, behind)| behind.is_empty() || *behind == same);
    let (step, _) = step.ok_or_else(wrong)?;
    if step.is_nan() || step <= 0.0 || (unit != same && !unit.is_empty()) || same.contains(|c: char| c.is_ascii_digit())
    {
        return Err(wrong());
    }
    // Half a thousandth of a step more, as steps such as 0.1 are not exact.
    let steps = ((to - from).abs() / step + 0.0005).floor();
    if !(0.0..MOST as f64).contains(&steps) {
        return Err(format!("{whole} has more than {MOST} values; give a longer step, as in 0..1000/50"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range as said above")]
    let steps = steps as u32;
    let signed = if to < from { -step } else { step };
    list.extend((0..=steps).map(|index| {
        let value = from + f64::from(index) * signed;
        format!("{}{same}", (value * 1e9).round() / 1e9)
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        let of = |text: &str| values(text).unwrap().join(" ");
        assert_eq!(of("1..4"), "1 2 3 4");
        assert_eq!(of("0.1..0.3/0.1,5"), "0.1 0.2 0.3 5");
        assert_eq!(of("30..10/10"), "30 20 10");
        assert_eq!(of("1w..3w"), "1w 2w 3w");
        assert_eq!(of("10%..20%/10%"), "10% 20%");
        assert_eq!(of("1024 mb, 1 vcores|2048 mb, 2 vcores"), "1024 mb, 1 vcores 2048 mb, 2 vcores");
    }

    #[test]
    fn what_is_no_range_is_told() {
        for (text, said) in [
            ("a..b", "a..b is no range; write FROM..TO"),
            ("1..8/0", "1..8/0 is no range"),
            ("1..8/-1", "1..8/-1 is no range"),
            ("1w..8x", "1w..8x is no range"),
            ("1..1e9", "1..1e9 is no range"),
            ("1..9999", "1..9999 has more than 1000 values"),
            ("1,,2", "there is an empty value"),
            ("", "there is an empty value"),
        ] {
            let found = values(text).map(|list| list.join(" "));
            assert!(found.as_ref().is_err_and(|error| error.starts_with(said)), "{text}: {found:?}");
        }
    }
}
