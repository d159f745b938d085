//! `/log-level`: what the log says, read and changed.

use std::sync::Arc;

use super::administers;
use crate::logging::Logging;
use crate::manager::ResourceManager;
use crate::rest::body::members;
use crate::rest::errors::Fault;
use crate::rest::request::{Answer, Asked, Outcome};
use crate::value::Object;

fn logging(of: &ResourceManager) -> Result<&Arc<Logging>, Fault> {
    of.logging().ok_or_else(|| {
        Fault::bad_request("The log of this server is not its own: levels are changed where it is written")
    })
}

/// All levels; with `?log=` the one of a target.
pub(crate) fn shown(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "getLogLevel")?;
    let logging = logging(of)?;
    let answer = Object::new().with("levels", logging.levels());
    let answer = match asked.query("log") {
        Some(log) => answer.with("log", log).with("level", logging.level(log).map_err(Fault::illegal_argument)?),
        None => answer,
    };
    Ok(Answer::natural("logLevel", answer))
}

/// `{"levels": "…"}` changes all, `{"log": "…", "level": "…"}` that of a target.
pub(crate) fn change(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "setLogLevel")?;
    let logging = logging(of)?;
    let body = members(asked, "logLevel")?;
    let changed = match (body.get("levels"), body.get("log"), body.get("level")) {
        (Some(levels), None, None) => logging.set_levels(levels),
        (None, Some(log), Some(level)) => logging.set_level(log, level),
        _ => Err("a change of the log has either levels, or log and level".to_owned()),
    };
    changed.map_err(Fault::illegal_argument)?;
    Ok(Answer::natural("logLevel", Object::new().with("levels", logging.levels())))
}
