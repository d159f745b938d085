//! `queue -status NAME`.

use evenweave_tools::output;
use serde_json::Value;

use super::client::{Client, Failed};
use super::layout::{at_most_one_whole, two_digits};
use super::said::{Said, WRONG};
use super::words::{Values, Words};

pub(super) fn run(client: &Client, words: Words<'_>) -> Said {
    let said = match words.read(&[("status", Values::One)]) {
        Ok(said) => said,
        Err(why) => return Said::wrong(why),
    };
    let Some(name) = said.value("status") else { return Said::wrong("queue -status NAME") };
    match status(client, name) {
        Ok(Some(out)) => Said::out(format!("Queue Information : \n{out}")),
        Ok(None) => {
            let out = format!("Cannot get queue from RM by queueName = {name}, please check.\n");
            Said { out, code: WRONG, ..Said::default() }
        }
        Err(why) => Said::failed(why.to_string()),
    }
}

fn status(client: &Client, name: &str) -> Result<Option<String>, Failed> {
    // As it stands in an answer.
    let name = output::line(name);
    let state = client.get("/ws/v1/evenweave/state", &[])?;
    let queues = state["state"]["queues"].as_array().map(Vec::as_slice).unwrap_or_default();
    if state["state"]["scheduler"] == "CapacityScheduler" {
        return Ok(capacity(queues, &name));
    }
    let tree = client.get("/ws/v1/cluster/scheduler", &[])?;
    Ok(fair(queues, &tree["scheduler"]["schedulerInfo"]["rootQueue"], &name))
}

/// The queue of that name in a tree of them.
fn within<'t>(tree: &'t Value, name: &str) -> Option<&'t Value> {
    if tree["queueName"] == name {
        return Some(tree);
    }
    tree["childQueues"]["queue"].as_array()?.iter().find_map(|child| within(child, name))
}

fn fair(queues: &[Value], tree: &Value, name: &str) -> Option<String> {
    let full = if name == "root" || name.starts_with("root.") { name.to_owned() } else { format!("root.{name}") };
    let shown = within(tree, &full)?;
    let weight = queues.iter().find(|queue| queue["name"] == full.as_str()).and_then(|queue| queue["weight"].as_f64());
    let amount = |member: &str| {
        let of = &shown[member];
        format!("<memory : {}, vCores:{}>", of["memory"], of["vCores"])
    };
    let preemption = if shown["preemptable"] == true { "enabled" } else { "disabled" };
    Some(format!(
        "Scheduler Name : FairScheduler\nQueue Name : {full}\n\tWeight : {}\n\tState : RUNNING\n\tMinResource : \
         {}\n\tMaxResource : {}\n\tReservedResource : {}\n\tSteadyFairShare : {}\n\tQueue Preemption : {preemption}\n",
        two_digits(weight.unwrap_or_default()),
        amount("minResources"),
        amount("maxResources"),
        amount("reservedResources"),
        amount("steadyFairResources"),
    ))
}

/// By its path, or by its last part where no other has it.
fn capacity(queues: &[Value], name: &str) -> Option<String> {
    let path = |queue: &Value| queue["name"].as_str().unwrap_or_default().to_owned();
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let exact = queues.iter().find(|queue| path(queue) == name);
    let mut short = queues.iter().filter(|queue| last(&path(queue)) == name);
    let queue = exact.or_else(|| short.next().filter(|_| short.next().is_none()))?;
    let part = |member: &str| at_most_one_whole(f64::from(float(&queue[member]) * 100.0));
    let flag = |member: &str| if queue[member] == true { "disabled" } else { "enabled" };
    let path = path(queue);
    Some(format!(
        "Scheduler Name : CapacityScheduler\nQueue Name : {}\nQueue Path : {path}\n\tState : {}\n\tCapacity : {}%\n\tCurrent \
         Capacity : {}%\n\tMaximum Capacity : {}%\n\tWeight : {}\n\tMaximum Parallel Apps : {}\n\tDefault Node Label expression : \
         {}\n\tAccessible Node Labels : {}\n\tPreemption : {}\n\tIntra-queue Preemption : {}\n",
        last(&path),
        queue["state"].as_str().unwrap_or_default(),
        part("capacity"),
        part("usedCapacity"),
        part("maximumCapacity"),
        at_most_one_whole(f64::from(float(&queue["weight"]))),
        queue["maxParallelApps"],
        default_label(queue),
        labels(queue),
        flag("preemptionDisabled"),
        flag("intraQueuePreemptionDisabled"),
    ))
}

