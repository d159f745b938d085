//! Evenweave for Python: the module `evenweave._native`, which the package `evenweave` lies over.
//!
//! | module | what |
//! | --- | --- |
//! | `simulator`, `scheduler` | what is used of the simulator, and of the core; nothing else names these crates |
//! | `given` | arguments: types, ranges, words |
//! | `simulation`, `tables` | simulations, and their rows by column |
//! | `check`, `convert` | configuration files |
//! | `stepped`, `handles` | a scheduler to step through; its nodes, applications and containers |
//! | `errors` | exceptions |
//!
//! Columns become frames in Python. Python alone knows which library for frames is installed.

mod check;
mod convert;
mod errors;
mod given;
mod handles;
mod scheduler;
mod simulation;
mod simulator;
mod stepped;
mod tables;

#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::check::check;
    #[pymodule_export]
    use super::convert::convert;
    #[pymodule_export]
    use super::handles::{App, Container, Ended, Node};
    #[pymodule_export]
    use super::simulation::simulate;
    #[pymodule_export]
    use super::stepped::Stepped;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::errors::add_to(module)
    }
}
