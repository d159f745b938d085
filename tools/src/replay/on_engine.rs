//! Recordings of the CapacityScheduler, played on the engine: what a step does, and what it shows in the words of
//! recordings.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::booking::Booked;
use super::bookings::{Bookings, take_followed};
use super::capacity_driver::{CapacityDriver, LabelChange};
use super::named::Named;
use super::options::DriverChoice;
use super::played::Played;
use super::scenario::{ReportedContainer, Step};
#[cfg(test)]
use crate::api::CapacityPass;
use crate::api::{
    AmRequest, Ask, CapacityAppView, CapacityConfiguration, CapacityLeafView, CapacityPartitionView, CapacityQueueView,
    CapacityReason, CapacityScheduler, CapacityUserView, Clock, EndReason, LabelView, Location, MixedFractions,
    NewAttempt, NewLabel, NewNode, PreemptionRound, QueueMaking, Refused, Resource, ResourceTypes, StoredLabels,
    Submission, VirtualClock,
};
use evenweave::refused::{Configuration, NotFound};

/// The time from which the recordings made their ids; only the order of ids depends on it.
const CLUSTER_TIMESTAMP: u64 = 1;

/// What a round has marked, by application, attempt and number: reservations between containers, as their ids come.
fn in_order_of_ids(round: &PreemptionRound) -> Vec<(u32, u32, u32)> {
    let containers = round.containers.iter();
    let mut marked: Vec<_> = containers.map(|id| (id.application_number(), id.attempt(), id.number())).collect();
    for name in &round.reservations {
        let reserved = (name.attempt.application.number, name.attempt.number, name.number);
        // From the end: what is from before a restart comes first, whatever its number.
        let before = marked.iter().rposition(|other| *other < reserved).map_or(0, |before| before + 1);
        marked.insert(before, reserved);
    }
    marked
}

/// A scheduler, and the names that recordings have for its resource types.
pub(super) struct OnEngine {
    scheduler: Box<dyn CapacityDriver>,
    beginning: Beginning,
    types: ResourceTypes,
    bookings: Bookings,
}

/// What a scheduler begins with: the first, or one after a restart.
struct Beginning {
    driver: DriverChoice,
    /// Every pass goes the whole way.
    resort: bool,
    site: Properties,
    /// Those in force of `capacity-scheduler.xml`.
    own: Properties,
    groups: HashMap<String, Vec<String>>,
    cluster_timestamp: u64,
    epoch: u32,
    /// Labels of nodes, where a recording has them.
    labels: Option<StoredLabels>,
    /// It goes on.
    clock: Arc<VirtualClock>,
}

impl Beginning {
    fn begin(&self) -> Result<(Box<dyn CapacityDriver>, ResourceTypes), String> {
        let read = CapacityConfiguration::from_properties(pairs(&self.site), pairs(&self.own));
        let configuration = read.map_err(|error| error.to_string())?;
        let types = configuration.file().settings().types.clone();
        let built = CapacityScheduler::builder(configuration)
            .cluster_timestamp(self.cluster_timestamp)
            .epoch(self.epoch)
            .clock(Arc::clone(&self.clock) as Arc<dyn Clock>)
            .groups(Arc::new(self.groups.clone()))
            .mixed_fractions(MixedFractions::of_site(pairs(&self.site)))
            .resort_for_each_container(self.resort)
            .labels(self.labels.clone().unwrap_or_default())
            .rules_last(true)
            .journal(true);
        let scheduler: Box<dyn CapacityDriver> = match self.driver {
            DriverChoice::Threaded => {
                let scheduler = built.timers(false).start().map_err(|error| error.to_string())?;
                Box::new(Played::new(scheduler, self.epoch))
            }
            DriverChoice::Stepped => {
                Box::new(Played::new(built.stepped().map_err(|error| error.to_string())?, self.epoch))
            }
        };
        Ok((scheduler, types))
    }
}

const EXPIRY: &str = "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms";

type Properties = BTreeMap<String, String>;

