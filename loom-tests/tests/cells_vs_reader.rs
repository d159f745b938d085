//! Two workers count usage, each in its own cell, while a third thread adds the cells up.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::books::usage::UsageCell;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

const TYPES: usize = 2;

fn sum(cells: &[UsageCell; 2]) -> Resource {
    cells.iter().fold(Resource::ZERO, |sum, cell| sum.plus(&cell.read()))
}

/// Claim: I4: who adds up the cells of two workers that count finds values that stood, and at quiet the usage
/// Threads: 3
/// Break: `UsageCell::add` stores the amount -> *I4: at quiet the sum of the cells is the usage*: 4, not 6
/// Break: it empties the cell first -> *I4: what was seen is not unseen*
#[test]
fn a_sum_while_they_move() {
    check("cells_vs_reader/a_sum_while_they_move", || {
        let cells: Arc<[UsageCell; 2]> = Arc::default();
        let workers = [0, 1].map(|worker| {
            let cells = cells.clone();
            spawn(move || {
                cells[worker].add(TYPES, &Resource::new(2, 1));
                if worker == 0 {
                    cells[worker].add(TYPES, &Resource::new(2, 1));
                }
            })
        });
        let (before, after) = (sum(&cells), sum(&cells));
        let stood = |sum: &Resource| (0..=3).contains(&sum.get(1)) && [0, 2, 4, 6].contains(&sum.get(0));
        assert!(stood(&before) && stood(&after), "I4: each word of a sum is made of values that stood");
        assert!(before.fits_in(&after), "I4: what was seen is not unseen");
        for worker in workers {
            worker.join().unwrap();
        }
        assert_eq!(sum(&cells), Resource::new(6, 3), "I4: at quiet the sum of the cells is the usage");
    });
}
