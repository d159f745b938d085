//! Access control lists: rights that come from above, texts that are read otherwise than they look
//! (rules/configuration.md 5).

use super::subject::{Subject, and_more};
use super::tree::Queue;
use crate::acl::AccessControlList;
use crate::acl_oddity::oddity;
use crate::allocation_file::context::value_at;
use crate::warnings::Warnings;
use crate::xml::Element;
use std::collections::BTreeMap;

const SUBMIT: &str = "aclSubmitApps";
const ADMINISTER: &str = "aclAdministerApps";
const ALL: [&str; 5] =
    [SUBMIT, ADMINISTER, "aclAdministerReservations", "aclListReservations", "aclSubmitReservations"];

pub(super) fn check(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    let mut first = None;
    for queue in &subject.tree.queues {
        for tag in ALL {
            let Some(element) = queue.field(tag) else { continue };
            let Some(text) = element.first_text() else { continue };
            read_otherwise(&format!("{}{tag}", queue.owner()), element, text, warnings);
            // One for everybody is the same without rights.
            let counts = (tag == SUBMIT || tag == ADMINISTER) && !AccessControlList::parse(text).everybody;
            first = first.or(counts.then_some(element));
        }
    }
    open_above(subject, warnings);
    if let (Some(settings), Some(element)) = (subject.options.settings, first)
        && !settings.acl_enable
    {
        warnings
            .warn("acl-disabled", element.name_at(), "the file has access control lists, but yarn.acl.enable is false")
            .effect(
                "the ResourceManager checks nobody who views, kills or moves applications; submissions are still checked \
                 by the scheduler",
            )
            .help("set yarn.acl.enable to true in yarn-site.xml, or remove the lists");
    }
}

/// What the list says otherwise than it looks.
fn read_otherwise(subject: &str, element: &Element<'_>, text: &str, warnings: &mut Warnings<'_>) {
    let Some(odd) = oddity(text) else { return };
    let at = value_at(&warnings.places, element);
    let message = format!("{subject} {}", odd.message);
    let found = match odd.is_star {
        true => warnings.warn("acl-star", at, message),
        false => warnings.warn("acl-white-space", at, message),
    };
    found.effect(odd.effect).help(odd.help);
}

/// Rights add up from root down, so a list keeps nobody out who has the right above.
fn open_above(subject: &Subject<'_>, warnings: &mut Warnings<'_>) {
    for (tag, rights) in [(SUBMIT, &[SUBMIT, ADMINISTER][..]), (ADMINISTER, &[ADMINISTER])] {
        // The lists that one open queue makes useless are one mistake: by that queue's number the first of them, its
        // queue, and how many more.
        let mut found: BTreeMap<usize, (&Queue<'_>, &Element<'_>, usize)> = BTreeMap::new();
        for queue in &subject.tree.queues {
            let own = if tag == SUBMIT { &queue.settings.acl_submit } else { &queue.settings.acl_administer };
            let (Some(list), Some(element)) = (own, queue.field(tag)) else { continue };
            // The queue itself may be open by its other list.
            let mut up = std::iter::once(queue).chain(subject.tree.above(queue));
            let is_open = |above: &&Queue<'_>| rights.iter().any(|right| opens(above, right));
            if let Some(open) = up.find(is_open).filter(|_| !list.everybody) {
                found.entry(open.number).and_modify(|(_, _, more)| *more += 1).or_insert((queue, element, 0));
            }
        }
        for (number, (queue, element, more)) in found {
            let open = &subject.tree.queues[number];
            let by: Vec<&str> = rights.iter().copied().filter(|right| opens(open, right)).collect();
            let by_default = if by.iter().any(|right| open.field(right).is_none()) { " by default" } else { "" };
            let (lists, of) = (by.join(" and "), &open.name);
            let effect = if open.number == queue.number {
                format!("{lists} of the same queue is for everybody{by_default}, and who may administer may submit")
            } else {
                format!("rights given above count too, and in {of:?} everybody is in {lists}{by_default}")
            };
            let message = format!("queue {:?}{}: {tag} keeps nobody out", queue.name, and_more(more));
            warnings
                .warn("acl-open", value_at(&warnings.places, element), message)
                .effect(effect)
                .help(format!("give {of:?} {lists} of its own, with fewer names or a single space for nobody"));
        }
    }
}

/// Whether a queue's list of this right is for everybody; root's is where there is none.
fn opens(queue: &Queue<'_>, right: &str) -> bool {
    let list = if right == SUBMIT { &queue.settings.acl_submit } else { &queue.settings.acl_administer };
    list.as_ref().map_or(queue.parent.is_none(), |list| list.everybody)
}
