//! Tasks that name three nodes each, as W4's do, and each application's table of how many pending ones name a node, a
//! rack, `*`.
//!
//! A plain table for small clusters: a task is searched for from the oldest on.

use super::{Core, ask};
use evenweave::{Ask, Location};
use std::collections::{BTreeMap, BTreeSet};

type Task = [u32; 3];

/// The tables of all applications.
pub struct Tasks {
    nodes: u32,
    a_rack: u32,
    /// Nodes by number, then racks by number, then `*`.
    locations: Vec<Location>,
    random: u64,
    tables: Vec<Table>,
}

#[derive(Default)]
struct Table {
    /// The oldest first.
    pending: Vec<Task>,
    counts: BTreeMap<u32, u32>,
    changed: BTreeSet<u32>,
}

impl Tasks {
    /// So many for each application.
    pub fn new(core: &impl Core, nodes: u32, a_rack: u32, wanted: &[u32]) -> Tasks {
        let names = (0..nodes).map(|node| format!("n{node}"));
        let names = names.chain((0..nodes.div_ceil(a_rack)).map(|rack| format!("/r{rack}")));
        let locations = names.map(|name| core.location(&name)).chain([Location::ANY]).collect();
        let tables = wanted.iter().map(|_| Table::default()).collect();
        let mut tasks = Tasks { nodes, a_rack, locations, random: 42, tables };
        for (app, count) in wanted.iter().enumerate() {
            (0..*count).for_each(|_| tasks.add(app));
        }
        tasks
    }

    fn draw(&mut self) -> u32 {
        // Knuth's MMIX generator; the high half is the good one.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.random >> 32) % u64::from(self.nodes)).unwrap()
    }

    fn rows(&self, task: &Task) -> BTreeSet<u32> {
        let any = u32::try_from(self.locations.len() - 1).unwrap();
        task.iter().flat_map(|node| [*node, self.nodes + node / self.a_rack]).chain([any]).collect()
    }

    /// A further task of an application.
    pub fn add(&mut self, app: usize) {
        let mut task = Task::default();
        for index in 0..task.len() {
            task[index] = loop {
                let node = self.draw();
                if !task[..index].contains(&node) {
                    break node;
                }
            };
        }
        let rows = self.rows(&task);
        let table = &mut self.tables[app];
        table.pending.push(task);
        for row in rows {
            *table.counts.entry(row).or_default() += 1;
            table.changed.insert(row);
        }
    }

    /// A container has come on this node: for the oldest task that names it, else its rack, else the oldest.
    pub fn serve(&mut self, app: usize, node: u32) {
        let pending = &self.tables[app].pending;
        if pending.is_empty() {
            // With several workers a call is not atomic across rows.
            return;
        }
        let near = |other: &u32| other / self.a_rack == node / self.a_rack;
        let chosen = pending.iter().position(|task| task.contains(&node));
        let chosen = chosen.or_else(|| pending.iter().position(|task| task.iter().any(near))).unwrap_or(0);
        let task = self.tables[app].pending.remove(chosen);
        let rows = self.rows(&task);
        let table = &mut self.tables[app];
        for row in rows {
            *table.counts.get_mut(&row).unwrap() -= 1;
            table.changed.insert(row);
        }
    }

    /// The rows that have changed since they were last asked for, with their counts now.
    pub fn take_changed(&mut self, app: usize, asks: &mut Vec<Ask>) {
        let table = &mut self.tables[app];
        while let Some(row) = table.changed.pop_first() {
            asks.push(ask(table.counts[&row]).at(self.locations[row as usize]));
        }
    }
}
