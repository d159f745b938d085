//! Any bytes as a capacity-scheduler.xml that is checked: what is found is told in lines of their own, and errors
//! exactly where a scheduler cannot use the file, first the one that reading it ends at.
//!
//! The input has the form of `capacity_file`.

#![no_main]

use evenweave::Resource;
use evenweave::config::Severity;
use evenweave::config::capacity::CapacityFile;
use evenweave_fuzz::{capacity_input, is_one_line};
use libfuzzer_sys::fuzz_target;

const SOURCE: &str = "fuzz.xml";

/// So many errors are told of, as the check's documentation says.
const MAX_ERRORS: usize = 50;

fuzz_target!(|bytes: &[u8]| {
    let Some((yarn_site, file)) = capacity_input(bytes, SOURCE) else { return };
    let read = CapacityFile::from_site(&yarn_site, &file);
    for cluster in [None, Some(Resource::new(65_536, 48))] {
        let (checked, found) = CapacityFile::check(&yarn_site, &file, cluster.as_ref());
        for one in &found {
            assert!(is_one_line(&one.to_string()), "{one}");
            assert!(one.at.as_ref().is_none_or(|at| at.line > 0 && at.column > 0), "{one}");
        }
        let errors: Vec<_> = found.iter().filter(|one| one.severity == Severity::Error).collect();
        assert_eq!(checked.is_none(), !errors.is_empty(), "{found:?}");
        assert!(errors.len() <= MAX_ERRORS, "{}", errors.len());
        for (at, error) in errors.iter().enumerate() {
            assert!(!errors[..at].contains(error), "it is told of twice: {error}");
        }
        // Without an error in the file there may be one that comes with the nodes.
        let with_nodes = |file: &CapacityFile| file.figures(&cluster.unwrap_or(Resource::ZERO)).err();
        match read.as_ref().map(with_nodes) {
            Err(first) => assert_eq!(found.first(), Some(&first.diagnostic())),
            Ok(Some(first)) => assert_eq!(errors.first().map(|error| &error.message), Some(&first.diagnostic().message)),
            Ok(None) => assert!(errors.is_empty(), "{errors:?}"),
        }
        if let (Some(checked), Ok(read)) = (&checked, &read) {
            // As text: NaN, which Hadoop takes, is the same here.
            assert_eq!(format!("{:?}", checked.queues()), format!("{:?}", read.queues()));
            assert!(found.starts_with(read.warnings()), "{found:?}");
        }
    }
});
