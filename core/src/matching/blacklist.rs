//! Blacklists: nodes and racks that an application must not get (rules/assignment.md 4 and 9.2.9).

/// The nodes and racks that an application must not get, as interned names, each list in order.
#[derive(Debug, Default)]
pub(crate) struct Blacklists {
    pub(crate) own: Box<[u32]>,
    /// The same for its AM's container.
    pub(crate) system: Box<[u32]>,
}

impl Blacklists {
    /// Whether a node at these locations is listed: while the AM's own container is awaited the system's list counts,
    /// later the AM's.
    pub(crate) fn forbid(&self, at: [u32; 2], waits_for_am: bool) -> bool {
        let list = if waits_for_am { &self.system } else { &self.own };
        at.iter().any(|location| list.binary_search(location).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_list_counts_until_the_am_runs() {
        let lists = Blacklists { own: [3, 7].into(), system: [5].into() };
        assert!(lists.forbid([1, 7], false) && lists.forbid([3, 9], false), "by its name and by its rack");
        assert!(!lists.forbid([5, 6], false) && !lists.forbid([3, 7], true));
        assert!(lists.forbid([5, 6], true));
    }
}
