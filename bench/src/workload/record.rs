//! Figures, and the records that are made of them: one JSON object a repeat, or a table.

use comfy_table::Table;
use evenweave_tools::clock::{process_cpu_seconds, seconds};
use evenweave_tools::numbers::{grouped, micros};
use evenweave_tools::options::SchedulerChoice;
use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};

use super::bed::Bed;
use super::plan::Plan;
use crate::engine::Totals;
use crate::latency::{Percentiles, histogram};
use crate::options::{Background, CoreChoice, Mode, WorkloadName};

/// Milliseconds of some updates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UpdateTimes {
    n: usize,
    min: f64,
    pub(super) p50: f64,
    max: f64,
}

impl UpdateTimes {
    /// Of nanoseconds, which are put in order; `None` of none.
    pub(super) fn of(times: &mut [u64]) -> Option<UpdateTimes> {
        times.sort_unstable();
        let ms = |index: usize| times.get(index).map(|ns| *ns as f64 / 1e6);
        Some(UpdateTimes { n: times.len(), min: ms(0)?, p50: ms(times.len() / 2)?, max: ms(times.len() - 1)? })
    }
}

/// What a phase showed.
pub(super) struct Figures {
    pub(super) allocations: u64,
    pub(super) node_local: u64,
    /// Worked off by the scheduler.
    pub(super) heartbeats: u64,
    pub(super) seconds: f64,
    pub(super) cpu: f64,
    pub(super) driver_cpu: f64,
    pub(super) in_scheduler_ns: u64,
    pub(super) full: f64,
    /// In an open loop: heartbeats that were due each second.
    pub(super) offered_per_s: Option<f64>,
    pub(super) enqueue: Histogram<u64>,
    pub(super) service: Histogram<u64>,
    pub(super) grant: Histogram<u64>,
    pub(super) allocate: Histogram<u64>,
    pub(super) update: Option<UpdateTimes>,
    /// How many partitions the nodes are in: 1 without labels.
    pub(super) partitions: u32,
    #[cfg(feature = "sharing")]
    pub(super) sharing: crate::api::Sharing,
}

/// How things stood when a phase began.
pub(super) struct Before {
    pub(super) stats: Totals,
    cpu: f64,
    #[cfg(feature = "sharing")]
    sharing: crate::api::Sharing,
}

impl Before {
    /// Now. What was collected of before is dropped.
    pub(super) fn new(bed: &Bed) -> Before {
        drop(bed.probe.take());
        Before {
            stats: bed.engine.stats(),
            cpu: process_cpu_seconds(),
            #[cfg(feature = "sharing")]
            sharing: crate::api::Sharing::now(),
        }
    }

