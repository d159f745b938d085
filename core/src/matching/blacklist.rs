//! Blacklists: nodes and racks that an application must not get (rules/assignment.md 4 and 9.2.9).

/// The nodes and racks that an application must not get, as interned names. Each list is sorted, because `forbid`
/// searches it by bisection.
#[derive(Debug, Default)]
pub(crate) struct Blacklists {
    /// Named by the AM; applies once the AM's container runs.
    pub(crate) by_am: Box<[u32]>,
    /// Given by the ResourceManager; applies while the application waits for its AM's container.
    pub(crate) by_system: Box<[u32]>,
}

impl Blacklists {
    /// Whether a node is listed; `at` is its rack and its name.
    pub(crate) fn forbid(&self, at: [u32; 2], waits_for_am: bool) -> bool {
        let list = if waits_for_am { &self.by_system } else { &self.by_am };
        at.iter().any(|location| list.binary_search(location).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_list_counts_until_the_am_runs() {
        let lists = Blacklists { by_am: [3, 7].into(), by_system: [5].into() };
        assert!(lists.forbid([1, 7], false) && lists.forbid([3, 9], false), "by its name and by its rack");
        assert!(!lists.forbid([5, 6], false) && !lists.forbid([3, 7], true));
        assert!(lists.forbid([5, 6], true));
    }
}
