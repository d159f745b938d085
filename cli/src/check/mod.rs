//! How people are told what was found in configuration files. What is found is the library's: [`evenweave_tools::check`].
//!
//! | module | what |
//! | --- | --- |
//! | `text` | all findings |
//! | `snippet` | the marked line |

mod snippet;
mod text;

pub(crate) use text::report;
