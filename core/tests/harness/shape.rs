//! Shapes: a cluster, its queues and its settings, made from any bytes.

use evenweave::Resource;

pub(super) const RACKS: usize = 3;

/// Bytes that a shape takes at most; fewer do, with zeros for the rest.
pub(crate) const SHAPE: usize = 192;

/// A cluster, its queues and settings.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) types: usize,
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) allocations: String,
    /// The same queues with other weights and limits.
    pub(crate) other_limits: String,
    /// The first queue is a parent where it was a leaf, or the other way about, and the last one is gone.
    pub(crate) other_queues: String,
    /// Names of leaf queues; after a reload one may be a parent, or be gone.
    pub(crate) leaves: Vec<String>,
    pub(crate) nodes: Vec<NodeShape>,
    /// All asks of an application at a priority have one size. Hadoop checks limits with the size of the `*` ask alone,
    /// so only then does one worker keep them.
    pub(crate) uniform: bool,
    pub(crate) preemption: bool,
    /// What is marked is looked at again when it is to be killed.
    pub(crate) strict: bool,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeShape {
    pub(crate) rack: usize,
    pub(crate) total: Resource,
}

impl NodeShape {
    pub(super) fn of(a: u8, b: u8) -> NodeShape {
        let (a, b) = (usize::from(a), i64::from(b));
        let memory = [4096, 8192, 2048, 16_384, 6144][a / RACKS % 5];
        NodeShape { rack: a % RACKS, total: Resource::from_slice(&[memory, [8, 4, 2, 16][a / 15 % 4], b % 5]) }
    }
}

/// Bytes as choices; zeros when they run out.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.next()) % n
    }

    fn of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }
}

/// What stands inside a queue element.
fn inside(bytes: &mut Bytes<'_>, gpu: bool, leaf: bool, unlimited: bool) -> String {
    let mut out = String::new();
    let mut element = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&format!("<{name}>{value}</{name}>"));
        }
    };
    let extra = if gpu { ", gpu=1" } else { "" };
    element("weight", bytes.of(["", "2.0", "0.5", "0.0", "3.7"]));
    let min = bytes.of(["", "", "memory-mb=2048, vcores=2", "memory-mb=6144, vcores=1", "memory-mb=0, vcores=3"]);
    element("minResources", &if min.is_empty() { String::new() } else { format!("{min}{extra}") });
    let max = bytes.of([
        "",
        "",
        "memory-mb=8192, vcores=6",
        "memory-mb=3072, vcores=16",
        "50.0%",
        "memory-mb=70.0%, vcores=40.0%",
    ]);
    let running = bytes.of(["", "", "2", "1", "5"]);
    let am = bytes.of(["", "-1.0", "1.0", "0.3", "0.1"]);
    let preemption = bytes.next();
    element("fairSharePreemptionTimeout", ["", "", "0", "1"][usize::from(preemption) % 4]);
    element("minSharePreemptionTimeout", ["", "0", "1", ""][usize::from(preemption) / 4 % 4]);
    element("fairSharePreemptionThreshold", ["", "", "1.0", "0.3"][usize::from(preemption) / 16 % 4]);
    element("allowPreemptionFrom", ["", "", "", "false"][usize::from(preemption) / 64]);
    if !unlimited {
        let new_style = max.starts_with("memory");
        element(
            "maxResources",
            &match gpu && new_style {
                true if max.contains('%') => format!("{max}, gpu=80.0%"),
                true => format!("{max}, gpu=3"),
                false => max.to_owned(),
            },
        );
        element("maxRunningApps", running);
    }
    if leaf {
        element("maxAMShare", if unlimited { "-1.0" } else { am });
    }
    out
}

/// One variant of the queues.
struct Variant<'a> {
    tops: &'a [Top],
    /// What stands above the queues.
    general: &'a str,
    root: &'a str,
    gpu: bool,
    unlimited: bool,
}

/// A queue below root: its policy, and the policies of its children; a leaf without.
#[derive(Clone)]
struct Top {
    name: &'static str,
    policy: &'static str,
    children: Vec<&'static str>,
}

const CHILDREN: [&str; 3] = ["x", "y", "z"];

impl Variant<'_> {
    fn text(&self, bytes: &mut Bytes<'_>) -> String {
        let Variant { tops, general, root, gpu, unlimited } = *self;
        let mut text =
            format!("<allocations>{general}<queue name='root'><schedulingPolicy>{root}</schedulingPolicy>\n");
        for Top { name, policy, children } in tops {
            let own = inside(bytes, gpu, children.is_empty(), unlimited);
            text.push_str(&format!("<queue name='{name}'><schedulingPolicy>{policy}</schedulingPolicy>{own}"));
            for (child, policy) in CHILDREN.iter().zip(children) {
                let own = inside(bytes, gpu, true, unlimited);
                let policy = format!("<schedulingPolicy>{policy}</schedulingPolicy>");
                text.push_str(&format!("<queue name='{child}'>{policy}{own}</queue>"));
            }
            text.push_str("</queue>\n");
        }
        text + "</queue></allocations>"
    }
}

