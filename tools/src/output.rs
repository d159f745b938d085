//! Standard output and standard error. Whoever reads the output may stop reading, as `head` does: then the program
//! ends, without a word. What cannot be said on standard error is lost, and the program goes on.
//!
//! All output of the program goes through here. By default nothing in it is obeyed by a terminal, whatever names are in
//! it.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, ErrorKind, Write as _};
use std::process::exit;

/// What a shell reports of a program that SIGPIPE has ended.
const READER_GONE: i32 = 141;
/// Nothing can be said where it belongs, as on a full disk.
const NOT_WRITTEN: i32 = 2;

/// Writes at once, as a terminal may show it: see [`plain`].
pub fn write(text: fmt::Arguments<'_>) {
    let mut out = Plain(io::stdout().lock());
    written(out.write_fmt(text), out.0);
}

/// Writes as it is, at once: what is to be read by a program, and what has colours. Whoever gives it has made a
/// [`line`](fn@line) of each name.
pub fn write_raw(text: &str) {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()), out);
}

fn written(outcome: io::Result<()>, mut out: io::StdoutLock<'_>) {
    let Err(error) = outcome.and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        exit(READER_GONE);
    }
    write_error(format_args!("evenweave: standard output: {error}\n"));
    exit(NOT_WRITTEN);
}

/// Writes to standard error, as a terminal may show it. Where that is closed or full, nobody is left to tell so.
pub fn write_error(text: fmt::Arguments<'_>) {
    let _ = Plain(io::stderr().lock()).write_fmt(text);
}

/// Lets through what a terminal may show.
struct Plain<W>(W);

impl<W: io::Write> Plain<W> {
    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        let mut failed = Ok(());
        // A text comes in parts, and a letter in one.
        let _ = fmt::write(&mut Parts { to: &mut self.0, failed: &mut failed }, text);
        failed
    }
}

struct Parts<'w, W> {
    to: &'w mut W,
    failed: &'w mut io::Result<()>,
}

impl<W: io::Write> fmt::Write for Parts<'_, W> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.to.write_all(plain(part).as_bytes()).map_err(|error| {
            *self.failed = Err(error);
            fmt::Error
        })
    }
}

/// Whether a terminal shows the letter and does nothing: no control character, and none by which a line reads as
/// another, as it says in which direction is written, or ends a line or a paragraph.
fn is_shown(letter: char) -> bool {
    let turns =
        matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !letter.is_control() && !turns
}

/// The text as a terminal may show it: names in it are chosen by strangers, and a terminal obeys letters that are none.
/// What is not shown is written as Rust writes it, `\u{1b}`, but for ends of lines and tabs, which are of the layout.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| is_shown(letter) || matches!(letter, '\n' | '\t'))
}

/// A name as a terminal may show it, as one line: a name with the end of a line in it makes no line of its own.
#[must_use]
pub fn line(name: &str) -> Cow<'_, str> {
    escaped(name, is_shown)
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match stays(letter) {
            true => shown.push(letter),
            false => shown.extend(letter.escape_default()),
        }
    }
    Cow::Owned(shown)
}

/// A JSON text with the same values, in which what a terminal would obey is escaped as JSON has it.
#[must_use]
pub fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    // What stands between texts is ASCII: the ends of lines in it are of the layout.
    for letter in text.chars() {
        if letter == '\n' || is_shown(letter) {
            shown.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // A string takes everything.
            let _ = fmt::Write::write_fmt(&mut shown, format_args!("\\u{unit:04x}"));
        }
    }
    shown
}

/// The same text, byte for byte as long, without what a terminal would obey: places in it stay.
#[must_use]
pub fn as_long(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\n' | '\t' => out.push(letter),
            '\r' if rest.peek() == Some(&'\n') => out.push(letter),
            letter if is_shown(letter) => out.push(letter),
            letter => out.extend(std::iter::repeat_n('?', letter.len_utf8())),
        }
    }
    out
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

/// The same of a JSON value.
#[macro_export]
macro_rules! say_json {
    ($value:expr) => {
        $crate::output::write(format_args!("{}\n", $crate::output::json(&$value.to_string())))
    };
}
pub use {note, say, say_json};

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2J\u{9b}1m\r\n\tState : FINISHED\u{7f}\u{202e}\u{2028}\u{0}b";

    #[test]
    fn a_terminal_obeys_no_name() {
        assert_eq!(plain("root.\u{e9}\u{4e2d} 'x' \"y\" \\\n\tb"), "root.\u{e9}\u{4e2d} 'x' \"y\" \\\n\tb");
        assert_eq!(plain(HOSTILE), "a\\u{1b}[2J\\u{9b}1m\\r\n\tState : FINISHED\\u{7f}\\u{202e}\\u{2028}\\u{0}b");
        assert_eq!(line(HOSTILE), r"a\u{1b}[2J\u{9b}1m\r\n\tState : FINISHED\u{7f}\u{202e}\u{2028}\u{0}b");
        assert!(matches!(line("root.a b"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_has_the_same_values() {
        let value = serde_json::json!({HOSTILE: [HOSTILE, {"a": "\u{2067}"}]});
        let shown = json(&format!("{value:#}"));
        assert!(shown.chars().all(|letter| letter == '\n' || is_shown(letter)), "{shown:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }

    #[test]
    fn what_is_as_long_moves_no_cursor() {
        let text = "a\u{1b}[2J\rb\u{9b}\u{202e}\r\n\tc";
        assert_eq!((as_long(text).as_str(), as_long(text).len()), ("a?[2J?b?????\r\n\tc", text.len()));
    }

    /// Whatever is written goes through here, and in parts.
    #[test]
    fn what_is_written_is_plain() {
        let mut out = Plain(Vec::new());
        out.write_fmt(format_args!("{}{HOSTILE}{}\n", 'x', '\u{1b}')).expect("a list takes everything");
        assert_eq!(String::from_utf8(out.0).expect("UTF-8"), format!("x{}\\u{{1b}}\n", plain(HOSTILE)));
        struct Full;
        impl io::Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let refused = Plain(Full).write_fmt(format_args!("{}", 1)).expect_err("it is full");
        assert_eq!(refused.kind(), ErrorKind::StorageFull);
    }
}
