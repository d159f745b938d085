//! Numbers of a body as Java's XML binding reads them: what is none counts as 0, and nobody is told.

/// What XML takes for blank.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// One of 64 bits: blanks around it do not count.
pub(super) fn long(text: Option<&str>) -> i64 {
    text.and_then(|text| text.trim_matches(is_blank).parse().ok()).unwrap_or(0)
}

/// One of 32 bits: blanks and `+` do not count wherever they stand, a `-` does, and what is too large wraps.
pub(super) fn int(text: Option<&str>) -> i32 {
    let (mut number, mut sign, mut is_there) = (0_i32, 1, false);
    for letter in text.unwrap_or_default().chars() {
        if let Some(digit) = letter.to_digit(10) {
            number = number.wrapping_mul(10).wrapping_add_unsigned(digit);
            is_there = true;
        } else if letter == '-' {
            sign = -1;
        } else if letter != '+' && !is_blank(letter) {
            return 0;
        }
    }
    if is_there { number.wrapping_mul(sign) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_binding_reads_them() {
        for (text, as_long, as_int) in [
            ("512", 512, 512),
            (" -512\n", -512, -512),
            ("+512", 512, 512),
            ("5 1 2", 0, 512),
            ("5-", 0, -5),
            ("+-5", 0, -5),
            ("512.0", 0, 0),
            ("1e3", 0, 0),
            ("0x10", 0, 0),
            ("", 0, 0),
            ("-", 0, 0),
            ("true", 0, 0),
            ("\u{665}", 0, 0),
            ("4294967808", 4_294_967_808, 512),
            ("9223372036854775808", 0, 0),
        ] {
            assert_eq!((long(Some(text)), int(Some(text))), (as_long, as_int), "{text:?}");
        }
        assert_eq!((long(None), int(None)), (0, 0));
    }
}
