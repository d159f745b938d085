//! What a run of `evenweave bench` is to do: the options, checked against each other, and how long each part lasts.

use evenweave_tools::Failure;
use evenweave_tools::bundled::{ASYNC_PROPERTY, CONTINUOUS_PROPERTY, NO_EXPIRY};
use evenweave_tools::clock::nanos;
use evenweave_tools::options::SchedulerChoice;

use super::shape::Shape;
use crate::options::{Background, BenchOptions, CoreChoice, Mode, Size, WorkloadName};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// How long the parts of a run last; times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// W1: fills before the first that counts, and how long each may take.
    pub(super) warm_fills: usize,
    pub(super) warm_fill: u64,
    /// W1: a fill that takes longer ends unfinished.
    pub(super) fill: u64,
    /// The fill before anything else of the other workloads; they need a full cluster.
    pub(super) fill_before: u64,
    /// W2, W4: the warm-up ends after this, or after so many allocations.
    pub(super) warm_churn: u64,
    pub(super) warm_allocations: u64,
    /// W2, W4: a repeat.
    pub(super) churn: u64,
    /// W3: the warm-up has so many rounds and takes so long at least.
    pub(super) warm_rounds: u32,
    pub(super) warm_update: u64,
    /// W3: rounds of a repeat.
    pub(super) rounds: u32,
    pub(super) repeats: usize,
}

impl Times {
    /// Those of the published workloads.
    const STANDARD: Times = Times {
        warm_fills: 3,
        warm_fill: 6 * SECOND,
        fill: 7 * SECOND,
        fill_before: 120 * SECOND,
        warm_churn: 12 * SECOND,
        warm_allocations: 300_000,
        churn: 4 * SECOND,
        warm_rounds: 20,
        warm_update: 3 * SECOND,
        rounds: 30,
        repeats: 3,
    };
    /// Just enough to see that everything runs.
    pub(super) const BRIEF: Times = Times {
        warm_fills: 0,
        warm_churn: SECOND / 20,
        warm_allocations: 1_000,
        churn: SECOND / 10,
        warm_rounds: 2,
        warm_update: 0,
        rounds: 3,
        repeats: 1,
        ..Times::STANDARD
    };

    /// With what was asked for in place of the standard.
    fn changed(self, args: &BenchOptions) -> Times {
        let repeats = args.repeats.map_or(self.repeats, usize::from);
        let [seconds, warm_up] = [args.seconds, args.warm_up].map(|span| span.map(nanos));
        Times {
            repeats,
            fill: seconds.unwrap_or(self.fill),
            churn: seconds.unwrap_or(self.churn),
            warm_fill: warm_up.unwrap_or(self.warm_fill),
            warm_churn: warm_up.unwrap_or(self.warm_churn),
            warm_update: warm_up.unwrap_or(self.warm_update),
            ..self
        }
    }
}

/// A run, whose options go together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) workload: WorkloadName,
    pub(super) scheduler: SchedulerChoice,
    pub(super) shape: Shape,
    pub(super) mode: Mode,
    pub(super) workers: usize,
    pub(super) drivers: u32,
    /// Each worker's thread plays a part of the cluster, and there are no drivers.
    pub(super) self_driven: bool,
    pub(super) core: CoreChoice,
    /// What offers nodes beside their heartbeats.
    pub(super) background: Background,
    /// Nodes have labels, but for a part of them, if more than 1: so many partitions.
    pub(super) partitions: u32,
    pub(super) open_loop: bool,
    /// Each repeat is followed by one that others look at.
    pub(super) asked: bool,
    pub(super) brief: bool,
    /// R of the core, if not as by default.
    pub(super) fold_every: Option<u32>,
    /// Containers that somebody may be ahead, if not as by default.
    pub(super) slack: Option<u32>,
    pub(super) times: Times,
}

