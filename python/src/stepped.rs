//! A scheduler without threads, to step through: nodes, applications, heartbeats, and the containers that they bring.
//!
//! An AM's part is played here: containers are fetched as soon as they are granted, and a node's next heartbeat reports
//! them as launched.
//!
//! Python makes one call at a time, whichever of its threads calls: no call lets another one in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::errors::{Refused, input, raised};
use crate::given::Given;
use crate::handles::{App, Container, Ended, Node};
use crate::scheduler::{
    self, AllocateRequest, Allocation, AppHandle, ContainerId, Core, EndedContainer, Field, Heartbeat, Labels,
    NodeHandle, Resource, View,
};
use evenweave::refused::NotFound;

/// What belongs to one scheduler is refused by another.
static SCHEDULERS: AtomicU64 = AtomicU64::new(0);

/// What an application has got, and has not asked for since.
#[derive(Debug)]
struct Mail {
    handle: AppHandle,
    granted: Vec<Container>,
    ended: Vec<Ended>,
    /// Containers that it was granted and that have not ended.
    live: HashMap<ContainerId, Container>,
}

/// A scheduler without threads: each call is complete when it returns, and time moves by `advance` alone.
#[pyclass(module = "evenweave")]
#[derive(Debug)]
pub(crate) struct Stepped {
    /// Python asks for something that threads may share; nobody ever waits for it.
    core: Mutex<Core>,
    policy: &'static str,
    warnings: Vec<String>,
    number: u64,
    now_ms: u64,
    apps: HashMap<u32, Mail>,
    /// By the number of the node: it, and what its next heartbeat reports as launched.
    nodes: HashMap<usize, (NodeHandle, Vec<ContainerId>)>,
}

fn refused(why: &scheduler::Refused) -> PyErr {
    Refused::new_err(why.to_string())
}

fn size(memory_mb: i64, vcores: i64) -> Resource {
    Resource::new(memory_mb, vcores)
}

fn dictionaries(py: Python<'_>, views: Vec<View>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    views.into_iter().map(|view| dictionary(py, view)).collect()
}

fn dictionary(py: Python<'_>, view: View) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, field) in view {
        match field {
            Field::Whole(value) => dict.set_item(name, value)?,
            Field::Real(value) => dict.set_item(name, value)?,
            Field::Flag(value) => dict.set_item(name, value)?,
            Field::Text(value) => dict.set_item(name, value)?,
            Field::Nothing => dict.set_item(name, py.None())?,
        }
    }
    Ok(dict)
}

impl Stepped {
    fn of(core: Core) -> Stepped {
        // ORDERING: Relaxed. Each gets another number, and nothing else depends on it.
        let number = SCHEDULERS.fetch_add(1, Ordering::Relaxed);
        let (policy, warnings) = (core.policy(), core.warnings.clone());
        let (apps, nodes) = (HashMap::new(), HashMap::new());
        Stepped { core: Mutex::new(core), policy, warnings, number, now_ms: 0, apps, nodes }
    }

    fn core(&mut self) -> &mut Core {
        self.core.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self, of: u64, what: impl FnOnce() -> String) -> PyResult<()> {
        if of == self.number {
            return Ok(());
        }
        Err(Refused::new_err(format!("{} belongs to another scheduler", what())))
    }

    fn own_node<'n>(&self, node: &'n Bound<'_, Node>) -> PyResult<&'n NodeHandle> {
        let node = node.get();
        self.own(node.of, || format!("node {:?}", node.handle.name()))?;
        if node.handle.is_gone() {
            return Err(refused(&scheduler::Refused::NotFound(NotFound::Node(node.handle.name().to_owned()))));
        }
        Ok(&node.handle)
    }

    fn own_app<'a>(&self, app: &'a Bound<'_, App>) -> PyResult<&'a AppHandle> {
        let app = app.get();
        self.own(app.of, || format!("application {}", app.handle.number()))?;
        Ok(&app.handle)
    }

