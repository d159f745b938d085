//! The applications' side: what each wants, what it holds, and its `allocate` calls. One thread at a time has it.

use hdrhistogram::Histogram;

use super::bed::Bed;
use super::calls::{TIMED, allocate, ask};
use super::plan::Plan;
use super::tasks::Tasks;
use crate::api::{AllocateRequest, Allocation, Container};
use crate::latency::{histogram, record};
use crate::options::WorkloadName;

/// Sets everything up in the published order: nodes, queues, applications, asks, one update.
///
/// # Errors
/// What the scheduler refuses.
pub(super) fn set_up(plan: &Plan) -> Result<(Bed, Masters), String> {
    set_up_with(plan, plan.properties())
}

/// The same with other properties than the plan's.
///
/// # Errors
/// What the scheduler refuses.
pub(super) fn set_up_with(
    plan: &Plan,
    properties: Vec<(&'static str, &'static str)>,
) -> Result<(Bed, Masters), String> {
    let bed = Bed::new(plan, properties)?;
    let mut masters = Masters::new(&bed, plan.workload == WorkloadName::W4);
    masters.ask_first(&bed)?;
    bed.engine.quiesce();
    bed.engine.update_now();
    bed.engine.quiesce();
    Ok((bed, masters))
}

/// Told of each container that an `allocate` returned, with its application.
pub(super) type Returned<'r> = &'r mut dyn FnMut(u32, &Container);

/// What one of them wants and holds.
#[derive(Clone, Copy, Debug)]
struct Count {
    wanted: u32,
    held: u32,
}

/// The ApplicationMasters.
pub(super) struct Masters {
    counts: Vec<Count>,
    /// W4's tables; elsewhere asks have one row.
    tasks: Option<Tasks>,
    request: AllocateRequest,
    empty: AllocateRequest,
    answer: Allocation,
    pub(super) calls: u64,
    pub(super) allocate: Histogram<u64>,
    /// In `allocate`, as far as timed calls tell.
    pub(super) in_scheduler_ns: u64,
    /// Whose turn it is, step by step, and who is next.
    turns: Vec<u32>,
    next: usize,
}

impl Masters {
    /// Those of a bed, whose first asks are not made yet.
    fn new(bed: &Bed, with_tasks: bool) -> Masters {
        let wanted: Vec<u32> = (0..bed.shape.apps).map(|app| bed.shape.wanted(app)).collect();
        Masters {
            tasks: with_tasks.then(|| Tasks::new(bed, &wanted)),
            counts: wanted.into_iter().map(|wanted| Count { wanted, held: 0 }).collect(),
            request: AllocateRequest::default(),
            empty: AllocateRequest::default(),
            answer: Allocation::default(),
            calls: 0,
            allocate: histogram(),
            in_scheduler_ns: 0,
            turns: (0..bed.shape.apps).collect(),
            next: 0,
        }
    }

    /// Each application goes to the one of so many who plays it.
    pub(super) fn split(self, parts: usize, player: impl Fn(u32) -> usize) -> Vec<Masters> {
        let mut tasks = self.tasks.map(|tasks| tasks.split(parts, &player).into_iter());
        let part = |part: usize| Masters {
            tasks: tasks.as_mut().and_then(Iterator::next),
            counts: self.counts.clone(),
            request: AllocateRequest::default(),
            empty: AllocateRequest::default(),
            answer: Allocation::default(),
            calls: 0,
            allocate: histogram(),
            in_scheduler_ns: 0,
            turns: self.turns.iter().copied().filter(|app| player(*app) == part).collect(),
            next: 0,
        };
        (0..parts).map(part).collect()
    }

    /// Forgets what was timed.
    pub(super) fn reset(&mut self) {
        self.allocate.reset();
        self.in_scheduler_ns = 0;
    }

    /// Containers that applications were given and that have not completed.
    #[cfg(test)]
    pub(super) fn held(&self) -> impl Iterator<Item = u32> {
        self.turns.iter().map(|app| self.counts[*app as usize].held)
    }

