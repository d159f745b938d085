//! When what happens in a scenario, and who is handed in: so that a moment and an application can be asked for by what
//! one knows of them.

use super::options::{Asked, ExplainOptions, When};
use super::scenario::list;
use crate::failure::Failure;

/// An application that is handed in.
#[derive(Debug)]
pub(super) struct HandedIn {
    pub(super) step: usize,
    pub(super) app: u32,
    /// Its name in the trace.
    pub(super) job: Option<String>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    /// Where the clock stands after each step, in ms.
    after: Vec<u64>,
    handed_in: Vec<HandedIn>,
}

/// As hours, minutes and seconds.
fn clock(ms: u64) -> String {
    let (seconds, rest) = (ms / 1000, ms % 1000);
    format!("{:02}:{:02}:{:02}.{rest:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

impl Timeline {
    /// The next step: by how much it moves the clock, and whom it hands in.
    pub(super) fn push(&mut self, advance_ms: u64, submitted: Option<(u32, Option<&str>)>) {
        let before = self.after.last().copied().unwrap_or_default();
        if let Some((app, job)) = submitted {
            self.handed_in.push(HandedIn { step: self.after.len(), app, job: job.map(str::to_owned) });
        }
        self.after.push(before.saturating_add(advance_ms));
    }

    /// The application's number and the step that are asked for.
    ///
    /// # Errors
    /// What is not there, and what is.
    pub(super) fn find(&self, name: &str, options: &ExplainOptions) -> Result<(u32, usize), Failure> {
        let app = self.app(name, &options.app)?;
        let step = self.step(name, options.when)?;
        match self.handed_in.iter().find(|one| one.app == app) {
            Some(one) if one.step <= step => Ok((app, step)),
            Some(one) => {
                let at = one.step;
                Err(Failure::input(format!("{name}: application {app} is submitted at step {at}, after step {step}")))
            }
            None => Err(Failure::input(format!(
                "{name}: there is no application {app}; there are: {}",
                list(self.handed_in.iter().map(|one| one.app))
            ))),
        }
    }

    fn app(&self, name: &str, asked: &Asked) -> Result<u32, Failure> {
        let job = match asked {
            Asked::Number(number) => return Ok(*number),
            Asked::Job(job) => job,
        };
        let of_job = |one: &&HandedIn| one.job.as_ref() == Some(job);
        let found: Vec<u32> = self.handed_in.iter().filter(of_job).map(|one| one.app).collect();
        match found[..] {
            [only] => Ok(only),
            [] => {
                let there = list(self.handed_in.iter().filter_map(|one| one.job.as_ref()));
                Err(Failure::input(format!("{name}: there is no job {job:?}; there are: {there}")))
            }
            _ => Err(Failure::input(format!(
                "{name}: several applications are of the job {job:?}; choose one by --app: {}",
                list(found.iter())
            ))),
        }
    }

    fn step(&self, name: &str, when: When) -> Result<usize, Failure> {
        let count = self.after.len();
        match when {
            When::Step(step) if step < count => Ok(step),
            When::Step(step) => {
                let has = if count == 0 { "no steps".to_owned() } else { format!("the steps 0 to {}", count - 1) };
                Err(Failure::input(format!("{name}: there is no step {step}; it has {has}")))
            }
            When::AtMs(at) => {
                let end = self.after.last().copied().unwrap_or_default();
                let until = self.after.partition_point(|after| *after <= at);
                match until.checked_sub(1) {
                    Some(step) if at <= end => Ok(step),
                    Some(_) | None => Err(Failure::input(format!(
                        "{name}: the scenario ends at {}, and {} is asked for; give an earlier time",
                        clock(end),
                        clock(at)
                    ))),
                }
            }
        }
    }

    /// A step with its time.
    pub(super) fn moment(&self, step: usize) -> String {
        format!("step {step} at {}", clock(self.after.get(step).copied().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(app: Asked, when: When) -> Result<(u32, usize), String> {
        let mut timeline = Timeline::default();
        timeline.push(0, None);
        timeline.push(0, Some((7, Some("etl"))));
        timeline.push(60_000, None);
        timeline.push(0, Some((8, None)));
        timeline.push(60_000, None);
        let options = ExplainOptions { file: "f".into(), app, when, scenario: None };
        timeline.find("s", &options).map_err(|failure| failure.message())
    }

    #[test]
    fn moments_and_applications_are_found_by_what_one_knows() {
        let job = |name: &str| Asked::Job(name.to_owned());
        assert_eq!(found(job("etl"), When::AtMs(59_999)), Ok((7, 1)));
        assert_eq!(found(job("etl"), When::AtMs(60_000)), Ok((7, 3)));
        assert_eq!(found(Asked::Number(8), When::AtMs(120_000)), Ok((8, 4)));
        for (app, when, said) in [
            (job("et"), When::Step(1), "s: there is no job \"et\"; there are: etl"),
            (
                job("etl"),
                When::AtMs(120_001),
                "s: the scenario ends at 00:02:00.000, and 00:02:00.001 is asked for; give an earlier time",
            ),
            (Asked::Number(8), When::Step(2), "s: application 8 is submitted at step 3, after step 2"),
            (Asked::Number(9), When::Step(2), "s: there is no application 9; there are: 7, 8"),
            (Asked::Number(7), When::Step(5), "s: there is no step 5; it has the steps 0 to 4"),
        ] {
            assert_eq!(found(app, when).unwrap_err(), said);
        }
    }
}
