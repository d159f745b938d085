//! W4: tasks that name nodes, and each application's table of how many pending ones name a location.
//!
//! A task names three distinct nodes; its rows are these, their racks (each once) and `*`. A container that comes back
//! serves the oldest pending task that names its node, else the oldest that names its rack, else the oldest. An ask has the
//! rows that were touched since the last one, with their counts as they are then, 0 included: also where one task more and one
//! less left a count as it was, because the scheduler has lowered its own since.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::bed::{Bed, node_name, rack_name};
use super::java_random::JavaRandom;
use super::masters::ask;
use super::shape::NODES_A_RACK;
use crate::api::{Ask, Location};

/// Nodes that a task names.
const NODES_A_TASK: usize = 3;
const SEED: u64 = 42;
/// A row's list may have so many tasks that are no longer pending, and once more as many as pend.
const STALE: usize = 16;

type Task = [u32; NODES_A_TASK];

/// The tables of all applications, and where their new tasks come from.
pub(super) struct Tasks {
    random: JavaRandom,
    nodes: u32,
    /// What asks call the rows: nodes by number, racks by number, `*`.
    locations: Vec<Location>,
    tables: Vec<Table>,
}

/// The pending tasks of one application.
#[derive(Debug, Default)]
struct Table {
    /// By age; those that were served are empty, and gone from the front.
    tasks: VecDeque<Option<Task>>,
    /// The number of the first of them, in order of making.
    first: u64,
    rows: FxHashMap<u32, Row>,
    /// Rows touched since the last ask, in that order.
    changed: Vec<u32>,
}

/// One location of a table.
#[derive(Debug, Default)]
struct Row {
    /// Pending tasks that name it.
    count: u32,
    /// These by age, and some that were served through other rows.
    waiting: VecDeque<u64>,
    changed: bool,
}

impl Tasks {
    /// So many for each application, drawn in their order.
    pub(super) fn new(bed: &Bed, wanted: &[u32]) -> Tasks {
        let nodes = bed.shape.nodes;
        let names = (0..nodes).map(node_name).chain((0..bed.shape.racks()).map(rack_name));
        let locations = names.map(|name| bed.engine.location(&name)).chain([Location::ANY]).collect();
        Tasks::with(nodes, locations, wanted)
    }

    fn with(nodes: u32, locations: Vec<Location>, wanted: &[u32]) -> Tasks {
        assert!(nodes as usize >= NODES_A_TASK, "a task names distinct nodes");
        let tables = wanted.iter().map(|_| Table::default()).collect();
        let mut tasks = Tasks { random: JavaRandom::new(SEED), nodes, locations, tables };
        for (app, count) in wanted.iter().enumerate() {
            (0..*count).for_each(|_| tasks.add(app));
        }
        tasks
    }

    /// A further task of an application.
    pub(super) fn add(&mut self, app: usize) {
        let mut task = [0; NODES_A_TASK];
        for index in 0..task.len() {
            task[index] = loop {
                let node = self.random.next_int(self.nodes);
                if !task[..index].contains(&node) {
                    break node;
                }
            };
        }
        let (rows, any) = (self.rows_of(&task), self.any());
        self.tables[app].add(task, rows, any);
    }

    /// A container of an application has come, on this node.
    pub(super) fn serve(&mut self, app: usize, node: u32) {
        let table = &mut self.tables[app];
        let oldest = table.oldest_at(node).or_else(|| table.oldest_at(self.nodes + node / NODES_A_RACK));
        let Some(task) = table.take(oldest) else { return };
        let (rows, any) = (self.rows_of(&task), self.any());
        self.tables[app].forget(rows, any);
    }

    /// The rows that an application has to tell of.
    pub(super) fn take_changed(&mut self, app: usize, asks: &mut Vec<Ask>) {
        let table = &mut self.tables[app];
        for number in table.changed.drain(..) {
            let row = table.rows.get_mut(&number).expect("a changed row is kept");
            row.changed = false;
            asks.push(ask(row.count).at(self.locations[number as usize]));
            if row.count == 0 {
                table.rows.remove(&number);
            }
        }
    }

    fn any(&self) -> u32 {
        u32::try_from(self.locations.len() - 1).expect("few locations")
    }

    /// A task's nodes and racks, each once.
    fn rows_of(&self, task: &Task) -> impl Iterator<Item = u32> + use<> {
        let racks = task.map(|node| self.nodes + node / NODES_A_RACK);
        let first = (0..NODES_A_TASK).filter(move |index| !racks[..*index].contains(&racks[*index]));
        (*task).into_iter().chain(first.map(move |index| racks[index]))
    }
}

impl Table {
    fn touch(&mut self, number: u32) -> &mut Row {
        let row = self.rows.entry(number).or_default();
        if !row.changed {
            row.changed = true;
            self.changed.push(number);
        }
        row
    }

    fn add(&mut self, task: Task, rows: impl Iterator<Item = u32>, any: u32) {
        let number = self.first + self.tasks.len() as u64;
        self.tasks.push_back(Some(task));
        for row in rows {
            let row = self.touch(row);
            row.count += 1;
            row.waiting.push_back(number);
        }
        // Nobody looks for a task by `*`.
        self.touch(any).count += 1;
    }

