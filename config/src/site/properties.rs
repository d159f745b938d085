//! Properties in layers: files over each other, single properties over all of them.

use super::expand::{Expanded, Surroundings, TooManySubstitutions, expand};
use super::file::SiteFile;
use crate::diagnostic::{Diagnostic, Place};
use crate::findings::Findings;
use crate::{java, known};
use evenweave_resource::sorted;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File {
        /// Where the value stands.
        at: Place,
        /// Where the name of the property stands.
        name_at: Place,
    },
    /// [`SiteProperties::set`]: key=value, of the command line or a program.
    Set,
}

impl Origin {
    /// Where the value stands, if it is in a file.
    #[must_use]
    pub fn at(&self) -> Option<&Place> {
        match self {
            Origin::File { at, .. } => Some(at),
            Origin::Set => None,
        }
    }

    /// Where the name of the property stands, if it is in a file.
    #[must_use]
    pub fn name_at(&self) -> Option<&Place> {
        match self {
            Origin::File { name_at, .. } => Some(name_at),
            Origin::Set => None,
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    value: String,
    origin: Origin,
}

impl Entry {
    fn of(value: &str, origin: Origin) -> Entry {
        Entry { value: value.to_owned(), origin }
    }
}

/// Properties of several files and single ones over each other, as Hadoop's `Configuration` holds them.
///
/// ```
/// use evenweave::config::{SiteFile, SiteProperties};
/// let file = |name, text| SiteFile::parse(text, name).unwrap();
/// let mut site = SiteProperties::new();
/// site.add(&file("yarn-site.xml", "<configuration><property name='a' value='1' final='true'/>\
///     <property name='b' value='${a}${env.HOME-/}'/></configuration>"));
/// site.add(&file("more.xml", "<configuration><property name='a' value='2'/></configuration>"));
/// assert_eq!(site.get("b").unwrap().as_deref(), Some("1/"));
/// assert_eq!(&*site.origin("a").unwrap().at().unwrap().source, "yarn-site.xml");
/// // What more.xml says about `a` is refused.
/// assert_eq!(site.warnings().len(), 1);
/// ```
///
/// # The rules
/// - Of two files the later counts, except where an earlier one made the property final. What was [set](Self::set)
///   counts above all files, whenever they are added, and above `final`: Hadoop's `-D` does so too. Both are told of in
///   the [warnings](Self::warnings).
/// - A property without a value sets nothing, but `final` without a value keeps later files from setting one.
/// - `${name}` in a value is replaced when it is [read](Self::get): by the environment (`env.NAME`, `env.NAME-default`,
///   `env.NAME:-default`), a system property, a property, or what Hadoop's `yarn-default.xml` has for a property that
///   the scheduler reads. The first that stands for nothing ends it, a value that contains itself undoes it, and 20
///   replacements without an end are an error. Environment and system properties are empty until they are given in.
/// - Names are compared to the letter. Hadoop's old names for properties are not known here: none belongs to one that
///   the scheduler reads.
#[derive(Clone, Debug, Default)]
pub struct SiteProperties {
    files: FxHashMap<String, Entry>,
    set: FxHashMap<String, Entry>,
    /// The final properties and where each became so.
    finals: FxHashMap<String, Place>,
    /// Properties without a value, by name, and where they stand.
    empty: Vec<(String, Place)>,
    warnings: Vec<Diagnostic>,
    surroundings: Surroundings,
    /// A file was laid over it, if only an empty one.
    has_file: bool,
}

impl SiteProperties {
    /// No properties.
    #[must_use]
    pub fn new() -> SiteProperties {
        SiteProperties::default()
    }

    /// Lays a file over those before it. Its warnings come with it.
    pub fn add(&mut self, file: &SiteFile) {
        let mut findings = Findings::default();
        self.has_file = true;
        for property in file.properties() {
            match (&property.value, self.finals.get(&property.name)) {
                (None, _) => self.empty.push((property.name.clone(), property.at.clone())),
                (Some(value), Some(final_at)) => {
                    let kept = self.files.get(&property.name);
                    if kept.is_none_or(|kept| kept.value != *value) {
                        findings.push(|| refused(property.name_at.clone(), &property.name, final_at));
                    }
                }
                (Some(value), None) => {
                    let origin = Origin::File { at: property.at.clone(), name_at: property.name_at.clone() };
                    self.files.insert(property.name.clone(), Entry::of(value, origin));
                }
            }
            if property.is_final {
                self.finals.entry(property.name.clone()).or_insert_with(|| property.name_at.clone());
            }
        }
        self.warnings.extend(file.warnings().iter().cloned().chain(findings.into_vec()));
    }

    /// Sets one property above all files, as `-D name=value` does. White space around the name does not count.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.set.insert(java::trim(name).to_owned(), Entry { value: value.into(), origin: Origin::Set });
    }

    /// Whether there is anything to go by: a file, or a property that was set. Else what is not set is not known.
    /// Resource types alone may have been taken from elsewhere.
    #[cfg(feature = "check")]
    pub(crate) fn is_known(&self) -> bool {
        self.has_file || self.set.keys().any(|name| name != known::TYPES)
    }

    /// Takes a property away, as if no file had it and it had not been set.
    #[cfg(feature = "check")]
    pub(crate) fn remove(&mut self, name: &str) {
        self.files.remove(name);
        self.set.remove(name);
    }

    /// Where `${env.NAME}` is looked up; the core itself looks nowhere.
    ///
    /// ```
    /// let mut site = evenweave::config::SiteProperties::new();
    /// site.set_environment(|name| std::env::var(name).ok());
    /// ```
    pub fn set_environment(&mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        self.surroundings.environment = Some(Arc::new(lookup));
    }

    /// Where `${name}` is looked up before the properties: Java's system properties, such as `user.name`.
    pub fn set_system_properties(&mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        self.surroundings.system = Some(Arc::new(lookup));
    }

    /// The value of a property, its variables replaced, not trimmed.
    ///
    /// # Errors
    /// When the replacement of variables does not end.
    pub fn get(&self, name: &str) -> Result<Option<String>, TooManySubstitutions> {
        Ok(self.expanded(name)?.map(|expanded| expanded.text))
    }

    /// The value of a property, its variables replaced, and the one that was not.
    ///
    /// # Errors
    /// When the replacement of variables does not end.
    pub fn expanded(&self, name: &str) -> Result<Option<Expanded>, TooManySubstitutions> {
        let property = |name: &str| self.raw(name).or_else(|| known::default_of(name));
        self.raw(name).map(|value| expand(value, &self.surroundings, property)).transpose()
    }

    /// The value of a property as it was written.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.entry(name).map(|entry| entry.value.as_str())
    }

