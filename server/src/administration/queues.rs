//! `/refresh-queues`: what `yarn rmadmin -refreshQueues` does; and `/refresh-tokens`, of authenticators.

use evenweave::config::{Diagnostic, Severity};

use super::administers;
use crate::manager::ResourceManager;
use crate::rest::errors::Fault;
use crate::rest::request::{Answer, Asked, Outcome};
use crate::scheduler::NotRefreshed;
use crate::value::{Object, Value};

pub(crate) fn refresh(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshQueues")?;
    match of.refresh_queues() {
        Ok(warnings) => {
            let answer = Object::new().with("refreshed", true).with("diagnostics", diagnostics(&warnings));
            Ok(Answer::natural("refresh", answer))
        }
        Err(why) => Err(refusal(why)),
    }
}

/// Authenticators read again what they go by.
pub(crate) fn refresh_tokens(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshTokens")?;
    let access = of.access().clone();
    of.patience().read("the file of tokens", move || access.refresh()).and_then(|read| read).map_err(Fault::refused)?;
    Ok(Answer::natural("refresh", Object::new().with("refreshed", true)))
}

pub(super) fn refusal(why: NotRefreshed) -> Fault {
    let sentence = why.to_string();
    match why {
        NotRefreshed::NoFile => Fault::bad_request(sentence),
        NotRefreshed::Unreadable(_) | NotRefreshed::Refused(_) => Fault::refused(sentence),
        NotRefreshed::Wrong(found) => Fault::refused(sentence).telling("diagnostics", diagnostics(&found)),
    }
}

/// The same members as `evenweave check --json` has; what is not known is left out.
pub(super) fn diagnostics(of: &[Diagnostic]) -> Value {
    let object = |one: &Diagnostic| {
        let severity = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        Object::new()
            .with("severity", severity)
            .with("code", one.code)
            .maybe("source", one.at.as_ref().map(|at| &*at.source))
            .maybe("line", one.at.as_ref().map(|at| at.line))
            .maybe("column", one.at.as_ref().map(|at| at.column))
            .with("message", one.message.as_str())
            .maybe("effect", one.effect.as_deref())
            .maybe("help", one.help.as_deref())
    };
    of.iter().map(object).collect()
}
