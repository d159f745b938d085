//! Which queue the rules give an application.
//!
//! Pure; whoever takes a submission runs it. `CSMappingPlacementRule`, `VariableContext` and the actions of the rules.

use super::target::{Queues, Target, in_full, target};
use crate::capacity_file::mapping_rules::{MappingRule, RuleAction, RuleFallback, RuleMatch};
use crate::java;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// An application that is submitted, as far as rules look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToPlace<'a> {
    /// Who submits it.
    pub user: &'a str,
    /// The user's groups, the primary one first; without any, rules that need one do not apply.
    pub groups: &'a [String],
    /// Its name.
    pub application: &'a str,
    /// The queue that it names; `default` where it names none.
    pub queue: &'a str,
}

impl<'a> ToPlace<'a> {
    /// One without a name, of a user who is in no group and names no queue.
    #[must_use]
    pub fn new(user: &'a str) -> ToPlace<'a> {
        ToPlace { user, groups: &[], application: NO_NAME, queue: NO_QUEUE }
    }

    /// The same of a user in these groups, the primary one first.
    #[must_use]
    pub fn in_groups(self, groups: &'a [String]) -> ToPlace<'a> {
        ToPlace { groups, ..self }
    }

    /// The same under a name.
    #[must_use]
    pub fn named(self, application: &'a str) -> ToPlace<'a> {
        ToPlace { application, ..self }
    }

    /// The same, and names a queue.
    #[must_use]
    pub fn in_queue(self, queue: &'a str) -> ToPlace<'a> {
        ToPlace { queue, ..self }
    }
}

/// A rule refuses the application, or cannot place it and says that it is refused then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RejectedByRule;

impl fmt::Display for RejectedByRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Application submission have been rejected by a mapping rule. Please see the logs for details")
    }
}

impl Error for RejectedByRule {}

/// The name of an application without one: `YarnConfiguration.DEFAULT_APPLICATION_NAME`.
const NO_NAME: &str = "N/A";

/// What stands for no queue in a submission.
const NO_QUEUE: &str = "default";

/// The path of the queue, or `None` where no rule says any: then it goes where the submission asks. `overrides`: the
/// rules count for a submission that names its queue, too.
pub(crate) fn place(
    rules: &[MappingRule],
    overrides: bool,
    queues: &impl Queues,
    app: &ToPlace<'_>,
) -> Result<Option<String>, RejectedByRule> {
    if app.queue != NO_QUEUE && !overrides {
        return Ok(None);
    }
    let mut variables = Variables::of(app);
    for rule in rules {
        if !variables.match_rule(&rule.matches) {
            continue;
        }
        let fallback = match &rule.action {
            RuleAction::Reject => return Err(RejectedByRule),
            RuleAction::SetDefault(value) => {
                variables.default = variables.fill(value).into_owned();
                continue;
            }
            RuleAction::Place { queue, create } => match path_of(queues, &variables.path(queues, queue), *create) {
                Some(path) => return Ok(Some(path)),
                None => rule.fallback,
            },
        };
        match fallback {
            RuleFallback::Skip => {}
            RuleFallback::PlaceDefault => {
                let path = path_of(queues, &variables.path(queues, DEFAULT), false);
                return path.ok_or(RejectedByRule).map(Some);
            }
            RuleFallback::Reject => return Err(RejectedByRule),
        }
    }
    Ok(None)
}

/// The path of a leaf queue that is there, or of one that may be made and can be.
fn path_of(queues: &impl Queues, name: &str, create: bool) -> Option<String> {
    let trimmed = name.rsplit_once('.').map(|(parent, leaf)| (java::trim(parent), java::trim(leaf)));
    let full = match trimmed {
        // A name alone is of a queue that is there.
        None if name.is_empty() => return None,
        None => queues.queue(name)?.path.to_owned(),
        Some((parent, leaf)) => {
            let path = format!("{parent}.{leaf}");
            if path.split('.').any(str::is_empty) {
                return None;
            }
            let full = in_full(queues, &path).ok()?;
            let target = target(queues, &full);
            if !(matches!(target, Target::Queue { .. }) || create && target == Target::Creatable) {
                return None;
            }
            full
        }
    };
    if queues.queue_at(&full).is_some_and(|queue| !queue.is_leaf) {
        return None;
    }
    let parts = full.rsplit_once('.').map(|(parent, leaf)| format!("{}.{}", java::trim(parent), java::trim(leaf)));
    Some(parts.unwrap_or(full))
}

const USER: &str = "%user";
const PRIMARY_GROUP: &str = "%primary_group";
const SECONDARY_GROUP: &str = "%secondary_group";
const APPLICATION: &str = "%application";
const SPECIFIED: &str = "%specified";
const DEFAULT: &str = "%default";

/// What the variables of a rule stand for.
struct Variables<'a> {
    app: &'a ToPlace<'a>,
    user: Cow<'a, str>,
    /// `None`: the user is in no group.
    primary_group: Option<Cow<'a, str>>,
    /// Which of them it is depends on where it stands in a path.
    secondary_groups: Vec<Cow<'a, str>>,
    specified: &'a str,
    default: String,
}

impl<'a> Variables<'a> {
    fn of(app: &'a ToPlace<'a>) -> Variables<'a> {
        let mut groups = app.groups.iter().map(|group| as_queue(group));
        Variables {
            app,
            user: as_queue(app.user),
            primary_group: groups.next(),
            secondary_groups: groups.collect(),
            specified: if app.queue == NO_QUEUE { "" } else { app.queue },
            default: "root.default".to_owned(),
        }
    }

