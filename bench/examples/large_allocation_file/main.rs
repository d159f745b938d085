//! Prints a large allocation file, to measure by: `cargo run --release --example large_allocation_file -- 10000 >
//! large.xml`.
//!
//! The first argument is the number of queues, 10,000 without it; `flat` after it puts all of them directly below root.

mod generate;

use generate::{Form, allocation_file};
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let queues = arguments.next().map_or(Ok(10_000), |text| text.parse());
    let form = match arguments.next().as_deref() {
        None => Some(Form::ThreeLevels),
        Some("flat") => Some(Form::Flat),
        Some(_) => None,
    };
    let (Ok(queues), Some(form)) = (queues, form) else {
        eprintln!("usage: large_allocation_file [NUMBER_OF_QUEUES [flat]]");
        return ExitCode::from(2);
    };
    // A reader that has seen enough, such as `head`, is no failure.
    let _ = std::io::stdout().write_all(allocation_file(form, queues).as_bytes());
    ExitCode::SUCCESS
}
