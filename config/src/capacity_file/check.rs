//! A check: all that is wrong or odd in a configuration, where reading it for a scheduler ends at the first error.
//!
//! After an error the rest is read as if what is wrong were not written. So each error is one that stands in the text:
//! a sum of capacities is not looked at where one of them was left out.

use super::error::{CapacityFault, CapacityFileError};
use super::file::CapacityFile;
use super::lint::{self, Beside};
use super::made_queues::MadeQueues;
use super::property_names;
use super::reading::read_all;
use super::source::{PREFIX, Source};
use super::uncompared::Uncompared;
use super::unsupported;
use super::warnings::Warnings;
use crate::diagnostic::Diagnostic;
use crate::site::{SiteFile, SiteProperties};
use evenweave_resource::{MAX_TYPES, Resource};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// So many errors are found in one file. Each is a reading.
const MAX_ERRORS: usize = 50;
/// What decides which resource types there are: without it right amounts would be wrong.
const TYPES: &str = "yarn.resource-types";

impl CapacityFile {
    /// The same, with everything that is wrong or odd in it, which reading it for a scheduler does not look for: `None`
    /// where there are errors; one that comes with the nodes is one. `cluster`: what its nodes have in all, where that
    /// is known; amounts are compared with it.
    ///
    /// After an error the rest is read as if what is wrong were not written, for up to 50 errors. The check ends
    /// earlier where that cannot be done, as with a list of queues that is refused or with resource types. With an
    /// error in a capacity, warnings that compare capacities are left out.
    ///
    /// ```
    /// use evenweave::config::{SiteFile, SiteProperties, capacity::CapacityFile};
    ///
    /// let text = "<configuration>
    ///   <property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
    ///   <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property>
    ///   <property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>0.5</value></property>
    /// </configuration>";
    /// let file = SiteFile::parse(text, "capacity-scheduler.xml").unwrap();
    /// let (read, found) = CapacityFile::check(&SiteProperties::new(), &file, None);
    /// assert!(read.is_some());
    /// assert_eq!(found[0].code, "user-limit-factor");
    /// ```
    #[must_use]
    pub fn check(
        yarn_site: &SiteProperties,
        file: &SiteFile,
        cluster: Option<&Resource>,
    ) -> (Option<CapacityFile>, Vec<Diagnostic>) {
        check(yarn_site, file, cluster)
    }

    /// The resource types beside memory and vcores of which a file has amounts, separated by commas. Which types there
    /// are stands in yarn-site, in `yarn.resource-types`; a check without yarn-site may take these for it. None where
    /// the file's calculator takes no more than memory and vcores.
    #[must_use]
    pub fn types_written(file: &SiteFile) -> Option<String> {
        types_written(file)
    }
}

/// As [`CapacityFile::check`].
fn check(
    yarn_site: &SiteProperties,
    file: &SiteFile,
    cluster: Option<&Resource>,
) -> (Option<CapacityFile>, Vec<Diagnostic>) {
    let mut written = yarn_site.clone();
    written.add(file);
    let mut reading = Reading {
        is_site_known: yarn_site.is_known(),
        site: yarn_site.clone(),
        all: written.clone(),
        uncompared: Uncompared::default(),
    };
    let mut found = Vec::new();
    while found.len() < MAX_ERRORS {
        match reading.read(cluster) {
            Ok((read, warnings)) => {
                let is_right = found.is_empty();
                found.extend(warnings);
                found.extend(property_names::of_hadoop_1(file));
                return (is_right.then_some(read), found);
            }
            Err(error) => {
                let error = error.placed(&written);
                found.push(error.diagnostic());
                if !reading.leave_out(&error) {
                    break;
                }
            }
        }
    }
    found.extend(property_names::of_hadoop_1(file));
    (None, found)
}

/// What is still read.
struct Reading {
    is_site_known: bool,
    site: SiteProperties,
    all: SiteProperties,
    uncompared: Uncompared,
}

