//! Lints: what Hadoop takes without a word, and what is probably a mistake.
//!
//! Run by a check, never when a scheduler reads its file. A sensible file must pass without a word: what is right in
//! some cluster is not warned of. Each lint has a code of its own, listed in `docs/configuration-checks.md`.

use super::acl_lint;
use super::amount_lint::{self, Known};
use super::creation_lint;
use super::figures::CapacityFigures;
use super::file::CapacityFile;
use super::label_lint;
use super::mapping;
use super::ordering::{AppOrdering, QueueOrdering};
use super::plan_lint;
use super::priority_acl::oddities;
use super::queue::{CapacityQueue, LeafSettings};
use super::settings::SHIPPED_SORTING_POLICIES;
use super::source::{PREFIX, Source};
use super::unsupported;
use super::warnings::Warnings;
use crate::java;
use crate::nearest::nearest;
use crate::scheduler_class::{SCHEDULER_CLASS, SchedulerKind};
use evenweave_resource::{Calculator, Resource};

/// What is known beside the file itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside<'a> {
    /// Of the queues; without them what compares them is left out.
    pub(super) figures: Option<&'a [CapacityFigures]>,
    /// What the nodes have in all.
    pub(super) cluster: Option<&'a Resource>,
    /// Whether yarn-site is: what it does not have is then not set, and Hadoop's default counts.
    pub(super) is_site_known: bool,
}

/// Runs all lints.
pub(super) fn run(file: &CapacityFile, source: &Source<'_>, beside: Beside<'_>, warnings: &mut Warnings<'_>) {
    let Beside { figures, cluster, is_site_known } = beside;
    let minimum = cluster.map(|_| file.settings().minimum);
    let mut lint = Lint { file, source, warnings, minimum, is_site_known, shared: Vec::new() };
    let known = Known::of(file, cluster);
    for (index, queue) in file.queues().iter().enumerate() {
        if lint.warnings.is_full() {
            return;
        }
        let is_known = known.is(index);
        let figures = figures.map(|figures| &figures[index]);
        if let Some(figures) = figures {
            lint.bounds(queue, figures, is_known);
        }
        lint.no_effect(queue);
        lint.priorities(queue);
        if let Some(leaf) = queue.as_leaf() {
            lint.users(queue, leaf);
            lint.applications(queue, leaf, figures, is_known);
        }
    }
    lint.tell_shared();
    lint.sorting();
    lint.workflows();
    acl_lint::check(file, source, is_site_known, lint.warnings);
    mapping::check_lints(file, source, lint.warnings);
    creation_lint::check(file, source, lint.warnings);
    plan_lint::check(file, source, lint.warnings);
    unsupported::check(file, source, lint.warnings);
    // An error may have taken away the very property that a warning would miss.
    if figures.is_some() {
        label_lint::check(file, source, is_site_known, lint.warnings);
    }
    if let Some(cluster) = cluster {
        amount_lint::check(file, source, cluster, lint.warnings);
    }
    lint.other_scheduler();
}

struct Lint<'a, 'w> {
    file: &'a CapacityFile,
    source: &'a Source<'a>,
    warnings: &'a mut Warnings<'w>,
    /// The smallest container, where the cluster is known.
    minimum: Option<Resource>,
    is_site_known: bool,
    /// What properties of the whole scheduler do in a queue.
    shared: Vec<Shared>,
}

/// What a property of the whole scheduler does in the first queue where it does so, and in how many more.
struct Shared {
    property: String,
    code: &'static str,
    message: String,
    effect: String,
    help: String,
    more: usize,
}

impl Lint<'_, '_> {
    fn warn(&mut self, property: &str, code: &'static str, message: &str, effect: &str, help: &str) {
        self.warnings.push(property, code, message, |found| {
            found.effect(effect).help(help);
        });
    }

    /// Warns of what a property does in one queue. One of the whole scheduler is told of once.
    fn warn_of_queue(
        &mut self,
        property: String,
        code: &'static str,
        message: impl Into<String>,
        effect: impl Into<String>,
        help: &str,
    ) {
        let (message, effect) = (message.into(), effect.into());
        if property.strip_prefix(PREFIX).is_none_or(|key| key.contains('.')) {
            return self.warn(&property, code, &message, &effect, help);
        }
        match self.shared.iter_mut().find(|shared| shared.property == property && shared.code == code) {
            Some(shared) => shared.more += 1,
            None => self.shared.push(Shared { property, code, message, effect, help: help.to_owned(), more: 0 }),
        }
    }

