//! Exceptions: bad input is a `ValueError` with a place, a file that cannot be read or written an `OSError`.

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;

use crate::simulator::{Failure, Fault};

create_exception!(
    evenweave,
    InputError,
    PyValueError,
    "What was given is wrong. The text is the program's. `file`, `line` and `column` say where, or are None."
);
create_exception!(
    evenweave,
    Refused,
    PyRuntimeError,
    "The scheduler refuses a call. The text says why; nothing has changed."
);
create_exception!(
    evenweave,
    SimulationWarning,
    PyUserWarning,
    "A simulation has an end that its figures alone do not show: jobs without an end, refused jobs, and others."
);

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let wrong = py.get_type::<InputError>();
    for place in ["file", "line", "column"] {
        wrong.setattr(place, py.None())?;
    }
    module.add("InputError", wrong)?;
    module.add("Refused", py.get_type::<Refused>())?;
    module.add("SimulationWarning", py.get_type::<SimulationWarning>())
}

/// Wrong input without a place.
pub(crate) fn input(message: impl Into<String>) -> PyErr {
    InputError::new_err(message.into())
}

/// Wrong input, at a place.
pub(crate) fn at(py: Python<'_>, message: String, file: &str, line: u64, column: u64) -> PyErr {
    let error = InputError::new_err(message);
    let value = error.value(py);
    let set = value.setattr("file", file).and_then(|()| value.setattr("line", line));
    match set.and_then(|()| value.setattr("column", column)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// A failure as an exception, with the program's text.
pub(crate) fn raised(py: Python<'_>, failure: Failure) -> PyErr {
    let message = failure.message();
    let fault = match failure {
        Failure::Input(_) | Failure::Trace(_) => return input(message),
        Failure::Scheduler(_) => return PyRuntimeError::new_err(format!("the scheduler failed: {message}")),
        Failure::File(fault) => fault,
    };
    match fault.fault {
        Fault::At { line, column } => at(py, message, &fault.file, line, column),
        // Of a number Python makes the class: FileNotFoundError, PermissionError and others.
        Fault::System(system) => match system.code {
            Some(code) => PyOSError::new_err((code, message, fault.file)),
            // A NUL byte in a name.
            None if fault.file.contains('\0') => input(message),
            None => PyOSError::new_err(message),
        },
    }
}