impl Reading {
    /// The file and all that is odd in it. What compares capacities is left out where some are not as they were
    /// written.
    fn read(&self, cluster: Option<&Resource>) -> Result<(CapacityFile, Vec<Diagnostic>), CapacityFileError> {
        let mut all = Cow::Borrowed(&self.all);
        let (read, late) = read_all(&self.site, &mut all, &MadeQueues::default(), None, &self.uncompared)?;
        if let Some(fault) = late {
            return Err(fault.into());
        }
        let figures = match self.uncompared.parents.is_empty() {
            true => Some(read.figures(cluster.unwrap_or(&Resource::ZERO))?),
            false => None,
        };
        let source = Source::new(&self.all);
        let mut warnings = Warnings::new(&source);
        let beside = Beside { figures: figures.as_deref(), cluster, is_site_known: self.is_site_known };
        lint::run(&read, &source, beside, &mut warnings);
        if self.site.raw(unsupported::CONSTRAINTS).is_none() {
            unsupported::check_constraints(&source, &mut warnings);
        }
        let found = read.warnings.iter().cloned().chain(warnings.into_vec()).collect();
        Ok((read, found))
    }

    /// Writes something else where the default may be wrong too, or what is wrong is not written; says whether it has.
    /// What takes its place is no error, and makes no other value one.
    fn put_right(&mut self, error: &CapacityFileError) -> bool {
        let property = error.property.as_str();
        let fault = &*error.fault;
        if let CapacityFault::AllocationBounds { unit, maximum, .. } = fault {
            self.set(property, "1");
            if *maximum < 1 {
                self.set(&format!("yarn.scheduler.maximum-allocation-{unit}"), &i32::MAX.to_string());
            }
        } else if let CapacityFault::TooManyTypes { .. } | CapacityFault::UnknownCalculator { .. } = fault
            && self.site.raw(TYPES).is_some()
        {
            self.set(property, "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
        } else if let CapacityFault::SortingPolicyWithoutClass { known, .. } = fault {
            self.set(property, known);
        } else {
            return false;
        }
        true
    }

    fn set(&mut self, property: &str, value: &str) {
        self.site.set(property, value);
        self.all.set(property, value);
    }

    /// Goes on without what is wrong; `false` where that cannot be done.
    fn leave_out(&mut self, error: &CapacityFileError) -> bool {
        if self.put_right(error) {
            return true;
        }
        let property = error.property.as_str();
        let tail = property.strip_prefix(PREFIX);
        if let Some(list) = tail.and_then(|tail| tail.strip_suffix(".queues")) {
            return is_of_siblings(&error.fault) && self.uncompared.parents.insert(list.to_owned());
        }
        if self.all.raw(property).is_none() || property.starts_with(TYPES) {
            return false;
        }
        self.site.remove(property);
        self.all.remove(property);
        if let Some(queue) = tail.and_then(|tail| tail.strip_suffix(".capacity")) {
            let queue = queue.split_once(".accessible-node-labels.").map_or(queue, |(queue, _)| queue);
            let parent = queue.rsplit_once('.').map(|(parent, _)| parent);
            self.uncompared.parents.extend([queue].into_iter().chain(parent).map(str::to_owned));
        }
        true
    }
}

/// As [`CapacityFile::types_written`].
fn types_written(file: &SiteFile) -> Option<String> {
    let mut all = SiteProperties::new();
    all.add(file);
    let source = Source::new(&all);
    let calculator = source.text(&format!("{PREFIX}resource-calculator")).unwrap_or_default();
    if !calculator.trim().ends_with(".DominantResourceCalculator") || all.raw(TYPES).is_some() {
        return None;
    }
    let is_name = |name: &&str| {
        let is_own = !matches!(*name, "" | "memory" | "memory-mb" | "vcores");
        let is_usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
        is_own && name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_usual)
    };
    let mut names = BTreeSet::new();
    for tail in source.under(PREFIX) {
        if matches!(tail.rsplit('.').next(), Some("capacity" | "maximum-capacity" | "maximum-allocation")) {
            let text = source.raw(&format!("{PREFIX}{tail}")).unwrap_or_default();
            let pairs =
                text.trim_matches(['[', ']']).split(',').filter_map(|pair| Some(pair.split_once('=')?.0.trim()));
            names.extend(pairs.filter(is_name));
        }
    }
    let names: Vec<&str> = names.into_iter().take(MAX_TYPES - 2).collect();
    (!names.is_empty()).then(|| names.join(","))
}

