//! `/apps/{id}` and the object of an application, with the small ones beneath: `state`, `queue`, `priority`,
//! `timeouts`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use evenweave::Resource;
use evenweave::parts::java::types_in_order;
use evenweave::view::RequestView;

use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use super::resource::Amounts;
use super::rights::Rights;
use super::waiting::Waiting;
use crate::manager::ResourceManager;
use crate::records::{AppRecord, AppState, AttemptRecord, Records};
use crate::scheduler::{AppFigures, Basics, OfCapacity};
use crate::value::{Object, Shared, Value};

/// What the scheduler has of applications, for one answer.
pub(crate) struct Seen<'m> {
    of: &'m ResourceManager,
    basics: &'m Basics,
    amounts: Amounts<'m>,
    /// The same in every application.
    timeouts: Arc<Shared>,
    execution: Arc<Shared>,
    cluster: Resource,
    figures: HashMap<u32, AppFigures>,
    /// Containers that live, by application.
    running: BTreeMap<u32, u64>,
    reserved: HashMap<u32, Resource>,
    requests: HashMap<u32, Vec<RequestView>>,
    waiting: Waiting<'m>,
    now_ms: u64,
}

impl<'m> Seen<'m> {
    pub(crate) fn of(of: &'m ResourceManager) -> Seen<'m> {
        let scheduler = of.scheduler();
        let mut reserved = HashMap::<u32, Resource>::new();
        for reservation in scheduler.reservations() {
            let sum = reserved.entry(reservation.app).or_default();
            *sum = sum.plus(&reservation.resource);
        }
        let mut requests: HashMap<u32, Vec<RequestView>> = HashMap::new();
        for request in scheduler.requests() {
            requests.entry(request.attempt.application.number).or_default().push(request);
        }
        Seen {
            of,
            basics: scheduler.basics(),
            amounts: Amounts::new(&scheduler.basics().types),
            timeouts: Shared::new(timeouts()),
            execution: Shared::new(execution()),
            cluster: scheduler.cluster(),
            figures: of.figures(),
            running: scheduler.container_counts().by_app,
            reserved,
            requests,
            waiting: Waiting::new(of),
            now_ms: of.now_ms(),
        }
    }

    /// The object of an application, for one who may see it or not; without what is not wanted.
    pub(crate) fn app(&self, app: &AppRecord, may: bool, without: &HashSet<&'static str>) -> Object {
        let cluster = self.of.cluster();
        let is_there = app.state != AppState::Accepted && app.attempt.is_some();
        let interface = match (is_there, app.state.is_over()) {
            (false, _) => "UNASSIGNED",
            (true, false) => "ApplicationMaster",
            (true, true) => "History",
        };
        let mut answer = Object::of_about(48)
            .with("id", cluster.app_id(app.number))
            .with("user", app.user.as_str())
            .with("name", app.name.as_str())
            .with("queue", self.queue(app))
            .with("state", Value::word(app.state.name()))
            .with("finalStatus", Value::word(app.status.name()))
            .with("progress", app.progress * 100.0)
            .with("trackingUI", Value::word(interface))
            .maybe("trackingUrl", is_there.then(|| tracking_url(self.of, app)))
            .with("diagnostics", self.diagnostics(app))
            .with("clusterId", cluster.timestamp)
            .with("applicationType", app.kind.as_str())
            .with("applicationTags", app.tags.iter().map(String::as_str).collect::<Vec<_>>().join(","))
            .with("priority", self.priority(app));
        self.times(&mut answer, app, may);
        self.amounts(&mut answer, app, may, without);
        answer
    }

    /// How it has ended, or else what is said of its attempt: why it waits, or what it has asked for and cannot get.
    fn diagnostics(&self, app: &AppRecord) -> String {
        match app.attempt.as_ref().filter(|_| app.diagnostics.is_empty()) {
            Some(attempt) => self.diagnostics_of(app, attempt),
            None => app.diagnostics.clone(),
        }
    }

    /// The same of its attempt.
    pub(super) fn diagnostics_of(&self, app: &AppRecord, attempt: &AttemptRecord) -> String {
        if app.state != AppState::Accepted || !attempt.diagnostics.is_empty() {
            return attempt.diagnostics.clone();
        }
        // It asks for nothing but its ApplicationMaster's container.
        let am = self.requests.get(&app.number).and_then(|requests| requests.first()).map(|request| &request.resource);
        let figures = self.figures.get(&app.number);
        figures.and_then(|figures| self.waiting.told(app, figures, am)).unwrap_or_default()
    }

    fn queue<'a>(&'a self, app: &'a AppRecord) -> &'a str {
        app.reported_in(self.figures.get(&app.number).map_or(&app.queue, |figures| &figures.queue))
    }

    fn priority(&self, app: &AppRecord) -> i32 {
        self.figures.get(&app.number).and_then(|figures| figures.priority).unwrap_or(app.priority)
    }

    fn times(&self, answer: &mut Object, app: &AppRecord, may: bool) {
        let shown = |ms: u64| if may { ms } else { 0 };
        let end = if app.finished_ms == 0 { self.now_ms } else { app.finished_ms };
        answer.push("startedTime", shown(app.started_ms));
        if may && app.unmanaged && app.state == AppState::Running {
            answer.push("launchTime", -1);
        } else {
            answer.push("launchTime", shown(app.launched_ms));
        }
        answer.push("finishedTime", shown(app.finished_ms));
        answer.push("elapsedTime", shown(end.saturating_sub(app.started_ms)));
        let Some(attempt) = app.attempt.as_ref().filter(|_| may) else {
            answer.push("masterNodeId", Value::word(""));
            return;
        };
        let records = answer;
        if let Some(master) = &attempt.master {
            let node = |port| format!("{}:{port}", master.node);
            let (id, http) = (node(DEFAULT_PORT), node(DEFAULT_HTTP_PORT));
            let container = self.of.cluster().container_id(app.number, attempt.number, master.container);
            records.push("amContainerLogs", logs(&http, &container, &app.user));
            records.push("amHostHttpAddress", http);
            if let Some((host, port)) = &attempt.rpc {
                records.push("amRPCAddress", format!("{host}:{port}"));
            }
            records.push("masterNodeId", id);
        } else {
            if let Some((host, port)) = &attempt.rpc {
                records.push("amRPCAddress", format!("{host}:{port}"));
            }
            records.push("masterNodeId", Value::word(""));
        }
    }

    fn amounts(&self, answer: &mut Object, app: &AppRecord, may: bool, without: &HashSet<&'static str>) {
        let figures = self.figures.get(&app.number).filter(|_| !app.state.is_over());
        let (used, reserved, running) = match (figures, app.attempt.is_some() && may) {
            (_, false) => (Resource::ZERO, Resource::ZERO, 0),
            // Hadoop's of what is not known.
            (None, true) => (Resource::new(-1, -1), Resource::new(-1, -1), -1),
            (Some(figures), true) => (
                figures.used,
                self.reserved.get(&app.number).copied().unwrap_or_default(),
                i64::try_from(self.running.get(&app.number).copied().unwrap_or(0)).unwrap_or(i64::MAX),
            ),
        };
        let (of_queue, of_cluster) = figures.filter(|_| may).map_or((0.0, 0.0), |figures| self.percentages(figures));
        let preempted = if may { app.preempted } else { Resource::ZERO };
        answer.push("allocatedMB", used.memory_mb());
        answer.push("allocatedVCores", used.vcores());
        answer.push("reservedMB", reserved.memory_mb());
        answer.push("reservedVCores", reserved.vcores());
        answer.push("runningContainers", running);
        let used = |index: usize| if may { app.usage.seconds(index, self.now_ms) } else { 0 };
        let taken = |index: usize| if may { app.usage.preempted_seconds(index) } else { 0 };
        answer.push("memorySeconds", used(0));
        answer.push("vcoreSeconds", used(1));
        answer.push("queueUsagePercentage", of_queue);
        answer.push("clusterUsagePercentage", of_cluster);
        let types = &self.basics.types;
        let by_type = |of: &dyn Fn(usize) -> i64, least: usize| {
            let shown = types_in_order(types).into_iter().filter(|index| *index < least || of(*index) != 0);
            Object::map(shown.map(|index| (types.name(index).to_owned(), of(index).to_string())))
        };
        answer.push("resourceSecondsMap", by_type(&used, 2));
        answer.push("preemptedResourceMB", preempted.memory_mb());
        answer.push("preemptedResourceVCores", preempted.vcores());
        answer.push("numNonAMContainerPreempted", if may { app.preempted_containers } else { 0 });
        answer.push("numAMContainerPreempted", if may { app.preempted_masters } else { 0 });
        answer.push("preemptedMemorySeconds", taken(0));
        answer.push("preemptedVcoreSeconds", taken(1));
        // Of the first container that is preempted it gets its members.
        let least = if app.preempted_containers + app.preempted_masters > 0 { 2 } else { 0 };
        answer.push("preemptedResourceSecondsMap", by_type(&taken, least));
        if may && !without.contains("resourceRequests") {
            let requests = self.requests.get(&app.number).into_iter().flatten();
            let requests: Value = requests.map(|request| self.request(app, request)).collect();
            answer.push("resourceRequests", requests);
        }
        if may {
            // Nobody gathers logs here: where they were to be gathered, that has not begun.
            let gathers = self.of.cluster().log_aggregation;
            answer.push("logAggregationStatus", Value::word(if gathers { "NOT_START" } else { "DISABLED" }));
        }
        answer.push("unmanagedApplication", app.unmanaged);
        if let Some(label) = app.label.as_deref().filter(|_| !without.contains("appNodeLabelExpression")) {
            answer.push("appNodeLabelExpression", label);
        }
        if !app.unmanaged && app.queue_was_there && !without.contains("amNodeLabelExpression") {
            answer.push("amNodeLabelExpression", app.am_label.as_str());
        }
        if let Some(of) =
            figures.and_then(|figures| figures.of_capacity.as_ref()).filter(|_| !without.contains("resourceInfo"))
        {
            answer.push("resourceInfo", self.by_partition(of));
        }
        if !without.contains("timeouts") {
            answer.push("timeouts", self.timeouts.clone());
        }
    }

    /// What it has and wants, by partition.
    fn by_partition(&self, of: &OfCapacity) -> Object {
        let none = Resource::ZERO;
        let part = |name: &str, [used, reserved, pending, am]: [&Resource; 4]| {
            let resource = |amounts: &Resource| self.amounts.of(amounts);
            Object::new()
                .with("partitionName", name)
                .with("used", resource(used))
                .with("reserved", resource(reserved))
                .with("pending", resource(pending))
                .with("amUsed", resource(am))
                .with("amLimit", resource(&none))
                .with("userAmLimit", resource(&none))
        };
        let am = if of.am_label.is_empty() { &of.am } else { &none };
        let mut parts = vec![part("", [&of.used, &of.reserved, &of.pending, am])];
        for of in &of.partitions {
            parts.push(part(&of.label, [&of.used, &of.reserved, &of.pending, &of.am]));
        }
        // Where applications are ordered by what they use, Hadoop keeps that by another name.
        if of.by_fairness && of.is_active {
            parts.push(part("*", [&none; 4]));
        }
        Object::new().with("resourceUsagesByPartition", parts.into_iter().collect::<Value>())
    }

    /// Of the queue and of the cluster, in memory.
    fn percentages(&self, figures: &AppFigures) -> (f32, f32) {
        if self.cluster.memory_mb() == 0 {
            return (0.0, 0.0);
        }
        let of_queue = self.ratio(&figures.nodes, &figures.used, &figures.queue_part) * 100.0;
        let of_queue = if of_queue.is_finite() && figures.nodes.memory_mb() != 0 { of_queue } else { 0.0 };
        (of_queue, self.ratio(&self.cluster, &figures.used, &self.cluster) * 100.0)
    }

    /// As parts of the nodes.
    #[expect(clippy::cast_precision_loss, reason = "Hadoop divides in 32 bits")]
    fn ratio(&self, nodes: &Resource, of: &Resource, by: &Resource) -> f32 {
        if !self.basics.dominant {
            return of.memory_mb() as f32 / by.memory_mb() as f32;
        }
        let part = |of: &Resource| {
            let parts = (0..self.basics.types.len()).filter(|index| nodes.get(*index) != 0);
            parts.map(|index| of.get(index) as f32 / nodes.get(index) as f32).fold(0.0, f32::max)
        };
        part(of) / part(by)
    }

    fn request(&self, app: &AppRecord, of: &RequestView) -> Object {
        // Hadoop's of one that says none.
        let id = request_id(of.allocation_request_id);
        let is_master = of.priority == 0 && app.attempt.as_ref().is_some_and(|attempt| attempt.master.is_none());
        let has_label = !is_master || app.queue_was_there;
        Object::new()
            .with("priority", of.priority)
            .with("allocationRequestId", id)
            .with("resourceName", of.location.as_str())
            .with("capability", self.amounts.of(&of.resource))
            .with("numContainers", of.count)
            .with("relaxLocality", of.relax)
            .maybe("nodeLabelExpression", has_label.then_some(of.label.as_str()))
            .with("executionTypeRequest", self.execution.clone())
    }
}

/// Ports of NodeManagers.
pub(crate) const DEFAULT_PORT: u16 = 8041;
pub(crate) const DEFAULT_HTTP_PORT: u16 = 8042;

fn execution() -> Object {
    Object::new().with("executionType", Value::word("GUARANTEED")).with("enforceExecutionType", false)
}

/// Where a container's logs are.
pub(crate) fn logs(http_address: &str, container: &str, user: &str) -> String {
    format!("http://{http_address}/node/containerlogs/{container}/{user}")
}

/// Where an application shows itself.
pub(crate) fn tracking_url(of: &ResourceManager, app: &AppRecord) -> String {
    let (at, id) = (of.cluster().url(), of.cluster().app_id(app.number));
    match app.state {
        AppState::Failed | AppState::Killed => format!("{at}/cluster/app/{id}"),
        AppState::Accepted | AppState::Running | AppState::Finished if app.unmanaged => "http://N/A".to_owned(),
        AppState::Accepted | AppState::Running | AppState::Finished => format!("{at}/proxy/{id}/"),
    }
}

fn timeouts() -> Object {
    Object::new().with("timeout", vec![Value::from(timeout())])
}

/// The one timeout that there is, and nobody sets.
fn timeout() -> Object {
    Object::new()
        .with("type", Value::word("LIFETIME"))
        .with("expiryTime", Value::word("UNLIMITED"))
        .with("remainingTimeInSeconds", -1)
}

/// An allocation request id as Hadoop has it: -1 where none was given.
pub(crate) fn request_id(of: i64) -> i64 {
    if of == 0 { -1 } else { of }
}

/// The number of the application that a text names.
///
/// # Errors
/// When it is no id, or none of this cluster's.
pub(crate) fn number(of: &ResourceManager, id: &str) -> Result<u32, Fault> {
    let (timestamp, number) = parts(id)?;
    let number = u32::try_from(number).ok().filter(|_| u64::try_from(timestamp) == Ok(of.cluster().timestamp));
    number.ok_or_else(|| unknown(id))
}

/// What the name of an application says: the ResourceManager's start, and its number. As in Java both may have a sign.
pub(super) fn parts(id: &str) -> Result<(i64, i32), Fault> {
    const CAUSE: &str = "java.lang.IllegalArgumentException";
    let Some(rest) = id.strip_prefix("application_") else {
        return Err(Fault::bad_request_for(
            CAUSE,
            format_args!(
                "Invalid ApplicationId prefix: {id}. The valid ApplicationId should start with prefix application"
            ),
        ));
    };
    let invalid = || Fault::bad_request_for(CAUSE, format_args!("Invalid ApplicationId: {id}"));
    let (timestamp, number) = rest.split_once('_').ok_or_else(invalid)?;
    let timestamp: i64 = timestamp.parse().map_err(|_| invalid())?;
    let number: i32 = number.parse().map_err(|_| invalid())?;
    Ok((timestamp, number))
}

pub(crate) fn unknown(id: &str) -> Fault {
    Fault::not_found(format_args!("app with id: {id} not found"))
}

/// The application that the path names.
pub(crate) fn named<'r>(of: &ResourceManager, records: &'r Records, asked: &Asked) -> Result<&'r AppRecord, Fault> {
    let id = asked.part("app");
    records.app(number(of, id)?).ok_or_else(|| unknown(id))
}

