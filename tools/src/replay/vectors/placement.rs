//! Placement: the rules in force, what becomes of each submission, and the queues after all of them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::deviation::Mismatch;
use super::notation::{Input, read, rules, same, taken};
use crate::api::{Refused, Resource, SchedulerApi, Stepped, Submission};
use evenweave::refused::{Denied, Invalid, Limit, NoQueue};

/// What every AM asks for.
const AM: Resource = Resource::new(1024, 1);

#[derive(Deserialize)]
struct Submit {
    user: String,
    queue: String,
}

#[derive(Deserialize)]
struct Submissions {
    submit: Vec<Submit>,
}

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let Submissions { submit } = read(input)?;
    let input = Input::read(input)?;
    let Some(file) = taken(input.first_file()?, expect)? else { return Ok(()) };
    let mut stepped = input.start(file)?;
    same("rules", &expect["rules"], &rules(stepped.placement_rules()))?;
    for (number, submit) in (1..).zip(&submit) {
        let index = number as usize - 1;
        let ours = enter(&mut stepped, number, submit);
        same(&format!("submit[{index}]"), &recorded(&expect["submit"][index]), &ours)?;
    }
    let queue = |leaf: bool, dynamic: bool| {
        format!("{}{}", if leaf { "leaf" } else { "parent" }, if dynamic { " dynamic" } else { "" })
    };
    let queues = stepped.queues().into_iter().map(|view| (view.name, queue(view.leaf, view.dynamic)));
    same("queues", &expect["queues"], &json!(queues.collect::<BTreeMap<_, _>>()))
}

/// Submits, and shows what came of it as [`recorded`] does.
fn enter(stepped: &mut Stepped, number: u32, Submit { user, queue }: &Submit) -> Value {
    let mut out = json!({});
    if let Ok(placed) = stepped.place(user, Some(queue)) {
        out["placed"] = json!(placed);
    }
    let submission = Submission::new(number, user.clone()).in_queue(queue.clone()).with_am(AM);
    match stepped.submit(submission) {
        Ok(app) => {
            out["outcome"] = "accepted".into();
            out["queue"] = app.reported_queue().into();
        }
        Err(refused) => {
            let (stage, why) = stage(&refused);
            out["outcome"] = "rejected".into();
            out["stage"] = stage.into();
            out["why"] = why.into();
        }
    }
    out
}

/// Which part of Hadoop refuses this, and for what.
#[expect(clippy::wildcard_enum_match_arm, reason = "a submission that is refused for anything else differs")]
fn stage(refused: &Refused) -> (&'static str, &'static str) {
    match refused {
        Refused::NoQueue(NoQueue::RuleFailed { .. }) => ("placement", "rule"),
        Refused::NoQueue(NoQueue::NameAtSubmit { .. }) => ("submit", "name"),
        Refused::Denied(Denied::Submit { .. }) => ("submit", "acl"),
        Refused::Invalid(Invalid::Resource { .. }) => ("submit", "size"),
        Refused::NoQueue(NoQueue::NoRule { .. }) => ("scheduler", "no rule"),
        Refused::NoQueue(NoQueue::BadName { .. }) => ("scheduler", "name"),
        Refused::NoQueue(NoQueue::NotLeaf { .. }) => ("scheduler", "no leaf"),
        Refused::Denied(Denied::Queue { .. }) => ("scheduler", "acl"),
        Refused::Limit(Limit::ZeroMax { .. }) => ("scheduler", "zero"),
        other => ("another", other.kind()),
    }
}

/// What stands in Hadoop's messages.
const MESSAGES: [(&str, &str, &str); 9] = [
    ("submit", "queue is null or empty", "name"),
    // Java's own: the search for a queue above cuts the name at its last dot, and it has none.
    ("submit", "begin 0, end -1", "name"),
    ("submit", "greater than maximum allowed allocation", "size"),
    ("submit", "denied by ACL", "acl"),
    ("scheduler", "rejected by placement rules", "no rule"),
    ("scheduler", "Illegal node name", "name"),
    ("scheduler", "is not a leaf queue", "no leaf"),
    ("scheduler", "does not have permission", "acl"),
    ("scheduler", "zero amount of resource", "zero"),
];

/// A recorded result with the reason in place of the message. Hadoop refuses some names by an exception that its event
/// handler does not expect; a refusal by the scheduler is what that is here.
fn recorded(result: &Value) -> Value {
    let mut out = result.clone();
    let Some(message) = result["message"].as_str() else { return out };
    let stage = result["stage"].as_str().unwrap_or_default();
    // Whatever it is that stops a rule, a rule is stopped.
    let known = MESSAGES.iter().find(|(at, text, _)| *at == stage && message.contains(text));
    let why = if stage == "placement" { Some("rule") } else { known.map(|(_, _, why)| *why) };
    out["why"] = why.unwrap_or(message).into();
    out["outcome"] = "rejected".into();
    if let Some(out) = out.as_object_mut() {
        out.remove("message");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The difference of one submission to a queue from what is recorded of it.
    fn difference(user: &str, queue: &str, xml: &str, recorded: &Value) -> Option<String> {
        let input = json!({
            "xml": format!("<allocations>{xml}</allocations>"),
            "properties": {"yarn.acl.enable": "true"},
            "cluster": {"memory-mb": 8192, "vcores": 8},
            "submit": [{"user": user, "queue": queue}],
        });
        let mut expect = json!({"rules": [], "queues": {}, "submit": [recorded]});
        // What is not looked for here is as it is.
        let file = Input::read(&input).unwrap().first_file().unwrap().unwrap();
        let mut stepped = Input::read(&input).unwrap().start(file).unwrap();
        expect["rules"] = rules(stepped.placement_rules());
        for view in stepped.queues() {
            expect["queues"][view.name] = if view.leaf { "leaf" } else { "parent" }.into();
        }
        check(&input, &expect).err().map(|found| format!("{}: {} / {}", found.field, found.expected, found.got))
    }

    #[test]
    fn an_am_above_what_its_queue_allows_is_refused_at_submit() {
        let xml = "<queue name='a'><maxContainerAllocation>512 mb, 1 vcores</maxContainerAllocation></queue>";
        let recorded =
            |message: &str| json!({"placed": "root.a", "outcome": "rejected", "stage": "submit", "message": message});
        let text = "Invalid resource request! Cannot allocate containers as requested resource is greater than maximum \
            allowed allocation. Requested resource type=[memory-mb]";
        assert_eq!(difference("al", "a", xml, &recorded(text)), None);
        assert!(difference("al", "a", xml, &recorded("denied by ACL")).is_some());
    }

    #[test]
    fn java_trips_over_a_name_without_dots() {
        let message = "begin 0, end -1, length 0";
        let recorded = json!({"placed": "", "outcome": "rejected", "stage": "submit", "message": message});
        assert_eq!(difference(" ", "default", "", &recorded), None);
    }
}
