//! Node labels of a load: which nodes have which, which queues send jobs to which, and what is counted by label.
//!
//! A queue with a share of a partition has a *line* of jobs there: lines take the place of leaf queues where jobs are
//! dealt and admitted, so that every partition is kept full by the queues that have a share of it. A job asks for the
//! label of its line, for its AM as for its tasks.

use std::str::FromStr;

use evenweave_tools::Failure;
use evenweave_tools::bundled;
use evenweave_tools::figures::QueueFigures;
use evenweave_tools::traces::node_label;

use crate::api::{Label, NewLabel, NodeLabels, SiteFile, SiteProperties, StoredLabels};
use crate::engine::Engine;
use crate::jobs::Job;
use crate::trace::TraceJob;

const PREFIX: &str = "yarn.scheduler.capacity.";

/// A label, and the part of the nodes that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelShare {
    /// Its name.
    pub name: String,
    /// Its nodes are given to nobody who has not asked for it.
    pub exclusive: bool,
    /// Of all nodes, above 0.
    pub share: f64,
}

/// The labels of a load, as in `gpu:0.25,fast(exclusive=false):10%`. Together they have all nodes at most.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelShares(pub Vec<LabelShare>);

impl FromStr for LabelShares {
    type Err = String;

    fn from_str(text: &str) -> Result<LabelShares, String> {
        let example = "write labels as in gpu:0.25,fast(exclusive=false):10%";
        let mut labels: Vec<LabelShare> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (label, share) = part.rsplit_once(':').ok_or_else(|| format!("{part:?} has no share; {example}"))?;
            let (name, exclusive) = node_label(label).ok_or_else(|| format!("{label:?} is no label; {example}"))?;
            let new = NewLabel { name: name.clone(), exclusive };
            NodeLabels::new(true).add(&[new]).map_err(|why| format!("{name:?}: {why}"))?;
            let share = fraction(share)
                .ok_or_else(|| format!("{share:?} is no share of the nodes, above 0 and at most 1; {example}"))?;
            if labels.iter().any(|label| label.name == name) {
                return Err(format!("label {name:?} is there twice"));
            }
            labels.push(LabelShare { name, exclusive, share });
        }
        let sum: f64 = labels.iter().map(|label| label.share).sum();
        if labels.is_empty() {
            return Err(format!("there is no label; {example}"));
        }
        if sum > 1.0 + 1e-9 {
            return Err(format!(
                "the labels have {sum} of the nodes together; a node has one label, so it is 1 at most"
            ));
        }
        Ok(LabelShares(labels))
    }
}

/// `0.25` or `25%`, above 0.
fn fraction(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (value > 0.0 && value <= 1.0).then_some(value)
}

impl LabelShares {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By node: its partition, 0 for the default one, else the label's place here and one. Each label has its share of
    /// any stretch of nodes, and so of each rack and of each worker's nodes.
    fn by_node(&self, nodes: usize) -> Vec<usize> {
        let rest = (1.0 - self.0.iter().map(|label| label.share).sum::<f64>()).max(0.0);
        let shares: Vec<f64> = std::iter::once(rest).chain(self.0.iter().map(|label| label.share)).collect();
        let mut owed = vec![0.0; shares.len()];
        (0..nodes)
            .map(|_| {
                owed.iter_mut().zip(&shares).for_each(|(owed, share)| *owed += share);
                let most = (0..owed.len()).max_by(|a, b| owed[*a].total_cmp(&owed[*b])).unwrap_or(0);
                owed[most] -= 1.0;
                most
            })
            .collect()
    }

    /// A label whose share of so many nodes comes to none of them.
    pub(super) fn without_nodes(&self, nodes: u32) -> Option<&str> {
        let of = self.by_node(nodes as usize);
        (1..).zip(&self.0).find(|(at, _)| !of.contains(at)).map(|(_, label)| label.name.as_str())
    }

