//! One file: its bytes, its text, what was found in it.

use std::path::{Path, PathBuf};

use crate::api::{AllocationFile, CapacityFile, CheckOptions, Diagnostic, Place, Resource, Severity, SiteFile};
use crate::file_kind::has_properties;
use crate::site::read_bytes;

/// One thing that was found.
#[derive(Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, in one word.
    pub code: &'static str,
    /// Where, if it has a place.
    pub at: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// What Hadoop does with it.
    pub effect: Option<String>,
    /// What would be right.
    pub help: Option<String>,
}

impl Finding {
    /// `error` or `warning`.
    #[must_use]
    pub fn severity_name(&self) -> &'static str {
        match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Finding {
        let Diagnostic { severity, code, at, message, effect, help, .. } = diagnostic;
        Finding { severity, code, at, message, effect, help }
    }
}

/// The text of a file, by the parser that reads such files in Hadoop, and a warning where bytes of it are lost.
fn decode(bytes: &[u8], name: &str) -> Result<(String, Option<Diagnostic>), Box<Diagnostic>> {
    type Replaced = fn(&[u8], &str) -> Option<Diagnostic>;
    let (text, replaced): (String, Replaced) = match SiteFile::decode(bytes, name) {
        Ok(text) if has_properties(&text) => (text, SiteFile::replaced_bytes),
        Ok(_) | Err(_) => {
            let text = AllocationFile::decode(bytes, name).map_err(|error| Box::new(error.diagnostic()))?;
            (text, AllocationFile::replaced_bytes)
        }
    };
    let lost = text.contains(char::REPLACEMENT_CHARACTER).then(|| replaced(bytes, name)).flatten();
    Ok((text, lost))
}

/// A file that was checked.
#[derive(Debug)]
pub struct Checked {
    pub(super) path: PathBuf,
    /// Its name, as it was given.
    pub name: String,
    /// What its places are in; empty when it could not be read.
    pub text: String,
    /// Other files that places may be in, such as those that it includes: name and text.
    pub(super) included: Vec<(String, String)>,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Checked {
    /// A file of this name and text, in which this was found.
    #[must_use]
    pub fn new(name: &str, text: &str, findings: Vec<Finding>) -> Checked {
        Checked { path: name.into(), name: name.to_owned(), text: text.to_owned(), included: Vec::new(), findings }
    }

    /// Reads a file; what keeps it from being read is a finding, and its text is `None`.
    pub(super) fn read(path: &Path) -> (Checked, Option<String>) {
        let name = path.display().to_string();
        let mut checked =
            Checked { path: path.to_owned(), name, text: String::new(), included: Vec::new(), findings: Vec::new() };
        let bytes = match read_bytes(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                checked.findings.push(Finding {
                    severity: Severity::Error,
                    code: "unreadable-file",
                    at: None,
                    message: format!("{}: {error}", checked.name),
                    effect: None,
                    help: Some("it must be a file that can be read".to_owned()),
                });
                return (checked, None);
            }
        };
        match decode(&bytes, &checked.name) {
            Ok((text, replaced)) => {
                checked.text.clone_from(&text);
                checked.find(replaced);
                (checked, Some(text))
            }
            Err(error) => {
                checked.text = String::from_utf8_lossy(&bytes).into_owned();
                checked.find([*error]);
                (checked, None)
            }
        }
    }

    /// Adds findings, each to its place: those of the file itself, then those of included ones, then those of all.
    pub(super) fn find(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        for finding in found.into_iter().map(Finding::from) {
            self.tell(finding);
        }
    }

    /// Adds one, unless it is there: a file may be read as more than one kind.
    pub(super) fn tell(&mut self, finding: Finding) {
        let same =
            |other: &Finding| (other.code, &other.at, &other.message) == (finding.code, &finding.at, &finding.message);
        if !self.findings.iter().any(same) {
            self.findings.push(finding);
        }
        let own = &self.name;
        self.findings.sort_by_key(|finding| match &finding.at {
            Some(at) => (*at.source != **own, at.offset),
            None => (true, usize::MAX),
        });
    }

    /// Leaves out what was found of one code.
    pub(super) fn forget(&mut self, code: &str) {
        self.findings.retain(|finding| finding.code != code);
    }

    /// Checks it as an allocation file.
    pub(super) fn allocations(&mut self, options: &CheckOptions<'_>) {
        let found = AllocationFile::check(&self.text, &self.name, options).diagnostics;
        self.find(found);
    }

    /// Beside files of the FairScheduler, which counts vcores: tells where this one lets nobody count them.
    pub(super) fn overbooked(&mut self, read: Option<&CapacityFile>, cluster: Option<&Resource>) {
        let Some((read, cluster)) = read.zip(cluster) else { return };
        let Some(most) = read.settings().containers_beyond_vcores(cluster) else { return };
        if self.findings.iter().any(|finding| finding.code == "uncounted-vcores") {
            return;
        }
        self.tell(Finding {
            severity: Severity::Warning,
            code: "uncounted-vcores",
            at: None,
            message: format!("{} counts memory alone, and the FairScheduler's nodes count vcores too", self.name),
            effect: Some(format!(
                "here vcores are overbooked, so the two do not compare: this cluster has {}, and {most} of the smallest \
                 containers have room",
                cluster.vcores()
            )),
            help: Some(
                "set yarn.scheduler.capacity.resource-calculator to \
                 org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
                    .to_owned(),
            ),
        });
    }

    /// The text that a place is in, if it is another file's, and known.
    #[must_use]
    pub fn included_text(&self, place: &Place) -> Option<&str> {
        self.included.iter().find(|(name, _)| **name == *place.source).map(|(_, text)| text.as_str())
    }

    /// How many errors there are.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    /// How many warnings there are.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }

    /// Whether it asks for something that Hadoop has and Evenweave has not.
    pub(super) fn is_unsupported(&self) -> bool {
        self.findings.iter().any(|finding| finding.code == "unsupported")
    }
}
