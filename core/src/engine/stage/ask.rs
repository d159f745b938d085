//! Ask: what an AM asks for. Its home worker applies it and tells the others.
//!
//! # Where it stands
//! Called by [`handling`](crate::engine::worker::handling) with a message. All of a call is applied before anything
//! else: nobody sees half of it.
//!
//! # Cost
//! O(groups x log keys) of a call. Many new keys are sorted in all at once.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::{AppShared, KeyCell};
use crate::engine::decider::{AskCause, Decider};
use crate::engine::intake::locations::ANY;
use crate::engine::intake::to_worker::{
    AskChange, AskGroup, AskNews, AskRow, Asked, Asking, GiveBack, Internal, News, NewsKind,
};
use crate::engine::records::app::AppLocal;
use crate::engine::records::containers::MADE_ROOM_FOR;
use crate::engine::records::key::{Announcement, KeyLocal};
use crate::engine::shard::Shard;
use crate::id::Slot;
use crate::sync::Arc;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Groups of one call that are compared with each other; of more an index is made.
const FEW_GROUPS: usize = 8;

/// Which groups of a call have the last word on what is wanted of their key at `*`.
struct LastAnywhereAsks<'a> {
    asks: &'a [AskGroup],
    /// Of many groups: the last one of each key, by key.
    last: Option<BTreeMap<SchedulingKey, usize>>,
}

impl<'a> LastAnywhereAsks<'a> {
    fn of(asks: &'a [AskGroup]) -> LastAnywhereAsks<'a> {
        let says = || asks.iter().enumerate().filter(|(_, group)| group.any().is_some());
        // Later ones replace earlier ones.
        let last = (asks.len() > FEW_GROUPS).then(|| says().map(|(at, group)| (group.key, at)).collect());
        LastAnywhereAsks { asks, last }
    }

    /// Whether some group after this one says how many its key wants at `*`.
    fn is_said_after(&self, at: usize) -> bool {
        let key = self.asks[at].key;
        match &self.last {
            Some(last) => last.get(&key).is_some_and(|last| *last > at),
            None => self.asks[at + 1..].iter().any(|group| group.key == key && group.any().is_some()),
        }
    }

    /// The keys that the call wants nothing of any more: of two `*` asks for one key the last counts.
    fn ended_keys(&self) -> impl Iterator<Item = SchedulingKey> {
        let nothing = self.asks.iter().enumerate().filter(|(_, group)| group.any() == Some(0));
        nothing.filter(|(at, _)| !self.is_said_after(*at)).map(|(_, group)| group.key)
    }
}

/// What a group of asks has changed.
struct Replaced {
    /// How many are wanted anywhere, if the group says.
    any: Option<u32>,
    told: Announcement,
}

/// A key, which is made if need be: of the cell that news of it have, so that only who meets it first waits for others
/// who do.
#[inline]
fn key_of<'a, D: Decider>(
    app: &'a mut AppLocal<D>,
    id: SchedulingKey,
    cell: Option<&Arc<KeyCell>>,
    workers: usize,
) -> &'a mut KeyLocal<D> {
    let at = match app.keys.binary_search_by_key(&id, |key| key.id()) {
        Ok(at) => at,
        Err(at) => {
            make_key(app, at, id, cell, workers);
            at
        }
    };
    &mut app.keys[at]
}

#[cold]
fn make_key<D: Decider>(
    app: &mut AppLocal<D>,
    at: usize,
    id: SchedulingKey,
    cell: Option<&Arc<KeyCell>>,
    workers: usize,
) {
    app.look_at_all_keys();
    let cell = cell.map_or_else(|| app.shared.key(id, workers), Arc::clone);
    app.keys.insert(at, KeyLocal::new(id, cell, workers));
}

/// An application's list can hold twice what it asks for: its memory is asked for now rather than with a grant, and not
/// again while it asks for about as much.
#[inline]
fn make_room(list: &mut Vec<u32>, count: u32) {
    let wanted = count.min(MADE_ROOM_FOR) as usize;
    if list.capacity() < wanted {
        list.reserve_exact(2 * wanted - list.len());
    }
}

