//! What the operating system says of a file.

use std::io;

/// The operating system's answer, or what stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemFault {
    /// The kind.
    pub kind: io::ErrorKind,
    /// Its number, if it is of the operating system.
    pub code: Option<i32>,
}

impl From<&io::Error> for SystemFault {
    fn from(error: &io::Error) -> SystemFault {
        SystemFault { kind: error.kind(), code: error.raw_os_error() }
    }
}
