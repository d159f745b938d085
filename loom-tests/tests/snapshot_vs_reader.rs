//! Two threads publish, each its own part, while a third reads: it sees whole values, and versions only grow.
#![cfg(loom)]

use evenweave::engine::publish::published::Published;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// A value whose parts belong together: the version counts the publishes of both kinds.
#[derive(Clone)]
struct Snapshot {
    version: u32,
    structure: Arc<u32>,
    shares: Arc<u32>,
}

/// Claim: I6: two kinds of publish, one reader
/// Threads: 3
/// Break: no writer mutex -> *I6: neither kind of publish undoes the other*: 1, not 2
#[test]
fn two_kinds_of_publish() {
    check("snapshot_vs_reader/two_kinds_of_publish", || {
        let first = Snapshot { version: 0, structure: Arc::new(0), shares: Arc::new(0) };
        let published = Arc::new(Published::new(first));
        let (control, update) = (published.clone(), published.clone());
        let control = spawn(move || {
            control.publish(|next| {
                next.version += 1;
                next.structure = Arc::new(*next.structure + 1);
            });
        });
        let update = spawn(move || {
            update.publish(|next| {
                next.version += 1;
                next.shares = Arc::new(*next.shares + 1);
            });
        });
        let mut reader = published.reader();
        let mut seen = reader.newest().clone();
        for _ in 0..2 {
            let now = reader.newest().clone();
            assert_eq!(now.version, *now.structure + *now.shares, "I6: a reader sees one whole value");
            assert!(now.version >= seen.version, "I6: versions only grow");
            assert!(published.guard().version >= now.version, "I6: nor is a short look at an older one");
            seen = now;
        }
        control.join().unwrap();
        update.join().unwrap();
        assert_eq!(published.load().version, 2, "I6: neither kind of publish undoes the other");
        assert_eq!(reader.newest().version, 2, "the newest is seen, whatever was seen before");
    });
}
