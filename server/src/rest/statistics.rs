//! `/appstatistics`: how many applications are in each state.

use super::errors::Fault;
use super::filters::{APP_STATES, wanted_app_states};
use super::request::{Answer, Asked, Outcome};
use crate::manager::ResourceManager;
use crate::value::{Object, Value};

pub(crate) fn statistics(of: &ResourceManager, asked: &Asked) -> Outcome {
    let mut states = wanted_app_states(asked, "states")?;
    if states.is_empty() {
        states = APP_STATES.to_vec();
    }
    let types = asked.words("applicationTypes");
    if types.len() > 1 {
        let (count, most) = (types.len(), "we temporarily support at most one applicationType");
        return Err(Fault::bad_request(format_args!("# of applicationTypes = {count}, {most}")));
    }
    let kind = types.first();
    let records = of.records();
    let item = |state: &str| {
        let of_kind = |other: &str| kind.is_none_or(|kind| other.trim().to_lowercase() == *kind);
        let count = records.apps().filter(|app| app.state.name() == state && of_kind(&app.kind)).count();
        Object::new().with("state", state).with("type", kind.map_or("*", String::as_str)).with("count", count)
    };
    let items: Value = states.into_iter().map(item).collect();
    Ok(Answer::natural("appStatInfo", Object::new().with("statItem", items)))
}
