//! Development only: the core's API over a greedy first-come-first-served mock, so that the driver can be run.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    unnameable_types,
    reason = "goes away"
)]
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, clippy::needless_pass_by_value, reason = "goes away")]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};

pub use evenweave::{Resource, ResourceTypes};

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);
pub type SettingsError = Refused;
pub type AllocationFileError = Refused;
pub type NodeError = Refused;
pub type BuildError = Refused;
pub type SubmitRefusal = Refused;

#[derive(Debug, Clone, Default)]
pub struct Settings(HashMap<String, String>);
impl Settings {
    pub fn from_properties<'a>(iter: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Settings, SettingsError> {
        Ok(Settings(iter.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect()))
    }
}

#[derive(Debug, Clone, Default)]
pub struct AllocationFile(Vec<String>);
#[derive(Debug)]
pub struct Parsed {
    pub file: AllocationFile,
    pub warnings: Vec<Refused>,
}
impl AllocationFile {
    pub fn parse(
        text: &str,
        source: &str,
        _types: &ResourceTypes,
        _custom: &[String],
    ) -> Result<Parsed, AllocationFileError> {
        if !text.contains("<allocations>") {
            return Err(Refused(format!("{source}:1:1: expected <allocations>")));
        }
        let mut stack = Vec::<String>::new();
        let mut names = vec!["root".to_owned()];
        for tag in text.split('<') {
            if let Some(rest) = tag.strip_prefix("queue name=\"") {
                let name = &rest[..rest.find('"').unwrap()];
                if name == "root" || name.starts_with("root.") {
                    stack.push(name.to_owned());
                } else {
                    stack.push(format!("{}.{name}", stack.last().map_or("root", String::as_str)));
                }
                names.push(stack.last().unwrap().clone());
                if tag.contains("/>") {
                    stack.pop();
                }
            } else if tag.starts_with("/queue>") {
                stack.pop();
            }
        }
        names.sort();
        names.dedup();
        Ok(Parsed { file: AllocationFile(names), warnings: vec![] })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location(u32);
impl Location {
    pub const ANY: Location = Location(0);
}
#[derive(Clone, Debug)]
pub struct Ask {
    pub priority: i32,
    pub location: Location,
    pub resource: Resource,
    pub count: i32,
    pub relax_locality: bool,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerId(u32, u32);
impl ContainerId {
    pub fn number(&self) -> u32 {
        self.1
    }
    pub fn application_number(&self) -> u32 {
        self.0
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);
impl NodeId {
    pub fn index(&self) -> usize {
        self.0 as usize
    }
}
#[derive(Clone, Copy, Debug)]
pub struct Container {
    pub id: ContainerId,
    pub node: NodeId,
    pub priority: i32,
    pub resource: Resource,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    Completed,
    Released,
    AppFinished,
    NodeLost,
    Preempted,
    Expired,
}
#[derive(Clone, Copy, Debug)]
pub struct EndedContainer {
    pub id: ContainerId,
    pub reason: EndReason,
}
#[derive(Default, Debug)]
pub struct AllocateRequest {
    pub asks: Vec<Ask>,
    pub releases: Vec<ContainerId>,
    pub blacklist_add: Vec<Location>,
    pub blacklist_remove: Vec<Location>,
}
#[derive(Default, Debug)]
pub struct Allocation {
    pub granted: Vec<Container>,
    pub ended: Vec<EndedContainer>,
    pub headroom: Resource,
}
#[derive(Clone, Debug)]
pub struct Submission {
    pub number: u32,
    pub user: String,
    pub queue: Option<String>,
    pub am: Option<Resource>,
}
#[derive(Clone, Debug)]
pub struct AppHandle(u32, Arc<str>);
impl AppHandle {
    pub fn number(&self) -> u32 {
        self.0
    }
    pub fn queue(&self) -> String {
        self.1.to_string()
    }
}
#[derive(Clone, Debug)]
pub struct NodeHandle(NodeId);
impl NodeHandle {
    pub fn id(&self) -> NodeId {
        self.0
    }
}
#[derive(Clone, Debug)]
pub struct Heartbeat {
    pub node: NodeHandle,
    pub launched: Vec<ContainerId>,
    pub completed: Vec<ContainerId>,
    pub stamp: u64,
}
impl Heartbeat {
    pub fn new(node: &NodeHandle) -> Heartbeat {
        Heartbeat { node: node.clone(), launched: vec![], completed: vec![], stamp: 0 }
    }
}
pub trait HeartbeatProbe: Send + Sync {
    fn taken(&self, worker: usize, stamp: u64) -> u64;
    fn served(&self, worker: usize, stamp: u64, token: u64, grants: u32);
}
#[derive(Debug)]
pub enum TrySendError<T> {
    Full(T),
    Closed(T),
}
#[derive(Debug, thiserror::Error)]
pub enum AllocateError {
    #[error("busy")]
    Busy,
    #[error("no such application")]
    NoSuchApp,
}
#[derive(Clone, Debug, Default)]
pub struct QueueView {
    pub name: String,
    pub leaf: bool,
    pub policy: String,
    pub fair_share: Resource,
    pub steady_fair_share: Resource,
    pub usage: Resource,
    pub demand: Resource,
    pub min_share: Resource,
    pub max_share: Resource,
    pub runnable: u32,
    pub non_runnable: u32,
    pub pending: u32,
    pub am_usage: Resource,
}
#[derive(Clone, Debug)]
pub struct AppView {
    pub app: u32,
    pub queue: String,
    pub fair_share: Resource,
    pub usage: Resource,
    pub demand: Resource,
    pub runnable: bool,
}
#[derive(Clone, Debug)]
pub struct NodeView {
    pub name: String,
    pub free: Resource,
}
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub granted: u64,
    pub completed: u64,
    pub heartbeats: u64,
    pub cluster: Resource,
    pub allocated: Resource,
    pub snapshot_version: u64,
    pub snapshot_age_ms: u64,
    pub running: u64,
    pub pending_demand: Resource,
}
#[derive(Debug)]
pub struct StepRefusal(&'static str);
impl StepRefusal {
    pub fn kind(&self) -> &'static str {
        self.0
    }
}
#[derive(Clone, Debug)]
pub struct AllocatedView {
    pub app: u32,
    pub container: u32,
    pub node: String,
    pub priority: i32,
    pub resource: Resource,
}
#[derive(Clone, Debug, Default)]
pub struct StepOutcome {
    pub allocated: Vec<AllocatedView>,
    pub completed: Vec<(u32, u32, &'static str)>,
    pub reserved: Vec<AllocatedView>,
    pub held: Vec<(String, u32, Resource)>,
}

#[derive(Debug)]
struct Live {
    node: NodeId,
    resource: Resource,
}
#[derive(Debug)]
struct App {
    queue: Arc<str>,
    asks: BTreeMap<i32, (i32, Resource)>,
    live: HashMap<u32, Live>,
    next: u32,
    mailbox: Vec<Container>,
}
#[derive(Default, Debug)]
struct Core {
    names: Vec<String>,
    nodes: Vec<(String, Resource, Resource)>,
    apps: HashMap<u32, App>,
    order: VecDeque<u32>,
    incoming: VecDeque<u32>,
    seen: i64,
    last: u64,
    stats: Stats,
    usage: HashMap<Arc<str>, Resource>,
}
impl Core {
    fn beat(&mut self, hb: &Heartbeat, woken: &mut Vec<u32>) -> u32 {
        for id in &hb.completed {
            let app = self.apps.get_mut(&id.0);
            if let Some(live) = app.and_then(|a| a.live.remove(&id.1)) {
                self.end(id.0, &live);
            }
        }
        self.stats.heartbeats += 1;
        let now = crate::clock::now_ns();
        if now > self.last + 500_000_000 {
            self.update(now);
        }
        let node = hb.node.0;
        let mut made = 0;
        'offer: while let Some(&number) = self.order.front() {
            let Some(app) = self.apps.get_mut(&number) else {
                self.order.pop_front();
                continue;
            };
            let before = app.mailbox.len();
            while let Some((&priority, (count, resource))) = app.asks.iter_mut().find(|(_, (c, _))| *c > 0) {
                let free = &mut self.nodes[node.index()].2;
                if !resource.fits_in(free) {
                    if app.mailbox.len() > before {
                        woken.push(number);
                    }
                    break 'offer;
                }
                *free = free.minus(resource);
                *count -= 1;
                app.next += 1;
                made += 1;
                let id = ContainerId(number, app.next);
                app.live.insert(id.1, Live { node, resource: *resource });
                app.mailbox.push(Container { id, node, priority, resource: *resource });
                self.stats.granted += 1;
                self.stats.allocated = self.stats.allocated.plus(resource);
                let used = self.usage.entry(app.queue.clone()).or_default();
                *used = used.plus(resource);
            }
            if app.mailbox.len() > before {
                woken.push(number);
            }
            self.order.pop_front();
        }
        made
    }
    fn update(&mut self, now: u64) {
        self.last = now;
        let mut incoming = std::mem::take(&mut self.incoming);
        self.order.append(&mut incoming);
        let asked: i64 =
            self.apps.values().map(|a| a.asks.values().map(|(c, r)| i64::from(*c) * r.memory_mb()).sum::<i64>()).sum();
        self.seen = asked;
    }
    fn end(&mut self, app: u32, live: &Live) {
        let node = &mut self.nodes[live.node.index()].2;
        *node = node.plus(&live.resource);
        self.stats.allocated = self.stats.allocated.minus(&live.resource);
        self.stats.completed += 1;
        if let Some(used) = self.apps.get(&app).and_then(|a| self.usage.get_mut(&a.queue)) {
            *used = used.minus(&live.resource);
        }
    }
    fn add_node(&mut self, name: &str, total: Resource) -> NodeHandle {
        self.nodes.push((name.to_owned(), total, total));
        self.stats.cluster = self.stats.cluster.plus(&total);
        NodeHandle(NodeId(self.nodes.len() as u32 - 1))
    }
    fn submit(&mut self, s: Submission) -> Result<AppHandle, Refused> {
        let queue: Arc<str> = s.queue.unwrap_or_else(|| "root.default".into()).into();
        let mut asks = BTreeMap::new();
        if let Some(am) = s.am {
            asks.insert(0, (1, am));
            self.incoming.push_back(s.number);
        }
        self.apps.insert(s.number, App { queue: queue.clone(), asks, live: HashMap::new(), next: 0, mailbox: vec![] });
        Ok(AppHandle(s.number, queue))
    }
    fn allocate(&mut self, app: u32, r: &AllocateRequest, out: &mut Allocation) -> Result<(), AllocateError> {
        out.granted.clear();
        out.ended.clear();
        let a = self.apps.get_mut(&app).ok_or(AllocateError::NoSuchApp)?;
        for ask in &r.asks {
            a.asks.insert(ask.priority, (ask.count, ask.resource));
            self.incoming.push_back(app);
        }
        out.granted.append(&mut a.mailbox);
        Ok(())
    }
    fn finish(&mut self, app: u32) {
        let live: Vec<u32> = self.apps.get(&app).map(|a| a.live.keys().copied().collect()).unwrap_or_default();
        for c in live {
            let l = self.apps.get_mut(&app).unwrap().live.remove(&c).unwrap();
            self.end(app, &l);
        }
        self.apps.remove(&app);
    }
    fn stats(&self) -> Stats {
        let mut s = self.stats.clone();
        s.running = s.granted - s.completed;
        let asked = self.seen;
        s.pending_demand = Resource::new(asked, asked / 2048);
        s
    }
    fn queues(&self) -> Vec<QueueView> {
        let leaf = |n: &str| !self.names.iter().any(|m| m.starts_with(&format!("{n}.")));
        let leaves = self.names.iter().filter(|n| leaf(n)).count() as i64;
        let under = |n: &str, m: &str| m == n || m.starts_with(&format!("{n}."));
        self.names
            .iter()
            .map(|n| {
                let count = self.names.iter().filter(|m| leaf(m) && under(n, m)).count() as i64;
                let c = self.stats.cluster;
                let share = Resource::new(c.memory_mb() * count / leaves, c.vcores() * count / leaves);
                let usage =
                    self.usage.iter().filter(|(m, _)| under(n, m)).fold(Resource::NONE, |sum, (_, r)| sum.plus(r));
                QueueView {
                    name: n.clone(),
                    leaf: leaf(n),
                    policy: "DRF".into(),
                    fair_share: share,
                    steady_fair_share: share,
                    usage,
                    ..QueueView::default()
                }
            })
            .collect()
    }
    fn apps(&self) -> Vec<AppView> {
        let mut out: Vec<AppView> = self
            .apps
            .iter()
            .map(|(n, a)| {
                let usage = a.live.values().fold(Resource::NONE, |s, l| s.plus(&l.resource));
                let asked = a.asks.values().fold(Resource::NONE, |s, (c, r)| s.plus(&r.times_int(i64::from(*c))));
                AppView {
                    app: *n,
                    queue: a.queue.to_string(),
                    fair_share: Resource::NONE,
                    usage,
                    demand: usage.plus(&asked),
                    runnable: true,
                }
            })
            .collect();
        out.sort_by_key(|a| a.app);
        out
    }
    fn nodes(&self) -> Vec<NodeView> {
        self.nodes.iter().map(|(n, _, free)| NodeView { name: n.clone(), free: *free }).collect()
    }
}

type OnGrants = Arc<dyn Fn(u32) + Send + Sync>;
#[derive(Default)]
pub struct Builder {
    names: Vec<String>,
    probe: Option<Arc<dyn HeartbeatProbe>>,
    on_grants: Option<OnGrants>,
}
impl Builder {
    pub fn settings(self, _s: Settings) -> Self {
        self
    }
    pub fn allocations(mut self, file: AllocationFile) -> Self {
        self.names = file.0;
        self
    }
    pub fn workers(self, _n: usize) -> Self {
        self
    }
    pub fn cluster_timestamp(self, _t: u64) -> Self {
        self
    }
    pub fn channel_capacity(self, _n: usize) -> Self {
        self
    }
    pub fn resort_for_each_container(self, _b: bool) -> Self {
        self
    }
    pub fn probe(mut self, p: Arc<dyn HeartbeatProbe>) -> Self {
        self.probe = Some(p);
        self
    }
    pub fn on_grants(mut self, f: OnGrants) -> Self {
        self.on_grants = Some(f);
        self
    }
    pub fn start(self) -> Result<FairScheduler, BuildError> {
        let core = Core { names: self.names, ..Core::default() };
        Ok(FairScheduler(Arc::new(Shared { core: Mutex::new(core), probe: self.probe, on_grants: self.on_grants })))
    }
    pub fn stepped(self) -> Result<Stepped, BuildError> {
        let core = Core { names: self.names, ..Core::default() };
        Ok(Stepped { core, on_grants: self.on_grants })
    }
}
struct Shared {
    core: Mutex<Core>,
    probe: Option<Arc<dyn HeartbeatProbe>>,
    on_grants: Option<OnGrants>,
}
#[derive(Clone)]
pub struct FairScheduler(Arc<Shared>);
impl FairScheduler {
    pub fn builder() -> Builder {
        Builder::default()
    }
    pub fn add_node(&self, name: &str, _rack: &str, total: Resource) -> Result<NodeHandle, NodeError> {
        Ok(self.0.core.lock().unwrap().add_node(name, total))
    }
    pub fn heartbeat(&self, hb: Heartbeat) -> Result<(), TrySendError<Heartbeat>> {
        let _ = self.heartbeats(vec![hb]);
        Ok(())
    }
    pub fn heartbeats(&self, hbs: Vec<Heartbeat>) -> Result<(), Vec<Heartbeat>> {
        for hb in hbs {
            let mut woken = vec![];
            let token = self.0.probe.as_ref().filter(|_| hb.stamp != 0).map(|p| p.taken(0, hb.stamp));
            let made = self.0.core.lock().unwrap().beat(&hb, &mut woken);
            if let (Some(p), Some(t)) = (&self.0.probe, token) {
                p.served(0, hb.stamp, t, made);
            }
            if let Some(f) = &self.0.on_grants {
                woken.into_iter().for_each(|n| f(n));
            }
        }
        Ok(())
    }
    pub fn submit(&self, s: Submission) -> Result<AppHandle, SubmitRefusal> {
        self.0.core.lock().unwrap().submit(s)
    }
    pub fn allocate(&self, app: &AppHandle, r: &AllocateRequest, out: &mut Allocation) -> Result<(), AllocateError> {
        self.0.core.lock().unwrap().allocate(app.0, r, out)
    }
    pub fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.0.core.lock().unwrap().finish(app.0);
        Ok(())
    }
    pub fn queues(&self) -> Vec<QueueView> {
        self.0.core.lock().unwrap().queues()
    }
    pub fn apps(&self) -> Vec<AppView> {
        self.0.core.lock().unwrap().apps()
    }
    pub fn nodes(&self) -> Vec<NodeView> {
        self.0.core.lock().unwrap().nodes()
    }
    pub fn update_now(&self) {
        self.0.core.lock().unwrap().update(crate::clock::now_ns());
    }
    pub fn quiesce(&self) {}
    pub fn stats(&self) -> Stats {
        self.0.core.lock().unwrap().stats()
    }
    pub fn shutdown(&self) {}
}

pub struct Stepped {
    core: Core,
    on_grants: Option<OnGrants>,
}
impl Stepped {
    pub fn add_node(&mut self, name: &str, _rack: &str, total: Resource) -> Result<NodeHandle, NodeError> {
        Ok(self.core.add_node(name, total))
    }
    pub fn remove_node(&mut self, _name: &str) -> Result<(), StepRefusal> {
        Err(StepRefusal("no-such-node"))
    }
    pub fn heartbeat(&mut self, hb: Heartbeat) {
        let mut woken = vec![];
        self.core.beat(&hb, &mut woken);
        if let Some(f) = &self.on_grants {
            woken.into_iter().for_each(|n| f(n));
        }
    }
    pub fn submit(&mut self, s: Submission) -> Result<AppHandle, SubmitRefusal> {
        self.core.submit(s)
    }
    pub fn allocate(&mut self, app: &AppHandle, r: &AllocateRequest, o: &mut Allocation) -> Result<(), AllocateError> {
        self.core.allocate(app.0, r, o)
    }
    pub fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.core.finish(app.0);
        Ok(())
    }
    pub fn queues(&self) -> Vec<QueueView> {
        self.core.queues()
    }
    pub fn apps(&self) -> Vec<AppView> {
        self.core.apps()
    }
    pub fn nodes(&self) -> Vec<NodeView> {
        self.core.nodes()
    }
    pub fn stats(&self) -> Stats {
        self.core.stats()
    }
    pub fn advance(&mut self, _ms: u64) {}
    pub fn update(&mut self) {
        self.core.update(crate::clock::now_ns());
    }
    pub fn take_outcome(&mut self) -> StepOutcome {
        StepOutcome::default()
    }
    pub fn location(&self, _name: &str) -> Location {
        Location::ANY
    }
    pub fn release_number(&mut self, _app: u32, _number: u32) -> Result<(), StepRefusal> {
        Ok(())
    }
    pub fn launch_number(&mut self, _app: u32, _number: u32) -> Result<(), StepRefusal> {
        Ok(())
    }
    pub fn complete_number(&mut self, _app: u32, _number: u32) -> Result<(), StepRefusal> {
        Ok(())
    }
    pub fn finish_number(&mut self, _app: u32) -> Result<(), StepRefusal> {
        Ok(())
    }
    pub fn allocate_numbered(
        &mut self,
        _app: u32,
        _asks: &[Ask],
        _add: &[&str],
        _remove: &[&str],
    ) -> Result<Resource, StepRefusal> {
        Ok(Resource::NONE)
    }
    pub fn move_app(&mut self, _app: u32, _queue: &str) -> Result<(), StepRefusal> {
        Ok(())
    }
    pub fn reload(&mut self, _text: Option<&str>) -> Result<(), StepRefusal> {
        Ok(())
    }
    pub fn continuous(&mut self) {}
}
impl Refused {
    pub fn kind(&self) -> &'static str {
        "placement"
    }
}
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Builder")
    }
}
