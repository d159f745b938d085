//! What is read before a run begins: files of queues, the cluster, the sizes of SLS's settings.

mod changes;
mod labels;
mod sizes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use evenweave_tools::Failure;
use evenweave_tools::bundled;
use evenweave_tools::file_kind::whose_queues;
use evenweave_tools::files::{open, read_queues};
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::reserving::{bookings_in, switch_reservations_on};
use evenweave_tools::traces::{Booking, Item, Node, Nodes, Trace, TraceOptions, generated_nodes, read_node_file};

use super::cluster::{NodeSpec, PlannedChange};
use super::grid::{Coordinate, MAX_POINTS, capacity_name, swept};
use super::options::SimulateOptions;
use super::queues::Queues;
use super::run_progress::{Moment, Watch, interrupted};
use crate::api::{
    AllocationFile, Calculator, CapacityConfiguration, Diagnostic, NewLabel, Resource, ResourceTypes, SchedulerKind,
    Settings, SiteFile, SiteProperties,
};
use sizes::{NodeSize, number, over};

/// The CapacityScheduler's queue mode.
const LEGACY_QUEUE_MODE: &str = "yarn.scheduler.capacity.legacy-queue-mode.enabled";

/// What is decided by.
#[derive(Debug)]
pub(super) enum Rules {
    Fair(Box<(Settings, AllocationFile)>),
    Capacity(Box<CapacityConfiguration>),
}

/// What is given to one run beside its trace.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) name: String,
    /// Where it stands in the grid.
    pub(super) at: Vec<Coordinate>,
    pub(super) rules: Rules,
    pub(super) types: ResourceTypes,
    pub(super) nodes: Vec<NodeSpec>,
    /// The nodes in words, and who says so.
    pub(super) cluster: String,
    /// AMs' and tasks' containers without a size of their own.
    pub(super) am: Resource,
    pub(super) task: Resource,
    pub(super) node_interval_ms: u64,
    pub(super) am_interval_ms: u64,
    /// A broken AM is given up after so long.
    pub(super) am_expiry_ms: u64,
    /// What happens to nodes.
    pub(super) changes: Vec<PlannedChange>,
    /// Reservations that are to be made.
    pub(super) bookings: Vec<Booking>,
    /// The node labels that there are; `None` where they are off.
    pub(super) labels: Option<Vec<NewLabel>>,
    /// What a scenario of the run begins with, if it is to be written.
    pub(super) scenario: Option<ScenarioHead>,
    pub(super) warnings: Vec<String>,
}

impl Plan {
    /// Nodes are filled by memory alone. The FairScheduler fits all types, whatever its policies compare.
    pub(super) fn by_memory_alone(&self) -> bool {
        match &self.rules {
            Rules::Fair(_) => false,
            Rules::Capacity(configuration) => configuration.file().settings().calculator == Calculator::Memory,
        }
    }
}

/// What a scenario begins with.
#[derive(Clone, Debug)]
pub(super) struct ScenarioHead {
    pub(super) properties: BTreeMap<String, String>,
    pub(super) queues: ScenarioQueues,
    /// So many steps at most.
    pub(super) steps: usize,
}

/// The file of queues in a scenario's form.
#[derive(Clone, Debug)]
pub(super) enum ScenarioQueues {
    /// An allocation file's text.
    Fair(String),
    /// The properties of a capacity-scheduler.xml.
    Capacity(BTreeMap<String, String>),
}

/// What the scenario of a run begins with: the scheduler's properties and its queues.
fn scenario_head(site: &SiteProperties, queues: ScenarioQueues, steps: usize) -> ScenarioHead {
    let names = site.names().into_iter().filter(|name| name.starts_with("yarn.") && !name.starts_with("yarn.sls."));
    let mut properties: BTreeMap<String, String> =
        names.filter_map(|name| Some((name.to_owned(), site.get(name).ok()??))).collect();
    if let ScenarioQueues::Capacity(own) = &queues
        && let Some(mode) = own.get(LEGACY_QUEUE_MODE)
    {
        // The run starts in this mode; of a scenario the site's properties alone say how it starts.
        properties.insert(LEGACY_QUEUE_MODE.to_owned(), mode.clone());
    }
    ScenarioHead { properties, queues, steps }
}

/// The properties of a capacity-scheduler.xml, as the site and the file have them together.
fn capacity_properties(site: &SiteProperties, file: &SiteFile) -> BTreeMap<String, String> {
    let mut all = site.clone();
    all.add(file);
    let names: BTreeSet<&str> = file.properties().iter().map(|property| property.name.as_str()).collect();
    names.into_iter().filter_map(|name| Some((name.to_owned(), all.get(name).ok()??))).collect()
}

