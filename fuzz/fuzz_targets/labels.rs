//! Any lines about node labels: labels and nodes as `rmadmin` and node files write them, asks and submissions with any
//! expression, a CapacityScheduler that does it all. What is refused is one line and changes nothing; the labels are
//! those of a plain list; after a restart they are the same; every book balances.

#![no_main]

/// What `evenweave admin rmadmin` makes of its arguments.
#[path = "../../cli/src/admin/labels.rs"]
#[allow(dead_code, unreachable_pub, reason = "what no target uses")]
mod rmadmin;

/// Which it reads them by.
#[path = "../../cli/src/node_labels.rs"]
#[allow(dead_code, unreachable_pub, reason = "what no target uses")]
mod node_labels;

use evenweave::labels::{NewLabel, NodeLabels};
use evenweave::{
    AllocateRequest, Allocation, AmRequest, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacityStepped,
    Heartbeat, NewNode, NodeHandle, Refused, Resource, SchedulerApi as _, Submission,
};
use evenweave_fuzz::{is_one_line, traces};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

const NODES: usize = 4;
const MAX_LINES: usize = 64;
const MAX_APPS: u32 = 16;
const PORT: u16 = 8041;
const ROOM: Resource = Resource::new(8192, 8);

const QUEUES: [(&str, &str); 13] = [
    ("root.queues", "a,b"),
    ("root.a.capacity", "50"),
    ("root.b.capacity", "50"),
    ("root.a.accessible-node-labels", "*"),
    ("root.a.accessible-node-labels.x.capacity", "100"),
    ("root.a.accessible-node-labels.y.capacity", "40"),
    ("root.b.accessible-node-labels", "y"),
    ("root.b.accessible-node-labels.y.capacity", "60"),
    ("root.b.default-node-label-expression", "y"),
    ("root.a.user-limit-factor", "-1"),
    ("root.b.user-limit-factor", "-1"),
    ("maximum-am-resource-percent", "1"),
    ("per-node-heartbeat.maximum-offswitch-assignments", "4"),
];

struct World {
    stepped: CapacityStepped,
    nodes: BTreeMap<String, NodeHandle>,
    apps: Vec<AppHandle>,
    /// Whether each label is exclusive.
    labels: BTreeMap<String, bool>,
    answer: Allocation,
}

impl World {
    fn new() -> World {
        let queues: Vec<(String, &str)> =
            QUEUES.iter().map(|(name, value)| (format!("yarn.scheduler.capacity.{name}"), *value)).collect();
        let queues = queues.iter().map(|(name, value)| (name.as_str(), *value));
        let site = [("yarn.node-labels.enabled", "true")];
        let configuration = CapacityConfiguration::from_properties(site, queues).expect("valid queues");
        let stepped = CapacityScheduler::builder(configuration).stepped().expect("valid queues");
        World {
            stepped,
            nodes: BTreeMap::new(),
            apps: Vec::new(),
            labels: BTreeMap::new(),
            answer: Allocation::default(),
        }
    }

    fn add(&mut self, labels: Vec<(String, bool)>) {
        let new: Vec<NewLabel> =
            labels.iter().map(|(name, exclusive)| NewLabel { name: name.clone(), exclusive: *exclusive }).collect();
        let before = self.stepped.stored_labels();
        if taken(self.stepped.add_labels(&new)) {
            for NewLabel { name, exclusive } in new {
                // Of one that is named twice the first word counts.
                self.labels.entry(evenweave::config::trim_java(&name).to_owned()).or_insert(exclusive);
            }
        } else {
            assert_eq!(self.stepped.stored_labels(), before, "what is refused changes nothing");
        }
    }

    fn remove(&mut self, text: &str) {
        let labels: Vec<&str> = text.split(',').collect();
        let before = self.stepped.stored_labels();
        if taken(self.stepped.remove_labels(&labels)) {
            for label in labels {
                self.labels.remove(evenweave::config::trim_java(label));
            }
        } else {
            assert_eq!(self.stepped.stored_labels(), before, "what is refused changes nothing");
        }
    }

    fn replace(&mut self, mappings: &rmadmin::Mappings) {
        let labels: Vec<(&String, Vec<&str>)> =
            mappings.iter().map(|(node, labels)| (node, labels.iter().map(String::as_str).collect())).collect();
        let nodes: Vec<(&str, &[&str])> =
            labels.iter().map(|(node, labels)| (node.as_str(), labels.as_slice())).collect();
        let before = self.stepped.stored_labels();
        if !taken(self.stepped.set_node_labels(&nodes)) {
            assert_eq!(self.stepped.stored_labels(), before, "what is refused changes nothing");
            return;
        }
        // Of a host and one of its ports the later counts.
        if let [(node, labels)] = nodes.as_slice() {
            let names: Vec<&str> = labels.iter().map(|label| evenweave::config::trim_java(label)).collect();
            let now = self.stepped.node_labels(&[node]).expect("no threads");
            assert_eq!(now[0], names.first().copied().unwrap_or_default(), "{node}");
        }
    }