    /// What the scheduler begins with. The nodes need not be there yet.
    pub(crate) fn stored(&self, nodes: u32) -> StoredLabels {
        let labels = self.0.iter().map(|label| NewLabel { name: label.name.clone(), exclusive: label.exclusive });
        let by_node = self.by_node(nodes as usize).into_iter().enumerate();
        let nodes = by_node.filter(|(_, partition)| *partition > 0);
        let nodes = nodes.map(|(node, partition)| (format!("n{node}"), 0, self.0[partition - 1].name.clone()));
        StoredLabels { labels: labels.collect(), nodes: nodes.collect() }
    }

    /// The bundled queues, each of which may use each label and has the same part of its nodes as of those without one.
    ///
    /// # Errors
    /// What is said against the bundled file.
    pub(super) fn bundled_queues(&self) -> Result<String, Failure> {
        let file = SiteFile::parse(bundled::CAPACITIES, bundled::CAPACITIES_NAME)
            .map_err(|error| Failure::input(error.to_string()))?;
        let mut all = SiteProperties::new();
        all.add(&file);
        let mut text = bundled::CAPACITIES.to_owned();
        let end = text.rfind("</configuration>").unwrap_or(text.len());
        text.truncate(end);
        let mut property = |queue: &str, name: &str, value: &str| {
            text.push_str(&format!(
                "  <property><name>{PREFIX}{queue}.{name}</name><value>{value}</value></property>\n"
            ));
        };
        property("root", "accessible-node-labels", "*");
        for name in all.names() {
            let Some(rest) = name.strip_prefix(PREFIX).filter(|rest| rest.starts_with("root.")) else { continue };
            let Some((queue, key @ ("capacity" | "maximum-capacity"))) = rest.rsplit_once('.') else { continue };
            let value = all.raw(name).unwrap_or_default();
            for label in &self.0 {
                property(queue, &format!("accessible-node-labels.{}.{key}", label.name), value);
            }
        }
        text.push_str("</configuration>\n");
        Ok(text)
    }
}

/// The leaf queue and the partition of jobs that go together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) queue: String,
    /// 0 for the default one.
    pub(crate) partition: usize,
    /// What the queue's capacity guarantees there, MiB.
    pub(crate) share_mib: f64,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Partitions {
    /// The default one first, with an empty name.
    pub(crate) names: Vec<String>,
    pub(crate) exclusive: Vec<bool>,
    /// As asks have them.
    labels: Vec<Label>,
    /// By node, in order of registration.
    of_node: Vec<usize>,
    /// By line, in the order of the driver's leaves.
    pub(crate) lines: Vec<Line>,
    /// Whether jobs name their labels; else those of a line have the line's.
    pub(crate) jobs_name_labels: bool,
    /// Containers received, by the node's partition.
    pub(crate) received: Vec<u64>,
    /// Containers that run, by line and the node's partition.
    held: Vec<Vec<i64>>,
}

impl Partitions {
    /// Of a cluster whose nodes have registered; `leaves` are the leaf queues that get jobs.
    pub(crate) fn new(
        shares: &LabelShares,
        engine: &dyn Engine,
        nodes: usize,
        leaves: &[String],
        jobs_name_labels: bool,
    ) -> Partitions {
        let names: Vec<String> =
            std::iter::once(String::new()).chain(shares.0.iter().map(|label| label.name.clone())).collect();
        let lines = lines(&names, &engine.queues(), leaves, jobs_name_labels);
        Partitions {
            exclusive: std::iter::once(true).chain(shares.0.iter().map(|label| label.exclusive)).collect(),
            labels: names.iter().map(|name| engine.label(name)).collect(),
            of_node: shares.by_node(nodes),
            held: vec![vec![0; names.len()]; lines.len()],
            received: vec![0; names.len()],
            lines,
            jobs_name_labels,
            names,
        }
    }

