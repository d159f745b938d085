//! A run written as a scenario: `replay` comes to the same, and the run is the same with and without it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::PathBuf;

use evenweave_simulator::{
    AmStyle, ClusterOptions, RunResult, SimulateOptions, scenarios_end, simulate, write_decisions,
};
use evenweave_tools::replay::{Asked, DriverChoice, ExplainOptions, PlayOptions, ReplayOptions, When, explain, replay};

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-decisions-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FAIR: &str = "<allocations><queue name=\"a\"><weight>3</weight><maxResources>60%</maxResources></queue>\
                    <queue name=\"b\"><maxAMShare>0.3</maxAMShare></queue></allocations>";

fn options(scratch: &Scratch, queues: &str, ams: AmStyle, steps: Option<usize>) -> SimulateOptions {
    let file = scratch.0.join("queues.xml");
    std::fs::write(&file, queues).unwrap();
    SimulateOptions {
        configs: vec![file],
        cluster: ClusterOptions { nodes: vec![7], rack_size: Some(3), ..ClusterOptions::default() },
        ams,
        place_tasks: true,
        until_ms: Some(3_600_000),
        decision_steps: steps,
        ..SimulateOptions::default()
    }
}

/// How many steps the scenario has, once it was replayed without a difference.
fn replayed(scratch: &Scratch, ams: AmStyle, steps: usize) -> (RunResult, usize) {
    let simulated = simulate(&options(scratch, FAIR, ams, Some(steps)), &|_| true).unwrap();
    let path = scratch.0.join("decisions.jsonl");
    write_decisions(&simulated, &path).unwrap();
    let replay_options =
        ReplayOptions { files: vec![path.clone()], play: PlayOptions::EXACT, trace: false, scenario: None };
    let outcomes = replay(&replay_options).unwrap();
    assert_eq!((outcomes.tally().passed, outcomes.tally().failed), (1, 0), "{}", outcomes.text(5));
    let scenario: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    (simulated.runs.into_iter().flatten().next().unwrap(), scenario["steps"].as_array().unwrap().len())
}

#[test]
fn a_run_is_replayed() {
    let scratch = Scratch::new("replayed");
    for ams in [AmStyle::MapReduce, AmStyle::Sls] {
        let plain = simulate(&options(&scratch, FAIR, ams, None), &|_| true).unwrap();
        for steps in [500, 501, 5_000] {
            let (run, count) = replayed(&scratch, ams, steps);
            assert!((steps - 2..=steps).contains(&count), "{count} of {steps}");
            assert_eq!(run.decisions, plain.runs[0][0].decisions);
        }
        assert!(plain.runs[0][0].scenario.is_none());
    }
}

const CAPACITY: &str = "<configuration>\
    <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>\
    <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>70</value></property>\
    <property><name>yarn.scheduler.capacity.root.a.maximum-capacity</name><value>90</value></property>\
    <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>30</value></property>\
    <property><name>yarn.scheduler.capacity.root.b.user-limit-factor</name><value>3</value></property></configuration>";

/// What a run was written as, once it was replayed without a difference, and has come to the same as one that is not
/// written.
fn written(
    scratch: &Scratch,
    ams: AmStyle,
    nodes: u32,
    properties: &[(&str, &str)],
    steps: usize,
) -> Vec<serde_json::Value> {
    let options = |steps| {
        let mut options = options(scratch, CAPACITY, ams, steps);
        options.cluster.nodes = vec![nodes];
        options.site.properties = properties.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        options
    };
    let simulated = simulate(&options(Some(steps)), &|_| true).unwrap();
    let plain = simulate(&options(None), &|_| true).unwrap();
    assert_eq!(simulated.runs[0][0].decisions, plain.runs[0][0].decisions);
    let path = scratch.0.join("decisions.jsonl");
    write_decisions(&simulated, &path).unwrap();
    let play = ReplayOptions { files: vec![path.clone()], play: PlayOptions::EXACT, trace: false, scenario: None };
    let outcomes = replay(&play).unwrap();
    assert_eq!((outcomes.tally().passed, outcomes.tally().failed), (1, 0), "{}", outcomes.text(5));
    let scenario: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (ops, shown) = (scenario["steps"].as_array().unwrap(), scenario["expect"].as_array().unwrap());
    let allocated = shown.iter().filter_map(|shown| shown["allocated"].as_array()).map(Vec::len).sum::<usize>();
    assert!(ops.len() == shown.len() && allocated > 5, "{allocated} containers in {} steps", ops.len());
    ops.iter().zip(shown).map(|(step, shown)| serde_json::json!([step, shown])).collect()
}