impl<D: Decider> Shard<D> {
    /// Applies what an AM asks; by the application's home worker, which tells the others.
    pub(crate) fn apply_asks(&mut self, change: &AskChange) {
        let AskChange { app, asks, blacklist } = change;
        let index = match app {
            // Not known any more: it is over.
            Asking::Known(slot) if self.find_app(*slot).is_none() => return,
            Asking::Known(slot) => slot.index,
            Asking::New(app) if app.is_closed() => return,
            Asking::New(app) => {
                let index = self.learn_app(app);
                app.set_known_at_home();
                index
            }
        };
        self.change_asks(index, asks, blacklist.as_deref());
    }

    /// The same of an application that this worker knows. Where the control has closed it and has not come to say so
    /// here, what is asked for now ends with the rest: not worth a look at a word that lies apart, with each call.
    pub(super) fn change_asks(&mut self, index: u32, asks: &[AskGroup], blacklist: Option<&[u32]>) {
        if self.app(index).closed {
            return;
        }
        let last_any = LastAnywhereAsks::of(asks);
        self.ensure_keys(index, asks);
        // In order: of two asks for one key and location the last counts.
        let mut told = if blacklist.is_some() { Announcement::All } else { Announcement::Nothing };
        for group in asks {
            told = told.max(self.replace_asks(index, &group.asked()).told);
        }
        // Within a key the `*` ask decides last whether the rest is kept.
        let workers = self.shared.workers;
        for key in last_any.ended_keys() {
            key_of(self.app_mut(index), key, None, workers).forget_rows();
        }
        if let Some(blacklist) = blacklist {
            self.app_mut(index).set_blacklist(blacklist);
        }
        if !asks.is_empty() || blacklist.is_some() {
            let anywhere = asks.iter().any(|group| group.any().is_some());
            let nothing = asks.iter().any(|group| group.any() == Some(0));
            let cause = AskCause::Call { anywhere, nothing };
            D::asks_changed(self, index, asks.iter().map(|group| &group.size), cause);
        }
        if told != Announcement::Nothing && self.shared.workers > 1 {
            let mut news = SmallVec::new();
            for (i, group) in asks.iter().enumerate() {
                self.add_news(index, &group.asked(), last_any.is_said_after(i), &mut news);
            }
            let shared = self.app(index).shared.clone();
            let waits = shared.waits_for_am();
            self.tell_others(&shared, news, blacklist);
            if !waits {
                asks.iter().for_each(|group| self.set_announced(index, group.key));
            }
        }
    }

    /// The same where one group is all that changes, as with nearly every call, of an application that is not closed
    /// here.
    pub(crate) fn change_group(&mut self, index: u32, group: &Asked<'_>) {
        let Replaced { any, told } = self.replace_asks(index, group);
        if any == Some(0) {
            let workers = self.shared.workers;
            key_of(self.app_mut(index), group.key, None, workers).forget_rows();
        }
        let cause = AskCause::Call { anywhere: any.is_some(), nothing: any == Some(0) };
        D::asks_changed(self, index, std::iter::once(&group.size), cause);
        match told {
            Announcement::Nothing => {}
            Announcement::Reopened => {
                let app = self.app(index).slot;
                self.send_others(|| Internal::Reopened { app, key: group.key });
            }
            Announcement::All => {
                let mut news = SmallVec::new();
                self.add_news(index, group, false, &mut news);
                let shared = self.app(index).shared.clone();
                let waits = shared.waits_for_am();
                self.tell_others(&shared, news, None);
                if !waits {
                    self.set_announced(index, group.key);
                }
            }
        }
    }

    /// All workers know what is asked under a key. Not while the AM is waited for, as read before they were told: some
    /// of them put the application in order as one that waits, and what is asked next under the key tells them that it
    /// does not.
    fn set_announced(&mut self, app: u32, key: SchedulingKey) {
        if let Some(at) = self.key_index(app, key) {
            self.app_mut(app).keys[at].set_announced();
        }
    }