/// Whether it is the children of a parent that do not go together, where each is right by itself.
fn is_of_siblings(fault: &CapacityFault) -> bool {
    matches!(
        fault,
        CapacityFault::MixedChildren { .. }
            | CapacityFault::AbsoluteAndOther { .. }
            | CapacityFault::ParentTooSmall { .. }
            | CapacityFault::CapacitySum { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Severity;

    /// The properties that errors are told of and the codes of warnings, without the prefix.
    fn found(own: &[(&str, &str)]) -> (Vec<String>, Vec<&'static str>) {
        let property = |(name, value): &(&str, &str)| {
            format!("<property><name>{PREFIX}{name}</name><value>{value}</value></property>")
        };
        let text = format!("<configuration>{}</configuration>", own.iter().map(property).collect::<String>());
        let file = SiteFile::parse(&text, "f.xml").unwrap();
        let (read, found) = CapacityFile::check(&SiteProperties::new(), &file, Some(&Resource::new(1_024_000, 1000)));
        let (errors, warnings): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|found| found.severity == Severity::Error);
        assert_eq!(read.is_none(), !errors.is_empty());
        assert!(errors.iter().all(|error| error.at.is_some()), "{errors:?}");
        let property = |message: &str| message[PREFIX.len()..].split(':').next().unwrap_or_default().to_owned();
        (
            errors.iter().map(|error| property(&error.message)).collect(),
            warnings.iter().map(|warning| warning.code).collect(),
        )
    }

    /// Two parents of two leaves each.
    const QUEUES: [(&str, &str); 9] = [
        ("root.queues", "p,q"),
        ("root.p.queues", "a,b"),
        ("root.q.queues", "c,d"),
        ("root.p.capacity", "50"),
        ("root.q.capacity", "50"),
        ("root.p.a.capacity", "50"),
        ("root.p.b.capacity", "50"),
        ("root.q.c.capacity", "50"),
        ("root.q.d.capacity", "50"),
    ];

    /// As [`found`], with other values and more properties.
    fn with(others: &[(&'static str, &'static str)]) -> (Vec<String>, Vec<&'static str>) {
        let mut all = QUEUES.to_vec();
        all.retain(|(name, _)| others.iter().all(|(other, _)| other != name));
        all.extend(others);
        found(&all)
    }

    #[test]
    fn errors_hide_neither_each_other_nor_warnings() {
        let (errors, warnings) = with(&[
            ("root.p.a.capacity", "fifty"),
            ("root.p.b.state", "PAUSED"),
            ("root.q.c.user-limit-factor", "0.5"),
            ("root.q.d.ordering-policy", "lifo"),
            ("root.r.capacity", "1"),
            ("root.q.maximum-capacty", "60"),
            ("queue-mappings", "u:ann"),
        ]);
        let expected = ["root.p.a.capacity", "root.p.b.state", "root.q.d.ordering-policy", "queue-mappings"];
        assert_eq!(errors, expected);
        assert_eq!(warnings, ["unknown-property", "unknown-queue", "user-limit-factor"]);
    }

    #[test]
    fn each_sum_of_capacities_is_looked_at() {
        let (errors, warnings) =
            with(&[("root.p.a.capacity", "60"), ("root.q.c.capacity", "20"), ("root.q.d.capacty", "1")]);
        assert_eq!(
            (errors, warnings),
            (vec!["root.p.queues".to_owned(), "root.q.queues".to_owned()], vec!["unknown-property"])
        );
        let mixed = with(&[("root.p.a.capacity", "1w"), ("root.q.c.capacity", "[memory=1024]")]);
        assert_eq!(mixed.0, ["root.p.queues", "root.q.queues"]);
    }

    #[test]
    fn no_error_comes_of_leaving_another_out() {
        for (property, value) in [
            ("root.p.capacity", "fifty"),
            ("root.p.a.capacity", "120"),
            ("root.p.a.capacity", "fifty"),
            ("root.p.a.maximum-capacity", "fifty"),
            ("root.p.a.accessible-node-labels.x.capacity", "fifty"),
            ("root.p.state", "PAUSED"),
        ] {
            assert_eq!(with(&[(property, value)]), (vec![property.to_owned()], vec![]), "{property} {value}");
        }
    }

    #[test]
    fn an_error_of_the_whole_scheduler_hides_none_of_a_queue() {
        let memory = ("yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-mb");
        let vcores = ("yarn.scheduler.minimum-allocation-vcores", "yarn.scheduler.maximum-allocation-vcores");
        let policy = "yarn.scheduler.capacity.multi-node-sorting.policy.names";
        let class = "yarn.scheduler.capacity.multi-node-sorting.policy.p.class";
        for (written, errors) in [
            (vec![(memory.0, "9000")], vec![memory.0]),
            // The default of the other is what does not suit it.
            (vec![(memory.1, "512")], vec![memory.0]),
            (vec![(memory.0, "100"), (memory.1, "50")], vec![memory.0]),
            (vec![(memory.1, "0"), (vcores.1, "-1")], vec![memory.0, vcores.0]),
            (vec![(vcores.0, "0"), (vcores.1, "9")], vec![vcores.0]),
            (vec![(policy, "p")], vec![class]),
        ] {
            let mut all: Vec<(String, &str)> =
                QUEUES.iter().map(|(name, value)| (format!("{PREFIX}{name}"), *value)).collect();
            all.extend(written.iter().map(|(name, value)| ((*name).to_owned(), *value)));
            // Right under the bounds that are written.
            all.push((format!("{PREFIX}root.p.a.maximum-allocation-vcores"), "3"));
            all.push((format!("{PREFIX}root.q.c.capacity"), "20"));
            let property = |(name, value): &(String, &str)| {
                format!("<property><name>{name}</name><value>{value}</value></property>")
            };
            let text = format!("<configuration>{}</configuration>", all.iter().map(property).collect::<String>());
            let file = SiteFile::parse(&text, "f.xml").unwrap();
            let (_, found) = CapacityFile::check(&SiteProperties::new(), &file, None);
            let told = found.iter().filter(|found| found.severity == Severity::Error);
            let told: Vec<&str> = told.map(|error| error.message.split(": ").next().unwrap()).collect();
            let list = format!("{PREFIX}root.q.queues");
            assert_eq!(told, [errors, vec![list.as_str()]].concat(), "{written:?}");
        }
    }

    #[test]
    fn sums_elsewhere_are_looked_at_all_the_same() {
        let (errors, _) =
            with(&[("root.p.a.capacity", "fifty"), ("root.p.capacity", "40"), ("root.q.c.capacity", "20")]);
        assert_eq!(errors, ["root.p.a.capacity", "root.q.queues", "root.queues"]);
    }

    #[test]
    fn it_ends_where_nothing_can_be_left_out_and_after_many_errors() {
        assert_eq!(found(&[("root.queues", ","), ("root.capacty", "1")]), (vec!["root.queues".to_owned()], vec![]));
        let names: Vec<String> = (0..60).map(|i| format!("root.q{i}.state")).collect();
        let list: String = (0..60).map(|i| format!("q{i},")).collect();
        let states = names.iter().map(|name| (name.as_str(), "PAUSED"));
        let all: Vec<_> =
            [("root.queues", list.as_str()), ("root.q0.capacity", "100")].into_iter().chain(states).collect();
        assert_eq!(found(&all).0.len(), MAX_ERRORS);
    }
}
