//! `evenweave check`: configuration files, with all that is wrong in them or probably a mistake.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use evenweave_tools::Failure;
use evenweave_tools::check::{self, ClusterFacts, Kind};
use evenweave_tools::output;

use crate::arguments::{Word, one_of};
use crate::check::report;

/// Warnings, where they are denied.
const WARNED: u8 = 1;
/// Errors, and what Evenweave refuses although Hadoop takes it.
const REFUSED: u8 = 2;

const KINDS: &[Word<Kind>] = &[
    ("allocations", Kind::Allocations, "The FairScheduler's queues: an allocation file, such as fair-scheduler.xml"),
    ("capacity", Kind::Capacity, "The CapacityScheduler's queues: capacity-scheduler.xml"),
    ("site", Kind::Site, "Properties of the whole cluster, such as yarn-site.xml"),
];

/// How findings are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: each with its line.
    Text,
    /// One JSON document.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Configuration files. The name of each says its kind (capacity-scheduler.xml, fair-scheduler.xml, yarn-site.xml),
    /// else its content.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The yarn-site.xml that the other files are used with: resource types, largest container, ACLs, preemption. May
    /// be given more than once; a later file overrides an earlier one. These files are checked, too.
    #[arg(long, value_name = "FILE")]
    site: Vec<PathBuf>,
    /// The cluster's total, such as "memory-mb=1048576, vcores=512". Limits of queues are compared with it. Memory and
    /// vcores are required; another resource type that is not named is 0.
    #[arg(long, value_name = "RESOURCES")]
    cluster: Option<String>,
    /// The labels that nodes have, such as "gpu,spare(exclusive=false)". Those that a capacity-scheduler.xml names are
    /// compared with them.
    #[arg(long, value_name = "LABELS")]
    node_labels: Option<String>,
    /// What the files are, whatever their names and content say.
    #[arg(long, value_parser = one_of(KINDS))]
    kind: Option<Kind>,
    /// Form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exit with 1 if there are warnings.
    #[arg(long)]
    deny_warnings: bool,
}

/// Prints what is found, and gives the exit code.
///
/// # Errors
/// `--cluster` is no resource, `--node-labels` no labels, or standard output cannot be written.
pub(crate) fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let cluster = ClusterFacts { total: args.cluster.as_deref(), labels: args.node_labels.as_deref() };
    let checked = check::check(&args.files, &args.site, cluster, args.kind)?;
    let out = match args.format {
        Format::Text => report(checked.files(), colours()),
        Format::Json => checked.json(),
    };
    // It has colours, and a line of each name.
    output::write_raw(&out);
    Ok(if checked.errors() > 0 || checked.are_unsupported() {
        REFUSED
    } else if args.deny_warnings && checked.warnings() > 0 {
        WARNED
    } else {
        0
    })
}

/// Whether there is somebody who wants colours: a terminal, and no `NO_COLOR`.
fn colours() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
