//! Any bytes as a capacity-scheduler.xml: refused in one line, or a tree of queues, each of which can be found, with
//! figures on every cluster unless Hadoop fails there too.
//!
//! Behind a line `%%` may stand lines `name=value`, properties of yarn-site.

#![no_main]

use evenweave::Resource;
use evenweave::config::QueueAccess;
use evenweave::config::capacity::CapacityFile;
use evenweave_fuzz::{capacity_input, is_one_line};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

const SOURCE: &str = "fuzz.xml";

/// More say nothing new.
const MAX_PATHS: usize = 100;

fuzz_target!(|bytes: &[u8]| {
    let Some((yarn_site, file)) = capacity_input(bytes, SOURCE) else { return };
    let file = match CapacityFile::from_site(&yarn_site, &file) {
        Ok(file) => file,
        Err(error) => {
            assert!(is_one_line(&error.to_string()), "{error}");
            assert!(is_one_line(&error.diagnostic().to_string()), "{error}");
            return;
        }
    };
    for warning in file.warnings() {
        assert!(is_one_line(&warning.to_string()), "{warning}");
    }
    check_queues(&file);
    for cluster in [Resource::ZERO, Resource::new(65_536, 48), Resource::new(i64::MAX, i64::from(i32::MAX))] {
        for by_label in [vec![""], vec!["", "x", "y"]] {
            let by_label: BTreeMap<_, _> = by_label.into_iter().map(|label| (label.to_owned(), cluster)).collect();
            match file.figures_by_label(&by_label) {
                Ok(figures) => assert_eq!(figures.len(), file.queues().len()),
                Err(error) => assert!(is_one_line(&error.to_string()), "{error}"),
            }
        }
    }
});

/// Root first, each queue below one before it; and whatever may be asked of a queue has an answer.
fn check_queues(file: &CapacityFile) {
    let queues = file.queues();
    assert_eq!(queues.first().map(|root| (root.path.as_str(), root.parent)), Some(("root", None)));
    for (index, queue) in queues.iter().enumerate() {
        for child in &queue.children {
            assert_eq!(queues[*child].parent, Some(index), "{}", queue.path);
        }
        let Some(parent) = queue.parent else { continue };
        assert!(parent < index && queues[parent].children.contains(&index), "{}", queue.path);
        assert_eq!(queue.path, format!("{}.{}", queues[parent].path, queue.name));
    }
    for queue in queues.iter().take(MAX_PATHS) {
        let path = queue.path.as_str();
        assert!(file.index_of(path).is_some() && file.queue_at(path).is_some(), "{path}");
        assert!(file.queue(&queue.name).is_some() || file.is_ambiguous(&queue.name), "{path}");
        let _ = (
            file.user_weight(queue, "al"),
            file.accessible_labels(queue),
            file.default_label_expression(queue),
            file.templates(queue),
        );
        for access in [QueueAccess::Submit, QueueAccess::Administer] {
            let _ = file.guards("al", &["staff"], path, access);
            // A right to a queue holds below it.
            let Some(parent) = queue.parent else { continue };
            let above = queues.get(parent).is_some_and(|up| file.has_access("al", &["staff"], &up.path, access));
            assert!(!above || file.has_access("al", &["staff"], path, access), "{path}");
        }
    }
}
