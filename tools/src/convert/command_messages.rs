//! What people are told of a conversion.

use std::fmt::Write as _;

use super::checks::YARN_SITE;
use super::command_line::usage;
use super::exit::{Ended, Kind, Ran};
use crate::api::Weight;

impl Ran {
    /// What goes to standard output: the files where they are printed, and the options where they are asked for.
    #[must_use]
    pub fn output(&self) -> String {
        if self.help && self.ended.is_none() {
            return usage();
        }
        let mut out = String::new();
        for (name, text) in &self.console {
            // As Hadoop lays it out.
            if *name == YARN_SITE {
                out.push('\n');
            }
            // Writing to a text cannot fail.
            let _ = writeln!(out, "======= {name} =======");
            out.push_str(text);
            if !text.ends_with('\n') {
                out.push('\n');
            }
        }
        out
    }

    /// What goes to standard error: warnings, what changes in meaning, and why it ended.
    #[must_use]
    pub fn said(&self) -> String {
        let mut out = String::new();
        let mut say = |line: std::fmt::Arguments<'_>| {
            // Writing to a text cannot fail.
            let _ = writeln!(out, "{line}");
        };
        for notice in &self.notices {
            say(format_args!("FairScheduler says: {notice}"));
        }
        for warning in &self.warnings {
            say(format_args!("warning: {warning}"));
        }
        if let Some(dry_run) = &self.dry_run {
            say(format_args!("Results of dry run:"));
            say(format_args!("Number of errors: {}", dry_run.errors.len()));
            say(format_args!("Number of warnings: {}", dry_run.warnings.len()));
            let verification = if dry_run.verification_failed { "FAILED" } else { "PASSED" };
            say(format_args!("Verification result: {verification}"));
            for (title, list) in [("errors", &dry_run.errors), ("warnings", &dry_run.warnings)] {
                if !list.is_empty() {
                    say(format_args!("List of {title}:"));
                    list.iter().for_each(|text| say(format_args!("{text}")));
                }
            }
        }
        if !self.changes.is_empty() {
            for (weight, title) in [
                (Weight::Harm, "This does harm, or does not work:"),
                (Weight::Different, "This is different from before:"),
                (Weight::Note, "To be known:"),
            ] {
                let changes: Vec<_> = self.changes.iter().filter(|change| change.weight == weight).collect();
                if !changes.is_empty() {
                    say(format_args!("\n{title}"));
                }
                for change in changes {
                    say(format_args!("- {}", change.message));
                    if let Some(help) = &change.help {
                        say(format_args!("  -> {help}"));
                    }
                }
            }
        }
        if let Some(ended) = &self.ended {
            tell_end(&mut out, ended);
        } else if let Some(noted) = &self.noted {
            tell_place(&mut out, noted);
        }
        if self.help && self.ended.is_some() {
            out.push_str(&usage());
        }
        out
    }
}

fn tell_end(out: &mut String, ended: &Ended) {
    let before = if ended.kind == Kind::Crash { "Error while starting FS configuration conversion! " } else { "" };
    let _ = writeln!(out, "evenweave: {before}{}", ended.message);
    // The first is the message itself.
    let skipped = usize::from(ended.kind != Kind::Verification);
    for cause in ended.exceptions.iter().skip(skipped) {
        let _ = writeln!(out, "  caused by {cause}");
    }
    tell_place(out, ended);
}

/// What is wrong where, and what would be right.
fn tell_place(out: &mut String, ended: &Ended) {
    if let Some(found) = &ended.found {
        let _ = writeln!(out, "  {found}");
    }
    if let Some(help) = &ended.help {
        let _ = writeln!(out, "  {help}");
    }
}
