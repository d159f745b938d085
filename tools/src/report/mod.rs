//! What reports are made of: pages, plots, tables.

pub mod bars;
pub mod files;
pub mod markup;
pub mod plans;
pub mod plots;
pub mod table;

pub use bars::{Bar, bars};
pub use files::check_writable;
pub use markup::{document, escape};
pub use table::table;
