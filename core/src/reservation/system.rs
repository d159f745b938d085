//! The reservation system: what clients call, and what a scheduler calls now and then.
//!
//! Follows `AbstractReservationSystem`, `FairReservationSystem` and the reservation calls of `ClientRMService` of
//! Hadoop 3.4.2.

use super::acls::{Caller, PlanAcls};
use super::agent::{Job, ReservationAgent};
use super::asked::AskedPlan;
use super::booked::Reservation;
use super::definition::ReservationDefinition;
use super::follower::{Followed, Run};
use super::id::ReservationId;
use super::measure::Measure;
use super::options::{ReservationOptions, UnknownClass};
use super::plan::{Plan, PlanBooks, PlanTerms};
use super::queues::PlanQueues;
use super::refused::{ReservationRefused, ReservationRight};
use super::replanner::Replanner;
use super::state::{KeptReservation, ReservationState, StateError, VERSION};
use super::validation::{check, check_recurrence};
use crate::config::{AllocationFile, Settings};
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The plans by queue, and the calls on them. It is used by one thread at a time.
///
/// Each call gets the scheduler's queues ([`PlanQueues`]): in a FairScheduler the capacity of a plan is the present
/// steady fair share of its queue.
#[derive(Debug)]
pub struct ReservationSystem {
    settings: Settings,
    options: ReservationOptions,
    measure: Measure,
    cluster_timestamp: i64,
    last_number: i64,
    plans: BTreeMap<String, Planned>,
    /// The queue of each reservation that was ever accepted, as it was named.
    queue_of: FxHashMap<ReservationId, String>,
    acls: PlanAcls,
}

/// A plan with what keeps it.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) agent: Arc<dyn ReservationAgent>,
    pub(super) replanner: Arc<dyn Replanner>,
    /// Of the queue whose share it follows. Another one of the same name is not followed, as in Hadoop.
    pub(super) identity: u64,
    pub(super) move_on_expiry: bool,
}

/// A client's submission of a reservation. A missing part is refused, in Hadoop's order.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReservationSubmission<'a> {
    /// The name, from [`ReservationSystem::new_reservation`].
    pub id: Option<ReservationId>,
    /// The plan's queue. `root.` may be omitted.
    pub queue: Option<&'a str>,
    /// What is booked.
    pub definition: Option<&'a ReservationDefinition>,
}

/// Which reservations a client wants to see.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReservationQuery<'a> {
    /// The plan's queue. `root.` may be omitted.
    pub queue: Option<&'a str>,
    /// The name of one reservation, as text. Empty: all reservations between the two times.
    pub id: &'a str,
    /// The beginning, in ms since 1970.
    pub from: i64,
    /// The end, in ms since 1970. Negative: no end.
    pub to: i64,
}

impl ReservationSystem {
    /// Makes plans for the present reservable queues.
    ///
    /// # Errors
    /// If the file names an unknown agent, policy or planner.
    pub fn new(
        settings: &Settings,
        options: ReservationOptions,
        file: &AllocationFile,
        queues: &dyn PlanQueues,
        cluster_timestamp: i64,
    ) -> Result<ReservationSystem, UnknownClass> {
        let asked = AskedPlan::of_allocations(file, &options);
        ReservationSystem::with_plans(settings, options, Measure::MEMORY, asked, queues, cluster_timestamp)
    }

    /// The same of plans that were asked for elsewhere.
    pub(crate) fn with_plans(
        settings: &Settings,
        options: ReservationOptions,
        measure: Measure,
        asked: Vec<AskedPlan>,
        queues: &dyn PlanQueues,
        cluster_timestamp: i64,
    ) -> Result<ReservationSystem, UnknownClass> {
        let mut system = ReservationSystem {
            settings: settings.clone(),
            options,
            measure,
            cluster_timestamp,
            last_number: 0,
            plans: BTreeMap::new(),
            queue_of: FxHashMap::default(),
            acls: PlanAcls::default(),
        };
        system.add_plans(&asked, queues)?;
        let lists = asked.into_iter().filter(|asked| system.plans.contains_key(&asked.queue));
        system.acls = PlanAcls::of(lists.map(|asked| (asked.queue, asked.lists)));
        Ok(system)
    }