    /// Puts the jobs of a timetable, which have one of `queues`, on the line of the label that they name; where none
    /// does, on the lines of their queue in turn, by shares.
    ///
    /// # Errors
    /// A label that is not there.
    pub(crate) fn deal(&self, jobs: &mut [Job], trace: &[TraceJob], queues: &[String]) -> Result<(), Failure> {
        let mut given = vec![0.0; self.lines.len()];
        for (job, read) in jobs.iter_mut().zip(trace) {
            let queue = &queues[job.leaf];
            let mut of_queue = self.lines.iter().enumerate().filter(|(_, line)| line.queue == *queue);
            // Each queue has a line; the first, where its jobs name a label of which it has none.
            let first = of_queue.clone().next().map_or(0, |(at, _)| at);
            let line = if self.jobs_name_labels {
                let label = read.label.as_deref().unwrap_or_default();
                let partition = self.names.iter().position(|name| name == label).ok_or_else(|| {
                    let there = self.names[1..].join(", ");
                    Failure::input(format!(
                        "the trace has jobs for nodes with the label {label:?}, and --node-labels has {there}"
                    ))
                })?;
                of_queue.find(|(_, line)| line.partition == partition).map(|(at, _)| at)
            } else {
                let load = |at: usize| (given[at] + 1.0) / self.lines[at].share_mib.max(1.0);
                of_queue.map(|(at, _)| at).min_by(|a, b| load(*a).total_cmp(&load(*b)))
            };
            job.leaf = line.unwrap_or(first);
            given[job.leaf] += job.containers() as f64;
        }
        Ok(())
    }

    /// The label that the asks of a line have.
    pub(crate) fn label(&self, line: usize) -> Option<Label> {
        let partition = self.lines.get(line)?.partition;
        (!self.jobs_name_labels || partition > 0).then(|| self.labels[partition])
    }

    /// The same, as submissions have it.
    pub(crate) fn label_name(&self, line: usize) -> Option<&str> {
        self.label(line).map(|_| self.names[self.lines[line].partition].as_str())
    }

    /// A container of a line was received on a node.
    pub(crate) fn received(&mut self, line: usize, node: usize) {
        let partition = self.of_node[node];
        self.received[partition] += 1;
        self.held[line][partition] += 1;
    }

    /// One has ended there.
    pub(crate) fn ended(&mut self, line: usize, node: usize) {
        self.held[line][self.of_node[node]] -= 1;
    }

    /// Nodes of a partition.
    pub(crate) fn nodes(&self, partition: usize) -> usize {
        self.of_node.iter().filter(|of| **of == partition).count()
    }

    /// Containers that run in a partition for a queue or those below it, by the driver's count.
    pub(crate) fn held_below(&self, queue: &str, partition: usize) -> i64 {
        let is_below =
            |line: &Line| line.queue.strip_prefix(queue).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let lines = self.lines.iter().zip(&self.held).filter(|(line, _)| is_below(line));
        lines.map(|(_, held)| held[partition]).sum()
    }
}

