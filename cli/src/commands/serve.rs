//! `evenweave serve`: a scheduler over a simulated cluster, asked over HTTP.

mod doors;

mod listen;

mod options_file;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use evenweave_bench::load::{self, InFlight, Inputs, LoadOptions, Simulation, StartLabels};
use evenweave_server::{Door, ResourceManager};
use evenweave_tools::Failure;
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::output::line;
use evenweave_tools::say;

use self::doors::DoorArgs;
use self::listen::{listen, place};
pub(super) use self::options_file::{OptionsFile, as_file};
use crate::arguments::{SCHEDULERS, SiteArgs, one_of, workers};
use crate::node_labels::{LabelledNodes, NewLabels};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The scheduler that decides.
    #[arg(long, default_value = "fair", value_parser = one_of(SCHEDULERS))]
    scheduler: SchedulerChoice,
    /// Allocation file (fair-scheduler.xml), or with --scheduler capacity a capacity-scheduler.xml [default: bundled].
    #[arg(long, value_name = "FILE")]
    queues: Option<PathBuf>,
    /// A file of options, whose name ends in .toml; options on the command line win. A file with another name counts as
    /// that of --queues.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Print all options as a file that --config reads, and end.
    #[arg(long)]
    print_config: bool,
    #[command(flatten)]
    site: SiteArgs,
    /// Number of simulated nodes, each of 128 GiB and 64 vcores.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    nodes: u32,
    /// Node labels that there are from the start, with --scheduler capacity, such as "gpu(exclusive=false),fast"; exclusive
    /// where it is not said. Switches node labels on. May be given more than once.
    #[arg(long, value_name = "LABELS", value_parser = NewLabels::parse)]
    node_labels: Vec<NewLabels>,
    /// Nodes that have a label from the start, such as "n0..n9=gpu n12=fast". May be given more than once.
    #[arg(long, value_name = "NODES=LABEL", value_parser = LabelledNodes::parse, requires = "node_labels")]
    labelled_nodes: Vec<LabelledNodes>,
    /// Worker threads of the scheduler; each has its part of the nodes.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// Mean duration of a task in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    task_seconds: u32,
    /// Address or name, and port, to listen on. On an address other than loopback only reads are served, unless users
    /// must authenticate.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8088", value_parser = place)]
    listen: String,
    #[command(flatten)]
    doors: DoorArgs,
    /// End after this many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    time: Option<u32>,
}

impl ServeArgs {
    /// Whether to print the options, and nothing else.
    pub(super) fn prints_options(&self) -> bool {
        self.print_config
    }

    fn labels(&self) -> Option<StartLabels> {
        let nodes = self.labelled_nodes.iter().flat_map(|LabelledNodes(nodes)| nodes);
        let nodes = nodes.map(|(nodes, label)| (*nodes.start(), *nodes.end(), label.clone())).collect();
        let labels = self.node_labels.iter().flat_map(|NewLabels(labels)| labels.iter().cloned()).collect();
        (!self.node_labels.is_empty()).then_some(StartLabels { labels, nodes })
    }

    /// # Errors
    /// More than one file of queues.
    fn queue_file(&self) -> Result<Option<PathBuf>, Failure> {
        let given = self.config.iter().filter(|file| !options_file::is_one(file));
        let mut given = given.chain(&self.queues);
        match (given.next(), given.next()) {
            (first, None) => Ok(first.cloned()),
            (_, Some(_)) => Err(Failure::input(
                "--queues, --config: there is one file of queues; the name of a file of options ends in .toml",
            )),
        }
    }
}

/// Serves until Ctrl-C, SIGTERM, or the time is over.
///
/// # Errors
/// Wrong input, an address that cannot be had, a cluster that stops by itself.
pub(crate) fn run(args: ServeArgs) -> Result<(), Failure> {
    let time = args.time.map(|seconds| Duration::from_secs(seconds.into()));
    let labels = args.labels();
    let options = LoadOptions {
        nodes: Some(args.nodes),
        racks: None,
        scheduler: args.scheduler,
        workers: args.workers,
        queues: args.queue_file()?,
        site: args.site.options(),
        groups: None,
        queue: Vec::new(),
        trace: None,
        speed: None,
        task_time: Duration::from_secs(20),
        duration: None,
        task_seconds: Some(args.task_seconds.into()),
        heartbeat_ms: 1_000,
        jobs_in_flight: InFlight::Auto,
        seed: 42,
        asynchronous: None,
        reload: None,
        core: None,
        reservations: None,
        late: None,
        labels,
    };
    let labelled = options.labels.as_ref().map(|labels| labels.told(args.nodes)).transpose()?.unwrap_or_default();
    let cluster = format!("{} nodes{}{labelled}", args.nodes, load::NODE_WORDS);
    let access = args.doors.access()?;
    let reads_only = access.authenticators.is_empty();
    let tls = args.doors.tls()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let inputs = Inputs::read_served(&options)?;
    for warning in &inputs.warnings {
        evenweave_tools::note!("evenweave: warning: {}", line(warning));
    }
    let unheard = |error| Failure::input(format!("--listen {}: {error}", args.listen));
    let listener = listen(&args.listen)?;
    let at = listener.local_addr().map_err(unheard)?;
    let logging = args.doors.logging()?;
    let shown = |manager: ResourceManager| {
        let manager = args.doors.told(manager, access, logging);
        if scheme == "https" { manager.over_https() } else { manager }
    };
    let simulation = Simulation::start(&options, &inputs, &at.to_string(), shown)?;
    say!("evenweave: {cluster}; look at {scheme}://{at}/ (REST: {scheme}://{at}/ws/v1/cluster); Ctrl-C ends it");
    if !at.ip().is_loopback() && reads_only {
        say!("evenweave: {at} is not loopback, and nobody says who he is: reads only");
    }
    let outcome = simulation.serve(Door { listener, tls }, args.doors.limits(), time);
    simulation.stop()?;
    outcome.map_err(unheard)
}
