//! Numbers of running applications, and the share of application masters.

use super::subject::Subject;
use super::tree::Queue;
use crate::allocation_file::context::value_at;
use crate::java;
use crate::warnings::Warnings;
use crate::xml::Element;

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    for queue in &subject.tree.queues {
        apps_above_parents(subject, queue, warnings);
        if let (Some(limit), Some(element)) = (queue.settings.max_running_apps, queue.field("maxRunningApps")) {
            negative_apps(&queue.owner(), limit, element, warnings);
        }
        if let Some(element) = queue.field("maxAMShare") {
            am_share(&queue.owner(), element, warnings);
        }
    }
    for (tag, limit) in
        [("queueMaxAppsDefault", subject.file.queue_max_apps), ("userMaxAppsDefault", subject.file.user_max_apps)]
    {
        if let Some(element) = subject.top.get(tag) {
            negative_apps("", limit, element, warnings);
        }
    }
    if let Some(element) = subject.top.get("queueMaxAMShareDefault") {
        am_share("", element, warnings);
    }
    users(subject, warnings);
}

/// The nearest queue above that allows fewer.
fn apps_above_parents(subject: &Subject<'_>, queue: &Queue<'_>, warnings: &mut Warnings<'_>) {
    let (Some(limit), Some(element)) = (queue.settings.max_running_apps, queue.field("maxRunningApps")) else { return };
    if limit == i32::MAX {
        return;
    }
    let tighter = |above: &&Queue<'_>| above.settings.max_running_apps.is_some_and(|fewer| fewer < limit);
    let Some(above) = subject.tree.above(queue).find(tighter) else { return };
    let fewer = above.settings.max_running_apps.unwrap_or(limit);
    let at = value_at(&warnings.places, element);
    let message = format!("{}maxRunningApps is {limit}, that of {:?} only {fewer}", queue.owner(), above.name);
    warnings
        .warn("apps-above-parent", at, message)
        .effect(format!("it is never reached: what runs here counts in {:?} too", above.name))
        .help(format!("lower it, or raise that of {:?}", above.name));
}

/// A user is held to root's limit like everybody.
fn users(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let users = subject.root.elements().filter(|element| element.name == "user");
    for user in users {
        let name = user.attribute("name").unwrap_or_default();
        let Some(element) = user.elements().filter(|element| element.name == "maxRunningApps").last() else { continue };
        let Some(limit) = element.first_text().and_then(|text| java::parse_int(java::trim(text))) else { continue };
        let owner = format!("user {name:?}: ");
        negative_apps(&owner, limit, element, warnings);
        above_root(subject, &owner, limit, element, warnings);
    }
    if let Some(element) = subject.top.get("userMaxAppsDefault").filter(|_| subject.file.user_max_apps < i32::MAX) {
        above_root(subject, "", subject.file.user_max_apps, element, warnings);
    }
}

fn above_root(subject: &Subject<'_>, owner: &str, limit: i32, element: &Element<'_>, warnings: &mut Warnings<'_>) {
    let Some(root) = subject.tree.top().settings.max_running_apps.filter(|root| *root < limit) else { return };
    let at = value_at(&warnings.places, element);
    let message = format!("{owner}{} is {limit}, but \"root\" has maxRunningApps {root}", element.name);
    warnings
        .warn("user-apps-above-root", at, message)
        .effect("it is never reached: no more than that run in the whole cluster")
        .help("lower it, or raise that of \"root\"");
}

/// Hadoop knows no "-1 is unlimited" here.
fn negative_apps(owner: &str, limit: i32, element: &Element<'_>, warnings: &mut Warnings<'_>) {
    if limit < 0 {
        let at = value_at(&warnings.places, element);
        warnings
            .warn("negative-apps", at, format!("{owner}{} is {limit}", element.name))
            .effect("a negative number is not \"no limit\": no application ever runs, as with 0")
            .help("remove it for no limit, or write 0 to let nothing run");
    }
}

/// The number as it is written; where it was read it is capped.
fn am_share(owner: &str, element: &Element<'_>, warnings: &mut Warnings<'_>) {
    let Some(share) = element.first_text().and_then(java::parse_float) else { return };
    let (at, tag) = (value_at(&warnings.places, element), &element.name);
    // The tolerance is Hadoop's.
    let off = (f64::from(share) + 1.0).abs() < 0.0001;
    if share > 1.0 {
        warnings
            .warn("am-share-above-1", at, format!("{owner}{tag} is {share}"))
            .effect("Hadoop takes it for 1.0: it is a fraction, not a percentage")
            .help("write a number from 0 to 1, or -1 for no check");
    } else if !off && (share.is_nan() || share <= 0.0) {
        warnings
            .warn("am-share-blocks", at, format!("{owner}{tag} is {share}"))
            .effect("there is no room for any application master, so no application ever starts")
            .help("write a number above 0 and up to 1, or -1 for no check");
    }
}
