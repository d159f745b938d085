//! A difference between a recording and what the core did, and where it is.

/// The first field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) field: String,
    pub(super) expected: String,
    pub(super) got: String,
}

impl Mismatch {
    pub(super) fn new(field: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Mismatch {
        Mismatch { field: field.into(), expected: expected.into(), got: got.into() }
    }

    pub(super) fn panic() -> Mismatch {
        Mismatch::new("panic", "none", "the core panicked; its message is above")
    }
}

/// Where the core went another way than the recording.
#[derive(Debug)]
pub(super) struct Deviation {
    /// The scenario or case.
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) mismatch: Mismatch,
}

/// Where in a scenario or case.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A case is all one.
    Case,
    BeforeTheFirstStep,
    /// The step's number from 0, and its name.
    Step(usize, &'static str),
}
