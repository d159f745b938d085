//! The audit of mail records: each lies on one stack or in one list, or is with a live container that its AM has.
//!
//! Read while nobody drains, pushes or takes: at quiet, by the worker whose arena it is.

use super::{ACQUIRED, Arena, FreeRecords, NIL, Stack};
use crate::sync::atomic::Ordering;

/// Where a mail record may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Its AM has yet to fetch the container.
    Granted,
    /// Its AM has yet to hear of the end.
    Ended,
    /// A container that its AM has and that lives.
    Live,
    /// A drainer has given it back, and its worker has not taken it.
    Freed,
    /// The worker's to use.
    Own,
}

impl Place {
    pub(crate) const ALL: [Place; 5] = [Place::Granted, Place::Ended, Place::Live, Place::Freed, Place::Own];

    /// For counting.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Place::Granted => "mail records to be fetched",
            Place::Ended => "mail records with news of ends",
            Place::Live => "mail records of live containers",
            Place::Freed => "mail records given back",
            Place::Own => "mail records that are free",
        }
    }
}

/// Where each mail record of a worker is.
#[derive(Debug)]
pub(crate) struct MailCount(Vec<Vec<Place>>);

impl MailCount {
    /// Of so many that were ever used; none is anywhere yet.
    pub(crate) fn of(own: &FreeRecords) -> MailCount {
        MailCount(vec![Vec::new(); own.made as usize])
    }

    /// One is somewhere; false where there is no such record, or it is there already.
    fn enter(&mut self, index: u32, place: Place, wrong: &mut Vec<String>) -> bool {
        let Some(places) = self.0.get_mut(index as usize) else {
            wrong.push(format!("mail record {index} is {place:?}, and was never used"));
            return false;
        };
        places.push(place);
        // Of a ring nobody finds the end.
        places.len() <= Place::ALL.len()
    }

    /// How many are in a place.
    pub(crate) fn count(&self, place: Place) -> usize {
        self.0.iter().filter(|places| places.contains(&place)).count()
    }

    /// Says which are nowhere, or in several places.
    pub(crate) fn audit(&self, wrong: &mut Vec<String>) {
        for (index, places) in self.0.iter().enumerate().filter(|(_, places)| places.len() != 1) {
            if places.is_empty() {
                wrong.push(format!("mail record {index} is lost: on no stack, not free, and no live container's"));
            } else {
                wrong.push(format!("mail record {index} is in several places: {places:?}"));
            }
        }
    }
}

impl Arena {
    /// Enters a chain of records, from its first.
    fn count_chain(&self, first: u32, place: Place, count: &mut MailCount, wrong: &mut Vec<String>) {
        let mut at = first;
        while at != NIL && count.enter(at, place, wrong) {
            // ORDERING: Relaxed. At quiet nobody writes; what was pushed came with the Acquire of the stack's top.
            at = self.record(at).next.load(Ordering::Relaxed);
        }
    }

    /// Enters what lies on a stack of an application.
    pub(crate) fn count_stack(&self, stack: &Stack, place: Place, count: &mut MailCount, wrong: &mut Vec<String>) {
        // ORDERING: Acquire, with the Release in `push_chain`.
        self.count_chain(stack.top.load(Ordering::Acquire), place, count, wrong);
    }

    /// Enters what is free, here and with the worker.
    pub(crate) fn count_free(&self, own: &FreeRecords, count: &mut MailCount, wrong: &mut Vec<String>) {
        for index in &own.free {
            count.enter(*index, Place::Own, wrong);
        }
        self.count_chain(own.chain, Place::Own, count, wrong);
        self.count_stack(&self.freed, Place::Freed, count, wrong);
    }

    /// Enters a live container's, unless its AM has yet to fetch it: then it is on a stack.
    pub(crate) fn count_live(&self, index: u32, count: &mut MailCount, wrong: &mut Vec<String>) {
        // ORDERING: Relaxed, as in `count_chain`.
        if (index as usize) >= count.0.len() || self.record(index).state.load(Ordering::Relaxed) == ACQUIRED {
            count.enter(index, Place::Live, wrong);
        }
    }
}