    /// An administrator's refresh of the allocation file: new reservable queues become plans, without ACLs of their
    /// own. Existing plans stay as they are, with their agent and policy.
    ///
    /// # Errors
    /// Those of [`ReservationSystem::new`]. No plan is made then.
    pub fn refresh(&mut self, file: &AllocationFile, queues: &dyn PlanQueues) -> Result<(), UnknownClass> {
        let asked = AskedPlan::of_allocations(file, &self.options);
        self.add_plans(&asked, queues)
    }

    /// The same of plans that were asked for elsewhere.
    pub(crate) fn add_plans(&mut self, asked: &[AskedPlan], queues: &dyn PlanQueues) -> Result<(), UnknownClass> {
        let mut made = Vec::new();
        for asked in asked.iter().filter(|asked| !self.plans.contains_key(&asked.queue)) {
            let Some(found) = queues.plan_queue(&asked.queue) else { continue };
            let terms = PlanTerms {
                step_ms: i64::try_from(self.settings.plan_step_ms).unwrap_or(i64::MAX).max(1),
                largest_period_ms: i64::try_from(self.settings.reservation_max_periodicity_ms).unwrap_or(i64::MAX),
                largest_container: queues.largest_container(),
            };
            let books = PlanBooks::new(terms, queues.first_share(&asked.queue, &found)).measured_by(self.measure);
            let planned = Planned {
                plan: Plan::new(books, self.options.sharing(&asked.policy, asked.terms.capacity_over_time)?),
                agent: self.options.agent(&asked.agent, &self.settings)?,
                replanner: self.options.replanner(&asked.planner, asked.terms.newest_first)?,
                identity: found.identity,
                move_on_expiry: asked.terms.move_on_expiry,
            };
            made.push((asked.queue.clone(), planned));
        }
        self.plans.extend(made);
        Ok(())
    }

    /// Returns the name of a new reservation.
    pub fn new_reservation(&mut self) -> ReservationId {
        self.last_number += 1;
        ReservationId { cluster_timestamp: self.cluster_timestamp, number: self.last_number }
    }

    /// Books a reservation. If the plan already has it with the same definition, it is accepted again, without effect.
    /// If it begins within a step, the follower runs, and its result is returned.
    ///
    /// # Errors
    /// The reason of the refusal. Nothing has changed then.
    pub fn submit(
        &mut self,
        queues: &mut dyn PlanQueues,
        now: i64,
        caller: &Caller<'_>,
        request: &ReservationSubmission<'_>,
    ) -> Result<Followed, ReservationRefused> {
        self.take_capacities(queues);
        let id = request.id.ok_or(ReservationRefused::NoIdAtSubmit)?;
        let queue = named(request.queue)?;
        let planned = self.plan_of(queue, queues).ok_or_else(|| not_a_plan(queue))?;
        let definition = check(request.definition, planned.plan.books(), now)?;
        if let Some(there) = planned.plan.books().reservation(id) {
            let same = there.definition() == definition;
            return if same { Ok(Followed::default()) } else { Err(ReservationRefused::DifferentDefinition { id }) };
        }
        self.check_right(queues, caller, ReservationRight::Submit, queue, Some(id))?;
        let planned = self.plan_mut(queue, queues).ok_or_else(|| not_a_plan(queue))?;
        let job = Job { id, user: caller.user, definition, now };
        if !planned.agent.clone().reserve(&mut planned.plan, &job)? {
            return Err(ReservationRefused::Unsatisfiable);
        }
        let at_once = definition.arrival.wrapping_sub(now) < planned.plan.books().terms().step_ms;
        self.queue_of.insert(id, queue.to_owned());
        // As in Hadoop: a short name finds no plan here.
        Ok(if at_once { self.follow_one(queue, queues, now, true) } else { Followed::default() })
    }

    /// Books a new version of a reservation, in the plan of its last submission. The reservation becomes the caller's.
    /// If the plan no longer has it, it is booked anew.
    ///
    /// # Errors
    /// The reason of the refusal. Nothing has changed then, except with `RolledBack`.
    pub fn update(
        &mut self,
        queues: &dyn PlanQueues,
        now: i64,
        caller: &Caller<'_>,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReservationRefused> {
        self.take_capacities(queues);
        let (id, queue) = self.remembered(id, queues)?;
        let planned = self.plan_of(&queue, queues).ok_or(ReservationRefused::PlanGone { id })?;
        let definition = check(definition, planned.plan.books(), now)?;
        self.check_right(queues, caller, ReservationRight::Administer, &queue, Some(id))?;
        let planned = self.plan_mut(&queue, queues).ok_or(ReservationRefused::PlanGone { id })?;
        let job = Job { id, user: caller.user, definition, now };
        match planned.agent.clone().reserve(&mut planned.plan, &job)? {
            true => Ok(()),
            false => Err(ReservationRefused::RolledBack { id }),
        }
    }