impl Plan {
    /// Of what was asked for.
    ///
    /// # Errors
    /// Options that do not go together.
    pub(super) fn of(args: &BenchOptions) -> Result<Plan, Failure> {
        use WorkloadName::{W1, W2, W3, W4};
        let wrong = |message: &str| Err(Failure::input(message));
        let workload = args.workload;
        let size = args.size.unwrap_or(Size::M);
        let of_capacity = args.scheduler == SchedulerChoice::Capacity;
        let mode = args.mode.unwrap_or(if of_capacity { Mode::Max } else { Mode::Dyn });
        let aside = args.background != Background::Off;
        if of_capacity && let Some(unfit) = unfit_for_capacity(args, mode) {
            return Err(Failure::input(format!("with --scheduler capacity {unfit}")));
        }
        match workload {
            W3 => {
                if matches!(size, Size::M5 | Size::L10) {
                    return wrong("W3 has the sizes S, M, L and L50, all of 1000 nodes");
                }
                if mode != Mode::Dyn {
                    return wrong("W3 is filled in mode dyn and assigns nothing afterwards: leave --mode out");
                }
                if aside {
                    return wrong("W3 assigns nothing while it measures: leave --async out");
                }
                if args.seconds.is_some() {
                    return wrong("a repeat of W3 is 30 updates, however long they take: leave --seconds out");
                }
                if args.open_loop {
                    return wrong("W3 has no heartbeats that could be sent at fixed times: leave --open-loop out");
                }
            }
            W1 | W2 | W4 => {
                if size == Size::L50 {
                    return wrong("size L50 is one of W3; W1, W2 and W4 have S, M, L, M5 and L10");
                }
            }
        }
        if args.drivers == 2 && matches!(workload, W1 | W3) {
            return wrong("a second driver makes the allocate calls of W2 and W4; W1 and W3 have one driver");
        }
        if workload == W1 && aside && args.open_loop {
            return wrong("with --async each node of W1 reports once: there is no rate for --open-loop");
        }
        if args.core == CoreChoice::Locked && (aside || args.workers > 1) {
            return wrong(
                "the locked twin has neither workers nor threads that offer nodes: leave --workers and --async out",
            );
        }
        let can_be_asked = matches!(workload, W2 | W4) && !of_capacity && args.core == CoreChoice::Threaded;
        if args.asked && (!can_be_asked || args.self_driven) {
            return wrong("--asked is of W2 and W4 on the threaded FairScheduler, with a driver");
        }
        if args.partitions > 1 {
            if workload != W2 || !of_capacity {
                return wrong("--partitions is of W2 with --scheduler capacity: a FairScheduler has no node labels");
            }
            if args.self_driven || args.open_loop || aside {
                return wrong(
                    "--partitions runs two clusters in turn: leave --self-driven, --open-loop and --async out",
                );
            }
        }
        if args.self_driven {
            let no_drivers = "with --self-driven the workers' threads play the nodes and the applications:";
            let unfit = match workload {
                W3 => Some("W3, which only updates, has nothing to play"),
                W1 | W2 | W4 if args.drivers == 2 => Some("leave --drivers out"),
                W1 | W2 | W4 if args.core == CoreChoice::Locked => Some("the locked twin has no workers"),
                W1 | W2 | W4 if args.open_loop => {
                    Some("there is nobody who could wait for fixed times: leave --open-loop out")
                }
                W1 | W2 | W4 if aside => Some("leave --async out"),
                W1 | W2 | W4 => None,
            };
            if let Some(unfit) = unfit {
                return Err(Failure::input(format!("{no_drivers} {unfit}")));
            }
        }
        Ok(Plan {
            workload,
            scheduler: args.scheduler,
            shape: Shape::of(size),
            mode,
            workers: args.workers,
            drivers: args.drivers,
            self_driven: args.self_driven,
            core: args.core,
            background: args.background,
            partitions: args.partitions,
            open_loop: args.open_loop,
            asked: args.asked,
            brief: args.brief,
            fold_every: args.fold_every,
            slack: args.slack,
            times: if args.brief { Times::BRIEF } else { Times::STANDARD.changed(args) },
        })
    }

    /// Whether nodes are offered by something else than their heartbeats, too.
    pub(super) fn aside(&self) -> bool {
        self.background != Background::Off
    }

    /// Containers that complete with one heartbeat.
    pub(super) fn completions(&self) -> usize {
        if self.mode == Mode::One { 1 } else { 4 }
    }