    fn own_containers(&self, containers: Option<Vec<Bound<'_, Container>>>) -> PyResult<Vec<ContainerId>> {
        let one = |container: Bound<'_, Container>| {
            let container = container.get();
            self.own(container.of, || format!("container {}", container.name))?;
            Ok(container.id)
        };
        containers.unwrap_or_default().into_iter().map(one).collect()
    }

    /// Fetches what applications have got. New containers come by application, in the order in which the applications
    /// got the first, and within one in the order in which they were made.
    fn fetch(&mut self) -> PyResult<Vec<Container>> {
        let mut numbers = match self.core().news.lock() {
            Ok(mut news) => std::mem::take(&mut *news),
            Err(_) => Vec::new(),
        };
        numbers.dedup();
        let mut granted = Vec::new();
        let mut answer = Allocation::default();
        for number in numbers {
            let Some(mail) = self.apps.get(&number) else { continue };
            let handle = mail.handle.clone();
            self.core().fetch(&handle, &mut answer).map_err(|why| refused(&why))?;
            granted.extend(self.take_in(number, &answer));
        }
        Ok(granted)
    }

    /// Keeps an answer for the application's next `allocate`.
    fn take_in(&mut self, number: u32, answer: &Allocation) -> Vec<Container> {
        let granted: Vec<Container> = answer.granted.iter().map(|container| self.container(container)).collect();
        for container in &answer.granted {
            if let Some((_, launched)) = self.nodes.get_mut(&container.node.index()) {
                launched.push(container.id);
            }
        }
        let Some(mail) = self.apps.get_mut(&number) else { return granted };
        mail.live.extend(granted.iter().map(|container| (container.id, container.clone())));
        mail.granted.extend(granted.iter().cloned());
        for EndedContainer { id, reason, .. } in &answer.ended {
            if let Some(container) = mail.live.remove(id) {
                mail.ended.push(Ended { container, reason: reason.as_str() });
            }
        }
        granted
    }

    fn container(&mut self, container: &scheduler::Container) -> Container {
        let node = self.nodes.get(&container.node.index());
        let node = node.map(|(node, _)| node.name().to_owned()).unwrap_or_default();
        Container {
            of: self.number,
            id: container.id,
            name: self.core().name(container.id),
            app: container.id.application_number(),
            node,
            priority: container.priority,
            memory_mb: container.resource.memory_mb(),
            vcores: container.resource.vcores(),
        }
    }

    fn call(&mut self, app: &AppHandle, request: &AllocateRequest) -> PyResult<()> {
        let mut answer = Allocation::default();
        self.core().allocate(app, request, &mut answer).map_err(|why| refused(&why))?;
        self.take_in(app.number(), &answer);
        self.fetch().map(drop)
    }
}

#[pymethods]
impl Stepped {
    /// A FairScheduler. `text` is an allocation file's; without one there is `root.default` alone.
    #[classmethod]
    #[pyo3(signature = (text=None, *, properties=None, name="fair-scheduler.xml"))]
    fn fair(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        text: Option<&str>,
        properties: Option<Bound<'_, PyAny>>,
        name: &str,
    ) -> PyResult<Stepped> {
        let core = Core::fair(text, name, &read(py, properties)?);
        core.map(Stepped::of).map_err(|failure| raised(py, failure))
    }

    /// A CapacityScheduler. `text` is a capacity-scheduler.xml's.
    #[classmethod]
    #[pyo3(signature = (text, *, properties=None, name="capacity-scheduler.xml"))]
    fn capacity(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        text: &str,
        properties: Option<Bound<'_, PyAny>>,
        name: &str,
    ) -> PyResult<Stepped> {
        let core = Core::capacity(text, name, &read(py, properties)?);
        core.map(Stepped::of).map_err(|failure| raised(py, failure))
    }

