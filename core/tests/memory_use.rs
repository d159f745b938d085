//! The promise of what memory each thing takes: the table in `docs/reliability.md`, which is read here. Each figure is
//! within a factor of two of what is measured, both ways, by an allocator that counts.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod counting;

use counting::Counting;
use evenweave::SchedulerApi as _;
use evenweave::{AppHandle, Ask, Heartbeat, NodeHandle, Resource, Stepped};
use evenweave_testkit::{SMALL, ask, ask_for, call, fair, unmanaged};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PAGE: &str = include_str!("../../docs/reliability.md");

/// Applications, nodes and so on that are weighed together.
const MANY: u32 = 4096;
/// The rows of the table under "Memory": what, and how many bytes.
fn documented() -> Vec<(&'static str, usize)> {
    let section = PAGE
        .split("\n## ")
        .find(|section| section.starts_with("Memory"))
        .expect("docs/reliability.md has a section Memory");
    let rows = section.lines().filter(|line| line.starts_with("| ")).filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (what, bytes) = (cells.next()?, cells.next()?);
        Some((what, bytes.replace(',', "").parse().ok()?))
    });
    rows.collect()
}

fn scheduler(workers: usize) -> Stepped {
    let queues = "<queue name='a'/><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>";
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.minimum-allocation-mb", "1024"),
    ];
    fair(&properties, queues).workers(workers).stepped().unwrap()
}

fn room(containers: i64) -> Resource {
    SMALL.times_int(containers)
}

fn add_nodes(stepped: &mut Stepped, nodes: u32, total: Resource) -> Vec<NodeHandle> {
    let add = |i| stepped.add_node(&format!("node{i:05}.example"), &format!("/rack{:03}", i / 40), total).unwrap();
    let nodes = (0..nodes).map(add).collect();
    stepped.update_now();
    nodes
}

fn submit(stepped: &mut Stepped, from: u32, apps: u32) -> Vec<AppHandle> {
    let apps = (from..from + apps).map(|number| stepped.submit(unmanaged(number, "a")).unwrap()).collect();
    stepped.update_now();
    apps
}

/// Bytes that are held after `make` and were not before, by so many; what `make` returns is not among them.
fn each<T>(of: u32, make: impl FnOnce() -> Vec<T>) -> (Vec<T>, usize) {
    let before = counting::held();
    let made = make();
    let handles = made.capacity() * size_of::<T>();
    (made, (counting::held() - before - handles) / of as usize)
}

/// All figures, each beside its name in the table.
fn measured() -> Vec<(&'static str, usize)> {
    let mut out = Vec::new();
    for (what, containers) in
        [("a node with room for 8 containers", 8), ("a node with room for 64 containers or more", 64)]
    {
        let mut stepped = scheduler(1);
        out.push((what, each(MANY, || add_nodes(&mut stepped, MANY, room(containers))).1));
    }
    for (idle, asking, workers) in [
        ("an application that asks for nothing, with 1 worker", "its first ask, with 1 worker", 1),
        ("an application that asks for nothing, with 8 workers", "its first ask, with 8 workers", 8),
    ] {
        let mut stepped = scheduler(workers);
        add_nodes(&mut stepped, 1, room(8));
        let (apps, bytes) = each(MANY, || submit(&mut stepped, 1, MANY));
        out.push((idle, bytes));
        let first = || {
            apps.iter().for_each(|app| _ = call(&mut stepped, app, &ask(1)));
            Vec::<()>::new()
        };
        out.push((asking, each(MANY, first).1));
    }
    let mut stepped = scheduler(1);
    add_nodes(&mut stepped, 1, room(8));
    let app = submit(&mut stepped, 1, 1).remove(0);
    let more = || {
        let priorities = 0..i32::try_from(MANY).unwrap();
        ask_for(&mut stepped, &app, priorities.map(|priority| Ask::anywhere(priority, SMALL, 1)));
        Vec::<()>::new()
    };
    out.push(("each further priority or request id, with 1 worker", each(MANY, more).1));
    let (places, bytes) = each(MANY, || (0..MANY).map(|i| stepped.location(&format!("host{i:05}.example"))).collect());
    out.push(("the name of a node or rack in asks, for good", bytes));
    let rows = || {
        ask_for(&mut stepped, &app, places.iter().map(|place| Ask::anywhere(1, SMALL, 1).at(*place)));
        Vec::<()>::new()
    };
    out.push(("a node or rack that a key asks for, with 1 worker", each(MANY, rows).1));
    let mut stepped = scheduler(1);
    let nodes = add_nodes(&mut stepped, 16, room(1024));
    let apps = submit(&mut stepped, 1, 16);
    apps.iter().for_each(|app| _ = call(&mut stepped, app, &ask(1024)));
    stepped.update_now();
    let run = || {
        nodes.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
        Vec::<()>::new()
    };
    // As many as were made ahead for their nodes cost nothing.
    out.push(("a running container, beyond 64 of a node", each(16 * (1024 - 64), run).1));
    assert_eq!(stepped.stats().running, 16 * 1024);
    let mut stepped = scheduler(1);
    let queues = || {
        (0..MANY).for_each(|i| stepped.create_queue(&format!("root.many.q{i:05}")).unwrap());
        stepped.update_now();
        Vec::<()>::new()
    };
    out.push(("a queue, with 1 worker", each(MANY, queues).1));
    out
}

#[test]
fn memory_is_as_documented() {
    let (documented, measured) = (documented(), measured());
    let table = measured.iter().map(|(what, bytes)| format!("| {what} | {bytes} |")).collect::<Vec<_>>().join("\n");
    let names = |rows: &[(&'static str, usize)]| rows.iter().map(|(what, _)| *what).collect::<Vec<_>>();
    assert_eq!(names(&documented), names(&measured), "the rows of the table; measured:\n{table}");
    for ((what, said), (_, is)) in documented.iter().zip(&measured) {
        assert!(*is <= 2 * said && *said <= 2 * is, "{what}: {said} documented, {is} measured; all:\n{table}");
    }
}
