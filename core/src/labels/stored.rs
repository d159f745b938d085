//! What a label is added with, and what outlives a restart.

/// A label to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLabel {
    /// Its name; white space around it does not count.
    pub name: String,
    /// Its nodes are given to nobody who has not asked for it.
    pub exclusive: bool,
}

/// What outlives a restart of the ResourceManager: the labels, and which hosts and nodes have one. A node that was set
/// to none on a host with a label is not among them, and has its host's label afterwards, as in Hadoop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredLabels {
    /// The labels.
    pub labels: Vec<NewLabel>,
    /// Host, port, label; port 0 for the host as a whole.
    pub nodes: Vec<(String, u16, String)>,
}
