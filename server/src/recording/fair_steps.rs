//! Steps of a recording on the FairScheduler.

#![expect(clippy::wildcard_enum_match_arm, reason = "the other steps are alike on both schedulers")]

use std::collections::HashMap;
use std::sync::Arc;

use evenweave::SchedulerApi as _;
use evenweave::parts::java::{resource_text, types_in_order};
use evenweave::reason::{AppOutcome, Decision, KeyOutcome, NotOffered, Obstacle, QueueVisit};
use evenweave::refused::{Limit, NoQueue};
use evenweave::resource::ResourceTypes;
use evenweave::view::RunningLimit;
use evenweave::{AllocationFile, FairScheduler, Refused, Resource, Settings, Submission};

use super::alike::{self, Locked as _};
use super::common::{TIMESTAMP, WEB_ADDRESS, pairs, resource};
use super::file::{Setup, Step, Submit};
use super::step_records::Keeping;
use crate::manager::{Cluster, ResourceManager};
use crate::records::AppRecord;
use crate::scheduler::{Basics, Steps};

/// A FairScheduler, and the ResourceManager over it.
pub(super) struct FairState {
    pub(super) manager: Arc<ResourceManager>,
    steps: Arc<Steps>,
    keeping: Keeping,
}

impl FairState {
    pub(super) fn start(setup: &Setup) -> Result<FairState, String> {
        let settings = Settings::from_properties(pairs(&setup.properties)).map_err(|error| error.to_string())?;
        let types = settings.types.clone();
        let basics = Basics::of_fair(&settings);
        let parsed = AllocationFile::parse(&setup.allocations, "allocations", &types, &[]);
        let stepped = FairScheduler::builder()
            .settings(settings)
            .allocations(parsed.map_err(|error| error.to_string())?.file)
            .groups(Arc::new(setup.groups.clone()))
            .cluster_timestamp(TIMESTAMP)
            .journal(true)
            .trace(true)
            .stepped()
            .map_err(|error| error.to_string())?;
        let steps = Arc::new(Steps::new(stepped, basics));
        let cluster = Cluster::new(TIMESTAMP, WEB_ADDRESS).with_properties(pairs(&setup.properties));
        let manager = Arc::new(ResourceManager::new(cluster, steps.clone()));
        let keeping = Keeping::new(manager.clone());
        Ok(FairState { manager, steps, keeping })
    }

    pub(super) fn step(&mut self, step: &Step) {
        // What is refused has changed nothing.
        let _ = self.apply(step);
        self.settle();
    }

    /// What has happened since the last step goes into the records.
    pub(super) fn settle(&mut self) {
        let journal = self.steps.step(|stepped| stepped.take_journal());
        let passes = self.steps.take_trace();
        self.say_why_masters_wait(&passes);
        self.keeping.allocated(&journal.allocated, |number| self.steps.waits(number));
        for lost in self.keeping.ended(&journal.completed) {
            self.fail(lost.app, &lost.why);
        }
    }

    /// An ApplicationMaster was lost, and its application with it.
    fn fail(&mut self, number: u32, why: &str) {
        self.steps.lost(number);
        self.keeping.failed(number, why);
        self.settle();
    }

    fn apply(&mut self, step: &Step) -> Result<(), Refused> {
        if let Some(played) = alike::play(&self.manager, &*self.steps, &mut self.keeping, step) {
            return played;
        }
        match step {
            Step::Heartbeat { node } => alike::heartbeat(&*self.steps, node)?,
            Step::Submit(submit) => self.submit(submit)?,
            Step::Update => self.steps.step(|stepped| stepped.update_now()),
            Step::Reload { allocations, .. } => self.steps.step(|stepped| match allocations {
                Some(text) => stepped.reload_text(text).map(drop),
                None => {
                    stepped.clean_up();
                    Ok(())
                }
            })?,
            Step::Continuous => self.steps.step(|stepped| stepped.offer_all()),
            Step::Preempt { kill } => self.steps.step(|stepped| {
                stepped.preempt()?;
                if *kill { stepped.kill_marked() } else { Ok(()) }
            })?,
            Step::Kill => self.steps.step(|stepped| stepped.kill_marked())?,
            // The FairScheduler has no priorities; the others are alike.
            _ => {}
        }
        Ok(())
    }

