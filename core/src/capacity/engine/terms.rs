//! What the CapacityScheduler takes of a submission beside what any scheduler does.

/// What a submission asks for that the CapacityScheduler alone knows: for `submit_with` of either driver. YARN's
/// `ApplicationSubmissionContext`.
///
/// ```
/// use evenweave::SubmitTerms;
/// let terms = SubmitTerms::default().with_priority(5).with_lifetime(3600);
/// assert_eq!((terms.priority, terms.lifetime_seconds), (Some(5), Some(3600)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct SubmitTerms {
    /// Its priority, a larger number is more important; `None`: the default of the user or of the leaf queue. Cut to
    /// `yarn.cluster.max-application-priority`.
    pub priority: Option<i32>,
    /// How long the application may live from its submission on, in seconds, more than 0; `None`: the leaf queue's
    /// `default-application-lifetime`. Cut to its `maximum-application-lifetime`.
    pub lifetime_seconds: Option<i64>,
    /// Tags, of which one may name its workflow: `workflowid:nightly`, or what `yarn.workflow-id.tag-prefix` says. As in YARN capitals do not
    /// count, and of several the last in the order of the alphabet does. With `workflow-priority-mappings-override.enable` the priority that
    /// `workflow-priority-mappings` has for that workflow, in its leaf queue or the nearest above, takes the place of what is asked for.
    pub tags: Vec<String>,
}

impl SubmitTerms {
    /// The same with a priority.
    #[must_use]
    pub fn with_priority(self, priority: i32) -> SubmitTerms {
        SubmitTerms { priority: Some(priority), ..self }
    }

    /// The same with tags.
    #[must_use]
    pub fn with_tags<T: Into<String>>(self, tags: impl IntoIterator<Item = T>) -> SubmitTerms {
        SubmitTerms { tags: tags.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same with a lifetime in seconds.
    #[must_use]
    pub fn with_lifetime(self, seconds: i64) -> SubmitTerms {
        SubmitTerms { lifetime_seconds: Some(seconds), ..self }
    }
}
