//! Cluster, queues and applications of the workloads: how many, and what each is.

use std::fmt::Write as _;

use crate::api::{NewLabel, Resource, StoredLabels};
use crate::options::Size;

/// What every node has: MiB and vcores.
pub(super) const NODE: Resource = Resource::new(131_072, 64);
/// What every container is.
pub(super) const CONTAINER: Resource = Resource::new(2048, 1);
/// Containers that fill a node, in both resources.
pub(super) const A_NODE: usize = 64;
/// Neighbours in a rack.
pub(super) const NODES_A_RACK: u32 = 40;

pub(super) fn node_name(node: u32) -> String {
    format!("n{node}")
}

/// The label of a partition that is not the default one.
pub(super) fn label_name(partition: u32) -> String {
    format!("l{partition}")
}

pub(super) fn rack_name(rack: u32) -> String {
    format!("/r{rack}")
}

/// How large a cluster, and who is on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) nodes: u32,
    pub(super) queues: u32,
    pub(super) apps: u32,
    pub(super) parents: u32,
}

impl Shape {
    pub(super) fn of(size: Size) -> Shape {
        let (nodes, queues, apps) = match size {
            Size::S => (1_000, 10, 100),
            Size::M => (1_000, 100, 1_000),
            Size::L => (1_000, 1_000, 10_000),
            Size::L50 => (1_000, 1_000, 50_000),
            Size::M5 => (5_000, 100, 1_000),
            Size::L10 => (10_000, 1_000, 10_000),
        };
        let parents = match queues {
            10 => 2,
            100 => 10,
            _ => 20,
        };
        Shape { nodes, queues, apps, parents }
    }

    /// Containers that fill the cluster.
    pub(super) fn capacity(self) -> u64 {
        u64::from(self.nodes) * A_NODE as u64
    }

    pub(super) fn racks(self) -> u32 {
        self.nodes.div_ceil(NODES_A_RACK)
    }

    /// The full name of a leaf queue.
    pub(super) fn leaf(self, leaf: u32) -> String {
        format!("root.p{}.q{leaf}", leaf / (self.queues / self.parents))
    }

    /// Containers that an application wants from the start; together 1.5 times the capacity.
    pub(super) fn wanted(self, app: u32) -> u32 {
        let total = 96 * self.nodes;
        total / self.apps + u32::from(app < total % self.apps)
    }

    /// The partition of a node, where there are so many; 0 is the default one. Neighbours are in different ones.
    fn partition_of_node(node: u32, partitions: u32) -> u32 {
        node % partitions
    }

    /// The partition that an application asks for. The applications of a leaf are dealt to all, each leaf's first to the
    /// next, so that as much is asked of each.
    pub(super) fn partition_of_app(self, app: u32, partitions: u32) -> u32 {
        (app / self.queues + app % self.queues) % partitions
    }

    /// The labels of so many partitions, and which node has which.
    pub(super) fn labels(self, partitions: u32) -> StoredLabels {
        let labels = (1..partitions).map(|partition| NewLabel { name: label_name(partition), exclusive: true });
        let of = |node| (node, Shape::partition_of_node(node, partitions));
        let labelled = (0..self.nodes).map(of).filter(|(_, partition)| *partition > 0);
        let nodes = labelled.map(|(node, partition)| (node_name(node), 0, label_name(partition)));
        StoredLabels { labels: labels.collect(), nodes: nodes.collect() }
    }

    /// The same queues as properties of the CapacityScheduler, without their prefix: weights as there, in each of so
    /// many partitions, and no limit of users.
    pub(super) fn capacities(self, partitions: u32) -> Vec<(String, String)> {
        let names =
            |prefix: &str, of: std::ops::Range<u32>| of.map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(",");
        let each = self.queues / self.parents;
        let put = |out: &mut Vec<(String, String)>, queue: &str, weight: u32| {
            out.push((format!("{queue}.capacity"), format!("{weight}w")));
            for partition in 1..partitions {
                let key = format!("{queue}.accessible-node-labels.{}.capacity", label_name(partition));
                out.push((key, format!("{weight}w")));
            }
        };
        let mut out = vec![("root.queues".to_owned(), names("p", 0..self.parents))];
        for parent in 0..self.parents {
            let leaves = parent * each..(parent + 1) * each;
            put(&mut out, &format!("root.p{parent}"), 1 + parent % 4);
            out.push((format!("root.p{parent}.queues"), names("q", leaves.clone())));
            for leaf in leaves {
                put(&mut out, &self.leaf(leaf), 1 + leaf % 4);
                out.push((format!("{}.user-limit-factor", self.leaf(leaf)), "-1".to_owned()));
            }
        }
        out
    }

    /// The allocation file.
    pub(super) fn allocations(self) -> String {
        let drf = "<schedulingPolicy>drf</schedulingPolicy>";
        let mut text = format!("<?xml version=\"1.0\"?>\n<allocations><queue name=\"root\">{drf}");
        for parent in 0..self.parents {
            let weight = 1 + parent % 4;
            write!(text, "<queue name=\"p{parent}\"><weight>{weight}.0</weight>{drf}").expect("into a string");
            let each = self.queues / self.parents;
            for leaf in parent * each..(parent + 1) * each {
                let weight = 1 + leaf % 4;
                write!(text, "<queue name=\"q{leaf}\"><weight>{weight}.0</weight>{drf}</queue>")
                    .expect("into a string");
            }
            text.push_str("</queue>");
        }
        text.push_str(
            "</queue><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>\
             <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy></allocations>\n",
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_partition_has_its_part_of_nodes_and_of_each_leafs_applications() {
        let shape = Shape::of(Size::M);
        let labels = shape.labels(2);
        assert_eq!((labels.labels.len(), labels.nodes.len()), (1, 500));
        assert_eq!(labels.nodes[0], ("n1".to_owned(), 0, "l1".to_owned()));
        assert_eq!(shape.labels(1), StoredLabels::default());
        for leaf in 0..shape.queues {
            let apps = (0..shape.apps).filter(|app| app % shape.queues == leaf);
            assert_eq!(apps.filter(|app| shape.partition_of_app(*app, 2) == 1).count(), 5);
        }
        let capacities = shape.capacities(2);
        let weight = |name: &str| capacities.iter().find(|(of, _)| of == name).map(|(_, weight)| weight.as_str());
        assert_eq!(weight("root.p0.q3.accessible-node-labels.l1.capacity"), Some("4w"));
        assert_eq!(weight("root.p2.accessible-node-labels.l1.capacity"), Some("3w"));
        assert_eq!(shape.capacities(1).len() + 110, capacities.len());
    }

    #[test]
    fn the_shapes_are_the_published_ones() {
        let shape = Shape::of(Size::M);
        assert_eq!((shape.capacity(), shape.racks()), (64_000, 25));
        assert_eq!((0..shape.apps).map(|app| u64::from(shape.wanted(app))).sum::<u64>(), 96_000);
        assert_eq!(shape.leaf(0), "root.p0.q0");
        assert_eq!(shape.leaf(99), "root.p9.q99");
        let large = Shape::of(Size::L10);
        assert_eq!((large.parents, large.leaf(999)), (20, "root.p19.q999".to_owned()));
        assert_eq!((0..large.apps).map(|app| u64::from(large.wanted(app))).sum::<u64>(), 960_000);
        let many = Shape::of(Size::L50);
        assert_eq!((many.nodes, many.queues, many.apps), (1_000, 1_000, 50_000));
        assert_eq!((many.wanted(0), many.wanted(45_999), many.wanted(46_000)), (2, 2, 1));
    }
}
