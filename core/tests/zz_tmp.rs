use evenweave::prelude::*;
#[test]
fn t() -> Result<(), Box<dyn std::error::Error>> {

let mut scheduler = FairScheduler::builder().stepped()?;
scheduler.add_node("n1", "/rack1", Resource::new(8192, 8))?;
let app = scheduler.submit(Submission::new(1, "ann"))?;

// Three containers: preferably on n1, else in its rack, else on any node.
let anywhere = Ask::anywhere(1, Resource::new(1024, 1), 3);
let asks = [anywhere.clone().at(scheduler.location("n1")), anywhere.clone().at(scheduler.location("/rack1")), anywhere];
let mut answer = Allocation::default();
scheduler.allocate(&app, &AllocateRequest::new(asks), &mut answer)?;
assert!(answer.warnings.is_empty());
Ok::<(), Box<dyn std::error::Error>>(())

}
