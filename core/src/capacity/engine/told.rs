//! What the control has said takes effect in the books.

use super::books::AppBook;
use super::message::{CapacityMessage, Entrant};
use super::types::Shard;
use crate::capacity::order::FairCache;
use crate::resource::Resource;

impl Shard {
    pub(super) fn hear(&mut self, message: &CapacityMessage) {
        // What was published before it was said is known first.
        self.sync();
        match message {
            CapacityMessage::UserSeen { leaf, user } => self.own.books.user_seen(*leaf, user),
            CapacityMessage::Entered(entrant) => self.let_in(entrant),
            CapacityMessage::Started(app) => {
                if self.own.books.find(*app).is_some() {
                    self.own.books.app_mut(*app).runnable = true;
                    self.own.books.enter(*app);
                }
            }
            CapacityMessage::Over(app) => self.own.books.forget(*app),
            CapacityMessage::Priority { app, priority } => self.own.books.set_priority(*app, *priority),
            CapacityMessage::Moved { app, leaf, runnable } => self.move_in_books(*app, *leaf, *runnable),
            CapacityMessage::Resized { node, kill } => self.total_has_changed(node, *kill),
            CapacityMessage::LimitsBelow(slot) => self.own.books.limits_below(*slot),
            CapacityMessage::Preempt => self.preempt_if_on(),
            CapacityMessage::Called(app) => self.has_called(*app),
        }
    }

    fn let_in(&mut self, entrant: &Entrant) {
        let Entrant { app, leaf, priority, submitted_priority, am, runnable, keeps } = entrant;
        // One that has ended meanwhile has been told to go before it came.
        self.ensure_app(app);
        let number = app.id.number;
        // What the attempt before leaves behind: what it used, and where its headroom comes from.
        let before = self.own.books.find(number).filter(|_| *keeps);
        let (used, publication) = before.map_or((Resource::ZERO, None), |before| (before.used, before.publication));
        self.own.books.add(AppBook {
            number,
            slot: app.slot.index,
            user: (&*app.user).into(),
            leaf: *leaf,
            priority: *priority,
            submitted_priority: *submitted_priority,
            am: *am,
            start_ms: app.start_ms,
            runnable: *runnable,
            used,
            reserved: Resource::ZERO,
            pending: Resource::ZERO,
            open_keys: 0,
            publication,
            fair: FairCache::default(),
            has_marked: false,
            has_moved: false,
        });
        self.own.books.enter(number);
    }

    fn move_in_books(&mut self, number: u32, leaf: u32, runnable: bool) {
        let Some(slot) = self.own.books.find(number).map(|app| app.slot) else { return };
        let mut containers = self.app(slot).containers.clone();
        containers.sort_unstable_by_key(|index| self.containers[*index].number);
        let of_containers = containers.iter().map(|index| *self.containers.size(&self.containers[*index]));
        let sizes: Vec<Resource> = of_containers.chain(self.reservations_of(slot).map(|(_, made)| made.size)).collect();
        self.own.books.moved(number, leaf, runnable, &sizes);
    }
}
