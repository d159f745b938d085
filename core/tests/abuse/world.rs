//! A scheduler with a bystander: an application that asks, is served and gives back, whatever another does.

use evenweave::SchedulerApi as _;
use evenweave::refused::TryAgain;
use evenweave::resource::ResourceTypes;
use evenweave::view::{AppView, NodeView, QueueView};
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, Container, FairScheduler, FairSchedulerBuilder,
    Heartbeat, Location, NewAttempt, NodeHandle, Refused, Resource, Settings, Stepped, Submission,
};
use evenweave_testkit::{send, until};

pub(crate) const SMALL: Resource = Resource::new(1024, 1);

/// The scheduler in one of its forms.
pub(crate) enum Core {
    Stepped(Box<Stepped>),
    Threaded(FairScheduler),
}

pub(crate) struct World {
    pub(crate) core: Core,
    pub(crate) nodes: Vec<NodeHandle>,
    pub(crate) answer: Allocation,
    bystander: Option<AppHandle>,
}

pub(crate) fn allocations(text: &str) -> AllocationFile {
    AllocationFile::parse(text, "abuse.xml", &ResourceTypes::standard(), &[]).unwrap().file
}

/// As many containers a heartbeat as fit, and any size.
pub(crate) fn builder() -> FairSchedulerBuilder {
    builder_with(&[])
}

pub(crate) fn builder_with(more: &[(&str, &str)]) -> FairSchedulerBuilder {
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.maximum-allocation-mb", "2147483647"),
        ("yarn.scheduler.maximum-allocation-vcores", "2147483647"),
        ("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "2000000000"),
    ];
    let settings = Settings::from_properties(properties.into_iter().chain(more.iter().copied())).unwrap();
    let file = allocations(
        "<allocations><queue name='bystander'/><queue name='abuser'/>\
         <queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault></allocations>",
    );
    FairScheduler::builder().settings(settings).allocations(file).timers(false)
}

/// The same for the stepped scheduler, alone and with workers, and for threads. The lanes are short.
pub(crate) fn each(builder: impl Fn() -> FairSchedulerBuilder, abuse: impl Fn(&mut World)) {
    for workers in [1, 3] {
        abuse(&mut World::of(Core::Stepped(Box::new(builder().workers(workers).stepped().unwrap()))));
    }
    let threaded = builder().workers(3).channel_capacity(256).start().unwrap();
    abuse(&mut World::of(Core::Threaded(threaded)));
}

impl World {
    pub(crate) fn of(core: Core) -> World {
        World { core, nodes: Vec::new(), answer: Allocation::default(), bystander: None }
    }

