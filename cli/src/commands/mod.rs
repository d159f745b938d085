//! The commands, a file each: its arguments, what it calls, and what becomes of the outcome.

mod admin;
mod bench;
mod check;
mod compare;
mod convert;
mod explain;
mod load;
mod replay;
mod serve;
mod simulate;
mod soak;

use clap::{Parser, Subcommand};
use evenweave_bench::Failure;

use admin::AdminArgs;
use bench::BenchArgs;
use check::CheckArgs;
use convert::ConvertArgs;
use explain::ExplainArgs;
use load::LoadArgs;
use replay::ReplayArgs;
use serve::ServeArgs;
use simulate::SimulateArgs;

/// The work was done and its result is bad: books that do not balance, scenarios that differ.
const BAD: u8 = 1;

/// Evenweave: a scheduler core that decides as Hadoop YARN's FairScheduler does. Without a command: `load`.
#[derive(Debug, Parser)]
#[command(name = "evenweave", version, about, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    load: LoadArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Drive the scheduler with a real trace in compressed time and report how full it keeps the cluster.
    Load(Box<LoadArgs>),
    /// Replay recordings of real Hadoop, scenario and vector files, and compare every field with what it did.
    Replay(ReplayArgs),
    /// Tell why an application of a scenario has what it has, and no more, after one of its steps.
    Explain(ExplainArgs),
    /// Check configuration files: errors, and whatever Hadoop accepts although it is probably a mistake.
    Check(CheckArgs),
    /// Write a CapacityScheduler's configuration from a FairScheduler's, as Hadoop's `yarn fs2cs` does, and say what changes.
    #[command(disable_help_flag = true)]
    Convert(ConvertArgs),
    /// Simulate a day of a cluster in virtual time, under one file of queues or several, and say what changes for whom.
    Simulate(Box<SimulateArgs>),
    /// Run a scheduler over a simulated cluster, and answer over HTTP as a ResourceManager does.
    Serve(ServeArgs),
    /// Ask a ResourceManager, or change what it has: YARN's tools queue, application, node and rmadmin, over REST.
    Admin(AdminArgs),
    /// Run one of the standard throughput workloads; JSON records on standard output, the last one the median. Or `compare`.
    Bench(Box<BenchArgs>),
}

impl Cli {
    /// Runs the command, and gives the exit code.
    ///
    /// # Errors
    /// Why it has not done its work.
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let code = |good| if good { 0 } else { BAD };
        match self.command {
            None => load::run(self.load).map(code),
            Some(Command::Load(args)) => load::run(*args).map(code),
            Some(Command::Replay(args)) => replay::run(args).map(code),
            Some(Command::Explain(args)) => explain::run(args).map(|()| 0),
            Some(Command::Check(args)) => check::run(&args),
            Some(Command::Convert(args)) => convert::run(args),
            Some(Command::Simulate(args)) => simulate::run(*args).map(|()| 0),
            Some(Command::Serve(args)) => serve::run(args).map(|()| 0),
            Some(Command::Admin(args)) => Ok(admin::run(args)),
            Some(Command::Bench(args)) => bench::run(*args).map(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent_and_no_command_means_load() {
        Cli::command().debug_assert();
        assert!(Cli::parse_from(["evenweave", "--nodes", "7"]).command.is_none());
        assert!(Cli::try_parse_from(["evenweave", "load", "--nodes", "0"]).is_err());
    }

    /// A comparison runs this program by command lines of its own.
    #[test]
    fn each_cell_of_a_comparison_is_a_command_line() {
        let lines = evenweave_bench::compare::own_command_lines();
        assert!(!lines.is_empty());
        for line in lines {
            let words = std::iter::once("evenweave".to_owned()).chain(line.iter().cloned());
            assert!(matches!(Cli::try_parse_from(words).unwrap().command, Some(Command::Bench(_))), "{line:?}");
        }
    }
}
