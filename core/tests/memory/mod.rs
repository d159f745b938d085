//! An allocation file in memory, whose text and time of change a test sets.

#![allow(missing_docs, reason = "a test's helpers")]

use evenweave::config::AllocationSource;
use std::io::{self, Cursor, Read};
use std::sync::{Arc, Mutex, MutexGuard};

/// What the file has now.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) text: String,
    /// 0: there is none.
    pub(crate) modified_ms: u64,
    /// Reading it fails with this.
    pub(crate) problem: Option<&'static str>,
    /// How often it was read.
    pub(crate) reads: u32,
}

/// A handle: what it is set to, the watcher's copy finds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<Contents>>);

impl Memory {
    pub(crate) fn new(text: &str, modified_ms: u64) -> Memory {
        let memory = Memory::default();
        memory.set(text, modified_ms);
        memory
    }

    pub(crate) fn set(&self, text: &str, modified_ms: u64) {
        let mut contents = self.contents();
        contents.text = text.to_owned();
        contents.modified_ms = modified_ms;
        contents.problem = None;
    }

    pub(crate) fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().expect("nobody panics with it")
    }
}

impl AllocationSource for Memory {
    fn name(&self) -> String {
        "memory.xml".to_owned()
    }

    fn modified_ms(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.contents().modified_ms))
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        let mut contents = self.contents();
        contents.reads += 1;
        match contents.problem {
            Some(problem) => Err(io::Error::other(problem)),
            None => Ok(Box::new(Cursor::new(contents.text.clone().into_bytes()))),
        }
    }
}
