//! `/reservation/…`: a name for a reservation, and submission, update, deletion and list of reservations.
//!
//! Follows the reservation calls of `RMWebServices` of Hadoop 3.4.2. Who may do what the reservation system says.

mod definition;

mod numbers;

mod refusals;

use evenweave::reservation::{
    Reservation, ReservationId, ReservationQuery, ReservationRefused, ReservationSubmission, ReserveError,
};

use self::refusals::no_id;
pub(super) use self::refusals::refused;
use super::document::{Node, document};
use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use super::resource::{resource, unset};
use crate::manager::ResourceManager;
use crate::scheduler::{Basics, Booking};
use crate::value::{Object, Value};

/// What does it, where the scheduler has such.
pub(super) fn booking(of: &ResourceManager) -> Result<&dyn Booking, ReserveError> {
    of.scheduler().booking().ok_or_else(|| ReservationRefused::NotEnabled.into())
}

/// The name that a body has.
fn id(body: &Node) -> Result<Option<ReservationId>, Fault> {
    body.text("reservation-id").map(|text| text.parse().map_err(|why| no_id(&why))).transpose()
}

pub(crate) fn new(of: &ResourceManager, _asked: &Asked) -> Outcome {
    let made = booking(of).and_then(|system| system.reserve_new());
    let id = made.map_err(|_| Fault::runtime("Unable to create new reservation from RM web service"))?;
    Ok(Answer::mapped("new-reservation", Object::new().with("reservation-id", id.to_string())))
}

pub(crate) fn submit(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = document(asked, "reservation-submission-context")?;
    let (definition, requests) = definition::checked(&body)?;
    let definition = definition::read(definition, requests)?;
    let request = ReservationSubmission { id: id(&body)?, queue: body.text("queue"), definition: Some(&definition) };
    booking(of).and_then(|system| system.reserve_submit(&asked.user, &request)).map_err(|why| refused(&why))?;
    Ok(Answer::sentence(202, String::new()))
}

pub(crate) fn update(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = document(asked, "reservation-update-context")?;
    let (definition, requests) = definition::checked(&body)?;
    if body.text("reservation-id").is_none() {
        return Err(Fault::bad_request("Update operations must specify an existing ReservationId"));
    }
    let definition = definition::read(definition, requests)?;
    let id = id(&body)?;
    let done = booking(of).and_then(|system| system.reserve_update(&asked.user, id, Some(&definition)));
    done.map_err(|why| refused(&why))?;
    Ok(Answer::mapped("reservation-update-response", Object::new()))
}

pub(crate) fn delete(of: &ResourceManager, asked: &Asked) -> Outcome {
    let id = id(&document(asked, "reservation-delete-context")?)?;
    booking(of).and_then(|system| system.reserve_delete(&asked.user, id)).map_err(|why| refused(&why))?;
    Ok(Answer::mapped("reservation-delete-response", Object::new()))
}

pub(crate) fn list(of: &ResourceManager, asked: &Asked) -> Outcome {
    let time = |name: &str, otherwise: i64| match asked.query(name) {
        None => Ok(otherwise),
        Some(text) => text.parse().map_err(|_| Fault::no_parameter(text)),
    };
    let (from, to) = (time("start-time", 0)?, time("end-time", -1)?);
    let with_pieces = asked.query("include-resource-allocations").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let query = ReservationQuery {
        // One that is named and empty is none.
        queue: Some(asked.queries("queue").next().unwrap_or("default")),
        id: asked.query("reservation-id").unwrap_or_default(),
        from,
        to,
    };
    let found = booking(of).and_then(|system| system.reserve_list(&asked.user, &query)).map_err(|why| refused(&why))?;
    let basics = of.scheduler().basics();
    let found: Value = found.iter().map(|one| shown(basics, one, with_pieces)).collect();
    Ok(Answer::mapped("reservationListInfo", Object::new().with("reservations", found)))
}

fn shown(basics: &Basics, of: &Reservation, with_pieces: bool) -> Object {
    let pieces = of.pieces().iter().filter(|_| with_pieces);
    let pieces: Value = pieces
        .map(|piece| {
            let size = match piece.resource.is_zero() {
                // A gap is the nothing of Hadoop's that was never set.
                true => unset(basics),
                false => resource(&basics.types, &piece.resource),
            };
            Object::new().with("resource", size).with("startTime", piece.from).with("endTime", piece.to)
        })
        .collect();
    Object::new()
        .with("acceptance-time", of.accepted())
        .with("user", of.user())
        .with("resource-allocations", pieces)
        .with("reservation-id", of.id().to_string())
        .with("reservation-definition", definition::shown(&basics.types, of.definition()))
}
