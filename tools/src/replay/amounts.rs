//! Amounts of resources as recordings have them.

use std::collections::BTreeMap;

use crate::api::{Resource, ResourceTypes};

/// Amounts by type name; what is absent is zero.
pub(super) type Amounts = BTreeMap<String, i64>;

/// Amounts by name as a vector.
pub(super) fn resource(types: &ResourceTypes, amounts: &Amounts) -> Resource {
    let mut out = Resource::ZERO;
    for (name, amount) in amounts {
        if let Some(index) = types.index(name) {
            out = out.with(index, *amount);
        }
    }
    out
}
