//! `evenweave admin`: a tool of YARN's, over REST.

use std::path::PathBuf;

use clap::Args;
use evenweave_tools::output;

use crate::admin::{self, Address};

/// What `admin --help` says of the tools.
pub(super) const TOOLS: &str = "\
Tools:
  queue -status NAME
  application -list [-appTypes ...] [-appStates ...] [-appTags ...]
  application -status ID | -kill ID...
  application -movetoqueue ID -queue NAME | -changeQueue NAME -appId ID
  application -updatePriority N -appId ID
  node -list [-states ...] [-all] [-showDetails] | -status ID
  rmadmin -refreshQueues | -refreshNodes [-g] | -refreshTokens
  rmadmin -updateNodeResource ID MB VCORES
  rmadmin -addToClusterNodeLabels 'NAME(exclusive=true),NAME...'
  rmadmin -removeFromClusterNodeLabels NAME,NAME...
  rmadmin -replaceLabelsOnNode 'HOST[:PORT]=NAME ...' [-failOnUnknownNodes]
  rmadmin -decommission ID | -recommission ID | -removeNode ID
  cluster --list-node-labels
  state [-json]
  log-level [-getlevel NAME | -setlevel NAME LEVEL]";

/// The server, and the words of the tool.
#[derive(Debug, Args)]
pub(crate) struct AdminArgs {
    /// Address of the server. Of one with TLS it begins with https://.
    #[arg(long, value_name = "HOST:PORT", env = "EVENWEAVE_RM", default_value = "127.0.0.1:8088")]
    rm: String,
    /// A PEM file of certificates that sign the server's [default: those that browsers know].
    #[arg(long, value_name = "FILE", env = "EVENWEAVE_CA")]
    ca: Option<PathBuf>,
    /// Name of the user, for a server that believes it (?user.name=).
    #[arg(long, value_name = "NAME", env = "HADOOP_USER_NAME")]
    user: Option<String>,
    /// A file that contains a bearer token and nothing else. The variable EVENWEAVE_TOKEN may hold the token instead.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The tool and its options.
    #[arg(value_name = "TOOL", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// The exit code.
pub(crate) fn run(args: AdminArgs) -> u8 {
    let token = std::env::var("EVENWEAVE_TOKEN").ok().filter(|token| !token.is_empty());
    let address = Address { at: args.rm, ca: args.ca, user: args.user, token_file: args.token_file, token };
    let said = admin::run(&address, &args.words);
    output::write(format_args!("{}", said.out));
    if !said.err.is_empty() {
        evenweave_tools::note!("{}", said.err);
    }
    said.code
}
