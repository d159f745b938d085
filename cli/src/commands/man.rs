//! `evenweave man`: the manual pages, which packages install.

use std::io;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use evenweave_tools::Failure;
use evenweave_tools::output;
use evenweave_tools::say;
use evenweave_tools::whole_files::Drafts;

use crate::version;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Directory for a page of each command, such as evenweave-load.1. Without it the page of the program goes to
    /// standard output.
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// Prints the page of a program of these commands, or writes a page for each command.
///
/// # Errors
/// A directory that cannot be written to.
pub(crate) fn run(args: ManArgs, program: Command) -> Result<(), Failure> {
    let mut command = program.disable_help_subcommand(true);
    command.build();
    let unwritten = |error: io::Error| Failure::input(format!("manual pages: {error}"));
    let Some(directory) = args.directory else {
        output::write_raw(&page(command).map_err(unwritten)?);
        return Ok(());
    };
    let unwritten = |error: io::Error| Failure::input(format!("{}: {error}", directory.display()));
    let mut drafts = Drafts::default();
    let mut commands = vec![command];
    let mut written = 0;
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let name = format!("{}.1", command.get_display_name().unwrap_or("evenweave"));
        drafts.put(&directory.join(name), &page(command).map_err(unwritten)?).map_err(unwritten)?;
        written += 1;
    }
    drafts.keep().map_err(unwritten)?;
    say!("{written} pages in {}", directory.display());
    Ok(())
}

/// The same each time: its date is that of the commit.
fn page(command: Command) -> io::Result<String> {
    let man = Man::new(command)
        .date(version::date().unwrap_or_default())
        .source(concat!("evenweave ", env!("CARGO_PKG_VERSION")))
        .manual("Evenweave");
    let mut page = Vec::new();
    man.render(&mut page)?;
    String::from_utf8(page).map_err(io::Error::other)
}
