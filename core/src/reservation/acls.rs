//! Who may do what in a plan.
//!
//! Follows `ReservationsACLsManager` of Hadoop 3.4.2 and the checks of its `ClientRMService`.

use super::refused::ReservationRight;
use crate::config::{AccessControlList, AllocationFile, SiteProperties};
use rustc_hash::FxHashMap;

/// Who calls: a user, and the groups that he is in.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The user.
    pub user: &'a str,
    /// His groups.
    pub groups: &'a [String],
}

/// The lists of the plans that there were when the system started, by full name.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanAcls(FxHashMap<String, PlanLists>);

/// The lists of one plan.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanLists {
    submit: Option<AccessControlList>,
    administer: Option<AccessControlList>,
    list: Option<AccessControlList>,
}

impl PlanLists {
    /// Those of an allocation file's queue, which may leave `root.` out.
    pub(super) fn of_allocations(file: &AllocationFile, queue: &str) -> PlanLists {
        let own = file.queues.get(queue);
        own.map_or_else(PlanLists::default, |own| PlanLists {
            submit: own.acl_submit_reservations.clone(),
            administer: own.acl_administer_reservations.clone(),
            list: own.acl_list_reservations.clone(),
        })
    }

    /// Those of a CapacityScheduler's queue.
    pub(super) fn of_properties(properties: &SiteProperties, queue: &str) -> PlanLists {
        let list = |right: &str| {
            let text = properties.raw(&format!("yarn.scheduler.capacity.{queue}.acl_{right}_reservations"));
            text.map(AccessControlList::parse)
        };
        PlanLists { submit: list("submit"), administer: list("administer"), list: list("list") }
    }
}

impl PlanAcls {
    /// The lists of these plans.
    pub(super) fn of(plans: impl IntoIterator<Item = (String, PlanLists)>) -> PlanAcls {
        PlanAcls(plans.into_iter().collect())
    }

    /// Whether a queue's lists give a right. As in Hadoop a right that is not configured is everybody's, and the queue
    /// is looked up as it was named: a short name has no lists, and gives nothing.
    pub(super) fn give(&self, caller: &Caller<'_>, right: ReservationRight, queue: &str) -> bool {
        let Some(lists) = self.0.get(queue) else { return false };
        let own = match right {
            ReservationRight::Submit => &lists.submit,
            ReservationRight::Administer => &lists.administer,
            ReservationRight::List => &lists.list,
        };
        let gives =
            |list: &Option<AccessControlList>| list.as_ref().is_none_or(|list| list.allows(caller.user, caller.groups));
        gives(own) || gives(&lists.administer)
    }
}
