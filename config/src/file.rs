//! Files of this machine, read whole: regular ones alone, and no more of them than a limit.
//!
//! A pipe would be waited for, and a device never ends. A file may still hang, on a mount whose server is gone: whoever
//! must not wait reads on a thread of its own.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest configuration file that is read, in bytes: 64 MiB. No real one is near it.
pub const LARGEST_FILE: u64 = 64 << 20;

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, or is a directory, a pipe, a socket or a device.
pub fn open_file(path: &Path) -> io::Result<File> {
    let is_regular = |is_file: bool| match is_file {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    };
    // Before it is opened, for a pipe is waited for by then; and after, for another may have taken its place.
    is_regular(std::fs::metadata(path)?.is_file())?;
    let file = File::open(path)?;
    is_regular(file.metadata()?.is_file())?;
    Ok(file)
}

/// Reads a regular file of at most `limit` bytes, which is [`LARGEST_FILE`] for files of configuration.
///
/// ```
/// use evenweave::config::{LARGEST_FILE, read_file};
/// let device = read_file("/dev/zero".as_ref(), LARGEST_FILE).unwrap_err();
/// # if cfg!(unix) {
/// assert_eq!(device.to_string(), "it is not a regular file");
/// # }
/// ```
///
/// # Errors
/// As of [`open_file`]; a file that is larger.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_file(path)?;
    if file.metadata()?.len() > limit {
        return Err(too_large(limit));
    }
    let mut bytes = Vec::new();
    // Some files of the system say that they are empty, and others grow: what counts is what comes.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) { Ok(bytes) } else { Err(too_large(limit)) }
}

/// Reads a regular file of text in UTF-8, as [`read_file`].
///
/// # Errors
/// As of [`read_file`]; bytes that are not UTF-8.
pub fn read_text_file(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, limit)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not text in UTF-8"))
    })
}

fn too_large(limit: u64) -> io::Error {
    let size = match limit >> 20 {
        0 => format!("{limit} bytes"),
        mib => format!("{mib} MiB"),
    };
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {size}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_the_limit_and_no_other_kinds() {
        let path = std::env::temp_dir().join(format!("evenweave-file-{}", std::process::id()));
        std::fs::write(&path, b"ab\n\xff").unwrap();
        assert_eq!(read_file(&path, 4).unwrap(), b"ab\n\xff");
        assert_eq!(read_file(&path, 3).unwrap_err().to_string(), "larger than 3 bytes");
        assert_eq!(read_text_file(&path, 4).unwrap_err().to_string(), "line 2 is not text in UTF-8");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_file(&path, 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read_file(&std::env::temp_dir(), 3).unwrap_err().to_string(), "it is not a regular file");
        assert_eq!(too_large(LARGEST_FILE).to_string(), "larger than 64 MiB");
    }
}