fn properties(of: Option<&Value>) -> Properties {
    let pairs = of.and_then(Value::as_object).into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// The port of nodes in recordings with labels.
const PORT: u16 = 1;

/// Labels that there are from the beginning; `None` of a recording without labels.
fn labels(scenario: &Value) -> Option<StoredLabels> {
    let list = scenario.get("labels").and_then(Value::as_array)?;
    Some(StoredLabels { labels: list.iter().map(new_label).collect(), nodes: Vec::new() })
}

fn new_label(of: &Value) -> NewLabel {
    NewLabel {
        name: text(of, "name").to_owned(),
        exclusive: of.get("exclusive").and_then(Value::as_bool) != Some(false),
    }
}

/// Labels by comma.
fn split(labels: &str) -> Vec<&str> {
    labels.split(',').filter(|label| !label.is_empty()).collect()
}

/// Users' groups, the primary one first.
fn groups(scenario: &Value) -> HashMap<String, Vec<String>> {
    let users = scenario.get("groups").and_then(Value::as_object).into_iter().flatten();
    let names = |of: &Value| of.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    users.map(|(user, of)| (user.clone(), names(of))).collect()
}

/// The request with the label that a step names.
fn with_label(am: AmRequest, label: Option<&Value>) -> AmRequest {
    match label.and_then(Value::as_str) {
        Some(label) => am.labelled(label),
        None => am,
    }
}

fn pairs(of: &Properties) -> impl Iterator<Item = (&str, &str)> {
    of.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn text<'a>(step: &'a Value, field: &str) -> &'a str {
    step.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn number(step: &Value, field: &str) -> u32 {
    step.get(field).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or_default()
}

fn int(step: &Value, field: &str) -> i32 {
    step.get(field).and_then(Value::as_i64).and_then(|n| i32::try_from(n).ok()).unwrap_or_default()
}

fn flag(step: &Value, field: &str) -> bool {
    step.get(field).and_then(Value::as_bool).unwrap_or_default()
}

fn names<'a>(step: &'a Value, field: &str) -> Vec<&'a str> {
    let list = step.get(field).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

/// Containers that a node tells of.
fn told(step: &Value, field: &str) -> Vec<Named> {
    let list = step.get(field).and_then(Value::as_array).into_iter().flatten();
    let named = |one: &Value| Named {
        app: number(one, "app"),
        attempt: number(one, "attempt").max(1),
        epoch: number(one, "epoch"),
        number: number(one, "container"),
    };
    list.map(named).collect()
}

fn put_number(of: &mut Map<String, Value>, field: &str, number: i64) {
    if number != 0 {
        of.insert(field.to_owned(), json!(number));
    }
}

fn put_count(of: &mut Map<String, Value>, field: &str, count: usize) {
    put_number(of, field, i64::try_from(count).unwrap_or(i64::MAX));
}

/// A 32-bit float; what is no finite number is a text.
fn put_float(of: &mut Map<String, Value>, field: &str, value: f32) {
    if value == 0.0 {
        return;
    }
    let shown = match value {
        _ if value.is_nan() => json!("NaN"),
        f32::INFINITY => json!("Infinity"),
        f32::NEG_INFINITY => json!("-Infinity"),
        finite => json!(finite),
    };
    of.insert(field.to_owned(), shown);
}

impl OnEngine {
    /// The scheduler of a recording, before its first step.
    ///
    /// # Errors
    /// What the core says against its configuration.
    pub(super) fn new(scenario: &Value, driver: DriverChoice) -> Result<OnEngine, String> {
        OnEngine::begun(scenario, driver, false)
    }

    /// The same without threads, and every pass goes the whole way: decisions are those of [`new`](OnEngine::new).
    #[cfg(test)]
    pub(super) fn resorted(scenario: &Value) -> Result<OnEngine, String> {
        OnEngine::begun(scenario, DriverChoice::Stepped, true)
    }

