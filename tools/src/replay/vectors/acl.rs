//! Access control lists: who may do what in which queue.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::deviation::Mismatch;
use super::capacity_files;
use super::notation::{Input, read, same, taken};
use crate::api::QueueAccess;

#[derive(Clone, Copy, Deserialize)]
enum Access {
    #[serde(rename = "SUBMIT_APPLICATIONS")]
    Submit,
    #[serde(rename = "ADMINISTER_QUEUE")]
    Administer,
}

impl From<Access> for QueueAccess {
    fn from(access: Access) -> QueueAccess {
        match access {
            Access::Submit => QueueAccess::Submit,
            Access::Administer => QueueAccess::Administer,
        }
    }
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
    match scheduler.as_str() {
        "fair" => {}
        "capacity" => {
            let checks = checks.into_iter().map(|check| (check.user, check.queue, check.access.into()));
            return capacity_files::check_access(input, checks, expect);
        }
        _ => return Err(Mismatch::new("scheduler", scheduler, "it must be fair or capacity")),
    }
    let input = Input::read(input)?;
    let Some(file) = taken(input.first_file()?, expect)? else { return Ok(()) };
    let mut stepped = input.start(file)?;
    let ours: Vec<Value> = checks
        .iter()
        .map(|Check { user, queue, access }| {
            let access = (*access).into();
            json!({
                "allowed": stepped.has_access(user, queue, access),
                "guarded": stepped.permits(user, queue, access),
                "admin": stepped.is_admin(user),
            })
        })
        .collect();
    same("checks", &expect["checks"], &ours.into())
}