    /// Some worker has found nothing left of a key: there is something again.
    pub(crate) fn reopen(&mut self, app: Slot, key: SchedulingKey) {
        // Not known any more: it is over.
        if self.find_app(app).is_none_or(|app| app.closed) {
            return;
        }
        if let Some(at) = self.key_index(app.index, key) {
            let local = self.app(app.index);
            local.look_at_all_keys();
            let size = local.keys[at].size;
            D::asks_changed(self, app.index, std::iter::once(&size), AskCause::News { nothing: false });
        }
    }

    /// The other workers hear of asks that have changed.
    fn tell_others(&self, app: &Arc<AppShared>, rows: SmallVec<[AskNews; 2]>, blacklist: Option<&[u32]>) {
        let news = || News { app: app.clone(), rows: rows.clone(), blacklist: blacklist.map(Box::from) };
        self.send_others(|| Internal::News(Box::new(news())));
    }

    fn send_others(&self, message: impl Fn() -> Internal<D>) {
        for other in (0..self.shared.workers).filter(|other| *other != self.worker) {
            // As in `tell_control`.
            let _ = self.shared.lanes.internal[other].send(message());
        }
    }

    /// What the other workers have to know of a group; nothing of a rack or node that was dropped again, or of a `*`
    /// that another group of the call replaces (`said_later`): they forget racks and nodes when this worker does.
    fn add_news(&mut self, app: u32, group: &Asked<'_>, said_later: bool, news: &mut SmallVec<[AskNews; 2]>) {
        let Asked { key: id, size, relax, label, rows } = *group;
        let last_any = rows.iter().rposition(|row| row.location == ANY).filter(|_| !said_later);
        let workers = self.shared.workers;
        let key = key_of(self.app_mut(app), id, None, workers);
        for (at, AskRow { location, count }) in rows.iter().enumerate() {
            let what = if *location == ANY {
                let any = NewsKind::Any { epoch: key.epoch, cell: key.cell.clone(), open: *count > 0 };
                (last_any == Some(at)).then_some(any)
            } else {
                key.rows().shared_count(*location).map(NewsKind::Location)
            };
            let of = |what| AskNews { key: id, location: *location, size, relax, label, what };
            news.extend(what.map(of));
        }
    }

    /// Knows an application by its first message. What was published up to now is taken first: it may still show the
    /// application that had the slot before, which must not come after this one.
    pub(crate) fn learn_app(&mut self, shared: &Arc<AppShared>) -> u32 {
        if self.find_app(shared.slot).is_none() {
            self.sync();
        }
        self.ensure_app(shared)
    }

    /// Knows the keys of a call's asks. Many new ones are sorted in all at once: one by one each would move those
    /// behind it.
    fn ensure_keys(&mut self, app: u32, asks: &[AskGroup]) {
        if asks.len() > FEW_GROUPS {
            self.add_keys(app, asks.iter().map(|group| (group.key, None)));
        }
    }

