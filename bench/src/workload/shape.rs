//! Cluster, queues and applications of the workloads: how many, and what each is.

use std::fmt::Write as _;

use crate::api::Resource;
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

    /// The same queues as properties of the CapacityScheduler, without their prefix: weights as there, and no limit of
    /// users.
    pub(super) fn capacities(self) -> Vec<(String, String)> {
        let names =
            |prefix: &str, of: std::ops::Range<u32>| of.map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(",");
        let each = self.queues / self.parents;
        let mut out = vec![("root.queues".to_owned(), names("p", 0..self.parents))];
        for parent in 0..self.parents {
            let leaves = parent * each..(parent + 1) * each;
            out.push((format!("root.p{parent}.capacity"), format!("{}w", 1 + parent % 4)));
            out.push((format!("root.p{parent}.queues"), names("q", leaves.clone())));
            for leaf in leaves {
                out.push((format!("{}.capacity", self.leaf(leaf)), format!("{}w", 1 + leaf % 4)));
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
