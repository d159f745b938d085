//! `/ws/v1/cluster` and `/info`: which ResourceManager it is.

use super::asked::{Answer, Asked, Outcome};
use crate::manager::ResourceManager;
use crate::value::Object;

pub(crate) fn info(of: &ResourceManager, _: &Asked) -> Outcome {
    let cluster = of.cluster();
    let version = format!("{} from evenweave {}", cluster.version, env!("CARGO_PKG_VERSION"));
    let answer = Object::new()
        .with("id", cluster.timestamp)
        .with("startedOn", cluster.started_ms)
        .with("state", "STARTED")
        .with("haState", "ACTIVE")
        .with("rmStateStoreName", "org.apache.hadoop.yarn.server.resourcemanager.recovery.NullRMStateStore")
        .with("resourceManagerVersion", cluster.version.as_str())
        .with("resourceManagerBuildVersion", version.as_str())
        .with("resourceManagerVersionBuiltOn", "")
        .with("hadoopVersion", cluster.version.as_str())
        .with("hadoopBuildVersion", version)
        .with("hadoopVersionBuiltOn", "")
        .with(
            "haZooKeeperConnectionState",
            "Could not find leader elector. Verify both HA and automatic failover are enabled.",
        );
    Ok(Answer::natural("clusterInfo", answer))
}
