//! Enters in the books what a step says that it did, if it may have done that.

use super::books::{AppBook, ContainerBook};
use super::world::{Seen, World};
use evenweave::view::AllocatedView;
use evenweave::{ContainerId, EndReason, Resource, SchedulerEvent};
use std::collections::{BTreeMap, BTreeSet};

type Granted = (Vec<(bool, Resource)>, BTreeSet<u32>);

impl World {
    pub(super) fn account(&mut self, seen: &Seen) -> Result<(), String> {
        let live = seen.containers.iter().filter(|view| !view.ended).map(|view| view.id).collect();
        self.account_ends(&live);
        let before: BTreeSet<ContainerId> = self.books.containers.keys().copied().collect();
        let (brief, at_once) = self.account_grants(seen, &before)?;
        if let Some((node, total)) = self.ends.follow.take() {
            self.account_drained(seen, node)?;
            self.ends.must.clear();
            let gone = self.set_total_and_kill(node, total, &brief);
            hold!(gone == brief.len(), "{} of {} containers were granted and ended at once", brief.len(), gone);
            for id in self.ends.must.keys().copied().collect::<Vec<_>>() {
                self.books.end(&id, EndReason::Preempted);
                self.reasons.push((id.application_number(), id.number(), EndReason::Preempted));
            }
        } else {
            hold!(brief.is_empty(), "containers were granted and ended in one step");
            hold!(seen.events.is_empty(), "nothing to tell of: {:?}", seen.events);
        }
        // The ResourceManager fetches an AM's container at once.
        for number in at_once {
            self.books.acquire_numbered(number);
        }
        // What ended, and why; exactly that.
        let mut ended = std::mem::take(&mut self.reasons);
        ended.sort_by_key(|(app, container, _)| (*app, *container));
        let told = &seen.outcome.completed;
        let sorted = |ends: &[(u32, u32, EndReason)]| {
            let mut ends: Vec<_> = ends.iter().map(|(app, container, why)| (*app, *container, why.as_str())).collect();
            ends.sort_unstable();
            ends
        };
        hold!(sorted(&ended) == sorted(told), "{told:?} ended, and not {ended:?}");
        self.account_rounds(seen)
    }

    /// What must end does; of what may end, what does not live any more.
    fn account_ends(&mut self, live: &BTreeSet<ContainerId>) {
        let mut ends = std::mem::take(&mut self.ends.must);
        let may = std::mem::take(&mut self.ends.may);
        let went = may.into_iter().filter(|id| !live.contains(id) && self.books.containers[id].live);
        let went: Vec<_> = went.collect();
        ends.extend(went.iter().map(|id| (*id, EndReason::Preempted)));
        for (id, reason) in &ends {
            if *reason == EndReason::Preempted {
                let app = self.books.containers[id].app;
                let marked = !self.ends.unmarked;
                self.books.preempted += u64::from(marked);
                self.books.apps[app].preempted += u64::from(marked);
                self.counts.add("kill: containers ended", usize::from(marked));
            }
            self.books.end(id, *reason);
            self.reasons.push((id.application_number(), id.number(), *reason));
        }
        for app in &mut self.books.apps {
            app.ended.retain(|(id, _)| !self.ends.told.contains(id));
        }
    }

    /// Containers that were granted. Of those that ended in the same step whether they were AMs, and their sizes; and
    /// the numbers of the applications whose AMs came.
    fn account_grants(&mut self, seen: &Seen, before: &BTreeSet<ContainerId>) -> Result<Granted, String> {
        let fresh: BTreeMap<(u32, u32), _> = seen
            .containers
            .iter()
            .filter(|view| !before.contains(&view.id))
            .map(|view| ((view.id.application_number(), view.id.number()), view))
            .collect();
        let (mut brief, mut at_once, mut shown) = (Vec::new(), BTreeSet::new(), 0);
        for made in &seen.outcome.allocated {
            let at = self.books.apps.iter().position(|app| app.alive && app.number == made.app);
            let app = at.ok_or_else(|| format!("I5: a container for no application that runs: {made:?}"))?;
            hold!(self.books.node_named(&made.node).is_some(), "on no node: {made:?}");
            let is_am = self.account_number(app, made)?;
            if is_am {
                at_once.insert(made.app);
            }
            let view = fresh.get(&(made.app, made.container));
            let key = view.map_or((made.priority, 0), |view| (view.priority, view.allocation_request_id));
            self.books.by_number.insert((made.app, made.container), view.map(|view| view.id));
            let Some(view) = view else {
                // Gone again, and its ask is back: it may have had any request id.
                let size = made.resource;
                brief.push((is_am, size));
                if is_am {
                    let book = &mut self.books.apps[app];
                    book.am_came_back = true;
                    book.am = book.asks.get(&(0, 0)).map_or(size, |ask| ask.1);
                }
                self.reasons.push((made.app, made.container, EndReason::Preempted));
                self.books.granted += 1;
                self.books.ended += 1;
                continue;
            };
            shown += 1;
            let asked = self.take_ask(app, key, made)?;
            if is_am {
                self.books.apps[app].am = asked;
            }
            self.books.apps[app].granted.push(view.id);
            let book = ContainerBook {
                app,
                node: made.node.clone(),
                key,
                size: made.resource,
                asked,
                age: self.books.granted,
                am: is_am,
                acquired_at: None,
                launched: false,
                live: true,
                marked: false,
                warned: false,
                doomed: false,
                undone: false,
            };
            self.books.containers.insert(view.id, book);
            self.books.granted += 1;
        }
        hold!(shown == fresh.len(), "{} containers are there, {shown} were granted", fresh.len());
        Ok((brief, at_once))
    }

