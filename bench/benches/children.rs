//! Who is offered the node next: children kept in order against children sorted anew, by policy and by how many there
//! are.
//!
//! An iteration is what a grant asks of one level: the first child gets a container, another one ends one, both have
//! their new places, and the next first is known. Sorting anew is what Hadoop does, with its comparator, for each
//! container. Both sides are in one process, so their ratio stands when the machine is noisy.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use evenweave::Resource;
use evenweave::parts::Children;
use evenweave::policy::{ClusterTotal, Schedulable, SchedulingPolicy, Tie};
use evenweave::shares::{Drf, Fair, Fifo};

const WIDTHS: [usize; 4] = [10, 100, 1_000, 10_000];
const CONTAINER: Resource = Resource::new(2048, 1);

/// Siblings of one queue, every one of them wanting more.
struct Siblings<'p> {
    policy: &'p dyn SchedulingPolicy,
    cluster: ClusterTotal,
    usage: Vec<Resource>,
    demand: Resource,
    /// Whose container ends next.
    ending: usize,
}

impl Siblings<'_> {
    fn new(policy: &dyn SchedulingPolicy, count: usize) -> Siblings<'_> {
        let containers = |i: usize| CONTAINER.times_int(10 + i64::try_from(i % 7).expect("small"));
        let all = i64::try_from(20 * count).expect("few");
        Siblings {
            policy,
            cluster: ClusterTotal::new(2, CONTAINER.times_int(all)),
            usage: (0..count).map(containers).collect(),
            demand: CONTAINER.times_int(1 << 20),
            ending: 0,
        }
    }

    fn sibling(&self, position: u32) -> Schedulable<'_> {
        let tie = Tie::new(position.into(), position.into());
        Schedulable::new(&self.usage[position as usize], &self.demand, &Resource::ZERO)
            .with_weight([1.0, 2.0, 3.0, 4.0][position as usize % 4])
            .with_tie(tie)
    }

    /// One more container for whom is first, one less for the next in turn; gives that one.
    fn change(&mut self, first: u32) -> u32 {
        self.usage[first as usize] = self.usage[first as usize].plus(&CONTAINER);
        while self.usage[self.ending] == Resource::ZERO {
            self.ending = (self.ending + 1) % self.usage.len();
        }
        let ended = self.ending;
        self.usage[ended] = self.usage[ended].minus(&CONTAINER);
        self.ending = (ended + 1) % self.usage.len();
        u32::try_from(ended).expect("positions are u32")
    }
}

fn kept_in_order(criterion: &mut Criterion, name: &str, policy: &dyn SchedulingPolicy, width: usize) {
    let mut siblings = Siblings::new(policy, width);
    let mut children = Children::new(width);
    let place = |children: &mut Children, siblings: &Siblings<'_>, position| {
        let key = siblings.policy.key(&siblings.cluster, &siblings.sibling(position));
        children.set(position, key.expect("weights are positive"));
    };
    for position in 0..u32::try_from(width).expect("positions are u32") {
        place(&mut children, &siblings, position);
    }
    criterion.benchmark_group(format!("children_{name}")).bench_function(
        BenchmarkId::new("kept_in_order", width),
        |bencher| {
            bencher.iter(|| {
                let first = children.first().expect("somebody is there");
                let ended = siblings.change(first);
                place(&mut children, &siblings, first);
                place(&mut children, &siblings, ended);
            });
        },
    );
}

fn sorted_anew(criterion: &mut Criterion, name: &str, policy: &dyn SchedulingPolicy, width: usize) {
    let mut siblings = Siblings::new(policy, width);
    let all: Vec<u32> = (0..u32::try_from(width).expect("positions are u32")).collect();
    let mut order = Vec::with_capacity(width);
    let mut group = criterion.benchmark_group(format!("children_{name}"));
    group.sample_size(if width >= 1_000 { 10 } else { 100 });
    group.bench_function(BenchmarkId::new("sorted_anew", width), |bencher| {
        bencher.iter(|| {
            order.clear();
            order.extend_from_slice(&all);
            order.sort_by(|a, b| policy.compare(&siblings.cluster, &siblings.sibling(*a), &siblings.sibling(*b)));
            siblings.change(order[0])
        });
    });
}

fn next_child(criterion: &mut Criterion) {
    let policies: [(&str, &dyn SchedulingPolicy); 3] = [("fair", &Fair), ("drf", &Drf), ("fifo", &Fifo)];
    for (name, policy) in policies {
        for width in WIDTHS {
            kept_in_order(criterion, name, policy, width);
            sorted_anew(criterion, name, policy, width);
        }
    }
}

criterion_group!(benches, next_child);
criterion_main!(benches);
