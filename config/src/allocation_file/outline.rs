//! What a converter needs of a file beyond what a scheduler does: the order in which Hadoop notes names down, access
//! lists as they are written, and what Hadoop logs while it reads.
//!
//! A second walk over the document, after it has been read; Hadoop's `AllocationFileParser`,
//! `AllocationFileQueueParser` and `QueuePlacementPolicy`.

use super::check_options::CheckOptions;
use super::context::Context;
use super::elements::{TOP_LEVEL, is_child_queue, is_rule};
use super::error::AllocationFileError as Error;
use super::file::AllocationFile;
use super::placement_error::PlacementError;
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
    /// The keys of the leaves in the order in which Hadoop notes them down; below a top spelt `ROOT` they begin with
    /// that.
    pub(crate) leaves: Vec<String>,
    /// The same of the parents.
    pub(crate) parents: Vec<String>,
    /// Every queue element's key with its lists.
    pub(crate) acls: HashMap<String, AclTexts>,
    /// Whether there is a `queueMaxResourcesDefault`, whatever it says.
    pub(crate) has_max_default: bool,
    notices: Vec<Notice>,
    rule_order: Option<RuleOrder>,
}

/// What Hadoop logs as a warning, and when.
#[derive(Debug)]
struct Notice {
    stage: Stage,
    /// The byte at which Hadoop has come so far.
    at: usize,
    text: String,
}

/// Hadoop goes over a file more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Top,
    Queues,
    Rules,
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

    /// The same up to an error.
    fn notices_before(self, root: &Element<'_>, error: &Error) -> Vec<String> {
        let at = error.place().offset;
        let mut queues = root.elements().filter(|element| matches!(element.name, "queue" | "pool"));
        let undecided = matches!(error, Error::Placement { source: PlacementError::Undecided { .. }, .. });
        let reached = if undecided || matches!(error, Error::AfterPlacement { .. }) {
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
    /// What Hadoop logs as a warning, as far as it comes.
    pub(crate) notices: Vec<String>,
    /// What is wrong with the order of placement rules. Hadoop looks at it before it looks into the rules.
    pub(crate) order: Option<RuleOrder>,
}

/// What is wrong with the order of placement rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleOrder {
    /// The rule of this number, from 1, always decides, and there are others after it.
    NotLast(usize),
    /// The last one may leave an application without a queue.
    Undecided,
}

/// Reads a file for conversion. `unordered_rules`: a placement rule that always decides may stand before others.
///
/// # Errors
/// Where Hadoop refuses the file, with what it has logged by then.
pub(crate) fn read_outlined(
    text: &str,
    source_name: &str,
    types: &ResourceTypes,
    unordered_rules: bool,
) -> Result<Outlined, Box<Refusal>> {
    let places = Places::new(source_name, text);
    let arena = Bump::new();
    let root = read_document(text, &arena, &places)
        .map_err(|error| Box::new(Refusal { error, notices: Vec::new(), order: None }))?;
    let mut context = Context::new(places, types, CheckOptions::new(types).custom_policies);
    context.unordered_rules = unordered_rules;
    let outline = outline(&root, types, unordered_rules);
    match read_allocations(&mut context, &root) {
        Ok(file) => Ok(Outlined { file, outline }),
        Err(error) => {
            Err(Box::new(Refusal { order: outline.rule_order, notices: outline.notices_before(&root, &error), error }))
        }
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

/// The smallest and the largest resources of queues so far, where they are amounts.
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

/// What Hadoop logs of rules that it takes.
fn walk_policy(outline: &mut Outline, policy: &Element<'_>, unordered_rules: bool) {
    let rules: Vec<&Element<'_>> = policy.elements().filter(|element| is_rule(element.name)).collect();
    for rule in &rules {
        let nested = rule.elements().filter(|element| is_rule(element.name)).count();
        for _ in 1..nested {
            let name = rule.attribute("name").unwrap_or_default();
            let text =
                format!("Rule '{name}' has multiple parent rules defined, only the last parent rule will be used");
            outline.log(Stage::Rules, rule.offset, text);
        }
    }
    let Some((last, before)) = rules.split_last() else { return };
    for (number, _) in (1..).zip(before).filter(|(_, rule)| decides(rule, true)) {
        if !unordered_rules {
            outline.rule_order = Some(RuleOrder::NotLast(number));
            return;
        }
        let text = format!("Rules after rule {number} in queue placement policy can never be reached");
        outline.log(Stage::Order, policy.offset, text);
    }
    if !decides(last, true) {
        outline.rule_order = Some(RuleOrder::Undecided);
    }
}

/// Whether a rule always decides.
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
