//! `evenweave check`: configuration files read as Hadoop reads them, with all that is wrong or was hardly meant.
//!
//! | module | what |
//! | --- | --- |
//! | `files` | a file's bytes and its findings |
//! | `kind` | what it is, by its content |
//! | `site` | files of properties |
//! | `snippet` | the marked line |
//! | `text`, `json` | how it is told |

mod files;
mod json;
mod kind;
mod site;
mod snippet;
mod text;

use std::io::{ErrorKind, IsTerminal, Write};

use crate::api::{CheckOptions, Missing, ResourceTypes, parse_resource};
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
/// `--cluster` is no resource, or standard output cannot be written.
pub(crate) fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let checked = check(args)?;
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

/// All files, those of `--site` first.
fn check(args: &CheckArgs) -> Result<Vec<Checked>, Failure> {
    let types = ResourceTypes::standard();
    let mut options = CheckOptions::new(&types);
    let (settings, layers) = site::check_layers(&args.site);
    if let Some(settings) = settings.as_ref().filter(|_| !args.site.is_empty()) {
        options = CheckOptions::with_settings(settings);
    }
    if let Some(text) = &args.cluster {
        let cluster = parse_resource(text, options.types, Missing::Zero);
        let cluster = cluster.map_err(|error| Failure::input(format!("--cluster {error}")))?.absolute();
        options.cluster = Some(cluster.ok_or_else(|| Failure::input("--cluster: write amounts, not percentages"))?);
    }
    let others = args.files.iter().filter(|path| !args.site.contains(path)).map(|path| {
        let (mut checked, text) = Checked::read(path);
        match text {
            Some(text) if kind::is_configuration(&text) => site::check_alone(&mut checked),
            Some(_) => checked.allocations(&options),
            None => {}
        }
        checked
    });
    Ok(layers.into_iter().chain(others).collect())
}

/// Whether there is somebody who wants colours: a terminal, and no `NO_COLOR`.
fn colours() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
