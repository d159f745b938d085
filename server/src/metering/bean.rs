//! One bean.

use evenweave::Resource;
use serde_json::{Map, Value};

/// Attributes by name.
pub(super) type Bean = Map<String, Value>;

pub(super) fn set(bean: &mut Bean, name: &str, value: impl Into<Value>) {
    bean.insert(name.to_owned(), value.into());
}

/// A 32-bit float in Java's digits.
pub(super) fn set_float(bean: &mut Bean, name: &str, value: f32) {
    set(bean, name, value.to_string().parse::<f64>().unwrap_or_default());
}

/// Vcores are 32-bit integers in Hadoop.
pub(super) fn put(bean: &mut Bean, name: &str, amount: &Resource) {
    set(bean, &format!("{name}MB"), amount.memory_mb());
    set(bean, &format!("{name}VCores"), amount.vcores().min(i32::MAX.into()));
}
