//! The `evenweave` program: the scheduler core under load, replays of recorded Hadoop runs, checks of configuration,
//! standard workloads.
//!
//! | module | what |
//! | --- | --- |
//! | `commands` | the command line, one file a command |
//! | `arguments` | what arguments of several commands are read as |
//! | `check` | configuration files |
//! | `admin` | YARN's tools for administrators, over REST |
//! | `progress` | the bar |
//! | `interrupt`, `failure` | Ctrl-C and SIGTERM; why and how the program ends |
//! | `version` | of which commit the program is made |

mod admin;
mod arguments;
mod check;
mod commands;
mod failure;
mod interrupt;
mod node_labels;
mod progress;
mod version;

use std::process::ExitCode;

use evenweave_tools::Failure;
use evenweave_tools::output;

use commands::Asked;

/// Keeps sizes apart; at thousands of applications an allocation takes less processor time, by how much stands in
/// docs/performance.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(run().unwrap_or_else(failure::tell))
}

fn run() -> Result<u8, Failure> {
    match commands::asked(std::env::args_os().collect())? {
        Asked::Run(cli) => cli.run(),
        Asked::Print(text) => {
            output::write_raw(&text);
            Ok(0)
        }
    }
}
