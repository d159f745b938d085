//! Why nothing came of it, as Hadoop's `RMWebServices` says it.

use evenweave::reservation::{ReservationIdError, ReservationRefused, ReserveError};

use crate::rest::errors::Fault;

/// A text that is no reservation's name.
pub(super) fn no_id(why: &ReservationIdError) -> Fault {
    if let ReservationIdError::Number(text) = why { Fault::no_number(text) } else { Fault::no_input(why) }
}

/// What the scheduler says.
pub(in crate::rest) fn refused(why: &ReserveError) -> Fault {
    let ReserveError::Reservation(refused) = why else { return Fault::unavailable(why) };
    if let ReservationRefused::BadId(why) = refused {
        return no_id(why);
    }
    match (refused.kind(), thrown(refused)) {
        ("zero-duration", _) => Fault::by_zero(),
        // What Hadoop does not catch.
        ("backwards" | "not-in-plan", _) => Fault::illegal_argument(refused.to_string()),
        (_, None) => Fault::bad_request(refused),
        (_, Some(class)) => Fault::bad_request(format_args!("{class}: {refused}")),
    }
}

/// The class of the exception that Hadoop passes on within another one, whose name its message begins with then.
fn thrown(of: &ReservationRefused) -> Option<&'static str> {
    Some(match of.kind() {
        "reservation-acl" => "java.security.AccessControlException",
        "bad-concurrency" | "bad-count" | "not-multiple" | "above-maximum" => {
            "org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.ContractValidationException"
        }
        "unsatisfiable" | "gap" | "negative" => {
            "org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningException"
        }
        "quota" | "average-quota" => {
            "org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningQuotaException"
        }
        "over-commit" => {
            "org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.ResourceOverCommitException"
        }
        _ => return None,
    })
}
