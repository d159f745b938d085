//! What a load run reads before its first thread starts: queues, properties, the trace.

use std::path::PathBuf;
use std::sync::Arc;

use evenweave_server::scheduler::{Kind, QueuesSource, QueuesText, queues_in};
use evenweave_tools::Failure;
use evenweave_tools::bundled;
use evenweave_tools::figures::QueueFigures;
use evenweave_tools::files::read_queues;
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::reserving::{bookings_in, switch_reservations_on};
use evenweave_tools::site;
use evenweave_tools::traces::Booking;

use crate::api::{AllocationFile, CapacityConfiguration, Groups, Settings, SiteFile, SiteProperties};
use crate::load::late;
use crate::load::node_labels::LabelShares;
use crate::load::options::LoadOptions;
use crate::load::reading;
use crate::options::CoreChoice;
use crate::trace::TraceJob;

const LABELS: &str = "yarn.node-labels.enabled";
const LABEL_TYPE: &str = "yarn.node-labels.configuration-type";

/// What is decided by.
#[derive(Debug)]
pub(crate) enum Rules {
    Fair {
        settings: Settings,
        allocations: AllocationFile,
    },
    Capacity {
        /// The site's, by which files of queues are read.
        site: SiteProperties,
        configuration: CapacityConfiguration,
    },
}

/// Everything that is read before the first thread starts.
#[derive(Debug)]
pub struct Inputs {
    pub(super) trace: Vec<TraceJob>,
    pub(super) trace_name: String,
    pub(crate) rules: Rules,
    pub(super) queues_text: String,
    pub(super) queues_name: String,
    /// Where they come from, if not with the program.
    queues_file: Option<PathBuf>,
    pub(crate) groups: Option<Arc<dyn Groups>>,
    pub(super) bookings: Vec<Booking>,
    pub(super) labels: LabelShares,
    /// What the readers of site files and allocation file had to say, with places.
    pub warnings: Vec<String>,
}

impl Inputs {
    /// Reads and checks the files of a load run whose nodes have these labels.
    ///
    /// # Errors
    /// A missing or malformed file; labels where there can be none.
    pub fn read(options: &LoadOptions, labels: &LabelShares) -> Result<Inputs, Failure> {
        if !labels.is_empty() && options.scheduler == SchedulerChoice::Fair {
            return Err(Failure::input("--node-labels: a FairScheduler has no node labels; give --scheduler capacity"));
        }
        if let Some(label) = labels.without_nodes(options.nodes()) {
            return Err(Failure::input(format!(
                "--node-labels: none of {} nodes would have the label {label:?}; give it a larger share, or the cluster \
                 more nodes",
                options.nodes()
            )));
        }
        Inputs::read_for(options, if labels.is_empty() { Nodes::Unlabelled } else { Nodes::ByShare(labels) })
    }

    /// The same for a server, whose nodes get labels over REST.
    ///
    /// # Errors
    /// Those of [`read`](Inputs::read); labels that something else than administrators would give to nodes.
    pub fn read_served(options: &LoadOptions) -> Result<Inputs, Failure> {
        Inputs::read_for(options, Nodes::Labelled)
    }