    fn begun(scenario: &Value, driver: DriverChoice, resort: bool) -> Result<OnEngine, String> {
        let (mut site, own) = (properties(scenario.get("properties")), properties(scenario.get("capacity")));
        if scenario.get("start").is_some() {
            // Whoever made a recording of the reservation system did not look after containers that were never
            // launched.
            site.insert(EXPIRY.to_owned(), i32::MAX.to_string());
        }
        let start = scenario.get("start").and_then(Value::as_u64);
        let clock = Arc::new(VirtualClock::new());
        clock.advance(start.unwrap_or_default());
        let beginning = Beginning {
            driver,
            resort,
            site,
            own,
            groups: groups(scenario),
            cluster_timestamp: start.unwrap_or(CLUSTER_TIMESTAMP),
            epoch: 0,
            labels: labels(scenario),
            clock,
        };
        let (scheduler, types) = beginning.begin()?;
        Ok(OnEngine { scheduler, beginning, types, bookings: Bookings::new(start) })
    }

    /// Another scheduler begins, which knows nothing of what the one before had.
    fn restart(&mut self, capacity: Option<&Value>) -> Result<(), Refused> {
        if capacity.is_some() {
            self.beginning.own = properties(capacity);
        }
        if self.beginning.labels.is_some() {
            self.beginning.labels = Some(self.scheduler.stored_labels());
        }
        self.beginning.epoch += 1;
        (self.scheduler, self.types) = self.beginning.begin().map_err(Configuration::Invalid)?;
        Ok(())
    }

    /// A node registers, and says what runs on it; whose applications are not known is to be stopped.
    fn register(&mut self, step: &Value, shown: &mut Map<String, Value>) -> Result<(), Refused> {
        let (node, total) = (text(step, "node"), self.resource(step.get("resource")));
        let labelled = self.beginning.labels.is_some();
        if let Some(label) = step.get("label").and_then(Value::as_str) {
            let named = format!("{node}:{PORT}");
            self.scheduler.change_labels(&LabelChange::Set(vec![(&named, split(label))]))?;
        }
        let new = NewNode::new(node, text(step, "rack"), total);
        let new = if labelled { new.with_port(PORT) } else { new };
        let reports = step.get("containers").and_then(Value::as_array).into_iter().flatten();
        // What cannot be read is not there, and the rest of the run tells.
        let reports: Vec<_> = reports.filter_map(|report| ReportedContainer::deserialize(report).ok()).collect();
        let container = |report: &ReportedContainer| {
            let label = self.scheduler.label(report.label.as_deref().unwrap_or_default());
            (report.named(), report.recovered(&self.types).labelled(label))
        };
        // With labels it shows whether they are there when the node is told of its label.
        let running: Vec<_> = reports.iter().map(container).collect();
        let outcomes = if labelled {
            self.scheduler.add_node(new, running)?
        } else {
            self.scheduler.add_node(new, Vec::new())?;
            running.into_iter().map(|(named, container)| self.scheduler.recover(node, named, container)).collect()
        };
        let mut orphans = Vec::new();
        for (report, outcome) in reports.iter().zip(outcomes) {
            match outcome {
                Ok(()) => {}
                Err(Refused::NotFound(NotFound::App(_))) if report.complete => {}
                Err(Refused::NotFound(NotFound::App(app))) => orphans.push((app, report.container)),
                Err(other) => return Err(other),
            }
        }
        orphans.sort_unstable();
        if !orphans.is_empty() {
            let orphans = orphans.iter().map(|(app, number)| json!({"app": app, "container": number}));
            shown.insert("orphans".to_owned(), orphans.collect());
        }
        Ok(())
    }

    /// Why an application waits, of one node or of all; nothing where it is not there.
    pub(super) fn why(&mut self, app: u32, node: Option<&str>) -> Vec<CapacityReason> {
        self.scheduler.why_waiting(app, node).unwrap_or_default()
    }

    /// What the next pass over a node tries is to be told.
    #[cfg(test)]
    pub(super) fn watch(&mut self, node: &str) {
        self.scheduler.watch(node);
    }

    /// What was told since this was last called.
    #[cfg(test)]
    pub(super) fn watched(&mut self) -> Vec<CapacityPass> {
        self.scheduler.watched()
    }

    /// Applications that have not ended, by number.
    #[cfg(test)]
    pub(super) fn apps(&mut self) -> Vec<CapacityAppView> {
        self.scheduler.apps()
    }

    /// An application that has not ended.
    pub(super) fn app(&mut self, number: u32) -> Option<CapacityAppView> {
        self.scheduler.apps().into_iter().find(|app| app.number == number)
    }

