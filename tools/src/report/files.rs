//! The files that a report is written to.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::whole_files::Drafts;

/// The report's name within the output directory.
const FILE_NAME: &str = "report.html";

/// Makes sure, before a run, that the report can be written after it; leaves nothing behind.
///
/// # Errors
/// When the directory cannot be made or nothing can be written there.
pub fn check_writable(out: &Path) -> Result<PathBuf, Failure> {
    let path = out.join(FILE_NAME);
    // A draft like the report's own: whatever ends the program meanwhile, it goes, and the directories made for it.
    Drafts::default().create(&path).map_err(|error| {
        let shown = out.display();
        let message = format!("--out {shown}: {error}; it must be a directory in which files can be written");
        Failure::system(message, out, &error)
    })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whole_files::write_whole;

    #[test]
    fn the_check_leaves_nothing_and_a_file_is_written_whole() {
        let base = std::env::temp_dir().join(format!("evenweave-check-{}", std::process::id()));
        let path = check_writable(&base.join("a/b")).unwrap();
        assert!(!base.exists());
        write_whole(&path, "text").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        assert_eq!(std::fs::read_dir(base.join("a/b")).unwrap().count(), 1);
        std::fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn an_output_that_is_a_file_is_refused_before_the_run() {
        let file = std::env::temp_dir().join(format!("evenweave-out-{}", std::process::id()));
        std::fs::write(&file, b"").unwrap();
        let refused = check_writable(&file.join("report"));
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(refused, Err(Failure::File(_))), "{refused:?}");
    }
}
