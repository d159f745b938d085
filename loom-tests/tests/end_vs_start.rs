//! One application runs, others wait for its place, and the first of these ends at the same time: nothing of it is left, and the next one runs.
#![cfg(loom)]

use evenweave::engine::books::attempt_end::End;
use evenweave::sync::channel::{Receiver, Sender, unbounded};
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;
use std::collections::VecDeque;

const APPS: usize = 3;

/// What comes over the control's lane. Applications by number.
#[derive(Clone, Copy, Debug)]
enum ToControl {
    /// It is to end.
    Finish(usize),
    /// The worker has ended what it had of it.
    Ended(usize),
}

/// What comes over the worker's lane.
#[derive(Clone, Copy, Debug)]
enum ToWorker {
    Close(usize),
    Starts(usize),
    Over(usize),
    Stop,
}

/// Whom its leaf queue has in its lists.
struct Worker {
    lane: Receiver<ToWorker>,
    control: Sender<ToControl>,
    listed: [bool; APPS],
}

impl Worker {
    fn work(mut self) -> [bool; APPS] {
        loop {
            match self.lane.recv() {
                ToWorker::Close(app) => {
                    self.listed[app] = false;
                    self.control.send(ToControl::Ended(app)).unwrap();
                }
                ToWorker::Starts(app) => self.listed[app] = true,
                ToWorker::Over(app) => {
                    assert!(!self.listed[app], "I5: nothing of an application is left when it is over");
                }
                ToWorker::Stop => return self.listed,
            }
        }
    }
}

/// As the control keeps them: one may run at a time.
struct Control {
    worker: Sender<ToWorker>,
    ends: [End<()>; APPS],
    running: Option<usize>,
    waiting: VecDeque<usize>,
}

impl Control {
    fn hear(&mut self, message: ToControl) {
        match message {
            ToControl::Finish(app) => {
                self.ends[app].begin(1, ());
                self.tell(ToWorker::Close(app));
            }
            ToControl::Ended(app) => {
                if self.ends[app].acknowledge().is_some() {
                    self.waiting.retain(|other| *other != app);
                    if self.running == Some(app) {
                        self.running = self.waiting.iter().copied().find(|app| self.ends[*app].lets_start());
                        self.waiting.retain(|other| Some(*other) != self.running);
                        self.running.into_iter().for_each(|app| self.tell(ToWorker::Starts(app)));
                    }
                    self.tell(ToWorker::Over(app));
                }
            }
        }
    }

    fn tell(&self, message: ToWorker) {
        self.worker.send(message).unwrap();
    }
}

/// Claim: I5, I7: one that waits for the place of another, and ends while that ends, leaves nothing behind, and the next one has the place
/// Threads: 3
/// Break: `End::lets_start` is always true -> *I5: nothing of an application is left when it is over*
/// Break: it is always false -> *I7: the next one runs*
#[test]
fn one_that_waits_ends_with_the_one_that_runs() {
    check("end_vs_start/one_that_waits_ends_with_the_one_that_runs", || {
        let (to_worker, lane) = unbounded();
        let (to_control, mail) = unbounded();
        let worker = Worker { lane, control: to_control.clone(), listed: [true, false, false] };
        let worker = spawn(move || worker.work());
        to_control.send(ToControl::Finish(0)).unwrap();
        let caller = spawn(move || to_control.send(ToControl::Finish(1)).unwrap());
        let mut control = Control {
            worker: to_worker,
            ends: [0; APPS].map(|_| End::far()),
            running: Some(0),
            waiting: [1, 2].into(),
        };
        // Two calls, and two answers of the worker.
        (0..4).for_each(|_| control.hear(mail.recv()));
        control.tell(ToWorker::Stop);
        let listed = worker.join().unwrap();
        caller.join().unwrap();
        assert_eq!((control.running, control.waiting.len()), (Some(2), 0), "I7: the next one runs");
        assert_eq!(listed, [false, false, true], "I7: the next one runs, and nobody else");
    });
}
