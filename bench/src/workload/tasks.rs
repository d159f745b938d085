//! W4: tasks that name nodes, and each application's table of how many pending ones name a location.
//!
//! A task names three distinct nodes; its rows are these, their racks (each once) and `*`. A container that comes back
//! serves the oldest pending task that names its node, else the oldest that names its rack, else the oldest. An ask has
//! the rows that were touched since the last one, with their counts as they are then, 0 included: also where one task
//! more and one less left a count as it was, because the scheduler has lowered its own since.
//!
//! An application's tasks lie by age in a few cache lines, and are searched; its counts in two bytes a location: a
//! driver must not be slower than it has to be, and cold memory is what it would wait for.

use evenweave_tools::java_random::JavaRandom;

use super::bed::Bed;
use super::calls::ask;
use super::shape::{NODES_A_RACK, node_name, rack_name};
use crate::api::{Ask, Location};

/// Nodes that a task names.
const NODES_A_TASK: usize = 3;
const SEED: u64 = 42;
/// Names that a search compares at once.
const AT_ONCE: usize = 32;

/// Nodes by number.
type Task = [u16; NODES_A_TASK];

/// The tables of all applications, and where their new tasks come from.
pub(super) struct Tasks {
    random: JavaRandom,
    nodes: u16,
    /// What asks call the rows: nodes by number, racks by number, `*`.
    locations: Vec<Location>,
    tables: Vec<Table>,
}

/// The pending tasks of one application.
#[derive(Clone, Debug, Default)]
struct Table {
    /// By age.
    tasks: Vec<Task>,
    /// By number.
    rows: Vec<Row>,
    /// Rows touched since the last ask, in that order.
    changed: Vec<u16>,
}

/// Pending tasks that name a location, and whether that was touched since the last ask.
#[derive(Clone, Copy, Debug, Default)]
struct Row(u16);

impl Row {
    const CHANGED: u16 = 1 << 15;

    fn count(self) -> u16 {
        self.0 & !Row::CHANGED
    }
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
        assert!(locations.len() <= usize::from(u16::MAX), "rows are numbered by u16");
        assert!(wanted.iter().all(|count| *count < u32::from(Row::CHANGED)), "counts have fifteen bits");
        let nodes = u16::try_from(nodes).expect("fewer than rows");
        let table = Table { tasks: Vec::new(), rows: vec![Row::default(); locations.len()], changed: Vec::new() };
        let tables = vec![table; wanted.len()];
        let mut tasks = Tasks { random: JavaRandom::new(SEED), nodes, locations, tables };
        for (app, count) in wanted.iter().enumerate() {
            (0..*count).for_each(|_| tasks.add(app));
        }
        tasks
    }

    /// Each application's table goes to the one of so many who plays it; the first draws on, the others each from a
    /// seed of their own.
    pub(super) fn split(mut self, parts: usize, player: impl Fn(u32) -> usize) -> Vec<Tasks> {
        let part = |part: usize| {
            let seed = SEED + u64::try_from(part).expect("few parts");
            let random = if part == 0 { self.random.clone() } else { JavaRandom::new(seed) };
            let mut mine = |(app, table): (u32, &mut Table)| match player(app) == part {
                true => std::mem::take(table),
                false => Table::default(),
            };
            let tables = (0..).zip(&mut self.tables).map(&mut mine).collect();
            Tasks { random, nodes: self.nodes, locations: self.locations.clone(), tables }
        };
        (0..parts).map(part).collect()
    }

    /// A further task of an application.
    pub(super) fn add(&mut self, app: usize) {
        let mut task = Task::default();
        for index in 0..task.len() {
            task[index] = loop {
                let node = u16::try_from(self.random.next_int(u32::from(self.nodes))).expect("a node's number");
                if !task[..index].contains(&node) {
                    break node;
                }
            };
        }
        let rows = self.rows_of(&task);
        let table = &mut self.tables[app];
        table.tasks.push(task);
        for row in rows {
            table.touch(row).0 += 1;
        }
    }

    /// A container of an application has come, on this node.
    pub(super) fn serve(&mut self, app: usize, node: u32) {
        let node = u16::try_from(node).expect("a node's number");
        let rack = self.rack_of(node);
        let table = &self.tables[app];
        let at_node = if table.count(node) > 0 { table.oldest(|name| name == node) } else { None };
        let at_rack = || if table.count(rack) > 0 { table.oldest(|name| name / A_RACK == node / A_RACK) } else { None };
        let index = at_node.or_else(at_rack).unwrap_or(0);
        if index == table.tasks.len() {
            return;
        }
        let task = self.tables[app].tasks.remove(index);
        let rows = self.rows_of(&task);
        let table = &mut self.tables[app];
        for row in rows {
            table.touch(row).0 -= 1;
        }
    }

    /// The rows that an application has to tell of.
    pub(super) fn take_changed(&mut self, app: usize, asks: &mut Vec<Ask>) {
        let table = &mut self.tables[app];
        for number in table.changed.drain(..) {
            let row = &mut table.rows[usize::from(number)];
            row.0 = row.count();
            asks.push(ask(u32::from(row.0)).at(self.locations[usize::from(number)]));
        }
    }

    fn any(&self) -> u16 {
        u16::try_from(self.locations.len() - 1).expect("rows are numbered by u16")
    }

    /// The row of a node's rack.
    fn rack_of(&self, node: u16) -> u16 {
        self.nodes + node / A_RACK
    }

    /// A task's nodes, their racks, each once, and `*`.
    fn rows_of(&self, task: &Task) -> impl Iterator<Item = u16> + use<> {
        let racks = task.map(|node| self.rack_of(node));
        let first = (0..NODES_A_TASK).filter(move |index| !racks[..*index].contains(&racks[*index]));
        (*task).into_iter().chain(first.map(move |index| racks[index])).chain([self.any()])
    }
}

