//! What a conversion changes in meaning: for the operator, the most consequential first.
//!
//! Both schedulers' rules side by side; what is said is said only where the configuration has to do with it.

use super::acls::nobody_at_root;
use super::context::Context;
use super::tree::Queue;
use crate::allocation_file::{PolicyName, QueueSettings};
use crate::placement_rules::PlacementRule;
use crate::site::SiteProperties;
use evenweave_resource::sorted;
use std::collections::BTreeMap;

/// How much a change matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// What is written does harm, or does not work at all: correct it, or have it written otherwise with
    /// [`ConvertOptions::safe`](super::ConvertOptions::safe).
    Harm,
    /// Applications get something else than before.
    Different,
    /// To be known.
    Note,
}

/// One thing that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// A short stable name of its kind.
    pub code: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// What changes.
    pub message: String,
    /// What can be done about it.
    pub help: Option<String>,
}

impl Change {
    /// The allocation file was not found, and Hadoop's converter goes on without it.
    pub(super) fn not_read(path: &str) -> Change {
        Change {
            code: "not-read",
            weight: Weight::Harm,
            message: format!(
                "{path} is not read: Hadoop looks for a relative path on its class path alone, and goes on without any queue"
            ),
            help: Some("give an absolute path, or use --safe".to_owned()),
        }
    }
}

/// The most names of queues in a message.
const MAX_NAMES: usize = 8;

struct Changes<'a> {
    queues: &'a Context<'a>,
    list: Vec<Change>,
}

impl Changes<'_> {
    fn say(&mut self, code: &'static str, weight: Weight, message: impl Into<String>, help: impl Into<String>) {
        let help = Some(help.into()).filter(|help| !help.is_empty());
        self.list.push(Change { code, weight, message: message.into(), help });
    }

    /// The names of the queues of which something holds; none where it holds of none.
    fn named(&self, holds: impl Fn(&Queue, Option<&QueueSettings>) -> bool) -> Option<String> {
        let tree = self.queues.tree;
        let queues = tree.in_order().into_iter().map(|index| &tree.queues[index]);
        let names: Vec<&str> =
            queues.filter(|queue| holds(queue, self.queues.settings(queue))).map(|queue| queue.name.as_str()).collect();
        if names.is_empty() { None } else { Some(list_of(&names)) }
    }

    /// The same of one setting of a queue.
    fn with(&self, holds: impl Fn(&QueueSettings) -> bool) -> Option<String> {
        self.named(|_, settings| settings.is_some_and(&holds))
    }
}