    /// A queue as it is now.
    pub(super) fn queue(&mut self, name: &str) -> Option<CapacityQueueView> {
        self.scheduler.queues(false).into_iter().find(|queue| queue.name == name)
    }

    /// The nodes' names, in order of registration.
    pub(super) fn nodes(&mut self) -> Vec<String> {
        self.scheduler.nodes().into_iter().map(|node| node.name).collect()
    }

    /// The scenario's resource types.
    pub(super) fn types(&self) -> &ResourceTypes {
        &self.types
    }

    /// Does a step; what it shows. `last`: all that the end shows, too.
    pub(super) fn step(&mut self, step: &Value, last: bool) -> Value {
        let mut shown = Map::new();
        let op = text(step, "op");
        let before = (op == "reserve-submit").then(|| self.parts());
        if op.starts_with("reserve-") || op == "follow" {
            self.book(step, &mut shown);
        } else if let Err(refused) = self.play(op, step, &mut shown) {
            shown.insert("error".to_owned(), json!({"kind": refused.kind()}));
        }
        self.show_journal(&mut shown);
        self.show_followed(&mut shown);
        if let Some(plans) = self.bookings.plans(self.scheduler.scheduler(), last) {
            shown.insert("plans".to_owned(), plans);
        }
        let changed = before.is_some_and(|before| before != self.parts());
        if last
            || changed
            || matches!(op, "update" | "move" | "reload" | "expire" | "manage" | "follow" | "labels" | "cluster-labels")
        {
            self.show_queues(&mut shown, last);
        }
        if last {
            let (nodes, labels) = (self.scheduler.nodes(), self.scheduler.labels());
            let nodes = nodes.iter().map(|node| {
                let mut out = Map::from_iter([("node".to_owned(), json!(node.name))]);
                out.insert("free".to_owned(), self.amounts(&node.free));
                let label = labels.iter().find(|label| label.nodes.contains(&node.name));
                if let Some(label) = label.filter(|label| !label.name.is_empty()) {
                    out.insert("label".to_owned(), json!(label.name));
                }
                Value::Object(out)
            });
            shown.insert("nodes".to_owned(), nodes.collect());
        }
        Value::Object(shown)
    }

    /// What queues have of their parents: by name the capacity, and what may be used.
    fn parts(&mut self) -> Vec<(String, u32, u32)> {
        let queues = self.scheduler.queues(false).into_iter();
        queues.map(|queue| (queue.name, queue.capacity.to_bits(), queue.maximum_capacity.to_bits())).collect()
    }

