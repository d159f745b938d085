//! The allocation file of a file system that only Java can read, such as HDFS: Java looks at it and sends what it
//! finds.

use crate::wire::{Malformed, Reader};
use evenweave::config::AllocationSource;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone)]
struct Found {
    modified_ms: Result<u64, String>,
    contents: Result<Arc<[u8]>, String>,
}

/// See the module's text.
#[derive(Debug, Clone)]
pub(crate) struct SentFile {
    name: String,
    found: Arc<Mutex<Found>>,
}

impl SentFile {
    /// It and what Java has found at first.
    pub(crate) fn read(name: &str, given: &mut Reader<'_>) -> Result<SentFile, Malformed> {
        let nothing = Found { modified_ms: Ok(0), contents: Err("nobody has looked at it".to_owned()) };
        let file = SentFile { name: name.to_owned(), found: Arc::new(Mutex::new(nothing)) };
        file.take(given)?;
        Ok(file)
    }

    /// Java has looked again. What the file holds is not sent where it is as before.
    pub(crate) fn take(&self, given: &mut Reader<'_>) -> Result<(), Malformed> {
        let modified_ms = match given.flag()? {
            true => Ok(u64::try_from(given.long()?).unwrap_or(0)),
            false => Err(given.text()?.to_owned()),
        };
        let contents = given.maybe(|given| match given.flag()? {
            true => Ok(Ok(Arc::from(given.bytes()?))),
            false => Ok(Err(given.text()?.to_owned())),
        })?;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.modified_ms = modified_ms;
        if let Some(contents) = contents {
            found.contents = contents;
        }
        Ok(())
    }

    fn found(&self) -> Found {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl AllocationSource for SentFile {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn modified_ms(&self) -> io::Result<Option<u64>> {
        self.found().modified_ms.map(Some).map_err(io::Error::other)
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(io::Cursor::new(self.found().contents.map_err(io::Error::other)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Writer;

    fn sent(modified: Result<i64, &str>, contents: Option<Result<&str, &str>>) -> Vec<u8> {
        let mut out = Writer::default();
        out.flag(modified.is_ok());
        match modified {
            Ok(ms) => out.long(ms),
            Err(why) => out.text(why),
        }
        out.flag(contents.is_some());
        if let Some(contents) = contents {
            out.flag(contents.is_ok());
            out.text(contents.unwrap_or_else(|why| why));
        }
        out.bytes
    }

    fn text_of(file: &SentFile) -> Result<String, String> {
        let mut text = String::new();
        file.open().map_err(|error| error.to_string())?.read_to_string(&mut text).unwrap();
        Ok(text)
    }

    #[test]
    fn what_was_sent_is_there_until_something_else_is_sent() {
        let file = SentFile::read("hdfs://a/b.xml", &mut Reader::new(&sent(Ok(7), Some(Ok("<a/>"))))).unwrap();
        assert_eq!((file.name().as_str(), file.modified_ms().unwrap()), ("hdfs://a/b.xml", Some(7)));
        assert_eq!(text_of(&file).unwrap(), "<a/>");
        file.take(&mut Reader::new(&sent(Err("no NameNode"), None))).unwrap();
        assert_eq!(file.modified_ms().unwrap_err().to_string(), "no NameNode");
        assert_eq!(text_of(&file).unwrap(), "<a/>");
        file.take(&mut Reader::new(&sent(Ok(8), Some(Err("it has gone"))))).unwrap();
        assert_eq!(file.modified_ms().unwrap(), Some(8));
        assert_eq!(text_of(&file).unwrap_err(), "it has gone");
        assert!(file.take(&mut Reader::new(&[1, 2])).is_err(), "cut off");
    }
}
