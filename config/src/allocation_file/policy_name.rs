//! Names of scheduling policies.

use crate::java::equals_ignore_case;
use std::fmt;

/// How a queue shares among its children.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolicyName {
    /// By memory.
    #[default]
    Fair,
    /// First in, first out.
    Fifo,
    /// By the dominant resource.
    Drf,
    /// One that the embedder brings, by its name.
    Custom(String),
}

impl PolicyName {
    /// Reads a name in any case, a Hadoop class name, or one of `custom` to the letter.
    #[must_use]
    pub fn parse(text: &str, custom: &[String]) -> Option<PolicyName> {
        const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.";
        // Both, as in Hadoop: a dotless i becomes an i in upper case alone.
        let lower = text.to_lowercase();
        let words = [("fair", PolicyName::Fair), ("fifo", PolicyName::Fifo), ("drf", PolicyName::Drf)];
        if let Some((_, policy)) = words.into_iter().find(|(word, _)| equals_ignore_case(&lower, word)) {
            return Some(policy);
        }
        match text.strip_prefix(PACKAGE) {
            Some("FairSharePolicy") => Some(PolicyName::Fair),
            Some("FifoPolicy") => Some(PolicyName::Fifo),
            Some("DominantResourceFairnessPolicy") => Some(PolicyName::Drf),
            _ => custom.iter().find(|name| *name == text).cloned().map(PolicyName::Custom),
        }
    }
}

/// Hadoop's spelling: `fair`, `FIFO`, `DRF`.
impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PolicyName::Fair => "fair",
            PolicyName::Fifo => "FIFO",
            PolicyName::Drf => "DRF",
            PolicyName::Custom(name) => name,
        })
    }
}
