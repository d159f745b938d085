//! Nodes are lost, come, and change their size.
//!
//! A node that is lost is gone at once, as if the ResourceManager had waited long enough for it; what ran on it ends as
//! lost. One that comes reports from then on as the others do, at an offset by seed.

use super::super::cluster::{NodeFate, NodeSpec};
use super::super::events::Kind;
use super::super::nodes::SimNode;
use super::super::tasks::Place;
use super::run::Run;
use crate::api::Resource;

fn amounts(size: &Resource) -> [i64; 2] {
    [size.memory_mb(), size.vcores()]
}

impl Run<'_> {
    /// The next change is put into the queue.
    pub(super) fn next_change(&mut self) {
        if let Some(change) = self.fates.changes.front() {
            self.events.put(change.at_ms.max(self.now), Kind::Node, 0);
        }
    }

    /// All changes of this moment.
    pub(super) fn change_nodes(&mut self) {
        // What was left out has been due until now.
        self.ring.leap(self.now);
        while self.fates.changes.front().is_some_and(|change| change.at_ms <= self.now) {
            let Some(change) = self.fates.changes.pop_front() else { break };
            match change.what {
                NodeFate::Lose(names) => names.iter().for_each(|name| self.lose_node(name)),
                NodeFate::Add(specs) => specs.iter().for_each(|spec| self.add_node(spec)),
                NodeFate::Resize(name, total) => self.resize_node(&name, total),
            }
        }
        self.quiet.changed();
        self.quiet.disturb();
        self.deliver();
        self.next_change();
    }

    fn number_of(&mut self, name: &str) -> Option<usize> {
        let nodes = &self.nodes;
        let numbers = self.fates.numbers.get_or_insert_with(|| {
            nodes.iter().enumerate().map(|(number, node)| (node.handle.name().to_owned(), number)).collect()
        });
        numbers.get(name).copied()
    }

    fn lose_node(&mut self, name: &str) {
        let Some(number) = self.number_of(name) else { return };
        let size = self.nodes[number].size;
        // It may be gone with a scheduler that has no workers left.
        let _ = self.core.remove_node(&self.nodes[number].handle);
        self.nodes[number].lose();
        self.ring.remove(u32::try_from(number).unwrap_or(u32::MAX));
        self.busy.grow(self.now, size.map(|amount| -amount));
        self.fates.lost += 1;
        let before = self.ended;
        self.deliver();
        self.fates.lost_containers += self.ended - before;
        // AMs that are done and whose containers no node reports any more.
        let done = self.masters.iter().filter(|(_, master)| master.am.is_some_and(|(_, node)| node.index() == number));
        let mut done: Vec<_> = done.filter_map(|(app, master)| Some((*app, master.leaving?))).collect();
        done.sort_unstable_by_key(|(app, _)| *app);
        for (app, end) in done {
            self.remove(app, end);
        }
    }

    fn add_node(&mut self, spec: &NodeSpec) {
        let handle = match self.core.add_node(spec) {
            Ok(handle) => handle,
            Err(refused) => {
                self.refused.push(format!("node {}: {refused}", spec.name));
                return;
            }
        };
        let number = self.nodes.len();
        // Made before the new node is among them.
        let _ = self.number_of(&spec.name);
        if let Some(numbers) = &mut self.fates.numbers {
            numbers.insert(spec.name.clone(), number);
        }
        self.places.push(Place { node: self.core.location(&spec.name), rack: self.core.location(&spec.rack) });
        self.nodes.push(SimNode::new(handle, amounts(&spec.total)));
        let offset = self.drawn(0x4e4f_4445, number as u64) % self.plan.node_interval_ms;
        self.offsets.push(offset);
        self.ring.add(self.now, offset);
        self.busy.grow(self.now, amounts(&spec.total));
    }

    fn resize_node(&mut self, name: &str, total: Resource) {
        let Some(number) = self.number_of(name).filter(|number| !self.nodes[*number].is_gone()) else { return };
        if let Err(refused) = self.core.resize_node(&self.nodes[number].handle, total) {
            self.refused.push(format!("node {name}: {refused}"));
            return;
        }
        let after = amounts(&total);
        let before = std::mem::replace(&mut self.nodes[number].size, after);
        self.busy.grow(self.now, [after[0] - before[0], after[1] - before[1]]);
    }
}
