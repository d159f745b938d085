//! The `evenweave` program.
fn main() {}