    /// What `capacity-scheduler.xml` says: as for Hadoop's side of a comparison.
    pub(super) fn capacities(&self) -> Vec<(String, String)> {
        const PREFIX: &str = "yarn.scheduler.capacity.";
        const PER_HEARTBEAT: &str = "per-node-heartbeat.";
        let Shape { nodes, .. } = self.shape;
        let mut own = vec![
            (
                "resource-calculator".to_owned(),
                "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator".to_owned(),
            ),
            ("maximum-am-resource-percent".to_owned(), "1.0".to_owned()),
            ("maximum-applications".to_owned(), "5000000".to_owned()),
            ("node-locality-delay".to_owned(), (nodes / 2).to_string()),
            ("rack-locality-additional-delay".to_owned(), (nodes / 2).to_string()),
            (format!("{PER_HEARTBEAT}multiple-assignments-enabled"), (self.mode == Mode::Max).to_string()),
        ];
        if self.mode == Mode::Max {
            own.push((format!("{PER_HEARTBEAT}maximum-container-assignments"), "1000".to_owned()));
            own.push((format!("{PER_HEARTBEAT}maximum-offswitch-assignments"), "1000".to_owned()));
        }
        if self.background == Background::On {
            own.push(("schedule-asynchronously.enable".to_owned(), "true".to_owned()));
            own.push(("schedule-asynchronously.scheduling-interval-ms".to_owned(), "0".to_owned()));
        }
        own.extend(self.shape.capacities(self.partitions));
        own.into_iter().map(|(name, value)| (format!("{PREFIX}{name}"), value)).collect()
    }

    /// The site's properties.
    pub(super) fn properties(&self) -> Vec<(&'static str, &'static str)> {
        const MULTIPLE: &str = "yarn.scheduler.fair.assignmultiple";
        const DYNAMIC: &str = "yarn.scheduler.fair.dynamic.max.assign";
        let mut properties = match self.mode {
            Mode::One => vec![(MULTIPLE, "false")],
            Mode::Dyn => vec![(MULTIPLE, "true"), (DYNAMIC, "true")],
            Mode::Max => vec![(MULTIPLE, "true"), (DYNAMIC, "false"), ("yarn.scheduler.fair.max.assign", "1000")],
        };
        properties.extend([
            ("yarn.scheduler.maximum-allocation-mb", "131072"),
            ("yarn.scheduler.maximum-allocation-vcores", "64"),
            ("yarn.scheduler.fair.preemption", "false"),
            // 0: no update thread; W3 updates by hand.
            ("yarn.scheduler.fair.update-interval-ms", if self.workload == WorkloadName::W3 { "0" } else { "500" }),
            NO_EXPIRY,
        ]);
        if self.partitions > 1 {
            properties.push(("yarn.node-labels.enabled", "true"));
        }
        if self.workload == WorkloadName::W4 {
            properties.extend([
                ("yarn.scheduler.fair.locality.threshold.node", "0.5"),
                ("yarn.scheduler.fair.locality.threshold.rack", "0.5"),
            ]);
        }
        match self.background {
            Background::Off => {}
            Background::On => properties.extend([
                (ASYNC_PROPERTY, "true"),
                // The core's shortest, a millisecond.
                ("yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms", "0"),
            ]),
            Background::Continuous => properties
                .extend([(CONTINUOUS_PROPERTY, "true"), ("yarn.scheduler.fair.continuous-scheduling-sleep-ms", "5")]),
        }
        properties
    }
}

