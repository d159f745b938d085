//! What kind of configuration a file is: what `--kind` or its name says, and where both are silent its content.

use std::path::Path;

use crate::api::SiteFile;

/// Before every property of the CapacityScheduler.
const CAPACITY: &str = "yarn.scheduler.capacity.";
/// The same of Hadoop 1.
const CAPACITY_1: &str = "mapred.capacity-scheduler.";
/// The list from which all queues hang.
const QUEUES: &str = "yarn.scheduler.capacity.root.queues";

/// A kind of configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The FairScheduler's queues: an allocation file, such as fair-scheduler.xml.
    Allocations,
    /// The CapacityScheduler's queues: capacity-scheduler.xml.
    Capacity,
    /// Properties of the whole cluster, such as yarn-site.xml.
    Site,
}

/// What a file's name says.
pub(super) fn of_name(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_string_lossy().to_lowercase().replace('_', "-");
    let stem = name.split(".xml").next().unwrap_or(&name);
    // Others that lie in the same directory.
    let others = ["resource-types", "node-resources", "hadoop-policy", "kms-acls", "ssl-client", "ssl-server"];
    if stem.contains("capacity-scheduler") {
        Some(Kind::Capacity)
    } else if stem.contains("fair-scheduler") || stem == "allocations" {
        Some(Kind::Allocations)
    } else if stem.ends_with("-site") || stem.ends_with("-default") || others.contains(&stem) {
        Some(Kind::Site)
    } else {
        None
    }
}

/// As what a file of properties is checked. It may be both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadAs {
    /// The CapacityScheduler's queues.
    pub(super) capacity: bool,
    /// Properties of the whole cluster.
    pub(super) site: bool,
}

impl ReadAs {
    /// As its content has it.
    pub(super) fn by_content(file: &SiteFile) -> ReadAs {
        let mut read = ReadAs::default();
        let mut of_scheduler = false;
        for property in file.properties() {
            let name = property.name.as_str();
            if name.starts_with(CAPACITY) || name.starts_with(CAPACITY_1) {
                of_scheduler = true;
                read.capacity |= name.starts_with("yarn.scheduler.capacity.root.") || name.starts_with(CAPACITY_1);
            } else {
                read.site |= name.starts_with("yarn.");
            }
        }
        // Settings of the whole scheduler alone stand in yarn-site too.
        read.capacity |= of_scheduler && !read.site;
        read
    }
}

/// Whether a file lists queues of the CapacityScheduler, which reads every file of properties.
pub(super) fn lists_queues(file: &SiteFile) -> bool {
    file.properties().iter().any(|property| property.name == QUEUES)
}

/// Whether a file has properties of the CapacityScheduler.
pub(super) fn is_of_capacity(file: &SiteFile) -> bool {
    file.properties().iter().any(|property| property.name.starts_with(CAPACITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are() {
        for (name, kind) in [
            ("conf/capacity-scheduler.xml", Some(Kind::Capacity)),
            ("Capacity-Scheduler.xml", Some(Kind::Capacity)),
            ("capacity-scheduler-prod.xml.bak", Some(Kind::Capacity)),
            ("prod_capacity_scheduler.xml", Some(Kind::Capacity)),
            ("fair-scheduler.xml", Some(Kind::Allocations)),
            ("allocations.xml", Some(Kind::Allocations)),
            ("yarn-site.xml", Some(Kind::Site)),
            ("yarn-default.xml", Some(Kind::Site)),
            ("resource-types.xml", Some(Kind::Site)),
            ("queues.xml", None),
            ("capacity-scheduler/queues.xml", None),
        ] {
            assert_eq!(of_name(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn content_decides_where_the_name_does_not() {
        let read = |names: &[&str]| {
            let properties =
                names.iter().map(|name| format!("<property><name>{name}</name><value>1</value></property>"));
            let text = format!("<configuration>{}</configuration>", properties.collect::<String>());
            let ReadAs { capacity, site } = ReadAs::by_content(&SiteFile::parse(&text, "f").unwrap());
            (capacity, site)
        };
        assert_eq!(read(&["yarn.scheduler.capacity.root.queues", "my.own"]), (true, false));
        assert_eq!(read(&["yarn.scheduler.capacity.root.queues", "yarn.acl.enable"]), (true, true));
        assert_eq!(read(&["yarn.scheduler.capacity.maximum-applications", "yarn.acl.enable"]), (false, true));
        assert_eq!(read(&["yarn.scheduler.capacity.maximum-applications"]), (true, false));
        assert_eq!(read(&["mapred.capacity-scheduler.queue.a.capacity"]), (true, false));
        assert_eq!(read(&["my.own"]), (false, false));
        assert_eq!(read(&[]), (false, false));
    }
}
