//! Which nodes an ask wants: its label, or what stands in its place, and whether the application may have them
//! (rules/node-labels.md 8).
//!
//! Run on the caller's thread, against the newest snapshot, and on the control's for the container of an AM. Workers
//! are told numbers.

use crate::app::{Ask, Location};
use crate::config::trim;
use crate::engine::intake::locations::Locations;
use crate::event::Refused;
use crate::event::refused::Invalid;
use crate::id::LabelId;
use crate::labels::{LabelTable, LabelTerms};

/// A `*` ask's label after what takes its place (rules/node-labels.md 8.2, steps 1 and 2). `of_app`: the application's.
pub(crate) fn enforced<'a>(own: Option<&'a str>, of_app: Option<&'a str>, terms: &LabelTerms<'_>) -> Option<&'a str> {
    let label = own.or(of_app);
    let is_enforced = |label: Option<&str>| label.is_some_and(|label| terms.enforced.contains(label));
    if is_enforced(of_app) || is_enforced(label) { of_app } else { label }
}

/// Labels are off, and an ask names one.
fn check_off(label: Option<&str>, table: &LabelTable) -> Result<(), Refused> {
    if table.len() == 0 && label.is_some_and(|label| !label.is_empty()) {
        return Err(Refused::from(Invalid::Label(
            "Invalid resource request, node label not enabled but request contains label expression".to_owned(),
        )));
    }
    Ok(())
}

/// The number of what a `*` ask names in the end, if the queue may use it and it is there; `size` checks the size on
/// the way (rules/node-labels.md 8.2, steps 3 to 8).
pub(crate) fn checked(
    label: Option<&str>,
    table: &LabelTable,
    terms: Option<&LabelTerms<'_>>,
    size: impl FnOnce() -> Result<(), Refused>,
) -> Result<LabelId, Refused> {
    check_off(label, table)?;
    size()?;
    let label = label.or(terms.and_then(|terms| terms.default)).map_or("", trim);
    if label.is_empty() {
        return Ok(LabelId::NONE);
    }
    let queue = terms.map_or("", LabelTerms::short_name);
    if label.contains("&&") {
        return Err(Refused::from(Invalid::Label(format!(
            "Invalid resource request, queue={queue} specified more than one node label in a node label expression, node \
             label expression = {label}"
        ))));
    }
    if terms.is_none_or(|terms| !terms.may_use(label)) {
        let list = terms.map(LabelTerms::list).unwrap_or_default();
        return Err(Refused::from(Invalid::Label(format!(
            "Invalid resource request, queue={queue} doesn't have permission to access all labels in resource request. \
             labelExpression of resource request={label}. Queue labels={list}"
        ))));
    }
    table.present(label).ok_or_else(|| {
        Refused::from(Invalid::Label(format!(
            "Invalid label resource request, cluster do not contain , label= {label}"
        )))
    })
}

/// What an ask of an AM is for. `size` checks its size.
pub(crate) fn of_ask(
    ask: &Ask,
    locations: &Locations,
    table: &LabelTable,
    terms: Option<&LabelTerms<'_>>,
    of_app: Option<&str>,
    size: impl FnOnce() -> Result<(), Refused>,
) -> Result<LabelId, Refused> {
    let own = match ask.label {
        None => None,
        Some(label) => Some(label.name().map(|name| locations.name_of(name)).transpose()?.unwrap_or_default()),
    };
    let own = own.as_deref();
    if ask.location == Location::ANY {
        let label = match terms {
            Some(terms) => enforced(own, of_app, terms),
            None => own.or(of_app),
        };
        return checked(label, table, terms, size);
    }
    check_off(own, table)?;
    size()?;
    if own.is_none_or(str::is_empty) {
        return Ok(LabelId::NONE);
    }
    Err(Refused::from(Invalid::Label(format!(
        "Invalid resource request, queue={} specified node label expression in a resource request has resource name = {}",
        terms.map_or("", LabelTerms::short_name),
        locations.name_of(ask.location)?
    ))))
}
