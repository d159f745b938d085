//! Priorities of workflows: `workflow:queue:priority`.
//!
//! Follows rules/capacity.md 21; `WorkflowPriorityMappingsManager`.

use super::error::{CapacityFault, CapacityFileError};
use super::source::{Source, parts};
use crate::java;
use std::collections::BTreeMap;

const PROPERTY: &str = "yarn.scheduler.capacity.workflow-priority-mappings";

/// The priorities by queue path and, in lower case, workflow.
pub type WorkflowPriorities = BTreeMap<String, BTreeMap<String, i32>>;

pub(super) fn read(source: &Source<'_>) -> Result<WorkflowPriorities, CapacityFileError> {
    let mut out = WorkflowPriorities::new();
    for mapping in source.list(PROPERTY) {
        let wrong = |what: &str| {
            let problem = format!("Illegal workflow priority {what} {mapping}: it must be workflow:queue:integer");
            CapacityFileError::new(PROPERTY, CapacityFault::Mapping(problem))
        };
        let [workflow, queue, priority] = parts(&mapping)[..] else { return Err(wrong("mapping")) };
        let priority = java::parse_int(priority).ok_or_else(|| wrong("for mapping"))?;
        out.entry(queue.to_owned()).or_default().insert(workflow.to_lowercase(), priority);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_has_a_workflow_a_queue_and_a_priority() {
        let read = |text: &str| read(&Source::new(&[(PROPERTY, text)].into_iter().collect()));
        assert_eq!(read("WF1 : root.b : 2").unwrap()["root.b"]["wf1"], 2);
        for bad in ["wf1:2", "wf1:root.b:x", "wf1:root.b:2:3"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
