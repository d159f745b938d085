//! A placement policy and submissions to it: every application enters a leaf queue that is there, or is refused in one
//! line; when all have ended, so have the queues that came with them.
//!
//! The input is an allocation file, a line `%%`, then lines of words between tabs:
//!
//! | line | what |
//! | --- | --- |
//! | `property name value` | of yarn-site, wherever it stands |
//! | `groups user group…` | the user's groups, the primary one first |
//! | `submit user queue` | an application |
//! | `finish number` | the end of the number-th one |
//! | `reload` | the file anew |
//! | `wake` | the file's watcher, without news |

#![no_main]

use evenweave::resource::ResourceTypes;
use evenweave::SchedulerApi as _;
use evenweave::{AllocationFile, AppHandle, FairScheduler, Resource, Settings, Submission};
use evenweave_fuzz::{check_tree, is_one_line};
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use std::sync::Arc;

/// More say nothing new.
const MAX_LINES: usize = 100;

fuzz_target!(|text: &str| {
    let (file, rest) = text.split_once("\n%%\n").unwrap_or((text, ""));
    let lines: Vec<Vec<&str>> = rest.lines().take(MAX_LINES).map(|line| line.split('\t').collect()).collect();
    let properties = lines.iter().filter_map(|line| match line.as_slice() {
        ["property", name, value] => Some((*name, *value)),
        _ => None,
    });
    let groups = lines.iter().filter_map(|line| match line.as_slice() {
        ["groups", user, groups @ ..] => Some(((*user).to_owned(), groups.iter().map(|&g| g.to_owned()).collect())),
        _ => None,
    });
    let groups: HashMap<String, Vec<String>> = groups.collect();
    let Ok(settings) = Settings::from_properties(properties) else { return };
    let Ok(parsed) = AllocationFile::parse(file, "fuzz.xml", &ResourceTypes::standard(), &[]) else { return };
    let builder = FairScheduler::builder().settings(settings).allocations(parsed.file).groups(Arc::new(groups));
    let Ok(mut stepped) = builder.stepped() else { return };
    stepped.add_node("n1", "/r1", Resource::new(102_400, 100)).expect("a fresh node");
    let mut apps: Vec<Option<AppHandle>> = Vec::new();
    for line in &lines {
        match line.as_slice() {
            ["submit", user, queue] => {
                let number = u32::try_from(apps.len()).expect("few lines");
                let (user, queue) = ((*user).to_owned(), Some((*queue).to_owned()));
                let outcome = stepped
                    .submit(Submission::new(number, user).with_am(Resource::new(1024, 1)).maybe_in_queue(queue));
                if let Err(refused) = &outcome {
                    assert!(is_one_line(&refused.to_string()), "{refused}");
                }
                apps.push(outcome.ok());
            }
            ["finish", number] => {
                let app = number.parse::<usize>().ok().and_then(|number| apps.get_mut(number)).and_then(Option::take);
                if let Some(app) = app {
                    stepped.finish(&app).expect("it has not ended yet");
                }
            }
            ["reload"] => drop(stepped.reload_text(file).expect("it was taken before")),
            ["wake"] => stepped.clean_up(),
            _ => continue,
        }
        check_tree(&mut stepped);
    }
    let leaves: HashMap<_, _> = stepped.queues().into_iter().map(|queue| (queue.name, queue.leaf)).collect();
    for app in stepped.apps() {
        assert_eq!(leaves.get(&app.queue), Some(&true), "{app:?}");
    }
    for app in apps.into_iter().flatten() {
        stepped.finish(&app).expect("it has not ended yet");
    }
    stepped.clean_up();
    let left: Vec<_> = stepped.queues().into_iter().filter(|queue| queue.dynamic).collect();
    assert!(left.is_empty(), "{left:?}");
});
