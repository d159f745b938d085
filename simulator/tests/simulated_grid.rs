//! A grid of simulations: each point is the run that its values make by themselves.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeMap;

use evenweave_simulator::report;
use evenweave_simulator::{ClusterOptions, SimulateOptions, Simulated, Sweep, json, simulate, words, write_tables};
use evenweave_tools::Failure;

const HOUR_MS: u64 = 3_600_000;

/// A directory of one test, gone at its end.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-grid-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(scratch: &Scratch, text: &str, change: impl FnOnce(&mut SimulateOptions)) -> Result<Simulated, Failure> {
    let file = scratch.0.join("queues.xml");
    std::fs::write(&file, text).unwrap();
    let mut options =
        SimulateOptions { configs: vec![file], until_ms: Some(2 * HOUR_MS), ..SimulateOptions::default() };
    change(&mut options);
    simulate(&options, &|_| true)
}

fn nodes(counts: &[u32]) -> ClusterOptions {
    ClusterOptions { nodes: counts.to_vec(), ..ClusterOptions::default() }
}

const FAIR: &str = "<allocations><queue name=\"a\"><weight>W</weight></queue><queue name=\"b\"/></allocations>";

#[test]
fn a_point_decides_as_the_run_of_its_values_does() {
    let scratch = Scratch::new("same");
    let grid = run(&scratch, FAIR, |options| {
        options.sweeps = vec![Sweep::parse("root.a.weight=1,4").unwrap()];
        options.cluster = nodes(&[4, 6]);
    });
    let grid = grid.unwrap();
    assert_eq!((grid.axes(), grid.runs.len()), (vec!["nodes", "root.a.weight"], 4));
    let mut hashes = Vec::new();
    for ((count, weight), point) in [(4, "1"), (4, "4"), (6, "1"), (6, "4")].into_iter().zip(&grid.runs) {
        let values: Vec<&str> = point[0].at.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [count.to_string().as_str(), weight]);
        let alone = run(&scratch, &FAIR.replace('W', weight), |options| options.cluster = nodes(&[count]));
        assert_eq!(point[0].decisions, alone.unwrap().runs[0][0].decisions, "{count} nodes, weight {weight}");
        hashes.push(point[0].decisions);
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 4, "the points differ");

    let said = words(&grid);
    let clusters = "4 nodes of 8 GiB and 8 vcores, as bundled\n6 nodes of 8 GiB and 8 vcores, as bundled\n\n";
    let is_head = |line: &&str| line.starts_with("nodes  root.a.weight  wait all s");
    assert!(said.starts_with(clusters) && said.lines().skip_while(|line| !is_head(line)).count() == 5, "{said}");
    write_tables(&grid, &scratch.0).unwrap();
    let csv = std::fs::read_to_string(scratch.0.join("grid.csv")).unwrap();
    // All queues, and the two leaves.
    assert_eq!(csv.lines().count(), 1 + 4 * 3, "{csv}");
    assert!(csv.starts_with("point,queues_file,nodes,root.a.weight,seeds,queue,"), "{csv}");
    assert!(json(&grid).contains("\"at\":{\"nodes\":\"6\",\"root.a.weight\":\"4\"}"));
}

/// The columns of a line of a table, by name.
fn rows(csv: &str) -> Vec<BTreeMap<&str, &str>> {
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    csv.lines().skip(1).map(|line| head.iter().copied().zip(line.split(',')).collect()).collect()
}

#[test]
fn of_several_seeds_means_say_how_sure_they_are() {
    let scratch = Scratch::new("seeds");
    let text = FAIR.replace('W', "1");
    let table = |seeds: u32| {
        let points = run(&scratch, &text, |options| (options.seeds, options.cluster) = (seeds, nodes(&[4])));
        write_tables(&points.unwrap(), &scratch.0).unwrap();
        std::fs::read_to_string(scratch.0.join("queues.csv")).unwrap()
    };
    let (one, three) = (table(1), table(3));
    for (row, other) in rows(&one).iter().zip(&rows(&three)) {
        assert_eq!((row["seeds"], row["wait_s_give_or_take"], row["runtime_s_give_or_take"]), ("1", "", ""));
        let number = |name: &str| other[name].parse::<f64>().unwrap();
        assert!(number("wait_s_give_or_take") > 0.0 && number("runtime_s_give_or_take") > 0.0, "{other:?}");
        assert!(number("share_not_had") > 0.0 && number("jobs") > 2.0 * row["jobs"].parse::<f64>().unwrap());
    }
    let grid = run(&scratch, FAIR, |options| {
        (options.seeds, options.cluster) = (3, nodes(&[4]));
        options.sweeps = vec![Sweep::parse("root.a.weight=1").unwrap()];
    });
    let said = words(&grid.unwrap());
    let all = &rows(&three)[0];
    let [wait, off] = ["wait_s_mean", "wait_s_give_or_take"].map(|name| all[name].parse::<f64>().unwrap());
    assert!(said.contains(&format!("{wait:.1} ± {off:.1}")), "{said}");
}

