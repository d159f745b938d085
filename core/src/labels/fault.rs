//! Why a change of labels is refused, in Hadoop's words (rules/node-labels.md 24).

/// The most characters of a name.
pub(super) const LONGEST_NAME: usize = 255;

/// Why a change of labels is refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelFault {
    /// There are no labels here.
    #[error("Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled")]
    Disabled,
    /// Labels are there, with the other exclusivity.
    #[error("Exclusivity cannot be modified for an existing label with : {0}")]
    OtherExclusivity(String),
    /// Names keep their numbers, of which there are no more.
    #[error("there have been too many different labels")]
    TooMany,
    /// A name is empty or too long.
    #[error("label added is empty or exceeds {} character(s)", LONGEST_NAME)]
    NameLength,
    /// A name has other characters.
    #[error(
        "label name should only contains {{0-9, a-z, A-Z, -, _}} and should not started with {{-,_}}, now it is= {0}"
    )]
    Name(String),
    /// A queue names a label that is to go.
    #[error(
        "Cannot remove label={label}, because queue={queue} is using this label. Please remove label on queue before remove the label"
    )]
    UsedByQueue {
        /// The label.
        label: String,
        /// The queue's path.
        queue: String,
    },
    /// A label without a name is to go.
    #[error("Label to be removed is null or empty")]
    RemovedIsEmpty,
    /// A label that is not there is to go.
    #[error("Node label={0} to be removed doesn't existed in cluster node labels collection.")]
    RemovedIsUnknown(String),
    /// A node is to have several labels.
    #[error(
        "{number} labels specified on host={host}, please note that we do not support specifying multiple labels on a \
         single host for now."
    )]
    Several {
        /// How many.
        number: usize,
        /// The node's host.
        host: String,
    },
    /// A node is to have a label that is not there.
    #[error("Not all labels being replaced contained by known label collections, please check, new labels=[{0}]")]
    Unknown(String),
}
