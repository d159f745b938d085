//! Two workers grant an AM each in one leaf queue: its AM share holds, and who is refused leaves nothing behind.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::books::usage::SharedUsage;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// Room for one AM of the size, in both types.
fn limit() -> Resource {
    Resource::new(10, 1)
}

fn am() -> Resource {
    Resource::new(6, 1)
}

fn times(count: usize) -> Resource {
    am().times_int(i64::try_from(count).expect("few"))
}

/// Claim: I2, I7, I4: two AMs and the last of an AM share: one gets it
/// Threads: 2
/// Break: `SharedUsage::try_add` by load and store -> *I2, I7: one of two gets the last of the AM share*: 2, not 1
#[test]
fn the_last_of_the_share() {
    check("am_vs_am/the_last_of_the_share", || {
        let used = Arc::new(SharedUsage::default());
        let theirs = used.clone();
        let other = spawn(move || theirs.try_add(&am(), &limit()));
        let mine = used.try_add(&am(), &limit());
        assert!(used.read().fits_in(&limit()), "I2: the AM share is not exceeded, in any type");
        let granted = [mine, other.join().unwrap()].iter().filter(|granted| **granted).count();
        assert_eq!(granted, 1, "I2, I7: one of two gets the last of the AM share");
        assert_eq!(used.read(), times(granted), "I4: at quiet the AM usage is that of the AMs granted");
    });
}

/// Claim: I7: an AM that is refused for its second type leaves nothing in the first
/// Threads: 2
/// Break: `try_add` takes nothing back -> *I7: who is refused leaves no trace in the earlier types*: 9, not 5
#[test]
fn refused_for_the_second_type() {
    check("am_vs_am/refused_for_the_second_type", || {
        let used = Arc::new(SharedUsage::default());
        // It fits in the first type, and never in the second one.
        let (too_many, small) = (Resource::new(4, 2), Resource::new(5, 1));
        let theirs = used.clone();
        let refused = spawn(move || theirs.try_add(&too_many, &limit()));
        let granted = used.try_add(&small, &limit());
        assert!(!refused.join().unwrap(), "I2: no AM is granted above the AM share");
        assert!(granted, "it fits beside what the other has for a moment");
        assert_eq!(used.read(), small, "I7: who is refused leaves no trace in the earlier types");
    });
}

/// Claim: I2, I7: room in an AM share comes back while it is asked for: one gets it, then or later
/// Threads: 2
/// Break: `try_add` takes nothing back -> *I7: room that has come back is found by a later offer*
#[test]
fn one_leaves_while_another_comes() {
    check("am_vs_am/one_leaves_while_another_comes", || {
        let used = Arc::new(SharedUsage::default());
        let limit = times(2);
        assert!(used.try_add(&am(), &limit) && used.try_add(&am(), &limit), "two fit");
        let control = used.clone();
        let leaving = spawn(move || control.subtract(&am()));
        let granted = [used.try_add(&am(), &limit), used.try_add(&am(), &limit)];
        assert!(used.read().fits_in(&limit), "I2: the AM share is not exceeded, in any type");
        leaving.join().unwrap();
        assert!(granted != [true, true], "I2: one place has come back, not two");
        let granted = granted.contains(&true) || used.try_add(&am(), &limit);
        assert!(granted, "I7: room that has come back is found by a later offer");
        assert_eq!(used.read(), times(2), "I4: at quiet the AM usage is that of the AMs that are there");
    });
}

/// Claim: I4: one AM leaves while another comes, and both are counted
/// Threads: 2
/// Break: `SharedUsage::add` by load and store -> *I4: at quiet the AM usage is that of the AMs that are there*: 2, not 1
#[test]
fn one_leaves_beside_another_that_comes() {
    check("am_vs_am/one_leaves_beside_another_that_comes", || {
        let used = Arc::new(SharedUsage::default());
        assert!(used.try_add(&am(), &times(2)), "one of two fits");
        let control = used.clone();
        let leaving = spawn(move || control.subtract(&am()));
        assert!(used.try_add(&am(), &times(2)), "I7: there is room for two");
        leaving.join().unwrap();
        assert_eq!(used.read(), am(), "I4: at quiet the AM usage is that of the AMs that are there");
    });
}