    fn tell_shared(&mut self) {
        for Shared { property, code, mut message, effect, help, more } in std::mem::take(&mut self.shared) {
            if more > 0 {
                let queues = if more == 1 { "queue is" } else { "queues are" };
                message.push_str(&format!("; {more} more {queues} affected"));
            }
            self.warn(&property, code, &message, &effect, &help);
        }
    }

    /// The property that says it: the queue's, else the whole scheduler's, else, where neither is written, the queue's
    /// capacity.
    fn said_by(&self, queue: &CapacityQueue, key: &str) -> String {
        let candidates = [Source::of(&queue.path, key), format!("{PREFIX}{key}")];
        let written = candidates.into_iter().find(|property| self.source.raw(property).is_some());
        written.unwrap_or_else(|| Source::of(&queue.path, "capacity"))
    }

    /// What a queue is to have, and what it can have. Figures that are not known say nothing.
    fn bounds(&mut self, queue: &CapacityQueue, figures: &CapacityFigures, is_known: bool) {
        let configured = &queue.capacities[0];
        let label = &figures.labels[0];
        let property = self.said_by(queue, "maximum-capacity");
        let is_reported = configured.maximum_capacity < configured.capacity;
        let has_nothing = is_known && queue.parent.is_some() && label.absolute_maximum_capacity == 0.0;
        if configured.maximum_capacity == 0.0 || has_nothing {
            let effect = "nothing ever runs in it";
            self.warn(&property, "no-room", "leaves the queue nothing", effect, "write at least the capacity");
        } else if is_known && !is_reported && label.absolute_capacity > label.absolute_maximum_capacity {
            let message = format!(
                "lets the queue have {} of the cluster, and {} is guaranteed to it",
                percent(label.absolute_maximum_capacity),
                percent(label.absolute_capacity)
            );
            let effect = "what is guaranteed cannot be had";
            self.warn(
                &property,
                "guarantee-out-of-reach",
                &message,
                effect,
                "raise the maximum, or lower the capacity",
            );
        } else if let Some(minimum) = self.minimum
            && queue.as_leaf().is_some()
        {
            let calculator = self.file.settings().calculator;
            let fits = |room: &Resource| match calculator {
                // It counts memory alone.
                Calculator::Memory => minimum.memory_mb() <= room.memory_mb(),
                Calculator::Dominant => minimum.fits_in(room),
            };
            if !fits(&label.effective_maximum) {
                let message = format!("comes to {} on this cluster", label.effective_maximum);
                let effect = format!("nothing ever runs in it: the smallest container has {minimum}");
                self.warn(&property, "no-room", &message, &effect, "give the queue more, or let containers be smaller");
            } else if label.effective_minimum != Resource::ZERO && !fits(&label.effective_minimum) {
                let property = self.said_by(queue, "capacity");
                let message = format!("comes to {} on this cluster", label.effective_minimum);
                let effect = format!("no container is guaranteed: the smallest has {minimum}");
                self.warn(&property, "guarantee-below-container", &message, &effect, "give the queue more");
            }
        }
    }

    /// What one user may have.
    fn users(&mut self, queue: &CapacityQueue, leaf: &LeafSettings) {
        let factor = leaf.user_limit_factor;
        let property = self.said_by(queue, "user-limit-factor");
        let configured = &queue.capacities[0];
        let is_percentage = configured.capacity > 0.0;
        if (0.0..1.0).contains(&factor) {
            let message = format!("is {factor}");
            let effect = format!(
                "a user who is alone in {} gets at most {} of what is guaranteed to it, and the rest stays free",
                queue.path,
                percent(factor)
            );
            self.warn_of_queue(property, "user-limit-factor", message, effect, "write 1 or more, or -1 for no limit");
        } else if factor > 1.0 && is_percentage && configured.maximum_capacity <= configured.capacity {
            let message = format!("is {factor}, and the queue's maximum capacity is its capacity");
            let effect = "a user cannot get more than the capacity";
            self.warn_of_queue(property, "no-effect", message, effect, "raise maximum-capacity, or write 1");
        }
        let least = leaf.user_limit;
        if least > 0.0 && least < 1.0 {
            let property = self.said_by(queue, "minimum-user-limit-percent");
            let message = format!("is {least}: percent are meant, and {} are {}", least, percent(least / 100.0));
            let effect = format!("up to {} users share {} at a time", (100.0 / least).floor(), queue.path);
            let help = format!("write {} for {}", least * 100.0, percent(least));
            self.warn_of_queue(property, "user-limit-percent", message, effect, &help);
        }
    }

