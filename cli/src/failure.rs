//! How a failure is told, and with which exit code the program ends then.

use evenweave_tools::Failure;
use miette::{GraphicalReportHandler, GraphicalTheme, Report, ThemeStyles};

/// The exit code that goes with it.
fn code(failure: &Failure) -> u8 {
    match failure {
        Failure::Input(_) | Failure::File(_) | Failure::Trace(_) => 2,
        Failure::Scheduler(_) => 1,
    }
}

/// Says it on standard error, and gives the exit code.
pub(crate) fn tell(failure: Failure) -> u8 {
    let code = code(&failure);
    match failure {
        Failure::Input(message) => evenweave_tools::note!("evenweave: {}", message),
        Failure::File(fault) => evenweave_tools::note!("evenweave: {}", fault.message),
        Failure::Scheduler(message) => evenweave_tools::note!("evenweave: the scheduler failed: {message}"),
        Failure::Trace(error) => {
            let mut text = String::new();
            let head = error.to_string();
            // A colour is what a terminal obeys, and so would be what stands in the trace.
            let theme = GraphicalTheme { styles: ThemeStyles::none(), ..GraphicalTheme::default() };
            let handler = GraphicalReportHandler::new_themed(theme);
            let shown = handler.render_report(&mut text, Report::from(*error).as_ref());
            evenweave_tools::note!("{}", if shown.is_ok() { text } else { format!("evenweave: {head}") });
        }
    }
    code
}
