//! What the arguments of several commands are read as.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use evenweave_bench::options::CoreChoice;
pub(crate) use evenweave_tools::amounts::{interval, span};
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::site::SiteOptions;

/// A word of the command line, what stands for, and what `--help` says of it.
pub(crate) type Word<T> = (&'static str, T, &'static str);

/// Reads one of some words, in small letters or capital ones where the argument says so.
pub(crate) fn one_of<T>(words: &'static [Word<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let possible = words.iter().map(|(word, _, help)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(possible).map(|said| {
        let meant = words.iter().find(|(word, ..)| word.eq_ignore_ascii_case(&said));
        meant.expect("the parser takes no other word").1
    })
}

/// Which scheduler is driven.
pub(crate) const CORES: &[Word<CoreChoice>] = &[
    ("threaded", CoreChoice::Threaded, "The scheduler on threads"),
    (
        "locked",
        CoreChoice::Locked,
        "Its simple twin: one thread behind one lock; it sorts all children for each container",
    ),
];

pub(crate) const SCHEDULERS: &[Word<SchedulerChoice>] = &[
    ("fair", SchedulerChoice::Fair, "The FairScheduler"),
    ("capacity", SchedulerChoice::Capacity, "The CapacityScheduler"),
];

/// Where properties come from.
#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// Site file (yarn-site.xml). May be given more than once; a later file overrides an earlier one [default: bundled
    /// properties].
    #[arg(long, value_name = "FILE")]
    site: Vec<PathBuf>,
    /// Set a property; it overrides all site files. May be given more than once.
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_property)]
    properties: Vec<(String, String)>,
}

impl SiteArgs {
    pub(crate) fn options(self) -> SiteOptions {
        SiteOptions { site: self.site, properties: self.properties }
    }
}

fn parse_property(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a property is NAME=VALUE, for example yarn.scheduler.fair.max.assign=4".to_owned()),
    }
}

pub(crate) fn workers(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=256) => Ok(count),
        _ => Err("the number of workers is 1 to 256".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_have_a_name() {
        assert_eq!(parse_property("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert_eq!(parse_property("d="), Ok(("d".to_owned(), String::new())));
        assert!(parse_property("=x").is_err() && parse_property("x").is_err());
    }
}