    /// How many applications may come, wait and run.
    fn applications(
        &mut self,
        queue: &CapacityQueue,
        leaf: &LeafSettings,
        figures: Option<&CapacityFigures>,
        is_known: bool,
    ) {
        let refused = "every submission is refused";
        let all_figures = figures;
        let figures = figures.filter(|_| is_known || leaf.maximum_applications >= 0);
        if figures.is_some_and(|figures| figures.max_applications == 0) {
            let property = self.said_by(queue, "maximum-applications");
            let message = format!("comes to none for {}", queue.path);
            self.warn_of_queue(property, "no-applications", message, refused, "write at least 1");
        } else if figures.is_some_and(|figures| figures.max_applications_per_user == 0) {
            let property = self.said_by(queue, "user-limit-factor");
            let message = format!("lets a user have no application in {}", queue.path);
            let help = "raise minimum-user-limit-percent, user-limit-factor or maximum-applications";
            self.warn_of_queue(property, "no-applications", message, refused, help);
        }
        if queue.max_parallel_apps == 0 {
            let property = self.said_by(queue, "max-parallel-apps");
            let message = format!("lets no application of {} run", queue.path);
            let effect = "applications are taken and wait for ever";
            self.warn_of_queue(property, "no-applications", message, effect, "write at least 1");
        }
        let fraction = leaf.max_am_resource_percent;
        let property = self.said_by(queue, "maximum-am-resource-percent");
        let label = all_figures.and_then(|figures| figures.labels.first());
        if fraction > 1.0 {
            let message = format!("is {fraction}: a fraction is meant, {fraction} is {}", percent(fraction));
            let effect = "AMs may fill the queue, and then nothing is left for what they ask for";
            self.warn_of_queue(property, "am-percent", message, effect, "write 0.1 for 10 %");
        } else if let (Some(minimum), Some(label)) = (self.minimum, label) {
            // The limit is rounded up to whole containers, and the first AM is let in whatever it is.
            let part = label.effective_maximum.memory_mb() as f32 * fraction;
            if part <= minimum.memory_mb() as f32 {
                let message = format!(
                    "gives AMs of {} at most {part:.0} MiB (the AM limit is {})",
                    queue.path,
                    percent(fraction)
                );
                let effect = "one application runs at a time: the AM of a second one has no room";
                let help = "raise maximum-am-resource-percent, or give the queue more";
                self.warn_of_queue(property, "am-percent", message, effect, help);
            }
        }
    }

    /// Settings that nothing looks at while others are as they are.
    fn no_effect(&mut self, queue: &CapacityQueue) {
        let parent = queue.parent.map(|parent| &self.file.queues()[parent]);
        if let Some(parent) = parent
            && queue.priority != 0
            && parent.as_parent().is_some_and(|parent| parent.ordering == QueueOrdering::Utilization)
        {
            let property = Source::of(&queue.path, "priority");
            let message = format!("is {}, and {} orders its queues by use alone", queue.priority, parent.path);
            let help =
                format!("set {} to priority-utilization, or remove it", Source::of(&parent.path, "ordering-policy"));
            self.warn(&property, "no-effect", &message, "it does not count", &help);
        }
        if let Some(leaf) = queue.as_leaf() {
            let property = Source::of(&queue.path, "ordering-policy.fair.enable-size-based-weight");
            let is_on = self.source.raw(&property).is_some_and(|text| text.eq_ignore_ascii_case("true"));
            if is_on && !matches!(leaf.ordering, AppOrdering::Fair { .. }) {
                let message = format!("is on, and the queue's ordering policy is {}", leaf.ordering.name());
                let help = format!("set {} to fair, or remove it", Source::of(&queue.path, "ordering-policy"));
                self.warn(&property, "no-effect", &message, "it does not count", &help);
            }
        }
    }

