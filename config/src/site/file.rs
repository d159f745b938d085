//! One site file.

use super::error::{SiteFileError, SiteFileProblem};
use crate::diagnostic::{Diagnostic, Place};
use crate::encoding::{self, ReadAs, Undecodable};

/// One property of a site file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteProperty {
    /// Its name; white space at the ends is left out of `<name>`, but not of an attribute.
    pub name: String,
    /// Its value as it stands, white space and `${...}` included. `None` where there is none or `<value>` is empty: the
    /// property then sets nothing, an earlier value or the default stays. `value=""` sets the empty text.
    pub value: Option<String>,
    /// Whether later files cannot set it: `final` is `true`, to the letter.
    pub is_final: bool,
    /// Where its name stands.
    pub name_at: Place,
    /// Where its value stands, or its name if it has none.
    pub at: Place,
}

/// A file that `xi:include` names, as the caller has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Included {
    /// Its text; [`SiteFile::decode`] makes it from bytes.
    pub text: String,
    /// The name under which its places are given.
    pub source_name: String,
}

impl Included {
    /// A text, and the name under which its places are given.
    #[must_use]
    pub fn new(text: impl Into<String>, source_name: impl Into<String>) -> Included {
        Included { text: text.into(), source_name: source_name.into() }
    }
}

/// A site file: `yarn-site.xml`, `resource-types.xml`, `capacity-scheduler.xml` and others of the same form.
///
/// ```
/// use evenweave::config::SiteFile;
/// let text = "<configuration>
///   <property>
///     <name>yarn.scheduler.fair.max.assign</name>
///     <value>4</value>
///     <final>true</final>
///   </property>
/// </configuration>";
/// let file = SiteFile::parse(text, "yarn-site.xml").unwrap();
/// let property = &file.properties()[0];
/// assert_eq!((property.name.as_str(), property.value.as_deref()), ("yarn.scheduler.fair.max.assign", Some("4")));
/// assert_eq!(property.at.to_string(), "yarn-site.xml:4:12");
/// assert!(property.is_final);
/// ```
///
/// # The form
/// A `<property>` has `<name>`, `<value>` and perhaps `<final>`, `<description>`, `<source>` and `<tag>`, or the same
/// as attributes; elements win over attributes, and of two the later. It may stand at any depth, in any root element.
/// What is unknown, or probably a mistake, is a [warning](SiteFile::warnings), as Hadoop takes it. A DOCTYPE is an
/// error; entities of one's own are not known, so there are no bombs of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    pub(super) source_name: String,
    pub(super) properties: Vec<SiteProperty>,
    pub(super) warnings: Vec<Diagnostic>,
}

impl SiteFile {
    /// Turns a file's bytes into text by its byte order mark or XML declaration, as Hadoop's parser of properties does:
    /// UTF-8, UTF-16, UTF-32, ISO 8859, windows-125x, GBK, GB18030, Big5, Shift_JIS, EUC-JP, EUC-KR, KOI8 and a few
    /// more. Bytes that have no character in one of the last are U+FFFD; [`replaced_bytes`](Self::replaced_bytes) tells
    /// of them.
    ///
    /// # Errors
    /// When the bytes are not in the encoding, or are beyond ASCII in one that is not read here.
    pub fn decode(bytes: &[u8], source_name: &str) -> Result<String, SiteFileError> {
        let decoded = encoding::decode(bytes, source_name, ReadAs::Properties);
        decoded.map(|decoded| decoded.text).map_err(|Undecodable { at, problem, unsupported }| {
            let kind = if unsupported { SiteFileProblem::UnsupportedEncoding } else { SiteFileProblem::Malformed };
            SiteFileError { at, problem: kind(problem) }
        })
    }

    /// Warns where [`decode`](Self::decode) has U+FFFD in place of bytes.
    #[must_use]
    pub fn replaced_bytes(bytes: &[u8], source_name: &str) -> Option<Diagnostic> {
        encoding::replaced(bytes, source_name, ReadAs::Properties)
    }

    /// The name that was given to it.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.source_name
    }

    /// Its properties as they stand, those of included files in their place. Of two of one name the later counts,
    /// unless an earlier one is final: see [`SiteProperties`](super::SiteProperties).
    #[must_use]
    pub fn properties(&self) -> &[SiteProperty] {
        &self.properties
    }

    /// Names and values as they stand, of those that set something.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().filter_map(|property| Some((property.name.as_str(), property.value.as_deref()?)))
    }

    /// What was accepted, as Hadoop accepts it, but is probably a mistake.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}
