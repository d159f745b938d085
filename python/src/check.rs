//! Checks of configuration files.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;
use crate::given::{Given, Word};
use crate::simulator::{self, ClusterFacts, Kind};

const KINDS: &[Word<Kind>] = &[("allocations", Kind::Allocations), ("capacity", Kind::Capacity), ("site", Kind::Site)];

/// What is found in files, as the program's JSON.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, arguments: &Bound<'_, PyDict>) -> PyResult<String> {
    let given = Given(arguments);
    let (files, site, cluster) = (given.paths("files")?, given.paths("site")?, given.text("cluster")?);
    let (labels, kind) = (given.text("node_labels")?, given.word("kind", KINDS)?);
    let cluster = ClusterFacts { total: cluster.as_deref(), labels: labels.as_deref() };
    let found = py.detach(|| simulator::check(&files, &site, cluster, kind).map(|found| found.json()));
    found.map_err(|failure| raised(py, failure))
}