    /// With multi-node placement: leaves whose asks are tried on one node alone, and policies that nobody knows.
    fn sorting(&mut self) {
        const ON: &str = "yarn.scheduler.capacity.multi-node-placement-enabled";
        const POLICY: &str = "yarn.scheduler.capacity.multi-node-sorting.policy";
        let settings = self.file.settings();
        if !settings.multi_node_placement {
            return;
        }
        let runs = |class: &Option<String>| {
            class.as_ref().is_some_and(|class| settings.multi_node_sorting_classes.values().any(|known| known == class))
        };
        let mut without = self
            .file
            .queues()
            .iter()
            .filter(|queue| queue.as_leaf().is_some() && !runs(&queue.multi_node_sorting_class));
        if let Some(queue) = without.next() {
            let more = match without.count() {
                0 => String::new(),
                1 => " (and 1 more queue)".to_owned(),
                more => format!(" (and {more} more queues)"),
            };
            let message = format!("is on, and no policy that runs sorts nodes for {}{more}", queue.path);
            let help = format!("list a policy in {POLICY}.names, and name it in {POLICY}");
            self.warn(ON, "no-effect", &message, "its asks are tried on the first node of a partition alone", &help);
        }
        for (name, class) in &settings.multi_node_sorting_classes {
            if !SHIPPED_SORTING_POLICIES.contains(&&**class) {
                let property = format!("{POLICY}.{name}.class");
                let message = format!("is {class}, which only a program that embeds Evenweave may have");
                let near = nearest(class, SHIPPED_SORTING_POLICIES);
                let meant = near.map(|near| format!("did you mean {near}? Else ")).unwrap_or_default();
                self.warnings.push(&property, "unsupported", &message, |found| {
                    found.effect("Evenweave does not start with it unless its builder is given such a policy").help(
                        format!("{meant}set it to evenweave.FullestFirst, evenweave.EmptiestFirst or Hadoop's policy"),
                    );
                });
            }
        }
    }

    /// Who may have which priority.
    fn priorities(&mut self, queue: &CapacityQueue) {
        let property = Source::of(&queue.path, "acl_application_max_priority");
        // `*` is the default.
        let Some(text) = self.source.text(&property).filter(|text| java::trim(text) != "*") else { return };
        if queue.as_leaf().is_none() {
            let effect = "it does not count, here or below: only leaf queues are asked";
            self.warn(&property, "no-effect", "is of a queue that is no leaf", effect, "write it for each leaf queue");
        } else if !self.file.settings().acl_enable && self.is_site_known {
            let message = "is set, and yarn.acl.enable is not";
            self.warn(&property, "no-effect", message, "it does not count", "set yarn.acl.enable, or remove it");
        } else if self.is_most_known() {
            for (message, effect, help) in oddities(&text, self.file.settings().max_application_priority) {
                self.warn(&property, "priority-acl-odd", &message, effect, help);
            }
        }
    }

    /// Whether the largest priority is known: it stands in yarn-site.
    fn is_most_known(&self) -> bool {
        self.is_site_known || self.source.raw("yarn.cluster.max-application-priority").is_some()
    }

    /// Priorities of workflows.
    fn workflows(&mut self) {
        const PROPERTY: &str = "yarn.scheduler.capacity.workflow-priority-mappings";
        let (mappings, settings) = (self.file.workflow_priorities(), self.file.settings());
        if mappings.is_empty() {
            return;
        }
        if !settings.workflow_priority_mappings_override {
            let message = "is set, and workflow-priority-mappings-override.enable is not";
            self.warn(PROPERTY, "no-effect", message, "it does not count", "set that to true, or remove it");
            return;
        }
        let most = settings.max_application_priority;
        for (queue, of) in mappings {
            if !queue.starts_with("root.") {
                let message = format!("has {queue:?} for a queue");
                let effect = "it does not count: queues are found by their full path, and root is not asked";
                self.warn(PROPERTY, "workflow-priority", &message, effect, "write the full path of a queue below root");
            }
            let above = of.iter().find(|(_, priority)| **priority > most);
            if let Some((workflow, priority)) = above.filter(|_| self.is_most_known()) {
                let message = format!(
                    "has priority {priority} for {workflow} in {queue}, and yarn.cluster.max-application-priority is {most}"
                );
                let help = "raise the cluster's, or lower this one";
                self.warn(PROPERTY, "workflow-priority", &message, "the smaller one counts", help);
            }
        }
    }

