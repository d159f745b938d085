//! What answers and bodies are written in.

/// What an answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Xml,
}

impl Format {
    /// What the `Accept` of a request comes to; none where it wants neither. Of two that are wanted alike JSON is the
    /// one.
    pub(crate) fn accepted(accept: Option<&str>) -> Option<Format> {
        let Some(accept) = accept.filter(|accept| !accept.trim().is_empty()) else { return Some(Format::Json) };
        let mut best: Option<(f32, u8, Format)> = None;
        for (kind, quality) in ranges(accept) {
            // The more is said, the more it counts.
            let formats: &[(u8, Format)] = match kind {
                "application/json" => &[(2, Format::Json)],
                "application/xml" => &[(2, Format::Xml)],
                "application/*" => &[(1, Format::Json)],
                "*/*" | "*" => &[(0, Format::Json)],
                _ => &[],
            };
            for (detail, format) in formats {
                if best.is_none_or(|(before, said, _)| (quality, *detail) > (before, said)) && quality > 0.0 {
                    best = Some((quality, *detail, *format));
                }
            }
        }
        best.map(|(_, _, format)| format)
    }

    /// Whether `text/xml` is wanted, in which refusals can be written and answers cannot.
    pub(crate) fn wants_text_xml(accept: Option<&str>) -> bool {
        ranges(accept.unwrap_or_default()).any(|(kind, quality)| kind == "text/xml" && quality > 0.0)
    }

    /// Of a body.
    pub(crate) fn of_content(kind: &str) -> Option<Format> {
        match kind.split(';').next().unwrap_or_default().trim() {
            "application/json" => Some(Format::Json),
            "application/xml" => Some(Format::Xml),
            _ => None,
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Format::Json => "application/json;charset=utf-8",
            Format::Xml => "application/xml; charset=utf-8",
        }
    }
}

/// What is wanted, and how much.
pub(crate) fn ranges(accept: &str) -> impl Iterator<Item = (&str, f32)> {
    accept.split(',').map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        (kind, parts.find_map(|part| part.strip_prefix("q=")?.parse().ok()).unwrap_or(1.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_most_is_answered() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let cases = [
            (None, Some(Format::Json)),
            (Some("*/*"), Some(Format::Json)),
            (Some(browser), Some(Format::Xml)),
            (Some("application/xml"), Some(Format::Xml)),
            (Some("application/json;q=0.5, application/xml"), Some(Format::Xml)),
            (Some("application/*"), Some(Format::Json)),
            (Some("text/html"), None),
            (Some("application/json;q=0"), None),
        ];
        for (accept, format) in cases {
            assert_eq!(Format::accepted(accept), format, "{accept:?}");
        }
    }
}
