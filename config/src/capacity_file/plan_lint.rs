//! Lints of plans: those in which nothing can be reserved, and what is said of reservations where there are none.

use super::file::CapacityFile;
use super::queue::{CapacityQueue, PlanSettings};
use super::settings::PLAN_QUEUES_AT_ONCE;
use super::source::{PREFIX, Source};
use super::warnings::Warnings;
use crate::acl::AccessControlList;
use crate::quoted::shown;
use crate::reservation_classes::{RESERVATION_CLASSES, is_no_over_commit};

const ENABLE: &str = "yarn.resourcemanager.reservation-system.enable";
const AVERAGE: &str = "average-capacity";
const AT_ONCE: &str = "instantaneous-max-capacity";
const RESERVABLE: &str = "reservable";
const WINDOW: &str = "reservation-window";
const ENFORCEMENT: &str = "reservation-enforcement-window";

/// What only plans are asked for.
const OF_PLANS: [&str; 11] = [
    "acl_administer_reservations",
    "acl_list_reservations",
    "acl_submit_reservations",
    AVERAGE,
    AT_ONCE,
    "reservation-agent",
    ENFORCEMENT,
    "reservation-move-on-expiry",
    "reservation-planner",
    "reservation-policy",
    WINDOW,
];

/// Runs them.
pub(super) fn check(file: &CapacityFile, source: &Source<'_>, warnings: &mut Warnings<'_>) {
    let mut lint = PlanLint { source, warnings };
    let mut first = None;
    for queue in file.queues() {
        match queue.as_parent().and_then(|parent| parent.plan.as_ref()) {
            Some(plan) => {
                first = first.or(Some(queue));
                lint.classes(queue, plan);
                lint.limits(queue, plan);
                lint.open(queue);
            }
            None => lint.unused(queue),
        }
    }
    let is_on = source.raw(ENABLE).is_some_and(|text| text.trim().eq_ignore_ascii_case("true"));
    if let Some(plan) = first.filter(|_| is_on && !file.settings().plan_queues_update_at_once) {
        let message = "is true: what the plan's queues are given counts when the cluster or the queues change next";
        let effect = "until then applications of a reservation get no container, as in Hadoop";
        let help = format!(
            "set {PREFIX}{PLAN_QUEUES_AT_ONCE} to true here, or refresh the queues after each reservation has begun"
        );
        lint.warn(plan, RESERVABLE, "plan-queues-wait", message, effect, &help);
    }
    // Where the site is known.
    if let Some(plan) = first
        && source.raw(ENABLE).is_some_and(|text| !text.trim().eq_ignore_ascii_case("true"))
    {
        let effect = "nothing can be reserved: it is a parent, whose applications are in a child of their own";
        let help = format!("set {ENABLE} to true in yarn-site.xml, or remove it");
        lint.warn(plan, RESERVABLE, "reservations-off", &format!("is true, and {ENABLE} is not"), effect, &help);
    }
}

struct PlanLint<'a, 'w> {
    source: &'a Source<'a>,
    warnings: &'a mut Warnings<'w>,
}

impl PlanLint<'_, '_> {
    fn warn(&mut self, queue: &CapacityQueue, key: &str, code: &'static str, message: &str, effect: &str, help: &str) {
        self.warnings.push(&Source::of(&queue.path, key), code, message, |found| {
            found.effect(effect).help(help);
        });
    }

    fn says(&self, queue: &CapacityQueue, key: &str) -> Option<&str> {
        self.source.raw(&Source::of(&queue.path, key))
    }

    /// A class that Hadoop does not have has to come from elsewhere.
    fn classes(&mut self, queue: &CapacityQueue, plan: &PlanSettings) {
        for (of, class) in RESERVATION_CLASSES.iter().zip([&plan.agent, &plan.policy, &plan.planner]) {
            if !of.has(class) {
                let message = format!("is {}, which is no class of Hadoop's", shown(class));
                let effect =
                    "with reservations on the ResourceManager does not start, unless the class is on its class path";
                self.warn(queue, of.named_by, "reservation-class", &message, effect, &of.instead_of(class));
            }
        }
    }

    /// Figures with which everything is refused, and those that nobody looks at.
    fn limits(&mut self, queue: &CapacityQueue, plan: &PlanSettings) {
        const REFUSED: &str = "every reservation is refused";
        let is_bounded = !is_no_over_commit(&plan.policy);
        let (average, at_once) = (plan.average_capacity, plan.instantaneous_max_capacity);
        for (key, figure) in [(AVERAGE, average), (AT_ONCE, at_once)] {
            if is_bounded && figure <= 0.0 {
                let message = format!("is {figure}: nobody may have anything");
                self.warn(queue, key, "reservation-limit", &message, REFUSED, "write percent of the plan, up to 100");
            } else if is_bounded && figure < 1.0 {
                let message = format!("is {figure}: percent are meant, and this is less than one");
                let help = format!("write {} for {0} percent", figure * 100.0);
                let effect = "reservations of more are refused";
                self.warn(queue, key, "reservation-limit", &message, effect, &help);
            }
        }
        if is_bounded && plan.window_ms <= 0 {
            let message = format!("is {}: there is no average over it", plan.window_ms);
            let effect =
                if plan.window_ms == 0 { REFUSED } else { "averages are wrong, and with them what is refused" };
            self.warn(queue, WINDOW, "reservation-limit", &message, effect, "write ms, such as 86400000 for a day");
        }
        for key in [AVERAGE, AT_ONCE, WINDOW] {
            if !is_bounded && self.says(queue, key).is_some() {
                let message = "is set, and the plan's policy is NoOverCommitPolicy";
                self.warn(queue, key, "no-effect", message, "it does not count", "remove one of the two");
            }
        }
        if plan.enforcement_window_ms <= 0 {
            let message = format!("is {}", plan.enforcement_window_ms);
            let effect = "when the plan shrinks, no reservation makes room";
            self.warn(
                queue,
                ENFORCEMENT,
                "reservation-limit",
                &message,
                effect,
                "write ms, such as 3600000 for an hour",
            );
        }
    }

    /// Who may administer may do all, and without a list that is everybody.
    fn open(&mut self, queue: &CapacityQueue) {
        let is_open = |key: &str| self.says(queue, key).is_none_or(|text| AccessControlList::parse(text).everybody);
        if !is_open("acl_administer_reservations") {
            return;
        }
        let in_vain = ["acl_submit_reservations", "acl_list_reservations"].into_iter().find(|key| !is_open(key));
        if let Some(key) = in_vain {
            let effect = "everybody may administer reservations here, and who may that may submit and list";
            let help =
                format!("set {}, to a single blank for nobody", Source::of(&queue.path, "acl_administer_reservations"));
            self.warn(queue, key, "reservation-acl-open", "keeps nobody out", effect, &help);
        }
    }

    /// What is said of reservations in a queue that is no plan.
    fn unused(&mut self, queue: &CapacityQueue) {
        for key in OF_PLANS {
            if self.says(queue, key).is_some() {
                let message = format!("is set, and {} is not reservable", queue.path);
                let help = format!("set {} to true, or remove it", Source::of(&queue.path, RESERVABLE));
                self.warn(queue, key, "no-effect", &message, "it does not count: it is not inherited", &help);
            }
        }
    }
}
