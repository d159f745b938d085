//! Applies the control's messages to the books.

use super::messages::{CapacityMessage, Entrant};
use super::preempting::candidate_of;
use crate::capacity::books::life::HeldOnNode;
use crate::capacity::books::{AppBook, AppPart, Others};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::types::Shard;
use crate::id::ContainerNumber;
use crate::resource::sorted;

impl Shard {
    pub(crate) fn hear(&mut self, message: &CapacityMessage) {
        // Before anything of it is done: after a panic the books are written anew by it.
        self.own.known.hear(message);
        // What was published before it was said is known first.
        self.sync();
        #[cfg(feature = "faults")]
        self.own.fail_if_due();
        match message {
            CapacityMessage::UserSeen { leaf, user } => self.own.books.user_seen(*leaf, user),
            CapacityMessage::Entered(entrant) => self.let_in(entrant),
            CapacityMessage::Started(app) => {
                if let Some(entry) = self.own.books.apps.entry(*app) {
                    self.own.books.apps[entry].runnable = true;
                    self.own.books.enter(entry);
                }
            }
            CapacityMessage::Over(app) => self.is_over(*app),
            CapacityMessage::Priority { app, priority } => {
                if let Some(entry) = self.own.books.apps.entry(*app) {
                    self.own.books.set_priority(entry, *priority);
                }
            }
            CapacityMessage::Moved { app, leaf, runnable } => self.move_in_books(*app, *leaf, *runnable),
            CapacityMessage::Resized { node, kill } => self.total_has_changed(node, *kill),
            CapacityMessage::LimitsBelow(slot) => self.own.books.limits_below(*slot),
            CapacityMessage::Preempt => self.preempt_if_on(),
            CapacityMessage::Survey(survey) => self.survey(survey),
            CapacityMessage::Chosen(chosen) => self.apply_choice(chosen),
            CapacityMessage::Move(wanted) => self.move_from_here(wanted),
            CapacityMessage::Reservation(transit) => self.reservation_comes(transit),
            CapacityMessage::AmMoved(moved) => self.own.books.am_has_moved(moved),
            CapacityMessage::Starts(start) => self.own.books.starts_elsewhere(start),
            CapacityMessage::Called(app) => self.has_called(*app),
            // Its token is dropped with the message.
            CapacityMessage::Rests(_) => {}
            CapacityMessage::GivenUp(worker) => self.own.books.take_over_starts_of(*worker),
        }
        #[cfg(feature = "faults")]
        self.own.fail_if_due();
        self.tell_who_starts();
        self.tell_known_labels(false);
    }

    fn let_in(&mut self, entrant: &Entrant) {
        let Entrant { app, keeps, .. } = entrant;
        // One that has ended meanwhile has been told to go before it came.
        self.ensure_app(app);
        let number = app.id.number;
        // What the attempt before leaves behind: what it used, and where its headroom comes from.
        let books = &mut self.own.books;
        let before = books.apps.entry(number);
        let slot_before = before.map(|before| books.apps[before].slot);
        let kept = before.filter(|_| *keeps).map(|before| {
            let before = &mut books.apps[before];
            let (others, held) = (std::mem::take(&mut before.others), std::mem::take(&mut before.held));
            let used_in = |part: &AppPart| AppPart { used: part.used, others: part.others, ..AppPart::default() };
            let parts = before.parts.iter().map(used_in).collect();
            before.parts.iter_mut().for_each(|part| part.others = Others::default());
            let headroom_of = before.headroom_of.clone().unwrap_or_else(|| before.shared_attempt.clone());
            let labelled: (Vec<AppPart>, _) = (parts, Some(headroom_of));
            (before.used, before.drift, before.publication, others, held, before.moved_below, labelled)
        });
        let (used, drift, publication, others, held, moved_below, (parts, headroom_of)) = kept.unwrap_or_default();
        entrant.shared_attempt.show_containers(books.place, held);
        let book = AppBook { parts, headroom_of, ..entrant.book() };
        let entry = books.add(AppBook { used, drift, publication, others, held, moved_below, ..book });
        for slot in slot_before.into_iter().chain([app.slot.index]) {
            self.has_entry(slot, number, entry);
        }
        self.own.books.enter(entry);
    }

    /// The books have an application of a slot, if it is still this one.
    fn has_entry(&mut self, slot: u32, number: u32, entry: AppEntry) {
        if let Some(Some(local)) = self.apps.get_mut(slot as usize)
            && local.number == number
        {
            local.own.entry = Some(entry);
        }
    }

    /// An attempt has ended, and so has all that followed from it.
    fn is_over(&mut self, number: u32) {
        let Some(entry) = self.own.books.apps.entry(number) else { return };
        let slot = self.own.books.apps[entry].slot;
        if let Some(Some(local)) = self.apps.get_mut(slot as usize)
            && local.own.entry == Some(entry)
        {
            local.own.entry = None;
        }
        self.own.books.forget(entry);
    }

    fn move_in_books(&mut self, number: u32, leaf: u32, runnable: bool) {
        let Some(entry) = self.own.books.apps.entry(number) else { return };
        let slot = self.own.books.apps[entry].slot;
        let mut containers = self.app(slot).containers.clone();
        sorted::by_key(&mut containers, |index| self.containers[*index].named());
        let of_containers = containers.iter().map(|index| {
            let record = &self.containers[*index];
            let (size, on) = (*self.containers.size(record), &self.nodes[record.node as usize]);
            let (node, label) = (on.shared.id, on.label);
            HeldOnNode { candidate: candidate_of(record), size, node, label, asked: record.label, is_reserved: false }
        });
        let of_reservations = self.reservations_of(slot).map(|(node, made)| HeldOnNode {
            candidate: (number, self.number_of(self.app(slot), made.number)),
            size: made.size,
            node: self.nodes[node as usize].shared.id,
            label: self.nodes[node as usize].label,
            asked: made.label,
            is_reserved: true,
        });
        let held: Vec<HeldOnNode> = of_containers.chain(of_reservations).collect();
        self.own.books.moved(entry, leaf, runnable, &held);
        let local = self.app(slot);
        self.own.books.apps[entry].moved_below =
            ContainerNumber::granted(local.attempt.into(), self.shared.epoch, local.next_number);
    }
}