    /// The class of the site.
    fn other_scheduler(&mut self) {
        let Some(class) = self.source.raw(SCHEDULER_CLASS) else { return };
        if !SchedulerKind::Capacity.is(class) {
            let message = format!("is {class:?}");
            let effect = "Hadoop would start another scheduler, or none, and not read the CapacityScheduler's file";
            self.warn(SCHEDULER_CLASS, "other-scheduler", &message, effect, &SchedulerKind::Capacity.help());
        }
    }
}

fn percent(fraction: f32) -> String {
    format!("{} %", (fraction * 1000.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::{SiteFile, SiteProperties};

    /// The codes of what is found in two queues `a` and `b` of 50 % each, with more properties; the prefix is left out.
    fn codes(more: &[(&str, &str)], cluster: Option<Resource>) -> Vec<&'static str> {
        let parse = |name: &str, properties: &mut dyn Iterator<Item = (String, &str)>| {
            let property = |(name, value)| format!("<property><name>{name}</name><value>{value}</value></property>");
            let text = format!("<configuration>{}</configuration>", properties.map(property).collect::<String>());
            SiteFile::parse(&text, name).unwrap()
        };
        let (of_site, own): (Vec<_>, Vec<_>) = more.iter().copied().partition(|(name, _)| name.starts_with("yarn."));
        let mut site = SiteProperties::new();
        site.add(&parse("yarn-site.xml", &mut of_site.into_iter().map(|(name, value)| (name.to_owned(), value))));
        let all = [("root.queues", "a,b"), ("root.a.capacity", "50"), ("root.b.capacity", "50")].into_iter().chain(own);
        let file = parse("capacity-scheduler.xml", &mut all.map(|(name, value)| (format!("{PREFIX}{name}"), value)));
        let (read, found) = CapacityFile::check(&site, &file, cluster.as_ref());
        assert!(read.is_some(), "{found:?}");
        assert!(
            found.iter().all(|found| found.at.is_some() && found.effect.is_some() && found.help.is_some()),
            "{found:?}"
        );
        found.iter().map(|found| found.code).collect()
    }

    const LARGE: Option<Resource> = Some(Resource::new(1_024_000, 1000));

    #[test]
    fn a_sensible_file_passes_without_a_word() {
        let sensible = [
            ("root.a.maximum-capacity", "100"),
            ("root.a.user-limit-factor", "2"),
            ("root.a.minimum-user-limit-percent", "25"),
            ("root.a.ordering-policy", "fair"),
            ("root.a.ordering-policy.fair.enable-size-based-weight", "true"),
            ("root.ordering-policy", "priority-utilization"),
            ("root.a.priority", "5"),
            ("yarn.acl.enable", "true"),
            ("root.acl_submit_applications", " "),
            ("root.acl_administer_queue", "ops"),
            ("root.a.acl_submit_applications", "ann"),
            ("root.a.acl_administer_queue", "ann"),
            ("yarn.cluster.max-application-priority", "9"),
            ("root.a.acl_application_max_priority", "[user=ann,bo group=dev max_priority=9 default_priority=3]"),
            ("root.b.acl_application_max_priority", "*"),
            ("queue-mappings", "u:ann:a,u:%user:b"),
        ];
        assert_eq!(codes(&sensible, LARGE), [""; 0]);
        assert_eq!(codes(&sensible, None), [""; 0]);
        assert_eq!(codes(&[], LARGE), [""; 0]);
    }

    #[test]
    fn what_is_probably_a_mistake_is_found() {
        for (more, code) in [
            (vec![("root.a.user-limit-factor", "0.5")], "user-limit-factor"),
            (vec![("root.a.user-limit-factor", "3"), ("root.a.maximum-capacity", "50")], "no-effect"),
            (vec![("root.a.maximum-am-resource-percent", "10")], "am-percent"),
            (vec![("root.a.maximum-applications", "0")], "no-applications"),
            (vec![("root.a.max-parallel-apps", "0")], "no-applications"),
            (vec![("root.a.priority", "2")], "no-effect"),
            (vec![("root.a.ordering-policy.fair.enable-size-based-weight", "true")], "no-effect"),
            (vec![("yarn.acl.enable", "true"), ("root.a.acl_submit_applications", "ann")], "acl-open-above"),
            (vec![("queue-mappings", "u:%user:a,u:ann:b")], "mapping-unreachable"),
            (vec![("queue-mappings", "u:ann:b"), ("root.b.state", "STOPPED")], "mapping-stopped"),
        ] {
            assert_eq!(codes(&more, LARGE), [code], "{more:?}");
        }
        assert_eq!(
            codes(&[("root.a.minimum-user-limit-percent", "1"), ("root.a.maximum-applications", "50")], None),
            ["no-applications"]
        );
    }

    #[test]
    fn what_a_priority_acl_does_without_a_word_is_found() {
        let acls = |queue: &'static str, text| [("yarn.acl.enable", "true"), (queue, text)];
        let a = "root.a.acl_application_max_priority";
        let ten = ("yarn.cluster.max-application-priority", "10");
        let none = codes(&[(a, "[user=ann max_priority=1 default_priority=1]")], None);
        assert_eq!(none, ["no-effect"], "ACLs are off");
        let of_root = acls("root.acl_application_max_priority", "[user=ann max_priority=0 default_priority=0]");
        assert_eq!(codes(&of_root, None), ["no-effect"]);
        for (text, odd) in [
            ("[user=ann max_priority=10 default_priority=10]", 0),
            ("ann", 1),
            ("[user=ann max_priority=11 default_priority=1]", 1),
            ("[user=ann max_priority=5]", 1),
            ("[user=ann max_priority=5 default_priority=6]", 1),
            ("[group=dev max_priority=5 default_priority=1]", 1),
            ("[user=ann user=bo max_priority=5 default_priority=1]", 1),
            ("[user=ann max_priority=5] [user=bo group=dev group=ops max_priority=12]", 4),
        ] {
            let [acl, text] = acls(a, text);
            assert_eq!(codes(&[acl, text, ten], None), vec!["priority-acl-odd"; odd], "{text:?}");
        }
    }

    #[test]
    fn what_priorities_of_workflows_do_without_a_word_is_found() {
        let on = ("workflow-priority-mappings-override.enable", "true");
        let ten = ("yarn.cluster.max-application-priority", "10");
        let mappings = |text| ("workflow-priority-mappings", text);
        assert_eq!(codes(&[mappings("w:root.a:3"), ten], None), ["no-effect"]);
        for (text, odd) in [("w:root.a:10", 0), ("w:a:3", 1), ("w:root:3", 1), ("w:root.a:11,v:root.a:12", 1)] {
            assert_eq!(codes(&[on, ten, mappings(text)], None), vec!["workflow-priority"; odd], "{text}");
        }
    }

    #[test]
    fn plans_in_which_nothing_can_be_reserved_are_found() {
        const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.";
        let no_over_commit = format!("{PACKAGE}NoOverCommitPolicy");
        let greedy = format!("{PACKAGE}planning.GreedyReservationAgent");
        let plan = ("root.a.reservable", "true");
        let on = ("yarn.resourcemanager.reservation-system.enable", "true");
        let at_once = ("plan-queues.update-at-once", "true");
        assert_eq!(codes(&[plan, on], LARGE), ["plan-queues-wait"]);
        let sensible = [
            plan,
            on,
            at_once,
            ("root.a.reservation-agent", greedy.as_str()),
            ("root.a.average-capacity", "25"),
            ("root.a.instantaneous-max-capacity", "50"),
            ("root.a.reservation-window", "3600000"),
            ("root.a.acl_submit_reservations", "ann"),
            ("root.a.acl_administer_reservations", " ops"),
        ];
        assert_eq!(codes(&sensible, LARGE), [""; 0]);
        for (more, code) in [
            (vec![("root.a.reservation-agent", "GreedyReservationAgent")], "reservation-class"),
            (vec![("root.a.reservation-policy", greedy.as_str())], "reservation-class"),
            (vec![("root.a.reservation-planner", "none")], "reservation-class"),
            (vec![("root.a.average-capacity", "0")], "reservation-limit"),
            (vec![("root.a.instantaneous-max-capacity", "-1")], "reservation-limit"),
            (vec![("root.a.reservation-window", "0")], "reservation-limit"),
            (vec![("root.a.reservation-enforcement-window", "0")], "reservation-limit"),
            (vec![("root.a.acl_list_reservations", "ann")], "reservation-acl-open"),
            (
                vec![("root.a.acl_submit_reservations", "ann"), ("root.a.acl_administer_reservations", "*")],
                "reservation-acl-open",
            ),
            (vec![("root.a.average-capacity", "0"), ("root.a.reservation-policy", &no_over_commit)], "no-effect"),
            (vec![("root.b.reservation-window", "5")], "no-effect"),
            (vec![("root.b.acl_submit_reservations", "ann")], "no-effect"),
            (vec![("root.acl_submit_reservations", "ann")], "no-effect"),
            (vec![("a.acl_submit_reservations", "ann")], "unknown-property"),
        ] {
            let all: Vec<_> = [plan, on, at_once].into_iter().chain(more.iter().copied()).collect();
            assert_eq!(codes(&all, LARGE), [code], "{more:?}");
        }
        let off = ("yarn.resourcemanager.reservation-system.enable", "false");
        assert_eq!(codes(&[plan, off], LARGE), ["reservations-off"]);
        assert_eq!(codes(&[plan], LARGE), [""; 0], "the site is not known");
        assert_eq!(codes(&[off], LARGE), [""; 0]);
    }

    #[test]
    fn the_class_of_the_site_reads_the_file() {
        let class = |class| [(SCHEDULER_CLASS, class)];
        for kind in [SchedulerKind::Capacity, SchedulerKind::Fair] {
            let expected = vec!["other-scheduler"; usize::from(kind == SchedulerKind::Fair)];
            assert_eq!(codes(&class(kind.class()), None), expected, "{kind:?}");
            assert_eq!(codes(&class(kind.own_class()), None), expected, "{kind:?}");
        }
        assert_eq!(codes(&class("x.CapacityScheduler"), None), ["other-scheduler"]);
    }

    #[test]
    fn on_a_small_cluster_more_is_found() {
        let small = Some(Resource::new(8192, 8));
        assert_eq!(codes(&[], small), ["am-percent"; 2], "a tenth of 8 GiB is less than an AM");
        let small_queue = [("root.a.capacity", "5"), ("root.b.capacity", "95"), ("maximum-am-resource-percent", "1")];
        assert_eq!(codes(&small_queue, small), ["guarantee-below-container"]);
        let capped: Vec<_> = small_queue.into_iter().chain([("root.a.maximum-capacity", "5")]).collect();
        assert_eq!(codes(&capped, small)[0], "no-room");
        assert_eq!(codes(&small_queue, LARGE), [""; 0]);
    }

    #[test]
    fn a_property_of_the_whole_scheduler_is_told_of_once() {
        for (key, value, code) in [
            ("maximum-am-resource-percent", "10", "am-percent"),
            ("maximum-am-resource-percent", "0.0001", "am-percent"),
            ("user-limit-factor", "0.5", "user-limit-factor"),
            ("max-parallel-apps", "0", "no-applications"),
        ] {
            assert_eq!(codes(&[(key, value)], LARGE), [code], "{key} {value}");
        }
        let own = [("maximum-am-resource-percent", "10"), ("root.a.maximum-am-resource-percent", "20")];
        assert_eq!(codes(&own, None), ["am-percent"; 2], "one of the queue, and one of all others");
    }

    #[test]
    fn a_class_of_our_own_that_is_not_there_has_a_proposal() {
        let pairs = [
            ("multi-node-placement-enabled", "true"),
            ("multi-node-sorting.policy.names", "x"),
            ("multi-node-sorting.policy", "x"),
            ("multi-node-sorting.policy.x.class", "evenweave.FullestFrist"),
            ("root.queues", "a"),
            ("root.a.capacity", "100"),
        ];
        let property = |(name, value): (&str, &str)| {
            format!("<property><name>{PREFIX}{name}</name><value>{value}</value></property>")
        };
        let text = format!("<configuration>{}</configuration>", pairs.map(property).concat());
        let file = SiteFile::parse(&text, "capacity-scheduler.xml").unwrap();
        let (_, found) = CapacityFile::check(&SiteProperties::new(), &file, None);
        assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), ["unsupported"]);
        let help = found[0].help.as_deref().unwrap_or_default();
        assert!(help.starts_with("did you mean evenweave.FullestFirst? Else set it to "), "{help}");
    }

    #[test]
    fn a_guarantee_by_weight_may_be_out_of_reach() {
        let weights = [("root.a.capacity", "1w"), ("root.b.capacity", "1w"), ("root.a.maximum-capacity", "20")];
        assert_eq!(codes(&weights, LARGE), ["guarantee-out-of-reach"]);
    }
}
