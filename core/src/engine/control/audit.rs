//! The control's part of the audit: applications, queues, nodes, and the lists in which they stand. The laws:
//! `views::audit`.

use super::part::{ControlPart, Controlled};
use super::state::{App, Control};
use crate::id::{NodeId, Slot};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What the control has counted.
#[derive(Debug)]
pub(crate) struct ControlCount {
    pub(crate) wrong: Vec<String>,
    pub(crate) apps: FxHashSet<Slot>,
    pub(crate) queues: usize,
    /// By owner, by registration.
    pub(crate) nodes: FxHashMap<usize, Vec<NodeId>>,
    /// What all workers must say too: of what, and what it is.
    pub(crate) agreed: BTreeMap<String, String>,
}

impl<D: Controlled> Control<D> {
    /// Counts what is the control's own.
    pub(crate) fn audit(&self) -> ControlCount {
        let (mut wrong, mut agreed) = (Vec::new(), BTreeMap::new());
        self.audit_apps(&mut agreed, &mut wrong);
        let [queues, slots, known, names] = self.tree.counts();
        if (slots, known) != (queues, names) {
            wrong.push(format!("{queues} queues, {slots} slots of them; they have {names} names, {known} are known"));
        }
        let mut nodes: FxHashMap<usize, Vec<NodeId>> = FxHashMap::default();
        for entry in self.nodes.iter() {
            nodes.entry(entry.shared.owner).or_default().push(entry.shared.id);
        }
        self.audit_nodes(&nodes, &mut wrong);
        if !self.answers.is_empty() {
            wrong.push(format!("{} answers wait", self.answers.len()));
        }
        let apps = self.apps.iter().flatten().map(|app| app.shared.slot).collect();
        ControlCount { wrong, apps, queues, nodes, agreed }
    }

    /// Each application has a slot, a number, a place in its leaf's tables, and keeps its queue; nobody else has.
    fn audit_apps(&self, agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>) {
        let apps: Vec<_> = self.apps.iter().flatten().collect();
        let (slots, numbers) = (self.app_slots.taken(), self.by_number.len());
        let members: usize = self.members.iter().flatten().map(|table| table.members.len()).sum();
        for (what, count) in
            [("slots are given out", slots), ("numbers are known", numbers), ("members are in leaf queues", members)]
        {
            if count != apps.len() {
                wrong.push(format!("{} applications are there, {count} {what}", apps.len()));
            }
        }
        let waiting = apps.iter().filter(|app| !app.runnable).count();
        D::Control::audited(self, waiting, agreed, wrong);
        // As many as there are applications: so each of them is one.
        for (leaf, tables) in (0_u32..).zip(&self.members) {
            for (is_runnable, table) in [true, false].into_iter().zip(tables) {
                for (position, member) in table.members.positions() {
                    let app = self.apps.get(member.app.slot.ix()).and_then(Option::as_ref);
                    let stands = |app: &&App| (app.leaf, app.runnable, app.position) == (leaf, is_runnable, position);
                    if app.filter(stands).is_none_or(|app| app.shared.slot != member.app.slot) {
                        wrong.push(format!("{:?} is not where its leaf has it", member.app));
                    }
                }
            }
        }
        for app in &apps {
            let number = app.shared.id.number;
            if self.by_number.get(&number) != Some(&app.shared.slot.index) {
                wrong.push(format!("application {number} is not found by its number"));
            }
            if app.end.has_begun() {
                wrong.push(format!("application {number} is ending: {:?}", app.end));
            }
        }
    }

    fn audit_nodes(&self, nodes: &FxHashMap<usize, Vec<NodeId>>, wrong: &mut Vec<String>) {
        let count = self.nodes.iter().count();
        let on_racks: u32 = self.racks.values().sum();
        let published = self.shared.nodes.lock().len();
        if (on_racks as usize, published, self.rack_owner.len()) != (count, count, self.racks.len()) {
            wrong.push(format!(
                "{count} nodes on {} racks; on racks: {on_racks}, published: {published}, racks with owners: {}",
                self.racks.len(),
                self.rack_owner.len()
            ));
        }
        if let Some(ending) = self.nodes.iter().find(|entry| entry.closing.is_some()) {
            wrong.push(format!("node {} is being removed", ending.shared.name));
        }
        for worker in 0..self.shared.workers {
            let present = nodes.get(&worker).map_or(0, Vec::len);
            let (made, free) = self.places[worker].counts();
            // A place whose container was still to be killed is kept: see `Shard::remove_node`.
            let is_whole = made == present + free || (self.shared.settings.preemption && made > present + free);
            if self.loads[worker] as usize != present || !is_whole {
                let load = self.loads[worker];
                wrong.push(format!(
                    "worker {worker} has {present} nodes, {load} are counted; {made} places, {free} of them free"
                ));
            }
        }
    }
}
