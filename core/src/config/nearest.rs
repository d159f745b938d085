//! The known name that a misspelt one probably meant. Cost: O(names x length^2), for warnings only.

/// The known name within a third of the length in edits, case aside; the first of the nearest.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    if name.len() > 200 {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (edits(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance * 3 <= candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean X?)`, or nothing.
pub(super) fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|found| format!("; did you mean {found:?}?")).unwrap_or_default()
}

/// Levenshtein's distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slip_of_the_finger_and_nothing_else() {
        assert_eq!(edits("kitten", "sitting"), 3);
        let known = ["weight", "maxRunningApps"];
        assert_eq!(nearest("wieght", known), Some("weight"));
        assert_eq!(nearest("MAXRUNNINGAPPS", known), Some("maxRunningApps"));
        assert_eq!(nearest("bogus", known), None);
    }
}
