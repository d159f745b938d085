//! Hosts that are to leave the cluster: the file of `yarn.resourcemanager.nodes.exclude-path`.

use std::collections::BTreeSet;
use std::path::Path;

use evenweave::config::read_text_file;

/// A longer one is no list of hosts.
const LONGEST: u64 = 16 << 20;

/// The names in a file, with white space between them; what follows a `#` says nothing.
///
/// # Errors
/// A sentence, where it cannot be read.
pub(crate) fn hosts_in(file: &Path) -> Result<BTreeSet<String>, String> {
    let name = file.display();
    let unreadable = |error: std::io::Error| format!("{name}: {error}; it must be a text file that can be read");
    let text = read_text_file(file, LONGEST).map_err(unreadable)?;
    let mut hosts = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        for host in line.split('#').next().unwrap_or_default().split_whitespace() {
            if host.contains(['<', '>', '/', '"', '\'']) || host.len() > 255 {
                let known = "a line has names of hosts with blanks between them; XML is not read";
                return Err(format!("{name}:{number}: {host:?} is no name of a host: {known}"));
            }
            hosts.insert(host.to_owned());
        }
    }
    Ok(hosts)
}
