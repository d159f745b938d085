//! `/queues/{queue}/access`: whether somebody may do something in a queue.

use evenweave::config::QueueAccess;

use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use crate::manager::ResourceManager;
use crate::value::Object;

pub(crate) fn access(of: &ResourceManager, asked: &Asked) -> Outcome {
    let (queue, caller) = (asked.part("queue"), asked.user.as_str());
    let scheduler = of.scheduler();
    if !scheduler.has_access(caller, queue, QueueAccess::Administer) {
        return Err(Fault::forbidden(format_args!(
            "User={caller} doesn't haven access to queue={queue} so it cannot check ACLs for other users."
        )));
    }
    let user = asked.query("user").ok_or_else(|| Fault::illegal_argument("Null user"))?;
    let kind = asked.query("queue-acl-type").unwrap_or("SUBMIT_APPLICATIONS");
    let right = match kind {
        "SUBMIT_APPLICATIONS" => QueueAccess::Submit,
        "ADMINISTER_QUEUE" => QueueAccess::Administer,
        other => {
            return Err(Fault::bad_request(format_args!(
                "Specified queueAclType={other} is not a valid type, valid queue acl \
                 types={{SUBMIT_APPLICATIONS/ADMINISTER_QUEUE}}"
            )));
        }
    };
    let allowed = scheduler.has_access(user, queue, right);
    let diagnostics = match allowed {
        true => String::new(),
        false => format!("User={user} doesn't have access to queue={queue} with acl-type={kind}"),
    };
    let answer = Object::new().with("allowed", allowed).with("user", user).with("diagnostics", diagnostics);
    Ok(Answer::mapped("rmQueueAclInfo", answer))
}
