//! Text and numbers as the Java library reads them.
//!
//! `String.trim`, `Integer.parseInt`, `Long.parseLong`, `Double.parseDouble`, `Math.min` and `Math.max`: where they
//! differ from Rust's, a value accepted by one would be refused by the other.

/// `String.trim`: characters up to U+0020 at both ends.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// `StringUtils.getTrimmedStrings`: parts between commas or line ends, trimmed. White space around a comma belongs to
/// it, line ends included; empty parts at the end are left out.
pub(super) fn split_trimmed(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    for part in trim(text).split(',').map(|part| part.trim_matches(is_space)) {
        let lines = part.split('\n').map(|line| line.trim_matches(is_space));
        parts.extend(lines.filter(|line| part.is_empty() || !line.is_empty()));
    }
    while parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    parts
}

/// `String.equalsIgnoreCase`: one character to one, first in upper case, then, for Georgian, in lower case.
pub fn equals_ignore_case(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.chars(), b.chars());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || upper(a) == upper(b) || lower(upper(a)) == lower(upper(b)) => {}
            _ => return false,
        }
    }
}

/// A character whose other case is several characters has none in Java.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(c)
}

fn lower(c: char) -> char {
    if c == '\u{130}' {
        return 'i';
    }
    let mut lower = c.to_lowercase();
    lower.next().filter(|_| lower.next().is_none()).unwrap_or(c)
}

/// Whether a regular expression's `\s` matches.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// The zeros of the decimal digits that fit one UTF-16 unit, `Character.digit` in Java 17.
const ZEROS: [u32; 36] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xFF10,
];

fn digit(c: char, radix: u32) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(radix);
    }
    ZEROS.iter().find_map(|zero| (u32::from(c)).checked_sub(*zero).filter(|value| *value < 10))
}

/// `Long.parseLong` with a radix: one sign, then digits of any script; no white space.
pub(super) fn parse_long_radix(text: &str, radix: u32) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    // Counted downwards, so that the smallest value has room.
    let mut value = 0_i64;
    for c in digits.chars() {
        value = value.checked_mul(i64::from(radix))?.checked_sub(i64::from(digit(c, radix)?))?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

/// `Long.parseLong`.
pub(super) fn parse_long(text: &str) -> Option<i64> {
    parse_long_radix(text, 10)
}

/// `Integer.parseInt`.
pub(super) fn parse_int(text: &str) -> Option<i32> {
    i32::try_from(parse_long(text)?).ok()
}

/// `Long.intValue`: the lower 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "that is what it does")]
pub(super) fn int_value(value: i64) -> i32 {
    value as i32
}

/// What a text means to `Float.parseFloat` and `Double.parseDouble`, before it is rounded to either.
enum Real<'a> {
    Known(f64),
    Decimal(&'a str),
}

fn parse_real(text: &str) -> Option<Real<'_>> {
    let text = trim(text);
    let (sign, bare) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match bare {
        "NaN" => return Some(Real::Known(f64::NAN)),
        "Infinity" => return Some(Real::Known(sign * f64::INFINITY)),
        _ => {}
    }
    if let Some(hex) = bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        let hex = hex.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(hex);
        return Some(Real::Known(sign * parse_hex_real(hex)?));
    }
    let decimal = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    // Rust also knows "inf" and "nan", which Java does not.
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
    decimal.chars().all(plain).then_some(Real::Decimal(decimal))
}

/// `digits[.digits]p[sign]exponent` in base 16, exact for up to 13 significant digits.
fn parse_hex_real(text: &str) -> Option<f64> {
    let at = text.find(['p', 'P'])?;
    let (digits, power) = (&text[..at], &text[at + 1..]);
    let unsigned = power.strip_prefix(['-', '+']).unwrap_or(power);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut exponent = power.parse::<i64>().unwrap_or(if power.starts_with('-') { -100_000 } else { 100_000 });
    let (mut mantissa, mut seen, mut fraction) = (0_u64, false, false);
    for c in digits.chars() {
        if c == '.' && !fraction {
            fraction = true;
            continue;
        }
        let value = u64::from(c.to_digit(16)?);
        seen = true;
        if mantissa < 1 << 58 {
            mantissa = mantissa << 4 | value;
            exponent = exponent.saturating_sub(if fraction { 4 } else { 0 });
        } else {
            mantissa |= u64::from(value != 0);
            exponent = exponent.saturating_add(if fraction { 0 } else { 4 });
        }
    }
    let half = i32::try_from((exponent / 2).clamp(-2000, 2000)).ok()?;
    let rest = i32::try_from((exponent - exponent / 2).clamp(-2000, 2000)).ok()?;
    seen.then(|| if mantissa == 0 { 0.0 } else { mantissa as f64 * 2_f64.powi(half) * 2_f64.powi(rest) })
}

/// `Double.parseDouble`.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    match parse_real(text)? {
        Real::Known(value) => Some(value),
        Real::Decimal(text) => text.parse().ok(),
    }
}