    fn read_for(options: &LoadOptions, nodes: Nodes<'_>) -> Result<Inputs, Failure> {
        late::check(options)?;
        check(options)?;
        let groups = options.groups.as_deref().map(site::groups).transpose()?;
        let (what, bundled, bundled_name) = match options.scheduler {
            SchedulerChoice::Capacity => ("capacity-scheduler.xml", bundled::CAPACITIES, bundled::CAPACITIES_NAME),
            SchedulerChoice::Fair if options.late.is_some() => {
                ("allocation file", bundled::LATE_QUEUES, bundled::LATE_QUEUES_NAME)
            }
            SchedulerChoice::Fair => ("allocation file", bundled::QUEUES, bundled::QUEUES_NAME),
        };
        let (queues_text, queues_name) = match &options.queues {
            Some(path) => (read_queues(path, what, Some(options.scheduler))?, path.display().to_string()),
            None => match nodes {
                Nodes::ByShare(labels) => (labels.bundled_queues()?, bundled_name.to_owned()),
                Nodes::Unlabelled | Nodes::Labelled => (bundled.to_owned(), bundled_name.to_owned()),
            },
        };
        let bookings = bookings(options)?;
        let (rules, mut warnings) = match options.scheduler {
            SchedulerChoice::Fair => fair(options, &queues_text, &queues_name)?,
            SchedulerChoice::Capacity => capacity(options, &queues_text, &queues_name, nodes)?,
        };
        let task_time = options.speed.map(|_| options.task_time);
        let (trace, trace_name) = match (&options.trace, task_time) {
            (Some(path), _) => {
                let read = reading::read(path, task_time)?;
                warnings.extend(read.warnings);
                (read.jobs, path.display().to_string())
            }
            (None, Some(task_time)) => {
                let read = reading::read_timed(bundled::packed_trace(), bundled::TRACE_NAME, task_time)?;
                (read.jobs, bundled::TRACE_NAME.to_owned())
            }
            (None, None) => (crate::trace::bundled_trace(), bundled::TRACE_NAME.to_owned()),
        };
        let queues_file = options.queues.clone();
        let labels = match nodes {
            Nodes::ByShare(labels) => labels.clone(),
            Nodes::Unlabelled | Nodes::Labelled => LabelShares::default(),
        };
        let mut inputs = Inputs {
            trace,
            trace_name,
            rules,
            queues_text,
            queues_name,
            queues_file,
            groups,
            bookings,
            labels,
            warnings,
        };
        inputs.warnings.extend(inputs.labels_that_do_not_count(options));
        Ok(inputs)
    }
}

impl Inputs {
    /// Whether jobs are on the nodes of the labels that they name: at the times of their trace, if one of them names
    /// one.
    pub(super) fn jobs_name_labels(&self, options: &LoadOptions) -> bool {
        options.speed.is_some() && self.trace.iter().any(|job| job.label.is_some())
    }

    fn labels_that_do_not_count(&self, options: &LoadOptions) -> Option<String> {
        let named = self.trace.iter().filter(|job| job.label.is_some()).count();
        let counts = !self.labels.is_empty() && options.speed.is_some();
        (named > 0 && !counts).then(|| {
            format!(
                "{}: the labels of {named} jobs do not count: they do with --scheduler capacity, --node-labels and --speed",
                self.trace_name
            )
        })
    }

    /// The queues that jobs go to, of these.
    pub(crate) fn leaves(&self, queues: &[QueueFigures], wanted: &[String]) -> Result<Vec<String>, Failure> {
        let names: Vec<_> = queues.iter().map(|queue| (queue.name.clone(), queue.leaf)).collect();
        leaves(&names, wanted, &self.queues_name)
    }

    /// From where a server reads its queues again.
    pub(crate) fn queues_source(&self) -> QueuesSource {
        match &self.queues_file {
            Some(path) => {
                let kind = match self.rules {
                    Rules::Fair { .. } => Kind::Fair,
                    Rules::Capacity { .. } => Kind::Capacity,
                };
                queues_in(path.clone(), kind)
            }
            None => {
                let bundled = QueuesText { name: self.queues_name.clone(), text: self.queues_text.clone() };
                Arc::new(move || Ok(bundled.clone()))
            }
        }
    }

    pub(crate) fn queues_text(&self) -> &str {
        &self.queues_text
    }

    pub(crate) fn queues_name(&self) -> &str {
        &self.queues_name
    }
}

/// The reservations that are asked for.
fn bookings(options: &LoadOptions) -> Result<Vec<Booking>, Failure> {
    let Some(path) = &options.reservations else { return Ok(Vec::new()) };
    if options.core == Some(CoreChoice::Locked) {
        return Err(Failure::input("--reservations: the locked twin has no timers for plans; leave --core out"));
    }
    bookings_in(path)
}

/// A file of reservations switches them on, unless the site says otherwise.
fn reserving(options: &LoadOptions, site: &mut SiteProperties) {
    if options.reservations.is_some() {
        switch_reservations_on(site);
    }
}

