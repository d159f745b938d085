//! `evenweave admin`: YARN's tools for administrators, over REST.
//!
//! They print what Hadoop 3.4.2's `yarn queue`, `yarn application`, `yarn node`, `yarn cluster` and `yarn rmadmin` print (rules/web.md
//! 6), and end with the same codes.
//!
//! | module | what |
//! | --- | --- |
//! | `words` | a tool's options, as Hadoop's tools take them |
//! | `said` | what a tool has to say |
//! | `client` | requests, and why they come to nothing |
//! | `shown` | what a server says, as a terminal may have it |
//! | `layout` | columns and decimals, as Java prints them |
//! | `labels` | lists of labels, and of nodes with them, as Hadoop's tools read them |
//! | `queue`, `application`, `node`, `rmadmin`, `cluster`, `server` | a tool each |

mod application;

mod client;

mod cluster;

mod labels;

mod layout;

mod node;

mod queue;

mod rmadmin;

mod said;

mod server;

mod shown;

mod words;

pub(crate) use client::Address;
pub(crate) use said::Said;

use client::Client;
use words::Words;

const TOOLS: &str = "queue, application, node, rmadmin, cluster, state, log-level";

/// Runs a tool with its words.
pub(crate) fn run(address: &Address, words: &[String]) -> Said {
    let Some((tool, words)) = words.split_first() else {
        return Said::wrong(format!("name a tool: {TOOLS}"));
    };
    let client = match Client::new(address) {
        Ok(client) => client,
        Err(why) => return Said::failed(why),
    };
    let words = Words::new(words);
    match tool.as_str() {
        "queue" => queue::run(&client, words),
        "application" | "app" => application::run(&client, words),
        "node" => node::run(&client, words),
        "rmadmin" => rmadmin::run(&client, words),
        "cluster" => cluster::run(&client, words),
        "state" => server::state(&client, words),
        "log-level" => server::log_level(&client, words),
        other => Said::wrong(format!("{other:?} is no tool; there are {TOOLS}")),
    }
}