    /// A number is given once in an attempt; whether it is its AM's.
    fn account_number(&mut self, app: usize, made: &AllocatedView) -> Result<bool, String> {
        let book = &mut self.books.apps[app];
        hold!(book.numbers.insert(made.container), "I13: number given twice: {made:?}");
        let is_am = std::mem::replace(&mut book.waits_for_am, false);
        let as_asked = is_am == (made.priority == 0) || (book.am_came_back && !is_am);
        hold!(as_asked, "the AM's container is the first: {made:?}");
        self.account_place(app, is_am, made)?;
        Ok(is_am)
    }

    /// Nothing is placed where the AM does not want it.
    fn account_place(&self, app: usize, is_am: bool, made: &AllocatedView) -> Result<(), String> {
        let AppBook { blacklist, .. } = &self.books.apps[app];
        let node = self.books.node_named(&made.node).expect("it is there");
        let rack = format!("/r{}", self.books.nodes[node].rack);
        let listed = blacklist.contains(&made.node) || blacklist.contains(&rack);
        // What was reserved or is kept for it there is taken all the same: both ways go past the blacklist.
        let reserved = self.reserved.iter().any(|reserved| reserved.app == made.app && reserved.node == made.node);
        let kept = self.held.iter().any(|held| held.app == made.app && held.node == made.node);
        hold!(is_am || reserved || kept || !listed, "on a node that the AM has blacklisted: {made:?}");
        Ok(())
    }

    fn take_ask(&mut self, app: usize, key: (i32, i64), made: &AllocatedView) -> Result<Resource, String> {
        let ask = self.books.apps[app].asks.get_mut(&key);
        let ask = ask.ok_or_else(|| format!("never asked for: {made:?} with {key:?}"))?;
        ask.0 -= 1;
        hold!(ask.0 >= 0, "I3: more granted than asked for: {made:?} with {key:?}");
        Ok(ask.1)
    }

    /// A decommissioning node that reported is told of once, when it has nothing left.
    fn account_drained(&mut self, seen: &Seen, node: usize) -> Result<(), String> {
        let book = &mut self.books.nodes[node];
        let name = book.handle.name();
        let filled = seen.outcome.allocated.iter().any(|made| made.node == name);
        let tell = self.ends.emptied == Some(node) && !filled && !book.drained;
        book.drained |= tell;
        let expected: Vec<_> = tell.then(|| SchedulerEvent::NodeDrained(name.to_owned())).into_iter().collect();
        hold!(seen.events == expected, "{:?} is told, not {expected:?}", seen.events);
        self.counts.add("decommission: a node drained", expected.len());
        Ok(())
    }

    /// I10: what is marked for an application is kept for it, on the nodes where it was marked.
    fn account_rounds(&mut self, seen: &Seen) -> Result<(), String> {
        if seen.done.rounds.is_empty() || self.shape.strict {
            return Ok(());
        }
        let mut kept: BTreeMap<(String, u32), Resource> = BTreeMap::new();
        for held in &self.held {
            kept.insert((held.node.clone(), held.app), held.resource);
        }
        for round in &seen.done.rounds {
            let app = round.app.ok_or("a round serves nobody")?;
            for id in &round.containers {
                let (node, size) = self.marked_now.get(id).ok_or_else(|| format!("{id:?} was not marked"))?;
                let sum = kept.entry((node.clone(), app)).or_insert(Resource::ZERO);
                *sum = sum.plus(size);
            }
        }
        let shown: BTreeMap<_, _> =
            seen.outcome.held.iter().map(|held| ((held.node.clone(), held.app), held.resource)).collect();
        hold!(shown == kept, "I10: {shown:?} is kept, not {kept:?}");
        Ok(())
    }
}
