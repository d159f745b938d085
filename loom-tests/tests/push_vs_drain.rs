//! A worker pushes grants while the AM drains: each is acquired exactly once, in order, its words whole.
#![cfg(loom)]

use evenweave::flow::mailbox::{Arena, Container, EndReason, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

fn push(arena: &Arena, own: &mut FreeRecords, granted: &Stack, number: u32) -> Container {
    let record = arena.allocate(own).expect("the arena has room");
    let container = Container::of_model(number, record);
    arena.push_granted(granted, record, &container);
    container
}

#[test]
fn two_grants() {
    check("push_vs_drain/two_grants", || {
        let (arena, granted) = (Arc::new(Arena::new(0, 1)), Arc::new(Stack::default()));
        let (worker_arena, worker_granted) = (arena.clone(), granted.clone());
        let worker = spawn(move || {
            let mut own = FreeRecords::default();
            [1, 2].map(|number| push(&worker_arena, &mut own, &worker_granted, number))
        });
        let mut got = Vec::new();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_granted(&granted, || 0, &mut got);
        let pushed = worker.join().unwrap();
        arena.drain_granted(&granted, || 0, &mut got);
        assert_eq!(got, pushed, "I5: each grant is acquired exactly once, in order, its words whole");
    });
}

#[test]
fn a_record_used_again() {
    check("push_vs_drain/a_record_used_again", || {
        let arena = Arc::new(Arena::new(0, 1));
        let (granted, ended) = (Arc::new(Stack::default()), Arc::new(Stack::default()));
        let mut own = FreeRecords::default();
        let first = push(&arena, &mut own, &granted, 1);
        let (worker_arena, worker_granted, worker_ended) = (arena.clone(), granted.clone(), ended.clone());
        let worker = spawn(move || {
            // Both the first and, once its record is free again, the next one end as soon as the AM has them.
            let acquired = worker_arena.acquired_for_ms(0, 0).is_some();
            if acquired {
                worker_arena.push_ended(&worker_ended, 0, EndReason::Completed);
            }
            (acquired, push(&worker_arena, &mut own, &worker_granted, 2))
        });
        let (mut got, mut news) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            arena.drain_granted(&granted, || 0, &mut got);
            arena.drain_ended(&ended, &mut news);
        }
        let (acquired, second) = worker.join().unwrap();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_ended(&ended, &mut news);
        assert_eq!(got, [first, second], "I5: each grant is acquired exactly once, in order, its words whole");
        assert_eq!(news.len(), usize::from(acquired), "the AM is told of each end once");
        assert!(
            news.iter().all(|end| end.id == first.id && end.reason == EndReason::Completed),
            "and of the right one"
        );
    });
}