impl Shape {
    pub(crate) fn of(bytes: &mut Bytes<'_>) -> Shape {
        let unlimited = bytes.below(4) == 3;
        let all = bytes.0.to_vec();
        let gpu = bytes.below(3) == 1;
        let uniform = bytes.below(2) == 0;
        let mut properties = Vec::new();
        let mut set = |name: &str, value: &str| {
            if !value.is_empty() {
                properties.push((format!("yarn.{name}"), value.to_owned()));
            }
        };
        set("scheduler.minimum-allocation-mb", bytes.of(["", "0", "512"]));
        set("scheduler.fair.assignmultiple", bytes.of(["", "true"]));
        set("scheduler.fair.dynamic.max.assign", bytes.of(["", "false"]));
        set("scheduler.fair.max.assign", bytes.of(["", "2", "3"]));
        let (node, rack) = bytes.of([("", ""), ("", ""), ("0.5", "0.7"), ("0.0", "0.2"), ("1.0", "1.0")]);
        set("scheduler.fair.locality.threshold.node", node);
        set("scheduler.fair.locality.threshold.rack", rack);
        set("scheduler.fair.reservable-nodes", bytes.of(["", "1.0", "0.5", "0.0"]));
        set("scheduler.reservation-threshold.increment-multiple", bytes.of(["", "0.5", "1", "3"]));
        set("scheduler.fair.sizebasedweight", bytes.of(["", "", "true"]));
        let (enabled, delay) = bytes.of([("", ""), ("", ""), ("true", "100"), ("true", "")]);
        set("scheduler.fair.continuous-scheduling-enabled", enabled);
        set("scheduler.fair.locality-delay-node-ms", delay);
        set("scheduler.fair.locality-delay-rack-ms", delay);
        let preemption = bytes.below(3) != 2;
        let strict = preemption && bytes.below(4) == 3;
        if preemption {
            set("scheduler.fair.preemption", "true");
            set("scheduler.fair.preemption.strict", if strict { "true" } else { "" });
            set("scheduler.fair.preemption.cluster-utilization-threshold", bytes.of(["0.0", "0.0", "0.5", ""]));
            set("scheduler.fair.waitTimeBeforeKill", "0");
            set("scheduler.fair.waitTimeBeforeNextStarvationCheck", bytes.of(["0", "500"]));
            set("scheduler.fair.am.preemption", bytes.of(["", "", "false"]));
        }
        let expiry = bytes.of(["", "300", "1500"]);
        set("resourcemanager.rm.container-allocation.expiry-interval-ms", expiry);
        if gpu {
            set("resource-types", "gpu");
        }
        let nodes = (0..1 + bytes.below(6)).map(|_| NodeShape::of(bytes.next(), bytes.next())).collect();
        let drf = bytes.below(3) != 1;
        let leaf_policy = |bytes: &mut Bytes<'_>, under_drf: bool| match bytes.below(3) {
            0 if under_drf => "drf",
            0 | 1 => "fair",
            _ => "fifo",
        };
        let tops = ["a", "b", "c"].into_iter().take(1 + bytes.below(3));
        let tops: Vec<Top> = tops
            .map(|name| {
                let count = bytes.below(4);
                let parent_drf = drf && bytes.below(2) == 0;
                let parent_policy = if parent_drf { "drf" } else { "fair" };
                let policy = if count == 0 { leaf_policy(bytes, drf) } else { parent_policy };
                Top { name, policy, children: (0..count).map(|_| leaf_policy(bytes, parent_drf)).collect() }
            })
            .collect();
        // One that no file names comes with its first application.
        let mut leaves = vec!["root.adhoc".to_owned(), "root.a".to_owned(), "root.a.x".to_owned()];
        for Top { name, children, .. } in &tops {
            if children.is_empty() {
                leaves.push(format!("root.{name}"));
            }
            leaves.extend(CHILDREN.iter().take(children.len()).map(|child| format!("root.{name}.{child}")));
        }
        let general = bytes.of([
            "<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>",
            "<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>\
             <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>",
            "<defaultMinSharePreemptionTimeout>0</defaultMinSharePreemptionTimeout>",
            "",
        ]);
        let mut other_tops = tops.clone();
        other_tops.truncate(other_tops.len().max(2) - 1);
        let first = &mut other_tops[0];
        (first.policy, first.children) =
            if first.children.is_empty() { ("fair", vec!["fair"]) } else { ("fair", Vec::new()) };
        let root = if drf { "drf" } else { "fair" };
        // Of queues that no file names, too.
        let ams = if unlimited { "<queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>" } else { "" };
        let general = &format!("{general}{ams}");
        let mut text = |tops: &[Top]| Variant { tops, general, root, gpu, unlimited }.text(bytes);
        let [allocations, other_limits, other_queues] = [&tops, &tops, &other_tops].map(|tops| text(tops));
        let types = if gpu { 3 } else { 2 };
        Shape {
            types,
            properties,
            allocations,
            other_limits,
            other_queues,
            leaves,
            nodes,
            uniform,
            preemption,
            strict,
            bytes: all,
        }
    }

    /// The same without limits: what is asked for must be served in the end.
    pub(crate) fn unlimited(&self) -> Shape {
        let bytes: Vec<u8> = [3].into_iter().chain(self.bytes.iter().copied()).collect();
        Shape::of(&mut Bytes(&bytes))
    }
}
