//! What the CapacityScheduler takes of a submission beside what any scheduler does.

/// What a submission to a CapacityScheduler may ask for besides: for `submit_with`, with and without threads. Part of
/// YARN's `ApplicationSubmissionContext`.
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
    /// The priority; a larger number is more important. It is cut to `yarn.cluster.max-application-priority`. `None`:
    /// the default of the user or of the leaf queue.
    pub priority: Option<i32>,
    /// How long the application may live from its submission on, in seconds, more than 0. It is cut to the leaf queue's
    /// `maximum-application-lifetime`. `None`: the queue's `default-application-lifetime`.
    pub lifetime_seconds: Option<i64>,
    /// Tags. One may name the application's workflow: `workflowid:nightly`, or with the prefix in
    /// `yarn.workflow-id.tag-prefix`. As in YARN case does not matter, and of several tags the alphabetically last
    /// counts.
    ///
    /// With `workflow-priority-mappings-override.enable` the workflow's priority replaces the requested one.
    /// `workflow-priority-mappings` gives it, for the leaf queue or the nearest queue above.
    pub tags: Vec<String>,
}

impl SubmitTerms {
    /// Returns the terms with a priority.
    #[must_use]
    pub fn with_priority(self, priority: i32) -> SubmitTerms {
        SubmitTerms { priority: Some(priority), ..self }
    }

    /// Returns the terms with tags.
    #[must_use]
    pub fn with_tags<T: Into<String>>(self, tags: impl IntoIterator<Item = T>) -> SubmitTerms {
        SubmitTerms { tags: tags.into_iter().map(Into::into).collect(), ..self }
    }

    /// Returns the terms with a lifetime in seconds.
    #[must_use]
    pub fn with_lifetime(self, seconds: i64) -> SubmitTerms {
        SubmitTerms { lifetime_seconds: Some(seconds), ..self }
    }
}
