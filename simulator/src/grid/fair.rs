//! An allocation file with one element of a queue changed: the text stays as it is but for that element.

use std::collections::BTreeSet;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};

/// The elements of a queue that hold one value.
const SETTINGS: [&str; 12] = [
    "allowPreemptionFrom",
    "fairSharePreemptionThreshold",
    "fairSharePreemptionTimeout",
    "maxAMShare",
    "maxChildResources",
    "maxContainerAllocation",
    "maxResources",
    "maxRunningApps",
    "minResources",
    "minSharePreemptionTimeout",
    "schedulingPolicy",
    "weight",
];

/// Where a queue stands in the text.
struct Found {
    /// What is between its tags; nothing of one without an end tag.
    inside: Range<usize>,
    /// The whole of `<queue .../>`.
    alone: Option<Range<usize>>,
    /// What is between the tags of the element, where it has it.
    element: Option<Range<usize>>,
}

/// The text with an element set, `path` being `QUEUE.ELEMENT`.
///
/// # Errors
/// A queue that the file does not have, or another element.
pub(super) fn with(text: &str, path: &str, value: &str) -> Result<String, String> {
    let (queue, element) = path.rsplit_once('.').unwrap_or(("root", path));
    if !SETTINGS.contains(&element) {
        return Err(format!("a queue has no setting {element:?}; it has {}", SETTINGS.join(", ")));
    }
    let (found, names) = find(text, queue, element)?;
    let found = found.ok_or_else(|| {
        let names: Vec<String> = names.into_iter().collect();
        format!("there is no <queue> for {queue:?}; the file has {}", names.join(", "))
    })?;
    let value = escape(value);
    let whole = format!("<{element}>{value}</{element}>");
    Ok(match found {
        Found { element: Some(range), .. } => replaced(text, range, &value),
        Found { alone: Some(range), .. } => {
            let tag = text[range.clone()].trim_end_matches("/>");
            // `pool` is an older word for it.
            let name = if tag.starts_with("<pool") { "pool" } else { "queue" };
            replaced(text, range, &format!("{}>{whole}</{name}>", tag.trim_end()))
        }
        Found { inside, .. } => replaced(text, inside.end..inside.end, &whole),
    })
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// The full name of a queue within another.
fn named(parent: Option<&str>, tag: &BytesStart<'_>) -> Option<String> {
    if !matches!(tag.name().as_ref(), b"queue" | b"pool") {
        return None;
    }
    let attribute = tag.try_get_attribute("name").ok()??;
    let name = String::from_utf8_lossy(&attribute.value).trim().to_owned();
    Some(match parent {
        None if name == "root" => name,
        None => format!("root.{name}"),
        Some(parent) => format!("{parent}.{name}"),
    })
}

/// The last queue of a name, and the names of all.
fn find(text: &str, queue: &str, element: &str) -> Result<(Option<Found>, BTreeSet<String>), String> {
    let mut reader = Reader::from_str(text);
    let (mut names, mut found) = (BTreeSet::new(), None);
    // Open elements: the queue that each is, and where what is inside it begins.
    let mut open: Vec<(Option<String>, usize)> = Vec::new();
    let mut here: Option<Range<usize>> = None;
    loop {
        let before = position(&reader);
        let event = reader.read_event().map_err(|error| format!("it is no XML: {error}"))?;
        let after = position(&reader);
        let parent = open.iter().rev().find_map(|(name, _)| name.clone());
        // The element is one of the queue itself.
        let ours = open.last().is_some_and(|(name, _)| name.as_deref() == Some(queue));
        match event {
            Event::Start(tag) => {
                let name = named(parent.as_deref(), &tag);
                names.extend(name.clone());
                if ours && tag.name().as_ref() == element.as_bytes() {
                    here = Some(after..after);
                }
                open.push((name, after));
            }
            Event::Empty(tag) => {
                let name = named(parent.as_deref(), &tag);
                names.extend(name.clone());
                if name.as_deref() == Some(queue) {
                    found = Some(Found { inside: after..after, alone: Some(before..after), element: None });
                }
            }
            Event::End(tag) => {
                let Some((name, start)) = open.pop() else { continue };
                let within = open.last().is_some_and(|(name, _)| name.as_deref() == Some(queue));
                if within && tag.name().as_ref() == element.as_bytes() {
                    here = here.map(|range| range.start..before);
                }
                if name.as_deref() == Some(queue) {
                    found = Some(Found { inside: start..before, alone: None, element: here.take() });
                }
            }
            Event::Eof => return Ok((found, names)),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<?xml version=\"1.0\"?>\n<allocations>\n <queue name=\"root\"><weight>9</weight>\n  <!-- <weight> -->\n  \
                        <queue name=\"a\"><queue name=\"b\"><weight>1.0</weight></queue></queue>\n  <pool name=\"c\" />\n </queue>\n</allocations>";

    fn changed(path: &str, value: &str) -> String {
        let text = with(TEXT, path, value).unwrap();
        let (before, after): (Vec<&str>, Vec<&str>) = (TEXT.lines().collect(), text.lines().collect());
        let other: Vec<&str> = after.iter().zip(&before).filter(|(a, b)| a != b).map(|(a, _)| a.trim()).collect();
        other.join("\n")
    }

    #[test]
    fn an_element_is_replaced_or_put_in() {
        assert_eq!(
            changed("root.a.b.weight", "2"),
            "<queue name=\"a\"><queue name=\"b\"><weight>2</weight></queue></queue>"
        );
        assert_eq!(changed("root.weight", "2"), "<queue name=\"root\"><weight>2</weight>");
        assert_eq!(
            changed("root.a.weight", "<2>"),
            "<queue name=\"a\"><queue name=\"b\"><weight>1.0</weight></queue><weight>&lt;2&gt;</weight></queue>"
        );
        assert_eq!(changed("root.c.maxAMShare", "0.1"), "<pool name=\"c\"><maxAMShare>0.1</maxAMShare></pool>");
    }

    #[test]
    fn a_queue_or_a_setting_that_is_none_is_told_with_those_there_are() {
        let said = with(TEXT, "root.d.weight", "1").unwrap_err();
        assert_eq!(said, "there is no <queue> for \"root.d\"; the file has root, root.a, root.a.b, root.c");
        let said = with(TEXT, "root.a.wieght", "1").unwrap_err();
        assert!(said.starts_with("a queue has no setting \"wieght\"; it has allowPreemptionFrom, "), "{said}");
        assert!(with("<allocations><queue></pool>", "root.a.weight", "1").unwrap_err().starts_with("it is no XML: "));
    }
}