    /// Those that mean the same wherever they stand, the longest names first; as in Hadoop one of one group only has an
    /// empty second one.
    fn fixed(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let lone = self.primary_group.is_some() && self.secondary_groups.is_empty();
        let all = [
            (SECONDARY_GROUP, lone.then_some("")),
            (PRIMARY_GROUP, self.primary_group.as_deref()),
            (APPLICATION, Some(self.app.application)),
            (SPECIFIED, Some(self.specified)),
            (DEFAULT, Some(self.default.as_str())),
            (USER, Some(self.user.as_ref())),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// A text with all of them filled in, one after the other: what one brings is looked at for the next.
    fn fill<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let filled = |text: Cow<'t, str>, (name, value): (&str, &str)| {
            if text.contains(name) { Cow::Owned(text.replace(name, value)) } else { text }
        };
        self.fixed().fold(Cow::Borrowed(text), filled)
    }

    /// A path whose parts that are variables are filled in.
    fn path(&self, queues: &impl Queues, path: &str) -> String {
        let mut filled = String::with_capacity(path.len());
        for (at, part) in java::split(path, '.').into_iter().enumerate() {
            if at > 0 {
                filled.push('.');
            }
            let value = self.fixed().find(|(name, _)| *name == part).map(|(_, value)| value);
            let value =
                value.or_else(|| (part == SECONDARY_GROUP).then(|| self.secondary_group(queues, &filled)).flatten());
            filled.push_str(value.unwrap_or(part));
        }
        filled
    }

    /// The first further group that has a queue below a path, or anywhere where that is empty; it ends in a dot.
    /// `None`: there is no group at all, so that the name stays as it is.
    fn secondary_group(&self, queues: &impl Queues, above: &str) -> Option<&str> {
        self.primary_group.as_ref()?;
        let has_queue = |group: &&Cow<'_, str>| queues.queue(&format!("{above}{group}")).is_some();
        Some(self.secondary_groups.iter().find(has_queue).map_or("", |group| group.as_ref()))
    }

    fn match_rule(&self, matches: &RuleMatch) -> bool {
        match matches {
            RuleMatch::Everybody => true,
            // As written, not as it is filled into a path.
            RuleMatch::User(user) => self.fill(user) == self.app.user,
            RuleMatch::Group(group) => {
                let group = self.fill(group);
                self.app.groups.iter().any(|of_user| *of_user == group)
            }
            RuleMatch::Application(name) => self.fill(name) == self.app.application,
        }
    }
}

/// A name as a part of a path.
fn as_queue(name: &str) -> Cow<'_, str> {
    if name.contains('.') { Cow::Owned(name.replace('.', "_dot_")) } else { Cow::Borrowed(name) }
}