    /// `fair` or `capacity`.
    #[getter]
    fn policy(&self) -> &'static str {
        self.policy
    }

    /// Virtual time.
    #[getter]
    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// What was to be said of the file.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[pyo3(signature = (name, memory_mb, vcores, rack="/default-rack"))]
    fn add_node(&mut self, name: &str, memory_mb: i64, vcores: i64, rack: &str) -> PyResult<Node> {
        let handle = self.core().add_node(name, rack, size(memory_mb, vcores)).map_err(|why| refused(&why))?;
        self.nodes.insert(handle.id().index(), (handle.clone(), Vec::new()));
        Ok(Node { of: self.number, handle })
    }

    fn remove_node(&mut self, node: &Bound<'_, Node>) -> PyResult<()> {
        let node = self.own_node(node)?;
        self.core().remove_node(node).map_err(|why| refused(&why))?;
        self.fetch().map(drop)
    }

    fn resize_node(&mut self, node: &Bound<'_, Node>, memory_mb: i64, vcores: i64) -> PyResult<()> {
        let node = self.own_node(node)?;
        self.core().resize_node(node, size(memory_mb, vcores)).map_err(|why| refused(&why))
    }

    /// Adds node labels; those that are there stay as they are. Nodes of a label that is not exclusive are lent to asks
    /// that name no label.
    #[pyo3(signature = (names, *, exclusive=true))]
    fn add_labels(&mut self, names: Vec<String>, exclusive: bool) -> PyResult<()> {
        self.core().add_labels(names, exclusive).map_err(|why| refused(&why))
    }

    /// Removes node labels: nodes that have one have none then.
    fn remove_labels(&mut self, names: Vec<String>) -> PyResult<()> {
        self.core().remove_labels(&names).map_err(|why| refused(&why))?;
        self.fetch().map(drop)
    }

    /// Gives nodes, by name, another label, or none. They need not be there yet.
    fn set_node_labels(&mut self, nodes: &Bound<'_, PyDict>) -> PyResult<()> {
        let nodes = nodes.iter().map(|(node, label)| Ok((node.extract()?, label.extract()?)));
        let nodes: Vec<(String, Option<String>)> = nodes.collect::<PyResult<_>>()?;
        self.core().set_node_labels(&nodes).map_err(|why| refused(&why))?;
        self.fetch().map(drop)
    }

    /// `app` is a number that no other application has. With `am_memory_mb` its AM runs in a container, which is the
    /// first that it gets; until then it can ask for nothing. `label` is that of asks which name none, `am_label` the
    /// AM's own.
    #[pyo3(signature = (app, user, queue=None, *, am_memory_mb=None, am_vcores=1, label=None, am_label=None))]
    #[expect(clippy::too_many_arguments, reason = "a submission has so many fields")]
    fn submit(
        &mut self,
        app: u32,
        user: &str,
        queue: Option<&str>,
        am_memory_mb: Option<i64>,
        am_vcores: i64,
        label: Option<&str>,
        am_label: Option<&str>,
    ) -> PyResult<App> {
        if am_memory_mb.is_none() && am_label.is_some() {
            return Err(input("am_label is of an AM: give am_memory_mb too"));
        }
        let am = am_memory_mb.map(|memory_mb| size(memory_mb, am_vcores));
        let labels = Labels { of_app: label, of_am: am_label };
        let handle = self.core().submit(app, user, queue, am, &labels).map_err(|why| refused(&why))?;
        let mail = Mail { handle: handle.clone(), granted: Vec::new(), ended: Vec::new(), live: HashMap::new() };
        self.apps.insert(app, mail);
        Ok(App { of: self.number, handle, user: user.to_owned() })
    }

    /// Asks for so many containers in all: the number replaces the one before of the same priority and place. `where`
    /// is `*`, or the name of a rack or node; a node needs lines for its rack and for `*`, too. `label` is that of the
    /// nodes, where `where` is `*`; the empty text is for nodes without one.
    #[pyo3(signature = (app, priority, count, memory_mb, vcores, r#where="*", relax=true, label=None))]
    #[expect(clippy::too_many_arguments, reason = "the line of an AM's call has so many fields")]
    fn ask(
        &mut self,
        app: &Bound<'_, App>,
        priority: i32,
        count: u32,
        memory_mb: i64,
        vcores: i64,
        r#where: &str,
        relax: bool,
        label: Option<&str>,
    ) -> PyResult<()> {
        let app = self.own_app(app)?;
        let line = self.core().ask(priority, size(memory_mb, vcores), count, r#where, label).relaxed(relax);
        self.call(app, &AllocateRequest::new([line]))
    }

    /// An AM's call: releases containers, and gives those that were granted and those that have ended since the last.
    #[pyo3(signature = (app, release=None))]
    fn allocate(
        &mut self,
        app: &Bound<'_, App>,
        release: Option<Vec<Bound<'_, Container>>>,
    ) -> PyResult<(Vec<Container>, Vec<Ended>)> {
        let app = self.own_app(app)?;
        let releases = self.own_containers(release)?;
        self.call(app, &AllocateRequest::default().with_releases(releases))?;
        let mail = self.apps.get_mut(&app.number());
        Ok(mail.map(|mail| (std::mem::take(&mut mail.granted), std::mem::take(&mut mail.ended))).unwrap_or_default())
    }

    /// What an application can still get, memory in MiB and vcores.
    fn headroom(&mut self, app: &Bound<'_, App>) -> PyResult<(i64, i64)> {
        let app = self.own_app(app)?;
        let room = self.core().headroom(app).map_err(|why| refused(&why))?;
        Ok((room.memory_mb(), room.vcores()))
    }

    /// A node's report, after which it is offered: gives the containers that it gets, by application. Those that it got
    /// before count as launched unless `launched` says which are.
    #[pyo3(signature = (node, completed=None, launched=None))]
    fn heartbeat(
        &mut self,
        node: &Bound<'_, Node>,
        completed: Option<Vec<Bound<'_, Container>>>,
        launched: Option<Vec<Bound<'_, Container>>>,
    ) -> PyResult<Vec<Container>> {
        let handle = self.own_node(node)?;
        let completed = self.own_containers(completed)?;
        let due = self.nodes.get_mut(&handle.id().index()).map(|(_, due)| std::mem::take(due));
        let launched = match launched {
            Some(launched) => self.own_containers(Some(launched))?,
            None => due.unwrap_or_default(),
        };
        let mut report = Heartbeat::new(handle);
        report.add_launched(launched.into_iter().filter(|id| !completed.contains(id)));
        report.add_completed(completed);
        self.core().heartbeat(report);
        self.fetch()
    }

    /// Offers every node, as continuous and asynchronous scheduling do, and gives the containers.
    fn offer_all(&mut self) -> PyResult<Vec<Container>> {
        self.core().offer_all();
        self.fetch()
    }

    fn finish(&mut self, app: &Bound<'_, App>) -> PyResult<()> {
        let app = self.own_app(app)?;
        self.core().finish(app).map_err(|why| refused(&why))?;
        self.fetch()?;
        self.apps.remove(&app.number());
        Ok(())
    }

    fn move_app(&mut self, app: &Bound<'_, App>, queue: &str) -> PyResult<()> {
        let app = self.own_app(app)?;
        self.core().move_app(app, queue).map_err(|why| refused(&why))
    }

    /// Moves the clock.
    fn advance(&mut self, ms: u64) -> PyResult<()> {
        let now = self.now_ms.checked_add(ms).filter(|now| i64::try_from(*now).is_ok());
        self.now_ms = now.ok_or_else(|| input(format!("advance by {ms} ms is beyond the end of time, 2^63 ms")))?;
        self.core().advance(ms);
        self.fetch().map(drop)
    }

    /// Computes the fair shares. A FairScheduler counts new demand from the next update on; a CapacityScheduler counts
    /// it at once.
    fn update(&mut self) -> PyResult<()> {
        self.core().update();
        self.fetch().map(drop)
    }

    /// A round of preemption: how many containers it marks. `kill_due` ends those whose time has come.
    fn preempt(&mut self) -> PyResult<usize> {
        let marked = self.core().preempt().map_err(|why| refused(&why))?;
        self.fetch()?;
        Ok(marked)
    }

    fn kill_due(&mut self) -> PyResult<()> {
        self.core().kill_due().map_err(|why| refused(&why))?;
        self.fetch().map(drop)
    }

    fn queues<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        dictionaries(py, self.core().queues())
    }

    /// A dictionary for each queue and partition, the default one first; nothing of a FairScheduler.
    fn queues_by_label<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        dictionaries(py, self.core().queues_by_label())
    }

    /// The same of applications.
    fn apps_by_label<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        dictionaries(py, self.core().apps_by_label())
    }

    /// The labels by name, with how many nodes have them; the default partition first, with an empty name. Nothing
    /// where labels are off.
    fn labels<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let labels = self.core().labels().map_err(|why| refused(&why))?;
        dictionaries(py, labels)
    }

    fn apps<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        dictionaries(py, self.core().apps())
    }

    fn nodes<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        dictionaries(py, self.core().nodes())
    }

    fn containers<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        dictionaries(py, self.core().containers())
    }

    fn stats<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.core().stats())
    }

    /// Why an application waits, in sentences.
    fn why(&mut self, app: &Bound<'_, App>) -> PyResult<Vec<String>> {
        let app = self.own_app(app)?;
        Ok(self.core().why(app))
    }

    fn __repr__(&self) -> String {
        let Stepped { policy, nodes, apps, now_ms, .. } = self;
        format!("<Stepped {policy}, {} nodes, {} applications, {now_ms} ms>", nodes.len(), apps.len())
    }
}

fn read(py: Python<'_>, properties: Option<Bound<'_, PyAny>>) -> PyResult<Vec<(String, String)>> {
    let given = PyDict::new(py);
    given.set_item("properties", properties)?;
    Given(&given).properties("properties")
}