/// The label of asks that name none.
fn default_label(queue: &Value) -> &str {
    let label = queue["defaultNodeLabelExpression"].as_str().filter(|label| !label.trim().is_empty());
    label.unwrap_or("<DEFAULT_PARTITION>")
}

/// The labels that it may use.
fn labels(queue: &Value) -> String {
    let labels = queue["accessibleNodeLabels"].as_array().into_iter().flatten().filter_map(Value::as_str);
    labels.collect::<Vec<_>>().join(",")
}

/// Of 32 bits, as Hadoop has them.
#[expect(clippy::cast_possible_truncation, reason = "it was written from 32 bits")]
fn float(of: &Value) -> f32 {
    of.as_f64().unwrap_or_default() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_queue_of_a_fair_scheduler_looks_as_yarn_shows_it() {
        let amount = |memory: i64, cores: i64| json!({"memory": memory, "vCores": cores});
        let tree = json!({"queueName": "root", "childQueues": {"queue": [{
            "queueName": "root.a", "minResources": amount(1024, 1), "maxResources": amount(8192, 8), "preemptable": true,
            "reservedResources": amount(0, 0), "steadyFairResources": amount(4096, 0),
        }]}});
        let expected = "Scheduler Name : FairScheduler\nQueue Name : root.a\n\tWeight : 2.50\n\tState : RUNNING\n\tMinResource : \
                        <memory : 1024, vCores:1>\n\tMaxResource : <memory : 8192, vCores:8>\n\tReservedResource : <memory : 0, \
                        vCores:0>\n\tSteadyFairShare : <memory : 4096, vCores:0>\n\tQueue Preemption : enabled\n";
        let queues = [json!({"name": "root.a", "weight": 2.5})];
        for name in ["a", "root.a"] {
            assert_eq!(fair(&queues, &tree, name).as_deref(), Some(expected));
        }
        assert_eq!(fair(&queues, &tree, "root.b"), None);
    }

    #[test]
    fn a_queue_of_a_capacity_scheduler_looks_as_yarn_shows_it() {
        let queue = json!({
            "name": "root.a", "state": "RUNNING", "capacity": 0.33333334, "usedCapacity": 0.0, "maximumCapacity": 1.0, "weight": -1.0,
            "maxParallelApps": 2_147_483_647, "preemptionDisabled": true, "intraQueuePreemptionDisabled": true, "accessibleNodeLabels": ["*"],
        });
        let queues = [queue, json!({"name": "root.b.x"}), json!({"name": "root.c.x"})];
        let expected = "Scheduler Name : CapacityScheduler\nQueue Name : a\nQueue Path : root.a\n\tState : RUNNING\n\tCapacity : \
                        33.33%\n\tCurrent Capacity : .00%\n\tMaximum Capacity : 100.00%\n\tWeight : -1.00\n\tMaximum Parallel Apps : \
                        2147483647\n\tDefault Node Label expression : <DEFAULT_PARTITION>\n\tAccessible Node Labels : *\n\tPreemption : \
                        disabled\n\tIntra-queue Preemption : disabled\n";
        assert_eq!(capacity(&queues, "a").as_deref(), Some(expected));
        assert_eq!(capacity(&queues, "root.a").as_deref(), Some(expected));
        // Two have it.
        assert_eq!(capacity(&queues, "x"), None);
        let labelled = [json!({
            "name": "root.a", "accessibleNodeLabels": ["gpu", "ssd"], "defaultNodeLabelExpression": "ssd",
        })];
        let said = capacity(&labelled, "a").expect("a queue");
        assert!(said.contains("\tDefault Node Label expression : ssd\n\tAccessible Node Labels : gpu,ssd\n"), "{said}");
        let said = capacity(&[json!({"name": "root.a"})], "a").expect("a queue");
        assert!(
            said.contains("Default Node Label expression : <DEFAULT_PARTITION>\n\tAccessible Node Labels : \n"),
            "{said}"
        );
    }
}
