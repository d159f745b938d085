//! The label manager against recordings of Hadoop 3.4.2: which labels there are, how many nodes each has and what these
//! have together, after every change; and which changes are refused, in which words.

use evenweave::Resource;
use evenweave::config::SiteProperties;
use evenweave::config::capacity::CapacityFile;
use evenweave::labels::{LabelFault, NewLabel, NodeLabels};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The port of all nodes of recordings.
const PORT: u16 = 1;

fn list<'a>(of: &'a Value, field: &str) -> &'a [Value] {
    of[field].as_array().map_or(&[], Vec::as_slice)
}

fn pairs(of: &Value) -> impl Iterator<Item = (&str, &str)> {
    of.as_object().into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

fn new_labels(of: &[Value]) -> Vec<NewLabel> {
    let new = |one: &Value| NewLabel {
        name: one["name"].as_str().expect("a good recording").to_owned(),
        exclusive: one["exclusive"].as_bool().unwrap_or(true),
    };
    of.iter().map(new).collect()
}

/// The manager, the nodes that are there, and the queues whose lists count.
struct Played {
    site: SiteProperties,
    queues: CapacityFile,
    labels: NodeLabels,
    nodes: BTreeMap<String, Resource>,
}

fn read(site: &SiteProperties, own: &Value) -> CapacityFile {
    CapacityFile::read(site, &CapacityFile::lay_over(site, pairs(own))).expect("a good recording")
}

impl Played {
    fn begin(recording: &Value) -> Played {
        let site: SiteProperties = pairs(&recording["properties"]).collect();
        let queues = read(&site, &recording["capacity"]);
        let mut labels = NodeLabels::new(true);
        labels.add(&new_labels(list(recording, "labels"))).expect("a good recording");
        Played { site, queues, labels, nodes: BTreeMap::new() }
    }

    fn amounts(&self, of: &Value) -> Resource {
        let types = &self.queues.settings().types;
        let amounts = of.as_object().into_iter().flatten();
        amounts.fold(Resource::ZERO, |sum, (name, amount)| {
            sum.with(types.index(name).expect("a type"), amount.as_i64().expect("an amount"))
        })
    }

    /// One replacement for all these nodes together.
    fn replace<'a>(&mut self, nodes: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), LabelFault> {
        let entry = |(name, labels): (&'a str, &'a str)| {
            let (host, port) =
                name.split_once(':').map_or((name, 0), |(host, port)| (host, port.parse().expect("a good recording")));
            (host, port, labels.split(',').collect())
        };
        let nodes: Vec<(&str, u16, Vec<&str>)> = nodes.map(entry).collect();
        self.labels.replace(&nodes).map(|_| ())
    }

    /// Does a step; `taken`: the recording shows no error.
    fn step(&mut self, step: &Value, taken: bool) -> Result<(), LabelFault> {
        let node = step["node"].as_str().unwrap_or_default();
        match step["op"].as_str().expect("a good recording") {
            "labels" => return self.replace(pairs(&step["nodes"])),
            "cluster-labels" => {
                self.labels.add(&new_labels(list(step, "add")))?;
                let gone: Vec<&str> = list(step, "remove").iter().filter_map(Value::as_str).collect();
                let queues = &self.queues;
                let used_by = |label: &str| {
                    let named = |queue: &&_| queues.accessible_labels(queue).contains(label);
                    queues.queues().iter().find(named).map(|queue| queue.path.clone())
                };
                self.labels.remove(&gone, used_by)?;
            }
            "node-add" => {
                if let Some(label) = step["label"].as_str() {
                    self.replace([(&*format!("{node}:{PORT}"), label)].into_iter())?;
                }
                if taken {
                    let total = self.amounts(&step["resource"]);
                    self.labels.activate(node, PORT, &total);
                    self.nodes.insert(node.to_owned(), total);
                }
            }
            "node-remove" if taken => {
                self.labels.deactivate(node, PORT);
                self.nodes.remove(node);
            }
            "node-resize" if taken => {
                let total = self.amounts(&step["total"]);
                if self.nodes.insert(node.to_owned(), total) != Some(total) {
                    self.labels.deactivate(node, PORT);
                    self.labels.activate(node, PORT, &total);
                }
            }
            "reload" if taken => self.queues = read(&self.site, &step["capacity"]),
            "restart" => {
                if let Some(own) = step.get("capacity") {
                    self.queues = read(&self.site, own);
                }
                self.labels = NodeLabels::restored(true, &self.labels.stored())?;
                self.nodes.clear();
            }
            _ => {}
        }
        Ok(())
    }

    fn shown(&self) -> Value {
        let types = &self.queues.settings().types;
        let partitions = self.labels.partitions().map(|(name, partition)| {
            let mut out = json!({"label": name});
            if !partition.exclusive {
                out["shared"] = json!(true);
            }
            if partition.nodes > 0 {
                out["nodes"] = json!(partition.nodes);
            }
            if !partition.resource.is_zero() {
                let amounts = types.names().enumerate();
                out["resource"] =
                    amounts.map(|(i, name)| (name.to_owned(), json!(partition.resource.get(i)))).collect();
            }
            out
        });
        partitions.collect()
    }
}