/// The files of queues: those that were named, or the two bundled ones.
///
/// # Errors
/// A file that cannot be read.
fn queues(options: &SimulateOptions) -> Result<Vec<Queues>, Failure> {
    if options.configs.is_empty() {
        let bundled = |name: &str, text: &str| Queues { name: name.to_owned(), text: text.to_owned() };
        return Ok(bundled::SIMULATED_QUEUES.iter().map(|(name, text)| bundled(name, text)).collect());
    }
    let read = |path: &std::path::PathBuf| {
        let text = read_queues(path, "--config", options.scheduler)?;
        Ok(Queues { name: path.display().to_string(), text })
    };
    options.configs.iter().map(read).collect()
}

/// Whose file it is, by its outermost element.
fn scheduler_of(queues: &Queues, said: Option<SchedulerChoice>) -> Result<SchedulerChoice, Failure> {
    if let Some(said) = said {
        return Ok(said);
    }
    match whose_queues(&queues.text) {
        Some(SchedulerKind::Fair) => Ok(SchedulerChoice::Fair),
        Some(SchedulerKind::Capacity) => Ok(SchedulerChoice::Capacity),
        None => Err(Failure::input(format!(
            "--config {}: the outermost element is neither <allocations> (a FairScheduler's file) nor <configuration> (a \
             CapacityScheduler's); give one of these, or say which it is with --scheduler",
            queues.name
        ))),
    }
}

/// The runs that are asked for: each file of queues, with each value of what is swept, on each cluster.
///
/// # Errors
/// Files that are not valid, a sweep of what is not there, and too many points.
pub(super) fn plans(options: &SimulateOptions, clusters: &[Cluster]) -> Result<Vec<Plan>, Failure> {
    let files = queues(options)?;
    let bookings = options.reservations.as_deref().map(bookings_in).transpose()?.unwrap_or_default();
    let sizes = options.sweeps.iter().map(|sweep| sweep.len());
    let points = sizes.fold(files.len().saturating_mul(clusters.len()), usize::saturating_mul);
    if points > MAX_POINTS {
        return Err(Failure::input(format!(
            "the grid has {points} points; it may have {MAX_POINTS}, so give fewer values"
        )));
    }
    let mut plans = Vec::with_capacity(points);
    for file in &files {
        let kind = scheduler_of(file, options.scheduler)?;
        let variants = swept(file, kind, &options.sweeps).map_err(Failure::input)?;
        for Cluster { count, nodes } in clusters {
            for variant in &variants {
                let said = |failure: Failure| {
                    if variant.at.is_empty() {
                        return failure;
                    }
                    let at: Vec<String> =
                        variant.at.iter().map(|(path, value)| format!("--sweep {path}={value}")).collect();
                    failure.under(&at.join(", "))
                };
                let mut plan = plan(options, &variant.queues, nodes, &bookings).map_err(said)?;
                if options.cluster.nodes.len() > 1 {
                    plan.at.extend(count.map(|count| ("nodes".to_owned(), count.to_string())));
                }
                plan.at.extend(variant.at.iter().cloned());
                plans.push(plan);
            }
        }
    }
    Ok(plans)
}

/// What is swept must be a property that there is.
fn known_properties(options: &SimulateOptions, configuration: &CapacityConfiguration) -> Result<(), Failure> {
    for path in options.sweeps.iter().flat_map(|sweep| sweep.paths()) {
        let name = capacity_name(path);
        let unknown = |found: &&Diagnostic| found.code.starts_with("unknown-") && found.message.contains(&name);
        if let Some(found) = configuration.file().warnings().iter().find(unknown) {
            let help = found
                .help
                .as_deref()
                .unwrap_or("name a queue of the file and a setting of it, such as root.a.capacity");
            return Err(Failure::input(format!("{}; {help}", found.message)));
        }
    }
    Ok(())
}

