//! Two workers grant AMs at once in one leaf queue: its AM share is kept in every type, and who is refused leaves no trace.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::flow::usage::SharedUsage;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

#[test]
fn the_last_share_goes_to_one() {
    check("am_share_vs_am_share/the_last_share_goes_to_one", || {
        let (am, limit) = (Resource::new(2, 1), Resource::new(3, 9));
        let used = Arc::new(SharedUsage::default());
        let other = used.clone();
        let other = spawn(move || other.try_add(&am, &limit));
        let granted = [used.try_add(&am, &limit), other.join().unwrap()];
        assert_eq!(granted.iter().filter(|granted| **granted).count(), 1, "the last share goes to one");
        assert_eq!(used.read(), am, "I7: the refused AM has left no trace");
    });
}

/// The first type has room for both, the second for one: who is refused for it has added to the first.
#[test]
fn a_share_in_every_type_or_in_none() {
    check("am_share_vs_am_share/a_share_in_every_type_or_in_none", || {
        let (am, limit) = (Resource::new(2, 2), Resource::new(4, 3));
        let used = Arc::new(SharedUsage::default());
        let other = used.clone();
        let other = spawn(move || other.try_add(&am, &limit));
        let granted = [used.try_add(&am, &limit), other.join().unwrap()];
        assert_eq!(granted.iter().filter(|granted| **granted).count(), 1, "one has room in both types");
        assert_eq!(used.read(), am, "I7: the refused AM has left no trace in the first type");
    });
}

/// One AM ends, by the control, while another is granted where nothing is limited.
#[test]
fn an_end_while_another_begins() {
    check("am_share_vs_am_share/an_end_while_another_begins", || {
        let (ends, begins) = (Resource::new(2, 1), Resource::new(5, 3));
        let used = Arc::new(SharedUsage::default());
        used.add(&ends);
        let control = used.clone();
        let control = spawn(move || control.subtract(&ends));
        used.add(&begins);
        control.join().unwrap();
        assert_eq!(used.read(), begins, "I4: the AM usage is the sum of the AMs that are there");
    });
}
