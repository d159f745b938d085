//! Site files: `yarn-site.xml` and its like, as Hadoop's `Configuration` reads them, and the layers that they make.
//!
//! [`SiteFile`] is one file: its properties in their order, each with its place. [`SiteProperties`] are several files
//! and single properties over each other, with `final`, the origin of every value, and `${name}` in values. Pure
//! functions over text, any thread, time and memory linear in it; other files and the environment are given in by the
//! caller.

mod error;

mod expand;

mod file;

mod parse;

mod prefixes;

mod properties;

#[cfg(test)]
mod tests;

pub use error::{SiteFileError, SiteFileProblem};
pub(super) use expand::MAX_EXPANDED;
pub use expand::{Expanded, TooManySubstitutions, Unresolved};
pub use file::{Included, SiteFile, SiteProperty};
pub use properties::{Origin, SiteProperties};
