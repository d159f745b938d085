//! Queue names: trimming, the optional `root.`, what may be asked for.
//!
//! Follows rules/configuration.md 3.4 and 6.3; Hadoop's `FairSchedulerUtilities`.

/// The top of the queue tree.
pub const ROOT: &str = "root";

/// Trims white space in the wide sense of queue names: Unicode's, not only the characters up to U+0020.
///
/// ```
/// assert_eq!(evenweave::config::trim_java("\u{3000}a\u{a0}"), "a");
/// ```
#[must_use]
pub fn trim_java(text: &str) -> &str {
    text.trim_matches(|c: char| {
        matches!(
            c,
            '\u{9}'..='\u{d}'
                | '\u{20}'
                | '\u{85}'
                | '\u{a0}'
                | '\u{1680}'
                | '\u{2000}'..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
        )
    })
}

/// The full name: `root.` is put in front unless the name is `root` or starts with `root.`.
///
/// ```
/// assert_eq!(evenweave::config::rooted("a.b"), "root.a.b");
/// assert_eq!(evenweave::config::rooted("rootx"), "root.rootx");
/// ```
#[must_use]
pub fn rooted(name: &str) -> String {
    if name == ROOT || name.starts_with("root.") { name.to_owned() } else { format!("{ROOT}.{name}") }
}

/// Whether an application may ask for this name: trimmed, no dot at either end.
#[must_use]
pub fn valid_requested_name(name: &str) -> bool {
    name == trim_java(name) && !name.starts_with('.') && !name.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zero_width_space_is_no_space() {
        assert_eq!(trim_java("a\u{200b}"), "a\u{200b}");
        assert_eq!(trim_java("\u{85}c"), "c");
    }

    #[test]
    fn requested_names() {
        assert!(valid_requested_name("a..b"));
        assert!(valid_requested_name(""));
        for bad in [" a", "a ", ".a", "a."] {
            assert!(!valid_requested_name(bad), "{bad}");
        }
    }
}
