//! Access control lists: who may do what in which queue.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::compare::Mismatch;
use super::notation::{Input, read, same, taken};
use crate::api::QueueAccess;

#[derive(Deserialize)]
enum Access {
    #[serde(rename = "SUBMIT_APPLICATIONS")]
    Submit,
    #[serde(rename = "ADMINISTER_QUEUE")]
    Administer,
}

#[derive(Deserialize)]
struct Check {
    user: String,
    queue: String,
    access: Access,
}

#[derive(Deserialize)]
struct Checks {
    scheduler: String,
    checks: Vec<Check>,
}

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let Checks { scheduler, checks } = read(input)?;
    if scheduler != "fair" {
        return Err(Mismatch::new("scheduler", scheduler, "only that of the FairScheduler can be replayed"));
    }
    let input = Input::read(input)?;
    let Some(file) = taken(input.first_file()?, expect)? else { return Ok(()) };
    let mut stepped = input.start(file)?;
    let ours: Vec<Value> = checks
        .iter()
        .map(|Check { user, queue, access }| {
            let access = match access {
                Access::Submit => QueueAccess::Submit,
                Access::Administer => QueueAccess::Administer,
            };
            json!({
                "allowed": stepped.has_access(user, queue, access),
                "guarded": stepped.permits(user, queue, access),
                "admin": stepped.is_admin(user),
            })
        })
        .collect();
    same("checks", &expect["checks"], &ours.into())
}