    /// Each application in order asks for all that it wants.
    ///
    /// # Errors
    /// What the scheduler refuses; so everywhere.
    fn ask_first(&mut self, bed: &Bed) -> Result<(), String> {
        (0..bed.apps.len()).try_for_each(|app| self.call(bed, app, true, &mut |_, _| ()))
    }

    /// Each application in order fetches what it was granted.
    pub(super) fn fetch_all(&mut self, bed: &Bed, returned: Returned<'_>) -> Result<(), String> {
        (0..bed.apps.len()).try_for_each(|app| self.call(bed, app, false, returned))
    }

    /// An application wants one more, or one less, and says so.
    pub(super) fn change(&mut self, bed: &Bed, app: usize, more: bool) -> Result<(), String> {
        let Count { wanted, .. } = &mut self.counts[app];
        *wanted = if more { *wanted + 1 } else { wanted.saturating_sub(1) };
        self.call(bed, app, true, &mut |_, _| ())
    }

    fn rows(&mut self, bed: &Bed, app: usize) {
        self.request.asks.clear();
        match &mut self.tasks {
            Some(tasks) => tasks.take_changed(app, &mut self.request.asks),
            None => {
                let Count { wanted, held } = self.counts[app];
                let ask = ask(wanted.saturating_sub(held));
                self.request.asks.push(match bed.label_of(app) {
                    Some(label) => ask.labelled(label),
                    None => ask,
                });
            }
        }
    }

    fn call(&mut self, bed: &Bed, app: usize, with_rows: bool, returned: Returned<'_>) -> Result<(), String> {
        if with_rows {
            self.rows(bed, app);
        }
        let request = if with_rows { &self.request } else { &self.empty };
        self.calls += 1;
        let is_timed = self.calls.is_multiple_of(TIMED);
        if let Some(ns) = allocate(&*bed.engine, &bed.apps[app], request, &mut self.answer, is_timed)? {
            record(&mut self.allocate, ns);
            self.in_scheduler_ns += ns * TIMED;
        }
        let number = u32::try_from(app).expect("few applications");
        for container in &self.answer.granted {
            self.counts[app].held += 1;
            if let Some(tasks) = &mut self.tasks {
                tasks.serve(app, u32::try_from(container.node.index()).expect("few nodes"));
            }
            returned(number, container);
        }
        Ok(())
    }

    /// Says who calls in the round that is so many ahead: these owners, and whose turn it is. As whoever takes calls
    /// from a queue would: it sees what comes next.
    pub(super) fn prefetch(&self, bed: &Bed, owners: &mut Vec<u32>, rounds: usize) {
        let turn = |ahead: usize| self.turns.get((self.next + ahead) % self.turns.len().max(1)).copied();
        let Some(in_turn) = turn(rounds) else { return bed.engine.prefetch_calls(&bed.apps, owners) };
        owners.push(in_turn);
        bed.engine.prefetch_calls(&bed.apps, owners);
        owners.pop();
        turn(rounds + 1).into_iter().for_each(|app| bed.apps[app as usize].prefetch_call());
    }

    /// Steps 2 and 3.
    pub(super) fn serve(&mut self, bed: &Bed, owners: &mut [u32], returned: Returned<'_>) -> Result<(), String> {
        self.serve_owners(bed, owners, returned)?;
        let Some(further) = self.turns.get(self.next).copied() else { return Ok(()) };
        self.next = (self.next + 1) % self.turns.len();
        self.call(bed, further as usize, false, returned)
    }

    /// Step 2: each owner once, in rising number.
    pub(super) fn serve_owners(&mut self, bed: &Bed, owners: &mut [u32], returned: Returned<'_>) -> Result<(), String> {
        owners.sort_unstable();
        for (index, owner) in owners.iter().enumerate() {
            let app = *owner as usize;
            self.counts[app].held -= 1;
            if let Some(tasks) = &mut self.tasks {
                tasks.add(app);
            }
            if owners.get(index + 1) != Some(owner) {
                self.call(bed, app, true, returned)?;
            }
        }
        Ok(())
    }
}
