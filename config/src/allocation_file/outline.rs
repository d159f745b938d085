//! What a converter needs of a file beyond what a scheduler does: the order in which Hadoop notes names down, access
//! lists as they are written, and what Hadoop logs while it reads.
//!
//! One more walk over the parsed XML, beside that of `read_allocations`. It follows Hadoop's `AllocationFileParser`,
//! `AllocationFileQueueParser` and `QueuePlacementPolicy`.

use super::check_options::CheckOptions;
use super::context::Context;
use super::elements::{TOP_LEVEL, is_child_queue, is_rule};
use super::error::AllocationFileError as Error;
use super::file::AllocationFile;
use super::queue::{is_top, key_of};
use super::read::{read_allocations, read_document};
use crate::diagnostic::Places;
use crate::java;
use crate::names::ROOT;
use crate::quoted::resource_text;
use crate::resource_string::{Missing, parse_resource};
use crate::xml::Element;
use bumpalo::Bump;
use evenweave_resource::{Resource, ResourceTypes};
use std::collections::HashMap;

/// The access lists of a queue as they are written: to submit, to administer.
pub(crate) type AclTexts = [Option<String>; 2];

/// What a file has beyond [`AllocationFile`].
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The keys of the leaves, in Hadoop's order. Where the file spells root as `ROOT`, the keys begin with `ROOT`, as
    /// Hadoop's do.
    pub(crate) leaves: Vec<String>,
    /// The same for the parents.
    pub(crate) parents: Vec<String>,
    /// Every queue element's key with its lists.
    pub(crate) acls: HashMap<String, AclTexts>,
    /// Whether there is a `queueMaxResourcesDefault`, whatever it says.
    pub(crate) has_max_default: bool,
    notices: Vec<Notice>,
}

/// A warning that Hadoop logs, and when: where an error comes before that moment, Hadoop does not log it.
#[derive(Debug)]
struct Notice {
    stage: Stage,
    /// How far Hadoop has read in this stage, as a byte of the file.
    at: usize,
    text: String,
}

/// Hadoop's passes over a file, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The elements below `<allocations>`.
    Top,
    /// The queues.
    Queues,
    /// Each placement rule by itself.
    Rules,
    /// The order of the placement rules, once all are read.
    Order,
}

impl Outline {
    fn log(&mut self, stage: Stage, at: usize, text: String) {
        self.notices.push(Notice { stage, at, text });
    }

    /// What Hadoop logs as a warning.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices).into_iter().map(|notice| notice.text).collect()
    }

    /// The warnings that Hadoop has logged when it finds this error.
    fn notices_before(self, root: &Element<'_>, error: &Error) -> Vec<String> {
        let at = error.place().offset;
        let mut queues = root.elements().filter(|element| matches!(element.name, "queue" | "pool"));
        // Hadoop reads all rules, then checks their order, then initialises them, and then reads what is left of the
        // file.
        let all_rules_are_read = matches!(error, Error::AfterPlacement { .. })
            || matches!(error, Error::Placement { source, .. } if source.follows_reading());
        let reached = if all_rules_are_read {
            (Stage::Order, usize::MAX)
        } else if matches!(error, Error::Placement { .. }) {
            (Stage::Rules, at)
        } else if queues.any(|queue| queue.offset <= at && at < end_of(queue)) {
            (Stage::Queues, at)
        } else {
            (Stage::Top, at)
        };
        let logged = |notice: &Notice| (notice.stage, if notice.stage < reached.0 { 0 } else { notice.at }) <= reached;
        self.notices.into_iter().filter(logged).map(|notice| notice.text).collect()
    }
}

/// The byte behind the content of an element.
fn end_of(element: &Element<'_>) -> usize {
    element.content.offset + element.content.length
}

/// A file read for conversion.
#[derive(Debug)]
pub(crate) struct Outlined {
    pub(crate) file: AllocationFile,
    pub(crate) outline: Outline,
}

/// Why a file is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: Error,
    /// The warnings that Hadoop logs before it refuses the file.
    pub(crate) notices: Vec<String>,
}

/// Reads a file for conversion. `unordered_rules`: a placement rule that always decides may stand before others.
///
/// # Errors
/// If Hadoop refuses the file: the error, and the warnings that Hadoop logs before it.
pub(crate) fn read_outlined(
    text: &str,
    source_name: &str,
    types: &ResourceTypes,
    unordered_rules: bool,
) -> Result<Outlined, Box<Refusal>> {
    let places = Places::new(source_name, text);
    let arena = Bump::new();
    let root =
        read_document(text, &arena, &places).map_err(|error| Box::new(Refusal { error, notices: Vec::new() }))?;
    let mut context = Context::new(places, types, CheckOptions::new(types).custom_policies);
    context.unordered_rules = unordered_rules;
    let outline = outline(&root, types, unordered_rules);
    match read_allocations(&mut context, &root) {
        Ok(file) => Ok(Outlined { file, outline }),
        Err(error) => Err(Box::new(Refusal { notices: outline.notices_before(&root, &error), error })),
    }
}