/// The FairScheduler's, with what their readers had to say.
fn fair(options: &LoadOptions, text: &str, name: &str) -> Result<(Rules, Vec<String>), Failure> {
    let late: &[_] = if options.late.is_some() { &bundled::LATE_PROPERTIES } else { &[] };
    let mut site = options.site.properties(&[&bundled::PROPERTIES, late].concat())?;
    reserving(options, &mut site);
    if let Some(switch) = options.asynchronous {
        site.set(bundled::ASYNC_PROPERTY, switch.to_string());
    }
    site.set(bundled::NO_EXPIRY.0, bundled::NO_EXPIRY.1);
    let settings = Settings::from_site(&site).map_err(|error| Failure::input(error.to_string()))?;
    let parsed =
        AllocationFile::parse(text, name, &settings.types, &[]).map_err(|error| Failure::input(error.to_string()))?;
    let mut warnings: Vec<String> =
        settings.warnings().iter().chain(&parsed.warnings).map(ToString::to_string).collect();
    let labels = site.get(LABELS).map_err(|error| Failure::input(error.to_string()))?;
    if labels.is_some_and(|on| on.trim().eq_ignore_ascii_case("true")) {
        warnings.push(
            "yarn.node-labels.enabled is true: a FairScheduler has no node labels, and refuses asks that name one"
                .to_owned(),
        );
    }
    Ok((Rules::Fair { settings, allocations: parsed.file }, warnings))
}

/// Who gives nodes labels.
#[derive(Clone, Copy, Debug)]
enum Nodes<'a> {
    /// Nobody.
    Unlabelled,
    /// Administrators.
    Labelled,
    /// The load itself.
    ByShare(&'a LabelShares),
}

/// Switches labels on, unless the site says otherwise.
///
/// # Errors
/// The site switches them off.
fn switch_labels_on(site: &mut SiteProperties) -> Result<(), Failure> {
    let said = site.get(LABELS).map_err(|error| Failure::input(error.to_string()))?;
    match said.as_deref().map(str::trim) {
        None | Some("") => site.set(LABELS, "true"),
        Some(on) if on.eq_ignore_ascii_case("true") => {}
        Some(off) => {
            return Err(Failure::input(format!("--node-labels: {LABELS} is {off}; leave it out or set it to true")));
        }
    }
    Ok(())
}

/// Who says which node has which label (rules/node-labels.md 4.2), where labels are on.
///
/// # Errors
/// A class that is not there. Hadoop's ResourceManager does not start then.
fn check_label_type(site: &SiteProperties) -> Result<Option<String>, Failure> {
    let of = site.get(LABEL_TYPE).map_err(|error| Failure::input(error.to_string()))?;
    match of.as_deref().map(str::trim) {
        Some("delegated-centralized") => Err(Failure::input(format!(
            "{LABEL_TYPE} is delegated-centralized: RMNodeLabelsMappingProvider should be configured when \
             delegated-centralized node label configuration is enabled, and no such class runs here; set it to centralized"
        ))),
        Some("distributed") => Ok(Some(format!(
            "{LABEL_TYPE} is distributed: the nodes of this cluster report no labels, and administrators cannot give them any"
        ))),
        None | Some("centralized") => Ok(None),
        Some(other) => {
            Ok(Some(format!("{LABEL_TYPE} is {other}: administrators give nodes labels only where it is centralized")))
        }
    }
}