    fn pending(&self, number: u64) -> bool {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.tasks.get(index)).is_some_and(Option::is_some)
    }

    /// The oldest pending task that names a node or rack.
    fn oldest_at(&mut self, row: u32) -> Option<u64> {
        loop {
            let oldest = *self.rows.get(&row)?.waiting.front()?;
            if self.pending(oldest) {
                return Some(oldest);
            }
            self.rows.get_mut(&row)?.waiting.pop_front();
        }
    }

    /// Takes a task out, the oldest of all where none is named.
    fn take(&mut self, number: Option<u64>) -> Option<Task> {
        let index = number.map_or(0, |number| usize::try_from(number - self.first).expect("it is pending"));
        let task = self.tasks.get_mut(index)?.take();
        while self.tasks.front().is_some_and(Option::is_none) {
            self.tasks.pop_front();
            self.first += 1;
        }
        task
    }

    /// A task has left that these rows named.
    fn forget(&mut self, rows: impl Iterator<Item = u32>, any: u32) {
        for number in rows {
            let row = self.touch(number);
            row.count -= 1;
            if row.waiting.len() > 2 * row.count as usize + STALE {
                let mut waiting = std::mem::take(&mut row.waiting);
                waiting.retain(|number| self.pending(*number));
                self.touch(number).waiting = waiting;
            }
        }
        self.touch(any).count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::FairScheduler;

    /// Tables over so many nodes, with the scheduler's names for their rows.
    fn tasks(nodes: u32, wanted: &[u32]) -> Tasks {
        let scheduler = FairScheduler::builder().stepped().unwrap();
        let names = (0..nodes).map(node_name).chain((0..nodes.div_ceil(NODES_A_RACK)).map(rack_name));
        let locations = names.map(|name| scheduler.location(&name)).chain([Location::ANY]).collect();
        Tasks::with(nodes, locations, wanted)
    }

    /// The rows of the next ask, by number.
    fn changed(tasks: &mut Tasks, app: usize) -> Vec<(u32, u32)> {
        let mut asks = Vec::new();
        tasks.take_changed(app, &mut asks);
        let number = |ask: &Ask| tasks.locations.iter().position(|location| *location == ask.location).unwrap();
        asks.iter().map(|ask| (u32::try_from(number(ask)).unwrap(), ask.count)).collect()
    }

    /// Of `Random(42)` over 1000 nodes: 130, 763, 248; then 884, 970, 525; then 505, 918, 519 (racks 12, 22, 12).
    #[test]
    fn tasks_are_drawn_in_the_order_of_applications_and_name_each_rack_once() {
        let mut tasks = tasks(1000, &[1, 2]);
        assert_eq!(changed(&mut tasks, 0), [(130, 1), (763, 1), (248, 1), (1003, 1), (1019, 1), (1006, 1), (1025, 1)]);
        let rows = [884, 970, 525, 1022, 1024, 1013].map(|row| (row, 1));
        let second = [(505, 1), (918, 1), (519, 1), (1012, 1)];
        let mut expected: Vec<(u32, u32)> = rows.to_vec();
        // Rack 22 is named by both tasks, and `*`, between them, too.
        expected[3].1 = 2;
        expected.push((1025, 2));
        expected.extend(second);
        assert_eq!(changed(&mut tasks, 1), expected);
        assert_eq!(changed(&mut tasks, 1), []);
    }

    /// Node, rack, age; what is served goes out of all its rows, which are told of with what is left, 0 included.
    #[test]
    fn a_container_serves_the_oldest_task_that_names_where_it_is() {
        let mut tasks = tasks(1000, &[3]);
        changed(&mut tasks, 0);
        // Task 2 alone names node 919's neighbourhood by name; 1 and 2 share rack 22.
        tasks.serve(0, 918);
        assert_eq!(changed(&mut tasks, 0), [(505, 0), (918, 0), (519, 0), (1012, 0), (1022, 1), (1025, 2)]);
        // Of rack 22 is task 1 left, though task 0 is older.
        tasks.serve(0, 918);
        assert_eq!(changed(&mut tasks, 0), [(884, 0), (970, 0), (525, 0), (1022, 0), (1024, 0), (1013, 0), (1025, 1)]);
        // Nobody named node 0 or its rack: the oldest. Then there is none.
        tasks.serve(0, 0);
        assert_eq!(changed(&mut tasks, 0).last(), Some(&(1025, 0)));
        tasks.serve(0, 0);
        assert_eq!(changed(&mut tasks, 0), []);
        assert!(tasks.tables[0].rows.is_empty() && tasks.tables[0].tasks.is_empty());
    }

    /// The same choices as looking through all pending tasks, and lists that do not grow with what was served.
    #[test]
    fn tables_choose_as_a_plain_search_does() {
        let mut tasks = tasks(130, &[40]);
        let mut plain: Vec<Task> = tasks.tables[0].tasks.iter().map(|task| task.unwrap()).collect();
        let mut random = JavaRandom::new(7);
        for _ in 0..5_000 {
            let node = random.next_int(130);
            let rank = |task: &Task| {
                let near = |other: &u32| if *other == node { 0 } else { 1 + u32::from(other / 40 != node / 40) };
                task.iter().map(near).min()
            };
            // The first of the smallest.
            let chosen = (0..plain.len()).min_by_key(|index| rank(&plain[*index])).unwrap();
            plain.remove(chosen);
            tasks.serve(0, node);
            tasks.add(0);
            plain.push(tasks.tables[0].tasks.back().unwrap().unwrap());
            assert!(tasks.tables[0].tasks.iter().flatten().eq(&plain));
        }
        let table = &tasks.tables[0];
        for (number, row) in &table.rows {
            let names = |task: &&Task| tasks.rows_of(task).any(|row| row == *number) || *number == tasks.any();
            assert_eq!(row.count as usize, plain.iter().filter(names).count(), "row {number}");
            assert!(row.waiting.len() <= 2 * row.count as usize + STALE, "row {number}");
        }
    }
}
