//! What the log says: which targets at which level, changed while the server runs.

use std::collections::BTreeMap;
use std::fmt;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt as written, reload};

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// An object a line.
    Json,
}

/// Levels by target: `evenweave_server=debug,info`. Those of the longest target that a line's begins with hold.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Levels {
    otherwise: LevelFilter,
    by_target: BTreeMap<String, LevelFilter>,
}

impl Levels {
    fn read(text: &str) -> Result<Levels, String> {
        let mut levels = Levels { otherwise: LevelFilter::OFF, by_target: BTreeMap::new() };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some((target, level)) => {
                    levels.by_target.insert(target_of(target)?.to_owned(), level_of(level)?);
                }
                None => levels.otherwise = level_of(part)?,
            }
        }
        Ok(levels)
    }

    fn of(&self, target: &str) -> LevelFilter {
        let is_above =
            |above: &str| target == above || target.strip_prefix(above).is_some_and(|rest| rest.starts_with("::"));
        let nearest = self.by_target.iter().filter(|(above, _)| is_above(above)).max_by_key(|(above, _)| above.len());
        nearest.map_or(self.otherwise, |(_, level)| *level)
    }

    fn targets(&self) -> Targets {
        let by_target = self.by_target.iter().map(|(target, level)| (target.clone(), *level));
        Targets::new().with_default(self.otherwise).with_targets(by_target)
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.by_target.iter().try_for_each(|(target, level)| write!(f, "{target}={level},"))?;
        write!(f, "{}", self.otherwise)
    }
}

/// A target is a path of Rust's modules.
fn target_of(text: &str) -> Result<&str, String> {
    let text = text.trim();
    let is_one = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match text.len() <= 256 && text.split("::").all(is_one) {
        true => Ok(text),
        false => {
            Err(format!("{text:?} is no target of the log: it is a path of modules, such as evenweave_server::rest"))
        }
    }
}

/// Our words, and those of log4j.
fn level_of(text: &str) -> Result<LevelFilter, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "off" => Ok(LevelFilter::OFF),
        "error" | "fatal" => Ok(LevelFilter::ERROR),
        "warn" | "warning" => Ok(LevelFilter::WARN),
        "info" => Ok(LevelFilter::INFO),
        "debug" => Ok(LevelFilter::DEBUG),
        "trace" | "all" => Ok(LevelFilter::TRACE),
        _ => Err(format!("{text:?} is no level of the log: it is off, error, warn, info, debug or trace")),
    }
}

/// The log of the process, whose levels can be changed.
pub struct Logging {
    levels: Mutex<Levels>,
    handle: reload::Handle<Targets, Registry>,
}

impl fmt::Debug for Logging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logging").field("levels", &self.levels()).finish_non_exhaustive()
    }
}

impl Logging {
    /// Begins to write the log of the process to standard error. `levels` is what `RUST_LOG` has:
    /// `evenweave_server=debug,info`.
    ///
    /// # Errors
    /// A sentence, where the levels cannot be read or somebody writes the log already.
    pub fn start(levels: &str, format: LogFormat) -> Result<Arc<Logging>, String> {
        let levels = Levels::read(levels)?;
        let (filter, handle) = reload::Layer::new(levels.targets());
        let lines = written::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
        let lines = match format {
            LogFormat::Text => lines.boxed(),
            LogFormat::Json => lines.json().with_ansi(false).boxed(),
        };
        let all = tracing_subscriber::registry().with(lines.with_filter(filter));
        all.try_init().map_err(|_| "the log of this process is written by somebody else already".to_owned())?;
        Ok(Arc::new(Logging { levels: Mutex::new(levels), handle }))
    }

    /// What is written: `evenweave_server=debug,info`.
    #[must_use]
    pub fn levels(&self) -> String {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner).to_string()
    }

    /// The level that holds for a target.
    ///
    /// # Errors
    /// A sentence, where it is none.
    pub fn level(&self, target: &str) -> Result<String, String> {
        let target = target_of(target)?;
        Ok(self.levels.lock().unwrap_or_else(PoisonError::into_inner).of(target).to_string().to_uppercase())
    }

    /// Writes by other levels from now on.
    ///
    /// # Errors
    /// A sentence: nothing has changed.
    pub fn set_levels(&self, levels: &str) -> Result<(), String> {
        let new = Levels::read(levels)?;
        self.change(|levels| *levels = new)
    }

    /// Gives a target, and what is below it, a level from now on.
    ///
    /// # Errors
    /// A sentence: nothing has changed.
    pub fn set_level(&self, target: &str, level: &str) -> Result<(), String> {
        let (target, level) = (target_of(target)?.to_owned(), level_of(level)?);
        self.change(|levels| {
            levels.by_target.insert(target, level);
        })
    }

    fn change(&self, change: impl FnOnce(&mut Levels)) -> Result<(), String> {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = levels.clone();
        change(&mut new);
        if new.by_target.len() > MAX_TARGETS {
            return Err(format!("{MAX_TARGETS} targets of the log have levels of their own already"));
        }
        self.handle.reload(new.targets()).map_err(|error| error.to_string())?;
        *levels = new;
        Ok(())
    }
}

/// Each line is held against all of them.
const MAX_TARGETS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_target_counts() {
        let levels = Levels::read("evenweave=info, evenweave::engine=debug,warn").expect("levels");
        assert_eq!(levels.of("evenweave::engine::control"), LevelFilter::DEBUG);
        assert_eq!(levels.of("evenweave::engines"), LevelFilter::INFO);
        assert_eq!(levels.of("evenweave_server"), LevelFilter::WARN);
        assert_eq!(levels.to_string(), "evenweave=info,evenweave::engine=debug,warn");
    }

    #[test]
    fn what_is_no_level_is_told() {
        for (text, why) in [("loud", "no level"), ("a=", "no level"), ("=info", "no target"), ("a b=info", "no target")]
        {
            assert!(Levels::read(text).unwrap_err().contains(why), "{text}");
        }
        assert_eq!(Levels::read("").expect("nothing").otherwise, LevelFilter::OFF);
    }
}