/// `Float.parseFloat`: rounded once, from the text.
pub(super) fn parse_float(text: &str) -> Option<f32> {
    match parse_real(text)? {
        Real::Known(value) => Some(narrow(value)),
        Real::Decimal(text) => text.parse().ok(),
    }
}

/// Java's cast of a double to a float.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
pub fn narrow(value: f64) -> f32 {
    value as f32
}

/// `Math.min`: NaN wins.
pub(super) fn min(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::NAN } else { a.min(b) }
}

/// `value` clamped to `[0, 1]` with `Math.min` and `Math.max`: NaN stays.
pub(super) fn clamp_to_one(value: f32) -> f32 {
    if value.is_nan() {
        return value;
    }
    // Not `clamp`: it would keep -0.0, where Math.max gives 0.0.
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// `Math.max`: NaN wins.
pub(super) fn max(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::NAN } else { a.max(b) }
}

/// Java's cast of a float to an int: NaN is 0, out of range saturates. Rust's `as` does exactly this.
#[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted")]
pub fn float_to_int(value: f32) -> i32 {
    value as i32
}

/// Java's cast of a float to a long, as above.
#[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted")]
pub fn float_to_long(value: f32) -> i64 {
    value as i64
}

/// `Math.round` of a double: to the nearest, halves up.
pub(super) fn round(value: f64) -> f64 {
    let below = value.floor();
    let nearest = if value - below >= 0.5 { below + 1.0 } else { below };
    evenweave_resource::f64_to_i64(nearest) as f64
}

/// `Float.toString`, except that it is always the shortest text that gives the number back.
pub(super) fn float_text(value: f32) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() { "NaN".to_owned() } else { format!("{value}").replace("inf", "Infinity") };
    }
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

/// `String.split` at one character: empty parts at the end do not count.
pub(super) fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts: Vec<&str> = text.split(at).collect();
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_ignored_one_character_to_one() {
        for (a, b) in [("root.AL", "root.al"), ("\u{c9}", "\u{e9}"), ("\u{130}", "I"), ("\u{10d0}", "\u{1c90}")] {
            assert!(equals_ignore_case(a, b), "{a} {b}");
        }
        for (a, b) in [("a", "ab"), ("\u{df}", "SS"), ("\u{df}", "ss"), ("a", "b")] {
            assert!(!equals_ignore_case(a, b), "{a} {b}");
        }
    }

    #[test]
    fn integers_take_one_sign_and_digits_of_any_script() {
        assert_eq!(parse_int("+5"), Some(5));
        assert_eq!(parse_int("\u{ff15}"), Some(5));
        assert_eq!(parse_long("-9223372036854775808"), Some(i64::MIN));
        for bad in ["", "+", "--5", " 5", "5L", "1_0", "2147483648", "9223372036854775808"] {
            assert_eq!(parse_int(bad), None, "{bad}");
        }
        assert_eq!(parse_long("9223372036854775808"), None);
    }

    #[test]
    fn lists_lose_empty_parts_at_the_end_alone() {
        assert_eq!(split_trimmed(" a , b\n c,, "), ["a", "b", "c"]);
        assert_eq!(split_trimmed(",a"), ["", "a"]);
        assert_eq!(split_trimmed("a\n\n ,\n b"), ["a", "b"]);
        assert_eq!(split_trimmed("a,\n,b"), ["a", "", "b"]);
        assert!(split_trimmed(" , ").is_empty());
        assert_eq!(int_value(3_000_000_000), -1_294_967_296);
    }

    #[test]
    fn reals_are_javas() {
        assert_eq!(parse_double(" 5. "), Some(5.0));
        assert_eq!(parse_double("0x1p3"), Some(8.0));
        assert_eq!(parse_double("0x.8p1"), Some(1.0));
        assert_eq!(parse_double("1.0f"), Some(1.0));
        assert_eq!(parse_double("-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_double("0x1p99999999999999"), Some(f64::INFINITY));
        assert_eq!(parse_double("0x.1p-9223372036854775808"), Some(0.0));
        assert_eq!(parse_double("0x11111111111111111p9223372036854775807"), Some(f64::INFINITY));
        for bad in ["", "inf", "nan", "10L", "1,5", "0x10", ".", "1e", "\u{ff15}"] {
            assert!(parse_double(bad).is_none(), "{bad}");
        }
        assert!(min(f32::NAN, 1.0).is_nan());
        assert!(clamp_to_one(-0.0).is_sign_positive());
    }

    #[test]
    fn halves_are_rounded_up() {
        assert_eq!([2.5, -2.5, 0.499_999_999_999_999_94, f64::NAN].map(round), [3.0, -2.0, 0.0, 0.0]);
    }

    #[test]
    fn floats_print_as_in_java() {
        let texts = [110.0, 1.000_600_1, -5.0, 1e7, 2.5e-4, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(float_text);
        assert_eq!(texts, ["110.0", "1.0006001", "-5.0", "1.0E7", "2.5E-4", "Infinity", "-Infinity", "NaN"]);
    }
}
