//! `/controls` and `/queues`: a simulated cluster is changed, and the text of its queues is checked and taken.

use super::administers;
use super::queues::{diagnostics, refusal};
use crate::controls::{Action, Controls};
use crate::manager::ResourceManager;
use crate::rest::errors::Fault;
use crate::rest::request::{Answer, Asked, Outcome};
use crate::scheduler::{QueuesText, decode};
use crate::value::Object;

fn controls(of: &ResourceManager) -> Result<&dyn Controls, Fault> {
    of.controls().ok_or_else(|| Fault::not_found("this cluster is not simulated: it has no controls"))
}

/// A page sends UTF-8, whatever the text declares; a file that is sent as it is may be in the encoding that it
/// declares.
fn text(of: &ResourceManager, asked: &Asked) -> Result<String, Fault> {
    match std::str::from_utf8(&asked.body) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => decode(&asked.body, "the body", of.scheduler().basics().kind).map_err(Fault::bad_request),
    }
}

/// Whether the cluster is simulated; where it is, how things stand. The text of the queues has everybody's rights in
/// it: with rights it is for administrators, as the scheduler's configuration is.
pub(crate) fn standing(of: &ResourceManager, asked: &Asked) -> Outcome {
    let Some(controls) = of.controls() else {
        return Ok(Answer::natural("controls", Object::new().with("simulated", false)));
    };
    let standing = controls.standing();
    let scheduler = of.scheduler();
    let may = !scheduler.basics().acls || scheduler.is_admin(&asked.user);
    let answer = Object::new()
        .with("simulated", true)
        .with("loadPercent", standing.load_percent)
        .with("file", standing.queues.name)
        .maybe("text", may.then_some(standing.queues.text));
    Ok(Answer::natural("controls", answer))
}

pub(crate) fn act(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "controls")?;
    let controls = controls(of)?;
    let action: Action = serde_json::from_slice(&asked.body)
        .map_err(|error| Fault::refused(format_args!("that is no action: {error}")))?;
    let said = controls.act(action).map_err(Fault::refused)?;
    Ok(Answer::natural("controls", Object::new().with("said", said)))
}

pub(crate) fn check(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshQueues")?;
    let found = controls(of)?.check(&text(of, asked)?);
    Ok(Answer::natural("check", Object::new().with("diagnostics", diagnostics(&found))))
}

/// Takes the text whole, or says why not: then the queues are as before. The file that queues are read from is not
/// written: whoever has applied a text is told so.
pub(crate) fn apply(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshQueues")?;
    let (controls, text) = (controls(of)?, text(of, asked)?);
    let name = controls.standing().queues.name;
    let note = format!(
        "the queues are as the text says. {name} is as it was: refresh-queues, or a start of the server, brings its queues back"
    );
    let warnings = of.refresh_with(&QueuesText { name, text }).map_err(refusal)?;
    let answer = Object::new().with("refreshed", true).with("diagnostics", diagnostics(&warnings)).with("note", note);
    Ok(Answer::natural("refresh", answer))
}
