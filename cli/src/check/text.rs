//! Findings for people: the line, the mark, what is wrong, what Hadoop does with it, what to write instead.

use std::error::Error;
use std::fmt;

use evenweave::config::Severity;
use evenweave_tools::check::{Checked, Finding};
use evenweave_tools::output::{as_long, line, plain};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters, ThemeStyles,
};

use super::snippet::Snippet;

/// How many findings of one file are shown. A file with more begins with these.
const SHOWN: usize = 50;

/// Columns.
const WIDTH: usize = 100;

/// The findings of all files, and a summary.
pub(crate) fn report(files: &[Checked], colours: bool) -> String {
    let characters = ThemeCharacters::unicode();
    let styles = if colours { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
        .with_width(WIDTH)
        .without_syntax_highlighting();
    let mut out = String::new();
    for file in files {
        let text = as_long(&file.text);
        for finding in file.findings.iter().take(SHOWN) {
            let other = finding.at.as_ref().filter(|at| *at.source != *file.name);
            let included = other.map(|at| file.included_text(at).map(as_long));
            let snippet = match (&finding.at, &included) {
                (Some(place), None) => Some(Snippet::new(&text, place)),
                (Some(place), Some(Some(text))) => Some(Snippet::new(text, place)),
                (Some(_), Some(None)) | (None, _) => None,
            };
            let shown = Shown { finding, snippet, effect: finding.effect.clone().map(Effect) };
            if handler.render_report(&mut out, &shown).is_err() {
                out.push_str(&plain(&finding.message));
            }
            out.push('\n');
        }
        if file.findings.len() > SHOWN {
            out.push_str(&format!("{}: {} more are not shown\n", line(&file.name), file.findings.len() - SHOWN));
        }
        out.push_str(&format!("{}: {}\n", line(&file.name), counted(file.errors(), file.warnings())));
    }
    let (errors, warnings) = (files.iter().map(Checked::errors).sum(), files.iter().map(Checked::warnings).sum());
    let files = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    out.push_str(&format!("{} in {files}\n", counted(errors, warnings)));
    out
}

/// `2 errors, 1 warning`
fn counted(errors: usize, warnings: usize) -> String {
    let count = |count: usize, what: &str| match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    format!("{}, {}", count(errors, "error"), count(warnings, "warning"))
}

/// A finding as miette wants it: the effect stands as its consequence.
#[derive(Debug)]
struct Shown<'a> {
    finding: &'a Finding,
    snippet: Option<Snippet<'a>>,
    effect: Option<Effect>,
}

#[derive(Debug)]
struct Effect(String);

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.0))
    }
}

impl Error for Effect {}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.finding.message))
    }
}

impl Error for Shown<'_> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.effect.as_ref().map(|effect| effect as _)
    }
}

impl Diagnostic for Shown<'_> {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(format!("{}[{}]", self.finding.severity_name(), self.finding.code)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        let help = self.finding.help.as_ref()?;
        Some(Box::new(plain(help)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let snippet = self.snippet.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, snippet.mark()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        assert_eq!(counted(2, 1), "2 errors, 1 warning");
        assert_eq!(counted(0, 0), "no errors, no warnings");
    }

    #[test]
    fn of_many_findings_the_first_are_shown_and_the_rest_counted() {
        let finding = |i| Finding {
            severity: Severity::Warning,
            code: "stray-text",
            at: None,
            message: format!("finding {i}"),
            effect: None,
            help: None,
        };
        let file = Checked::new("f", "", (0..60).map(finding).collect());
        let out = report(&[file], false);
        assert!(out.contains("finding 49\n") && !out.contains("finding 50"));
        assert!(
            out.ends_with("f: 10 more are not shown\nf: no errors, 60 warnings\nno errors, 60 warnings in 1 file\n")
        );
    }
}
