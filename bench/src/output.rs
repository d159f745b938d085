//! Standard output. Whoever reads it may stop reading, as `head` does: then the program ends, without a word.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};
use std::process::exit;

/// What a shell reports of a program that SIGPIPE has ended.
const READER_GONE: i32 = 141;
/// Nothing can be said where it belongs, as on a full disk.
const NOT_WRITTEN: i32 = 2;

/// Writes as it is, at once.
pub fn write(text: fmt::Arguments<'_>) {
    let mut out = io::stdout().lock();
    let Err(error) = out.write_fmt(text).and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        exit(READER_GONE);
    }
    eprintln!("evenweave: standard output: {error}");
    exit(NOT_WRITTEN);
}

/// `println!` that does not panic.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($part)*))) };
}
pub use say;
