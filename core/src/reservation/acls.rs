//! Who may do what in a plan.
//!
//! Follows `ReservationsACLsManager` of Hadoop 3.4.2 and the checks of its `ClientRMService`.

use super::refused::ReservationRight;
use crate::config::{AccessControlList, AllocationFile};
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

#[derive(Clone, Debug, Default)]
struct PlanLists {
    submit: Option<AccessControlList>,
    administer: Option<AccessControlList>,
    list: Option<AccessControlList>,
}

impl PlanAcls {
    /// The lists that a file has for these plans.
    pub(super) fn of<'a>(file: &AllocationFile, plans: impl IntoIterator<Item = &'a str>) -> PlanAcls {
        let lists = |plan: &str| {
            let own = file.queues.get(plan).or_else(|| file.queues.get(plan.strip_prefix("root.").unwrap_or(plan)));
            own.map_or_else(PlanLists::default, |own| PlanLists {
                submit: own.acl_submit_reservations.clone(),
                administer: own.acl_administer_reservations.clone(),
                list: own.acl_list_reservations.clone(),
            })
        };
        PlanAcls(plans.into_iter().map(|plan| (plan.to_owned(), lists(plan))).collect())
    }

    /// Whether a queue's lists give a right. As in Hadoop a right that is not configured is everybody's, and the queue is looked up as it was
    /// named: a short name has no lists, and gives nothing.
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