    /// What has come of it. Counts and times are those of now; heartbeats still under way are waited for, so that none
    /// that takes long is left out of the latencies.
    pub(super) fn figures(self, bed: &Bed, ns: u64, driver_cpu: f64) -> Figures {
        let (stats, cpu) = (bed.engine.stats(), process_cpu_seconds());
        bed.engine.quiesce();
        let (service, grant) = bed.probe.take();
        Figures {
            allocations: stats.granted - self.stats.granted,
            node_local: stats.node_local - self.stats.node_local,
            heartbeats: stats.heartbeats - self.stats.heartbeats,
            seconds: seconds(ns),
            cpu: cpu - self.cpu,
            driver_cpu,
            in_scheduler_ns: 0,
            full: stats.running as f64 / bed.shape.capacity() as f64,
            offered_per_s: None,
            enqueue: histogram(),
            service,
            grant,
            allocate: histogram(),
            update: None,
            partitions: bed.partitions(),
            #[cfg(feature = "sharing")]
            sharing: crate::api::Sharing::now().since(&self.sharing),
        }
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Microseconds; nothing where nothing was timed.
fn percentiles(histogram: &Histogram<u64>) -> Value {
    let p = Percentiles::of(histogram);
    match p.n {
        0 => Value::Null,
        _ => json!({"n": p.n, "p50": p.p50, "p99": p.p99, "p999": p.p999, "max": p.max}),
    }
}

/// The sum of what was recorded.
pub(super) fn sum_ns(histogram: &Histogram<u64>) -> u64 {
    histogram.iter_recorded().map(|value| value.value_iterated_to() * value.count_at_value()).sum()
}

impl Figures {
    pub(super) fn rate(&self) -> f64 {
        ratio(self.allocations as f64, self.seconds)
    }

    pub(super) fn heartbeats_per_s(&self) -> f64 {
        ratio(self.heartbeats as f64, self.seconds)
    }

    pub(super) fn node_local(&self) -> f64 {
        ratio(self.node_local as f64, self.allocations as f64)
    }

    /// What repeats are put in order by: allocations a second, or the median update.
    pub(super) fn order(&self) -> f64 {
        self.update.map_or_else(|| self.rate(), |update| update.p50)
    }

    fn per_1000(&self, cpu: f64) -> f64 {
        ratio(cpu * 1e3, self.allocations as f64)
    }

    /// Of all threads that are no drivers'; of what polls take, where drivers and workers share threads.
    fn worker_cpu(&self) -> f64 {
        (self.cpu - self.driver_cpu).max(0.0)
    }

    fn in_scheduler(&self) -> f64 {
        ratio(seconds(self.in_scheduler_ns), self.seconds)
    }

    /// The published record, and beside it workers, the three latencies of a scheduler behind channels and the rate of
    /// heartbeats.
    pub(super) fn json(&self, plan: &Plan) -> Value {
        let (shape, update) = (plan.shape, self.update);
        #[cfg_attr(not(feature = "sharing"), expect(unused_mut, reason = "there is one field more with it"))]
        let mut record = json!({
            "peer": peer(plan),
            "workload": workload_name(plan.workload),
            "nodes": shape.nodes,
            "queues": shape.queues,
            "apps": shape.apps,
            "assign": mode_name(plan.mode),
            "drivers": plan.drivers,
            "workers": plan.workers,
            "brief": plan.brief,
            "partitions": self.partitions,
            "allocations": self.allocations,
            "seconds": self.seconds,
            "allocations_per_s": self.rate(),
            "cpu_s_per_1000": self.per_1000(self.cpu),
            "driver_cpu_s_per_1000": self.per_1000(self.driver_cpu),
            "worker_cpu_s_per_1000": self.per_1000(self.worker_cpu()),
            "in_scheduler": self.in_scheduler(),
            "full": self.full,
            "node_local": self.node_local(),
            "heartbeat_us": percentiles(&self.grant),
            "allocate_us": percentiles(&self.allocate),
            "enqueue_us": percentiles(&self.enqueue),
            "service_us": percentiles(&self.service),
            "grant_us": percentiles(&self.grant),
            "heartbeats_per_s": self.heartbeats_per_s(),
            "update_ms": update.map(|u| json!({"n": u.n, "min": u.min, "p50": u.p50, "max": u.max})),
        });
        #[cfg(feature = "sharing")]
        record.as_object_mut().expect("a record is an object").insert("sharing".to_owned(), self.sharing_json());
        record
    }

    /// What the threads shared, for an allocation: in all, and at the places with most.
    #[cfg(feature = "sharing")]
    fn sharing_json(&self) -> Value {
        const PLACES: usize = 16;
        let of = |count: u64| ratio(count as f64, self.allocations as f64);
        let total = self.sharing.total();
        let places = self.sharing.places().into_iter().take(PLACES).map(|((file, line), counts)| {
            json!({
                "place": format!("{file}:{line}"),
                "lines_read": of(counts.lines_read),
                "lines_written": of(counts.lines_written),
            })
        });
        json!({
            "locked": of(total.locked),
            "messages": of(total.messages),
            "lines_read": of(total.lines_read),
            "lines_written": of(total.lines_written),
            "places": places.collect::<Vec<_>>(),
        })
    }
}

fn peer(plan: &Plan) -> &'static str {
    if plan.scheduler == SchedulerChoice::Capacity {
        return if plan.aside() { "evenweave-capacity-async" } else { "evenweave-capacity" };
    }
    match (plan.core, plan.background) {
        (CoreChoice::Threaded, Background::Off) => "evenweave",
        (CoreChoice::Threaded, Background::On) => "evenweave-async",
        (CoreChoice::Threaded, Background::Continuous) => "evenweave-continuous",
        (CoreChoice::Locked, _) => "evenweave-locked",
    }
}

pub(super) fn workload_name(workload: WorkloadName) -> &'static str {
    match workload {
        WorkloadName::W1 => "W1",
        WorkloadName::W2 => "W2",
        WorkloadName::W3 => "W3",
        WorkloadName::W4 => "W4",
    }
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::One => "one",
        Mode::Dyn => "dyn",
        Mode::Max => "max",
    }
}

/// A part of an open loop: at so many per cent of the highest rate, and how late the driver was in the end.
pub(super) struct OpenLoop {
    pub(super) percent: u32,
    pub(super) figures: Figures,
    pub(super) behind_ns: u64,
}

impl OpenLoop {
    fn json(&self) -> Value {
        let figures = &self.figures;
        json!({
            "offered_heartbeats_per_s": figures.offered_per_s,
            "heartbeats_per_s": figures.heartbeats_per_s(),
            "allocations_per_s": figures.rate(),
            "behind_ms": self.behind_ns as f64 / 1e6,
            "enqueue_us": percentiles(&figures.enqueue),
            "service_us": percentiles(&figures.service),
            "grant_us": percentiles(&figures.grant),
        })
    }
}

/// All that a run showed, in order.
#[derive(Default)]
pub(super) struct Results {
    pub(super) repeats: Vec<Figures>,
    /// After each repeat, on the nodes of several partitions.
    pub(super) labelled: Vec<Figures>,
    /// After each repeat, while others look.
    pub(super) asked: Vec<Figures>,
    pub(super) open_loop: Vec<OpenLoop>,
}

