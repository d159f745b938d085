//! What is used of the core: either scheduler without threads, behind one set of calls.

use std::sync::{Arc, Mutex};

pub(crate) use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, Container, ContainerId, EndedContainer, Heartbeat, NodeHandle,
    Refused, Resource,
};

use evenweave::SchedulerApi;
use evenweave::config::{SiteFile, SiteProperties};
use evenweave::labels::NewLabel;
use evenweave::resource::ResourceTypes;
use evenweave::view::{
    AppView, CapacityAppView, CapacityQueueView, CapacityStats, ContainerView, LabelView, NodeView, PreemptionRound,
    QueueView, Stats,
};
use evenweave::{
    AllocationFile, AmRequest, CapacityConfiguration, CapacityScheduler, CapacityStepped, FairScheduler, Location,
    Settings, Stepped, Submission,
};

use crate::simulator::Failure;

/// The labels of a submission: of the nodes that the application wants, and of those that its AM may get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels<'a> {
    pub(crate) of_app: Option<&'a str>,
    pub(crate) of_am: Option<&'a str>,
}

/// Numbers of applications that have news.
pub(crate) type News = Arc<Mutex<Vec<u32>>>;

/// A field of a view.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Whole(i64),
    Real(f64),
    Flag(bool),
    Text(String),
    Nothing,
}

/// A view by name of field.
pub(crate) type View = Vec<(String, Field)>;

/// Either scheduler.
#[derive(Debug)]
enum Either {
    Fair(Box<Stepped>),
    Capacity(Box<CapacityStepped>),
}

/// A scheduler, and what was to be said of its file.
#[derive(Debug)]
pub(crate) struct Core {
    either: Either,
    types: ResourceTypes,
    pub(crate) warnings: Vec<String>,
    pub(crate) news: Arc<Mutex<Vec<u32>>>,
}

/// The same call of either.
macro_rules! of_either {
    ($core:expr, $one:ident => $call:expr) => {
        match &mut $core.either {
            Either::Fair($one) => $call,
            Either::Capacity($one) => $call,
        }
    };
}

