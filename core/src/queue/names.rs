//! Names of queues: what is above one, and in which order Java has them.

/// The queues above a name, nearest first.
pub(crate) fn above(name: &str) -> impl Iterator<Item = &str> + Clone {
    std::iter::successors(name.rsplit_once('.').map(|(up, _)| up), |at| at.rsplit_once('.').map(|(up, _)| up))
}

/// UTF-16 order, in which Java compares names; the same as by bytes, but for characters beyond the basic plane.
pub(crate) fn java_name_order(a: &str, b: &str) -> std::cmp::Ordering {
    // Only what lies beyond the basic plane sorts otherwise by bytes, and its bytes begin with 0xf0 or more.
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        Some((first, second)) if first.max(second) >= 0xf0 => a.encode_utf16().cmp(b.encode_utf16()),
        Some((first, second)) => first.cmp(&second),
        None => a.len().cmp(&b.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::java_name_order;
    use proptest::prelude::*;

    proptest! {
        /// Names that share a beginning, of characters around the places where the two orders part.
        #[test]
        fn names_are_in_the_order_of_utf_16(
            a in "[a\u{e9}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,3}",
            b in "[a\u{e9}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,3}",
        ) {
            prop_assert_eq!(java_name_order(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }
    }
}