    /// Deletes a reservation from its plan. The follower's next run removes its queue.
    ///
    /// # Errors
    /// The reason of the refusal. Nothing has changed then.
    pub fn delete(
        &mut self,
        queues: &dyn PlanQueues,
        caller: &Caller<'_>,
        id: Option<ReservationId>,
    ) -> Result<(), ReservationRefused> {
        self.take_capacities(queues);
        let (id, queue) = self.remembered(id, queues)?;
        self.check_right(queues, caller, ReservationRight::Administer, &queue, Some(id))?;
        let planned = self.plan_mut(&queue, queues).ok_or(ReservationRefused::PlanGone { id })?;
        planned.plan.delete(id).map(|_| ())
    }

    /// Returns the reservations of a plan by name: one of them, or all between two times.
    ///
    /// # Errors
    /// The reason of the refusal.
    pub fn list(
        &self,
        queues: &dyn PlanQueues,
        caller: &Caller<'_>,
        query: &ReservationQuery<'_>,
    ) -> Result<Vec<&Reservation>, ReservationRefused> {
        let from = query.from.max(0);
        let to = if query.to < 0 { i64::MAX } else { query.to };
        if to < from {
            return Err(ReservationRefused::BadInterval);
        }
        let queue = named(query.queue)?;
        let planned = self.plan_of(queue, queues).ok_or_else(|| not_a_plan(queue))?;
        let id = if query.id.is_empty() { None } else { Some(query.id.parse::<ReservationId>()?) };
        self.check_right(queues, caller, ReservationRight::List, queue, id)?;
        let books = planned.plan.books();
        Ok(match id {
            Some(id) => books.reservation(id).into_iter().collect(),
            None => books.between(from, to),
        })
    }

    /// Checks that an application may be submitted to a queue, as requested, with a reservation. This is the first
    /// check of a submission. As in Hadoop, with rights switched on a queue that is not a plan refuses everybody.
    ///
    /// # Errors
    /// `Acl`.
    pub fn check_application(
        &self,
        queues: &dyn PlanQueues,
        caller: &Caller<'_>,
        queue: &str,
        id: Option<ReservationId>,
    ) -> Result<(), ReservationRefused> {
        self.check_right(queues, caller, ReservationRight::Submit, queue, id)
    }

    /// Runs the follower over all plans, and returns the results by the plan's name. A run is due every
    /// [`plan_step_ms`](Settings::plan_step_ms).
    pub fn follow(&mut self, queues: &mut dyn PlanQueues, now: i64) -> BTreeMap<String, Followed> {
        self.follow_all(queues, now, true)
    }

    /// As [`follow`](Self::follow), and plans nothing anew: if a plan is too small, reservations get less.
    pub fn follow_after_restart(&mut self, queues: &mut dyn PlanQueues, now: i64) -> BTreeMap<String, Followed> {
        self.follow_all(queues, now, false)
    }

    fn follow_all(&mut self, queues: &mut dyn PlanQueues, now: i64, replan: bool) -> BTreeMap<String, Followed> {
        let plans: Vec<String> = self.plans.keys().cloned().collect();
        let run = |plan: String| {
            let followed = self.follow_one(&plan, queues, now, replan);
            (plan, followed)
        };
        plans.into_iter().map(run).collect()
    }

    fn follow_one(&mut self, queue: &str, queues: &mut dyn PlanQueues, now: i64, replan: bool) -> Followed {
        let Some(planned) = self.plans.get_mut(queue) else { return Followed::default() };
        let move_on_expiry = planned.move_on_expiry;
        let replanner = planned.replanner.clone();
        let replanner = replan.then_some(&*replanner);
        Run { queue, identity: planned.identity, now, replanner, move_on_expiry }.follow(&mut planned.plan, queues)
    }

    /// The interval of the follower's runs, in ms.
    #[must_use]
    pub fn step_ms(&self) -> u64 {
        self.settings.plan_step_ms.max(1)
    }

    /// Whether rights are checked in plans.
    #[must_use]
    pub fn rights_count(&self) -> bool {
        self.settings.acl_enable && self.settings.reservation_acl_enable
    }