fn site(properties: &[(String, String)]) -> SiteProperties {
    properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn wake_up(news: &News) -> evenweave::WakeUp {
    let news = Arc::clone(news);
    Arc::new(move |number| {
        if let Ok(mut news) = news.lock() {
            news.push(number);
        }
    })
}

impl Core {
    /// A FairScheduler with an allocation file, or with none.
    pub(crate) fn fair(text: Option<&str>, name: &str, properties: &[(String, String)]) -> Result<Core, Failure> {
        let settings = Settings::from_site(&site(properties))?;
        let types = settings.types.clone();
        let mut warnings: Vec<String> = settings.warnings().iter().map(ToString::to_string).collect();
        let news = News::default();
        let mut builder = FairScheduler::builder().settings(settings).on_grants(wake_up(&news));
        if let Some(text) = text {
            let parsed = AllocationFile::parse(text, name, &types, &[])?;
            warnings.extend(parsed.warnings.iter().map(ToString::to_string));
            builder = builder.allocations(parsed.file);
        }
        let stepped = builder.stepped().map_err(|error| Failure::input(error.to_string()))?;
        Ok(Core { either: Either::Fair(Box::new(stepped)), types, warnings, news })
    }

    /// A CapacityScheduler.
    pub(crate) fn capacity(text: &str, name: &str, properties: &[(String, String)]) -> Result<Core, Failure> {
        let file = SiteFile::parse(text, name)?;
        let configuration = CapacityConfiguration::from_site(&site(properties), &file)?;
        configuration.check_supported().map_err(|error| Failure::input(error.to_string()))?;
        let warnings = configuration.file().warnings().iter().map(ToString::to_string).collect();
        let types = configuration.file().settings().types.clone();
        let news = News::default();
        let builder = CapacityScheduler::builder(configuration).on_grants(wake_up(&news));
        let stepped = builder.stepped().map_err(|error| Failure::input(error.to_string()))?;
        Ok(Core { either: Either::Capacity(Box::new(stepped)), types, warnings, news })
    }

    pub(crate) fn policy(&self) -> &'static str {
        match self.either {
            Either::Fair(_) => "fair",
            Either::Capacity(_) => "capacity",
        }
    }

    pub(crate) fn advance(&mut self, ms: u64) {
        of_either!(self, one => one.advance(ms));
    }

    pub(crate) fn update(&mut self) {
        of_either!(self, one => one.update_now());
    }

    pub(crate) fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        of_either!(self, one => one.add_node(name, rack, total))
    }

    pub(crate) fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        of_either!(self, one => one.remove_node(node))
    }

    pub(crate) fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        of_either!(self, one => one.resize_node(node, total))
    }

    pub(crate) fn submit(
        &mut self,
        number: u32,
        user: &str,
        queue: Option<&str>,
        am: Option<Resource>,
        labels: &Labels<'_>,
    ) -> Result<AppHandle, Refused> {
        let mut submission = Submission::new(number, user).maybe_in_queue(queue);
        if let Some(am) = am {
            let am = AmRequest::from(am);
            submission = submission.with_am(match labels.of_am {
                Some(label) => am.labelled(label),
                None => am,
            });
        }
        if let Some(label) = labels.of_app {
            submission = submission.labelled(label);
        }
        of_either!(self, one => one.submit(submission))
    }

    pub(crate) fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        of_either!(self, one => one.finish(app))
    }

    pub(crate) fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        of_either!(self, one => one.move_app(app, queue))
    }

    /// A line of an AM's call; `*` is anywhere.
    pub(crate) fn ask(
        &mut self,
        priority: i32,
        resource: Resource,
        count: u32,
        place: &str,
        label: Option<&str>,
    ) -> Ask {
        let location = if place == "*" { Location::ANY } else { of_either!(self, one => one.location(place)) };
        let ask = Ask::anywhere(priority, resource, count).at(location);
        match label {
            Some(label) => ask.labelled(of_either!(self, one => one.label(label))),
            None => ask,
        }
    }

    pub(crate) fn add_labels(&mut self, names: Vec<String>, exclusive: bool) -> Result<(), Refused> {
        let labels: Vec<NewLabel> = names.into_iter().map(|name| NewLabel { name, exclusive }).collect();
        of_either!(self, one => one.add_labels(&labels))
    }

    pub(crate) fn remove_labels(&mut self, names: &[String]) -> Result<(), Refused> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        of_either!(self, one => one.remove_labels(&names))
    }

    /// By node the label that it has from now on, or none.
    pub(crate) fn set_node_labels(&mut self, nodes: &[(String, Option<String>)]) -> Result<(), Refused> {
        let labels: Vec<Vec<&str>> = nodes.iter().map(|(_, label)| label.as_deref().into_iter().collect()).collect();
        let nodes: Vec<(&str, &[&str])> =
            nodes.iter().zip(&labels).map(|((node, _), labels)| (node.as_str(), labels.as_slice())).collect();
        of_either!(self, one => one.set_node_labels(&nodes))
    }

    pub(crate) fn labels(&mut self) -> Result<Vec<View>, Refused> {
        let labels = of_either!(self, one => one.labels())?;
        Ok(labels.iter().map(|label| self.types.label(label)).collect())
    }

    pub(crate) fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        of_either!(self, one => one.allocate(app, request, answer))
    }

    pub(crate) fn fetch(&mut self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        of_either!(self, one => one.fetch(app, answer))
    }

    pub(crate) fn headroom(&mut self, app: &AppHandle) -> Result<Resource, Refused> {
        of_either!(self, one => one.headroom(app))
    }

    pub(crate) fn heartbeat(&mut self, heartbeat: Heartbeat) {
        of_either!(self, one => one.heartbeat(heartbeat));
    }

    pub(crate) fn offer_all(&mut self) {
        of_either!(self, one => one.offer_all());
    }

    pub(crate) fn name(&mut self, container: ContainerId) -> String {
        of_either!(self, one => one.container_name(container).to_string())
    }

    /// A round of preemption; how many containers are marked for it.
    pub(crate) fn preempt(&mut self) -> Result<usize, Refused> {
        let rounds = of_either!(self, one => one.preempt())?;
        Ok(rounds.iter().map(PreemptionRound::count).sum())
    }

    pub(crate) fn kill_due(&mut self) -> Result<(), Refused> {
        of_either!(self, one => one.kill_due())
    }

    pub(crate) fn why(&mut self, app: &AppHandle) -> Vec<String> {
        match &mut self.either {
            Either::Fair(one) => {
                let words = evenweave::reason::Words::new(&self.types);
                one.why_waiting(app).iter().map(|reason| words.reason(reason)).collect()
            }
            Either::Capacity(one) => one.why_waiting(app).iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn queues(&mut self) -> Vec<View> {
        match &mut self.either {
            Either::Fair(one) => one.queues().iter().map(|queue| self.types.fair_queue(queue)).collect(),
            Either::Capacity(one) => one.queues().iter().map(|queue| self.types.capacity_queue(queue)).collect(),
        }
    }

    pub(crate) fn apps(&mut self) -> Vec<View> {
        match &mut self.either {
            Either::Fair(one) => one.apps().iter().map(|app| self.types.fair_app(app)).collect(),
            Either::Capacity(one) => one.apps().iter().map(|app| self.types.capacity_app(app)).collect(),
        }
    }

    pub(crate) fn nodes(&mut self) -> Vec<View> {
        let nodes = of_either!(self, one => one.nodes());
        let mut views: Vec<View> = nodes.iter().map(|node| self.types.node(node)).collect();
        if let Either::Capacity(one) = &mut self.either {
            let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
            for (view, label) in views.iter_mut().zip(one.node_labels(&names).unwrap_or_default()) {
                view.push(("label".to_owned(), Field::Text(label)));
            }
        }
        views
    }

    /// A row for each queue and partition; none of a FairScheduler.
    pub(crate) fn queues_by_label(&mut self) -> Vec<View> {
        let Either::Capacity(one) = &mut self.either else { return Vec::new() };
        let queues = one.queues();
        queues.iter().flat_map(|queue| self.types.queue_by_label(queue)).collect()
    }

    /// The same of applications.
    pub(crate) fn apps_by_label(&mut self) -> Vec<View> {
        let Either::Capacity(one) = &mut self.either else { return Vec::new() };
        let apps = one.apps();
        apps.iter().flat_map(|app| self.types.app_by_label(app)).collect()
    }

    pub(crate) fn containers(&mut self) -> Vec<View> {
        let containers = of_either!(self, one => one.containers());
        let names: Vec<String> = containers.iter().map(|view| self.name(view.id)).collect();
        containers.iter().zip(names).map(|(view, name)| self.types.container(view, name)).collect()
    }

    pub(crate) fn stats(&mut self) -> View {
        match &mut self.either {
            Either::Fair(one) => fair_stats(&one.stats()),
            Either::Capacity(one) => capacity_stats(&one.stats()),
        }
    }
}

/// Views by name of field. A resource is one field a type: `usage_memory_mb`, `usage_vcores`; types beyond these two
/// have their own names.
trait Views {
    fn amounts(&self, view: &mut View, name: &str, amounts: &Resource);

    fn fair_queue(&self, queue: &QueueView) -> View {
        let mut view = vec![
            text("name", &queue.name),
            ("leaf".to_owned(), Field::Flag(queue.leaf)),
            ("dynamic".to_owned(), Field::Flag(queue.dynamic)),
            text("policy", &queue.policy),
            real("weight", queue.weight),
        ];
        self.amounts(&mut view, "fair_share", &queue.fair_share);
        self.amounts(&mut view, "steady_fair_share", &queue.steady_fair_share);
        self.amounts(&mut view, "usage", &queue.usage);
        self.amounts(&mut view, "demand", &queue.demand);
        self.amounts(&mut view, "min_share", &queue.min_share);
        self.amounts(&mut view, "max_share", &queue.max_share);
        self.amounts(&mut view, "am_usage", &queue.am_usage);
        view.extend([
            whole("runnable", queue.runnable.into()),
            whole("non_runnable", queue.non_runnable.into()),
            whole("pending", queue.pending.into()),
            whole("max_running_apps", queue.max_running_apps.into()),
            count("preempted", queue.preempted),
        ]);
        view
    }

    fn fair_app(&self, app: &AppView) -> View {
        let mut view = vec![
            whole("app", app.id.number.into()),
            text("user", &app.user),
            text("queue", &app.queue),
            ("runnable".to_owned(), Field::Flag(app.runnable)),
        ];
        self.amounts(&mut view, "fair_share", &app.fair_share);
        self.amounts(&mut view, "usage", &app.usage);
        self.amounts(&mut view, "demand", &app.demand);
        self.amounts(&mut view, "outstanding", &app.outstanding);
        self.amounts(&mut view, "starvation", &app.starvation);
        view.extend([whole("reserved_nodes", app.reserved_nodes.into()), count("preempted", app.preempted)]);
        view
    }

    fn capacity_queue(&self, queue: &CapacityQueueView) -> View {
        let mut view = vec![
            text("name", &queue.name),
            ("leaf".to_owned(), Field::Flag(queue.leaf.is_some())),
            text("state", &queue.state),
            real("capacity", queue.capacity),
            real("absolute_capacity", queue.absolute_capacity),
            real("maximum_capacity", queue.maximum_capacity),
            real("absolute_maximum_capacity", queue.absolute_maximum_capacity),
            real("used_capacity", queue.used_capacity),
            real("absolute_used_capacity", queue.absolute_used_capacity),
        ];
        self.amounts(&mut view, "guaranteed", &queue.guaranteed);
        self.amounts(&mut view, "maximum", &queue.maximum);
        self.amounts(&mut view, "usage", &queue.used);
        self.amounts(&mut view, "reserved", &queue.reserved);
        self.amounts(&mut view, "pending", &queue.pending);
        view.extend([whole("applications", queue.applications), whole("containers", queue.containers)]);
        let leaf = queue.leaf.as_ref();
        let amount = |number: Option<usize>| number.map_or(Field::Nothing, |number| Field::Whole(long(number as u64)));
        view.push(("active_applications".to_owned(), amount(leaf.map(|leaf| leaf.active_applications))));
        view.push(("pending_applications".to_owned(), amount(leaf.map(|leaf| leaf.pending_applications))));
        view
    }

    fn capacity_app(&self, app: &CapacityAppView) -> View {
        let mut view = vec![
            whole("app", app.number.into()),
            text("queue", &app.queue),
            text("state", app.state),
            whole("priority", app.priority.into()),
        ];
        self.amounts(&mut view, "am", &app.am);
        self.amounts(&mut view, "usage", &app.used);
        self.amounts(&mut view, "reserved", &app.reserved);
        self.amounts(&mut view, "pending", &app.pending);
        view
    }

    fn queue_by_label(&self, queue: &CapacityQueueView) -> Vec<View> {
        let view = |label: &str, fractions: [f32; 6], amounts: [&Resource; 5]| {
            let mut view = vec![text("name", &queue.name), text("label", label)];
            let names = [
                "capacity",
                "absolute_capacity",
                "maximum_capacity",
                "absolute_maximum_capacity",
                "used_capacity",
                "absolute_used_capacity",
            ];
            view.extend(names.into_iter().zip(fractions).map(|(name, fraction)| real(name, fraction)));
            for (name, amount) in ["guaranteed", "maximum", "usage", "reserved", "pending"].into_iter().zip(amounts) {
                self.amounts(&mut view, name, amount);
            }
            view
        };
        /// Of the queue itself, and of a partition: their fields have the same names.
        macro_rules! row {
            ($of:expr, $label:expr) => {
                view(
                    $label,
                    [
                        $of.capacity,
                        $of.absolute_capacity,
                        $of.maximum_capacity,
                        $of.absolute_maximum_capacity,
                        $of.used_capacity,
                        $of.absolute_used_capacity,
                    ],
                    [&$of.guaranteed, &$of.maximum, &$of.used, &$of.reserved, &$of.pending],
                )
            };
        }
        let labelled = queue.partitions.iter().map(|part| row!(part, &part.label));
        std::iter::once(row!(queue, "")).chain(labelled).collect()
    }

    fn app_by_label(&self, app: &CapacityAppView) -> Vec<View> {
        let view = |label: &str, [used, reserved, pending]: [&Resource; 3]| {
            let mut view = vec![whole("app", app.number.into()), text("queue", &app.queue), text("label", label)];
            self.amounts(&mut view, "usage", used);
            self.amounts(&mut view, "reserved", reserved);
            self.amounts(&mut view, "pending", pending);
            view
        };
        let labelled = app.partitions.iter().map(|part| view(&part.label, [&part.used, &part.reserved, &part.pending]));
        std::iter::once(view("", [&app.used, &app.reserved, &app.pending])).chain(labelled).collect()
    }

    fn label(&self, label: &LabelView) -> View {
        let nodes = label.nodes.len() as u64;
        let mut view = vec![
            text("name", &label.name),
            ("exclusive".to_owned(), Field::Flag(label.exclusive)),
            count("nodes", nodes),
        ];
        self.amounts(&mut view, "total", &label.resource);
        view
    }

    fn node(&self, node: &NodeView) -> View {
        let mut view = vec![text("name", &node.name), text("rack", &node.rack)];
        self.amounts(&mut view, "total", &node.total);
        self.amounts(&mut view, "free", &node.free);
        view
    }

    fn container(&self, container: &ContainerView, name: String) -> View {
        let mut view = vec![
            ("name".to_owned(), Field::Text(name)),
            text("node", &container.node),
            whole("priority", container.priority.into()),
            ("launched".to_owned(), Field::Flag(container.launched)),
            ("ended".to_owned(), Field::Flag(container.ended)),
        ];
        self.amounts(&mut view, "size", &container.resource);
        view
    }
}

impl Views for ResourceTypes {
    fn amounts(&self, view: &mut View, name: &str, amounts: &Resource) {
        for index in 0..self.len() {
            // As in Python: memory_mb.
            view.push((format!("{name}_{}", self.name(index).replace('-', "_")), Field::Whole(amounts.get(index))));
        }
    }
}

fn fair_stats(stats: &Stats) -> View {
    vec![
        count("granted", stats.granted),
        count("node_local", stats.node_local),
        count("rack_local", stats.rack_local),
        count("completed", stats.completed),
        count("preempted", stats.preempted),
        count("running", stats.running),
        count("heartbeats", stats.heartbeats),
        count("reservations", stats.reservations),
    ]
}

fn capacity_stats(stats: &CapacityStats) -> View {
    vec![
        count("granted", stats.granted),
        count("node_local", stats.node_local),
        count("rack_local", stats.rack_local),
        count("completed", stats.completed),
        count("running", stats.running),
        count("heartbeats", stats.heartbeats),
        count("reservations", stats.reservations),
    ]
}

fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn text(name: &str, value: &str) -> (String, Field) {
    (name.to_owned(), Field::Text(value.to_owned()))
}

fn whole(name: &str, value: i64) -> (String, Field) {
    (name.to_owned(), Field::Whole(value))
}

fn count(name: &str, value: u64) -> (String, Field) {
    whole(name, long(value))
}

fn real(name: &str, value: f32) -> (String, Field) {
    (name.to_owned(), Field::Real(value.into()))
}