/// So many steps are of a kind.
fn count(steps: &[serde_json::Value], op: &str) -> usize {
    steps.iter().filter(|step| step[0]["op"] == op).count()
}

#[test]
fn a_run_of_the_capacity_scheduler_is_replayed() {
    let scratch = Scratch::new("capacity");
    for ams in [AmStyle::MapReduce, AmStyle::Sls] {
        for most in [700, 5_000] {
            let steps = written(&scratch, ams, 7, &[], most);
            assert!((most * 9 / 10..=most).contains(&steps.len()), "{} of {most}", steps.len());
            // The queues' figures are shown once in a while, too.
            let queues = |step: &&serde_json::Value| step[1]["queues"].is_array();
            assert!(steps.iter().filter(queues).count() > count(&steps, "update"));
        }
    }
}

#[test]
fn rounds_of_the_capacity_schedulers_preemption_are_steps() {
    let scratch = Scratch::new("capacity-preemption");
    let properties = [
        ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
        ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "2000"),
        ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1.0"),
        ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1.0"),
    ];
    let steps = written(&scratch, AmStyle::MapReduce, 3, &properties, 20_000);
    let taken = |step: &&serde_json::Value| {
        step[1]["completed"].as_array().is_some_and(|ended| ended.iter().any(|ended| ended["reason"] == "preempted"))
    };
    assert!(count(&steps, "preempt") > 10 && steps.iter().any(|step| taken(&step)), "nothing is taken");
    let properties = [
        ("yarn.scheduler.capacity.schedule-asynchronously.enable", "true"),
        ("yarn.scheduler.capacity.schedule-asynchronously.scheduling-interval-ms", "1000"),
    ];
    let steps = written(&scratch, AmStyle::Sls, 7, &properties, 2_000);
    assert!(count(&steps, "round") > 100);
}

