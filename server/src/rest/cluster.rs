//! `/ws/v1/cluster` and `/info`: which ResourceManager it is. `/userinfo`: who runs it, and who asks.

use super::request::{Answer, Asked, Outcome};
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

pub(crate) fn user(_: &ResourceManager, asked: &Asked) -> Outcome {
    let answer = Object::new().with("rmLoginUser", login()).with("requestedUser", asked.user.as_str());
    Ok(Answer::bare("clusterUserInfo", answer))
}

/// Who runs this process; its number where it has no name.
#[cfg(unix)]
fn login() -> String {
    use nix::unistd::{Uid, User};
    let id = Uid::effective();
    User::from_uid(id).ok().flatten().map_or_else(|| id.to_string(), |user| user.name)
}

#[cfg(not(unix))]
fn login() -> String {
    std::env::var("USERNAME").unwrap_or_default()
}