    /// A step of the reservation system. One that cannot be read shows why in place of an answer.
    fn book(&mut self, step: &Value, shown: &mut Map<String, Value>) {
        let played = match serde_json::from_value::<Step>(step.clone()) {
            Ok(step) => {
                let played = self.bookings.play(&step, self.scheduler.scheduler(), &self.types);
                played.map_err(|error| error.kind().to_owned())
            }
            Err(error) => Err(error.to_string()),
        };
        match played {
            Ok(Booked { id, allocation, reservations, .. }) => {
                let told = [("id", id.map(Value::from)), ("allocation", allocation), ("reservations", reservations)];
                shown.extend(told.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?))));
            }
            Err(kind) => drop(shown.insert("error".to_owned(), json!({"kind": kind}))),
        }
    }

    /// What the plan follower did to applications. To the scheduler a kill is an end as any other; recordings have a
    /// word for it.
    fn show_followed(&mut self, shown: &mut Map<String, Value>) {
        let (moved, killed) = take_followed(self.scheduler.scheduler());
        let ended = shown.get_mut("completed").and_then(Value::as_array_mut);
        for end in ended.into_iter().flatten() {
            let is_killed = killed.iter().any(|app| end["app"] == *app);
            if is_killed && end["reason"] == EndReason::AppFinished.as_str() {
                end["reason"] = "app-killed".into();
            }
        }
        shown.extend(moved.map(|moved| ("moved".to_owned(), moved)));
        if !killed.is_empty() {
            shown.insert("killed".to_owned(), json!(killed));
        }
    }

    fn play(&mut self, op: &str, step: &Value, shown: &mut Map<String, Value>) -> Result<(), Refused> {
        let app = number(step, "app");
        let attempt = number(step, "attempt").max(1);
        let container = Named { app, attempt, epoch: number(step, "epoch"), number: number(step, "container") };
        match op {
            "node-add" => self.register(step, shown),
            "restart" => self.restart(step.get("capacity")),
            "recover-app" => {
                let am = step.get("am").map(|am| AmRequest::from(self.resource(Some(am))).running());
                let am = am.map(|am| with_label(am, step.get("am-label")));
                let mut stored = Submission::new(app, text(step, "user")).recovered_in(text(step, "queue"));
                stored.label = step.get("label").and_then(Value::as_str).map(str::to_owned);
                self.scheduler.submit(stored.maybe_with_am(am), Some(int(step, "priority")))
            }
            "node-remove" => self.scheduler.remove_node(text(step, "node")),
            "heartbeat" => {
                let (launched, completed) = (told(step, "launched"), told(step, "completed"));
                self.scheduler.heartbeat(text(step, "node"), &launched, &completed)
            }
            "round" => self.scheduler.round(number(step, "first") as usize),
            "submit" => {
                let mut submission = Submission::new(app, text(step, "user"))
                    .maybe_in_queue(step.get("queue").and_then(Value::as_str))
                    .maybe_with_am(
                        step.get("am")
                            .map(|am| with_label(AmRequest::from(self.resource(Some(am))), step.get("am-label"))),
                    );
                submission.label = step.get("label").and_then(Value::as_str).map(str::to_owned);
                submission.reservation = step.get("reservation").and_then(Value::as_i64).map(|id| self.bookings.id(id));
                let priority = step.get("priority").map(|_| int(step, "priority"));
                self.scheduler.submit(submission, priority)
            }
            "ask" => {
                let asks = self.asks(step);
                let (add, remove) = (names(step, "blacklist-add"), names(step, "blacklist-remove"));
                let (headroom, warned) = self.scheduler.ask(app, &asks, &add, &remove)?;
                shown.insert("headroom".to_owned(), self.amounts(&headroom));
                if !warned.is_empty() {
                    shown.insert("preemption-warning".to_owned(), json!(warned));
                }
                Ok(())
            }
            "release" => self.scheduler.release(container),
            "launch" => self.scheduler.launch(container),
            "complete" => self.scheduler.complete(container),
            "node-resize" => {
                let total = self.resource(step.get("total"));
                self.scheduler.resize_node(text(step, "node"), total, flag(step, "kill"))
            }
            "decommission" => self.scheduler.decommission_node(text(step, "node")),
            "recommission" => self.scheduler.recommission_node(text(step, "node")),
            "attempt" => {
                let am =
                    step.get("am").map(|am| with_label(AmRequest::from(self.resource(Some(am))), step.get("am-label")));
                self.scheduler
                    .new_attempt(app, NewAttempt::default().maybe_with_am(am).keep_containers(flag(step, "keep")))
            }
            "finish" => self.scheduler.finish(app),
            "advance" => {
                let ms = step.get("ms").and_then(Value::as_u64).unwrap_or_default();
                self.beginning.clock.advance(ms);
                self.scheduler.scheduler().tick();
                Ok(())
            }
            "priority" => self.scheduler.set_priority(app, int(step, "priority")),
            "move" => self.scheduler.move_app(app, text(step, "queue")),
            "reload" => {
                let own = properties(step.get("capacity"));
                self.scheduler.refresh(&pairs(&own).collect::<Vec<_>>())?;
                self.beginning.own = own;
                Ok(())
            }
            "preempt" => {
                let rounds = self.scheduler.preempt()?;
                let marked = rounds.iter().flat_map(in_order_of_ids);
                let marked: Vec<_> = marked.map(|(app, _, number)| json!({"app": app, "container": number})).collect();
                if !marked.is_empty() {
                    shown.insert("marked".to_owned(), marked.into());
                }
                Ok(())
            }
            "labels" => {
                let nodes = step.get("nodes").and_then(Value::as_object).into_iter().flatten();
                let nodes = nodes.map(|(node, labels)| (node.as_str(), split(labels.as_str().unwrap_or_default())));
                self.scheduler.change_labels(&LabelChange::Set(nodes.collect()))
            }
            "cluster-labels" => {
                let add = step.get("add").and_then(Value::as_array).into_iter().flatten();
                let add: Vec<NewLabel> = add.map(new_label).collect();
                if !add.is_empty() {
                    self.scheduler.change_labels(&LabelChange::Add(add))?;
                }
                let gone = names(step, "remove");
                if gone.is_empty() { Ok(()) } else { self.scheduler.change_labels(&LabelChange::Remove(gone)) }
            }
            "expire" => self.scheduler.expire_queues(),
            "manage" => self.scheduler.manage_queues(),
            "update" => Ok(()),
            _ => Err(NotFound::Queue(op.to_owned()).into()),
        }
    }

    fn asks(&self, step: &Value) -> Vec<Ask> {
        let lines = step.get("asks").and_then(Value::as_array).into_iter().flatten();
        let ask = |line: &Value| {
            let location = match text(line, "location") {
                "*" => Location::ANY,
                name => self.scheduler.location(name),
            };
            let ask = Ask::anywhere(
                int(line, "priority"),
                self.resource(line.get("resource")),
                u32::try_from(int(line, "count")).unwrap_or_default(),
            )
            .at(location)
            .with_request_id(line.get("request-id").and_then(Value::as_i64).unwrap_or_default())
            .relaxed(line.get("relax").and_then(Value::as_bool).unwrap_or(true));
            match line.get("label").and_then(Value::as_str) {
                Some(label) => ask.labelled(self.scheduler.label(label)),
                None => ask,
            }
        };
        lines.map(ask).collect()
    }

    fn resource(&self, of: Option<&Value>) -> Resource {
        let mut amounts: Vec<(usize, i64)> = Vec::new();
        for (name, amount) in of.and_then(Value::as_object).into_iter().flatten() {
            if let (Some(index), Some(amount)) = (self.types.index(name), amount.as_i64()) {
                amounts.push((index, amount));
            }
        }
        amounts.into_iter().fold(Resource::ZERO, |sum, (index, amount)| sum.with(index, amount))
    }

    fn amounts(&self, amounts: &Resource) -> Value {
        let names = self.types.names().enumerate();
        Value::Object(names.map(|(i, name)| (name.to_owned(), json!(amounts.get(i)))).collect())
    }

    fn put_amounts(&self, of: &mut Map<String, Value>, field: &str, amounts: &Resource) {
        if !amounts.is_zero() {
            of.insert(field.to_owned(), self.amounts(amounts));
        }
    }

    /// Containers and reservations.
    fn show_journal(&mut self, shown: &mut Map<String, Value>) {
        let Ok(journal) = self.scheduler.take_journal() else { return };
        for (field, views) in [("allocated", journal.allocated), ("reserved", journal.reserved)] {
            let views = views.iter().map(|view| {
                json!({
                    "app": view.app,
                    "container": view.container,
                    "node": view.node,
                    "priority": view.priority,
                    "resource": self.amounts(&view.resource),
                })
            });
            let views: Vec<Value> = views.collect();
            if !views.is_empty() {
                shown.insert(field.to_owned(), Value::Array(views));
            }
        }
        if !journal.completed.is_empty() {
            let ended = journal
                .completed
                .into_iter()
                .map(|(app, container, why)| json!({"app": app, "container": container, "reason": why.to_string()}));
            shown.insert("completed".to_owned(), ended.collect());
        }
        // No recording has such a field.
        let wrong = self.scheduler.audit();
        if !wrong.is_empty() {
            shown.insert("audit".to_owned(), wrong.into());
        }
    }

    fn show_queues(&mut self, shown: &mut Map<String, Value>, last: bool) {
        let queues = self.scheduler.queues(last);
        shown.insert("queues".to_owned(), queues.iter().map(|queue| self.show_queue(queue, last)).collect());
        let apps = self.scheduler.apps();
        shown.insert("apps".to_owned(), apps.iter().map(|app| self.show_app(app)).collect());
        if self.beginning.labels.is_some() {
            let labels = self.scheduler.labels();
            shown.insert("labels".to_owned(), labels.iter().map(|label| self.show_label(label)).collect());
        }
    }

    fn show_queue(&self, queue: &CapacityQueueView, last: bool) -> Value {
        let mut out = Map::from_iter([("name".to_owned(), json!(queue.name))]);
        match queue.making {
            Some(QueueMaking::Flexible) => out.insert("made".to_owned(), json!("flexible")),
            Some(QueueMaking::Managed) => out.insert("made".to_owned(), json!("managed")),
            None => None,
        };
        if queue.state != "RUNNING" {
            out.insert("state".to_owned(), json!(queue.state));
        }
        let not_one = |value: f32| if value == 1.0 { 0.0 } else { value };
        put_float(&mut out, "capacity", queue.capacity);
        put_float(&mut out, "absolute-capacity", queue.absolute_capacity);
        put_float(&mut out, "maximum-capacity", not_one(queue.maximum_capacity));
        put_float(&mut out, "absolute-maximum-capacity", not_one(queue.absolute_maximum_capacity));
        put_float(&mut out, "normalized-weight", queue.normalized_weight);
        put_float(&mut out, "used-capacity", queue.used_capacity);
        put_float(&mut out, "absolute-used-capacity", queue.absolute_used_capacity);
        self.put_amounts(&mut out, "guaranteed", &queue.guaranteed);
        self.put_amounts(&mut out, "maximum", &queue.maximum);
        if last {
            self.put_amounts(&mut out, "maximum-allocation", &queue.maximum_allocation);
        }
        self.put_amounts(&mut out, "used", &queue.used);
        self.put_amounts(&mut out, "reserved", &queue.reserved);
        self.put_amounts(&mut out, "pending", &queue.pending);
        put_number(&mut out, "applications", queue.applications);
        put_number(&mut out, "containers", queue.containers);
        if let Some(leaf) = &queue.leaf {
            self.show_leaf(leaf, last, &mut out);
        }
        if self.beginning.labels.is_some() {
            self.show_partitions(queue, last, &mut out);
        }
        Value::Object(out)
    }

    fn show_label(&self, label: &LabelView) -> Value {
        let mut out = Map::from_iter([("label".to_owned(), json!(label.name))]);
        if !label.exclusive {
            out.insert("shared".to_owned(), json!(true));
        }
        put_count(&mut out, "nodes", label.nodes.len());
        self.put_amounts(&mut out, "resource", &label.resource);
        Value::Object(out)
    }

    fn show_partitions(&self, queue: &CapacityQueueView, last: bool, out: &mut Map<String, Value>) {
        if last {
            if !queue.accessible_labels.is_empty() {
                out.insert("accessible".to_owned(), json!(queue.accessible_labels));
            }
            if let Some(label) = &queue.default_label {
                out.insert("default-label".to_owned(), json!(label));
            }
        }
        let shown = queue.partitions.iter().map(|partition| self.show_partition(partition, last));
        let shown: Vec<Value> = shown.filter(|shown| shown.as_object().is_some_and(|shown| shown.len() > 1)).collect();
        if !shown.is_empty() {
            out.insert("partitions".to_owned(), shown.into());
        }
    }

    fn show_partition(&self, partition: &CapacityPartitionView, last: bool) -> Value {
        let mut out = Map::from_iter([("label".to_owned(), json!(partition.label))]);
        put_float(&mut out, "capacity", partition.capacity);
        put_float(&mut out, "absolute-capacity", partition.absolute_capacity);
        put_float(&mut out, "maximum-capacity", partition.maximum_capacity);
        put_float(&mut out, "absolute-maximum-capacity", partition.absolute_maximum_capacity);
        put_float(&mut out, "normalized-weight", partition.normalized_weight);
        put_float(&mut out, "used-capacity", partition.used_capacity);
        put_float(&mut out, "absolute-used-capacity", partition.absolute_used_capacity);
        self.put_amounts(&mut out, "guaranteed", &partition.guaranteed);
        self.put_amounts(&mut out, "maximum", &partition.maximum);
        self.put_amounts(&mut out, "used", &partition.used);
        self.put_amounts(&mut out, "reserved", &partition.reserved);
        self.put_amounts(&mut out, "pending", &partition.pending);
        if last {
            put_float(&mut out, "am-percent", partition.am_percent);
        }
        self.put_amounts(&mut out, "am-limit", &partition.am_limit);
        self.put_amounts(&mut out, "am-used", &partition.am_used);
        let users = partition.users.iter().filter_map(|user| {
            let mut out = Map::from_iter([("user".to_owned(), json!(user.user))]);
            self.put_amounts(&mut out, "used", &user.used);
            self.put_amounts(&mut out, "am-used", &user.am_used);
            self.put_amounts(&mut out, "am-limit", &user.am_limit);
            if let Some(limit) = &user.limit {
                self.put_amounts(&mut out, "limit", limit);
            }
            (out.len() > 1).then_some(Value::Object(out))
        });
        let users: Vec<Value> = users.collect();
        if !users.is_empty() {
            out.insert("users".to_owned(), users.into());
        }
        Value::Object(out)
    }

    fn show_leaf(&self, leaf: &CapacityLeafView, last: bool, out: &mut Map<String, Value>) {
        out.insert("leaf".to_owned(), json!(true));
        put_count(out, "active-applications", leaf.active_applications);
        put_count(out, "pending-applications", leaf.pending_applications);
        put_number(out, "max-applications", i64::from(leaf.max_applications));
        put_number(out, "max-applications-per-user", i64::from(leaf.max_applications_per_user));
        if last {
            put_float(out, "user-limit", leaf.user_limit);
            put_float(out, "user-limit-factor", leaf.user_limit_factor);
            put_float(out, "am-percent", leaf.am_percent);
            put_float(out, "minimum-allocation-factor", leaf.minimum_allocation_factor);
        }
        self.put_amounts(out, "am-limit", &leaf.am_limit);
        self.put_amounts(out, "am-used", &leaf.am_used);
        self.put_amounts(out, "current-limit", &leaf.current_limit);
        put_number(out, "active-users", leaf.active_users);
        if !leaf.users.is_empty() {
            out.insert("users".to_owned(), leaf.users.iter().map(|user| self.show_user(user)).collect());
        }
    }

    fn show_user(&self, user: &CapacityUserView) -> Value {
        let mut out = Map::from_iter([("user".to_owned(), json!(user.user))]);
        self.put_amounts(&mut out, "used", &user.used);
        self.put_amounts(&mut out, "am-used", &user.am_used);
        put_number(&mut out, "active-applications", i64::from(user.active_applications));
        put_number(&mut out, "pending-applications", i64::from(user.pending_applications));
        if user.weight != 1.0 {
            out.insert("weight".to_owned(), json!(user.weight));
        }
        if let Some(limit) = &user.limit {
            self.put_amounts(&mut out, "limit", limit);
        }
        Value::Object(out)
    }

    fn show_app(&self, app: &CapacityAppView) -> Value {
        let mut out = Map::new();
        out.insert("app".to_owned(), json!(app.number));
        out.insert("queue".to_owned(), json!(app.queue));
        out.insert("state".to_owned(), json!(app.state));
        put_number(&mut out, "priority", i64::from(app.priority));
        self.put_amounts(&mut out, "used", &app.used);
        self.put_amounts(&mut out, "reserved", &app.reserved);
        self.put_amounts(&mut out, "pending", &app.pending);
        if !app.am_label.is_empty() {
            out.insert("am-label".to_owned(), json!(app.am_label));
        }
        let partitions = app.partitions.iter().filter_map(|partition| {
            let mut out = Map::from_iter([("label".to_owned(), json!(partition.label))]);
            self.put_amounts(&mut out, "used", &partition.used);
            self.put_amounts(&mut out, "reserved", &partition.reserved);
            self.put_amounts(&mut out, "pending", &partition.pending);
            (out.len() > 1).then_some(Value::Object(out))
        });
        let partitions: Vec<Value> = partitions.collect();
        if !partitions.is_empty() {
            out.insert("partitions".to_owned(), partitions.into());
        }
        Value::Object(out)
    }
}