/// What the CapacityScheduler has not, or not yet.
fn unfit_for_capacity(args: &BenchOptions, mode: Mode) -> Option<&'static str> {
    match args {
        BenchOptions { workload: WorkloadName::W3, .. } => Some("there are no shares that W3 could update"),
        BenchOptions { core: CoreChoice::Locked, .. } => Some("there is no locked twin: leave --core out"),
        BenchOptions { background: Background::Continuous, .. } => {
            Some("there is no continuous scheduling: --async on is its asynchronous mode")
        }
        _ if mode == Mode::Dyn => Some("a heartbeat assigns one container or as many as fit: --mode one or max"),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::options::Format;
    use std::time::Duration;

    /// The plan of such options; panics where it is refused.
    pub(crate) fn plan(options: &[&str]) -> Plan {
        Plan::of(&args(options)).unwrap()
    }

    /// Options as they are written on a command line, as far as tests need them.
    fn args(options: &[&str]) -> BenchOptions {
        let workload = match options[0] {
            "W1" => WorkloadName::W1,
            "W2" => WorkloadName::W2,
            "W3" => WorkloadName::W3,
            "W4" => WorkloadName::W4,
            other => panic!("no workload: {other}"),
        };
        let mut args = BenchOptions {
            workload,
            scheduler: SchedulerChoice::Fair,
            size: None,
            mode: None,
            workers: 1,
            fold_every: None,
            slack: None,
            drivers: 1,
            self_driven: false,
            background: Background::Off,
            partitions: 1,
            open_loop: false,
            asked: false,
            core: CoreChoice::Threaded,
            format: Format::Json,
            brief: false,
            repeats: None,
            seconds: None,
            warm_up: None,
        };
        let mut words = options[1..].iter().copied();
        while let Some(option) = words.next() {
            match option {
                "--open-loop" => args.open_loop = true,
                "--self-driven" => args.self_driven = true,
                _ => {}
            }
            if matches!(option, "--open-loop" | "--self-driven") {
                continue;
            }
            match (option, words.next().expect("an option has a value")) {
                ("--size", "L10") => args.size = Some(Size::L10),
                ("--size", "L50") => args.size = Some(Size::L50),
                ("--scheduler", "capacity") => args.scheduler = SchedulerChoice::Capacity,
                ("--mode", "one") => args.mode = Some(Mode::One),
                ("--mode", "dyn") => args.mode = Some(Mode::Dyn),
                ("--mode", "max") => args.mode = Some(Mode::Max),
                ("--async", "on") => args.background = Background::On,
                ("--async", "continuous") => args.background = Background::Continuous,
                ("--core", "locked") => args.core = CoreChoice::Locked,
                ("--workers", count) => args.workers = count.parse().unwrap(),
                ("--partitions", count) => args.partitions = count.parse().unwrap(),
                ("--drivers", count) => args.drivers = count.parse().unwrap(),
                other => panic!("not an option of a test: {other:?}"),
            }
        }
        args
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        for (options, says) in [
            ("W3 --size L10", "sizes S, M, L and L50"),
            ("W3 --mode max", "mode dyn"),
            ("W3 --scheduler capacity", "no shares"),
            ("W2 --scheduler capacity --mode dyn", "--mode one or max"),
            ("W2 --scheduler capacity --core locked", "no locked twin"),
            ("W2 --scheduler capacity --async continuous", "no continuous scheduling"),
            ("W3 --async on", "--async"),
            ("W3 --open-loop", "--open-loop"),
            ("W2 --size L50", "size L50"),
            ("W1 --drivers 2", "one driver"),
            ("W3 --drivers 2", "one driver"),
            ("W1 --async continuous --open-loop", "no rate"),
            ("W2 --core locked --workers 2", "locked twin"),
            ("W2 --core locked --async on", "locked twin"),
            ("W3 --self-driven", "only updates"),
            ("W2 --self-driven --drivers 2", "leave --drivers out"),
            ("W2 --self-driven --core locked", "locked twin"),
            ("W4 --self-driven --open-loop", "--open-loop"),
            ("W1 --self-driven --async on", "--async"),
            ("W2 --partitions 2", "--scheduler capacity"),
            ("W1 --scheduler capacity --partitions 2", "of W2"),
            ("W2 --scheduler capacity --partitions 2 --self-driven", "two clusters in turn"),
        ] {
            let options: Vec<&str> = options.split(' ').collect();
            match Plan::of(&args(&options)) {
                Err(Failure::Input(message)) => assert!(message.contains(says), "{options:?}: {message}"),
                other => panic!("{options:?}: {other:?}"),
            }
        }
        let timed = BenchOptions { seconds: Some(Duration::from_secs(5)), ..args(&["W3"]) };
        assert!(matches!(Plan::of(&timed), Err(Failure::Input(message)) if message.contains("--seconds")));
    }

    #[test]
    fn defaults_are_those_of_the_page() {
        let plan = plan(&["W4"]);
        assert_eq!((plan.shape.nodes, plan.shape.queues, plan.shape.apps), (1_000, 100, 1_000));
        assert_eq!((plan.mode, plan.completions(), plan.times.repeats), (Mode::Dyn, 4, 3));
        assert!(plan.properties().contains(&("yarn.scheduler.fair.locality.threshold.rack", "0.5")));
    }

    #[test]
    fn times_that_are_asked_for_take_the_place_of_the_standard() {
        let [seconds, warm_up] = [5_000, 500].map(|ms| Some(Duration::from_millis(ms)));
        let asked = BenchOptions { seconds, warm_up, repeats: Some(1), ..args(&["W2"]) };
        let times = Plan::of(&asked).unwrap().times;
        assert_eq!((times.churn, times.warm_churn, times.repeats), (5 * SECOND, SECOND / 2, 1));
        assert_eq!(times.warm_allocations, Times::STANDARD.warm_allocations);
    }
}
