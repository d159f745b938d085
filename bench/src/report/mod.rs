//! What a run is reported as: a table and a JSON object for the terminal, one HTML file for a person.

mod bars;

mod files;

mod html;

mod json;

mod plots;

mod soak;

mod story;

mod table;

pub(crate) use bars::{Bar, bars};
pub use files::check_writable;
pub(crate) use files::write_whole;
pub use html::write_report;
pub(crate) use html::{document, escape};
pub use json::load_json;
pub use soak::{print_soak, soak_json, write_soak};
pub use table::print_load;
pub(crate) use table::table;
