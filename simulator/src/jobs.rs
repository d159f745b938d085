//! From a trace's job to what an AM needs: groups of tasks with sizes and places, and whose the job is.

use std::collections::BTreeMap;
use std::sync::Arc;

use evenweave_tools::java_random::JavaRandom;
use evenweave_tools::random::{mix, unit};
use evenweave_tools::traces::{Host, Job};
use rustc_hash::FxHashMap;

use super::inputs::Plan;
use super::masters::{Dag, MapReduce, Program, Real, RealOptions, Stages, Stream, Work};
use super::options::{AmStyle, SimulateOptions};
use super::scheduler::Scheduler;
use super::tasks::{Group, Part, Place, alone_ms, tell_sizes_apart};
use crate::api::{Resource, ResourceTypes};

/// The start of an AM is recorded so long after its first step: delays and running times that lie on its grid take one
/// more heartbeat.
const RECORDED_LATE_MS: u64 = 1;

/// Whose a job of a trace without queues and users is.
pub(super) struct Whose {
    pub(super) queue: String,
    pub(super) user: String,
}

/// Deals jobs without queues.
pub(super) fn deal(queues: &[String], number: u64) -> Whose {
    const USERS: u64 = 40;
    let drawn = mix(number ^ 0x5157_494d);
    #[expect(clippy::cast_possible_truncation, reason = "less than the number of queues")]
    let queue = queues.get((drawn % queues.len().max(1) as u64) as usize);
    let user = format!("user{:02}", mix(drawn) % USERS);
    Whose { queue: queue.cloned().unwrap_or_else(|| "default".to_owned()), user }
}

/// What is made of a job.
pub(super) struct Made {
    pub(super) work: Work,
    pub(super) program: Program,
    pub(super) kind: &'static str,
    pub(super) am: Resource,
    pub(super) alone_ms: u64,
    /// Its AM asks for a host that is none.
    pub(super) breaks: Option<String>,
}

/// Where tasks without hosts go.
#[derive(Debug)]
pub(super) struct Placing<'p> {
    /// Of each node by number.
    pub(super) places: &'p [Place],
    /// Of a SYNTH trace: its seed. Each job draws the hosts of its tasks anew.
    pub(super) synth_seed: Option<i64>,
    /// The nodes as they stand in the hash map that SLS draws from: an order of no meaning, by seed.
    pub(super) shuffled: &'p [u32],
    pub(super) by_seed: bool,
}

fn amounts(types: &ResourceTypes, own: &BTreeMap<String, i64>, otherwise: &Resource) -> Resource {
    if own.is_empty() {
        return *otherwise;
    }
    Resource::from_fn(|index| {
        if index >= types.len() {
            return 0;
        }
        own.get(types.name(index)).copied().unwrap_or_else(|| otherwise.get(index))
    })
}

fn part(kind: &str) -> Part {
    match kind {
        "map" => Part::Map,
        "reduce" => Part::Reduce,
        _ => Part::Other,
    }
}

/// Makes the groups and the AM's program of a job that is submitted now.
pub(super) fn make(
    job: &Job,
    (number, now): (u32, u64),
    plan: &Plan,
    options: &SimulateOptions,
    core: &Scheduler,
    placing: &Placing<'_>,
    seed: u64,
) -> Made {
    let mut known: FxHashMap<&Host, Place> = FxHashMap::default();
    let mut place_of = |host| {
        *known.entry(host).or_insert_with(|| Place { node: core.location(&host.name), rack: core.location(&host.rack) })
    };
    let mut synth = placing.synth_seed.map(|seed| JavaRandom::new(seed.cast_unsigned()));
    let mut groups = Vec::with_capacity(job.tasks.len());
    let (mut longest, mut drawn) = ([0_u64; 2], 0_u32);
    for task in &job.tasks {
        let life_ms = u64::try_from(task.duration_ms).unwrap_or(1).max(1);
        let part = part(&task.kind);
        let at = &mut longest[usize::from(part == Part::Reduce)];
        *at = (*at).max(life_ms);
        let waits_for: Arc<[u32]> = task.waits_for.as_slice().into();
        let group = |count, place| Group {
            part,
            count,
            life_ms,
            place,
            size: amounts(&plan.types, &task.resource, &plan.task),
            request_id: task.allocation_id,
            delay_ms: u64::try_from(task.delay_ms).unwrap_or(0),
            stage: task.stage,
            waits_for: Arc::clone(&waits_for),
        };
        let nodes = u32::try_from(placing.places.len()).unwrap_or(u32::MAX);
        if let Some(host) = &task.host {
            groups.push(group(task.count, Some(place_of(host))));
        } else if let Some(random) = synth.as_mut().filter(|_| nodes > 0) {
            for _ in 0..task.count {
                let node = placing.shuffled[random.next_int(nodes) as usize];
                groups.push(group(1, Some(placing.places[node as usize])));
            }
        } else if placing.by_seed && part == Part::Map && nodes > 0 {
            for _ in 0..task.count {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than the nodes")]
                let node = (unit(seed ^ 0x484f_5354, number, drawn) * f64::from(nodes)) as usize;
                drawn += 1;
                groups.push(group(1, placing.places.get(node).copied()));
            }
        } else {
            groups.push(group(task.count, None));
        }
    }
    if options.ams == AmStyle::MapReduce {
        tell_sizes_apart(&mut groups);
    }
    let work = Work::new(groups);
    let since = now + RECORDED_LATE_MS;
    let lasts = u64::try_from(job.finish_ms.saturating_sub(job.arrival_ms)).unwrap_or(0);
    let (program, kind) = match (job.am_type.as_str(), options.ams) {
        ("stream", AmStyle::Sls) => (Program::Stream(Stream::new(&work, since + lasts)), "stream"),
        ("dag", AmStyle::Sls) => (Program::Dag(Dag::new(&work, since)), "dag"),
        ("stream", AmStyle::MapReduce) => {
            (Program::Stages(Box::new(Stages::service(&work, now, now + lasts))), "stream")
        }
        ("dag", AmStyle::MapReduce) => (Program::Stages(Box::new(Stages::new(&work, now))), "dag"),
        (_, AmStyle::Sls) => (Program::MapReduce(MapReduce::new(&work)), "mapreduce"),
        (_, AmStyle::MapReduce) => {
            let options = RealOptions {
                slow_start: options.slow_start,
                failures: options.failures,
                attempts: 4,
                seed: seed ^ 0x4641_494c,
                app: number,
            };
            (Program::Real(Box::new(Real::new(&work, options))), "mapreduce")
        }
    };
    let alone_ms = match kind {
        "stream" => lasts,
        "dag" => alone_ms(&work.groups),
        _ => longest.iter().sum(),
    };
    Made {
        work,
        program,
        kind,
        am: amounts(&plan.types, &job.am_resource, &plan.am),
        alone_ms,
        breaks: job.tasks.iter().find_map(|task| {
            task.bad_host.as_ref().map(|host| format!("a task is on {host:?}, which is not of the form /rack/host"))
        }),
    }
}
