//! What is compared: a workload of a size with a peer, and how many times its figures are wanted.

use evenweave_tools::Failure;

use super::sides::Peer;
use crate::options::{Size, WorkloadName};

/// Ratios that are wanted, of wall and of processor time alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target {
    pub(super) must: f64,
    pub(super) aim: Option<f64>,
}

/// One comparison.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) workload: WorkloadName,
    pub(super) size: Size,
    pub(super) peer: Peer,
    pub(super) drivers: u32,
    pub(super) target: Option<Target>,
}

impl Cell {
    /// `W2:S:fair`, with two drivers `W2:S:fair:2`.
    pub(super) fn name(&self) -> String {
        let drivers = if self.drivers == 1 { String::new() } else { format!(":{}", self.drivers) };
        format!("{:?}:{:?}:{}{drivers}", self.workload, self.size, self.peer.name())
    }

    /// Times are compared, not allocations.
    pub(super) fn of_updates(&self) -> bool {
        self.workload == WorkloadName::W3
    }
}

/// Every comparison with one driver, in order.
fn all() -> Vec<Cell> {
    use Peer::{Capacity, Fair, Yunikorn};
    use Size::{L, L10, L50, M, M5, S};
    use WorkloadName::{W1, W2, W3, W4};
    let both = |must, aim| Some(Target { must, aim: Some(aim) });
    let must = |must| Some(Target { must, aim: None });
    [
        (W1, S, Fair, both(40.0, 80.0)),
        (W1, M5, Fair, both(80.0, 200.0)),
        (W1, L10, Fair, None),
        (W2, S, Fair, both(25.0, 60.0)),
        (W2, M, Fair, both(80.0, 150.0)),
        (W2, L, Fair, both(150.0, 250.0)),
        (W1, S, Capacity, both(25.0, 50.0)),
        (W1, M5, Capacity, both(50.0, 100.0)),
        (W1, L10, Capacity, both(60.0, 120.0)),
        (W2, S, Capacity, both(25.0, 50.0)),
        (W2, M, Capacity, both(45.0, 90.0)),
        (W2, L, Capacity, both(60.0, 120.0)),
        (W1, S, Yunikorn, must(200.0)),
        (W1, L10, Yunikorn, must(1_000.0)),
        (W2, S, Yunikorn, must(100.0)),
        (W3, L, Fair, both(20.0, 60.0)),
        (W3, L50, Fair, both(20.0, 60.0)),
        (W4, M, Fair, both(50.0, 150.0)),
        (W4, M, Capacity, both(50.0, 100.0)),
    ]
    .map(|(workload, size, peer, target)| Cell { workload, size, peer, drivers: 1, target })
    .to_vec()
}

/// Those that are asked for; all without words. A second driver is one of W2 and W4 with Hadoop's schedulers.
///
/// # Errors
/// A word that no cell goes by.
pub(super) fn chosen(words: &[String], drivers: &[u32]) -> Result<Vec<Cell>, Failure> {
    let all = all();
    let named = |word: &str, cell: &Cell| {
        let (name, word) = (cell.name().to_ascii_lowercase(), word.trim().to_ascii_lowercase());
        name == word || name.starts_with(&format!("{word}:"))
    };
    if let Some(word) = words.iter().find(|word| !all.iter().any(|cell| named(word, cell))) {
        let names: Vec<String> = all.iter().map(Cell::name).collect();
        return Err(Failure::input(format!(
            "--cells {word}: no comparison is named so; there are {}",
            names.join(", ")
        )));
    }
    let asked = |cell: &&Cell| words.is_empty() || words.iter().any(|word| named(word, cell));
    let two = |cell: &Cell| matches!(cell.workload, WorkloadName::W2 | WorkloadName::W4) && cell.peer != Peer::Yunikorn;
    let cells: Vec<Cell> = [1, 2]
        .into_iter()
        .filter(|count| drivers.contains(count))
        .flat_map(|drivers| {
            let fits = all.iter().filter(asked).filter(move |cell| drivers == 1 || two(cell));
            fits.map(move |cell| Cell { drivers, ..cell.clone() })
        })
        .collect();
    if cells.is_empty() {
        return Err(Failure::input("--drivers 2: a second driver is one of W2 and W4 with Hadoop's schedulers"));
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str], drivers: &[u32]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        chosen(&words, drivers).unwrap().iter().map(Cell::name).collect()
    }

    #[test]
    fn cells_are_chosen_by_the_beginning_of_their_names() {
        assert_eq!(names(&[], &[1]).len(), 19);
        assert_eq!(names(&["w1:m5"], &[1]), ["W1:M5:fair", "W1:M5:capacity"]);
        assert_eq!(names(&["W2:S"], &[1]), ["W2:S:fair", "W2:S:capacity", "W2:S:yunikorn"]);
        // Not the cells of L10 and L50.
        assert_eq!(names(&["W2:L", "W3:L"], &[1]), ["W2:L:fair", "W2:L:capacity", "W3:L:fair"]);
        assert_eq!(names(&["W2:S"], &[1, 2])[3..], ["W2:S:fair:2", "W2:S:capacity:2"]);
        assert_eq!(names(&["W3", "W4"], &[2]), ["W4:M:fair:2", "W4:M:capacity:2"]);
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        let says = |words: &[&str], drivers: &[u32]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            match chosen(&words, drivers) {
                Err(Failure::Input(message)) => message,
                other => panic!("{other:?}"),
            }
        };
        assert!(says(&["W1", "W5"], &[1]).contains("--cells W5") && says(&["W5"], &[1]).contains("W1:S:fair, W1:M5"));
        assert!(says(&["W3"], &[2]).contains("second driver"));
    }
}
