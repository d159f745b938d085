//! What kind of configuration a text is, by its root element and its properties.

use evenweave::config::SiteFile;

/// Before every property of the CapacityScheduler's queues.
const CAPACITY: &str = "yarn.scheduler.capacity.";

/// Whether the root element is `<configuration>`, as in all of Hadoop's files of properties. What has another one is
/// read as an allocation file, whose reader says what the root element must be.
pub(super) fn is_configuration(text: &str) -> bool {
    root_name(text) == Some("configuration")
}

/// Whether a file of properties is one of capacity queues and nothing else, as `capacity-scheduler.xml` is.
pub(super) fn is_capacity_file(file: &SiteFile) -> bool {
    let mut yarn = file.properties().iter().filter(|property| property.name.starts_with("yarn."));
    let mut any = false;
    yarn.all(|property| {
        any = true;
        property.name.starts_with(CAPACITY)
    }) && any
}

/// The name in the first tag, without prefix.
fn root_name(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        let skipped = [("<?", "?>"), ("<!--", "-->"), ("<!", ">")].iter().find_map(|(start, end)| {
            let inside = rest.strip_prefix(start)?;
            Some(inside.find(end).map(|at| &inside[at + end.len()..]))
        });
        match skipped {
            Some(after) => rest = after?,
            None => break,
        }
    }
    let name = rest.strip_prefix('<')?.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()?;
    Some(name.rsplit(':').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_element_is_behind_everything_else() {
        for text in ["<configuration/>", "\u{feff}<?xml version='1.0'?>\n<!-- <allocations> --><configuration >"] {
            assert!(is_configuration(text), "{text}");
        }
        for text in ["<allocations><configuration/></allocations>", "", "<", "<!-- <configuration/>", "configuration"] {
            assert!(!is_configuration(text), "{text}");
        }
    }

    #[test]
    fn capacity_files_have_properties_of_capacity_queues_alone() {
        let file = |names: &[&str]| {
            let properties =
                names.iter().map(|name| format!("<property><name>{name}</name><value>1</value></property>"));
            SiteFile::parse(&format!("<configuration>{}</configuration>", properties.collect::<String>()), "f").unwrap()
        };
        assert!(is_capacity_file(&file(&["yarn.scheduler.capacity.root.queues", "my.own"])));
        assert!(!is_capacity_file(&file(&["yarn.scheduler.capacity.root.queues", "yarn.acl.enable"])));
        assert!(!is_capacity_file(&file(&["my.own"])));
    }
}
