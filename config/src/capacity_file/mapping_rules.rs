//! Mapping rules, as values.

/// Whom a rule is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleMatch {
    /// Everybody.
    Everybody,
    /// A user.
    User(String),
    /// The members of a group.
    Group(String),
    /// Applications of a name.
    Application(String),
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// Places the application into a queue.
    Place {
        /// The queue's path. Parts of it may be variables such as `%user`.
        queue: String,
        /// Whether the queue may be made.
        create: bool,
    },
    /// Refuses the application.
    Reject,
    /// Sets the variable `%default` and goes on to the next rule.
    SetDefault(String),
}

/// What a rule does where it cannot place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleFallback {
    /// The next rule decides.
    #[default]
    Skip,
    /// The application goes to `%default`.
    PlaceDefault,
    /// The application is refused.
    Reject,
}

/// A rule: whom it is for, what it does, and what if that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MappingRule {
    /// Whom it is for.
    pub matches: RuleMatch,
    /// What it does.
    pub action: RuleAction,
    /// What if it cannot.
    pub fallback: RuleFallback,
}

/// The rules as configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MappingRules {
    /// The rules, in the order in which they are asked.
    pub rules: Vec<MappingRule>,
    /// `mapping-rule-json-file`, where the rules stand in a file of their own.
    /// [`CapacityFile`](crate::capacity::CapacityFile) does not read it: see
    /// [`CapacityFile::parse_mapping_rules`](crate::capacity::CapacityFile::parse_mapping_rules).
    /// `CapacityConfiguration` of the core does.
    pub file: Option<String>,
}
