//! `evenweave check`: configuration files read as Hadoop reads them, with all that is wrong or was hardly meant.
//!
//! | module | what |
//! | --- | --- |
//! | `files` | a file's bytes, its kind, its findings |
//! | `snippet` | the marked line |
//! | `text`, `json` | how it is told |

mod files;
mod json;
mod snippet;
mod text;

use std::io::{ErrorKind, IsTerminal, Write};

use crate::cli::{CheckArgs, CheckFormat};
use crate::failure::Failure;
use files::Checked;

/// Warnings, where they are denied.
const WARNED: u8 = 1;
/// Errors.
const REFUSED: u8 = 2;

/// Runs it, and gives the exit code.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let checked: Vec<Checked> = args.files.iter().map(|path| files::check(path)).collect();
    let out = match args.format {
        CheckFormat::Text => text::report(&checked, colours()),
        CheckFormat::Json => json::report(&checked),
    };
    match std::io::stdout().write_all(out.as_bytes()) {
        // Whoever listened has heard enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return Err(Failure::input(format!("standard output: {error}")));
        }
        Ok(()) | Err(_) => {}
    }
    Ok(if checked.iter().any(|file| file.errors() > 0) {
        REFUSED
    } else if args.deny_warnings && checked.iter().any(|file| file.warnings() > 0) {
        WARNED
    } else {
        0
    })
}

/// Whether there is somebody who wants colours: a terminal, and no `NO_COLOR`.
fn colours() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
