//! A recorded run, and what of it differs.

use super::world::World;
use evenweave::config::rooted;
use evenweave::reservation::profile::{Piece, Point};
use evenweave::reservation::{
    Caller, Interpreter, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationOptions,
    ReservationQuery, ReservationRefused, ReservationRequests, ReservationSubmission, ReservationSystem, Stage,
};
use evenweave::{Resource, Settings};
use evenweave_testkit::allocations;
use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

/// The runs of a family, as recorded.
pub(crate) fn cases(family: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/reservation/{family}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A run that is played.
pub(crate) struct Case<'a> {
    now: i64,
    stamp: i64,
    groups: HashMap<String, Vec<String>>,
    world: World,
    system: Option<ReservationSystem>,
    shown: BTreeMap<String, Map<String, Value>>,
    step: &'a Value,
    expect: &'a Value,
    wrong: Vec<String>,
}

fn resource(value: &Value) -> Resource {
    Resource::new(value["memory-mb"].as_i64().unwrap(), value["vcores"].as_i64().unwrap())
}

fn as_json(resource: Resource) -> Value {
    json!({"memory-mb": resource.memory_mb(), "vcores": resource.vcores()})
}

fn pieces(pieces: &[Piece]) -> Value {
    pieces
        .iter()
        .map(|piece| json!({"from": piece.from, "to": piece.to, "resource": as_json(piece.resource)}))
        .collect()
}

/// The changes of a profile, starting from nothing.
fn changes(points: impl Iterator<Item = Point>) -> Value {
    let mut last = Resource::ZERO;
    let mut out = Vec::new();
    for point in points {
        if let Some(value) = point.value.filter(|value| *value != last) {
            out.push(json!({"at": point.at, "resource": as_json(value)}));
            last = value;
        }
    }
    out.into()
}

fn definition(value: &Value) -> ReservationDefinition {
    let stage = |stage: &Value| Stage {
        capability: resource(&stage["resource"]),
        containers: i32::try_from(stage["containers"].as_i64().unwrap()).unwrap(),
        concurrency: i32::try_from(stage["concurrency"].as_i64().unwrap_or(1)).unwrap(),
        duration_ms: stage["duration"].as_i64().unwrap_or(0),
    };
    let interpreter = value["interpreter"].as_str().map(|name| match name {
        "any" => Interpreter::Any,
        "all" => Interpreter::All,
        "order" => Interpreter::Order,
        "order-no-gap" => Interpreter::OrderNoGap,
        other => panic!("interpreter {other}"),
    });
    let stages = value["stages"].as_array().map(|stages| stages.iter().map(stage).collect());
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    ReservationDefinition {
        arrival: value["arrival"].as_i64().unwrap(),
        deadline: value["deadline"].as_i64().unwrap(),
        requests: stages.map(|stages| ReservationRequests { interpreter, stages }),
        name: text("name"),
        recurrence: text("recurrence"),
    }
}

fn plan_json(name: &str, books: &PlanBooks) -> Map<String, Value> {
    let one = |one: &Reservation| {
        let mut shown = json!({"reservation": one.id().number, "user": one.user(), "accepted": one.accepted()});
        if one.period() > 0 {
            shown["period"] = one.period().into();
        }
        shown
    };
    let shown = json!({
        "plan": name,
        "capacity": as_json(books.capacity()),
        "committed": changes(books.committed().points()),
        "periodic": changes(books.periodic().once().points()),
        "reservations": books.reservations().map(one).collect::<Vec<_>>(),
    });
    shown.as_object().unwrap().clone()
}

