//! What the program carries with it: a trace, an allocation file, site properties and recordings of real Hadoop.

use std::io::Read;

use flate2::read::GzDecoder;

/// The name under which the bundled trace is reported.
pub const TRACE_NAME: &str = "bundled FB-2009_samples_24_times_1hr_0.tsv";
/// The name under which the bundled allocation file is reported.
pub const QUEUES_NAME: &str = "bundled fair-scheduler.xml";
/// The bundled allocation file.
pub const QUEUES: &str = include_str!("../data/fair-scheduler.xml");

/// The name under which the bundled `capacity-scheduler.xml` is reported.
pub const CAPACITIES_NAME: &str = "bundled capacity-scheduler.xml";
/// That file.
pub const CAPACITIES: &str = include_str!("../data/capacity-scheduler.xml");

/// The files of queues that are simulated where none is named: today's, and what tomorrow's would be.
pub const SIMULATED_QUEUES: [(&str, &str); 2] = [
    ("bundled today.xml", include_str!("../data/today.xml")),
    ("bundled tomorrow.xml", include_str!("../data/tomorrow.xml")),
];
/// The cluster of the bundled day: so few nodes that its jobs have to wait.
pub const SIMULATED_NODES: u32 = 22;
/// Site properties of a simulation: a node's room is offered at once.
pub const SIMULATED_PROPERTIES: [(&str, &str); 6] = [
    ("yarn.scheduler.fair.assignmultiple", "true"),
    ("yarn.scheduler.fair.preemption", "true"),
    ("yarn.scheduler.maximum-allocation-mb", "131072"),
    ("yarn.scheduler.maximum-allocation-vcores", "64"),
    ("yarn.sls.nm.memory.mb", "8192"),
    ("yarn.sls.nm.vcores", "8"),
];

/// Site properties of the load: a node's whole room is offered at once, and only containers of 4 GiB and more reserve.
pub const PROPERTIES: [(&str, &str); 6] = [
    ("yarn.scheduler.fair.assignmultiple", "true"),
    ("yarn.scheduler.fair.dynamic.max.assign", "false"),
    ("yarn.scheduler.fair.max.assign", "-1"),
    ("yarn.scheduler.reservation-threshold.increment-multiple", "4"),
    ("yarn.scheduler.maximum-allocation-mb", "131072"),
    ("yarn.scheduler.maximum-allocation-vcores", "64"),
];

/// The name under which the bundled allocation file of a load with preemption is reported.
pub const LATE_QUEUES_NAME: &str = "bundled preemption.xml";
/// That file.
pub const LATE_QUEUES: &str = include_str!("../data/preemption.xml");

/// What a load with preemption adds to the site properties: preemption, and a fifth of Hadoop's waits, ms.
pub const LATE_PROPERTIES: [(&str, &str); 3] = [
    ("yarn.scheduler.fair.preemption", "true"),
    ("yarn.scheduler.fair.waitTimeBeforeKill", "3000"),
    ("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "2000"),
];

/// The longest expiry interval: the nodes of load and workloads tell of no launches.
pub const NO_EXPIRY: (&str, &str) = ("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "2147483647");

/// Switches continuous scheduling.
pub const CONTINUOUS_PROPERTY: &str = "yarn.scheduler.fair.continuous-scheduling-enabled";
/// Switches the asynchronous allocation thread.
pub const ASYNC_PROPERTY: &str = "yarn.scheduler.fair.schedule-asynchronously.enable";

/// Switches asynchronous scheduling of the CapacityScheduler.
pub const CAPACITY_ASYNC_PROPERTY: &str = "yarn.scheduler.capacity.schedule-asynchronously.enable";

const RECORDINGS: [&[u8]; 6] = [
    include_bytes!("../data/scenarios/shares.jsonl.gz"),
    include_bytes!("../data/scenarios/fifo.jsonl.gz"),
    include_bytes!("../data/scenarios/fair.jsonl.gz"),
    include_bytes!("../data/scenarios/drf.jsonl.gz"),
    include_bytes!("../data/scenarios/assign.jsonl.gz"),
    include_bytes!("../data/scenarios/normalize.jsonl.gz"),
];

fn unpack(packed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).expect("bundled data is whole");
    text
}

const TRACE: &[u8] = include_bytes!("../data/FB-2009_samples_24_times_1hr_0.tsv.gz");

/// The bytes of the bundled trace, packed.
pub fn packed_trace() -> &'static [u8] {
    TRACE
}

/// The text of the bundled trace.
#[must_use]
pub fn unpacked_trace() -> String {
    unpack(TRACE)
}

/// The bundled recordings, one text of scenarios a family.
pub fn recordings() -> impl Iterator<Item = String> {
    RECORDINGS.into_iter().map(unpack)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> String {
        std::fs::read_to_string(format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn each_page_has_the_properties_that_it_is_about() {
        let (program, simulator) = (page("program.md"), page("simulator.md"));
        for (of, properties) in [("`load`, `serve`", &PROPERTIES[..]), ("`load --preemption`", &LATE_PROPERTIES)] {
            for (name, value) in properties {
                let row = format!("| `{name}` | {value} | {of} |");
                assert!(program.contains(&row), "docs/program.md lacks {row}");
            }
        }
        let (expiry, never) = NO_EXPIRY;
        assert!(program.contains(&format!("`{expiry}` is {never}")));
        let rows = program.lines().filter(|line| line.starts_with("| `yarn.scheduler.")).count();
        assert_eq!(rows, PROPERTIES.len() + LATE_PROPERTIES.len());
        let value = |wanted: &str| SIMULATED_PROPERTIES.iter().find(|(name, _)| *name == wanted).unwrap().1;
        let switch = |name: &str| if value(name) == "true" { "on" } else { "off" };
        let size = |memory: &str, vcores: &str| format!("{} MiB, {} vcores", value(memory), value(vcores));
        let (most, node) = ("yarn.scheduler.maximum-allocation-", "yarn.sls.nm.");
        for row in [
            format!("| `yarn.scheduler.fair.preemption` | {} |", switch("yarn.scheduler.fair.preemption")),
            format!("| `yarn.scheduler.fair.assignmultiple` | {} |", switch("yarn.scheduler.fair.assignmultiple")),
            format!("| `{most}mb`, `-vcores` | {} |", size(&format!("{most}mb"), &format!("{most}vcores"))),
            format!(
                "| `{node}memory.mb`, `.vcores`: a node's size | {} |",
                size(&format!("{node}memory.mb"), &format!("{node}vcores"))
            ),
        ] {
            assert!(simulator.contains(&row), "docs/simulator.md lacks {row}");
        }
        assert_eq!(SIMULATED_PROPERTIES.len(), 6);
    }
}
