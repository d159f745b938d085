//! What a client books, as bodies and answers have it: `ReservationDefinitionInfo` and what is in it.

use evenweave::Resource;
use evenweave::reservation::{Interpreter, ReservationDefinition, ReservationRequests, Stage};
use evenweave::resource::ResourceTypes;

use super::numbers::{int, long};
use crate::rest::document::Node;
use crate::rest::errors::Fault;
use crate::rest::resource::resource;
use crate::value::{Object, Value};

/// By their numbers.
const INTERPRETERS: [Interpreter; 4] =
    [Interpreter::Any, Interpreter::All, Interpreter::Order, Interpreter::OrderNoGap];

/// The definition in a body, and what is wrong before anything else is looked at.
pub(super) fn checked(body: &Node) -> Result<(&Node, &Node), Fault> {
    let no_definition = || Fault::bad_request("Input ReservationDefinition should not be null");
    let definition = body.last("reservation-definition").filter(|one| one.is_there()).ok_or_else(no_definition)?;
    let requests = definition.last("reservation-requests");
    let requests = requests.filter(|requests| requests.all("reservation-request").next().is_some());
    let none = || Fault::bad_request("The ReservationDefinition should contain at least one ReservationRequest");
    Ok((definition, requests.ok_or_else(none)?))
}

/// The definition that a body has.
pub(super) fn read(definition: &Node, requests: &Node) -> Result<ReservationDefinition, Fault> {
    let number = int(requests.text("reservation-request-interpreter"));
    let interpreter = usize::try_from(number).ok().and_then(|number| INTERPRETERS.get(number).copied());
    let interpreter = interpreter.ok_or_else(|| Fault::out_of_bounds(number, INTERPRETERS.len()))?;
    let stages = requests.all("reservation-request").map(stage).collect::<Result<_, _>>()?;
    Ok(ReservationDefinition {
        // Hadoop's record keeps none below 0.
        arrival: long(definition.text("arrival")).max(0),
        deadline: long(definition.text("deadline")).max(0),
        requests: Some(ReservationRequests { interpreter: Some(interpreter), stages }),
        name: definition.text("reservation-name").map(str::to_owned),
        recurrence: definition.text("recurrence-expression").map(str::to_owned),
    })
}

/// Of the resource types a body has memory and cores.
fn stage(request: &Node) -> Result<Stage, Fault> {
    let capability = request.last("capability").filter(|one| one.is_there());
    let capability = capability.ok_or_else(|| Fault::null("the capability"))?;
    let (memory, vcores) = (long(capability.text("memory")), int(capability.text("vCores")));
    Ok(Stage {
        capability: Resource::new(memory, vcores.into()),
        containers: int(request.text("num-containers")),
        concurrency: int(request.text("min-concurrency")),
        duration_ms: long(request.text("duration")),
    })
}

/// The definition that an answer shows. As in Hadoop, not the priority.
pub(super) fn shown(types: &ResourceTypes, of: &ReservationDefinition) -> Object {
    let requests = of.requests.as_ref().map(|requests| {
        let stages: Value = requests.stages.iter().map(|stage| stage_shown(types, stage)).collect();
        // Without one it is planned as all.
        let interpreter = requests.interpreter.unwrap_or(Interpreter::All);
        let number = INTERPRETERS.iter().position(|other| *other == interpreter).unwrap_or_default();
        Object::new().with("reservation-request-interpreter", number).with("reservation-request", stages)
    });
    Object::new()
        .with("arrival", of.arrival)
        .with("deadline", of.deadline)
        .maybe("reservation-requests", requests)
        .maybe("reservation-name", of.name.as_deref())
        .with("priority", 0)
        .with("recurrence-expression", of.recurrence())
}

fn stage_shown(types: &ResourceTypes, of: &Stage) -> Object {
    Object::new()
        .with("capability", resource(types, &of.capability))
        .with("min-concurrency", of.concurrency)
        .with("num-containers", of.containers)
        .with("duration", of.duration_ms)
}
