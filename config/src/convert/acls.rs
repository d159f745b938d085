//! Access lists: every queue element's, whether its queue was made or not.

use super::property_prefixes::of_queue;
use crate::allocation_file::Outline;
use crate::java;
use crate::names::ROOT;
use std::collections::BTreeMap;

const NAMES: [&str; 2] = ["acl_submit_applications", "acl_administer_queue"];

/// Sets the lists. Nobody is not written, which for root is as good as everybody; `nobody_at_root` writes it there.
pub(super) fn set(outline: &Outline, nobody_at_root: bool, out: &mut BTreeMap<String, String>) {
    for (queue, texts) in &outline.acls {
        for (name, list) in NAMES.into_iter().zip(texts) {
            let written = match list {
                Some(text) => written(text),
                None => (queue == ROOT).then(|| "*".to_owned()),
            };
            let nobody = || (nobody_at_root && queue == ROOT).then(|| " ".to_owned());
            if let Some(written) = written.or_else(nobody) {
                out.insert(of_queue(queue, name), written);
            }
        }
    }
}

/// A list as Hadoop writes it, in the order in which it was read; none for nobody.
fn written(text: &str) -> Option<String> {
    let (users, groups) = text.split_once(' ').unwrap_or((text, ""));
    if [users, groups].iter().any(|part| java::trim(part) == "*") {
        return Some("*".to_owned());
    }
    let [users, groups] = [users, groups].map(names);
    (!users.is_empty() || !groups.is_empty()).then(|| format!("{} {}", users.join(","), groups.join(",")))
}

/// The names of a part, each once.
fn names(part: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    names.extend(part.split([',', '\n']).map(java::trim).filter(|name| !name.is_empty() && seen.insert(*name)));
    names
}

/// Whether a root element allows nobody, by right.
pub(super) fn nobody_at_root(outline: &Outline) -> [bool; 2] {
    let lists = outline.acls.get(ROOT);
    [0, 1].map(|right| lists.and_then(|lists| lists[right].as_deref()).is_some_and(|text| written(text).is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order() {
        for (text, expected) in [
            ("al,bo dev,ops", Some("al,bo dev,ops")),
            ("bo, al", Some("bo al")),
            (" dev", Some(" dev")),
            ("al,,al\nbo", Some("al,bo ")),
            ("al , bo", Some("al bo")),
            ("*,al", Some("*,al ")),
            ("al *", Some("*")),
            (" ", None),
            (",", None),
        ] {
            assert_eq!(written(text).as_deref(), expected, "{text:?}");
        }
    }
}