/// Kills by the clock, nodes that change, ends that a node learns of late, request ids and refused submissions have
/// steps.
#[test]
fn a_run_with_kills_and_nodes_that_change_is_replayed_to_its_end() {
    let scratch = Scratch::new("whole");
    let fair = "<allocations><queueMaxAppsDefault>3</queueMaxAppsDefault><queue name=\"a\"><minResources>8192 mb, 8 vcores</minResources>\
        <minSharePreemptionTimeout>2</minSharePreemptionTimeout></queue><queue name=\"b\"/>\
        <queue name=\"c\"><maxResources>0 mb, 0 vcores</maxResources></queue></allocations>";
    let mut trace = "job,submit_ms,queue,task,count,memory_mb,vcores,duration_ms,type\n".to_owned();
    for job in 0..12 {
        let (queue, kind) = (["root.b", "root.b", "root.a"][job % 3], ["mapreduce", "dag"][job % 2]);
        let queue = if job == 7 { "root.c" } else { queue };
        trace += &format!("j{job},{},{queue},map,9,1024,1,40000,{kind}\nj{job},,,map,3,2048,1,30000,\n", job * 9000);
    }
    let events = "time_s,event,node,rack,memory_mb,vcores\n20,resize,node1,,4096,4\n31,lose,node2,,,\n44,back,node2,,,\n60,resize,node1,,9216,9\n\
                  70,add,node9,/rack0,8192,8\n";
    for (queues, properties) in [
        (
            fair,
            vec![
                ("yarn.scheduler.fair.preemption", "true"),
                ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0.1"),
                ("yarn.scheduler.fair.waitTimeBeforeKill", "3000"),
            ],
        ),
        (CAPACITY, vec![]),
    ] {
        let mut options = options(&scratch, queues, AmStyle::MapReduce, Some(50_000));
        let (jobs, changes) = (scratch.0.join("jobs.csv"), scratch.0.join("events.csv"));
        let of_these = if queues == fair { trace.clone() } else { trace.replace("root.c", "root.a") };
        std::fs::write(&jobs, of_these).unwrap();
        std::fs::write(&changes, events).unwrap();
        (options.traces, options.cluster.changes, options.cluster.nodes) = (vec![jobs], Some(changes), vec![3]);
        options.site.properties = properties.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let simulated = simulate(&options, &|_| true).unwrap();
        let run = &simulated.runs[0][0];
        let scenario = run.scenario.as_ref().unwrap();
        assert_eq!((scenario.ends_ms, scenario.granted), (None, run.granted));
        assert!(scenarios_end(&simulated).is_empty());
        let path = scratch.0.join("whole.jsonl");
        write_decisions(&simulated, &path).unwrap();
        // Kills by the clock are for the scheduler without threads.
        let threaded = (queues != fair).then_some(DriverChoice::Threaded);
        for driver in threaded.into_iter().chain([DriverChoice::Stepped]) {
            let play = PlayOptions { driver, ..PlayOptions::EXACT };
            let outcomes =
                replay(&ReplayOptions { files: vec![path.clone()], play, trace: false, scenario: None }).unwrap();
            assert_eq!((outcomes.tally().passed, outcomes.tally().failed), (1, 0), "{}", outcomes.text(5));
        }
        let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let steps = written["steps"].as_array().unwrap();
        let has = |what: &dyn Fn(&serde_json::Value) -> bool| steps.iter().any(what);
        assert!(has(&|step| step["op"] == "node-resize") && has(&|step| step["op"] == "node-remove"));
        assert!(has(&|step| step["asks"].as_array().is_some_and(|asks| asks.iter().any(|ask| ask["request-id"] == 1))));
        assert!(has(&|step| step["op"] == "submit" && step["job"] == "j3"));
        if queues == fair {
            assert!(run.preempted > 0 && has(&|step| step["op"] == "kill" && step["due"] == true), "{}", run.preempted);
            assert!(run.refused_count > 0, "a submission is refused");
        }
        // The same is found by what one knows of it.
        let explained = explain(&ExplainOptions {
            file: path,
            app: Asked::Job("j3".to_owned()),
            when: When::AtMs(40_000),
            scenario: None,
        });
        let explained = explained.unwrap();
        assert!(explained.contains(" at 00:00:") && explained.contains(": application 4\n"), "{explained}");
    }
}

/// Where it must end it says so; and nothing is written of which nothing comes.
#[test]
fn a_scenario_that_ends_early_says_so() {
    let scratch = Scratch::new("early");
    let simulated = simulate(&options(&scratch, FAIR, AmStyle::MapReduce, Some(500)), &|_| true).unwrap();
    let [end] = &scenarios_end(&simulated)[..] else { panic!("one file of queues") };
    assert!(end.contains("queues.xml ends 00:") && end.contains(" steps and "), "{end}");
    let simulated = simulate(&options(&scratch, FAIR, AmStyle::MapReduce, Some(9)), &|_| true).unwrap();
    let path = scratch.0.join("nothing.jsonl");
    let refused = write_decisions(&simulated, &path).unwrap_err();
    assert!(format!("{refused:?}").contains("no container is granted in the"), "{refused:?}");
    assert!(!path.exists());
}