impl<'a> Case<'a> {
    /// Plays a run; what differs is told, up to the first step that does.
    pub(crate) fn play(case: &Value) -> Vec<String> {
        let properties = case["properties"].as_object().unwrap();
        let settings =
            Settings::from_properties(properties.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())))
                .unwrap();
        let file = allocations(case["allocations"].as_str().unwrap());
        let groups = case["groups"].as_object().unwrap().iter();
        let groups = groups.map(|(user, of)| {
            (user.clone(), of.as_array().unwrap().iter().map(|group| group.as_str().unwrap().to_owned()).collect())
        });
        let groups = groups.collect();
        let world = World::new(file, settings.maximum);
        let stamp = case["start"].as_i64().unwrap();
        let system = settings.reservation_system.then(|| {
            ReservationSystem::new(&settings, ReservationOptions::default(), &world.file, &world, stamp).unwrap()
        });
        let nothing = Value::Null;
        let mut played = Case {
            now: stamp,
            stamp,
            groups,
            world,
            system,
            shown: BTreeMap::new(),
            step: &nothing,
            expect: &nothing,
            wrong: Vec::new(),
        };
        let steps = case["steps"].as_array().unwrap();
        for (number, (step, expect)) in steps.iter().zip(case["expect"].as_array().unwrap()).enumerate() {
            (played.step, played.expect) = (step, expect);
            played.one(number + 1 == steps.len());
            if !played.wrong.is_empty() {
                played.wrong.insert(0, format!("step {number}: {step}"));
                break;
            }
        }
        if played.wrong.is_empty() {
            played.survives(&settings);
        }
        played.wrong
    }

    /// A new system has the same plans by the state of this one, as written and read.
    fn survives(&mut self, settings: &Settings) {
        let Some(system) = self.system.as_mut() else { return };
        let state = system.state();
        let written = serde_json::to_string(&state).unwrap();
        let options = ReservationOptions::default();
        let mut fresh = ReservationSystem::new(settings, options, &self.world.file, &self.world, self.now).unwrap();
        let left_out = fresh.restore(&serde_json::from_str(&written).unwrap()).unwrap();
        // A queue may have gone, or become reservable by the watcher, which makes no plan of it.
        let there = |name: &str| state.plans.contains_key(name) && !left_out.iter().any(|plan| plan == name);
        // Of a queue that was made anew, the old plan keeps the capacity that it had.
        let shown = |(name, books): (&str, &PlanBooks)| {
            let mut shown = plan_json(name, books);
            shown.remove("capacity");
            there(name).then_some(Value::Object(shown))
        };
        let before: Vec<Value> = system.plans(&self.world).filter_map(shown).collect();
        let after: Vec<Value> = fresh.plans(&self.world).filter_map(shown).collect();
        self.differs("after a restart", &before.into(), &after.into());
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
        let weights = self.weights();
        (self.world.moved, self.world.killed) = Default::default();
        let list = |value: &'a Value| value.as_array().map_or(&[][..], Vec::as_slice);
        let moved = list(&self.expect["moved"]).iter();
        self.world.movable = moved.map(|one| (number(&one["app"]), text(&one["queue"]))).collect();
        let op = self.step["op"].as_str().unwrap();
        match op {
            "advance" => self.now += self.step["ms"].as_i64().unwrap(),
            "node-add" => {
                self.world.nodes.insert(text(&self.step["node"]), resource(&self.step["resource"]));
                self.world.steady();
            }
            "node-remove" => {
                self.world.nodes.remove(self.step["node"].as_str().unwrap());
                self.world.steady();
            }
            "submit" => self.submit(),
            "finish" if self.expect["error"].is_null() => {
                self.world.apps.remove(&number(&self.step["app"]));
            }
            "move" if self.expect["error"].is_null() => self.moved_by_client(),
            "reload" => self.reload(),
            "update" | "heartbeat" | "ask" | "finish" | "move" => {}
            _ => self.reservation(op),
        }
        if matches!(op, "follow" | "reserve-submit") {
            self.compare_apps();
        }
        let shown = matches!(op, "update" | "move" | "reload" | "follow") || last;
        if shown || (op == "reserve-submit" && weights != self.weights()) {
            self.compare_queues();
        } else {
            self.differs("queues shown", &Value::Null, &self.expect["queues"].clone());
        }
        self.compare_plans(last);
    }

    /// An application enters, if the recording says so; the reservation system's part is decided here.
    fn submit(&mut self) {
        let queue = text(&self.step["queue"]);
        let refused = self.system.as_ref().and_then(|system| {
            let (user, groups) = self.user();
            system.check_application(&self.world, &Caller { user: &user, groups: &groups }, &queue, self.id()).err()
        });
        let kind = self.expect["error"]["kind"].clone();
        if refused.is_some() || kind == "reservation-acl" {
            self.answer(refused.map_or(Ok(json!({})), Err));
            return;
        }
        let queue = rooted(&queue);
        let reservable = self.world.file.queues.get(&queue).is_some_and(|own| own.reservation);
        let leaf = match self.id() {
            _ if !reservable => queue,
            Some(id) => {
                let leaf = format!("{queue}.{id}");
                if !self.world.queues.contains_key(&leaf) {
                    self.differs("refusal", &kind, &json!("not-active"));
                    return;
                }
                leaf
            }
            None => format!("{queue}.{}-default", queue.rsplit('.').next().unwrap()),
        };
        let entered = self.world.enter(&leaf);
        match kind.as_str() {
            None if entered.is_some() => {
                self.world.apps.insert(number(&self.step["app"]), leaf);
            }
            Some("acl") if entered.is_some() => {}
            Some("not-leaf") if entered.is_none() => {}
            _ => self.differs("submission", &kind, &json!(entered.is_some())),
        }
    }

    fn moved_by_client(&mut self) {
        let queue = rooted(self.step["queue"].as_str().unwrap());
        let rest = format!("{queue}.{}-default", queue.rsplit('.').next().unwrap());
        let reservable = self.world.file.queues.get(&queue).is_some_and(|own| own.reservation);
        self.world.apps.insert(number(&self.step["app"]), if reservable { rest } else { queue });
    }

    fn reload(&mut self) {
        let plans = self.step["plans"].as_bool().unwrap_or(false);
        if !plans {
            self.world.housekeeping();
        }
        let Some(text) = self.step["allocations"].as_str() else { return };
        self.world.load(allocations(text));
        if let Some(system) = self.system.as_mut().filter(|_| plans) {
            system.refresh(&self.world.file, &self.world).unwrap();
        }
    }

    fn user(&self) -> (String, Vec<String>) {
        let user = self.step["user"].as_str().unwrap_or("admin").to_owned();
        let groups = self.groups.get(&user).cloned().unwrap_or_default();
        (user, groups)
    }

    /// A call of the reservation system.
    fn reservation(&mut self, op: &str) {
        let (user, groups) = self.user();
        let caller = Caller { user: &user, groups: &groups };
        let (id, now) = (self.id(), self.now);
        let Some(system) = self.system.as_mut() else {
            if op != "follow" {
                self.answer(Err(ReservationRefused::NotEnabled));
            }
            return;
        };
        let sent = self.step.get("definition").filter(|sent| !sent.is_null()).map(definition);
        let queue = self.step["queue"].as_str();
        let outcome = match op {
            "reserve-new" => Ok(json!({"id": system.new_reservation().number})),
            "reserve-submit" => {
                let request = ReservationSubmission { id, queue, definition: sent.as_ref() };
                let outcome = system.submit(&mut self.world, now, &caller, &request);
                outcome.map(|_| self.allocation(queue))
            }
            "reserve-update" => {
                let outcome = system.update(&self.world, now, &caller, id, sent.as_ref());
                outcome.map(|()| self.allocation(None))
            }
            "reserve-delete" => system.delete(&self.world, &caller, id).map(|()| json!({})),
            "reserve-list" => self.list(&caller),
            "follow" => {
                let before = self.world.shown();
                let followed = system.follow(&mut self.world, now);
                let changed = followed.values().any(|plan| plan.changed);
                let differs = self.world.shown() != before;
                self.differs("whether the run has changed something", &json!(differs), &json!(changed));
                Ok(json!({}))
            }
            other => panic!("op {other}"),
        };
        self.answer(outcome);
    }

    /// What was got: of the plan that is named, or of the one that has it.
    fn allocation(&mut self, queue: Option<&str>) -> Value {
        let id = self.id().unwrap();
        let system = self.system.as_mut().unwrap();
        let plan = queue.map(rooted);
        let mut plans = system.plans(&self.world).filter(|(name, _)| plan.as_deref().is_none_or(|plan| plan == *name));
        let found = plans.find_map(|(_, books)| books.reservation(id));
        found.map_or_else(|| json!({}), |found| json!({"allocation": pieces(found.pieces())}))
    }

    fn list(&self, caller: &Caller<'_>) -> Result<Value, ReservationRefused> {
        let text = self.step["reservation"].as_str().unwrap_or_default().to_owned();
        let id = self.id().map_or(text, |id| id.to_string());
        let query = ReservationQuery {
            queue: self.step["queue"].as_str(),
            id: &id,
            from: self.step["from"].as_i64().unwrap_or(0),
            to: self.step["to"].as_i64().unwrap_or(i64::MAX),
        };
        let found = self.system.as_ref().unwrap().list(&self.world, caller, &query)?;
        let with_allocations = self.step["allocations"].as_bool().unwrap_or(false);
        let shown = found.into_iter().map(|one| {
            let asked = one.definition();
            let mut definition =
                json!({"arrival": asked.arrival, "deadline": asked.deadline, "recurrence": asked.recurrence()});
            if let Some(name) = &asked.name {
                definition["name"] = name.as_str().into();
            }
            let mut shown = json!({
                "reservation": one.id().number, "user": one.user(), "accepted": one.accepted(), "definition": definition,
            });
            if with_allocations {
                shown["allocation"] = pieces(one.pieces());
            }
            shown
        });
        Ok(json!({"reservations": shown.collect::<Vec<_>>()}))
    }

    /// Holds an answer against the recorded one.
    fn answer(&mut self, outcome: Result<Value, ReservationRefused>) {
        let here = match outcome {
            Ok(answer) => answer,
            Err(refused) => json!({"error": {"kind": refused.kind(), "message": refused.to_string()}}),
        };
        for field in ["error", "id", "allocation", "reservations"] {
            self.differs(field, &self.expect[field].clone(), &here[field]);
        }
    }

    fn compare_apps(&mut self) {
        let moved = self.world.moved.iter().map(|(app, queue)| json!({"app": app, "queue": queue}));
        let moved: Vec<Value> = moved.collect();
        let killed: Vec<Value> = self.world.killed.iter().map(|app| json!(app)).collect();
        let recorded = |value: &Value| if value.is_null() { json!([]) } else { value.clone() };
        self.differs("moved", &recorded(&self.expect["moved"]), &moved.into());
        self.differs("killed", &recorded(&self.expect["killed"]), &killed.into());
        let killed = std::mem::take(&mut self.world.killed);
        self.world.apps.retain(|app, _| !killed.contains(app));
    }

    fn weights(&self) -> Vec<(String, f32)> {
        self.world.queues.iter().map(|(name, queue)| (name.clone(), queue.weight)).collect()
    }

    fn compare_queues(&mut self) {
        let shown = |name: &str, leaf: bool, weight: f32, share: Resource| {
            // To the bit: the weight as it lies in memory.
            json!({"name": name, "leaf": leaf, "weight": weight.to_bits(), "steady": as_json(share)})
        };
        let recorded = self.expect["queues"].as_array().unwrap().iter().map(|queue| {
            let weight = queue["weight"].to_string().parse().unwrap_or(1.0);
            let share = Some(&queue["steady-fair-share"]).filter(|share| !share.is_null());
            shown(
                queue["name"].as_str().unwrap(),
                queue["leaf"].as_bool().unwrap_or(false),
                weight,
                share.map_or(Resource::ZERO, resource_or_zero),
            )
        });
        let recorded: Vec<Value> = recorded.collect();
        let here = self.world.queues.iter().map(|(name, queue)| shown(name, queue.leaf, queue.weight, queue.share));
        let here: Vec<Value> = here.collect();
        self.differs("queues", &recorded.into(), &here.into());
    }

    /// Plans that are not as last shown, and of a plan only the fields that are not.
    fn compare_plans(&mut self, last: bool) {
        let Some(system) = self.system.as_mut() else { return };
        let mut changed = Vec::new();
        for (name, books) in system.plans(&self.world) {
            let all = plan_json(name, books);
            let before = self.shown.insert(name.to_owned(), all.clone());
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

fn resource_or_zero(value: &Value) -> Resource {
    Resource::new(value["memory-mb"].as_i64().unwrap_or(0), value["vcores"].as_i64().unwrap_or(0))
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
