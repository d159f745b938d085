//! A directory of one test, gone at its end.

use std::path::PathBuf;

use tempfile::TempDir;

pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch(TempDir::new().unwrap())
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}
