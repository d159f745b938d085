//! Files that commands read: regular ones up to a limit, and text as Hadoop's parsers read it.

use std::fs::File;
use std::path::Path;

use crate::api::{AllocationFile, LARGEST_FILE, SiteFile, open_file, read_file};
use crate::failure::Failure;
use crate::options::SchedulerChoice;

/// Opens a regular file; `what` is what it is given as.
///
/// # Errors
/// A file that cannot be read, with its name.
pub fn open(path: &Path, what: &str) -> Result<File, Failure> {
    open_file(path).map_err(|error| {
        let message = format!("{what} {}: {error}; it must be a file that can be read", path.display());
        Failure::system(message, path, &error)
    })
}

/// The text of a file of queues, in the encoding that it declares. `scheduler` says whose parser reads it; the content
/// does where it is not known.
///
/// # Errors
/// A file that cannot be read, and bytes that are not in the encoding, with their place.
pub fn read_queues(path: &Path, what: &str, scheduler: Option<SchedulerChoice>) -> Result<String, Failure> {
    let name = path.display().to_string();
    let bytes = read_file(path, LARGEST_FILE).map_err(|error| {
        let kinds = "a fair-scheduler.xml or a capacity-scheduler.xml";
        Failure::system(format!("{what} {name}: {error}; it must be {kinds} that can be read"), path, &error)
    })?;
    decode_queues(&bytes, &name, scheduler)
}

/// The same of its bytes.
///
/// # Errors
/// Bytes that are no text in the encoding that they say.
pub fn decode_queues(bytes: &[u8], name: &str, scheduler: Option<SchedulerChoice>) -> Result<String, Failure> {
    let properties = || SiteFile::decode(bytes, name);
    let scheduler = match scheduler {
        Some(scheduler) => scheduler,
        None => properties()
            .ok()
            .filter(|text| text.contains("<allocations"))
            .map_or(SchedulerChoice::Capacity, |_| SchedulerChoice::Fair),
    };
    match scheduler {
        SchedulerChoice::Fair => Ok(AllocationFile::decode(bytes, name)?),
        SchedulerChoice::Capacity => Ok(properties()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Fault;

    #[test]
    fn whose_file_it_is_says_which_names_of_encodings_are_known() {
        let queues =
            |root: &str| format!("<?xml version='1.0' encoding='ISO-8859-1'?><{root}><!-- \u{e9} --></{root}>");
        for root in ["allocations", "configuration"] {
            let bytes: Vec<u8> = queues(root).chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
            for scheduler in [None, Some(SchedulerChoice::Fair), Some(SchedulerChoice::Capacity)] {
                assert_eq!(decode_queues(&bytes, "q.xml", scheduler).unwrap(), queues(root));
            }
        }
        let broken = decode_queues(b"<allocations>\n\xe9</allocations>", "q.xml", None);
        let Err(Failure::File(broken)) = broken else { panic!("{broken:?}") };
        assert!(broken.message.starts_with("q.xml:2:1: not well-formed XML: not UTF-8"), "{broken:?}");
        assert_eq!((broken.file.as_str(), broken.fault), ("q.xml", Fault::At { line: 2, column: 1 }));
    }
}
