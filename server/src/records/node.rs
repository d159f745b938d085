//! A node, as a ResourceManager keeps it.

use evenweave::Resource;

/// `NodeState`, as far as nodes are seen here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It reports.
    Running,
    /// It is being emptied.
    Decommissioning,
    /// It was emptied and is gone.
    Decommissioned,
    /// It is gone.
    Lost,
}

impl NodeState {
    /// Hadoop's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NodeState::Running => "RUNNING",
            NodeState::Decommissioning => "DECOMMISSIONING",
            NodeState::Decommissioned => "DECOMMISSIONED",
            NodeState::Lost => "LOST",
        }
    }

    /// Whether it is gone.
    #[must_use]
    pub fn is_gone(self) -> bool {
        matches!(self, NodeState::Decommissioned | NodeState::Lost)
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodeRecord {
    /// The host's name, by which the scheduler knows it.
    pub name: String,
    /// The port of its NodeManager.
    pub port: u16,
    /// The port of its pages.
    pub http_port: u16,
    /// Its rack.
    pub rack: String,
    /// What it has.
    pub total: Resource,
    /// Of its NodeManager.
    pub version: String,
    /// Where it stands.
    pub state: NodeState,
    /// When it last said how it does, in ms since 1970.
    pub last_health_ms: u64,
    /// Its labels; none is the default partition.
    pub labels: Vec<String>,
}

impl NodeRecord {
    /// `host:port`
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}:{}", self.name, self.port)
    }

    /// Where its pages are.
    #[must_use]
    pub fn http_address(&self) -> String {
        format!("{}:{}", self.name, self.http_port)
    }
}