/// As the rows' numbers are.
#[expect(clippy::cast_possible_truncation, reason = "a rack has few nodes")]
const A_RACK: u16 = NODES_A_RACK as u16;

impl Table {
    fn touch(&mut self, number: u16) -> &mut Row {
        let row = &mut self.rows[usize::from(number)];
        if row.0 & Row::CHANGED == 0 {
            row.0 |= Row::CHANGED;
            self.changed.push(number);
        }
        row
    }

    fn count(&self, number: u16) -> u16 {
        self.rows[usize::from(number)].count()
    }

    /// The oldest task that names such a node.
    fn oldest(&self, wanted: impl Fn(u16) -> bool) -> Option<usize> {
        let names = self.tasks.as_flattened();
        // All of a chunk without a branch: that becomes a few vector instructions.
        let chunk =
            names.chunks(AT_ONCE).position(|chunk| chunk.iter().fold(false, |any, name| any | wanted(*name)))?;
        let from = chunk * AT_ONCE;
        let within = names[from..].iter().position(|name| wanted(*name)).expect("the chunk has one");
        Some((from + within) / NODES_A_TASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FairScheduler, SchedulerApi};

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
        assert!(tasks.tables[0].rows.iter().all(|row| row.0 == 0) && tasks.tables[0].tasks.is_empty());
    }

    /// The same choices as looking through all pending tasks one by one, and counts that follow.
    #[test]
    fn tables_choose_as_a_plain_search_does() {
        let mut tasks = tasks(130, &[40]);
        let mut plain = tasks.tables[0].tasks.clone();
        let mut random = JavaRandom::new(7);
        for _ in 0..5_000 {
            let node = random.next_int(130);
            let rank = |task: &Task| {
                let near = |other: u32| if other == node { 0 } else { 1 + u32::from(other / 40 != node / 40) };
                task.iter().map(|other| near(u32::from(*other))).min()
            };
            // The first of the smallest.
            let chosen = (0..plain.len()).min_by_key(|index| rank(&plain[*index])).unwrap();
            plain.remove(chosen);
            tasks.serve(0, node);
            tasks.add(0);
            plain.push(*tasks.tables[0].tasks.last().unwrap());
            assert_eq!(tasks.tables[0].tasks, plain);
        }
        let table = &tasks.tables[0];
        for (number, row) in (0..).zip(&table.rows) {
            let names = |task: &&Task| tasks.rows_of(task).any(|row| row == number);
            assert_eq!(usize::from(row.count()), plain.iter().filter(names).count(), "row {number}");
        }
    }
}
