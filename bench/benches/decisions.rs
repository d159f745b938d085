//! What one container costs, on the caller's thread: children kept in order against children sorted anew.
//!
//! Both sides run the same decision code in the same process, so their ratio stands when the machine is noisy. A round
//! is a heartbeat that reports one container as completed and is granted one again, on a full cluster.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use evenweave::SchedulerApi as _;
use evenweave::resource::ResourceTypes;
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, ContainerId, FairScheduler, Heartbeat, NodeHandle,
    Resource, Settings, Stepped, Submission,
};

const CONTAINER: Resource = Resource::new(2048, 1);
const SLOTS: u32 = 64;

/// A full cluster, every application wanting more.
struct Bed {
    scheduler: Stepped,
    nodes: Vec<NodeHandle>,
    apps: Vec<AppHandle>,
    /// Containers that the AMs hold, to be completed one by one: (node, container).
    held: std::collections::VecDeque<(usize, ContainerId)>,
    answer: Allocation,
    /// Every call of an AM asks for the same number again, so that demand stays.
    request: AllocateRequest,
}

impl Bed {
    fn new(queues: u32, apps: u32, resort: bool) -> Bed {
        let mut file = String::from("<allocations><queue name='root'>");
        for queue in 0..queues {
            file += &format!("<queue name='q{queue}'><weight>{}</weight></queue>", 1 + queue % 4);
        }
        file += "</queue><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy></allocations>";
        let types = ResourceTypes::standard();
        let parsed = AllocationFile::parse(&file, "bench", &types, &[]).expect("a valid file");
        let settings =
            [("yarn.scheduler.fair.assignmultiple", "true"), ("yarn.scheduler.fair.dynamic.max.assign", "false")];
        let settings = Settings::from_properties(settings).expect("valid properties");
        let builder = FairScheduler::builder().settings(settings).allocations(parsed.file);
        let mut scheduler = builder.resort_for_each_container(resort).stepped().expect("one worker");
        let count = apps.div_ceil(SLOTS).max(20);
        let node = |i| (format!("n{i}"), Resource::new(131_072, i64::from(SLOTS)));
        let nodes: Vec<_> = (0..count)
            .map(node)
            .map(|(name, total)| scheduler.add_node(&name, "/r", total).expect("a new node"))
            .collect();
        let mut answer = Allocation::default();
        let wanted = 2 * count * SLOTS / apps + 1;
        let request = AllocateRequest::new([Ask::anywhere(1, CONTAINER, wanted)]);
        let apps: Vec<_> = (0..apps)
            .map(|number| {
                let queue = Some(format!("root.q{}", number % queues));
                let submission = Submission::new(number, "u").maybe_in_queue(queue);
                let app = scheduler.submit(submission).expect("a queue of the file");
                scheduler.allocate(&app, &request, &mut answer).expect("a valid ask");
                app
            })
            .collect();
        scheduler.update_now();
        let mut bed = Bed { scheduler, nodes, apps, held: Default::default(), answer, request };
        for node in 0..bed.nodes.len() {
            bed.scheduler.heartbeat(Heartbeat::new(&bed.nodes[node]));
        }
        for app in 0..bed.apps.len() {
            bed.collect(app);
        }
        bed
    }

    fn collect(&mut self, app: usize) {
        self.scheduler.allocate(&self.apps[app], &self.request, &mut self.answer).expect("a valid ask");
        self.held.extend(self.answer.granted.iter().map(|granted| (granted.node.index(), granted.id)));
    }

    fn round(&mut self) {
        let (node, container) = self.held.pop_front().expect("the cluster is full");
        let mut heartbeat = Heartbeat::new(&self.nodes[node]);
        heartbeat.add_completed([container]);
        self.scheduler.heartbeat(&heartbeat);
        let app = container.application_number() as usize;
        self.collect(app);
        if self.held.is_empty() {
            (0..self.apps.len()).for_each(|app| self.collect(app));
        }
    }
}

fn one_container(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one_container");
    for (queues, apps) in [(10, 100), (100, 1_000)] {
        for (name, resort) in [("kept_in_order", false), ("sorted_anew", true)] {
            let mut bed = Bed::new(queues, apps, resort);
            group.bench_function(BenchmarkId::new(name, format!("{queues}q_{apps}a")), |bencher| {
                bencher.iter(|| bed.round());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, one_container);
criterion_main!(benches);
