//! What steps have in common, whichever scheduler they are of.

use std::collections::BTreeMap;

use evenweave::resource::ResourceTypes;
use evenweave::{Ask, Label, Location, Resource};

use super::file::{Amounts, AskLine};

/// When the cluster of the recordings was started.
pub(super) const TIMESTAMP: u64 = 1_700_000_000_000;

/// Where its pages are.
pub(super) const WEB_ADDRESS: &str = "rm.example:8088";

/// Who it runs as: whoever ends something without saying who he is.
pub(super) const OPERATOR: &str = "root";

/// The port of all nodes.
pub(super) const PORT: u16 = 8041;

/// Amounts by name as a resource.
pub(super) fn resource(types: &ResourceTypes, amounts: &Amounts) -> Resource {
    let mut out = Resource::ZERO;
    for (name, amount) in amounts {
        if let Some(index) = types.index(name) {
            out = out.with(index, *amount);
        }
    }
    out
}

/// Lines as asks.
pub(super) fn asks(
    types: &ResourceTypes,
    lines: &[AskLine],
    at: impl Fn(&str) -> Location,
    labelled: impl Fn(&str) -> Label,
) -> Vec<Ask> {
    let ask = |line: &AskLine| {
        let count = u32::try_from(line.count).unwrap_or(0);
        let ask = Ask::anywhere(line.priority, resource(types, &line.resource), count);
        let ask = ask.at(at(&line.location)).relaxed(line.relax);
        match &line.label {
            Some(label) => ask.labelled(labelled(label)),
            None => ask,
        }
    };
    lines.iter().map(ask).collect()
}

/// Properties by name and value.
pub(super) fn pairs(of: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    of.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}
