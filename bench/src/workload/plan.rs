//! What a run of `evenweave bench` is to do: the options, checked against each other, and how long each part lasts.

use super::shape::Shape;
use crate::bundled::{ASYNC_PROPERTY, CONTINUOUS_PROPERTY, NO_EXPIRY};
use crate::cli::{Background, BenchArgs, CoreChoice, Mode, Size, WorkloadName};
use crate::clock::nanos;
use crate::failure::Failure;

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

    /// With what the command line has in place of the standard.
    fn changed(self, args: &BenchArgs) -> Times {
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
    pub(super) shape: Shape,
    pub(super) mode: Mode,
    pub(super) workers: usize,
    pub(super) drivers: u32,
    /// Each worker's thread plays a part of the cluster, and there are no drivers.
    pub(super) self_driven: bool,
    pub(super) core: CoreChoice,
    /// What offers nodes beside their heartbeats.
    pub(super) background: Background,
    pub(super) open_loop: bool,
    pub(super) brief: bool,
    /// R of the core, if not as by default.
    pub(super) fold_every: Option<u32>,
    pub(super) times: Times,
}

impl Plan {
    /// Of the command line.
    ///
    /// # Errors
    /// Options that do not go together.
    pub(super) fn of(args: &BenchArgs) -> Result<Plan, Failure> {
        use WorkloadName::{W1, W2, W3, W4};
        let wrong = |message: &str| Err(Failure::input(message));
        let Some(workload) = args.workload else { return wrong("which workload: W1, W2, W3 or W4?") };
        let size = args.size.unwrap_or(Size::M);
        let mode = args.mode.unwrap_or(Mode::Dyn);
        let aside = args.background != Background::Off;
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
        Ok(Plan {
            workload,
            shape: Shape::of(size),
            mode,
            workers: args.workers,
            drivers: args.drivers,
            self_driven: args.self_driven,
            core: args.core,
            background: args.background,
            open_loop: args.open_loop,
            brief: args.brief,
            fold_every: args.fold_every,
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cli::{BenchFormat, Cli, Command};
    use clap::Parser;

    /// The plan of a command line; panics where it is refused.
    pub(crate) fn plan(options: &[&str]) -> Plan {
        Plan::of(&args(options)).unwrap()
    }

    fn args(options: &[&str]) -> BenchArgs {
        let cli = Cli::parse_from(["evenweave", "bench"].iter().chain(options));
        let Some(Command::Bench(args)) = cli.command else { panic!("a bench") };
        *args
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        for (options, says) in [
            ("W3 --size L10", "sizes S, M, L and L50"),
            ("W3 --mode max", "mode dyn"),
            ("W3 --async on", "--async"),
            ("W3 --open-loop", "--open-loop"),
            ("W3 --seconds 5s", "--seconds"),
            ("W2 --size L50", "size L50"),
            ("W1 --drivers 2", "one driver"),
            ("W3 --drivers 2", "one driver"),
            ("W1 --async continuous --open-loop", "no rate"),
            ("W2 --core locked --workers 2", "locked twin"),
            ("W2 --core locked --async on", "locked twin"),
        ] {
            let options: Vec<&str> = options.split(' ').collect();
            match Plan::of(&args(&options)) {
                Err(Failure::Input(message)) => assert!(message.contains(says), "{options:?}: {message}"),
                other => panic!("{options:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn defaults_are_those_of_the_page() {
        let args = args(&["w4"]);
        assert_eq!(args.format, BenchFormat::Json);
        let plan = Plan::of(&args).unwrap();
        assert_eq!((plan.shape.nodes, plan.shape.queues, plan.shape.apps), (1_000, 100, 1_000));
        assert_eq!((plan.mode, plan.completions(), plan.times.repeats), (Mode::Dyn, 4, 3));
        assert!(plan.properties().contains(&("yarn.scheduler.fair.locality.threshold.rack", "0.5")));
    }

    #[test]
    fn times_of_the_command_line_take_the_place_of_the_standard() {
        let times = plan(&["W2", "--seconds", "5s", "--warm-up", "500ms", "--repeats", "1"]).times;
        assert_eq!((times.churn, times.warm_churn, times.repeats), (5 * SECOND, SECOND / 2, 1));
        assert_eq!(times.warm_allocations, Times::STANDARD.warm_allocations);
    }
}
