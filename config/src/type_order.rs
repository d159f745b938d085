//! The order in which Hadoop shows resource types.

use crate::hash_order::hash_order;
use evenweave_resource::ResourceTypes;

/// The names of all types in the order of Hadoop's map of them. Those of the configuration are put into it first.
pub(super) fn types_in_map(types: &ResourceTypes) -> Vec<&str> {
    hash_order(types.names().skip(2).chain(types.names().take(2)))
}

/// The types in the order of Hadoop's array of them, by which it shows and writes them: memory, cores, then the others
/// as its map has them (`ResourceUtils.updateKnownResources`).
#[must_use]
pub fn types_in_order(types: &ResourceTypes) -> Vec<usize> {
    let others = types_in_map(types).into_iter().filter_map(|name| types.index(name)).filter(|index| *index >= 2);
    [0, 1].into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_stand_as_in_hadoops_array() {
        let shown = |names: &[&str]| {
            let types = ResourceTypes::with_custom(names.iter().map(|name| (*name, ""))).expect("a few types");
            types_in_order(&types).into_iter().map(|index| types.name(index).to_owned()).collect::<Vec<_>>().join(" ")
        };
        // As Java 17 has them: buckets 1, 3, 4, 8 and 13 of 16.
        let sorted = "memory-mb vcores license nvme fpga yarn.io/gpu gpu";
        assert_eq!(shown(&["gpu", "fpga", "license", "yarn.io/gpu", "nvme"]), sorted);
        assert_eq!(shown(&["nvme", "yarn.io/gpu", "license", "fpga", "gpu"]), sorted);
        // In one bucket whoever was configured first.
        assert_eq!(shown(&["AaAa", "BBBB", "AaBB"]), "memory-mb vcores AaAa BBBB AaBB");
        assert_eq!(shown(&["AaBB", "AaAa", "BBBB"]), "memory-mb vcores AaBB AaAa BBBB");
    }
}
