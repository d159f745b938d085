//! A worker is told to stop while messages lie in its lanes: it works them off first.
#![cfg(loom)]

use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;
use evenweave_loom_tests::workers::world;

/// Claim: I9: a worker that is told to stop works off what was accepted before, and ends
/// Threads: 2
/// Break: `Inbox::batch` ends as soon as it is told -> *I9: what was accepted before the stop is worked off*
/// Break: a later message makes it forget the stop -> *deadlock*
#[test]
fn what_was_accepted_before_the_stop() {
    check("shutdown_vs_messages/what_was_accepted_before_the_stop", || {
        let (world, [mut worker, _]) = world();
        let thread = spawn(move || worker.work());
        world.send(0, 0);
        world.send(0, 0);
        world.send(0, 0);
        world.stop();
        // What others were still at when it was told.
        world.send_inside(0, 0);
        thread.join().unwrap();
        let done = world.done();
        assert!(done == 3 || done == 4, "I9: what was accepted before the stop is worked off");
    });
}