/// What the caller may of the application that the path names.
pub(super) fn rights<'a>(of: &ResourceManager, asked: &'a Asked) -> Result<Rights<'a>, Fault> {
    let number = named(of, &of.records(), asked)?.number;
    Ok(Rights::of(of, &asked.user, |records| records.app(number).into_iter().collect()))
}

pub(crate) fn app(of: &ResourceManager, asked: &Asked) -> Outcome {
    let without = super::filters::without(asked)?;
    let seen = Seen::of(of);
    let rights = rights(of, asked)?;
    let records = of.records();
    let app = named(of, &records, asked)?;
    Ok(Answer::natural("app", seen.app(app, rights.may(app), &without)))
}

pub(crate) fn state(of: &ResourceManager, asked: &Asked) -> Outcome {
    let records = of.records();
    let app = named(of, &records, asked)?;
    Ok(Answer::mapped("appstate", Object::new().with("state", Value::word(app.state.name()))))
}

pub(crate) fn queue(of: &ResourceManager, asked: &Asked) -> Outcome {
    let records = of.records();
    let app = named(of, &records, asked)?;
    Ok(Answer::bare("appqueue", Object::new().with("queue", app.reported_in(&app.queue))))
}

pub(crate) fn priority(of: &ResourceManager, asked: &Asked) -> Outcome {
    let (number, kept) = {
        let records = of.records();
        let app = named(of, &records, asked)?;
        (app.number, app.priority)
    };
    let priority = of.scheduler().priority(number).unwrap_or(kept);
    Ok(Answer::bare("applicationpriority", Object::new().with("priority", priority)))
}

pub(crate) fn lifetimes(of: &ResourceManager, asked: &Asked) -> Outcome {
    let records = of.records();
    named(of, &records, asked)?;
    Ok(Answer::natural("timeouts", timeouts()))
}

pub(crate) fn lifetime(of: &ResourceManager, asked: &Asked) -> Outcome {
    let records = of.records();
    named(of, &records, asked)?;
    let kind = asked.part("type");
    if !kind.eq_ignore_ascii_case("LIFETIME") {
        let message = format_args!("Invalid application-state {kind} specified. It should be one of [LIFETIME]");
        return Err(Fault::bad_request(message));
    }
    Ok(Answer::natural("timeout", timeout()))
}
