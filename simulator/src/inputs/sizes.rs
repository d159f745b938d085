//! How large a node is, and who says so.
//!
//! An option counts above all; then `yarn.sls.nm.*`, as in SLS; then what the site says of a real node,
//! `yarn.nodemanager.resource.*`; then SLS's default. The bundled properties have sizes of SLS's names.

use std::collections::BTreeMap;
use std::fmt;

use evenweave_tools::Failure;
use evenweave_tools::numbers::grouped;
use evenweave_tools::traces::Node;

use crate::api::{Resource, ResourceTypes, SiteProperties, Unit};
use crate::cluster::NodeSpec;
use crate::options::SimulateOptions;

/// What SLS's nodes have without a word, memory in MiB and vcores.
const SLS_DEFAULT: [i64; 2] = [10_240, 10];

/// Who says how much of a type a node has.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Option(&'static str),
    Property(String),
    Bundled,
    SlsDefault,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Option(name) => write!(f, "by {name}"),
            Source::Property(name) => write!(f, "by {name}"),
            Source::Bundled => f.write_str("as bundled"),
            Source::SlsDefault => f.write_str("by SLS's default"),
        }
    }
}

/// A node's size, and who says so, by resource type.
#[derive(Debug)]
pub(super) struct NodeSize {
    pub(super) size: Resource,
    sources: Vec<Source>,
}

impl NodeSize {
    /// # Errors
    /// A property that is no amount.
    pub(super) fn of(
        options: &SimulateOptions,
        site: &SiteProperties,
        types: &ResourceTypes,
    ) -> Result<NodeSize, Failure> {
        let (mut amounts, mut sources) = (Vec::with_capacity(types.len()), Vec::with_capacity(types.len()));
        for index in 0..types.len() {
            let (amount, source) = of_type(options, site, types, index)?;
            amounts.push(amount);
            sources.push(source);
        }
        Ok(NodeSize { size: Resource::from_slice(&amounts), sources })
    }

    /// "10 nodes of 10 GiB and 10 vcores, by SLS's default"; `given`: as the trace or the file has them.
    pub(super) fn told(&self, nodes: &[NodeSpec], given: &[Node], types: &ResourceTypes, from: &str) -> String {
        let count =
            format!("{} {}{from}", grouped(nodes.len() as f64), if nodes.len() == 1 { "node" } else { "nodes" });
        let own = |index: usize| given.iter().any(|node| node.resource.contains_key(types.name(index)));
        if own(0) || own(1) {
            let [memory, vcores] = nodes.iter().fold([0_i64; 2], |[memory, vcores], node| {
                [memory.saturating_add(node.total.memory_mb()), vcores.saturating_add(node.total.vcores())]
            });
            return format!("{count} with sizes of their own, together {} and {}", gib(memory), vcores_of(vcores));
        }
        let (memory, vcores) = (gib(self.size.memory_mb()), vcores_of(self.size.vcores()));
        match self.sources.as_slice() {
            [a, b, ..] if a != b => format!("{count} of {memory}, {a}, and {vcores}, {b}"),
            [a, ..] => format!("{count} of {memory} and {vcores}, {a}"),
            [] => format!("{count} of {memory} and {vcores}"),
        }
    }
}

/// Memory of MiB, in GiB where it is whole.
fn gib(mib: i64) -> String {
    if mib % 1024 == 0 {
        format!("{} GiB", grouped((mib / 1024) as f64))
    } else {
        format!("{} MiB", grouped(mib as f64))
    }
}

fn vcores_of(count: i64) -> String {
    format!("{} {}", grouped(count as f64), if count == 1 { "vcore" } else { "vcores" })
}

/// How much of a type a node has, and who says so.
fn of_type(
    options: &SimulateOptions,
    site: &SiteProperties,
    types: &ResourceTypes,
    index: usize,
) -> Result<(i64, Source), Failure> {
    let name = types.name(index);
    let (option, in_sls, on_node, default) = match name {
        "memory-mb" => (
            options.cluster.node_memory_mb.map(|amount| (amount, "--node-memory")),
            "yarn.sls.nm.memory.mb".to_owned(),
            "yarn.nodemanager.resource.memory-mb".to_owned(),
            SLS_DEFAULT[0],
        ),
        "vcores" => (
            options.cluster.node_vcores.map(|amount| (amount, "--node-vcores")),
            "yarn.sls.nm.vcores".to_owned(),
            "yarn.nodemanager.resource.cpu-vcores".to_owned(),
            SLS_DEFAULT[1],
        ),
        other => (None, format!("yarn.sls.nm.{other}"), format!("yarn.nodemanager.resource-type.{other}"), 0),
    };
    if let Some((amount, option)) = option {
        return Ok((amount, Source::Option(option)));
    }
    let said = site.raw(&in_sls).is_some_and(|text| !text.trim().is_empty());
    let is_bundled = options.site.site.is_empty() && !options.site.properties.iter().any(|(set, _)| *set == in_sls);
    if said && !is_bundled {
        return Ok((number(site, &in_sls, default)?, Source::Property(in_sls)));
    }
    match amount_of(site, &on_node, types.unit(index))? {
        Some(amount) => Ok((amount, Source::Property(on_node))),
        None if said => Ok((number(site, &in_sls, default)?, Source::Bundled)),
        None => Ok((default, Source::SlsDefault)),
    }
}

