//! An ask of an impossible size, in Hadoop's words: `SchedulerUtils.checkResourceRequestAgainstAvailableResource`.

use evenweave::Resource;
use evenweave::parts::java::{resource_text, types_in_order};

use crate::scheduler::Basics;

/// Of the first type that is wrong; nothing where none is. `largest`: what a container may have in the application's
/// queue, on the nodes that there are.
pub(crate) fn request(basics: &Basics, asked: &Resource, largest: &Resource) -> Option<String> {
    let types = &basics.types;
    let text = |of: &Resource| resource_text(types, of);
    let is_wrong = |index: &usize| asked.get(*index) < 0 || asked.get(*index) > largest.get(*index);
    let wrong = types_in_order(types).into_iter().find(is_wrong)?;
    let said = |what: &str| {
        format!(
            "Invalid resource request! Cannot allocate containers as requested resource is {what} Requested resource type=[{}], \
             Requested resource={}",
            types.name(wrong),
            text(asked),
        )
    };
    if asked.get(wrong) < 0 {
        return Some(said("less than 0!"));
    }
    Some(format!(
        "{}, maximum allowed allocation={}, please note that maximum allowed allocation is calculated by scheduler based on maximum \
         resource of registered NodeManagers, which might be less than configured maximum allocation={}",
        said("greater than maximum allowed allocation."),
        text(largest),
        text(&basics.maximum),
    ))
}
