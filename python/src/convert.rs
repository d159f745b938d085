//! The conversion from a FairScheduler's to a CapacityScheduler's configuration.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{at, input, raised};
use crate::simulator::{self, ConvertSurroundings};

/// Converts by the words of the program's command line, and gives a dictionary: `texts` by name, `notices`, `warnings`,
/// `changes`, `said`.
#[pyfunction]
pub(crate) fn convert<'py>(py: Python<'py>, words: Vec<String>, safe: bool) -> PyResult<Bound<'py, PyDict>> {
    let surroundings = ConvertSurroundings { safe, ..ConvertSurroundings::default() };
    let ran = py.detach(|| simulator::convert(&words, &surroundings)).map_err(|failure| raised(py, failure))?;
    if ran.failed {
        let said = ran.said();
        let message = said.strip_prefix("evenweave: ").unwrap_or(&said).trim_end().to_owned();
        let ended = ran.ended.as_ref().or(ran.noted.as_ref());
        let place = ended.and_then(|ended| ended.found.as_ref()).and_then(|found| found.at.as_ref());
        return Err(match place {
            Some(place) => at(py, message, &place.source, place.line as u64, place.column as u64),
            None => input(message),
        });
    }
    let changes: Vec<(&str, &str, Option<&str>)> =
        ran.changes.iter().map(|change| (change.code, change.message.as_str(), change.help.as_deref())).collect();
    let result = PyDict::new(py);
    result.set_item("said", ran.said())?;
    result.set_item("changes", changes)?;
    result.set_item("notices", &ran.notices)?;
    result.set_item("warnings", &ran.warnings)?;
    let texts = PyDict::new(py);
    for (name, text) in &ran.console {
        texts.set_item(*name, text)?;
    }
    result.set_item("texts", texts)?;
    Ok(result)
}