/// Nodes of a label for those who ask for it, and lent to others while nobody does.
#[test]
fn a_run_with_node_labels_is_replayed() {
    let scratch = Scratch::new("labels");
    let labelled = CAPACITY.replace(
        "</configuration>",
        "<property><name>yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity</name><value>100</value></property>\
         <property><name>yarn.scheduler.capacity.root.a.accessible-node-labels</name><value>gpu</value></property>\
         <property><name>yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity</name><value>100</value></property>\
         <property><name>yarn.scheduler.capacity.root.b.accessible-node-labels</name><value> </value></property></configuration>",
    );
    let job = |number: u32, queue: &str, label: &str| {
        format!(
            "{{\"job.id\": \"j{number}\", \"job.start.ms\": {}, \"job.queue.name\": \"{queue}\", {label}\
             \"job.tasks\": [{{\"count\": 9, \"container.duration.ms\": 30000}}]}}\n",
            number * 5000
        )
    };
    let gpu = "\"job.label.expression\": \"gpu\", ";
    let trace: String = (0..6)
        .map(|job_number| job(job_number, "root.b", ""))
        .chain([job(7, "root.a", gpu), job(8, "root.b", gpu)])
        .collect();
    let (traced, nodes) = (scratch.0.join("jobs.json"), scratch.0.join("nodes.json"));
    std::fs::write(&traced, trace).unwrap();
    let run = |nodes_text: &str, labels: bool| {
        std::fs::write(&nodes, nodes_text).unwrap();
        let mut options =
            options(&scratch, if labels { &labelled } else { CAPACITY }, AmStyle::MapReduce, Some(50_000));
        (options.traces, options.cluster.nodes) = (vec![traced.clone()], Vec::new());
        options.cluster.node_file = Some(nodes.clone());
        options.site.properties = vec![("yarn.node-labels.enabled".to_owned(), labels.to_string())];
        simulate(&options, &|_| true)
    };
    let file = |label: &str| {
        format!("{{\"rack\": \"r\", \"nodes\": [{{\"node\": \"n1\"}}, {{\"node\": \"n2\", \"labels\": \"{label}\"}}]}}")
    };
    let simulated = run(&file("gpu(exclusive=false)"), true).unwrap();
    let [of_a, of_b] = ["j7", "j8"].map(|name| {
        let run = &simulated.runs[0][0];
        run.jobs.iter().find(|job| job.job == name).map(|job| job.containers)
    });
    assert!(of_a.is_some_and(|containers| containers == 9) && of_b.is_none(), "{of_a:?} and {of_b:?}");
    assert!(simulated.runs[0][0].refused[0].contains("gpu"), "{:?}", simulated.runs[0][0].refused);
    let path = scratch.0.join("labels.jsonl");
    write_decisions(&simulated, &path).unwrap();
    for driver in [DriverChoice::Stepped, DriverChoice::Threaded] {
        let play = PlayOptions { driver, ..PlayOptions::EXACT };
        let outcomes =
            replay(&ReplayOptions { files: vec![path.clone()], play, trace: false, scenario: None }).unwrap();
        assert_eq!((outcomes.tally().passed, outcomes.tally().failed), (1, 0), "{}", outcomes.text(5));
    }
    let written = std::fs::read_to_string(&path).unwrap();
    let on = |node: &str| written.matches(&format!("\"node\":\"{node}\",\"priority\"")).count();
    assert!(on("n2") > 15, "{}: idle nodes of the label are lent", on("n2"));
    // For those who ask for the label alone.
    let simulated = run(&file("gpu"), true).unwrap();
    write_decisions(&simulated, &path).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.matches("\"node\":\"n2\",\"priority\"").count(), 10);
    // Where they are off they do not count, and that is said.
    let simulated = run(&file("gpu"), false).unwrap();
    assert!(
        simulated
            .warnings
            .iter()
            .any(|warning| warning.starts_with("the labels of nodes do not count (nodes with one: 1)"))
    );
    assert_eq!(simulated.runs[0][0].refused_count, 2);
}
