use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SIZE: Resource = Resource::new(1024, 1);

fn rows(several_workers: bool, locations: impl IntoIterator<Item = (u32, u32)>) -> LocationRows {
    let mut rows = LocationRows::new(several_workers);
    for (location, count) in locations {
        rows.replace(location, &SIZE, true, count);
    }
    rows
}

#[test]
fn few_and_many_are_found_again() {
    for several in [false, true] {
        let mut rows = rows(several, []);
        assert!(rows.is_empty() && rows.get(1).is_none() && rows.sizes().next().is_none());
        for location in 0..40_u32 {
            rows.replace(7 * location, &SIZE, true, location);
            for known in 0..=location {
                assert_eq!(rows.get(7 * known).map(|row| row.left()), Some(known));
            }
            assert!(rows.get(7 * location + 1).is_none() && rows.pending(7 * location + 1).is_none());
        }
        rows.replace(14, &SIZE, true, 100);
        assert_eq!((rows.get(14).map(|row| row.left()), rows.iter().count()), (Some(100), 40));
        assert!(rows.iter().map(|row| row.location).eq((0..40).map(|location| 7 * location)));
        rows.clear();
        assert!(rows.is_empty() && rows.get(14).is_none());
    }
}

#[test]
fn what_is_counted_down_is_not_present() {
    for several in [false, true] {
        for count in [5, 40] {
            let mut rows = rows(several, (0..count).map(|location| (location, 1)));
            for location in (0..count).rev() {
                assert!(rows.any_present() && rows.present(location).is_some());
                assert_eq!(rows.take_one(location), Some(true));
                assert!(rows.present(location).is_none() && rows.take_one(location).is_none());
            }
            assert!(!rows.any_present());
            // The AM says 0: then it is there until a unit that came back is taken.
            rows.replace(3, &SIZE, true, 0);
            assert!(rows.any_present() && rows.present(3).is_some() && rows.pending(3).is_none());
            rows.put_back(3, &SIZE, false);
            assert!(rows.take_one(3) == Some(false) && !rows.any_present());
            rows.undo_take(3);
            assert!(rows.any_present() && rows.pending(3).is_some());
            assert!(rows.take_one(3).is_some() && rows.take_one(count).is_none() && !rows.any_present());
        }
    }
}

#[test]
fn what_is_left_is_pending_until_it_is_taken() {
    for several in [false, true] {
        let mut rows = rows(several, []);
        assert!(rows.pending(5).is_none());
        for location in [5, 700, 64, 3, 1000].into_iter().chain(12..30) {
            rows.replace(location, &SIZE, true, 1);
        }
        for location in [5, 700, 16] {
            assert!(rows.pending(location).is_some() && rows.take_one(location).is_some());
            assert!(rows.pending(location).is_none() && rows.pending(location + 1000).is_none());
            rows.replace(location, &SIZE, true, 2);
            assert_eq!(rows.pending(location).map(|row| row.left()), Some(2));
        }
        assert!(rows.pending(3).is_some() && rows.pending(4).is_none());
    }
}

#[test]
fn one_row_that_is_not_relaxed_is_noticed() {
    let mut rows = rows(false, [(1, 1)]);
    assert!(!rows.any_strict());
    rows.replace(1, &SIZE, false, 1);
    assert!(rows.any_strict());
    rows.clear();
    rows.put_back(1, &SIZE, false);
    assert!(rows.any_strict());
}

#[test]
fn each_row_has_its_size() {
    let large = Resource::new(2048, 1);
    let mut rows = rows(false, (0..20).map(|location| (location, 1)));
    rows.replace(7, &large, true, 1);
    rows.put_back(30, &large, true);
    let size = |rows: &LocationRows, location| rows.get(location).map(|row| *row.size());
    assert_eq!([6, 7, 30].map(|location| size(&rows, location)), [SIZE, large, large].map(Some));
    assert!(rows.sizes().eq([&SIZE, &large, &large]));
    rows.replace(7, &SIZE, true, 1);
    assert_eq!((size(&rows, 7), rows.sizes().count()), (Some(SIZE), 2));
}

/// Every worker takes of one count, until the ask is of another kind: then only who knows of that.
#[test]
fn what_one_worker_tells_another_takes_of_the_same_count() {
    let mut home = rows(true, [(4, 2)]);
    let mut other = LocationRows::new(true);
    other.learn(4, &SIZE, true, &home.shared_count(4).unwrap());
    assert!(other.take_one(4) == Some(true) && home.pending(4).is_some_and(|row| row.left() == 1));
    assert!(!home.replace(4, &SIZE, true, 3), "seen where it lies");
    assert!(other.take_one(4) == Some(true) && home.pending(4).is_some_and(|row| row.left() == 2));
    assert!(home.replace(4, &SIZE, false, 5), "of another kind");
    other.undo_take(4);
    assert!(other.take_one(4).is_none() && home.take_one(4).is_some());
    other.learn(4, &SIZE, false, &home.shared_count(4).unwrap());
    assert_eq!((other.take_one(4), home.pending(4).map(|row| row.left())), (Some(false), Some(3)));
    assert!(!home.replace(4, &SIZE, false, 0) && other.present(4).is_some(), "the AM has said 0");
    assert!(home.shared_count(5).is_none() && rows(false, [(4, 2)]).shared_count(4).is_none());
}

