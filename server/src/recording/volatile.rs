//! What differs between two runs of the same: `[PREFIX:]POINTER[~REGEX]`.
//!
//! A pointer leads into a body, `**` over any number of members, `name[field=value]` to objects with that value. With a
//! regular expression only what it matches differs; a prefix limits all of it to a method.

use regex::Regex;

use super::json_members::Json;

/// What stands where something differs.
const BLANK: &str = "\u{2026}";

#[derive(Debug)]
struct Pattern {
    method: Option<String>,
    path: Vec<Segment>,
    part: Option<Regex>,
}

#[derive(Debug)]
struct Segment {
    name: String,
    /// A member that the object has to have.
    having: Option<(String, String)>,
}

/// All patterns of a recording.
#[derive(Debug)]
pub(super) struct Volatile(Vec<Pattern>);

impl Volatile {
    /// # Errors
    /// A pattern that is none.
    pub(super) fn parse(patterns: &[String]) -> Result<Volatile, String> {
        patterns.iter().map(|text| Pattern::parse(text)).collect::<Result<_, _>>().map(Volatile)
    }

    /// A body, with all blanked that differs.
    pub(super) fn blanked(&self, method: &str, body: &Json) -> Json {
        let mut body = body.clone();
        for pattern in self.0.iter().filter(|pattern| pattern.method.as_ref().is_none_or(|of| of == method)) {
            pattern.blank(&pattern.path, &mut body);
        }
        body
    }
}

impl Pattern {
    fn parse(text: &str) -> Result<Pattern, String> {
        let (place, part) = match text.split_once('~') {
            Some((place, part)) => (place, Some(Regex::new(part).map_err(|error| format!("{text}: {error}"))?)),
            None => (text, None),
        };
        let (method, pointer) = match place.split_once(':') {
            Some((method, pointer)) if !method.contains('/') => (Some(method.to_owned()), pointer),
            _ => (None, place),
        };
        let segment = |segment: &str| match segment.split_once('[') {
            Some((name, having)) => {
                let having = having.trim_end_matches(']').split_once('=');
                let having = having.map(|(field, value)| (field.to_owned(), value.to_owned()));
                Segment { name: name.to_owned(), having }
            }
            None => Segment { name: segment.to_owned(), having: None },
        };
        let path = pointer.split('/').skip(1).map(segment).collect();
        Ok(Pattern { method, path, part })
    }

    fn blank(&self, path: &[Segment], at: &mut Json) {
        // A list is passed through: positions do not count.
        if let Json::List(list) = at {
            return list.iter_mut().for_each(|one| self.blank(path, one));
        }
        let Some((first, rest)) = path.split_first() else { return self.blank_here(at) };
        let Json::Members(members) = at else { return };
        if first.name == "**" {
            self.blank(rest, at);
            if let Json::Members(members) = at {
                members.iter_mut().for_each(|(_, value)| self.blank(path, value));
            }
            return;
        }
        for (_, value) in members.iter_mut().filter(|(name, _)| *name == first.name) {
            if has(value, first.having.as_ref()) {
                self.blank(rest, value);
            }
        }
    }

    fn blank_here(&self, at: &mut Json) {
        match (&self.part, at) {
            (None, at) => *at = Json::Text(BLANK.to_owned()),
            (Some(part), Json::Text(text)) => *text = part.replace_all(text, BLANK).into_owned(),
            (Some(_), _) => {}
        }
    }
}

fn has(value: &Json, having: Option<&(String, String)>) -> bool {
    let Some((field, wanted)) = having else { return true };
    let is_it = |(name, value): &(String, Json)| name == field && matches!(value, Json::Text(text) if text == wanted);
    matches!(value, Json::Members(members) if members.iter().any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(patterns: &[&str], method: &str, body: &str) -> String {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let body: Json = serde_json::from_str(body).unwrap();
        Volatile::parse(&patterns).unwrap().blanked(method, &body).to_string()
    }

    #[test]
    fn what_a_pattern_points_at_is_blanked_and_nothing_else() {
        let body = r#"{"a":{"t":1,"list":[{"t":2,"d":"at [x] y"}]},"t":3}"#;
        assert_eq!(blanked(&["/**/t"], "GET", body), r#"{"a":{"t":"…","list":[{"t":"…","d":"at [x] y"}]},"t":"…"}"#);
        assert_eq!(blanked(&["/a/t"], "GET", body), r#"{"a":{"t":"…","list":[{"t":2,"d":"at [x] y"}]},"t":3}"#);
        assert_eq!(blanked(&["/**/d~\\[.\\]"], "GET", body), r#"{"a":{"t":1,"list":[{"t":2,"d":"at … y"}]},"t":3}"#);
        assert_eq!(blanked(&["PUT:/t"], "GET", body), body);
        assert_eq!(blanked(&["PUT:/t"], "PUT", r#"{"t":3}"#), r#"{"t":"…"}"#);
        let fault = r#"{"R":{"e":"N","m":"x"}}"#;
        assert_eq!(blanked(&["/R[e=N]/m"], "GET", fault), r#"{"R":{"e":"N","m":"…"}}"#);
        assert_eq!(blanked(&["/R[e=O]/m"], "GET", fault), fault);
    }
}