    fn submit(&mut self, submit: &Submit) -> Result<(), Refused> {
        let types = self.manager.scheduler().basics().types.clone();
        let before: Vec<String> =
            self.steps.step(|stepped| stepped.queues().into_iter().map(|queue| queue.name).collect());
        let am = submit.am.as_ref().map(|wanted| resource(&types, wanted));
        let submission = Submission::new(submit.app, submit.user.clone());
        let submission = submission.maybe_in_queue(submit.queue.clone()).maybe_with_am(am);
        let now = self.manager.now_ms();
        let record = |queue: &str| {
            let mut record = AppRecord::new(submit.app, &submit.user, queue, now);
            Keeping::describe(&mut record, submit);
            record.priority = 0;
            record.queue_was_there = before.iter().any(|name| name == queue);
            record
        };
        match self.steps.step(|stepped| stepped.submit(submission)) {
            Ok(handle) => {
                let queue = handle.queue().to_owned();
                let mut record = record(&queue).with_attempt(Some(handle.clone()));
                record.reports(&handle);
                if record.unmanaged {
                    record.registered(None, "", 1, now);
                }
                self.manager.records().submitted(record);
                let waits = self.steps.step(|stepped| stepped.not_offered(&handle));
                if let Some(NotOffered::Waiting { limit: Some(limit) }) = waits {
                    let at = match limit {
                        RunningLimit::User { user, .. } => format!("The user \"{user}\""),
                        // Whichever queue above it has the limit, the leaf is named.
                        RunningLimit::Queue { .. } => format!("The queue \"{queue}\""),
                        _ => return Ok(()),
                    };
                    let why = format!("{at} has reached the maximum limit of runnable applications.");
                    self.keeping.not_activated(submit.app, &why);
                }
                Ok(())
            }
            // The scheduler's own refusals make an application that has failed.
            Err(Refused::NoQueue(NoQueue::NotLeaf { queue })) => {
                self.manager.records().submitted(record(&queue).refused(format!("{queue} is not a leaf queue"), now));
                Ok(())
            }
            Err(Refused::NoQueue(NoQueue::NoRule { queue, .. })) => {
                let (id, user) = (self.manager.cluster().app_id(submit.app), &submit.user);
                let why = format!(
                    "Reject application {id} submitted by user {user} application rejected by placement rules."
                );
                self.manager.records().submitted(record(&queue).refused(why, now));
                Ok(())
            }
            Err(Refused::Limit(Limit::ZeroMax { queue, asked })) => {
                let id = self.manager.cluster().app_id(submit.app);
                let queues = self.steps.step(|stepped| stepped.queues());
                let most =
                    queues.into_iter().find(|view| view.name == queue).map_or(Resource::ZERO, |view| view.max_share);
                let why = format!(
                    "Cannot submit application {id} to queue {queue} because it has zero amount of resource for a requested \
                     resource! Invalid requested AM resources: [{}], maximum queue resources: {}",
                    nothing_of(&types, &asked, &most),
                    resource_text(&types, &most),
                );
                self.manager.records().submitted(record(&queue).refused(why, now));
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// What the passes say of applications that wait for their ApplicationMaster.
    fn say_why_masters_wait(&mut self, passes: &[Decision]) {
        let limits: HashMap<String, Resource> = match passes.is_empty() {
            true => HashMap::new(),
            false => {
                let queues = self.steps.step(|stepped| stepped.queues());
                queues.into_iter().map(|queue| (queue.name, queue.max_share)).collect()
            }
        };
        for pass in passes {
            pass.descents.iter().for_each(|descent| self.say_why(descent, &limits));
        }
    }

    fn say_why(&mut self, queue: &QueueVisit, limits: &HashMap<String, Resource>) {
        queue.queues.iter().for_each(|below| self.say_why(below, limits));
        let types = self.manager.scheduler().basics().types.clone();
        for app in &queue.apps {
            let mut say = |size: &Resource, reason: &str| {
                self.keeping
                    .not_activated(app.app, &format!(" (Resource request: {}{reason}", resource_text(&types, size)));
            };
            if let AppOutcome::AmShare(share) = &app.outcome {
                say(&share.asked, " exceeds maximum AM resource allowed).");
            }
            for key in &app.keys {
                match &key.outcome {
                    KeyOutcome::PassedOver(Obstacle::MaxShare { .. }) => {
                        let most = limits.get(&queue.queue).map_or(String::new(), |limit| resource_text(&types, limit));
                        let reason =
                            " exceeds current queue or its parents maximum resource allowed). Max share of queue: ";
                        say(&key.size, &format!("{reason}{most}"));
                    }
                    KeyOutcome::PassedOver(Obstacle::DoesNotFit { size, .. }) => {
                        say(size, " exceeds the available resources of the node and the request cannot be reserved)")
                    }
                    KeyOutcome::Reserved { .. } => {
                        say(&key.size, " exceeds the available resources of the node and the request is reserved)");
                    }
                    KeyOutcome::PassedOver(_) | KeyOutcome::Placed { .. } | KeyOutcome::NotReached => {}
                    _ => {}
                }
            }
        }
    }
}

/// `MaxResourceValidationResult` of what is asked for an ApplicationMaster: the types of which there is some asked, and
/// nothing to be had.
fn nothing_of(types: &ResourceTypes, asked: &Resource, most: &Resource) -> String {
    let lacking = types_in_order(types).into_iter().filter(|index| asked.get(*index) > 0 && most.get(*index) == 0);
    let lacking = lacking.map(|index| {
        format!(
            "name: {}, units: {}, type: COUNTABLE, value: {}, minimum allocation: 0, maximum allocation: {}, tags: [], attributes {{}}",
            types.name(index),
            types.unit(index),
            asked.get(index),
            i64::MAX,
        )
    });
    format!(
        "MaxResourceValidationResult{{resourceRequest={{AllocationRequestId: -1, Priority: 0, Capability: {}, # Containers: 1, \
         Location: *, Relax Locality: true, Execution Type Request: {{Execution Type: GUARANTEED, Enforce Execution Type: false}}, \
         Node Label Expression: }}, invalidResources=[{}]}}",
        resource_text(types, asked),
        lacking.collect::<Vec<_>>().join(", "),
    )
}