    fn come(&mut self, index: usize) {
        let name = format!("n{}", index % NODES);
        if !self.nodes.contains_key(&name) {
            let node = NewNode::new(&name, "/r1", ROOM).with_port(PORT);
            let (node, _) = self.stepped.register_node(node, Vec::new()).expect("a fresh node");
            self.nodes.insert(name, node);
        }
    }

    fn submit(&mut self, queue: &str, text: &str) {
        let number = u32::try_from(self.apps.len()).expect("few");
        if number >= MAX_APPS {
            return;
        }
        let (label, of_am) = text.split_once('|').map_or((text, None), |(label, of_am)| (label, Some(of_am)));
        let mut submission = Submission::new(number + 1, "al").in_queue(queue);
        if label != "-" {
            submission = submission.labelled(label);
        }
        if let Some(label) = of_am {
            submission = submission.with_am(AmRequest::from(Resource::new(1024, 1)).labelled(label));
        }
        match self.stepped.submit(submission) {
            Ok(app) => self.apps.push(app),
            Err(why) => assert!(is_one_line(&why.to_string()), "{why}"),
        }
    }

    fn ask(&mut self, index: usize, expression: &str) {
        let Some(app) = self.apps.get(index % self.apps.len().max(1)) else { return };
        let label = self.stepped.label(expression);
        let ask = Ask::anywhere(1, Resource::new(1024, 1), 2).labelled(label);
        let app = app.clone();
        taken(self.stepped.allocate(&app, &AllocateRequest::new([ask]), &mut self.answer));
    }

    fn line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = rest.bytes().next().map_or(0, usize::from);
        match word {
            "add" => match rmadmin::new_labels(rest) {
                Ok(body) => {
                    let of = |label: &serde_json::Value| {
                        let name = label["name"].as_str().expect("a text").to_owned();
                        (name, label["exclusivity"] == "true")
                    };
                    let labels = body["nodeLabelInfo"].as_array().expect("a list").iter().map(of).collect();
                    self.add(labels);
                }
                Err(why) => assert!(is_one_line(&why), "{why}"),
            },
            // As a node file and `load` write one.
            "label" => self.add(traces::node_label(rest).into_iter().collect()),
            "remove" => self.remove(rest),
            "replace" => match rmadmin::mappings(&[rest]) {
                Ok(mappings) => self.replace(&mappings),
                Err(why) => assert!(!why.is_empty()),
            },
            "node" => self.come(number),
            "gone" => {
                if let Some(node) = self.nodes.remove(&format!("n{}", number % NODES)) {
                    self.stepped.remove_node(&node).expect("it is there");
                }
            }
            "a" => self.submit("root.a", rest),
            "b" => self.submit("root.b", rest),
            "ask" => self.ask(number, rest.get(1..).unwrap_or_default()),
            _ => {
                for node in self.nodes.values() {
                    self.stepped.heartbeat(&Heartbeat::new(node));
                }
            }
        }
    }

    fn check(&mut self) {
        let views = self.stepped.labels().expect("no threads");
        let names: BTreeMap<String, bool> =
            views.iter().skip(1).map(|view| (view.name.clone(), view.exclusive)).collect();
        assert_eq!(names, self.labels);
        let there: Vec<&String> = views.iter().flat_map(|view| &view.nodes).collect();
        assert_eq!(there.len(), self.nodes.len(), "each node has one label or none: {views:?}");
        for view in &views {
            let number = i64::try_from(view.nodes.len()).expect("few");
            assert_eq!(view.resource, ROOM.times_int(number), "{view:?}");
            for node in &view.nodes {
                let name = format!("{node}:{PORT}");
                assert_eq!(self.stepped.node_labels(&[&name]).expect("no threads"), [view.name.clone()]);
            }
        }
        let audit = self.stepped.audit(true);
        assert!(audit.wrong.is_empty(), "{audit:?}");
    }
}

/// Whether a call was taken; a refusal is one line.
fn taken(outcome: Result<(), Refused>) -> bool {
    match outcome {
        Ok(()) => true,
        Err(why) => {
            assert!(is_one_line(&why.to_string()), "{why}");
            false
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut world = World::new();
    for line in text.lines().take(MAX_LINES) {
        world.line(line);
        world.check();
    }
    let stored = world.stepped.stored_labels().expect("no threads");
    let again = NodeLabels::restored(true, &stored).expect("what was stored can be restored");
    assert_eq!(again.stored(), stored);
});