fn outline(root: &Element<'_>, types: &ResourceTypes, unordered_rules: bool) -> Outline {
    let mut outline = Outline::default();
    let (mut queues, mut policy) = (Vec::new(), None);
    for element in root.elements() {
        match element.name {
            "queue" | "pool" => queues.push(element),
            "queuePlacementPolicy" => policy = Some(element),
            "queueMaxResourcesDefault" => outline.has_max_default = true,
            tag if TOP_LEVEL.contains(&tag) => {}
            tag => outline.log(Stage::Top, element.offset, format!("Bad element in allocations file: {tag}")),
        }
    }
    let mut amounts = HashMap::new();
    for element in queues {
        let parent = (!is_top(element)).then_some(ROOT);
        walk(&mut outline, element, parent, types, &mut amounts);
    }
    if let Some(policy) = policy {
        walk_policy(&mut outline, policy, unordered_rules);
    }
    outline
}

/// `minResources` and `maxResources` of each queue, by key; `None` for a percentage. One map serves the whole walk,
/// because a queue may have several elements.
type Amounts = HashMap<String, [Option<Resource>; 2]>;

fn walk(
    outline: &mut Outline,
    element: &Element<'_>,
    parent: Option<&str>,
    types: &ResourceTypes,
    amounts: &mut Amounts,
) {
    let key = key_of(element, parent);
    let (mut leaf, mut reservation) = (true, false);
    for field in element.elements() {
        let text = || field.first_text().map(java::trim).unwrap_or_default();
        let absolute = |missing| parse_resource(text(), types, missing).ok().and_then(|limit| limit.absolute());
        match field.name {
            "minResources" => amounts.entry(key.clone()).or_default()[0] = absolute(Missing::Zero),
            "maxResources" => amounts.entry(key.clone()).or_default()[1] = absolute(Missing::Max),
            "aclSubmitApps" => outline.acls.entry(key.clone()).or_default()[0] = field.first_text().map(str::to_owned),
            "aclAdministerApps" => {
                outline.acls.entry(key.clone()).or_default()[1] = field.first_text().map(str::to_owned);
            }
            "reservation" => {
                reservation = true;
                outline.parents.push(key.clone());
            }
            tag if is_child_queue(tag) => {
                walk(outline, field, Some(&key), types, amounts);
                leaf = false;
            }
            _ => {}
        }
    }
    outline.acls.entry(key.clone()).or_default();
    if !leaf || element.attribute("type") == Some("parent") {
        outline.parents.push(key.clone());
    } else if !reservation {
        outline.leaves.push(key.clone());
    }
    if let Some([Some(least), Some(most)]) = amounts.get(&key)
        && (0..types.len()).any(|lane| least.get(lane) > most.get(lane))
    {
        outline.log(Stage::Queues, end_of(element), less_than_minimum(&key, most, least, types));
    }
}

/// What Hadoop logs of a queue whose maximum is below its minimum.
pub(crate) fn less_than_minimum(queue: &str, most: &Resource, least: &Resource, types: &ResourceTypes) -> String {
    let [most, least] = [most, least].map(|amounts| resource_text(types, amounts));
    format!("Queue {queue} has max resources {most} less than min resources {least}")
}

/// Notes the warnings that Hadoop logs about placement rules. It warns of their order only if rules may be unordered:
/// otherwise a wrong order is an error.
fn walk_policy(outline: &mut Outline, policy: &Element<'_>, unordered_rules: bool) {
    let rules: Vec<&Element<'_>> = policy.elements().filter(|element| is_rule(element.name)).collect();
    for rule in &rules {
        // Hadoop logs it when it comes to the second rule inside, and to each later one.
        for nested in rule.elements().filter(|element| is_rule(element.name)).skip(1) {
            let name = rule.attribute("name").unwrap_or_default();
            let text =
                format!("Rule '{name}' has multiple parent rules defined, only the last parent rule will be used");
            outline.log(Stage::Rules, nested.offset, text);
        }
    }
    let Some((_, before)) = rules.split_last().filter(|_| unordered_rules) else { return };
    for (number, _) in (1..).zip(before).filter(|(_, rule)| decides(rule, true)) {
        let text = format!("Rules after rule {number} in queue placement policy can never be reached");
        outline.log(Stage::Order, policy.offset, text);
    }
}

/// Whether a rule always decides: it finds a queue, or rejects. `outer`: a rule inside it counts. Hadoop ignores rules
/// nested deeper.
fn decides(rule: &Element<'_>, outer: bool) -> bool {
    let create = rule.attribute("create").filter(|create| !create.is_empty());
    let own = match rule.attribute("name").unwrap_or_default() {
        "reject" => true,
        "user" | "nestedUserQueue" | "primaryGroup" | "default" => {
            create.is_none_or(|create| create.eq_ignore_ascii_case("true"))
        }
        _ => false,
    };
    let nested = rule.elements().filter(|element| outer && is_rule(element.name)).last();
    own && nested.is_none_or(|nested| decides(nested, false))
}