/// What a real node has: a whole number, of further types with a unit. -1 says that the node finds out.
fn amount_of(site: &SiteProperties, name: &str, unit: &str) -> Result<Option<i64>, Failure> {
    let value = site.get(name).map_err(|error| Failure::input(error.to_string()))?;
    let Some(value) = value.as_deref().map(str::trim).filter(|value| !value.is_empty()) else { return Ok(None) };
    let wrong = || Failure::input(format!("{name} is {value:?}; it must be an amount, such as 8192 or -1"));
    let digits = value.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(value.len());
    let (amount, said) = value.split_at(digits);
    let amount: i64 = amount.parse().map_err(|_| wrong())?;
    let said = said.trim();
    let amount = if said.is_empty() || said == unit {
        Some(amount)
    } else {
        let [from, to] = [said, unit].map(Unit::parse);
        from.ok().zip(to.ok()).and_then(|(from, to)| from.convert(amount, to))
    };
    amount.map(|amount| (amount >= 0).then_some(amount)).ok_or_else(wrong)
}

/// A property that is a whole number.
///
/// # Errors
/// Another text.
pub(super) fn number(site: &SiteProperties, name: &str, default: i64) -> Result<i64, Failure> {
    let value = site.get(name).map_err(|error| Failure::input(error.to_string()))?;
    let Some(value) = value.filter(|value| !value.trim().is_empty()) else { return Ok(default) };
    value.trim().parse().map_err(|_| Failure::input(format!("{name} is {value:?}; it must be a whole number")))
}

/// Amounts by type over a size: what is not named is as in `otherwise`.
pub(super) fn over(types: &ResourceTypes, own: &BTreeMap<String, i64>, otherwise: &Resource) -> Resource {
    let said = |index: usize| own.get(types.name(index)).copied();
    Resource::from_fn(|index| if index < types.len() { said(index).unwrap_or_else(|| otherwise.get(index)) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenweave_tools::traces::generated_nodes;

    /// Whose word counts, by layers from the lowest.
    #[test]
    fn a_node_is_as_large_as_the_nearest_word_says() {
        let said = |properties: &[(&str, &str)], node_memory_mb: Option<i64>| {
            let mut options = SimulateOptions::default();
            options.cluster.node_memory_mb = node_memory_mb;
            // As if a site file had them.
            options.site.site = vec!["yarn-site.xml".into()];
            let site: SiteProperties = properties.iter().copied().collect();
            let types = ResourceTypes::standard();
            let size = NodeSize::of(&options, &site, &types).unwrap();
            let given: Vec<Node> = generated_nodes(10, 1).collect();
            let spec = |node: &Node| NodeSpec {
                name: node.host.name.clone(),
                rack: node.host.rack.clone(),
                total: over(&types, &node.resource, &size.size),
                label: String::new(),
            };
            let nodes: Vec<NodeSpec> = given.iter().map(spec).collect();
            size.told(&nodes, &given, &types, "")
        };
        let real = ("yarn.nodemanager.resource.memory-mb", "65536");
        let cores = ("yarn.nodemanager.resource.cpu-vcores", "16");
        let of_sls = ("yarn.sls.nm.memory.mb", "4000");
        assert_eq!(said(&[], None), "10 nodes of 10 GiB and 10 vcores, by SLS's default");
        assert_eq!(
            said(&[real], None),
            "10 nodes of 64 GiB, by yarn.nodemanager.resource.memory-mb, and 10 vcores, by SLS's default"
        );
        assert_eq!(
            said(&[real, cores, of_sls], None),
            "10 nodes of 4,000 MiB, by yarn.sls.nm.memory.mb, and 16 vcores, by yarn.nodemanager.resource.cpu-vcores"
        );
        assert_eq!(
            said(&[real, of_sls], Some(2048)),
            "10 nodes of 2 GiB, by --node-memory, and 10 vcores, by SLS's default"
        );
        // The node finds out how much it has: nobody knows here.
        let unknown = ("yarn.nodemanager.resource.memory-mb", "-1");
        assert_eq!(said(&[unknown], None), "10 nodes of 10 GiB and 10 vcores, by SLS's default");
    }

    #[test]
    fn further_types_have_units_and_what_is_no_amount_is_told() {
        let site: SiteProperties = [("g", "2Gi"), ("n", "7"), ("x", "much"), ("y", "2Q")].into_iter().collect();
        let of = |name: &str, unit: &str| amount_of(&site, name, unit).map_err(|failure| format!("{failure:?}"));
        assert_eq!((of("g", "Mi"), of("n", ""), of("none", "")), (Ok(Some(2048)), Ok(Some(7)), Ok(None)));
        assert!(of("x", "").unwrap_err().contains("x is \\\"much\\\"; it must be an amount"));
        assert!(of("y", "").is_err());
    }
}
