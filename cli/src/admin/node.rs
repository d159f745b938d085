//! `node -list [-states STATES] [-all] [-showDetails] | -status ID`.

use chrono::DateTime;
use evenweave_tools::output;
use serde_json::Value;

use super::client::{Client, Failed};
use super::layout::columns;
use super::said::{Said, WRONG};
use super::words::{Chosen, Values, Words};

const KNOWN: &[(&str, Values)] = &[
    ("list", Values::None),
    ("states", Values::Many),
    ("all", Values::None),
    ("showDetails", Values::None),
    ("status", Values::One),
];

/// In the order of Hadoop's enumeration.
const STATES: [&str; 8] =
    ["NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED", "DECOMMISSIONING", "SHUTDOWN"];
const WIDTHS: [usize; 4] = [16, 15, 17, 28];

pub(super) fn run(client: &Client, words: Words<'_>) -> Said {
    let said = match words.read(KNOWN) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    let outcome = match said.value("status") {
        Some(id) => status(client, id),
        None if said.has("list") => list(client, &said),
        None => return Said::wrong("node -list [-states STATES] [-all] [-showDetails] | -status ID"),
    };
    outcome.unwrap_or_else(|why| Said::failed(why.to_string()))
}

fn text<'v>(of: &'v Value, member: &str) -> &'v str {
    of[member].as_str().unwrap_or_default()
}