/// How often partitions were compared, and refusals.
fn play(recording: &Value) -> Result<(usize, usize), String> {
    let mut played = Played::begin(recording);
    let (mut compared, mut refused) = (0, 0);
    for (index, (step, expected)) in list(recording, "steps").iter().zip(list(recording, "expect")).enumerate() {
        let at = |what: String| format!("{}: step {index}, {}: {what}", recording["name"], step["op"]);
        let error = &expected["error"];
        let outcome = played.step(step, error.is_null());
        let recorded = (error["kind"] == "bad-labels").then(|| error["message"].as_str().unwrap_or_default());
        refused += usize::from(recorded.is_some());
        // Which queue it tells of hangs on a hash map.
        let ours = outcome.err().map(|fault| {
            if let LabelFault::UsedByQueue { label, .. } = &fault {
                return format!("Cannot remove label={label}, because queue=");
            }
            fault.to_string()
        });
        let same = match (recorded, &ours) {
            (None, None) => true,
            (Some(recorded), Some(ours)) => recorded.starts_with(&**ours),
            _ => false,
        };
        if !same {
            return Err(at(format!("recorded {recorded:?}, here {ours:?}")));
        }
        if let Some(labels) = expected.get("labels") {
            let shown = played.shown();
            if *labels != shown {
                return Err(at(format!("recorded {labels}, here {shown}")));
            }
            compared += 1;
        }
    }
    Ok((compared, refused))
}

fn recordings(directory: &str) -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/tests/data").join(directory);
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a good recording")
        .map(|entry| entry.expect("a good recording").path())
        .collect();
    files.sort();
    let read = |path: &PathBuf| {
        let mut text = String::new();
        GzDecoder::new(File::open(path).expect("a good recording"))
            .read_to_string(&mut text)
            .expect("a good recording");
        text.lines().map(|line| serde_json::from_str(line).expect("a good recording")).collect::<Vec<Value>>()
    };
    files.iter().flat_map(read).collect()
}

/// A node that is being decommissioned shrinks with what it gives back, which is not played here.
fn shrinks(recording: &Value) -> bool {
    list(recording, "steps").iter().any(|step| step["op"] == "decommission")
}

#[test]
fn partitions_and_refusals_are_the_recorded_ones() {
    let recordings = recordings("capacity-labels").into_iter().chain(recordings("capacity-labelled"));
    let (mut played, mut compared, mut refused, mut wrong) = (0, 0, 0, Vec::new());
    for recording in recordings.filter(|recording| !shrinks(recording)) {
        played += 1;
        match play(&recording) {
            Ok((shown, errors)) => (compared, refused) = (compared + shown, refused + errors),
            Err(difference) => wrong.push(difference),
        }
    }
    assert!(wrong.is_empty(), "{} of {played} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(played > 900 && compared > 5000 && refused > 40, "{played} {compared} {refused}");
}