/// One for each leaf queue and partition in which it has a share; all where jobs name their labels, since then nobody
/// deals. A queue without any share has the default partition.
fn lines(names: &[String], queues: &[QueueFigures], leaves: &[String], jobs_name_labels: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    for leaf in leaves {
        let figures = queues.iter().find(|queue| queue.name == *leaf);
        let share_mib = |label: &str| {
            let mut parts = figures.into_iter().flat_map(|queue| &queue.partitions);
            let part = parts.find(|part| part.label == label && part.accessible);
            part.map_or(0.0, |part| part.share.memory_mb() as f64)
        };
        let before = lines.len();
        for (partition, name) in names.iter().enumerate() {
            let share_mib = share_mib(name);
            if share_mib > 0.0 || jobs_name_labels {
                lines.push(Line { queue: leaf.clone(), partition, share_mib });
            }
        }
        if lines.len() == before {
            lines.push(Line { queue: leaf.clone(), partition: 0, share_mib: 0.0 });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Resource;
    use evenweave_tools::figures::PartitionFigures;

    fn shares(text: &str) -> LabelShares {
        text.parse().unwrap()
    }

    #[test]
    fn labels_have_a_share_and_are_exclusive_unless_said() {
        let label = |name: &str, exclusive, share| LabelShare { name: name.to_owned(), exclusive, share };
        let read = shares("gpu:0.25, fast(exclusive=false):10%");
        assert_eq!(read.0, [label("gpu", true, 0.25), label("fast", false, 0.1)]);
        for (text, said) in [
            ("gpu", "\"gpu\" has no share"),
            ("gpu:0", "\"0\" is no share"),
            ("gpu:1.5", "\"1.5\" is no share"),
            ("gpu:NaN", "\"NaN\" is no share"),
            ("gpu(shared):0.5", "\"gpu(shared)\" is no label"),
            ("a:0.5,a:0.1", "label \"a\" is there twice"),
            ("a:60%,b:0.5", "the labels have 1.1 of the nodes together"),
            (" , ", "there is no label"),
        ] {
            let refused = text.parse::<LabelShares>().unwrap_err();
            assert!(refused.starts_with(said), "{text}: {refused}");
        }
    }

    #[test]
    fn every_stretch_of_nodes_has_its_part_of_each_label() {
        let of = shares("gpu:0.25,fast:0.125").by_node(80);
        for stretch in of.chunks(8) {
            let count = |partition| stretch.iter().filter(|of| **of == partition).count();
            assert_eq!((count(0), count(1), count(2)), (5, 2, 1), "{of:?}");
        }
        assert!(shares("all:1").by_node(5).iter().all(|of| *of == 1));
        let stored = shares("all:1").stored(2);
        assert_eq!(stored.nodes[1], ("n1".to_owned(), 0, "all".to_owned()));
    }

    #[test]
    fn the_bundled_queues_may_use_each_label() {
        let text = shares("gpu:0.5,ssd:0.5").bundled_queues().unwrap();
        let file = SiteFile::parse(&text, "bundled").unwrap();
        let value = |name: &str| {
            let name = format!("{PREFIX}{name}");
            file.properties().iter().find(|property| property.name == name).and_then(|property| property.value.clone())
        };
        for label in ["gpu", "ssd"] {
            let of = |queue: &str, key: &str| value(&format!("{queue}.accessible-node-labels.{label}.{key}"));
            assert_eq!(of("root.production.ingest", "capacity").as_deref(), Some("37.5"));
            assert_eq!(of("root.shared", "maximum-capacity").as_deref(), Some("50"));
        }
        assert_eq!(value("root.accessible-node-labels").as_deref(), Some("*"));
    }

    #[test]
    fn a_queue_has_a_line_where_it_has_a_share() {
        let part = |label: &str, accessible, mib| PartitionFigures {
            label: label.to_owned(),
            accessible,
            usage: Resource::ZERO,
            share: Resource::new(mib, 0),
        };
        let queue = |name: &str, partitions| QueueFigures {
            name: name.to_owned(),
            leaf: true,
            policy: String::new(),
            usage: Resource::ZERO,
            share: Resource::ZERO,
            steady_share: Resource::ZERO,
            demand: Resource::ZERO,
            partitions,
        };
        let queues = [
            queue("root.a", vec![part("", true, 10), part("gpu", true, 5)]),
            queue("root.b", vec![part("", true, 10), part("gpu", false, 5)]),
            queue("root.c", vec![part("", true, 0), part("gpu", true, 0)]),
        ];
        let leaves: Vec<String> = queues.iter().map(|queue| queue.name.clone()).collect();
        let names = [String::new(), "gpu".to_owned()];
        let of = |named| {
            let lines = lines(&names, &queues, &leaves, named);
            lines.into_iter().map(|line| (line.queue, line.partition)).collect::<Vec<_>>()
        };
        let line = |queue: &str, partition| (queue.to_owned(), partition);
        assert_eq!(of(false), [line("root.a", 0), line("root.a", 1), line("root.b", 0), line("root.c", 0)]);
        assert_eq!(of(true).len(), 6);
    }
}