fn list(client: &Client, said: &Chosen) -> Result<Said, Failed> {
    let mut states = Vec::new();
    for wanted in said.list("states") {
        match STATES.into_iter().find(|state| state.eq_ignore_ascii_case(wanted)) {
            Some(state) => states.push(state),
            None => {
                let known = STATES.join(",");
                let out = format!(
                    "The node state {wanted} is invalid.\nThe valid node state can be one of the following: {known}.\n"
                );
                return Ok(Said { out, code: WRONG, ..Said::default() });
            }
        }
    }
    if said.has("all") {
        states = STATES.to_vec();
    } else if states.is_empty() {
        states.push("RUNNING");
    }
    let answer = client.get("/ws/v1/cluster/nodes", &[("states", &states.join(","))])?;
    let nodes = answer["nodes"]["node"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut out = format!("Total Nodes:{}\n", nodes.len());
    out.push_str(&columns(&WIDTHS, &["Node-Id", "Node-State", "Node-Http-Address", "Number-of-Running-Containers"]));
    for node in nodes {
        let containers = node["numContainers"].to_string();
        out.push_str(&columns(
            &WIDTHS,
            &[text(node, "id"), text(node, "state"), text(node, "nodeHTTPAddress"), &containers],
        ));
        if said.has("showDetails") {
            out.push_str(&details(node));
        }
    }
    Ok(Said::out(out))
}

/// `<memory:1024, vCores:1>`; nothing of what is not there.
fn amount(of: &Value) -> String {
    match of.is_object() {
        true => format!("<memory:{}, vCores:{}>", of["memory"], of["vCores"]),
        false => String::new(),
    }
}

fn details(node: &Value) -> String {
    let [by_node, by_containers] = utilization(node);
    format!(
        "Detailed Node Information :\n\tConfigured Resources : {}\n\tAllocated Resources : {}\n\tResource Utilization by Node : \
         {by_node}\n\tResource Utilization by Containers : {by_containers}\n\tNode-Labels : {}\n",
        amount(&node["totalResource"]),
        amount(&node["usedResource"]),
        labels(node)
    )
}

fn utilization(node: &Value) -> [String; 2] {
    let of = &node["resourceUtilization"];
    // A Java float has a point.
    let cores = |member: &str| format!("{:?}", of[member].as_f64().unwrap_or_default());
    let words = |memory: &str, virtual_memory: &str, cpu: &str| {
        format!("PMem:{} MB, VMem:{} MB, VCores:{}", of[memory], of[virtual_memory], cores(cpu))
    };
    [
        words("nodePhysicalMemoryMB", "nodeVirtualMemoryMB", "nodeCPUUsage"),
        words("aggregatedContainersPhysicalMemoryMB", "aggregatedContainersVirtualMemoryMB", "containersCPUUsage"),
    ]
}

fn labels(node: &Value) -> String {
    let mut labels: Vec<&str> = node["nodeLabels"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    labels.sort_unstable();
    labels.join(",")
}

fn status(client: &Client, id: &str) -> Result<Said, Failed> {
    let is_id = id.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if !is_id {
        return Ok(Said::failed(format!("Invalid NodeId [{id}]. Expected host:port")));
    }
    let answer = client.get("/ws/v1/cluster/nodes", &[])?;
    let nodes = answer["nodes"]["node"].as_array().map(Vec::as_slice).unwrap_or_default();
    // As it stands in an answer.
    let wanted = output::line(id);
    Ok(Said::out(match nodes.iter().find(|node| text(node, "id") == wanted) {
        Some(node) => format!("{}\n", report(node)),
        None => format!("Could not find the node report for node id : {id}\n"),
    }))
}

/// Hadoop's `E dd/MMM/yy hh:mm:ss:SSzz`, in UTC.
fn time(ms: i64) -> String {
    let Some(time) = DateTime::from_timestamp_millis(ms) else { return ms.to_string() };
    format!("{}:{:02}UTC", time.format("%a %d/%b/%y %I:%M:%S"), time.timestamp_subsec_millis())
}

fn report(node: &Value) -> String {
    let (member, [by_node, by_containers]) = (|name: &str| text(node, name), utilization(node));
    format!(
        "Node Report : \n\tNode-Id : {}\n\tRack : {}\n\tNode-State : {}\n\tNode-Http-Address : {}\n\tLast-Health-Update : \
         {}\n\tHealth-Report : {}\n\tContainers : {}\n\tMemory-Used : {}MB\n\tMemory-Capacity : {}MB\n\tCPU-Used : {} \
         vcores\n\tCPU-Capacity : {} vcores\n\tNode-Labels : {}\n\tNode Attributes : \n\tResource Utilization by Node : \
         {by_node}\n\tResource Utilization by Containers : {by_containers}\n",
        member("id"),
        member("rack"),
        member("state"),
        member("nodeHTTPAddress"),
        time(node["lastHealthUpdate"].as_i64().unwrap_or_default()),
        member("healthReport"),
        node["numContainers"],
        node["usedMemoryMB"],
        node["totalResource"]["memory"],
        node["usedVirtualCores"],
        node["totalResource"]["vCores"],
        labels(node),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_looks_as_yarn_prints_it() {
        let node = json!({
            "id": "n1:8041", "rack": "/r1", "state": "RUNNING", "nodeHTTPAddress": "n1:8042", "lastHealthUpdate": 1_700_000_000_007_i64,
            "healthReport": "", "numContainers": 2, "usedMemoryMB": 1024, "usedVirtualCores": 1, "nodeLabels": ["y", "x"],
            "totalResource": {"memory": 8192, "vCores": 8}, "resourceUtilization": {
                "nodePhysicalMemoryMB": 0, "nodeVirtualMemoryMB": 0, "nodeCPUUsage": 0.0, "aggregatedContainersPhysicalMemoryMB": 0,
                "aggregatedContainersVirtualMemoryMB": 0, "containersCPUUsage": 0.0,
            },
        });
        let expected = "Node Report : \n\tNode-Id : n1:8041\n\tRack : /r1\n\tNode-State : RUNNING\n\tNode-Http-Address : \
                        n1:8042\n\tLast-Health-Update : Tue 14/Nov/23 10:13:20:07UTC\n\tHealth-Report : \n\tContainers : \
                        2\n\tMemory-Used : 1024MB\n\tMemory-Capacity : 8192MB\n\tCPU-Used : 1 vcores\n\tCPU-Capacity : 8 \
                        vcores\n\tNode-Labels : x,y\n\tNode Attributes : \n\tResource Utilization by Node : PMem:0 MB, VMem:0 MB, \
                        VCores:0.0\n\tResource Utilization by Containers : PMem:0 MB, VMem:0 MB, VCores:0.0\n";
        assert_eq!(report(&node), expected);
    }
}