/// The CapacityScheduler's, the same.
fn capacity(options: &LoadOptions, text: &str, name: &str, nodes: Nodes<'_>) -> Result<(Rules, Vec<String>), Failure> {
    let mut site = options.site.properties(&bundled::PROPERTIES)?;
    reserving(options, &mut site);
    if options.labels.is_some() || matches!(nodes, Nodes::ByShare(_)) {
        switch_labels_on(&mut site)?;
    }
    site.set(bundled::NO_EXPIRY.0, bundled::NO_EXPIRY.1);
    let file = SiteFile::parse(text, name).map_err(|error| Failure::input(error.to_string()))?;
    if let Some(switch) = options.asynchronous {
        site.set(bundled::CAPACITY_ASYNC_PROPERTY, switch.to_string());
    }
    let configuration = CapacityConfiguration::from_site(&site, &file).map_err(|error| {
        let is_fair = text.contains("<allocations");
        let other =
            if is_fair { "; this looks like a FairScheduler's file: leave --scheduler capacity out" } else { "" };
        Failure::input(format!("{name}: {error}{other}"))
    })?;
    let supported = match nodes {
        Nodes::Unlabelled => configuration.check_supported_without_labels(),
        Nodes::Labelled | Nodes::ByShare(_) => configuration.check_supported(),
    };
    supported.map_err(|error| Failure::input(error.to_string()))?;
    let mut warnings: Vec<String> = configuration.file().warnings().iter().map(ToString::to_string).collect();
    match nodes {
        Nodes::Labelled if configuration.file().settings().node_labels.enabled => {
            warnings.extend(check_label_type(&site)?);
        }
        Nodes::ByShare(labels) => {
            let labels: Vec<(String, bool)> =
                labels.0.iter().map(|label| (label.name.clone(), label.exclusive)).collect();
            let found = configuration.file().check_labels(&SiteProperties::new(), &labels);
            warnings.extend(found.iter().map(|found| format!("{name}: {found}")));
        }
        Nodes::Labelled | Nodes::Unlabelled => {}
    }
    Ok((Rules::Capacity { site, configuration }, warnings))
}

/// What the CapacityScheduler has not, or the load has not for it.
fn check(options: &LoadOptions) -> Result<(), Failure> {
    if options.scheduler == SchedulerChoice::Fair {
        return match &options.labels {
            Some(_) => {
                Err(Failure::input("--node-labels: a FairScheduler has no node labels; give --scheduler capacity"))
            }
            None => Ok(()),
        };
    }
    let refused = [
        (options.core == Some(CoreChoice::Locked), "--core locked: the locked twin is the FairScheduler's"),
        (options.late.is_some(), "--preemption: this load is the FairScheduler's"),
        (options.reload.is_some(), "--reload: what is reloaded in turn are allocation files"),
    ];
    match refused.into_iter().find(|(is, _)| *is) {
        Some((_, why)) => Err(Failure::input(format!("{why}; leave it out with --scheduler capacity"))),
        None => Ok(()),
    }
}

/// The queues that jobs go to, by name. `queues` are all names, each with whether it is a leaf.
pub(super) fn leaves(queues: &[(String, bool)], wanted: &[String], file: &str) -> Result<Vec<String>, Failure> {
    let all: Vec<&String> = queues.iter().filter(|(_, leaf)| *leaf).map(|(name, _)| name).collect();
    let list = || all.iter().take(20).map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = wanted.iter().find(|name| !all.contains(name)) {
        let what = if queues.iter().any(|(name, _)| name == unknown) { "no leaf queue" } else { "no queue" };
        let message = format!("--queue {unknown}: {what} of that name in {file}; its leaf queues are {}", list());
        return Err(Failure::input(message));
    }
    if all.is_empty() {
        let message = format!("{file}: no leaf queue for the jobs; name at least one");
        return Err(Failure::input(message));
    }
    let mut leaves: Vec<String> = if wanted.is_empty() { all.into_iter().cloned().collect() } else { wanted.to_vec() };
    leaves.sort();
    leaves.dedup();
    Ok(leaves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_on_unless_the_site_says_otherwise() {
        for (said, is) in
            [(None, Some("true")), (Some(" "), Some("true")), (Some(" TRUE"), Some(" TRUE")), (Some("false"), None)]
        {
            let mut site = SiteProperties::new();
            if let Some(said) = said {
                site.set(LABELS, said);
            }
            let switched = switch_labels_on(&mut site);
            assert_eq!(switched.is_ok(), is.is_some(), "{said:?}");
            if is.is_some() {
                assert_eq!(site.get(LABELS).unwrap().as_deref(), is, "{said:?}");
            }
        }
    }
}
