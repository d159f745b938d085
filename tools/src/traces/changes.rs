//! A file of changes to the cluster: a CSV whose first line names the columns.
//!
//! | column | meaning |
//! | --- | --- |
//! | `time_s` | when, in seconds after the start; fractions count |
//! | `event` | `lose`, `back`, `add` or `resize` |
//! | `node` | the node; for `lose` and `back` empty where a whole rack is meant |
//! | `rack` | the rack of a node that is added, or the one that is meant; `/rack0` with or without the slash |
//! | `memory_mb`, `vcores` | the size of a node that is added or resized; the simulator's setting where it is empty |
//!
//! Lines stand in order of time.

use std::collections::BTreeMap;
use std::io::Read;

use super::csv::{Header, Row};
use super::error::TraceFileError;
use super::lines::Lines;
use super::source::Source;

const COLUMNS: [&str; 6] = ["time_s!", "event!", "node!", "rack", "memory_mb", "vcores"];
const EXAMPLE: &str = "the first line is time_s,event,node,rack,memory_mb,vcores; others are such as 3600,lose,node7,,, or \
7200,add,node99,/rack3,8192,8";
const EVENTS: &str = "write lose, back, add or resize";

/// What happens to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// A node is lost, and with it what ran on it.
    Lose(String),
    /// A rack's nodes are.
    LoseRack(String),
    /// A node that was lost is there again, as large as it was.
    Back(String),
    /// A rack's nodes are.
    BackRack(String),
    /// A new node.
    Add {
        /// Its name.
        node: String,
        /// Its rack.
        rack: String,
        /// Its size by resource type, as far as it is given.
        size: BTreeMap<String, i64>,
    },
    /// A node's size changes.
    Resize {
        /// Its name.
        node: String,
        /// Its size by resource type, as far as it is given.
        size: BTreeMap<String, i64>,
    },
}

/// A change, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeChange {
    /// When, in ms after the start.
    pub at_ms: u64,
    /// The line.
    pub line: u64,
    /// What.
    pub event: NodeEvent,
}

/// Reads a file of changes; `name` stands in errors.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_node_changes(input: impl Read + Send + 'static, name: &str) -> Result<Vec<NodeChange>, TraceFileError> {
    let mut lines = Lines::new(Source::new(input, name)?, EXAMPLE);
    let mut line = String::new();
    if !lines.next(&mut line)? {
        return Err(lines.wrong(1, "the file is empty", EXAMPLE));
    }
    let header = Header::read(&Row::of(&lines, &line)?, COLUMNS)?;
    let mut changes: Vec<NodeChange> = Vec::new();
    while lines.next(&mut line)? {
        let row = Row::of(&lines, &line)?;
        header.fits(&row)?;
        let at = |name| header.at(name);
        let seconds = row.part(at(0), "time_s")?;
        let seconds = row.wanted(at(0), "time_s", seconds, "write the seconds since the start, such as 3600")?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number above is as good as the most"
        )]
        let at_ms = (seconds * 1000.0).round() as u64;
        if changes.last().is_some_and(|before| before.at_ms > at_ms) {
            return Err(row.wrong(at(0), "the time is before that of the line above", "sort the lines by time_s"));
        }
        changes.push(NodeChange { at_ms, line: lines.number, event: event(&row, &header)? });
    }
    Ok(changes)
}

fn event(row: &Row<'_>, header: &Header<6>) -> Result<NodeEvent, TraceFileError> {
    let at = |name| header.at(name);
    let rack = row.get(at(3)).map(|rack| format!("/{}", rack.trim_start_matches('/')));
    let node = row.get(at(2)).map(str::to_owned);
    let size = || -> Result<BTreeMap<String, i64>, TraceFileError> {
        let mut size = BTreeMap::new();
        for (name, key, type_name) in [(4, "memory_mb", "memory-mb"), (5, "vcores", "vcores")] {
            if let Some(amount) = row.whole(at(name), key, 0)? {
                size.insert(type_name.to_owned(), amount);
            }
        }
        Ok(size)
    };
    let neither =
        || row.wrong(at(2), "neither a node nor a rack is named", "name a node, or leave it empty and name a rack");
    Ok(match row.get(at(1)).unwrap_or_default() {
        "lose" => match (node, rack) {
            (Some(node), _) => NodeEvent::Lose(node),
            (None, Some(rack)) => NodeEvent::LoseRack(rack),
            (None, None) => return Err(neither()),
        },
        "back" => match (node, rack) {
            (Some(node), _) => NodeEvent::Back(node),
            (None, Some(rack)) => NodeEvent::BackRack(rack),
            (None, None) => return Err(neither()),
        },
        "add" => NodeEvent::Add {
            node: row.wanted(at(2), "node", node, "name the node that comes")?,
            rack: row.wanted(at(3), "rack", rack, "name its rack, such as /rack3")?,
            size: size()?,
        },
        "resize" => {
            let size = size()?;
            if size.is_empty() {
                return Err(row.wrong(at(4), "the new size is empty", "write memory_mb, vcores or both"));
            }
            NodeEvent::Resize { node: row.wanted(at(2), "node", node, "name the node whose size changes")?, size }
        }
        other => return Err(row.wrong(at(1), format!("event is {other:?}"), EVENTS)),
    })
}