/// Reads one file of queues, and what the site says with it.
///
/// # Errors
/// Properties or a file that are not valid.
fn plan(options: &SimulateOptions, queues: &Queues, nodes: &[Node], bookings: &[Booking]) -> Result<Plan, Failure> {
    let mut site = options.site.properties(&bundled::SIMULATED_PROPERTIES)?;
    if !bookings.is_empty() {
        switch_reservations_on(&mut site);
    }
    let scenario;
    let (rules, types, warnings) = match scheduler_of(queues, options.scheduler)? {
        SchedulerChoice::Fair => {
            let settings = Settings::from_site(&site)?;
            let parsed = AllocationFile::parse(&queues.text, &queues.name, &settings.types, &[])?;
            let warnings = settings.warnings().iter().chain(&parsed.warnings).map(ToString::to_string).collect();
            let types = settings.types.clone();
            scenario = options
                .decision_steps
                .map(|steps| scenario_head(&site, ScenarioQueues::Fair(queues.text.clone()), steps));
            (Rules::Fair(Box::new((settings, parsed.file))), types, warnings)
        }
        SchedulerChoice::Capacity => {
            let file = SiteFile::parse(&queues.text, &queues.name)?;
            let configuration = CapacityConfiguration::from_site(&site, &file)?;
            configuration.check_supported().map_err(|error| Failure::input(error.to_string()))?;
            scenario = options
                .decision_steps
                .map(|steps| scenario_head(&site, ScenarioQueues::Capacity(capacity_properties(&site, &file)), steps));
            known_properties(options, &configuration)?;
            let warnings = configuration.file().warnings().iter().map(ToString::to_string).collect();
            let types = configuration.file().settings().types.clone();
            (Rules::Capacity(Box::new(configuration)), types, warnings)
        }
    };
    let mut warnings: Vec<String> = warnings;
    let number = |name: &str, default: i64| number(&site, name, default);
    let size = |of: &str, [memory, vcores]: [i64; 2]| -> Result<Resource, Failure> {
        let mut amounts = vec![0; types.len()];
        for (index, amount) in amounts.iter_mut().enumerate() {
            let (name, default) = match types.name(index) {
                "memory-mb" => ("memory.mb", memory),
                "vcores" => ("vcores", vcores),
                other => (other, 0),
            };
            *amount = number(&format!("yarn.sls.{of}.{name}"), default)?;
        }
        Ok(Resource::from_slice(&amounts))
    };
    let node = NodeSize::of(options, &site, &types)?;
    let interval = |name: &str| -> Result<u64, Failure> {
        let ms = number(name, 1000)?;
        u64::try_from(ms).ok().filter(|ms| *ms > 0).ok_or_else(|| {
            Failure::input(format!("{name} is {ms}; it must be a number of milliseconds from 1 on, for example 1000"))
        })
    };
    let given = nodes;
    let labels = match &rules {
        Rules::Capacity(configuration) if configuration.file().settings().node_labels.enabled => {
            let labels = labels::of_nodes(given)?;
            let of_nodes: Vec<_> = labels.iter().map(|label| (label.name.clone(), label.exclusive)).collect();
            let found = configuration.file().check_labels(&SiteProperties::new(), &of_nodes);
            warnings.extend(found.iter().map(|found| format!("{}: {found}", queues.name)));
            Some(labels)
        }
        Rules::Capacity(_) | Rules::Fair(_) => {
            warnings.extend(labels::that_do_not_count(given));
            None
        }
    };
    let nodes: Vec<NodeSpec> = given
        .iter()
        .map(|spec| NodeSpec {
            name: spec.host.name.clone(),
            rack: spec.host.rack.clone(),
            total: over(&types, &spec.resource, &node.size),
            label: if labels.is_some() { labels::of_node(spec) } else { String::new() },
        })
        .collect();
    let size_over =
        |own: &BTreeMap<String, i64>, otherwise: Option<&Resource>| over(&types, own, otherwise.unwrap_or(&node.size));
    let changes = changes::planned(options, &nodes, &size_over)?;
    let cluster = node.told(&nodes, given, &types, &brought_by(options)) + &labels::told(&nodes);
    Ok(Plan {
        name: queues.name.clone(),
        at: Vec::new(),
        rules,
        nodes,
        labels,
        cluster,
        changes,
        bookings: bookings.to_vec(),
        scenario,
        am: size("am.container", [1024, 1])?,
        task: size("container", [1024, 1])?,
        node_interval_ms: interval("yarn.sls.nm.heartbeat.interval.ms")?,
        am_interval_ms: interval("yarn.sls.am.heartbeat.interval.ms")?,
        am_expiry_ms: u64::try_from(number("yarn.am.liveness-monitor.expiry-interval-ms", 600_000)?).unwrap_or(0),
        types,
        warnings,
    })
}