    /// Returns what must survive a restart.
    #[must_use]
    pub fn state(&self) -> ReservationState {
        let kept = |planned: &Planned| planned.plan.books().reservations().map(KeptReservation::from).collect();
        let plans = self.plans.iter().map(|(name, planned)| (name.clone(), kept(planned))).collect();
        ReservationState { version: VERSION, plans }
    }

    /// Takes the reservations of a state into the present plans after a restart, without a check by a policy. A
    /// reservation that exists is replaced. Then run the follower without replanning. Returns the queues of the state
    /// that are no plans; their reservations are omitted.
    ///
    /// # Errors
    /// When a reservation could never have been made. Nothing has changed then.
    pub fn restore(&mut self, state: &ReservationState) -> Result<Vec<String>, StateError> {
        if state.version != VERSION {
            return Err(StateError::Version(state.version));
        }
        for (plan, kept) in &state.plans {
            let Some(planned) = self.plans.get(plan) else { continue };
            for KeptReservation { id, definition, .. } in kept {
                check_recurrence(definition, planned.plan.books()).map_err(|why| StateError::Reservation {
                    plan: plan.clone(),
                    id: *id,
                    why: Box::new(why),
                })?;
            }
        }
        let mut left_out = Vec::new();
        for (plan, kept) in &state.plans {
            let Some(planned) = self.plans.get_mut(plan) else {
                left_out.push(plan.clone());
                continue;
            };
            let books = planned.plan.books_mut();
            for kept in kept {
                books.remove(kept.id);
                books.insert(kept.into());
                self.queue_of.insert(kept.id, plan.clone());
            }
        }
        Ok(left_out)
    }

    /// Returns the plans by name, with their present capacities.
    pub fn plans(&mut self, queues: &dyn PlanQueues) -> impl ExactSizeIterator<Item = (&str, &PlanBooks)> {
        self.take_capacities(queues);
        self.plans.iter().map(|(name, planned)| (name.as_str(), planned.plan.books()))
    }

    /// As in Hadoop a plan's capacity in a FairScheduler is its queue's share itself, and follows it.
    fn take_capacities(&mut self, queues: &dyn PlanQueues) {
        if !queues.shares_count_at_once() {
            return;
        }
        for (name, planned) in &mut self.plans {
            let found = queues.plan_queue(name).filter(|queue| queue.identity == planned.identity);
            if let Some(queue) = found {
                planned.plan.books_mut().set_capacity(queue.share);
            }
        }
    }

    /// The plan of a queue that there is.
    fn plan_of(&self, queue: &str, queues: &dyn PlanQueues) -> Option<&Planned> {
        let name = queues.full_name(queue);
        queues.plan_queue(&name)?;
        self.plans.get(&name)
    }

    fn plan_mut(&mut self, queue: &str, queues: &dyn PlanQueues) -> Option<&mut Planned> {
        self.plans.get_mut(&queues.full_name(queue))
    }

    /// The queue that a reservation was submitted to last, if that is still a plan.
    fn remembered(
        &self,
        id: Option<ReservationId>,
        queues: &dyn PlanQueues,
    ) -> Result<(ReservationId, String), ReservationRefused> {
        let id = id.ok_or(ReservationRefused::NoId)?;
        let queue = self.queue_of.get(&id).ok_or(ReservationRefused::Unknown { id })?;
        self.plan_of(queue, queues).ok_or(ReservationRefused::PlanGone { id })?;
        Ok((id, queue.clone()))
    }

    fn check_right(
        &self,
        queues: &dyn PlanQueues,
        caller: &Caller<'_>,
        right: ReservationRight,
        queue: &str,
        id: Option<ReservationId>,
    ) -> Result<(), ReservationRefused> {
        if !self.rights_count() {
            return Ok(());
        }
        let own = id.and_then(|id| self.plan_of(queue, queues)?.plan.books().reservation(id));
        let owner = own.is_some_and(|reservation| reservation.user() == caller.user);
        if owner || self.acls.give(caller, right, queue) {
            return Ok(());
        }
        Err(ReservationRefused::Acl { user: caller.user.to_owned(), right, queue: queue.to_owned() })
    }
}

/// The queue of a request.
fn named(queue: Option<&str>) -> Result<&str, ReservationRefused> {
    queue.filter(|queue| !queue.is_empty()).ok_or(ReservationRefused::NoQueue)
}

fn not_a_plan(queue: &str) -> ReservationRefused {
    ReservationRefused::NotAPlan { queue: queue.to_owned() }
}
