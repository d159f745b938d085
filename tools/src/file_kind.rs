//! What kind of configuration a text is, by its elements. A look, no reading: what is wrong in it the readers say.

use evenweave::config::SchedulerKind;

/// The names of the start tags, without prefixes, in order.
struct Tags<'a>(&'a str);

impl<'a> Iterator for Tags<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let rest = &self.0[self.0.find('<')? + 1..];
            let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("!", ">"), ("/", ">")];
            let skipped = skipped.iter().find_map(|(start, end)| Some((rest.strip_prefix(start)?, end)));
            if let Some((inside, end)) = skipped {
                self.0 = &inside[inside.find(end)? + end.len()..];
                continue;
            }
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).unwrap_or(rest.len());
            self.0 = &rest[end..];
            let name = &rest[..end];
            return Some(name.rsplit(':').next().unwrap_or(name));
        }
    }
}

/// Whether it is a file of properties, as Hadoop reads one: its root element is `<configuration>`, in any letters, or
/// there is a `<property>` in it and the root element is not `<allocations>`.
#[must_use]
pub fn has_properties(text: &str) -> bool {
    let mut tags = Tags(text);
    let Some(root) = tags.next() else { return false };
    root != "allocations" && (root.eq_ignore_ascii_case("configuration") || tags.any(|name| name == "property"))
}

/// Whose file of queues it is; `None` where it is neither's.
#[must_use]
pub fn whose_queues(text: &str) -> Option<SchedulerKind> {
    if Tags(text).next() == Some("allocations") {
        return Some(SchedulerKind::Fair);
    }
    has_properties(text).then_some(SchedulerKind::Capacity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_element_is_behind_everything_else() {
        for text in [
            "<configuration/>",
            "\u{feff}<?xml version='1.0'?>\n<!-- <allocations> --><configuration >",
            "<!DOCTYPE x><Configuration>",
            "<conf><![CDATA[<x>]]><property/></conf>",
            "<x:configuration>",
        ] {
            assert!(has_properties(text), "{text}");
            assert_eq!(whose_queues(text), Some(SchedulerKind::Capacity), "{text}");
        }
        for text in
            ["<queues/>", "", "<", "<!-- <configuration/>", "configuration", "<conf><!-- <property/> --></conf>"]
        {
            assert!(!has_properties(text), "{text}");
            assert_eq!(whose_queues(text), None, "{text}");
        }
        let fair = "<?xml version=\"1.0\"?>\n<!-- <configuration> -->\n<allocations><property/></allocations>";
        assert!(!has_properties(fair));
        assert_eq!(whose_queues(fair), Some(SchedulerKind::Fair));
    }
}
