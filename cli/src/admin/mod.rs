//! `evenweave admin`: YARN's tools for administrators, over REST.
//!
//! They print what Hadoop 3.4.2's `yarn queue`, `yarn application`, `yarn node` and `yarn rmadmin` print, and end with the same codes.
//!
//! | module | what |
//! | --- | --- |
//! | `words` | a tool's options, as Hadoop's tools take them |
//! | `client` | requests, and why they come to nothing |
//! | `layout` | columns and decimals, as Java prints them |
//! | `queue`, `application`, `node`, `rmadmin`, `server` | a tool each |

mod application;

mod client;

mod layout;

mod node;

mod queue;

mod rmadmin;

mod server;

mod words;

pub(crate) use client::Address;

use client::Client;
use words::Words;

/// It was asked for in a wrong way, or it is not there: Hadoop's -1.
const WRONG: u8 = 255;
/// What was asked for came to nothing: Hadoop's tools end with an exception then.
const FAILED: u8 = 1;

/// What a tool has to say, and with which code it ends.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// On standard output.
    pub(crate) out: String,
    /// On standard error.
    pub(crate) err: String,
    pub(crate) code: u8,
}

impl Said {
    fn out(out: impl Into<String>) -> Said {
        Said { out: out.into(), ..Said::default() }
    }

    fn wrong(err: impl Into<String>) -> Said {
        Said { err: err.into(), code: WRONG, ..Said::default() }
    }

    fn failed(err: impl Into<String>) -> Said {
        Said { err: err.into(), code: FAILED, ..Said::default() }
    }
}

const TOOLS: &str = "queue, application, node, rmadmin, state, log-level";

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
        "state" => server::state(&client, words),
        "log-level" => server::log_level(&client, words),
        other => Said::wrong(format!("{other:?} is no tool; there are {TOOLS}")),
    }
}