fn list_of(names: &[&str]) -> String {
    let shown = names.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What changes, the most consequential first. `capacity`: what is written into capacity-scheduler.xml.
pub(super) fn changes(
    queues: &Context<'_>,
    site: &SiteProperties,
    rules: &[PlacementRule],
    capacity: &BTreeMap<String, String>,
) -> Vec<Change> {
    let mut changes = Changes { queues, list: Vec::new() };
    not_made(&mut changes);
    limits(&mut changes);
    access(&mut changes, capacity);
    sharing(&mut changes);
    applications(&mut changes);
    preemption(&mut changes, site);
    creation(&mut changes, rules);
    heartbeats(&mut changes, capacity);
    changes.say(
        "patch",
        Weight::Note,
        "the written yarn-site.xml holds only what is to be changed",
        "merge it into the old one, remove the lines of yarn.scheduler.fair. there, and keep allocation bounds, resource types and \
         yarn.acl.enable",
    );
    let mut list = changes.list;
    sorted::by_key(&mut list, |change| change.weight);
    list
}

/// Queues of the file that FairScheduler itself refuses.
fn not_made(changes: &mut Changes<'_>) {
    let tree = changes.queues.tree;
    let made: rustc_hash::FxHashSet<&str> =
        tree.in_order().into_iter().map(|index| tree.queues[index].name.as_str()).collect();
    let file = changes.queues.file;
    let missing: Vec<&str> =
        file.leaves.union(&file.parents).map(String::as_str).filter(|name| !made.contains(name)).collect();
    if !missing.is_empty() {
        changes.say(
            "not-made",
            Weight::Harm,
            format!("{}: FairScheduler does not make these queues, so they are not converted", list_of(&missing)),
            "the notices say why; give the queues above them a policy that allows theirs, such as drf for drf",
        );
    }
}

fn limits(changes: &mut Changes<'_>) {
    let (safe, cluster) = (changes.queues.options.safe, changes.queues.options.cluster.is_some());
    let everywhere = changes.queues.outline.has_max_default;
    let most = changes.with(|settings| settings.max.is_some());
    if let Some(names) = most.or_else(|| everywhere.then(|| "all queues (queueMaxResourcesDefault)".to_owned())) {
        if safe {
            let left =
                if cluster { "" } else { "; maxima in amounts are lost, because the size of the cluster is not given" };
            changes.say(
                "maximum",
                Weight::Different,
                format!(
                    "{names}: maxResources is written as maximum-capacity, a part of what the parent may have, and counts {}{left}",
                    if changes.queues.drf { "the type that bounds most" } else { "memory alone" }
                ),
                if cluster { "" } else { "give the cluster's size with --cluster-resource" },
            );
        } else {
            changes.say(
                "maximum",
                Weight::Harm,
                format!("{names}: maxResources is lost, every queue may take the whole cluster"),
                "write maximum-capacity by hand, or use --safe with --cluster-resource",
            );
        }
    }
    if let Some(names) = changes.with(|settings| settings.min.is_some_and(|least| !least.is_zero())) {
        changes.say(
            "minimum",
            Weight::Different,
            format!("{names}: minResources is lost; a CapacityScheduler knows one guarantee only, the capacity"),
            "raise the capacity where a minimum mattered",
        );
    }
    if let Some(names) = changes.with(|settings| settings.max_child.is_some()) {
        let message = format!(
            "{names}: maxChildResources is lost, queues that are made there may take all that their parent may"
        );
        changes.say("child-maximum", Weight::Different, message, "");
    }
    if let Some(names) = changes.with(|settings| settings.max_container.is_some()) {
        changes.say(
            "container-maximum",
            Weight::Note,
            format!("{names}: of maxContainerAllocation memory and vcores are kept, other resource types are not"),
            "the scheduler refuses a queue's maximum above yarn.scheduler.maximum-allocation-mb and -vcores: keep these in \
             yarn-site.xml; the verification does not read them",
        );
    }
}

fn access(changes: &mut Changes<'_>, capacity: &BTreeMap<String, String>) {
    if nobody_at_root(changes.queues.outline).contains(&true) {
        if changes.queues.options.safe {
            changes.say(
                "root-acl",
                Weight::Note,
                "root allows nobody: a blank is written, which Hadoop's converter leaves out",
                "",
            );
        } else {
            changes.say(
                "root-acl",
                Weight::Harm,
                "root allows nobody, and that is not written: then root allows everybody, and so does every queue below it",
                "set root.acl_submit_applications and root.acl_administer_queue to one blank, or use --safe",
            );
        }
    }
    let restricts = |(name, value): (&String, &String)| name.contains(".acl_") && value != "*";
    if capacity.iter().any(restricts) {
        changes.say(
            "acl-switch",
            Weight::Different,
            "access lists count only with yarn.acl.enable, which is not carried over; FairScheduler looks at them always",
            "set yarn.acl.enable to true in yarn-site.xml",
        );
    }
}

fn sharing(changes: &mut Changes<'_>) {
    let (percentages, safe, drf) =
        (changes.queues.options.percentages, changes.queues.options.safe, changes.queues.drf);
    changes.say(
        "shares",
        Weight::Different,
        format!(
            "FairScheduler divides the cluster among the queues that are active, a CapacityScheduler among all siblings{}; what idle \
             ones leave goes to whoever has the least of its guarantee",
            if percentages { "" } else { ", those that make themselves included" }
        ),
        "",
    );
    if drf {
        if let Some(names) = changes.named(|queue, _| queue.leaf && queue.policy == PolicyName::Fair) {
            let message =
                format!("{names}: these were shared by memory; now all queues are compared by their dominant resource");
            changes.say("drf", Weight::Different, message, "");
        }
    } else {
        changes.say(
            "memory-only",
            Weight::Different,
            "no queue shares by drf, so memory alone is counted, also for what fits on a node; FairScheduler never fills a node \
             beyond its vcores",
            "set yarn.scheduler.capacity.resource-calculator to org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
        );
    }
    let odd = changes.with(|settings| settings.weight.is_some_and(|weight| !(0.0..=10_000.0).contains(&weight)));
    if let Some(names) = odd {
        let (weight, message) = if safe {
            (Weight::Note, "is written as 0, or in proportion to 10000")
        } else {
            (Weight::Harm, "is outside of what a CapacityScheduler takes, 0 to 10000")
        };
        changes.say("weight-range", weight, format!("{names}: the weight {message}"), "");
    }
    if let Some(names) = changes.with(|settings| settings.weight == Some(0.0)) {
        changes.say(
            "weight-zero",
            Weight::Different,
            format!(
                "{names}: weight 0 is no guarantee at all: these come last, and are the first to be preempted from"
            ),
            if percentages && !safe { "with children below such a queue the file cannot be loaded" } else { "" },
        );
    }
    let uneven = |settings: &QueueSettings| settings.weight.is_some_and(|weight| weight.fract() != 0.0);
    if let Some(names) = changes.with(uneven).filter(|_| percentages && !safe) {
        changes.say(
            "weight-fraction",
            Weight::Harm,
            format!(
                "{names}: the sum of weights is cut to a whole number, so that percentages are not in their proportion"
            ),
            "multiply all weights of siblings until they are whole numbers, or use --safe",
        );
    }
    changes.say(
        "in-a-leaf",
        Weight::Different,
        "in a leaf `fair` gives to the application with the least memory first; applications have no shares, and wait by the AM limit alone",
        "",
    );
}

fn applications(changes: &mut Changes<'_>) {
    let (safe, file) = (changes.queues.options.safe, changes.queues.file);
    let default = file.queue_max_am_share;
    let lost = changes.with(|settings| settings.max_am_share == Some(0.0) && default != 0.0);
    if let Some(names) = lost.filter(|_| !safe) {
        changes.say(
            "am-share-zero",
            Weight::Harm,
            format!("{names}: maxAMShare 0 is lost, and the default counts"),
            "write maximum-am-resource-percent by hand, or use --safe",
        );
    }
    changes.say(
        "am-share",
        Weight::Different,
        "the AM share is one of what a leaf may have at most, not of its share at the moment; one user's AMs may have that part of the \
         leaf's guarantee, however idle the cluster is",
        "",
    );
    let exempted =
        changes.with(|settings| settings.max_running_apps == Some(i32::MAX) && file.queue_max_apps != i32::MAX);
    if let Some(names) = exempted.filter(|_| !safe) {
        changes.say(
            "running-apps",
            Weight::Harm,
            format!("{names}: maxRunningApps 2147483647 is lost, and queueMaxAppsDefault counts"),
            "write max-parallel-apps by hand, or use --safe",
        );
    }
    changes.say(
        "new-limits",
        Weight::Note,
        "new limits: 10000 applications in all, and in each queue its part of them; one container off the asked-for rack and 100 in all a \
         heartbeat",
        "",
    );
}

fn preemption(changes: &mut Changes<'_>, site: &SiteProperties) {
    let (options, on) = (changes.queues.options, changes.queues.start.preemption);
    if options.no_preemption && !options.safe {
        changes.say(
            "no-preemption",
            if on { Weight::Harm } else { Weight::Note },
            "--disable-preemption nopolicy changes nothing",
            "remove the policy from yarn.resourcemanager.scheduler.monitor.policies by hand, or use --safe",
        );
    }
    if !on {
        return;
    }
    changes.say(
        "preemption",
        Weight::Different,
        "preemption goes by guarantees alone: no timeouts, no thresholds, no utilisation to be reached first; each round takes back what is \
         beyond a guarantee for queues below theirs",
        "",
    );
    let timeouts = changes.with(|settings| {
        settings.min_share_preemption_timeout_ms.is_some()
            || settings.fair_share_preemption_timeout_ms.is_some()
            || settings.fair_share_preemption_threshold.is_some()
    });
    if let Some(names) = timeouts {
        changes.say("timeouts", Weight::Different, format!("{names}: preemption timeouts and thresholds are lost"), "");
    }
    if site.raw("yarn.scheduler.fair.am.preemption").is_some() {
        changes.say("am-preemption", Weight::Note, "am.preemption is lost: AMs are spared as far as possible", "");
    }
}

fn creation(changes: &mut Changes<'_>, rules: &[PlacementRule]) {
    let (percentages, safe, options) =
        (changes.queues.options.percentages, changes.queues.options.safe, changes.queues.options);
    if percentages {
        changes.say(
            "no-creation",
            Weight::Different,
            "with percentages no queue makes itself: users and groups need queues, or their applications go on to the next rule",
            "",
        );
        let empty = changes.named(|queue, _| !queue.leaf && queue.children.is_empty());
        if let Some(names) = empty {
            let message = format!("{names}: a parent without children becomes an ordinary leaf, first in, first out");
            changes.say("empty-parent", Weight::Different, message, "");
        }
    } else {
        changes.say(
            "creation",
            Weight::Different,
            "every parent, root included, now gets children from any rule with create, at most two levels deep; empty ones go 10 s after \
             the last submission",
            "",
        );
    }
    if let Some(names) = changes.with(|settings| settings.reservation) {
        let message = format!("{names}: a queue with reservations becomes an ordinary empty parent; there is no plan");
        changes.say("reservation", Weight::Different, message, "");
    }
    if options.skip_placement_rules {
        changes.say(
            "rules-skipped",
            Weight::Different,
            "placement rules are not converted: applications go where their submission says",
            "",
        );
        return;
    }
    changes.say(
        "placement",
        Weight::Different,
        "where no rule places, the queue that the submission names is tried, and FairScheduler rejects; `exists` now includes queues that made \
         themselves",
        "",
    );
    if rules.iter().any(|rule| rule.parent.is_some()) {
        let message = "a rule and the one inside it have one create flag now; a secondary group is one after the first";
        changes.say("nested-rules", Weight::Different, message, "");
    }
    if options.rules_to_file && !(safe && options.rules_path.is_some()) {
        changes.say(
            "rules-file",
            Weight::Harm,
            "no property points to mapping-rules.json: the scheduler starts without any rule",
            "set yarn.scheduler.capacity.mapping-rule-json-file to its path, or use --safe",
        );
    }
}

fn heartbeats(changes: &mut Changes<'_>, capacity: &BTreeMap<String, String>) {
    let (start, safe) = (changes.queues.start, changes.queues.options.safe);
    if start.locality_node != -1.0 || start.locality_rack != -1.0 {
        if safe {
            let message = "locality thresholds are left out: a part of the nodes is no number of missed opportunities";
            changes.say("locality", Weight::Different, message, "set node-locality-delay by hand where it matters");
        } else {
            changes.say(
                "locality",
                Weight::Harm,
                "locality thresholds are written into properties that hold a whole number: the ResourceManager does not start with them",
                "remove node-locality-delay and rack-locality-additional-delay, or use --safe",
            );
        }
    }
    // With one container a heartbeat there is nothing to limit.
    if start.assign_multiple && start.max_assign <= 0 && start.max_assign != -1 && !safe {
        let most = start.max_assign;
        let message = format!("max.assign {most} was no limit; written as {most} it is one container a heartbeat");
        changes.say("max-assign", Weight::Harm, message, "write -1, or use --safe");
    }
    if start.assign_multiple {
        let message = "dynamic.max.assign, half of what a node has free, has no counterpart";
        changes.say("dynamic-max-assign", Weight::Different, message, "");
    }
    if start.continuous {
        let message = "continuous scheduling becomes asynchronous scheduling, which has threads of its own";
        changes.say("asynchronous", Weight::Different, message, "");
    }
    if changes.queues.types.len() > 2 && !safe {
        changes.say(
            "resource-types",
            Weight::Note,
            "with resource types of one's own the verification of Hadoop's converter always fails",
            "use --skip-verification or --safe",
        );
    }
    if capacity.keys().any(|name| name.ends_with(".maximum-allocation-mb")) && !safe {
        changes.say(
            "verification",
            Weight::Note,
            "the verification takes 8192 MB and 4 vcores for the largest container, whatever yarn-site.xml says",
            "use --skip-verification or --safe",
        );
    }
}
