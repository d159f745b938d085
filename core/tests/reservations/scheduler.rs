//! The same runs through a stepped FairScheduler: its queues, its moves, its running limits, its containers.
//!
//! Nothing is taken from the recording here. Held against it after every step: refusals of all calls, answers, plans; after each step that shows
//! queues: every queue with weight, steady and instantaneous share, demand, usage and running applications; every application with its queue;
//! which the follower moved and killed.

use super::case::{as_json, definition, file, number, pieces, plan_json, resource, resource_or_zero, text};
use evenweave::clock::Clock;
use evenweave::config::rooted;
use evenweave::reservation::{ReservationId, ReservationOptions, ReservationQuery, ReservationSubmission};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, FairScheduler, Heartbeat, NodeHandle, Refused, ReserveError, Settings,
    Stepped, Submission,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A clock that moves by hand, at the recording's time.
#[derive(Debug)]
struct ByHand(AtomicU64);

impl Clock for ByHand {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn wall_ms(&self) -> u64 {
        self.now_ms()
    }
}

/// A run that is played.
pub(crate) struct Played<'a> {
    clock: Arc<ByHand>,
    stamp: i64,
    scheduler: Stepped,
    nodes: BTreeMap<String, NodeHandle>,
    apps: BTreeMap<u32, AppHandle>,
    shown: BTreeMap<String, Map<String, Value>>,
    step: &'a Value,
    expect: &'a Value,
    wrong: Vec<String>,
}

/// What a call came to: fields of the answer, or a kind and perhaps a text.
type Answer = Result<Value, (String, Option<String>)>;

fn refused(refused: &Refused) -> (String, Option<String>) {
    (refused.kind().to_owned(), None)
}

fn reserve_error(error: ReserveError) -> (String, Option<String>) {
    match error {
        ReserveError::Reservation(refused) => (refused.kind().to_owned(), Some(refused.to_string())),
        other => (other.to_string(), None),
    }
}

