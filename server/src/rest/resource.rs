//! Resources as answers have them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use evenweave::Resource;
use evenweave::parts::java::types_in_order;
use evenweave::resource::ResourceTypes;

use crate::scheduler::Basics;
use crate::value::{Object, Shared, Value};

/// What fits into 32 bits, as Hadoop has cores.
fn int(of: i64) -> i64 {
    of.clamp(i32::MIN.into(), i32::MAX.into())
}

/// Amounts, with whatever bounds each type has.
fn with_bounds(types: &ResourceTypes, of: &Resource, bounds: impl Fn(usize) -> (i64, i64)) -> Object {
    let amounts = types_in_order(types).into_iter().map(|index| {
        let (least, most) = bounds(index);
        Object::new()
            .with("attributes", Object::new())
            .with("maximumAllocation", most)
            .with("minimumAllocation", least)
            .with("name", types.name(index))
            .with("resourceType", Value::word("COUNTABLE"))
            .with("units", types.unit(index))
            .with("value", of.get(index))
    });
    let amounts: Value = amounts.collect();
    Object::new()
        .with("memory", of.memory_mb())
        .with("vCores", int(of.vcores()))
        .with("resourceInformations", Object::new().with("resourceInformation", amounts))
}

/// A resource.
pub(crate) fn resource(types: &ResourceTypes, of: &Resource) -> Object {
    with_bounds(types, of, |_| (0, i64::MAX))
}

/// Resources of one answer: the same amounts are put together once.
#[derive(Debug)]
pub(crate) struct Amounts<'b> {
    types: &'b ResourceTypes,
    known: RefCell<HashMap<Resource, Arc<Shared>>>,
}

impl<'b> Amounts<'b> {
    pub(crate) fn new(types: &'b ResourceTypes) -> Amounts<'b> {
        Amounts { types, known: RefCell::default() }
    }

    pub(crate) fn of(&self, amounts: &Resource) -> Arc<Shared> {
        let mut known = self.known.borrow_mut();
        known.entry(*amounts).or_insert_with(|| Shared::new(resource(self.types, amounts))).clone()
    }
}

/// The nothing that stands where nothing was configured: Hadoop's own, which shows how much a container may have.
pub(crate) fn unset(basics: &Basics) -> Object {
    let bounds = |index: usize| (basics.minimum.get(index), basics.maximum.get(index));
    with_bounds(&basics.types, &Resource::ZERO, bounds)
}
