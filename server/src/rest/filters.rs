//! Which applications somebody asks for.

use std::collections::HashSet;

use super::errors::Fault;
use super::request::Asked;
use crate::manager::ResourceManager;
use crate::records::AppRecord;
use crate::scheduler::Kind;

/// Hadoop's names of states, in the order of its enumeration of them where it lists them.
pub(crate) const APP_STATES: [&str; 8] =
    ["NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"];

const FINAL_STATUSES: [&str; 5] = ["UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"];

const NOT_SELECTED: [&str; 5] =
    ["resourceRequests", "timeouts", "appNodeLabelExpression", "amNodeLabelExpression", "resourceInfo"];

/// The states that a parameter lists; none where it is not there.
pub(crate) fn wanted_app_states(asked: &Asked, parameter: &str) -> Result<Vec<&'static str>, Fault> {
    let mut wanted = Vec::new();
    for given in
        asked.queries(parameter).flat_map(|value| value.split(',')).map(str::trim).filter(|one| !one.is_empty())
    {
        let state = APP_STATES.into_iter().find(|state| state.eq_ignore_ascii_case(given));
        let all = APP_STATES.join(", ");
        wanted.push(state.ok_or_else(|| {
            Fault::bad_request(format_args!("Invalid application-state {given} specified. It should be one of [{all}]"))
        })?);
    }
    Ok(wanted)
}

/// What is to be left out of the answer.
pub(crate) fn without(asked: &Asked) -> Result<HashSet<&'static str>, Fault> {
    let mut left_out = HashSet::new();
    for given in
        asked.queries("deSelects").flat_map(|value| value.split(',')).map(str::trim).filter(|one| !one.is_empty())
    {
        let name = NOT_SELECTED.into_iter().find(|name| name.eq_ignore_ascii_case(given));
        let all = NOT_SELECTED.join(", ");
        left_out.insert(name.ok_or_else(|| {
            Fault::bad_request(format_args!("Invalid deSelects string {given} specified. It should be one of [{all}]"))
        })?);
    }
    Ok(left_out)
}

/// A span of time.
struct Span {
    begin: u64,
    end: u64,
}

impl Span {
    fn asked(asked: &Asked, begin: &str, end: &str, short_begin: &str) -> Result<Span, Fault> {
        let bound = |name: &str, otherwise: u64| match asked.query(name) {
            None => Ok(otherwise),
            Some(text) => {
                let number = text.parse::<i64>();
                let number = number.map_err(|_| Fault::bad_request(format_args!("{name} value must be a number!")))?;
                u64::try_from(number).map_err(|_| Fault::bad_request(format_args!("{name} must be greater than 0")))
            }
        };
        let span = Span { begin: bound(begin, 0)?, end: bound(end, i64::MAX.unsigned_abs())? };
        if span.begin > span.end {
            return Err(Fault::bad_request(format_args!("{end} must be greater than {short_begin}")));
        }
        Ok(span)
    }

    fn has(&self, ms: u64) -> bool {
        (self.begin..=self.end).contains(&ms)
    }
}

/// What `/apps` is asked for.
pub(crate) struct Filter {
    states: Vec<&'static str>,
    status: Option<String>,
    user: Option<String>,
    queue: Option<String>,
    by_leaf_name: bool,
    name: Option<String>,
    kinds: Vec<String>,
    tags: Vec<String>,
    started: Span,
    finished: Span,
    pub(crate) limit: usize,
    pub(crate) without: HashSet<&'static str>,
}

impl Filter {
    pub(crate) fn asked(of: &ResourceManager, asked: &Asked) -> Result<Filter, Fault> {
        let limit = match asked.query("limit") {
            None => usize::MAX,
            Some(text) => {
                let number: i64 = text.parse().map_err(|_| Fault::bad_request("limit value must be a number!"))?;
                usize::try_from(number)
                    .ok()
                    .filter(|limit| *limit > 0)
                    .ok_or_else(|| Fault::bad_request("limit value must be greater then 0"))?
            }
        };
        let started = Span::asked(asked, "startedTimeBegin", "startedTimeEnd", "startTimeBegin")?;
        let finished = Span::asked(asked, "finishedTimeBegin", "finishedTimeEnd", "finishedTimeBegin")?;
        let mut states = wanted_app_states(asked, "states")?;
        states.extend(wanted_app_states(asked, "state")?);
        let without = without(asked)?;
        let status = asked.query("finalStatus").map(str::to_owned);
        if let Some(status) = status.as_ref().filter(|status| !FINAL_STATUSES.contains(&status.as_str())) {
            return Err(Fault::illegal_argument(format!(
                "No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.{status}"
            )));
        }
        let by_leaf_name = of.scheduler().basics().kind == Kind::Capacity;
        if let Some(queue) = asked.query("queue").filter(|queue| by_leaf_name && !of.scheduler().has_queue(queue)) {
            return Err(Fault::bad_request(format_args!("Unknown queue: {queue}")));
        }
        Ok(Filter {
            states,
            status,
            user: asked.query("user").map(str::to_owned),
            queue: asked.query("queue").map(str::to_owned),
            by_leaf_name,
            name: asked.query("name").map(str::to_owned),
            kinds: asked.words("applicationTypes"),
            tags: asked.words("applicationTags"),
            started,
            finished,
            limit,
            without,
        })
    }

    pub(crate) fn takes(&self, app: &AppRecord) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
        let in_queue = self.queue.as_deref().is_none_or(|wanted| self.is_in(wanted, app));
        in_queue
            && (self.states.is_empty() || self.states.contains(&app.state.name()))
            && is(&self.status, app.status.name())
            && is(&self.user, &app.user)
            && is(&self.name, &app.name)
            && (self.kinds.is_empty() || self.kinds.contains(&app.kind.trim().to_lowercase()))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| app.tags.contains(tag)))
            && self.started.has(app.started_ms)
            && self.finished.has(app.finished_ms)
    }

    /// Whether an application is in the queue of a name, or while its scheduler has it, in one below that.
    fn is_in(&self, wanted: &str, app: &AppRecord) -> bool {
        let is_named = |path: &str| {
            path == wanted || self.by_leaf_name && path.rsplit('.').next().is_some_and(|last| last == wanted)
        };
        if is_named(&app.queue) {
            return true;
        }
        let lives = app.attempt.is_some() && !app.state.is_over();
        // The FairScheduler takes a name without its root.
        let is_above = |path: &str| is_named(path) || !self.by_leaf_name && path.strip_prefix("root.") == Some(wanted);
        let ends = app.queue.match_indices('.').map(|(at, _)| at).chain([app.queue.len()]);
        lives && ends.map(|end| &app.queue[..end]).any(is_above)
    }
}
