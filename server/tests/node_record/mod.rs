//! A node as a ResourceManager has it in its records.

use evenweave::Resource;
use evenweave_server::records::{NodeRecord, NodeState};

/// Of 8 GB and 8 vcores.
pub(crate) fn node_record(name: &str, rack: &str, last_health_ms: u64) -> NodeRecord {
    NodeRecord {
        name: name.to_owned(),
        port: 8041,
        http_port: 8042,
        rack: rack.to_owned(),
        total: Resource::new(8192, 8),
        version: "3.4.2".to_owned(),
        state: NodeState::Running,
        last_health_ms,
        labels: Vec::new(),
    }
}
