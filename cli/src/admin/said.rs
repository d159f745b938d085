//! What a tool has to say, and with which code it ends.

/// It was asked for in a wrong way, or it is not there: Hadoop's -1.
pub(super) const WRONG: u8 = 255;
/// What was asked for came to nothing: Hadoop's tools end with an exception then.
pub(super) const FAILED: u8 = 1;

/// What a tool has to say, and with which code it ends.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// On standard output.
    pub(crate) out: String,
    /// On standard error.
    pub(crate) err: String,
    pub(crate) code: u8,
}

impl Said {
    pub(super) fn out(out: impl Into<String>) -> Said {
        Said { out: out.into(), ..Said::default() }
    }

    pub(super) fn wrong(err: impl Into<String>) -> Said {
        Said { err: err.into(), code: WRONG, ..Said::default() }
    }

    pub(super) fn failed(err: impl Into<String>) -> Said {
        Said { err: err.into(), code: FAILED, ..Said::default() }
    }
}
