//! Hosts as SLS names them: `/rack/host`.

/// A host on its rack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Host {
    /// The rack, with the slash before it.
    pub rack: String,
    /// The host.
    pub name: String,
}

impl Host {
    /// Reads a path of at least two levels: the last is the host, what is before it the rack.
    #[must_use]
    pub fn parse(path: &str) -> Option<Host> {
        let (rack, name) = path.strip_prefix('/')?.rsplit_once('/')?;
        (!rack.is_empty() && !name.is_empty()).then(|| Host { rack: format!("/{rack}"), name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_at_least_two_levels() {
        let host = |rack: &str, name: &str| Some(Host { rack: rack.to_owned(), name: name.to_owned() });
        assert_eq!(Host::parse("/r/h"), host("/r", "h"));
        assert_eq!(Host::parse("/a/b/c"), host("/a/b", "c"));
        for bad in ["h", "/h", "r/h", "/r/", "//h", ""] {
            assert_eq!(Host::parse(bad), None, "{bad}");
        }
    }
}
