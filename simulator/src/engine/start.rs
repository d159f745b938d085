//! A run begins: the core, its nodes, when each reports.

use std::sync::Arc;

use evenweave_tools::Failure;
use evenweave_tools::random::mix;
use evenweave_tools::traces::{Trace, TraceKind};
use rustc_hash::FxHashMap;

use super::run::{Booked, Busy, Fates, Quiet, Refused, Run, Scratch, Timers};
use super::timers::sls_begins_ms;
use crate::api::{BuildError, CapacityScheduler, FairScheduler, StoredLabels, VirtualClock};
use crate::arrivals::{Arrivals, check_beside};
use crate::events::Events;
use crate::inputs::{Plan, Rules};
use crate::nodes::{Ring, SimNode};
use crate::options::SimulateOptions;
use crate::record::DecisionHash;
use crate::rows::Rows;
use crate::scheduler::Scheduler;
use crate::scribe::Scribe;
use crate::tally::Tally;
use crate::tasks::Place;

const TIMESTAMP: u64 = 1;

impl<'p> Run<'p> {
    /// # Errors
    /// What the core says against the configuration or the nodes.
    pub(crate) fn new(
        plan: &'p Plan,
        options: &'p SimulateOptions,
        traces: Vec<(String, Trace)>,
        seed: u64,
        rows: Option<Rows>,
    ) -> Result<Run<'p>, Failure> {
        let clock = Arc::new(VirtualClock::new());
        let (wake, woken) = crossbeam_channel::unbounded();
        let wake = Arc::new(move |number: u32| {
            // The run holds the other end.
            let _ = wake.send(number);
        });
        // Of several seeds the first is written.
        let scribe = plan.scenario.as_ref().filter(|_| seed == options.seed);
        let scribe = scribe.map(|head| Scribe::new(clock.clone(), plan.types.clone(), head, plan.labels.as_deref()));
        let mut core = match &plan.rules {
            Rules::Fair(rules) => {
                let (settings, allocations) = (**rules).clone();
                let builder = FairScheduler::builder().settings(settings).allocations(allocations);
                let builder =
                    builder.cluster_timestamp(TIMESTAMP).node_stops(true).clock(clock.clone()).on_grants(wake);
                let core = builder.stepped().map_err(|error| Failure::input(error.to_string()))?;
                Scheduler::fair(core, scribe)
            }
            Rules::Capacity(configuration) => {
                let builder = CapacityScheduler::builder((**configuration).clone());
                let builder =
                    builder.cluster_timestamp(TIMESTAMP).node_stops(true).clock(clock.clone()).on_grants(wake);
                let labels = plan.labels.clone().unwrap_or_default();
                let builder = builder.labels(StoredLabels { labels, nodes: Vec::new() });
                let core = builder.stepped().map_err(|error| {
                    let whose = if let BuildError::Labels(_) = error { "labels of the node file: " } else { "" };
                    Failure::input(format!("{whose}{error}"))
                });
                Scheduler::capacity(core?, scribe)
            }
        };
        let mut nodes = Vec::with_capacity(plan.nodes.len());
        let (mut places, mut offsets) = (Vec::with_capacity(plan.nodes.len()), Vec::with_capacity(plan.nodes.len()));
        let mut busy = Busy::default();
        for (number, spec) in (0_u64..).zip(&plan.nodes) {
            let handle =
                core.add_node(spec).map_err(|refused| Failure::input(format!("node {}: {refused}", spec.name)))?;
            places.push(Place { node: core.location(&spec.name), rack: core.location(&spec.rack) });
            offsets.push(mix(mix(seed ^ 0x4e4f_4445).wrapping_add(number)) % plan.node_interval_ms);
            busy.cluster[0] += spec.total.memory_mb();
            busy.cluster[1] += spec.total.vcores();
            nodes.push(SimNode::new(handle, [spec.total.memory_mb(), spec.total.vcores()]));
        }
        let cluster = busy.cluster;
        let first_nodes = nodes.len();
        let mut shuffled: Vec<u32> = (0..u32::try_from(first_nodes).unwrap_or(u32::MAX)).collect();
        shuffled.sort_by_key(|node| mix(mix(seed ^ 0x4841_5348).wrapping_add(u64::from(*node))));
        let deals = traces.iter().any(|(_, trace)| !trace.kind().has_queues());
        let kind = traces.first().map_or(TraceKind::Plain, |(_, trace)| trace.kind());
        let synth_seed = traces.iter().find_map(|(_, trace)| trace.cluster()).map(|cluster| cluster.seed);
        let mut arrivals = Arrivals::new(traces);
        let shift = arrivals.begin(options.times, !plan.bookings.is_empty())?;
        for change in &plan.changes {
            check_beside("--node-events: an event", change.at_ms, shift)?;
        }
        for booking in &plan.bookings {
            check_beside(
                &format!("--reservations: {:?}, line {}", booking.name, booking.line),
                booking.book_ms,
                shift,
            )?;
        }
        let mut queue_names: Vec<_> = core.queues().into_iter().map(|queue| (queue.name, queue.leaf)).collect();
        queue_names.sort();
        let dealt = if options.queues.is_empty() {
            queue_names.iter().filter(|(_, leaf)| *leaf).map(|(name, _)| name.clone()).collect()
        } else {
            options.queues.clone()
        };
        let mut run = Run {
            plan,
            options,
            seed,
            core,
            clock,
            now: 0,
            events: Events::default(),
            ring: Ring::new(plan.node_interval_ms, &offsets),
            nodes,
            places,
            shuffled,
            offsets,
            dealt,
            synth_seed,
            deals,
            first_nodes,
            fates: Fates::new(&plan.changes),
            booked: Booked::default(),
            sls_begins_ms: sls_begins_ms(kind),
            masters: FxHashMap::default(),
            arrivals,
            coming: Vec::new(),
            ahead: None,
            coming_at: 0,
            next_number: 1,
            jobs_read: 0,
            woken,
            quiet: Quiet::new(options.skip && Timers::allow_skipping(plan)),
            timers: Timers::of(plan),
            log: DecisionHash::new(),
            tally: Tally::new(rows, options.rows.is_none() || options.keep_jobs),
            queue_names,
            intervals: Vec::new(),
            refused: Refused::default(),
            added_ams: 0,
            granted: 0,
            ended: 0,
            preempted: 0,
            calls: 0,
            moved_at: 0,
            latest_end: 0,
            busy,
            cluster,
            scratch: Scratch::default(),
        };
        run.begin_timers();
        run.next_change();
        run.begin_bookings();
        Ok(run)
    }
}
