//! Access control lists by queue: who may submit where, and who may administer.

use super::names::above;
use crate::config::{AccessControlList, QueueAccess};
use rustc_hash::FxHashMap;

/// Submit and administer lists by queue name; of queues that are gone too, as in Hadoop.
#[derive(Debug, Default)]
pub(crate) struct QueueAcls(FxHashMap<String, [AccessControlList; 2]>);

impl QueueAcls {
    /// A queue has these lists from now on.
    pub(crate) fn set(&mut self, queue: &str, submit: AccessControlList, administer: AccessControlList) {
        self.0.insert(queue.to_owned(), [submit, administer]);
    }

    /// The lists of one queue, if it ever had any: submit, administer.
    pub(crate) fn of(&self, queue: &str) -> Option<&[AccessControlList; 2]> {
        self.0.get(queue)
    }

    /// All lists, of a queue and of those above it by name, that give one of the rights.
    pub(crate) fn giving<'a>(
        &'a self,
        queue: &'a str,
        rights: &'a [QueueAccess],
    ) -> impl Iterator<Item = &'a AccessControlList> + Clone {
        let path = std::iter::once(queue).chain(above(queue)).filter_map(|name| self.0.get(name));
        path.flat_map(move |[submit, administer]| {
            rights.iter().map(move |right| match right {
                QueueAccess::Submit => submit,
                QueueAccess::Administer => administer,
            })
        })
    }
}