/// Where the nodes come from, if neither an option counts them nor they are bundled.
fn brought_by(options: &SimulateOptions) -> String {
    match (&options.cluster.node_file, options.traces.last()) {
        (Some(file), _) => format!(" of {}", file.display()),
        (None, Some(trace)) if options.cluster.nodes.is_empty() => format!(" of {}", trace.display()),
        (None, _) => String::new(),
    }
}

/// The nodes of a cluster, and how many were asked for.
#[derive(Debug)]
pub(super) struct Cluster {
    count: Option<u32>,
    nodes: Vec<Node>,
}

/// The simulated clusters: one, or one of each number of nodes that is asked for.
///
/// # Errors
/// As [`nodes`] has them.
pub(super) fn clusters(
    options: &SimulateOptions,
    traces: &TraceOptions,
    watch: &Watch<'_>,
) -> Result<Vec<Cluster>, Failure> {
    let counts = &options.cluster.nodes;
    if counts.is_empty() {
        return Ok(vec![Cluster { count: None, nodes: nodes(options, None, traces, watch)? }]);
    }
    let one = |count: &u32| Ok(Cluster { count: Some(*count), nodes: nodes(options, Some(*count), traces, watch)? });
    counts.iter().map(one).collect()
}

/// The nodes of a simulated cluster: counted, of a file, of the trace, or bundled.
///
/// # Errors
/// A file that cannot be read, and no node at all.
fn nodes(
    options: &SimulateOptions,
    count: Option<u32>,
    traces: &TraceOptions,
    watch: &Watch<'_>,
) -> Result<Vec<Node>, Failure> {
    let cluster = &options.cluster;
    if let Some(path) = &cluster.node_file {
        let name = path.display().to_string();
        let file = open(path, "--node-file")?;
        return Ok(read_node_file(file, &name)?);
    }
    let counted = |nodes: u32| {
        let racks = nodes.div_ceil(cluster.rack_size.unwrap_or(40).max(1));
        generated_nodes(nodes, racks).collect()
    };
    if let Some(count) = count {
        return Ok(counted(count));
    }
    if options.traces.is_empty() {
        return Ok(counted(bundled::SIMULATED_NODES));
    }
    // As in SLS those of the last trace count.
    let Some(last) = options.traces.last() else { return Ok(Vec::new()) };
    if is_read_once(last) {
        return Err(Failure::input(format!(
            "{}: a pipe can be read once, by the run; say how many nodes there are with --nodes, or give a --node-file",
            last.display()
        )));
    }
    let nodes = nodes_of(last, traces, watch)?;
    if nodes.is_empty() {
        return Err(Failure::input(format!(
            "{}: it brings no nodes; say how many there are with --nodes, or give a --node-file",
            last.display()
        )));
    }
    Ok(nodes)
}

/// A pipe, or what else is neither a file nor a directory.
fn is_read_once(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Each run reads the traces.
///
/// # Errors
/// More than one run, and a trace that only one can read.
pub(super) fn check_readable_by(runs: usize, options: &SimulateOptions) -> Result<(), Failure> {
    match options.traces.iter().find(|path| runs > 1 && is_read_once(path)) {
        Some(path) => Err(Failure::input(format!(
            "{}: a pipe can be read once, and there are {runs} runs; give one --config and one seed, or a file",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// The nodes that a trace brings: the whole of it is read, unless it is told to stop.
fn nodes_of(path: &Path, options: &TraceOptions, watch: &Watch<'_>) -> Result<Vec<Node>, Failure> {
    const ITEMS_A_LOOK: usize = 1 << 12;
    let mut nodes = Nodes::default();
    let trace = Trace::open(path, options)?;
    for (number, item) in (1_usize..).zip(trace) {
        if let Item::Node(node) = item? {
            nodes.add(node);
        }
        if number.is_multiple_of(ITEMS_A_LOOK) && !watch(Moment::default()) {
            return Err(interrupted());
        }
    }
    Ok(nodes.list().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_queues_is_told_by_its_outermost_element() {
        let of = |text: &str| {
            let queues = Queues { name: "q.xml".to_owned(), text: text.to_owned() };
            scheduler_of(&queues, None).map_err(|failure| format!("{failure:?}"))
        };
        assert_eq!(of("<?xml version=\"1.0\"?>\n<!-- <configuration> -->\n<allocations/>"), Ok(SchedulerChoice::Fair));
        assert_eq!(of("\u{feff} <configuration>"), Ok(SchedulerChoice::Capacity));
        assert!(of("<queues/>").unwrap_err().contains("--config q.xml: the outermost element is neither"));
        assert!(of("<!-- ").is_err());
    }
}
