//! Somebody waits for quiet while a message leads to others, from one worker to the other and back: it is over when all of it is.
#![cfg(loom)]

use evenweave::engine::intake::inbox::Next;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;
use evenweave_loom_tests::workers::world;

fn model(hops: u32) {
    let (world, [mut first, mut second]) = world();
    world.send_inside(0, hops);
    let thread = spawn(move || while first.work_one() == Next::GoOn {});
    world.quiesce(&mut second);
    assert_eq!(world.done(), hops + 1, "I9: at quiet every accepted message was worked off, and what it led to");
    world.stop();
    thread.join().unwrap();
}

/// Claim: I9: who waits for quiet finds an accepted message worked off, and the one that it led to
/// Threads: 2
/// Break: `until_quiet` with one round of barriers -> *I9: at quiet every accepted message was worked off, and what it led
///   to*: 1, not 2
#[test]
fn a_message_that_leads_to_another() {
    check("quiet_vs_messages/a_message_that_leads_to_another", || model(1));
}

/// Claim: I9: who waits for quiet waits for a message that goes there and back for longer than two rounds of barriers
/// Threads: 2
/// Break: `until_quiet` ends after two rounds whatever was counted -> *I9: at quiet every accepted message was worked off,
///   and what it led to*: 3, not 5
#[test]
fn a_message_that_goes_there_and_back() {
    check("quiet_vs_messages/a_message_that_goes_there_and_back", || model(4));
}
