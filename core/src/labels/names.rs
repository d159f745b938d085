//! Names of labels, as they are written.

/// A name without what does not count: characters up to a blank at its ends, as Java's `String.trim` has it.
pub(crate) fn trim(name: &str) -> &str {
    name.trim_matches(|c| c <= ' ')
}

#[cfg(test)]
mod tests {
    use super::trim;

    #[test]
    fn blanks_and_controls_do_not_count_and_other_spaces_do() {
        assert_eq!(trim(" \u{1}\tgpu\n "), "gpu");
        assert_eq!(trim("\u{a0}gpu"), "\u{a0}gpu");
    }
}
