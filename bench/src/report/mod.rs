//! What a load or a soak is reported as: a table and a JSON object for the terminal, one HTML file for a person.

mod html;
mod json;
mod soak;
mod story;
mod table;

pub use html::write_report;
pub use json::load_json;
pub use soak::{print_soak, soak_json, write_soak};
pub use table::print_load;
