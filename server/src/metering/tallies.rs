//! What Hadoop's metrics count of queues and of users in them: of each with all below it, as of now. Containers and
//! asks are counted by partition.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use evenweave::Resource;

use crate::manager::ResourceManager;
use crate::records::{AppRecord, Counted, Records, upwards};
use crate::rest::partitions::LabelledNodes;
use crate::scheduler::{AppFigures, Scheduler};

/// So many, and what they have together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    pub(super) count: i64,
    pub(super) resource: Resource,
}

impl Amount {
    fn add(&mut self, more: &Amount) {
        self.count += more.count;
        self.resource = self.resource.plus(&more.resource);
    }
}

/// What containers have, what is asked for, and what is reserved, in one partition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) allocated: Amount,
    pub(super) pending: Amount,
    pub(super) reserved: Amount,
}

impl Held {
    fn add(&mut self, more: &Held) {
        self.allocated.add(&more.allocated);
        self.pending.add(&more.pending);
        self.reserved.add(&more.reserved);
    }
}

/// By label; that of the nodes without one is empty.
type ByLabel = BTreeMap<String, Held>;

/// Attempts that have not ended: those that were given a container, and those that were not yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempts {
    pub(super) running: i64,
    pub(super) pending: i64,
}

impl Attempts {
    fn add(&mut self, more: &Attempts) {
        self.running += more.running;
        self.pending += more.pending;
    }
}

/// Of a queue, or of a user in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) attempts: Attempts,
    /// Of these, attempts whose ApplicationMaster runs outside.
    pub(super) unmanaged: Attempts,
    /// Running applications by how long ago they were given their first container.
    pub(super) ages: Vec<i64>,
    /// What containers have, whatever their nodes.
    pub(super) used: Resource,
    /// In the default partition, which without labels is the cluster.
    pub(super) held: Held,
    /// In the others.
    pub(super) on_labels: ByLabel,
    /// Applications that ask.
    pub(super) active_apps: i64,
    /// Users that ask.
    pub(super) active_users: i64,
    /// Since the start; `None` where that is not counted.
    pub(super) counted: Option<Counted>,
}

impl Tally {
    fn add(&mut self, more: &Tally) {
        self.attempts.add(&more.attempts);
        self.unmanaged.add(&more.unmanaged);
        self.ages.resize(more.ages.len(), 0);
        self.ages.iter_mut().zip(&more.ages).for_each(|(all, more)| *all += more);
        self.used = self.used.plus(&more.used);
        self.held.add(&more.held);
        for (label, more) in &more.on_labels {
            match self.on_labels.get_mut(label) {
                Some(held) => held.add(more),
                None => drop(self.on_labels.insert(label.clone(), *more)),
            }
        }
        if let (Some(counted), Some(more)) = (&mut self.counted, &more.counted) {
            counted.add(more);
        }
    }
}

/// What workers are asked for, by application.
#[derive(Debug)]
pub(super) struct OfApps {
    apps: HashMap<u32, ByLabel>,
    /// There are labels: containers are told apart by their nodes. Without any, what they have is among an
    /// application's figures.
    labels: bool,
}

impl OfApps {
    fn held(&mut self, app: u32, label: &str) -> &mut Held {
        self.apps.entry(app).or_default().entry(label.to_owned()).or_default()
    }

    /// Reservations alone.
    pub(super) fn reserved(scheduler: &dyn Scheduler, nodes: &LabelledNodes) -> OfApps {
        let mut of = OfApps { apps: HashMap::new(), labels: scheduler.basics().labels };
        for reservation in scheduler.reservations() {
            let one = Amount { count: 1, resource: reservation.resource };
            of.held(reservation.app, nodes.label(&reservation.node)).reserved.add(&one);
        }
        of
    }

    /// All of it. O(applications + nodes + asks); where there are labels, O(containers) besides. A container is in the
    /// partition of its node, an ask in that of its label.
    pub(super) fn all(scheduler: &dyn Scheduler, nodes: &LabelledNodes) -> OfApps {
        let mut of = OfApps::reserved(scheduler, nodes);
        if of.labels {
            for container in scheduler.containers().iter().filter(|container| !container.ended) {
                let one = Amount { count: 1, resource: container.resource };
                of.held(container.id.application_number(), nodes.label(&container.node)).allocated.add(&one);
            }
        } else {
            for (app, live) in scheduler.container_counts().by_app {
                of.held(app, "").allocated.count = i64::try_from(live).unwrap_or(i64::MAX);
            }
        }
        for request in scheduler.requests().iter().filter(|request| request.location == "*" && request.count > 0) {
            let asked = request.resource.times_int(request.count.into());
            let asked = Amount { count: request.count.into(), resource: asked };
            of.held(request.attempt.application.number, &request.label).pending.add(&asked);
        }
        of
    }

    fn asks(&self, app: u32) -> bool {
        self.apps.get(&app).is_some_and(|by_label| by_label.values().any(|held| held.pending.count > 0))
    }
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    pub(super) queues: HashMap<String, Tally>,
    /// By queue and user. Also of users whose applications have all ended, as far as they are counted.
    pub(super) users: BTreeMap<(String, String), Tally>,
}

