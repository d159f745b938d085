//! What several targets share: the form of their inputs, and what must hold of every tree of queues.

use evenweave::config::{ROOT, SiteFile, SiteProperties, trim_java};
use evenweave::SchedulerApi as _;
use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Resource, Settings, Stepped, Submission};
use std::collections::HashMap;

/// The resource types of the targets that have no properties: all that the recorded cases use.
pub const TYPES: [(&str, &str); 4] = [("gpu", ""), ("fpga", "G"), ("yarn.io/gpu", ""), ("scratch", "Mi")];

/// Lines `name=value` as properties; a line without `=` says nothing.
pub fn properties(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once('='))
}

/// The site's properties and the file of a CapacityScheduler: lines `name=value` of the site stand behind a line `%%`.
/// `None` for what is no site file, which is the business of another target.
#[must_use]
pub fn capacity_input(bytes: &[u8], source: &str) -> Option<(SiteProperties, SiteFile)> {
    let text = SiteFile::decode(bytes, source).ok()?;
    let (text, rest) = text.split_once("\n%%\n").unwrap_or((&text, ""));
    let file = SiteFile::parse(text, source).ok()?;
    let mut yarn_site = SiteProperties::new();
    for (name, value) in properties(rest) {
        yarn_site.set(name, value);
    }
    Some((yarn_site, file))
}

/// Checks that the queues form a tree under root, and that every name is one that Hadoop would give.
///
/// # Panics
/// When they do not.
pub fn check_tree(scheduler: &mut Stepped) {
    let queues = scheduler.queues();
    let leaves: HashMap<&str, bool> = queues.iter().map(|queue| (queue.name.as_str(), queue.leaf)).collect();
    assert_eq!(leaves.len(), queues.len(), "two queues of one name");
    assert_eq!(leaves.get(ROOT), Some(&false), "root is a parent");
    for name in leaves.keys().filter(|name| **name != ROOT) {
        let (parent, last) = name.rsplit_once('.').expect("every other queue is below root");
        assert_eq!(leaves.get(parent), Some(&false), "{name:?} is below no parent queue");
        assert!(!last.is_empty() && last == trim_java(last), "{name:?}");
    }
}

/// Whether a message is one line with something in it, as a terminal or log wants it.
#[must_use]
pub fn is_one_line(message: &str) -> bool {
    !message.is_empty() && !message.contains(['\n', '\r'])
}

/// Lets an application run by these settings, as far as they let it.
pub fn schedule(settings: Settings) {
    // What Hadoop takes and nothing can be compared with, as `NaN`, is refused here.
    let fault = settings.fault();
    let mut stepped = match (FairScheduler::builder().settings(settings).stepped(), fault) {
        (Ok(stepped), None) => stepped,
        (Err(_), Some(_)) => return,
        (made, fault) => panic!("{fault:?} and yet {:?}", made.err()),
    };
    let node = stepped.add_node("n1", "/r1", Resource::new(16_384, 16)).expect("a fresh node");
    let submission = Submission::new(1, "al").with_am(Resource::new(1024, 1));
    // What is asked for may be above the largest container.
    let Ok(app) = stepped.submit(submission) else { return };
    stepped.update_now();
    stepped.heartbeat(&Heartbeat::new(&node));
    let asks = vec![Ask::anywhere(1, Resource::new(1000, 1), 2)];
    let request = AllocateRequest::new(asks);
    // The AM may not have its container.
    let _ = stepped.allocate(&app, &request, &mut Allocation::default());
    stepped.heartbeat(&Heartbeat::new(&node));
}

/// What the readers of traces say of a file that cannot be read.
#[path = "../../tools/src/system_fault.rs"]
pub mod system_fault;

/// The readers of traces alone: the package that they are of has a server and plots, too.
#[path = "../../tools/src/traces/mod.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, unused_imports, reason = "what no target uses")]
pub mod traces;

/// Whether bytes are packed: a few may be very many.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// More jobs than these are not drawn of one input: a recipe may be for millions.
const MAX_JOBS: usize = 200;

/// Reads a trace: every job has what a simulator needs, and what is refused has a place and one line.
///
/// # Panics
/// When that is not so.
pub fn check_trace(bytes: &[u8], kind: Option<traces::TraceKind>) {
    let mut options = traces::TraceOptions::default();
    options.kind = kind;
    options.longest_job = 1 << 18;
    let trace = match traces::Trace::read(std::io::Cursor::new(bytes.to_vec()), "t", &options) {
        Ok(trace) => trace,
        Err(error) => return assert!(is_one_line(&error.to_string()), "{error}"),
    };
    for item in trace.take(MAX_JOBS) {
        match item {
            Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
            Ok(traces::Item::Refused(refusal)) => {
                assert!(refusal.at.line > 0 && refusal.at.column > 0);
                assert!(is_one_line(&refusal.problem) && is_one_line(&refusal.help));
            }
            Ok(traces::Item::Job(job)) => {
                assert!(job.count > 0 && job.tasks.iter().all(|task| task.count > 0 && task.duration_ms > 0));
            }
            Ok(traces::Item::Node(_)) => {}
        }
    }
}
