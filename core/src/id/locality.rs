//! How near to what was asked for.

use std::fmt;

/// How near to the requested place a container is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Locality {
    /// On a requested node.
    Node,
    /// On a requested rack.
    Rack,
    /// On any other node.
    OffSwitch,
}

impl Locality {
    pub(crate) const ALL: [Locality; 3] = [Locality::Node, Locality::Rack, Locality::OffSwitch];
}

/// As in "node-local".
impl fmt::Display for Locality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Locality::Node => "node",
            Locality::Rack => "rack",
            Locality::OffSwitch => "off-switch",
        })
    }
}