#[test]
fn counts_of_any_size_go_up_and_down() {
    for several in [false, true] {
        let counts = |rows: &LocationRows| rows.iter().map(|row| row.left()).collect::<Vec<_>>();
        let mut rows = rows(several, (0..5_000).map(|location| (location, location)));
        assert!(counts(&rows).into_iter().eq(0..5_000));
        rows.replace(7, &SIZE, true, 4_094);
        for left in [4_095, 4_096, 4_097] {
            rows.put_back(7, &SIZE, true);
            assert_eq!(rows.pending(7).map(|row| row.left()), Some(left));
        }
        for left in (4_094..4_097).rev() {
            assert!(rows.take_one(7).is_some() && rows.get(7).is_some_and(|row| row.left() == left));
        }
        rows.replace(8, &SIZE, true, u32::MAX);
        rows.put_back(8, &SIZE, true);
        assert_eq!(counts(&rows)[7..10], [4_094, u32::MAX, 9]);
    }
}

/// What is undone by one worker is there for the others again.
#[test]
fn what_another_worker_hands_back_is_pending() {
    let mut home = rows(true, (0..20).map(|location| (location, 1)));
    let mut other = LocationRows::new(true);
    for location in 0..20 {
        other.learn(location, &SIZE, true, &home.shared_count(location).unwrap());
    }
    assert!(home.take_one(4).is_some() && other.pending(4).is_none());
    home.undo_take(4);
    assert!(other.pending(4).is_some());
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Replace(u32, u32),
    PutBack(u32),
    /// By the home worker or the other one, of the location; and, if so, handed back at once.
    Take(bool, u32, bool),
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    let location = 0..40_u32;
    prop_oneof![
        4 => (location.clone(), 0..4_u32).prop_map(|(location, count)| Op::Replace(location, count)),
        2 => location.clone().prop_map(Op::PutBack),
        6 => (any::<bool>(), location, any::<bool>()).prop_map(|(home, at, undo)| Op::Take(home, at, undo)),
        1 => Just(Op::Clear),
    ]
}

proptest! {
    /// Rows are what a plain table of counts is: alone, and where another worker takes of them too.
    #[test]
    fn rows_are_a_table(several in any::<bool>(), ops in proptest::collection::vec(op(), 1..200)) {
        let (mut home, mut other) = (LocationRows::new(several), LocationRows::new(true));
        let mut table = BTreeMap::new();
        for op in ops {
            let news = match op {
                Op::Replace(location, count) => {
                    home.replace(location, &SIZE, true, count);
                    table.insert(location, count);
                    Some(location)
                }
                Op::PutBack(location) => {
                    home.put_back(location, &SIZE, true);
                    *table.entry(location).or_insert(0) += 1;
                    Some(location)
                }
                Op::Take(by_home, location, undo) => {
                    let rows = if by_home || !several { &mut home } else { &mut other };
                    let left = table.get_mut(&location).filter(|left| **left > 0);
                    prop_assert_eq!(rows.take_one(location).is_some(), left.is_some());
                    if let Some(left) = left {
                        *left -= 1;
                        if undo {
                            // Between the two the others look.
                            prop_assert_eq!(home.pending(location).is_some(), *left > 0);
                            prop_assert!(!several || other.pending(location).is_some() == (*left > 0));
                            *left += 1;
                            if by_home || !several { &mut home } else { &mut other }.undo_take(location);
                        }
                    }
                    None
                }
                Op::Clear => {
                    home.clear();
                    other.clear();
                    table.clear();
                    None
                }
            };
            if let (true, Some(location)) = (several, news) {
                other.learn(location, &SIZE, true, &home.shared_count(location).unwrap());
            }
            let views = if several { vec![&home, &other] } else { vec![&home] };
            for (location, rows) in (0..40).flat_map(|location| views.iter().map(move |rows| (location, rows))) {
                let left = table.get(&location).copied();
                prop_assert_eq!(rows.get(location).map(|row| row.left()), left);
                prop_assert_eq!(rows.pending(location).is_some(), left > Some(0));
                prop_assert!(left.unwrap_or(0) == 0 || rows.present(location).is_some());
            }
            prop_assert_eq!(home.is_empty(), table.is_empty());
        }
    }
}
