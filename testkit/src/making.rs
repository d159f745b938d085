//! What most tests begin with.

use evenweave::resource::ResourceTypes;
use evenweave::{
    AllocateRequest, AllocationFile, Ask, CapacityConfiguration, CapacityScheduler, CapacitySchedulerBuilder,
    FairScheduler, FairSchedulerBuilder, Resource, Settings, Submission,
};
use std::str::FromStr;

/// The container of most tests.
pub const SMALL: Resource = Resource::new(1024, 1);

/// Settings of `yarn-site.xml`.
pub fn settings(properties: &[(&str, &str)]) -> Settings {
    Settings::from_properties(properties.iter().copied()).unwrap()
}

/// A whole node is offered at once.
pub fn greedy() -> Settings {
    settings(&[
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.max.assign", "-1"),
    ])
}

/// An allocation file, of memory and vcores.
pub fn allocations(text: &str) -> AllocationFile {
    AllocationFile::parse(text, "allocations", &ResourceTypes::standard(), &[]).unwrap().file
}

/// An allocation file with this inside its root element.
pub fn queues(inside: &str) -> AllocationFile {
    allocations(&format!("<allocations>{inside}</allocations>"))
}

/// A FairScheduler with these settings, and an allocation file with this inside its root element.
pub fn fair(properties: &[(&str, &str)], inside: &str) -> FairSchedulerBuilder {
    FairScheduler::builder().settings(settings(properties)).allocations(queues(inside))
}

/// A CapacityScheduler with these properties of `yarn-site.xml` and of `capacity-scheduler.xml`.
pub fn capacity<'a>(
    site: impl IntoIterator<Item = (&'a str, &'a str)>,
    queues: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> CapacitySchedulerBuilder {
    CapacityScheduler::builder(CapacityConfiguration::from_properties(site, queues).unwrap())
}

/// An application of ann's, without a container for its AM.
pub fn unmanaged(number: u32, queue: &str) -> Submission {
    Submission::new(number, "ann").in_queue(queue)
}

/// So many small containers, wherever they may be.
pub fn ask(count: u32) -> AllocateRequest {
    AllocateRequest::new([Ask::anywhere(1, SMALL, count)])
}

/// A number that a variable of the environment may change.
pub fn number<T: FromStr>(variable: &str, otherwise: T) -> T {
    let Ok(text) = std::env::var(variable) else { return otherwise };
    text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable} is to be a whole number, and is {text:?}"))
}
