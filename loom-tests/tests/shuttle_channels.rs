//! The channels that stand in for crossbeam's under shuttle: what the runtime relies on, so that a schedule that fails blames the
//! right one.

#![cfg(shuttle)]

use evenweave::sync::channel::{
    Receiver, RecvTimeoutError, Sender, TryRecvError, TrySendError, bounded, never, select, unbounded,
};
use evenweave::sync::time;
use shuttle::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(1);

fn schedules(of: impl Fn() + Send + Sync + Clone + 'static) {
    shuttle::check_random(of.clone(), 1000);
    shuttle::check_pct(of, 1000, 3);
}

fn sender_of(to: &Sender<u32>, messages: std::ops::Range<u32>) -> thread::JoinHandle<()> {
    let to = to.clone();
    thread::spawn(move || messages.for_each(|message| to.send(message).expect("somebody receives")))
}

#[test]
fn each_message_arrives_once_in_its_senders_order() {
    schedules(|| {
        // One of room one, so that senders wait too.
        let ((small, of_small), (large, of_large)) = (bounded(1), unbounded());
        let senders = [sender_of(&small, 0..3), sender_of(&small, 10..13), sender_of(&large, 20..23)];
        drop((small, large));
        let (mut all, mut open) = (Vec::new(), [true; 2]);
        let (mut of_small, mut of_large) = (of_small, of_large);
        while open != [false; 2] {
            select! {
                recv(of_small) -> message => match message {
                    Ok(message) => all.push(message),
                    Err(_) => {
                        open[0] = false;
                        of_small = never();
                    }
                },
                recv(of_large) -> message => match message {
                    Ok(message) => all.push(message),
                    Err(_) => {
                        open[1] = false;
                        of_large = never();
                    }
                },
            }
        }
        for sender in senders {
            sender.join().expect("it has sent");
        }
        for of_one in [0..3, 10..13, 20..23] {
            let told: Vec<u32> = all.iter().copied().filter(|message| of_one.contains(message)).collect();
            assert_eq!(told, of_one.collect::<Vec<_>>());
        }
        assert_eq!(all.len(), 9);
    });
}

#[test]
fn who_is_left_alone_hears_of_it() {
    schedules(|| {
        let (to, from) = bounded::<u32>(1);
        to.try_send(1).expect("there is room");
        assert_eq!(to.try_send(2), Err(TrySendError::Full(2)));
        let waits = thread::spawn(move || to.send(3).is_err());
        // Its message may have come in between, or may not.
        let first = from.recv();
        assert_eq!(first, Ok(1));
        drop(from);
        let _ = waits.join().expect("it does not wait for ever");
        let (to, from) = bounded::<u32>(0);
        assert_eq!(from.try_recv(), Err(TryRecvError::Empty));
        let waits = thread::spawn(move || from.recv_timeout(LONG));
        drop(to);
        assert_eq!(waits.join().expect("it is told"), Err(RecvTimeoutError::Disconnected));
        // An answer that is in a message nobody takes goes with the last receiver.
        let (to, from): (Sender<Sender<()>>, Receiver<Sender<()>>) = unbounded();
        let (reply, answer) = bounded(1);
        to.send(reply).expect("somebody receives");
        let waits = thread::spawn(move || answer.recv().is_err());
        drop(from);
        assert!(waits.join().expect("it is told"));
        assert!(to.send(bounded(1).0).is_err());
    });
}

#[test]
fn time_is_up_when_the_schedule_says_so() {
    schedules(|| {
        let (to, from) = unbounded::<u32>();
        assert_eq!(from.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout));
        let waits = thread::spawn(move || {
            let mut ups = 0;
            loop {
                match from.recv_timeout(LONG) {
                    Err(RecvTimeoutError::Timeout) => ups += 1,
                    Ok(_) => {}
                    Err(RecvTimeoutError::Disconnected) => return ups,
                }
            }
        });
        for message in 0..3 {
            time::pass();
            to.send(message).expect("somebody receives");
        }
        drop(to);
        assert!(waits.join().expect("it ends") <= 3, "it is up as often as time passes, at most");
    });
}