#[test]
fn what_a_reader_would_not_think_of_is_said() {
    let scratch = Scratch::new("remarks");
    let changes = scratch.0.join("changes.csv");
    let lost = ["node1", "node2", "node3"].map(|node| format!("3600,lose,{node},,,\n")).concat();
    std::fs::write(&changes, format!("time_s,event,node,rack,memory_mb,vcores\n{lost}")).unwrap();
    // They run on all nodes, and longer than the run.
    let trace = scratch.0.join("jobs.csv");
    std::fs::write(
        &trace,
        "job,submit_ms,queue,count,duration_ms\nlong,0,root.a,20,9000000\nother,0,root.b,4,9000000\n",
    )
    .unwrap();
    let lossy = run(&scratch, &FAIR.replace('W', "1"), |options| {
        options.cluster = ClusterOptions { changes: Some(changes), ..nodes(&[4]) };
        options.traces = vec![trace];
    });
    let lossy = lossy.unwrap();
    let (lost, open) =
        (lossy.runs[0][0].lost_containers, lossy.runs[0][0].sums.iter().map(|sums| sums.open).sum::<u64>());
    assert!(lost > 0 && open > 0, "{lost} containers are lost, {open} jobs have no end");
    let said = words(&lossy);
    for remark in [format!("3 nodes were lost, and {lost} containers with them"), format!("{open} jobs have no end")] {
        assert!(said.contains(&remark), "{said}");
        let page = scratch.0.join("report.html");
        report::write_simulation(&lossy, &page).unwrap();
        assert!(std::fs::read_to_string(page).unwrap().contains(&remark));
    }
    assert!(json(&lossy).contains(&format!("\"lost_containers\":{lost},\"lost_nodes\":3")));
}

#[test]
fn of_jobs_without_an_end_it_is_said_which_why_and_what_to_do() {
    let scratch = Scratch::new("unended");
    let trace = scratch.0.join("jobs.csv");
    // A task is larger than the maximum of its queue, another than every node, and no AM of root.closed starts.
    let jobs = "huge,0,root.small,1,1000,4096\nrefused,0,root.a,1,1000,999999\nwaits,0,root.closed,1,1000,1024\ndone,0,root.b,1,1000,1024\n";
    std::fs::write(&trace, format!("job,submit_ms,queue,count,duration_ms,memory_mb\n{jobs}")).unwrap();
    let closed = "<queue name=\"closed\"><maxRunningApps>0</maxRunningApps></queue>\
                  <queue name=\"small\"><maxResources>memory-mb=2048, vcores=8</maxResources></queue></allocations>";
    let queues = FAIR.replace('W', "1").replace("</allocations>", closed);
    let ended = |until_ms| {
        run(&scratch, &queues, |options| {
            options.cluster = nodes(&[4]);
            options.traces = vec![trace.clone()];
            options.until_ms = until_ms;
        })
        .unwrap()
    };
    let simulated = ended(None);
    let said = words(&simulated);
    for remark in [
        "3 jobs have no end, and the run ended when nothing had happened for six hours",
        "1 waited for a container for the AM: waits in root.closed; compare",
        "1 had an AM, and waited for a first task: huge in root.small; compare",
        "1 broke down (the first: ",
        "): refused in root.a; change",
    ] {
        assert!(said.contains(remark), "{remark}\n{said}");
    }
    assert!(json(&simulated).contains("\"why\":\"waited-for-am\""));
    let said = words(&ended(Some(HOUR_MS)));
    assert!(
        said.contains("3 jobs have no end, where the run was told to end") && !said.contains("; compare"),
        "{said}"
    );
}

