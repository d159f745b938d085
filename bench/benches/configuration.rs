//! What it costs to read a large allocation file, to build a scheduler from it, and to reload it into a running one.
//!
//! The promise is 10,000 queues read and built in less than 100 ms. The series over 1,000, 10,000 and 50,000 queues
//! shows that the cost grows with the file, and the flat one that it does so too when all queues have one parent. The
//! same promise holds for the capacity-scheduler.xml of a CapacityScheduler.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use evenweave::SchedulerApi as _;
use evenweave::config::{Missing, SiteFile, SiteProperties, parse_resource};
use evenweave::resource::ResourceTypes;
use evenweave::{
    AllocationFile, CapacityConfiguration, CapacityScheduler, CapacityStepped, FairScheduler, Resource, Stepped,
};

#[path = "../examples/large_allocation_file/generate.rs"]
mod generate;

#[path = "../examples/large_allocation_file/capacity.rs"]
mod capacity;

use capacity::capacity_scheduler;
use generate::{Form, allocation_file};

const SIZES: [usize; 3] = [1_000, 10_000, 50_000];

fn parse(text: &str) -> AllocationFile {
    let parsed = AllocationFile::parse(text, "large.xml", &ResourceTypes::standard(), &[]).expect("a valid file");
    assert!(parsed.warnings.is_empty(), "{}", parsed.warnings[0]);
    parsed.file
}

fn build(file: AllocationFile) -> Stepped {
    FairScheduler::builder().allocations(file).stepped().expect("one worker")
}

fn running(text: &str) -> Stepped {
    let mut scheduler = build(parse(text));
    scheduler.add_node("n1", "/r1", Resource::new(131_072, 64)).expect("a new node");
    scheduler.update_now();
    scheduler
}

fn allocation_files(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("allocation_file");
    group.sample_size(10);
    let series = SIZES.into_iter().map(|queues| ("three_levels", Form::ThreeLevels, queues));
    for (form, shape, queues) in series.chain([("flat", Form::Flat, 10_000)]) {
        let text = allocation_file(shape, queues);
        let id = |what: &str| BenchmarkId::new(format!("{what}_{form}"), queues);
        group.throughput(Throughput::Elements(queues as u64));
        group.bench_function(id("parse_and_build"), |bencher| {
            bencher.iter_with_large_drop(|| build(parse(&text)));
        });
        group.bench_function(id("parse"), |bencher| bencher.iter_with_large_drop(|| parse(&text)));
        group.bench_function(id("build"), |bencher| {
            let file = parse(&text);
            bencher.iter_batched(|| file.clone(), build, BatchSize::PerIteration);
        });
        group.bench_function(id("reload"), |bencher| {
            let mut scheduler = running(&text);
            assert_eq!(scheduler.queues().len(), queues + 1, "every queue of the file, and root");
            bencher.iter(|| scheduler.reload_text(&text).expect("a valid file"));
        });
    }
    group.finish();
}

fn site_file(text: &str) -> SiteFile {
    SiteFile::parse(text, "capacity-scheduler.xml").expect("a valid file")
}

fn capacity_configuration(file: &SiteFile) -> CapacityConfiguration {
    CapacityConfiguration::from_site(&SiteProperties::new(), file).expect("valid queues")
}

fn capacity_of(configuration: CapacityConfiguration) -> CapacityStepped {
    CapacityScheduler::builder(configuration).stepped().expect("valid queues")
}

fn capacity_files(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("capacity_file");
    group.sample_size(10);
    for size in SIZES {
        let (text, queues) = capacity_scheduler(size);
        group.throughput(Throughput::Elements(queues as u64));
        group.bench_function(BenchmarkId::new("parse_and_build", size), |bencher| {
            bencher.iter_with_large_drop(|| capacity_of(capacity_configuration(&site_file(&text))));
        });
        group.bench_function(BenchmarkId::new("parse", size), |bencher| {
            bencher.iter_with_large_drop(|| site_file(&text));
        });
        let file = site_file(&text);
        group.bench_function(BenchmarkId::new("read", size), |bencher| {
            bencher.iter_with_large_drop(|| capacity_configuration(&file));
        });
        let configuration = capacity_configuration(&file);
        group.bench_function(BenchmarkId::new("build", size), |bencher| {
            bencher.iter_batched(|| configuration.clone(), capacity_of, BatchSize::PerIteration);
        });
        let mut scheduler = capacity_of(configuration);
        scheduler.add_node("n1", "/r1", Resource::new(131_072, 64)).expect("a new node");
        assert_eq!(scheduler.queues().len(), queues + 1, "every queue of the file, and root");
        group.bench_function(BenchmarkId::new("refresh", size), |bencher| {
            bencher.iter(|| scheduler.refresh_properties(file.pairs()).expect("valid queues"));
        });
        group.bench_function(BenchmarkId::new("parse_and_refresh", size), |bencher| {
            bencher.iter(|| scheduler.refresh_properties(site_file(&text).pairs()).expect("valid queues"));
        });
    }
    group.finish();
}

fn resource_strings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resource_string");
    let types = ResourceTypes::standard();
    for (notation, text) in [
        ("named_amounts", "memory-mb=65536, vcores=32"),
        ("named_percentages", "memory-mb=12.5%, vcores=40%"),
        ("bare_percentages", "12.5% memory, 40% cpu"),
        ("bare_amounts", "65536 mb, 32 vcores"),
    ] {
        group.bench_function(notation, |bencher| {
            bencher.iter(|| parse_resource(std::hint::black_box(text), &types, Missing::Max).expect("a resource"));
        });
    }
    group.finish();
}

criterion_group!(benches, allocation_files, capacity_files, resource_strings);
criterion_main!(benches);
