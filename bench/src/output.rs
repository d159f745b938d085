//! Standard output and standard error. Whoever reads the output may stop reading, as `head` does: then the program ends, without a word.
//! What cannot be said on standard error is lost, and the program goes on.

use std::borrow::Cow;
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
    write_error(format_args!("evenweave: standard output: {error}\n"));
    exit(NOT_WRITTEN);
}

/// Writes to standard error as it is. Where that is closed or full, nobody is left to tell so.
pub fn write_error(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// The text as a terminal may show it: names in it are chosen by strangers. Control characters but the ends of lines are written out.
pub fn plain(text: &str) -> Cow<'_, str> {
    let obeyed = |letter: char| letter.is_control() && letter != '\n';
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match obeyed(letter) {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// `println!` that does not panic.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($part)*))) };
}

/// `eprintln!` that does not panic.
#[macro_export]
macro_rules! note {
    ($($part:tt)*) => { $crate::output::write_error(format_args!("{}\n", format_args!($($part)*))) };
}
pub use {note, say};

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_terminal_obeys_no_name() {
        assert_eq!(plain("a\nb"), "a\nb");
        assert_eq!(plain("a\u{1b}[2J\u{9b}m\r\n"), "a\\u{1b}[2J\\u{9b}m\\r\n");
    }
}