#[test]
fn capacities_change_together() {
    let scratch = Scratch::new("capacity");
    let property = |name: &str, value: &str| {
        format!("<property><name>yarn.scheduler.capacity.root.{name}</name><value>{value}</value></property>")
    };
    let text = format!(
        "<configuration>{}{}{}</configuration>",
        property("queues", "a,b"),
        property("a.capacity", "50"),
        property("b.capacity", "50")
    );
    let grid = |sweep: &str| run(&scratch, &text, |options| options.sweeps = vec![Sweep::parse(sweep).unwrap()]);
    let points = grid("root.a.capacity=20,80;root.b.capacity=80,20").unwrap();
    assert_ne!(points.runs[0][0].decisions, points.runs[1][0].decisions);
    for (sweep, said) in [
        ("root.a.capacity=10,20", "--sweep root.a.capacity=10: "),
        ("root.a.capactiy=10", "yarn.scheduler.capacity.root.a.capactiy is unknown; "),
        ("root.z.capacity=10", "there is no \"root.z\"; "),
        ("root.a.capacity=ten", "--sweep root.a.capacity=ten: "),
    ] {
        let message = grid(sweep).map(drop).map_err(|failure| failure.message()).unwrap_err();
        assert!(message.contains(said), "{sweep}: {message}");
    }
}

#[test]
fn a_grid_that_is_far_too_large_is_refused() {
    let scratch = Scratch::new("large");
    let grid = run(&scratch, &FAIR.replace('W', "1"), |options| {
        options.sweeps =
            ["root.a.weight=1..500", "root.b.weight=1..500"].map(|text| Sweep::parse(text).unwrap()).to_vec();
    });
    let Err(Failure::Input(message)) = grid else { panic!("it is taken") };
    assert_eq!(message, "the grid has 250000 points; it may have 10000, so give fewer values");
}

/// A grid of a setting and of numbers of nodes: the chart has a line for each number of nodes, over the setting.
#[test]
fn the_chart_of_a_grid_has_a_line_for_each_number_of_nodes() {
    let scratch = Scratch::new("lines");
    let simulated = run(&scratch, &FAIR.replace('W', "1"), |options| {
        options.cluster = nodes(&[4, 6, 9]);
        options.sweeps = vec![Sweep::parse("root.a.weight=1,2").unwrap()];
        options.until_ms = Some(HOUR_MS);
    });
    let page = scratch.0.join("report.html");
    report::write_simulation(&simulated.unwrap(), &page).unwrap();
    let page = std::fs::read_to_string(page).unwrap();
    for count in [4, 6, 9] {
        assert_eq!(page.matches(&format!("</i>all, {count} nodes</span>")).count(), 1, "{count}");
    }
    // The setting is across, not the number of the point.
    assert!(page.contains("root.a.weight\n</text>") && !page.contains("point, as numbered"), "the axis");
}

/// Charts of several files of queues have one scale: the highest share of all stands on the axis of each.
#[test]
fn charts_of_several_files_have_one_scale() {
    let scratch = Scratch::new("scale");
    let (narrow, wide) = (scratch.0.join("narrow.xml"), scratch.0.join("wide.xml"));
    let bounded = "<queue name=\"a\"><maxResources>2048 mb, 2 vcores</maxResources></queue>";
    std::fs::write(&narrow, format!("<allocations>{bounded}{}</allocations>", bounded.replace("\"a\"", "\"b\"")))
        .unwrap();
    std::fs::write(&wide, "<allocations><queue name=\"a\"/><queue name=\"b\"/></allocations>").unwrap();
    let simulated = run(&scratch, &FAIR.replace('W', "1"), |options| {
        options.cluster = nodes(&[6]);
        options.configs = vec![narrow, wide];
        options.until_ms = Some(HOUR_MS);
    });
    let page = scratch.0.join("report.html");
    report::write_simulation(&simulated.unwrap(), &page).unwrap();
    let page = std::fs::read_to_string(page).unwrap();
    let labels = |plot: &str| -> Vec<String> {
        let text = plot.split("<text").skip(1).filter_map(|text| text.split_once('>')?.1.split_once('<'));
        text.map(|(label, _)| label.trim().to_owned()).collect()
    };
    let plots: Vec<Vec<String>> =
        page.split("<svg").filter(|plot| plot.contains("usage and share of root.")).map(labels).collect();
    assert_eq!(plots.len(), 4);
    assert!(plots.iter().all(|plot| *plot == plots[0] && plot.len() > 6), "{plots:?}");
}
