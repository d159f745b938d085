//! Steps of the reservation system: how a recording has them, what they are to the core, and what is shown of plans.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::amounts::{Amounts, resource};
use crate::api::{
    Interpreter, Piece, PlanBooks, Point, Reservation, ReservationDefinition, ReservationRequests, Resource,
    ResourceTypes, SchedulerEvent, Stage,
};

/// A definition as it is sent.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Definition {
    arrival: i64,
    deadline: i64,
    interpreter: Option<Word>,
    stages: Option<Vec<StageLine>>,
    recurrence: Option<String>,
    name: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Any,
    All,
    Order,
    OrderNoGap,
}

#[derive(Clone, Debug, Deserialize)]
struct StageLine {
    resource: Amounts,
    containers: i32,
    #[serde(default = "one")]
    concurrency: i32,
    #[serde(default)]
    duration: i64,
}

fn one() -> i32 {
    1
}

/// A reservation as a list names it: a number, or the text that was sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ListedAs {
    Number(i64),
    Text(String),
}

impl Definition {
    /// The core's.
    pub(super) fn taken(&self, types: &ResourceTypes) -> ReservationDefinition {
        let interpreter = self.interpreter.map(|word| match word {
            Word::Any => Interpreter::Any,
            Word::All => Interpreter::All,
            Word::Order => Interpreter::Order,
            Word::OrderNoGap => Interpreter::OrderNoGap,
        });
        let stage = |line: &StageLine| Stage {
            capability: resource(types, &line.resource),
            containers: line.containers,
            concurrency: line.concurrency,
            duration_ms: line.duration,
        };
        let stages = self.stages.as_ref().map(|lines| lines.iter().map(stage).collect());
        ReservationDefinition {
            arrival: self.arrival,
            deadline: self.deadline,
            requests: stages.map(|stages| ReservationRequests { interpreter, stages }),
            name: self.name.clone(),
            recurrence: self.recurrence.clone(),
        }
    }
}

/// What a step shows of reservations, in the words of recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Booked {
    /// Of a refused call: Hadoop's text.
    pub(super) message: Option<String>,
    pub(super) id: Option<i64>,
    pub(super) allocation: Option<Value>,
    pub(super) reservations: Option<Value>,
    pub(super) moved: Option<Value>,
    pub(super) killed: Option<Value>,
    pub(super) plans: Option<Value>,
    /// A queue came, went or changed its weight.
    pub(super) queues_changed: bool,
}

fn amounts(resource: &Resource) -> Value {
    json!({"memory-mb": resource.memory_mb(), "vcores": resource.vcores()})
}

/// What a reservation has, by time.
pub(super) fn pieces(pieces: &[Piece]) -> Value {
    let piece = |piece: &Piece| json!({"from": piece.from, "to": piece.to, "resource": amounts(&piece.resource)});
    pieces.iter().map(piece).collect()
}

/// A reservation in a list.
pub(super) fn listed(reservation: &Reservation, with_allocation: bool) -> Value {
    let asked = reservation.definition();
    let mut definition =
        json!({"arrival": asked.arrival, "deadline": asked.deadline, "recurrence": asked.recurrence()});
    if let Some(name) = &asked.name {
        definition["name"] = name.as_str().into();
    }
    let mut shown = json!({
        "reservation": reservation.id().number, "user": reservation.user(), "accepted": reservation.accepted(),
        "definition": definition,
    });
    if with_allocation {
        shown["allocation"] = pieces(reservation.pieces());
    }
    shown
}

/// The changes of a profile, starting from nothing.
fn changes(points: impl Iterator<Item = Point>) -> Value {
    let mut last = Resource::ZERO;
    let mut out = Vec::new();
    for point in points {
        if let Some(value) = point.value.filter(|value| *value != last) {
            out.push(json!({"at": point.at, "resource": amounts(&value)}));
            last = value;
        }
    }
    out.into()
}

fn plan(name: &str, books: &PlanBooks) -> Map<String, Value> {
    let one = |one: &Reservation| {
        let mut shown = json!({"reservation": one.id().number, "user": one.user(), "accepted": one.accepted()});
        if one.period() > 0 {
            shown["period"] = one.period().into();
        }
        shown
    };
    let reservations: Vec<Value> = books.reservations().map(one).collect();
    let fields = [
        ("plan", json!(name)),
        ("capacity", amounts(&books.capacity())),
        ("committed", changes(books.committed().points())),
        ("periodic", changes(books.periodic().once().points())),
        ("reservations", reservations.into()),
    ];
    fields.into_iter().map(|(field, value)| (field.to_owned(), value)).collect()
}

/// Plans as they were last shown.
#[derive(Debug, Default)]
pub(super) struct ShownPlans(BTreeMap<String, Map<String, Value>>);

impl ShownPlans {
    /// Plans that are not as last shown, and of a plan only the fields that are not; at the last step all.
    pub(super) fn show(&mut self, plans: &BTreeMap<String, PlanBooks>, last: bool) -> Option<Value> {
        let mut changed = Vec::new();
        for (name, books) in plans {
            let all = plan(name, books);
            let mut shown = all.clone();
            if let Some(before) = self.0.insert(name.clone(), all).filter(|_| !last) {
                shown.retain(|field, value| field == "plan" || before.get(field) != Some(value));
            }
            if shown.len() > 1 {
                changed.push(Value::Object(shown));
            }
        }
        (!changed.is_empty()).then(|| changed.into())
    }
}

/// Applications that the follower moved, and those that it killed, by number.
pub(super) fn followed(events: &[SchedulerEvent]) -> (Vec<(u32, String)>, Vec<u32>) {
    let (mut moved, mut killed) = (Vec::new(), Vec::new());
    for event in events {
        if let SchedulerEvent::MovedAsReservationEnded { app, queue, .. } = event {
            moved.push((app.number, queue.clone()));
        }
        if let SchedulerEvent::KilledAsReservationEnded(app) = event {
            killed.push(app.number);
        }
    }
    moved.sort();
    killed.sort_unstable();
    (moved, killed)
}
