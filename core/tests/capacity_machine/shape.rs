//! Queues and settings of any bytes.

/// Bytes that a shape takes at most.
pub(crate) const SHAPE: usize = 16;

/// Some of these may not be there.
pub(super) const LEAVES: [&str; 8] =
    ["root.a", "root.b", "root.c.x", "root.c.y", "root.teams.ann", "root.teams.bob", "b", "root.nowhere"];

#[derive(Clone, Debug)]
pub(super) struct Shape {
    bytes: Vec<u8>,
    pub(super) fold_every: Option<u32>,
    pub(super) panics: bool,
    /// There are node labels.
    pub(super) labels: bool,
}

/// Labels; the last one is never there.
pub(super) const LABELS: [&str; 4] = ["", "gpu", "ssd", "none"];

impl Shape {
    pub(super) fn of(bytes: &[u8]) -> Shape {
        let mut bytes = bytes.to_vec();
        bytes.resize(SHAPE, 0);
        Shape {
            fold_every: [None, Some(1), Some(1000)][usize::from(bytes[1]) % 3],
            panics: !bytes[2].is_multiple_of(4),
            labels: bytes[14].is_multiple_of(2),
            bytes,
        }
    }

    /// Whether a queue is a leaf with fair order.
    pub(super) fn is_fair(&self, queue: &str) -> bool {
        queue == "root.b" && self.bytes[7].is_multiple_of(2)
    }

