//! Two bodies held against each other.

use std::cmp::Ordering;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::json_members::Json;

/// Lists whose order counts: queues of a FairScheduler.
const ORDERED: &str = "queue";

/// An element that is open: its name, its members and its text.
type Open = (String, Vec<(String, Json)>, String);

/// An XML document as members, lists of one name beside each other; a text is a text.
///
/// # Errors
/// What is no document.
pub(super) fn from_xml(text: &str) -> Result<Json, String> {
    let mut reader = Reader::from_str(text);
    // Elements that are open: name, members, text.
    let mut open: Vec<Open> = vec![(String::new(), Vec::new(), String::new())];
    let wrong = |error: &dyn std::fmt::Display| error.to_string();
    loop {
        match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(start) => open.push(begun(&start)?),
            Event::Empty(start) => {
                let (name, members, _) = begun(&start)?;
                let last = open.last_mut().ok_or("no root")?;
                last.1.push((name, Json::Members(members)));
            }
            Event::Text(piece) => {
                let piece = piece.xml_content(XmlVersion::Implicit1_0).map_err(|error| wrong(&error))?;
                open.last_mut().ok_or("no root")?.2.push_str(&piece);
            }
            Event::GeneralRef(name) => {
                let letter = name.resolve_char_ref().map_err(|error| wrong(&error))?;
                let name = name.decode().map_err(|error| wrong(&error))?;
                let known = quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned);
                let resolved = letter.map(String::from).or(known).ok_or("unknown entity")?;
                open.last_mut().ok_or("no root")?.2.push_str(&resolved);
            }
            Event::End(_) => {
                let (name, members, text) = open.pop().ok_or("too many ends")?;
                let value = if members.is_empty() { Json::Text(text) } else { Json::Members(members) };
                open.last_mut().ok_or("too many ends")?.1.push((name, value));
            }
            Event::Eof => break,
            Event::CData(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
        }
    }
    match open.pop() {
        Some((_, members, _)) if open.is_empty() => Ok(Json::Members(members)),
        _ => Err("an element is not closed".to_owned()),
    }
}

fn begun(start: &BytesStart<'_>) -> Result<Open, String> {
    let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
    let mut members = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let name = format!("@{}", String::from_utf8_lossy(attribute.key.as_ref()));
        members.push((name, Json::Text(String::from_utf8_lossy(&attribute.value).into_owned())));
    }
    Ok((name, members, String::new()))
}

/// The same with everything in an order that tells nothing; `queues`: theirs does.
pub(super) fn in_order(of: &Json, queues: bool) -> Json {
    match of {
        Json::Members(members) => {
            let mut members: Vec<(String, Json)> =
                members.iter().map(|(name, value)| (name.clone(), list_in_order(name, value, queues))).collect();
            // What has the same name stays as it is where its order counts.
            members.sort_by(|(a, x), (b, y)| {
                a.cmp(b).then_with(|| {
                    if queues && a == ORDERED { Ordering::Equal } else { x.to_string().cmp(&y.to_string()) }
                })
            });
            Json::Members(members)
        }
        Json::List(_) => list_in_order("", of, queues),
        Json::Null | Json::Flag(_) | Json::Number(_) | Json::Text(_) => of.clone(),
    }
}

fn list_in_order(name: &str, of: &Json, queues: bool) -> Json {
    let Json::List(list) = of else { return in_order(of, queues) };
    let mut list: Vec<Json> = list.iter().map(|one| in_order(one, queues)).collect();
    if !queues || name != ORDERED {
        list.sort_by_key(ToString::to_string);
    }
    Json::List(list)
}

/// The first place where two are not the same: where, what was expected and what came.
pub(super) fn difference(at: &str, expected: &Json, got: &Json) -> Option<(String, String, String)> {
    let differ = || Some((at.to_owned(), expected.to_string(), got.to_string()));
    match (expected, got) {
        (Json::Members(these), Json::Members(those)) => {
            let names = |members: &[(String, Json)]| members.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            let (mine, yours) = (names(these), names(those));
            if mine != yours {
                let missing: Vec<_> = mine.iter().filter(|name| !yours.contains(name)).collect();
                let more: Vec<_> = yours.iter().filter(|name| !mine.contains(name)).collect();
                let place = if at.is_empty() { "/".to_owned() } else { at.to_owned() };
                return Some((
                    place,
                    format!("members {missing:?} of {}", mine.len()),
                    format!("members {more:?} of {}", yours.len()),
                ));
            }
            let pairs = these.iter().zip(those);
            pairs.into_iter().find_map(|((name, x), (_, y))| difference(&format!("{at}/{name}"), x, y))
        }
        (Json::List(these), Json::List(those)) if these.len() == those.len() => {
            let pairs = these.iter().zip(those).enumerate();
            pairs.into_iter().find_map(|(index, (x, y))| difference(&format!("{at}/{index}"), x, y))
        }
        (Json::Number(x), Json::Number(y)) if x.as_f64() == y.as_f64() && x.is_f64() == y.is_f64() => None,
        (x, y) if x == y => None,
        _ => differ(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(expected: &str, got: &str) -> bool {
        let read = |text: &str| in_order(&serde_json::from_str(text).unwrap(), true);
        difference("", &read(expected), &read(got)).is_some()
    }

    #[test]
    fn order_counts_of_queues_alone() {
        assert!(!differ(r#"{"a":[1,2],"b":1}"#, r#"{"b":1,"a":[2,1]}"#));
        assert!(differ(r#"{"queue":[1,2]}"#, r#"{"queue":[2,1]}"#));
        assert!(differ(r#"{"a":{"entry":1,"entry":2}}"#, r#"{"a":{"entry":1}}"#));
        assert!(differ(r#"{"a":1}"#, r#"{"a":"1"}"#));
        assert!(differ(r#"{"a":1.0}"#, r#"{"a":1}"#));
        assert!(differ(r#"{"a":{}}"#, r#"{"a":null}"#));
    }

    #[test]
    fn a_document_becomes_members() {
        let of = from_xml("<a t=\"x\"><b>1 &lt; 2</b><b/><c></c></a>").unwrap();
        assert_eq!(of.to_string(), r#"{"a":{"@t":"x","b":"1 < 2","b":{},"c":""}}"#);
        assert!(from_xml("<a><b>").is_err());
    }
}