    fn add_keys<'a>(&mut self, app: u32, keys: impl Iterator<Item = (SchedulingKey, Option<&'a Arc<KeyCell>>)>) {
        let workers = self.shared.workers;
        let local = self.app_mut(app);
        let is_new = |id: &SchedulingKey| local.keys.binary_search_by_key(id, |key| key.id()).is_err();
        let mut new: Vec<_> = keys.filter(|(id, _)| is_new(id)).collect();
        if new.is_empty() {
            return;
        }
        // Of those of one key one with a cell comes first.
        new.sort_unstable_by_key(|(id, cell)| (*id, cell.is_none()));
        new.dedup_by_key(|(id, _)| *id);
        let made = |(id, cell): (SchedulingKey, Option<&Arc<KeyCell>>)| {
            KeyLocal::new(id, cell.map_or_else(|| local.shared.key(id, workers), Arc::clone), workers)
        };
        local.keys.extend(new.into_iter().map(made));
        // Two runs in order, one after the other: what a merge sort is quick with.
        local.keys.sort_by_key(|key| key.id());
        local.look_at_all_keys();
    }

    /// What is asked under one key from now on.
    #[inline(always)]
    fn replace_asks(&mut self, app: u32, group: &Asked<'_>) -> Replaced {
        let (types, workers) = (self.types, self.shared.workers);
        let app = self.app_mut(app);
        // What others know of an AM that is waited for is put in order by its asks.
        let anew = workers > 1 && app.waits_for_am();
        let key = key_of(app, group.key, None, workers);
        let (mut any, mut told) = (None, Announcement::Nothing);
        for AskRow { location, count } in group.rows {
            if *location == ANY {
                // Of several the last counts.
                any = Some(*count);
            } else {
                if key.change_rows(|rows| rows.replace(*location, &group.size, group.relax, *count)) {
                    key.set_unannounced();
                }
            }
        }
        if let Some(count) = any {
            if key.label != group.label {
                key.set_unannounced();
                key.label = group.label;
            }
            D::asked_anywhere(key);
            told = key.replace(types, count, &group.size, group.relax, anew);
        }
        if key.must_announce() {
            told = Announcement::All;
        }
        if let Some(count) = any {
            make_room(&mut app.containers, count);
        }
        app.look_at_all_keys();
        Replaced { any, told }
    }

    /// What the home worker has done.
    pub(crate) fn apply_news(&mut self, shared: &Arc<AppShared>, rows: &[AskNews], blacklist: Option<&[u32]>) {
        if shared.is_closed() {
            return;
        }
        let workers = self.shared.workers;
        let index = self.learn_app(shared);
        if rows.len() > FEW_GROUPS {
            self.add_keys(index, rows.iter().map(|row| (row.key, row.what.cell())));
        }
        for news in rows {
            let app = self.app_mut(index);
            let key = key_of(app, news.key, news.what.cell(), workers);
            match &news.what {
                NewsKind::Any { epoch, cell, open } => {
                    key.cell = cell.clone();
                    key.epoch = *epoch;
                    key.size = news.size;
                    key.relax = news.relax;
                    key.label = news.label;
                    if !open {
                        key.forget_rows();
                    }
                    make_room(&mut app.containers, cell.pool.total());
                }
                NewsKind::Location(count) => {
                    key.change_rows(|rows| rows.learn(news.location, &news.size, news.relax, count));
                }
            }
        }
        if let Some(blacklist) = blacklist {
            self.app_mut(index).set_blacklist(blacklist);
        }
        self.app(index).look_at_all_keys();
        let nothing = rows.iter().any(|row| matches!(row.what, NewsKind::Any { open: false, .. }));
        D::asks_changed(self, index, rows.iter().map(|row| &row.size), AskCause::News { nothing });
    }

    /// Units go back to asks; by the application's home worker.
    pub(crate) fn apply_give_back(&mut self, shared: &Arc<AppShared>, rows: &[GiveBack]) {
        if shared.is_closed() || self.find_app(shared.slot).is_none_or(|app| app.closed) {
            return;
        }
        let (index, types, workers) = (shared.slot.index, self.types, self.shared.workers);
        let mut news: SmallVec<[AskNews; 2]> = SmallVec::new();
        for back in rows {
            let key = key_of(self.app_mut(index), back.key, None, workers);
            let what = if back.location == ANY {
                let is_other =
                    key.relax != back.relax || key.label != back.label || !key.size.equals_in_types(types, &back.size);
                if is_other {
                    // Who has not heard of it when the AM asks again grants nothing.
                    key.set_unannounced();
                    key.cell.size.set(types, &back.size);
                    (key.size, key.relax, key.label) = (back.size, back.relax, back.label);
                }
                D::asked_anywhere(key);
                let told = key.put_one() || is_other;
                told.then(|| NewsKind::Any { epoch: key.epoch, cell: key.cell.clone(), open: true })
            } else {
                key.change_rows(|rows| rows.put_back(back.location, &back.size, back.relax));
                key.rows().shared_count(back.location).map(NewsKind::Location)
            };
            let GiveBack { key, location, size, relax, label } = *back;
            let of = |what| AskNews { key, location, size, relax, label, what };
            news.extend(what.map(of));
        }
        self.app(index).look_at_all_keys();
        // First, so that nothing comes in between.
        if !news.is_empty() {
            self.tell_others(shared, news, None);
        }
        D::asks_changed(self, index, rows.iter().map(|row| &row.size), AskCause::GivenBack);
    }
}
