//! The most that one container of a queue may get.
//!
//! Follows rules/capacity.md 2.2 and 5.4; `QueueAllocationSettings` and `ResourceUtils.createResourceFromString`.

use super::error::{CapacityFault, CapacityFileError};
use super::source::Source;
use crate::java;
use crate::quoted::resource_text;
use evenweave_resource::{Resource, ResourceTypes, Unit};

const KEY: &str = "maximum-allocation";

/// `parent` is the parent's maximum, root's being the cluster's.
pub(super) fn read(
    source: &Source<'_>,
    types: &ResourceTypes,
    queue: &str,
    parent: &Resource,
    cluster: &Resource,
) -> Result<Resource, CapacityFileError> {
    let property = Source::of(queue, KEY);
    let above = |property: String, maximum: &Resource| {
        let (maximum, cluster) = (resource_text(types, maximum), resource_text(types, cluster));
        let fault = CapacityFault::MaximumAllocation { queue: queue.to_owned(), maximum, cluster };
        Err(CapacityFileError::new(property, fault))
    };
    if let Some(text) = source.text(&property).filter(|text| !text.is_empty()) {
        let own = parse(&text, types).map_err(|problem| {
            CapacityFileError::new(property.clone(), CapacityFault::MaximumAllocationText { text, problem })
        })?;
        // All of it counts: a type that is not named has none.
        let own = Resource::from_fn(|i| if i < types.len() { own.get(i) } else { parent.get(i) });
        return if own.fits_in(cluster) { Ok(own) } else { above(property, &own) };
    }
    let mut maximum = *parent;
    let mut too_much = None;
    for (index, part) in ["mb", "vcores"].into_iter().enumerate() {
        let property = format!("{property}-{part}");
        // -1 is as good as absent.
        let own = i64::from(source.int(&property, -1)?);
        if own != -1 {
            maximum = maximum.with(index, own);
            too_much = too_much.or((own > cluster.get(index)).then_some(property));
        }
    }
    too_much.map_or(Ok(maximum), |property| above(property, &maximum))
}

/// `memory-mb=4G,vcores=2`; what is not named is 0.
fn parse(text: &str, types: &ResourceTypes) -> Result<Resource, String> {
    let mut out = Resource::ZERO;
    for pair in java::split(java::trim(text), ',') {
        let (key, amount) = parse_pair(java::trim(pair))?;
        let Some(index) = types.index(key) else {
            let known = types.names().collect::<Vec<_>>().join(", ");
            return Err(format!("names the resource {key:?}, which there is not; known are {known}"));
        };
        out = out.with(index, if index == 1 { amount.min(i64::from(i32::MAX)) } else { amount });
    }
    Ok(out)
}

fn parse_pair(pair: &str) -> Result<(&str, i64), String> {
    let wrong = || format!("has {pair:?}, which must be of the form name=integer, or memory-mb=integer and M or G");
    let (key, value) = pair.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(wrong)?;
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &value[digits.len()..] {
        "M" | "m" => Some(Unit::MEBI),
        "G" | "g" => Some(Unit::GIBI),
        "" => None,
        _ => return Err(wrong()),
    };
    // One space of any kind may stand between.
    let digits = digits.strip_suffix(java::is_space).unwrap_or(digits);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let amount = java::parse_long(digits).filter(|_| plain).ok_or_else(wrong)?;
    let in_mebi = |unit: Unit| unit.convert_in_64_bits(amount, Unit::MEBI).ok_or_else(wrong);
    match (key, unit) {
        ("memory-mb", Some(unit)) => Ok((key, in_mebi(unit)?)),
        // As in Hadoop, memory without a unit is bytes.
        ("memory", unit) => Ok(("memory-mb", in_mebi(unit.unwrap_or(Unit::ONE))?)),
        ("gpu", _) => Ok(("yarn.io/gpu", amount)),
        ("fpga", _) => Ok(("yarn.io/fpga", amount)),
        _ => Ok((key, amount)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_amounts() {
        let parse = |text| parse(text, &ResourceTypes::standard());
        assert_eq!(parse("memory-mb=4G, vcores=2"), Ok(Resource::new(4096, 2)));
        assert_eq!(parse("memory-mb=1024 M"), Ok(Resource::new(1024, 0)));
        assert_eq!(parse("memory=1048576"), Ok(Resource::new(1, 0)));
        assert_eq!(parse("vcores=9999999999"), Ok(Resource::new(0, i64::from(i32::MAX))));
        for bad in ["memory-mb=4Gi", "memory-mb =4", "gpu=1", "4096", "memory-mb=", "memory-mb=-1", "vcores=1_0"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_queue_takes_its_parents_maximum_and_stays_below_the_clusters() {
        let (parent, cluster) = (Resource::new(2048, 2), Resource::new(4096, 4));
        let read = |key: &str, value: &str| {
            let name = format!("yarn.scheduler.capacity.root.a.{key}");
            let site = [(name.as_str(), value)].into_iter().collect();
            read(&Source::new(&site), &ResourceTypes::standard(), "root.a", &parent, &cluster)
        };
        assert_eq!(read("maximum-allocation-mb", "4096"), Ok(Resource::new(4096, 2)));
        assert_eq!(read("maximum-allocation", "memory-mb=1024"), Ok(Resource::new(1024, 0)));
        assert_eq!(
            read("maximum-allocation-vcores", "8").unwrap_err().to_string(),
            "yarn.scheduler.capacity.root.a.maximum-allocation-vcores: Queue maximum allocation cannot be larger than the \
             cluster setting for queue root.a max allocation per queue: <memory:2048, vCores:8> cluster setting: \
             <memory:4096, vCores:4>"
        );
    }
}