impl<'a> Played<'a> {
    /// Plays a run; what differs is told, up to the first step that does.
    pub(crate) fn play(case: &Value) -> Vec<String> {
        let properties = case["properties"].as_object().unwrap();
        let given = properties.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap()));
        let settings = Settings::from_properties(given).unwrap();
        let groups = case["groups"].as_object().unwrap().iter();
        let of = |of: &Value| of.as_array().unwrap().iter().map(text).collect();
        let groups: HashMap<String, Vec<String>> = groups.map(|(user, groups)| (user.clone(), of(groups))).collect();
        let stamp = case["start"].as_u64().unwrap();
        let clock = Arc::new(ByHand(AtomicU64::new(stamp)));
        let builder = FairScheduler::builder().settings(settings).groups(Arc::new(groups)).cluster_timestamp(stamp);
        let builder = builder.allocations(file(case["allocations"].as_str().unwrap())).clock(clock.clone());
        let mut scheduler = builder.stepped().unwrap();
        scheduler.begin_reservations(ReservationOptions::default()).unwrap();
        let nothing = Value::Null;
        let mut played = Played {
            clock,
            stamp: i64::try_from(stamp).unwrap(),
            scheduler,
            nodes: BTreeMap::new(),
            apps: BTreeMap::new(),
            shown: BTreeMap::new(),
            step: &nothing,
            expect: &nothing,
            wrong: Vec::new(),
        };
        let steps = case["steps"].as_array().unwrap();
        for (at, (step, expect)) in steps.iter().zip(case["expect"].as_array().unwrap()).enumerate() {
            (played.step, played.expect) = (step, expect);
            played.one(at + 1 == steps.len());
            if !played.wrong.is_empty() {
                played.wrong.insert(0, format!("step {at}: {step}"));
                break;
            }
        }
        played.wrong
    }

    fn differs(&mut self, what: &str, recorded: &Value, here: &Value) {
        if recorded != here {
            self.wrong.push(format!("{what}:\n      recorded {recorded}\n      here     {here}"));
        }
    }

    fn id(&self) -> Option<ReservationId> {
        let number = self.step["reservation"].as_i64()?;
        Some(ReservationId { cluster_timestamp: self.stamp, number })
    }

    fn one(&mut self, last: bool) {
        let op = self.step["op"].as_str().unwrap();
        let weights = self.weights();
        let places = self.places();
        let answer = self.call(op);
        self.answer(answer);
        if matches!(op, "follow" | "reserve-submit") {
            self.compare_moves(&places);
        }
        let shows = matches!(op, "update" | "move" | "reload" | "follow") || last;
        if shows || (op == "reserve-submit" && weights != self.weights()) {
            self.compare_queues();
        }
        self.compare_plans(last);
    }

    fn call(&mut self, op: &str) -> Answer {
        let done = |outcome: Result<(), Refused>| outcome.map(|()| json!({})).map_err(|why| refused(&why));
        let step = self.step;
        let user = step["user"].as_str().unwrap_or("admin");
        let sent = step.get("definition").filter(|sent| !sent.is_null()).map(definition);
        let (id, queue) = (self.id(), step["queue"].as_str());
        match op {
            "advance" => {
                self.clock.0.fetch_add(step["ms"].as_u64().unwrap(), Ordering::Relaxed);
                Ok(json!({}))
            }
            "node-add" => {
                let name = text(&step["node"]);
                let rack = step["rack"].as_str().unwrap();
                let node = self.scheduler.add_node(&name, rack, resource(&step["resource"])).unwrap();
                self.nodes.insert(name, node);
                Ok(json!({}))
            }
            "node-remove" => {
                let node = self.nodes.remove(step["node"].as_str().unwrap()).unwrap();
                done(self.scheduler.remove_node(&node))
            }
            "heartbeat" => {
                self.scheduler.heartbeat(Heartbeat::new(&self.nodes[step["node"].as_str().unwrap()]));
                Ok(json!({}))
            }
            "update" => {
                self.scheduler.update_now();
                Ok(json!({}))
            }
            "submit" => self.submit(),
            "finish" | "move" | "ask" => self.by_app(op),
            "reload" => done(self.reload()),
            "reserve-new" => {
                let made = self.scheduler.new_reservation().map_err(ReserveError::from).map_err(reserve_error)?;
                Ok(json!({"id": made.number}))
            }
            "reserve-submit" => {
                let request = ReservationSubmission { id, queue, definition: sent.as_ref() };
                self.scheduler.submit_reservation(user, &request).map_err(reserve_error)?;
                Ok(self.allocation(queue))
            }
            "reserve-update" => {
                self.scheduler.update_reservation(user, id, sent.as_ref()).map_err(reserve_error)?;
                Ok(self.allocation(None))
            }
            "reserve-delete" => {
                self.scheduler.delete_reservation(user, id).map_err(reserve_error)?;
                Ok(json!({}))
            }
            "reserve-list" => self.list(user),
            "follow" => {
                self.scheduler.follow_plans();
                Ok(json!({}))
            }
            other => panic!("op {other}"),
        }
    }

    fn submit(&mut self) -> Answer {
        let app = number(&self.step["app"]);
        let submission = Submission::new(app, text(&self.step["user"])).maybe_in_queue(self.step["queue"].as_str());
        let am = self.step.get("am").map(resource);
        let mut submission = submission.maybe_with_am(am);
        submission.reservation = self.id();
        let handle = self.scheduler.submit(submission).map_err(|why| refused(&why))?;
        self.apps.insert(app, handle);
        Ok(json!({}))
    }

    fn by_app(&mut self, op: &str) -> Answer {
        let app = number(&self.step["app"]);
        let Some(handle) = self.apps.get(&app).cloned() else { return Err(("no-such-app".to_owned(), None)) };
        let outcome = match op {
            "finish" => {
                self.apps.remove(&app);
                self.scheduler.finish(&handle)
            }
            "move" => self.scheduler.move_app(&handle, self.step["queue"].as_str().unwrap()),
            _ => {
                let ask = |ask: &Value| {
                    let (priority, count) = (ask["priority"].as_i64().unwrap(), ask["count"].as_u64().unwrap());
                    let (priority, count) = (i32::try_from(priority).unwrap(), u32::try_from(count).unwrap());
                    Ask::anywhere(priority, resource(&ask["resource"]), count)
                };
                let asks: Vec<Ask> = self.step["asks"].as_array().unwrap().iter().map(ask).collect();
                self.scheduler.allocate(&handle, &AllocateRequest::new(asks), &mut Allocation::default())
            }
        };
        outcome.map(|()| json!({})).map_err(|why| refused(&why))
    }

    fn reload(&mut self) -> Result<(), Refused> {
        let plans = self.step["plans"].as_bool().unwrap_or(false);
        match self.step["allocations"].as_str() {
            Some(text) if plans => {
                self.scheduler.refresh_with(text)?;
                self.scheduler.refresh_plans().unwrap();
            }
            Some(text) => {
                self.scheduler.reload_text(text)?;
            }
            None if plans => {}
            None => self.scheduler.clean_up(),
        }
        Ok(())
    }

    fn allocation(&mut self, queue: Option<&str>) -> Value {
        let (id, plan) = (self.id().unwrap(), queue.map(rooted));
        let plans = self.scheduler.plans();
        let mut plans = plans.iter().filter(|(name, _)| plan.as_ref().is_none_or(|plan| plan == *name));
        let found = plans.find_map(|(_, books)| books.reservation(id));
        found.map_or_else(|| json!({}), |found| json!({"allocation": pieces(found.pieces())}))
    }

    /// Who is listed; what is shown of each is held against the recordings elsewhere.
    fn list(&mut self, user: &str) -> Answer {
        let text = self.step["reservation"].as_str().unwrap_or_default().to_owned();
        let id = self.id().map_or(text, |id| id.to_string());
        let query = ReservationQuery {
            queue: self.step["queue"].as_str(),
            id: &id,
            from: self.step["from"].as_i64().unwrap_or(0),
            to: self.step["to"].as_i64().unwrap_or(i64::MAX),
        };
        let found = self.scheduler.list_reservations(user, &query).map_err(reserve_error)?;
        let numbers = |all: Vec<i64>| json!(all);
        let recorded = self.expect["reservations"].as_array().unwrap();
        let recorded = recorded.iter().map(|one| one["reservation"].as_i64().unwrap()).collect();
        self.differs("listed", &numbers(recorded), &numbers(found.iter().map(|one| one.id().number).collect()));
        Ok(json!({"reservations": self.expect["reservations"]}))
    }

    fn answer(&mut self, answer: Answer) {
        let here = match answer {
            Ok(answer) => answer,
            Err((kind, message)) => {
                let message = message.map_or_else(|| self.expect["error"]["message"].clone(), Value::from);
                json!({"error": {"kind": kind, "message": message}})
            }
        };
        self.differs("kind", &self.expect["error"]["kind"].clone(), &here["error"]["kind"]);
        self.differs("message", &self.expect["error"]["message"].clone(), &here["error"]["message"]);
        for field in ["id", "allocation", "reservations"] {
            self.differs(field, &self.expect[field].clone(), &here[field]);
        }
    }

    fn weights(&self) -> Vec<(String, f32)> {
        let mut all: Vec<_> = self.scheduler.queues().into_iter().map(|queue| (queue.name, queue.weight)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Where each application is.
    fn places(&mut self) -> BTreeMap<u32, String> {
        self.scheduler.apps().into_iter().map(|app| (app.id.number, app.queue)).collect()
    }

    fn compare_moves(&mut self, before: &BTreeMap<u32, String>) {
        let after = self.places();
        let moved = after.iter().filter(|(app, queue)| before.get(app).is_some_and(|before| before != *queue));
        let moved: Vec<Value> = moved.map(|(app, queue)| json!({"app": app, "queue": queue})).collect();
        let killed: Vec<u32> = before.keys().copied().filter(|app| !after.contains_key(app)).collect();
        let recorded = |value: &Value| if value.is_null() { json!([]) } else { value.clone() };
        self.differs("moved", &recorded(&self.expect["moved"]), &moved.into());
        self.differs("killed", &recorded(&self.expect["killed"]), &json!(killed));
        self.apps.retain(|app, _| !killed.contains(app));
    }

    fn compare_queues(&mut self) {
        let amounts = |queue: &Value| {
            ["fair-share", "steady-fair-share", "demand", "usage"]
                .map(|field| as_json(queue.get(field).map_or(evenweave::Resource::ZERO, resource_or_zero)))
        };
        let recorded = self.expect["queues"].as_array().unwrap().iter().map(|queue| {
            let weight: f32 = queue["weight"].to_string().parse().unwrap_or(1.0);
            let leaf = queue["leaf"].as_bool() == Some(true);
            json!([queue["name"], leaf, weight.to_bits(), amounts(queue), queue["runnable"].as_u64().unwrap_or(0)])
        });
        let recorded: Vec<Value> = recorded.collect();
        let mut queues = self.scheduler.queues();
        queues.sort_by(|a, b| a.name.cmp(&b.name));
        let here = queues.into_iter().map(|queue| {
            let amounts = [queue.fair_share, queue.steady_fair_share, queue.demand, queue.usage].map(as_json);
            json!([queue.name, queue.leaf, queue.weight.to_bits(), amounts, queue.runnable])
        });
        let here: Vec<Value> = here.collect();
        self.differs("queues", &recorded.into(), &here.into());
        let recorded = self.expect["apps"].as_array().unwrap().iter();
        let runs = |app: &Value| app["runnable"].as_bool() == Some(true);
        let recorded: Vec<Value> = recorded.map(|app| json!([app["app"], app["queue"], runs(app)])).collect();
        let mut apps = self.scheduler.apps();
        apps.sort_by_key(|app| app.id.number);
        let here = apps.into_iter().map(|app| json!([app.id.number, app.queue, app.runnable]));
        let here: Vec<Value> = here.collect();
        self.differs("apps", &recorded.into(), &here.into());
    }

    fn compare_plans(&mut self, last: bool) {
        let mut changed = Vec::new();
        for (name, books) in self.scheduler.plans() {
            let all = plan_json(&name, &books);
            let before = self.shown.insert(name, all.clone());
            let mut shown = all;
            if let Some(before) = before.filter(|_| !last) {
                shown.retain(|field, value| field == "plan" || before.get(field) != Some(value));
            }
            if shown.len() > 1 {
                changed.push(Value::Object(shown));
            }
        }
        let here = if changed.is_empty() { Value::Null } else { changed.into() };
        self.differs("plans", &self.expect["plans"].clone(), &here);
    }
}