    /// Where the value of a property comes from.
    #[must_use]
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        self.entry(name).map(|entry| &entry.origin)
    }

    /// Whether files to come cannot set the property.
    #[must_use]
    pub fn is_final(&self, name: &str) -> bool {
        self.finals.contains_key(name)
    }

    /// The names of all properties that have a value, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let below = self.files.keys().filter(|name| !self.set.contains_key(*name));
        let mut names: Vec<&str> = self.set.keys().chain(below).map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.set.get(name).or_else(|| self.files.get(name))
    }

    /// What the files' readers had to say, refused settings of final properties, and final ones that were set all the
    /// same.
    #[must_use]
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut overridden: Vec<_> = self.finals.iter().filter(|(name, _)| self.set.contains_key(*name)).collect();
        sorted::by_key(&mut overridden, |(name, _)| *name);
        let overridden = overridden.into_iter().map(|(name, at)| Diagnostic {
            effect: Some("what was set counts".to_owned()),
            ..Diagnostic::warning(
                "final-overridden",
                Some(at.clone()),
                format!("{name} is final, but was set by key=value"),
            )
        });
        self.warnings.iter().cloned().chain(overridden).collect()
    }

    /// Properties without a value, in the order of the files, and where they stand.
    pub(crate) fn without_value(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.empty.iter().map(|(name, at)| (name.as_str(), at))
    }
}

/// Each pair is [set](SiteProperties::set); of two of one name the last counts.
impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for SiteProperties {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(pairs: T) -> Self {
        let mut site = SiteProperties::new();
        for (name, value) in pairs {
            site.set(name.as_ref(), value);
        }
        site
    }
}

fn refused(at: Place, name: &str, final_at: &Place) -> Diagnostic {
    Diagnostic {
        effect: Some("it keeps the value that it has there".to_owned()),
        help: Some("remove this one, or the final there".to_owned()),
        ..Diagnostic::warning("final", Some(at), format!("{name} is final since {final_at}"))
    }
}