    pub(crate) fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        let node = match &mut self.core {
            Core::Stepped(stepped) => stepped.add_node(name, rack, total),
            Core::Threaded(scheduler) => scheduler.add_node(name, rack, total),
        }?;
        self.nodes.push(node.clone());
        Ok(node)
    }

    /// So many nodes with this much each.
    pub(crate) fn cluster(&mut self, nodes: usize, total: Resource) {
        for i in 0..nodes {
            self.add_node(&format!("n{i}"), &format!("/r{}", i / 40), total).unwrap();
        }
    }

    pub(crate) fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.resize_node(node, total),
            Core::Threaded(scheduler) => scheduler.resize_node(node, total),
        }
    }

    pub(crate) fn remove_node(&mut self, node: &NodeHandle) {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.remove_node(node),
            Core::Threaded(scheduler) => scheduler.remove_node(node),
        }
        .unwrap();
        self.nodes.retain(|other| other.id() != node.id());
    }

    pub(crate) fn location(&self, name: &str) -> Location {
        match &self.core {
            Core::Stepped(stepped) => stepped.location(name),
            Core::Threaded(scheduler) => scheduler.location(name),
        }
    }

    pub(crate) fn submit(&mut self, submission: Submission) -> Result<AppHandle, Refused> {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.submit(submission),
            Core::Threaded(scheduler) => scheduler.submit(submission),
        }
    }

    pub(crate) fn app(&mut self, number: u32, queue: &str) -> AppHandle {
        let queue = Some(queue.to_owned());
        self.submit(Submission::new(number, "eve").maybe_in_queue(queue)).unwrap()
    }

    /// Many at once, where that can be had.
    pub(crate) fn submit_all(&mut self, submissions: Vec<Submission>) -> Vec<Result<AppHandle, Refused>> {
        match &mut self.core {
            Core::Stepped(stepped) => submissions.into_iter().map(|submission| stepped.submit(submission)).collect(),
            Core::Threaded(scheduler) => scheduler.submit_all(submissions).unwrap().wait().unwrap(),
        }
    }

    pub(crate) fn finish(&mut self, app: &AppHandle) {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.finish(app),
            Core::Threaded(scheduler) => scheduler.finish(app),
        }
        .unwrap();
    }

    pub(crate) fn finish_all(&mut self, apps: &[AppHandle]) {
        for app in apps {
            match &mut self.core {
                Core::Stepped(stepped) => stepped.finish(app).unwrap(),
                Core::Threaded(scheduler) => {
                    until("room for the end", || scheduler.begin_finish(app) != Err(Refused::TryAgain(TryAgain::Busy)));
                }
            }
        }
        self.settle();
    }

    pub(crate) fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.new_attempt(app, new),
            Core::Threaded(scheduler) => scheduler.new_attempt(app, new),
        }
    }

    /// A call; whatever it answers is in `answer`.
    pub(crate) fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest) -> Result<(), Refused> {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.allocate(app, request, &mut self.answer),
            Core::Threaded(scheduler) => {
                let outcome = scheduler.allocate(app, request, &mut self.answer);
                scheduler.quiesce().unwrap();
                outcome
            }
        }
    }

    pub(crate) fn ask(&mut self, app: &AppHandle, asks: Vec<Ask>) -> Result<(), Refused> {
        self.allocate(app, &AllocateRequest::new(asks))
    }

    pub(crate) fn settle(&self) {
        if let Core::Threaded(scheduler) = &self.core {
            scheduler.quiesce().unwrap();
        }
    }

    pub(crate) fn update(&mut self) {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.update_now(),
            Core::Threaded(scheduler) => {
                scheduler.quiesce().unwrap();
                FairScheduler::update_now(scheduler).unwrap();
                scheduler.quiesce().unwrap();
            }
        }
    }

    pub(crate) fn heartbeat(&mut self, heartbeat: Heartbeat) {
        match &mut self.core {
            Core::Stepped(stepped) => stepped.heartbeat(&heartbeat),
            Core::Threaded(scheduler) => {
                assert_eq!(send(scheduler, heartbeat, &mut 0), Ok(()));
            }
        }
    }

    /// An update, and an offer of every node.
    pub(crate) fn offer_all(&mut self) {
        self.update();
        for node in self.nodes.clone() {
            self.heartbeat(Heartbeat::new(&node));
        }
        self.settle();
    }

    /// What was granted to an application and not yet fetched.
    pub(crate) fn fetch(&mut self, app: &AppHandle) -> Vec<Container> {
        self.allocate(app, &AllocateRequest::default()).unwrap();
        std::mem::take(&mut self.answer.granted)
    }

    pub(crate) fn views(&mut self) -> (Vec<NodeView>, Vec<AppView>, Vec<QueueView>) {
        match &mut self.core {
            Core::Stepped(stepped) => (stepped.nodes(), stepped.apps(), stepped.queues()),
            Core::Threaded(scheduler) => (scheduler.nodes(), scheduler.apps().unwrap(), scheduler.queues().unwrap()),
        }
    }

    pub(crate) fn running(&self) -> u64 {
        match &self.core {
            Core::Stepped(stepped) => stepped.stats().running,
            Core::Threaded(scheduler) => scheduler.stats().running,
        }
    }

    /// The bystander asks for two containers, gets them on the present nodes, and gives them back; then the books
    /// balance.
    pub(crate) fn bystander_is_served(&mut self) {
        let app = match self.bystander.take() {
            Some(app) => app,
            None => {
                let queue = Some("bystander".to_owned());
                self.submit(Submission::new(u32::MAX, "bob").maybe_in_queue(queue)).unwrap()
            }
        };
        self.ask(&app, vec![Ask::anywhere(1, SMALL, 2)]).unwrap();
        self.offer_all();
        let granted = self.fetch(&app);
        assert_eq!(granted.len(), 2, "the bystander was not served");
        self.books_balance();
        let releases: Vec<_> = granted.iter().map(|container| container.id).collect();
        self.allocate(&app, &AllocateRequest::default().with_releases(releases)).unwrap();
        self.bystander = Some(app);
        self.books_balance();
    }

    /// What nodes have given is what applications have, and what queues count, at any size.
    pub(crate) fn books_balance(&mut self) {
        self.settle();
        let (nodes, apps, queues) = self.views();
        let wide = |of: &mut dyn Iterator<Item = Resource>| {
            of.fold([0_i128; 2], |[mb, vcores], r| [mb + i128::from(r.memory_mb()), vcores + i128::from(r.vcores())])
        };
        let given = wide(&mut nodes.iter().map(|node| node.total.minus(&node.free)));
        let had = wide(&mut apps.iter().map(|app| app.usage));
        let counted = wide(&mut queues.iter().filter(|queue| queue.leaf).map(|queue| queue.usage));
        let root = wide(&mut queues.iter().filter(|queue| queue.name == "root").map(|queue| queue.usage));
        assert_eq!([given, had, counted], [root; 3], "nodes, applications and leaf queues beside root");
        for queue in &queues {
            for amount in [queue.usage, queue.demand, queue.fair_share, queue.steady_fair_share, queue.max_share] {
                assert!(amount.amounts().iter().all(|lane| *lane >= 0), "{queue:?}");
            }
        }
        for app in &apps {
            for amount in [app.usage, app.demand, app.fair_share, app.outstanding] {
                assert!(amount.amounts().iter().all(|lane| *lane >= 0), "{app:?}");
            }
        }
    }
}
