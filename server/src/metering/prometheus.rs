//! `/metrics`, as Prometheus reads it.
//!
//! Values of labels are names that strangers choose. Each is a [`Name`], which is the one thing that can stand there:
//! it is escaped when it is written.

use std::fmt::{Error, Write};

use prometheus_client::encoding::{EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::measured::{Measured, OfUser, Part, Queue, Shares};
use crate::latency::{Latencies, Timed};
use crate::rest::partitions::DEFAULT_PARTITION;
use crate::scheduler::Updates;
use evenweave::Resource;

type Labels = Vec<(&'static str, Name)>;

/// The value of a label. The library writes a text as it is; the format has quotes, line ends and backslashes behind a
/// backslash. Prometheus takes U+0000 for the end of all metrics: U+FFFD stands in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Name(String);

impl Name {
    fn of(text: &str) -> Name {
        Name(text.to_owned())
    }
}

impl EncodeLabelValue for Name {
    fn encode(&self, to: &mut LabelValueEncoder<'_>) -> Result<(), Error> {
        for letter in self.0.chars() {
            match letter {
                '\\' => to.write_str("\\\\")?,
                '"' => to.write_str("\\\"")?,
                '\n' => to.write_str("\\n")?,
                '\0' => to.write_char(char::REPLACEMENT_CHARACTER)?,
                other => to.write_char(other)?,
            }
        }
        Ok(())
    }
}

fn gauge(registry: &mut Registry, name: &str, help: &str, values: impl Iterator<Item = (Labels, i64)>) {
    let family = Family::<Labels, Gauge>::default();
    for (labels, value) in values {
        family.get_or_create(&labels).set(value);
    }
    registry.register(name, help, family);
}

/// Of the cluster as a whole.
fn alone(registry: &mut Registry, name: &str, help: &str, value: i64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}

/// The same, of what only grows.
fn total(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let counter = Counter::<u64>::default();
    counter.inc_by(value);
    registry.register(name, help, counter);
}

fn counter(registry: &mut Registry, name: &str, help: &str, values: impl Iterator<Item = (Labels, u64)>) {
    let family = Family::<Labels, Counter>::default();
    for (labels, value) in values {
        family.get_or_create(&labels).inc_by(value);
    }
    registry.register(name, help, family);
}

/// Of each queue memory in MiB, and vcores: two metrics. Where there are labels, `on_label` gives the same of each.
fn both(
    registry: &mut Registry,
    name: &str,
    help: &str,
    measured: &Measured,
    of: impl Fn(&Queue) -> Option<Resource>,
    on_label: impl Fn(&Queue, &Part) -> Option<Resource>,
) {
    let parted = measured.basics.labels;
    let labels = |queue: &Queue, partition: &str| {
        let mut labels = vec![("queue", Name::of(&queue.path))];
        if parted {
            labels.push(("partition", Name::of(partition)));
        }
        labels
    };
    let mut amounts: Vec<(Labels, Resource)> = Vec::new();
    for queue in &measured.queues {
        amounts.extend(of(queue).map(|amount| (labels(queue, DEFAULT_PARTITION), amount)));
        let parts = queue.parts.iter().filter_map(|part| Some((labels(queue, &part.label), on_label(queue, part)?)));
        amounts.extend(parts);
    }
    let values = |amount: fn(&Resource) -> i64| amounts.iter().map(move |(labels, of)| (labels.clone(), amount(of)));
    gauge(registry, &format!("{name}_mebibytes"), help, values(Resource::memory_mb));
    gauge(registry, &format!("{name}_vcores"), help, values(Resource::vcores));
}

/// The same of what only a FairScheduler has, which has no labels.
fn fair(registry: &mut Registry, name: &str, help: &str, measured: &Measured, of: fn(&Shares) -> Resource) {
    let of = |queue: &Queue| queue.shares.as_ref().map(of);
    both(registry, name, help, measured, of, |_, _| None);
}

/// All of it.
pub(super) fn text(measured: &Measured, latencies: &Latencies) -> String {
    let mut registry = Registry::with_prefix("evenweave");
    let all = &mut registry;
    let Measured { cluster, used, counts, ends, nodes, queues, users, .. } = measured;
    alone(all, "cluster_mebibytes", "Memory of all nodes", cluster.memory_mb());
    alone(all, "cluster_vcores", "Vcores of all nodes", cluster.vcores());
    alone(all, "cluster_used_mebibytes", "Memory that is used", used.memory_mb());
    alone(all, "cluster_used_vcores", "Vcores that are used", used.vcores());
    let states = nodes.iter().map(|(state, count)| (vec![("state", Name::of(&state.name().to_lowercase()))], *count));
    gauge(all, "nodes", "Nodes by state", states);
    alone(all, "containers", "Containers that live", i64::try_from(counts.running).unwrap_or(i64::MAX));
    let age = i64::try_from(counts.snapshot_age_ms).unwrap_or(i64::MAX);
    alone(all, "snapshot_age_milliseconds", "How old the shares are", age);
    total(all, "containers_allocated", "Containers granted", counts.granted);
    total(all, "containers_ended", "Containers that have ended", counts.completed);
    total(all, "heartbeats", "Heartbeats worked off", counts.heartbeats);
    total(all, "applications_submitted", "Applications that entered a queue", ends.submitted);
    let ended = [("finished", ends.completed), ("failed", ends.failed), ("killed", ends.killed)];
    let ended = ended.into_iter().map(|(how, count)| (vec![("how", Name::of(how))], count));
    counter(all, "applications_ended", "Applications that have ended, by how", ended);
    let used = "What a queue's containers use";
    both(all, "queue_used", used, measured, |queue| Some(queue.used), |_, part| Some(part.used));
    let pending = "What is asked for in a queue and not granted";
    both(all, "queue_pending", pending, measured, |queue| Some(queue.pending), |_, part| Some(part.pending));
    let reserved = "What is reserved on nodes for a queue's applications";
    let here = |queue: &Queue| Some(queue.tally.held.reserved.resource);
    both(all, "queue_reserved", reserved, measured, here, |queue, part| {
        Some(queue.tally.on_labels.get(&part.label).map_or(Resource::ZERO, |held| held.reserved.resource))
    });
    fair(all, "queue_fair_share", "Instantaneous fair share", measured, |shares| shares.fair);
    fair(all, "queue_steady_fair_share", "Steady fair share", measured, |shares| shares.steady);
    let guaranteed = |queue: &Queue| queue.capacities.as_ref().map(|of| of.guaranteed);
    both(all, "queue_guaranteed", "What a capacity guarantees", measured, guaranteed, |_, part| Some(part.guaranteed));
    let most =
        |queue: &Queue| queue.capacities.as_ref().map(|of| of.most).or(queue.shares.as_ref().map(|shares| shares.most));
    both(all, "queue_maximum", "The most that a queue may use", measured, most, |_, part| Some(part.most));
    let apps = queues.iter().flat_map(|queue| {
        let labels = |state: &str| vec![("queue", Name::of(&queue.path)), ("state", Name::of(state))];
        [(labels("running"), queue.tally.attempts.running), (labels("pending"), queue.tally.attempts.pending)]
    });
    gauge(all, "queue_applications", "Applications of a queue by state", apps);
    let actives = queues
        .iter()
        .map(|queue| (vec![("queue", Name::of(&queue.path))], i64::try_from(queue.users).unwrap_or(i64::MAX)));
    gauge(all, "queue_active_users", "Users with applications in a queue", actives);
    let whole: Vec<&OfUser> = users.iter().filter(|of| queues[of.queue].path == "root" && of.is_there()).collect();
    let of_users = |amount: fn(&Resource) -> i64| {
        whole.iter().map(move |of| (vec![("user", Name::of(&of.user))], amount(&of.tally.used)))
    };
    gauge(all, "user_used_mebibytes", "What a user's containers use", of_users(Resource::memory_mb));
    gauge(all, "user_used_vcores", "What a user's containers use", of_users(Resource::vcores));
    let apps = whole.iter().flat_map(|of| {
        let labels = |state: &str| vec![("user", Name::of(&of.user)), ("state", Name::of(state))];
        [(labels("running"), of.tally.attempts.running), (labels("pending"), of.tally.attempts.pending)]
    });
    gauge(all, "user_applications", "Applications of a user by state", apps);
    let Updates { count, total_ms, longest_ms } = counts.updates;
    total(all, "updates", "How often shares were computed", count);
    total(all, "update_milliseconds", "How long computing shares has taken", total_ms);
    let longest = i64::try_from(longest_ms).unwrap_or(i64::MAX);
    alone(all, "update_longest_milliseconds", "The longest time that computing shares has taken", longest);
    let timed = |of: &Timed| of.histogram.clone();
    all.register("allocate_call_seconds", "How long calls of ApplicationMasters take", timed(&latencies.allocate));
    let handling = "How long a worker is at a heartbeat";
    all.register("heartbeat_handling_seconds", handling, timed(&latencies.handling));
    let grant = "From a heartbeat that is handed over until its grants are in mailboxes";
    all.register("heartbeat_grant_seconds", grant, timed(&latencies.grant));
    let mut text = String::new();
    // A text takes everything.
    let _ = prometheus_client::encoding::text::encode(&mut text, &registry);
    text
}
