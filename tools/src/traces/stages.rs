//! The stages of a job of Alibaba's: what a task waits for, as its name says.
//!
//! `R4_2_3` is stage 4 and begins when all tasks of the stages 2 and 3 have ended; the letters mean nothing. A part
//! `Stg1` is no stage. A name of another form, such as `task_Nzg3` or `MergeTask`, is that of a task that waits for
//! nothing, and nothing waits for it.
//!
//! A stage that is waited for and that the job has no task of counts as ended, and a part of a name that is no number
//! is passed over: both are noted. A job whose stages wait for each other in a circle could never end: it is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::error::At;
use super::held::{Held, Stage};
use super::job::{Note, Refusal};

const FORM: &str = "a name such as R4_2_3 is that of stage 4, which waits for the stages 2 and 3";

/// What a task's name says.
pub(super) fn named(name: &str, at: At) -> Stage {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default();
    let digits = first.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_stage = digits.len() < first.len() && digits.starts_with(|c: char| c.is_ascii_digit());
    let mut stage = Stage { at, ..Stage::default() };
    if !is_stage {
        return stage;
    }
    name.clone_into(&mut stage.name);
    let Ok(number) = digits.parse() else {
        stage.strange = Some(first.to_owned());
        return stage;
    };
    stage.number = Some(number);
    for part in parts.filter(|part| !part.starts_with("Stg")) {
        match part.parse() {
            Ok(other) => stage.waits_for.push(other),
            Err(_) => drop(stage.strange.get_or_insert_with(|| part.to_owned())),
        }
    }
    stage.waits_for.sort_unstable();
    stage.waits_for.dedup();
    stage
}

/// Looks at all stages of a job. Gives what is passed over; what is waited for and not there is taken out.
///
/// # Errors
/// Stages that wait for each other.
pub(super) fn settle(job: &mut Held) -> Result<Vec<Note>, Refusal> {
    let there: BTreeSet<u32> = job.lives.iter().filter_map(|life| life.stage.number).collect();
    let mut noted = Vec::new();
    for stage in job.lives.iter_mut().map(|life| &mut life.stage) {
        if let Some(part) = &stage.strange {
            let said = format!(
                "job {}: {part:?} in the task's name {} is no number of a stage, and is passed over; {FORM}",
                job.id, stage.name
            );
            noted.push(Note { at: stage.at, said });
        }
        let missing = stage.waits_for.extract_if(.., |other| !there.contains(other));
        let missing: Vec<String> = missing.map(|other| other.to_string()).collect();
        if !missing.is_empty() {
            let said = format!(
                "job {}: {} waits for stage {}, of which the trace has no task that begins and ends: it counts as ended",
                job.id,
                stage.name,
                missing.join(" and ")
            );
            noted.push(Note { at: stage.at, said });
        }
    }
    match circle(job) {
        Some(refusal) => Err(refusal),
        None => Ok(noted),
    }
}

/// Takes away stages that wait for nothing that is left, until none goes; what stays waits in a circle, or for one.
fn circle(job: &Held) -> Option<Refusal> {
    let mut left: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for stage in job.lives.iter().map(|life| &life.stage) {
        if let Some(number) = stage.number {
            left.entry(number).or_default().extend(&stage.waits_for);
        }
    }
    let mut follow: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, waits) in &left {
        waits.iter().for_each(|other| follow.entry(*other).or_default().push(*number));
    }
    let mut ended: Vec<u32> = left.iter().filter(|(_, waits)| waits.is_empty()).map(|(number, _)| *number).collect();
    while let Some(number) = ended.pop() {
        left.remove(&number);
        for after in follow.remove(&number).unwrap_or_default() {
            if let Some(waits) = left.get_mut(&after)
                && waits.remove(&number)
                && waits.is_empty()
            {
                ended.push(after);
            }
        }
    }
    let in_it = job.lives.iter().map(|life| &life.stage);
    let mut in_it = in_it.filter(|stage| stage.number.is_some_and(|number| left.contains_key(&number))).peekable();
    let at = in_it.peek()?.at;
    let names: Vec<&str> = in_it.take(5).map(|stage| stage.name.as_str()).collect();
    Some(Refusal {
        at,
        problem: format!("job {}: stages that wait for each other never begin: {}", job.id, names.join(", ")),
        help: format!("{FORM}; no stage may wait for itself, over others or not"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_waits_for_what() {
        let of = |name: &str| {
            let Stage { number, waits_for, strange, .. } = named(name, At::default());
            (number, waits_for, strange)
        };
        assert_eq!(of("M1"), (Some(1), vec![], None));
        assert_eq!(of("R4_3_2_3"), (Some(4), vec![2, 3], None));
        assert_eq!(of("Merge12_7_Stg3"), (Some(12), vec![7], None));
        for independent in ["", "task_Nzg3ODAw==", "task_12", "MergeTask", "12_1", "_1"] {
            assert_eq!(of(independent), (None, vec![], None), "{independent}");
        }
        assert_eq!(of("M2_x_1"), (Some(2), vec![1], Some("x".to_owned())));
        assert_eq!(of("M2__1"), (Some(2), vec![1], Some(String::new())));
        assert_eq!(of("M2a_1"), (None, vec![], Some("M2a".to_owned())));
        assert_eq!(of("M99999999999_1"), (None, vec![], Some("M99999999999".to_owned())));
    }
}
