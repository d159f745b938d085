//! What a run is reported as: a table and a JSON object for the terminal, one HTML file for a person.

mod bars;

mod files;

mod html;

mod json;

mod markup;

mod plans;
mod plots;

mod simulation;

mod soak;

mod story;

mod table;

pub(crate) use bars::{Bar, bars};
pub use files::check_writable;
pub use html::write_report;
pub use json::load_json;
pub(crate) use markup::{document, escape};
pub use simulation::{put_simulation, write_simulation};
pub use soak::{print_soak, soak_json, write_soak};
pub use table::print_load;
pub(crate) use table::table;
