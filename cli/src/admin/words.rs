//! Options as Hadoop's tools take them: `-status NAME`, with one stroke or two, in any order.

use std::collections::BTreeMap;

/// The words of a tool.
#[derive(Debug)]
pub(super) struct Words<'a>(&'a [String]);

/// An option: its name without strokes, and how many values it takes.
pub(super) type Known = (&'static str, Values);

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    None,
    One,
    /// All up to the next option.
    Many,
    /// The same; commas in them are the caller's.
    Words,
}

/// What was said, by name.
#[derive(Debug, Default)]
pub(super) struct Chosen(BTreeMap<&'static str, Vec<String>>);

impl<'a> Words<'a> {
    pub(super) fn new(words: &'a [String]) -> Words<'a> {
        Words(words)
    }

    /// Reads them by what is known.
    ///
    /// # Errors
    /// A sentence, where one is not known, or lacks its value.
    pub(super) fn read(&self, known: &[Known]) -> Result<Chosen, String> {
        let mut said = Chosen::default();
        let mut rest = self.0.iter().peekable();
        while let Some(word) = rest.next() {
            let name = word.strip_prefix("--").or(word.strip_prefix('-')).unwrap_or_default();
            let Some((name, values)) = known.iter().find(|(other, _)| *other == name) else {
                let names: Vec<String> = known.iter().map(|(name, _)| format!("-{name}")).collect();
                return Err(format!("{word:?} is not known here; there are {}", names.join(", ")));
            };
            let mut found = Vec::new();
            let most = match values {
                Values::None => 0,
                Values::One => 1,
                Values::Many | Values::Words => usize::MAX,
            };
            while found.len() < most
                && let Some(value) =
                    rest.next_if(|next| !next.starts_with('-') || *values == Values::One && is_number(next))
            {
                found.push(value.clone());
            }
            if *values != Values::None && found.is_empty() {
                return Err(format!("-{name} needs a value"));
            }
            if said.0.insert(name, found).is_some() {
                return Err(format!("-{name} is there twice"));
            }
        }
        Ok(said)
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

impl Chosen {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Its first value.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.first().map(String::as_str)
    }

    /// All its values, as they are.
    pub(super) fn words(&self, name: &str) -> Vec<&str> {
        self.0.get(name).into_iter().flatten().map(String::as_str).collect()
    }

    /// All its values, those between commas too.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let values = self.0.get(name).into_iter().flatten();
        values.flat_map(|value| value.split(',')).map(str::trim).filter(|value| !value.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Known] = &[("list", Values::None), ("status", Values::One), ("kill", Values::Many)];

    fn read(words: &str) -> Result<Chosen, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Words::new(&words).read(KNOWN)
    }

    #[test]
    fn options_have_one_stroke_or_two() {
        let said = read("--kill a b,c -status -5 -list").expect("read");
        assert_eq!(
            (said.list("kill"), said.value("status"), said.has("list")),
            (vec!["a", "b", "c"], Some("-5"), true)
        );
    }

    #[test]
    fn what_is_not_known_is_told() {
        for (words, why) in
            [("status", "not known"), ("-status", "needs a value"), ("-list -list", "twice"), ("-x", "-kill")]
        {
            assert!(read(words).unwrap_err().contains(why), "{words}");
        }
    }
}