impl Results {
    /// The repeat in the middle.
    fn median(&self) -> Option<&Figures> {
        let mut repeats: Vec<&Figures> = self.repeats.iter().collect();
        repeats.sort_by(|a, b| a.order().total_cmp(&b.order()));
        repeats.get(repeats.len() / 2).copied()
    }

    /// The rate of each of these to that of the repeat before it: the pair in the middle.
    fn to_repeats(&self, others: &[Figures]) -> Option<f64> {
        let pairs = others.iter().zip(&self.repeats);
        let mut parts: Vec<f64> = pairs.map(|(other, alone)| ratio(other.rate(), alone.rate())).collect();
        parts.sort_by(f64::total_cmp);
        parts.get(parts.len() / 2).copied()
    }

    /// The rate with labels, as a part of the rate without.
    pub(super) fn labelled_to_unlabelled(&self) -> Option<f64> {
        self.to_repeats(&self.labelled)
    }

    /// The last record: the median repeat, the spread of all, and the open loop.
    pub(super) fn median_json(&self, plan: &Plan) -> Option<Value> {
        let median = self.median()?;
        let mut record = median.json(plan);
        let fields = record.as_object_mut().expect("a record is an object");
        let least = self.repeats.iter().map(Figures::order).fold(f64::INFINITY, f64::min);
        let most = self.repeats.iter().map(Figures::order).fold(0.0, f64::max);
        let of = if median.update.is_some() { "update_ms_p50_min_max" } else { "allocations_per_s_min_max" };
        fields.insert("median_of".to_owned(), json!(self.repeats.len()));
        fields.insert(of.to_owned(), json!([least, most]));
        if let Some(part) = self.to_repeats(&self.asked) {
            fields.insert("rate_asked_to_alone".to_owned(), json!(part));
        }
        if let Some(part) = self.labelled_to_unlabelled() {
            fields.insert("rate_labelled_to_unlabelled".to_owned(), json!(part));
        }
        if !self.open_loop.is_empty() {
            let parts: Map<_, _> = self.open_loop.iter().map(|part| (part.percent.to_string(), part.json())).collect();
            fields.insert("open_loop_percent".to_owned(), Value::Object(parts));
        }
        Some(record)
    }

    /// For people.
    pub(super) fn table(&self, plan: &Plan) -> Table {
        let repeats =
            self.repeats.iter().enumerate().map(|(index, figures)| (format!("repeat {}", index + 1), figures));
        let mut rows: Vec<(String, &Figures)> = repeats.collect();
        rows.extend(self.median().map(|median| ("median".to_owned(), median)));
        let name = workload_name(plan.workload);
        if plan.workload == WorkloadName::W3 {
            let mut table = evenweave_tools::report::table(&[name, "rounds", "update min", "median", "max"]);
            for (name, update) in rows.iter().filter_map(|(name, figures)| Some((name, figures.update?))) {
                let ms = |value: f64| micros(value * 1e3);
                table.add_row([name.clone(), update.n.to_string(), ms(update.min), ms(update.p50), ms(update.max)]);
            }
            return table;
        }
        let labelled = self.labelled.iter().enumerate();
        rows.extend(
            labelled.map(|(at, figures)| (format!("repeat {}, {} partitions", at + 1, figures.partitions), figures)),
        );
        rows.extend(self.open_loop.iter().map(|part| (format!("open loop {} %", part.percent), &part.figures)));
        let mut table = evenweave_tools::report::table(&[
            name,
            "allocations/s",
            "CPU s a 1,000",
            "driver's",
            "in scheduler",
            "full",
            "node-local",
            "enqueue p50, p99",
            "service p50, p99",
            "grant p50, p99",
            "allocate p50, p99",
        ]);
        let two = |histogram: &Histogram<u64>| {
            let p = Percentiles::of(histogram);
            if p.n == 0 { "–".to_owned() } else { format!("{}, {}", micros(p.p50), micros(p.p99)) }
        };
        for (name, figures) in rows {
            table.add_row([
                name,
                grouped(figures.rate()),
                format!("{:.5}", figures.per_1000(figures.cpu)),
                format!("{:.5}", figures.per_1000(figures.driver_cpu)),
                format!("{:.2}", figures.in_scheduler()),
                format!("{:.1} %", figures.full * 100.0),
                format!("{:.1} %", figures.node_local() * 100.0),
                two(&figures.enqueue),
                two(&figures.service),
                two(&figures.grant),
                two(&figures.allocate),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The middle of 30 is the sixteenth, as in the programs that drive other schedulers.
    #[test]
    fn updates_are_summed_up_in_milliseconds() {
        let mut times: Vec<u64> = (1..=30).rev().map(|ms| ms * 1_000_000).collect();
        let expected = UpdateTimes { n: 30, min: 1.0, p50: 16.0, max: 30.0 };
        assert_eq!(UpdateTimes::of(&mut times), Some(expected));
        assert_eq!(UpdateTimes::of(&mut []), None);
    }
}
