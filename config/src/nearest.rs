//! The known name that a misspelt one probably meant.
//!
//! For warnings only, but a file can have as many of these as it has lines: what cannot be near is not compared, so the
//! cost is that of the middles that differ between names of about one length.

/// The known name within a third of the length in edits, case aside; the first of the nearest.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    if name.len() > 200 {
        return None;
    }
    let length = name.chars().count();
    known
        .into_iter()
        // As many edits as the lengths differ by are needed at least.
        .filter(|candidate| length.abs_diff(candidate.chars().count()) * 3 <= candidate.len())
        .map(|candidate| (edits(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance * 3 <= candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters added, removed, replaced, or swapped with their neighbour (the optimal string alignment distance).
pub(super) fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // What is alike at both ends needs no edit.
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // The row before the last one, for swaps.
    let mut older = row.clone();
    for (i, x) in a.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let mut least = (row[j] + usize::from(x != y)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(older[j - 1] + 1);
            }
            next.push(least);
        }
        older = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slip_of_the_finger_and_nothing_else() {
        for (a, b, distance) in [
            ("kitten", "sitting", 3),
            ("nmae", "name", 1),
            ("ba", "ab", 1),
            ("", "ab", 2),
            ("aa", "aaa", 1),
            ("axb", "ab", 1),
            ("a", "a", 0),
        ] {
            assert_eq!((edits(a, b), edits(b, a)), (distance, distance), "{a} {b}");
        }
        let known = ["weight", "maxRunningApps"];
        assert_eq!(nearest("wieght", known), Some("weight"));
        assert_eq!(nearest("nmae", ["name"]), Some("name"));
        assert_eq!(nearest("MAXRUNNINGAPPS", known), Some("maxRunningApps"));
        assert_eq!(nearest("bogus", known), None);
    }
}