    /// A path that a submission or a move may name.
    pub(super) fn some_leaf(&self, byte: u8) -> &'static str {
        LEAVES[usize::from(byte) % LEAVES.len()]
    }

    fn choice(&self, at: usize, choices: &[&'static str]) -> &'static str {
        choices[usize::from(self.bytes[at]) % choices.len()]
    }

    /// A label that an ask, a submission or a node may name.
    pub(super) fn some_label(&self, byte: u8) -> &'static str {
        if byte >= 250 { LABELS[3] } else { LABELS[usize::from(byte) % 3] }
    }

    pub(super) fn site(&self) -> Vec<(&'static str, &'static str)> {
        let drf = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
        let memory = "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator";
        let lazy = self.choice(6, &["false", "false", "true"]);
        vec![
            ("yarn.scheduler.capacity.resource-calculator", self.choice(3, &[memory, drf])),
            ("yarn.scheduler.capacity.node-locality-delay", self.choice(4, &["-1", "2", "40"])),
            ("yarn.cluster.max-application-priority", "9"),
            ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
            ("yarn.scheduler.capacity.lazy-preemption-enabled", lazy),
            ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "50"),
            ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1"),
            ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1"),
            ("yarn.scheduler.capacity.schedule-asynchronously.enable", self.choice(5, &["false", "false", "true"])),
            ("yarn.node-labels.enabled", if self.labels { "true" } else { "false" }),
        ]
    }

    /// In a variant: some are not what may follow another, and are refused.
    pub(super) fn queues(&self, variant: u8) -> Vec<(&'static str, &'static str)> {
        let of = |choices: &[&'static str]| choices[usize::from(variant) % choices.len()];
        let mut out = vec![
            ("yarn.scheduler.capacity.root.queues", of(&["a,b,c,teams,users", "a,b,c,teams,users", "a,b,c,users"])),
            ("yarn.scheduler.capacity.root.c.queues", "x,y"),
            ("yarn.scheduler.capacity.root.b.maximum-capacity", of(&["100", "40", "25", "90"])),
            ("yarn.scheduler.capacity.root.b.ordering-policy", self.choice(7, &["fair", "fifo"])),
            (
                "yarn.scheduler.capacity.root.b.ordering-policy.fair.enable-size-based-weight",
                self.choice(8, &["false", "true"]),
            ),
            ("yarn.scheduler.capacity.root.ordering-policy", self.choice(9, &["utilization", "priority-utilization"])),
            ("yarn.scheduler.capacity.root.b.priority", of(&["0", "3"])),
            ("yarn.scheduler.capacity.root.c.maximum-capacity", of(&["100", "60"])),
            ("yarn.scheduler.capacity.root.c.x.maximum-capacity", "80"),
            ("yarn.scheduler.capacity.root.c.y.maximum-am-resource-percent", "0.4"),
            ("yarn.scheduler.capacity.root.c.y.state", of(&["RUNNING", "RUNNING", "RUNNING", "RUNNING", "STOPPED"])),
            ("yarn.scheduler.capacity.maximum-am-resource-percent", self.choice(10, &["0.2", "0.5", "1"])),
            ("yarn.scheduler.capacity.root.a.user-limit-factor", "1"),
            ("yarn.scheduler.capacity.root.a.user-settings.ann.weight", of(&["1", "0.5", "2"])),
            ("yarn.scheduler.capacity.root.b.user-limit-factor", "4"),
            ("yarn.scheduler.capacity.root.c.x.user-limit-factor", "4"),
            ("yarn.scheduler.capacity.root.c.y.user-limit-factor", "-1"),
            ("yarn.scheduler.capacity.root.a.max-parallel-apps", of(&["3", "2", "4"])),
            ("yarn.scheduler.capacity.user.bob.max-parallel-apps", "2"),
            ("yarn.scheduler.capacity.root.c.x.minimum-user-limit-percent", self.choice(11, &["100", "25"])),
            ("yarn.scheduler.capacity.root.teams.auto-queue-creation-v2.enabled", "true"),
            ("yarn.scheduler.capacity.root.users.auto-create-child-queue.enabled", "true"),
            ("yarn.scheduler.capacity.root.users.leaf-queue-template.capacity", "50"),
            ("yarn.scheduler.capacity.queue-mappings", "u:cy:root.users.cy"),
            ("yarn.scheduler.capacity.auto-queue-creation-v2.queue-expiration-time", "10"),
            ("yarn.scheduler.capacity.reservations-continue-look-all-nodes", self.choice(12, &["true", "false"])),
        ];
        // With parts of a hundred, and no labels of queues that have weights.
        if self.labels && usize::from(self.bytes[13]).is_multiple_of(2) {
            out.extend([
                ("yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity", "100"),
                ("yarn.scheduler.capacity.root.accessible-node-labels.ssd.capacity", "100"),
                ("yarn.scheduler.capacity.root.a.accessible-node-labels", "gpu,ssd"),
                ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "60"),
                ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.maximum-capacity", of(&["100", "70"])),
                ("yarn.scheduler.capacity.root.a.accessible-node-labels.ssd.capacity", "50"),
                ("yarn.scheduler.capacity.root.a.accessible-node-labels.ssd.maximum-capacity", of(&["60", "100"])),
                ("yarn.scheduler.capacity.root.a.default-node-label-expression", self.choice(15, &["", "", "gpu"])),
                ("yarn.scheduler.capacity.root.c.accessible-node-labels", "gpu,ssd"),
                ("yarn.scheduler.capacity.root.c.accessible-node-labels.gpu.capacity", "40"),
                ("yarn.scheduler.capacity.root.c.accessible-node-labels.ssd.capacity", "50"),
                ("yarn.scheduler.capacity.root.c.x.accessible-node-labels.gpu.capacity", "100"),
                ("yarn.scheduler.capacity.root.c.x.accessible-node-labels.gpu.maximum-am-resource-percent", "0.3"),
                ("yarn.scheduler.capacity.root.c.x.accessible-node-labels.ssd.capacity", "50"),
                ("yarn.scheduler.capacity.root.c.x.accessible-node-labels.ssd.maximum-capacity", of(&["100", "80"])),
                ("yarn.scheduler.capacity.root.c.y.accessible-node-labels.gpu.capacity", "0"),
                ("yarn.scheduler.capacity.root.c.y.accessible-node-labels.ssd.capacity", "50"),
            ]);
        }
        // By parts of a hundred: a managed parent and one whose children have weights cannot be told to divide alike.
        let parts = [
            ("yarn.scheduler.capacity.root.a.capacity", ["30", "2w"]),
            ("yarn.scheduler.capacity.root.b.capacity", ["20", "1w"]),
            ("yarn.scheduler.capacity.root.c.capacity", ["30", "2w"]),
            ("yarn.scheduler.capacity.root.c.x.capacity", ["50", "1w"]),
            ("yarn.scheduler.capacity.root.c.y.capacity", ["50", "1w"]),
            ("yarn.scheduler.capacity.root.teams.capacity", ["0", "1w"]),
            ("yarn.scheduler.capacity.root.users.capacity", ["20", "1w"]),
        ];
        let mode = usize::from(self.bytes[13]) % 2;
        out.extend(parts.into_iter().map(|(name, modes)| (name, modes[mode])));
        if mode == 0 {
            let named = ["yarn.scheduler.capacity.root.teams.auto-queue-creation-v2.enabled"];
            out.retain(|(name, _)| !named.contains(name));
        } else {
            let named = [
                "yarn.scheduler.capacity.root.users.auto-create-child-queue.enabled",
                "yarn.scheduler.capacity.queue-mappings",
            ];
            out.retain(|(name, _)| !named.contains(name));
        }
        out
    }
}