impl Tallies {
    /// Of applications and what workers said of them. O(applications × depth + users counted).
    pub(super) fn of(
        of: &ResourceManager,
        records: &Records,
        apps: &HashMap<u32, AppFigures>,
        parts: &OfApps,
    ) -> Tallies {
        let mut queues: HashMap<&str, Tally> = HashMap::new();
        let mut users: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
        for figures in apps.values() {
            let Some(record) = records.app(figures.number) else { continue };
            let (one, asks) = (of_app(of, record, figures, parts), asks(record, figures, parts));
            let counters = records.counters();
            for queue in upwards(&figures.queue) {
                let all = queues.entry(queue);
                let all = all.or_insert_with(|| Tally { counted: counters.of_queue(queue), ..Tally::default() });
                all.add(&one);
                let his = users.entry((queue, &record.user));
                let his =
                    his.or_insert_with(|| Tally { counted: counters.of_user(queue, &record.user), ..Tally::default() });
                his.add(&one);
                for tally in [all, his] {
                    tally.active_apps += i64::from(asks.counts_in(queue));
                }
            }
        }
        for (queue, user) in records.counters().users() {
            users
                .entry((queue, user))
                .or_insert_with(|| Tally { counted: records.counters().of_user(queue, user), ..Tally::default() });
        }
        let mut owned: HashMap<String, Tally> =
            queues.into_iter().map(|(queue, tally)| (queue.to_owned(), tally)).collect();
        for (queue, users) in active_users(records, apps, parts) {
            // Its applications have made one.
            if let Some(tally) = owned.get_mut(&queue) {
                tally.active_users = users;
            }
        }
        let users = users.into_iter().map(|((queue, user), tally)| ((queue.to_owned(), user.to_owned()), tally));
        Tallies { queues: owned, users: users.collect() }
    }

    /// Of a queue, whether there is an application in it or not.
    pub(super) fn take_queue(&mut self, queue: &str, records: &Records) -> Tally {
        let had = || Tally { counted: records.counters().of_queue(queue), ..Tally::default() };
        self.queues.remove(queue).unwrap_or_else(had)
    }
}

/// What an application adds to its queue and its user.
fn of_app(of: &ResourceManager, record: &AppRecord, figures: &AppFigures, parts: &OfApps) -> Tally {
    let number = figures.number;
    let first_ms =
        record.attempt.as_ref().filter(|attempt| attempt.had_container).map(|attempt| attempt.first_container_ms);
    let attempts = match first_ms {
        Some(_) => Attempts { running: 1, pending: 0 },
        None => Attempts { running: 0, pending: 1 },
    };
    let buckets = &of.cluster().runtime_buckets;
    let mut ages = vec![0; buckets.len() + 1];
    if let Some(first_ms) = first_ms {
        let age = of.now_ms().saturating_sub(first_ms);
        ages[buckets.iter().take_while(|minutes| age >= u64::from(**minutes) * 60_000).count()] = 1;
    }
    let mut on_labels = parts.apps.get(&number).cloned().unwrap_or_default();
    let mut held = on_labels.remove("").unwrap_or_default();
    if !parts.labels {
        held.allocated.resource = figures.used;
    }
    Tally {
        attempts,
        unmanaged: if record.unmanaged { attempts } else { Attempts::default() },
        ages,
        used: figures.used,
        held,
        on_labels,
        active_apps: 0,
        active_users: 0,
        counted: Some(record.counted()),
    }
}

/// Where Hadoop counts an application that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    Nowhere,
    /// An attempt of a FairScheduler has a count of its own, on root's metrics.
    AtRoot,
    /// In a CapacityScheduler, and in a FairScheduler once it has been moved, its leaf queue counts it, and all above.
    Everywhere,
}

impl Asks {
    fn counts_in(self, queue: &str) -> bool {
        match self {
            Asks::Nowhere => false,
            Asks::AtRoot => queue == "root",
            Asks::Everywhere => true,
        }
    }
}

fn asks(record: &AppRecord, figures: &AppFigures, parts: &OfApps) -> Asks {
    match &figures.of_capacity {
        Some(of) if of.asks => Asks::Everywhere,
        Some(_) => Asks::Nowhere,
        None if !parts.asks(figures.number) => Asks::Nowhere,
        None if record.moved => Asks::Everywhere,
        None => Asks::AtRoot,
    }
}

/// By queue. What is below a queue does not count, so only leaf queues and root have any. The root of a FairScheduler
/// counts a user once for each attempt.
fn active_users(records: &Records, apps: &HashMap<u32, AppFigures>, parts: &OfApps) -> HashMap<String, i64> {
    let mut users: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut active: HashMap<String, i64> = HashMap::new();
    for figures in apps.values() {
        let Some(record) = records.app(figures.number) else { continue };
        let queue = match asks(record, figures, parts) {
            Asks::AtRoot => "root",
            Asks::Everywhere if users.insert((&figures.queue, &record.user)) => &figures.queue,
            Asks::Everywhere | Asks::Nowhere => continue,
        };
        *active.entry(queue.to_owned()).or_default() += 1;
    }
    active
}
