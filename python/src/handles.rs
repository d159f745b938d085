//! Nodes, applications and containers, as Python holds them: small values that name what the scheduler has.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;

use crate::scheduler::{AppHandle, ContainerId, NodeHandle};

/// A node.
#[pyclass(frozen, module = "evenweave")]
#[derive(Debug)]
pub(crate) struct Node {
    /// Which scheduler it belongs to.
    pub(crate) of: u64,
    pub(crate) handle: NodeHandle,
}

#[pymethods]
impl Node {
    #[getter]
    fn name(&self) -> &str {
        self.handle.name()
    }

    #[getter]
    fn rack(&self) -> &str {
        self.handle.rack()
    }

    fn __repr__(&self) -> String {
        format!("<Node {} in {}>", self.handle.name(), self.handle.rack())
    }
}

/// An application.
#[pyclass(frozen, module = "evenweave")]
#[derive(Debug)]
pub(crate) struct App {
    /// Which scheduler it belongs to.
    pub(crate) of: u64,
    pub(crate) handle: AppHandle,
    pub(crate) user: String,
}

#[pymethods]
impl App {
    #[getter]
    fn number(&self) -> u32 {
        self.handle.number()
    }

    #[getter]
    fn user(&self) -> &str {
        &self.user
    }

    /// The leaf queue that it entered.
    #[getter]
    fn queue(&self) -> &str {
        self.handle.queue()
    }

    #[getter]
    fn is_finished(&self) -> bool {
        self.handle.is_finished()
    }

    #[getter]
    fn waits_for_am(&self) -> bool {
        self.handle.waits_for_am()
    }

    fn __repr__(&self) -> String {
        format!("<App {} of {} in {}>", self.handle.number(), self.user, self.handle.queue())
    }
}

/// A container that an application got.
#[pyclass(frozen, eq, hash, module = "evenweave")]
#[derive(Clone, Debug)]
pub(crate) struct Container {
    /// Which scheduler it belongs to.
    pub(crate) of: u64,
    pub(crate) id: ContainerId,
    /// As Hadoop writes it.
    #[pyo3(get)]
    pub(crate) name: String,
    /// The number of its application.
    #[pyo3(get)]
    pub(crate) app: u32,
    /// The name of its node.
    #[pyo3(get)]
    pub(crate) node: String,
    #[pyo3(get)]
    pub(crate) priority: i32,
    #[pyo3(get)]
    pub(crate) memory_mb: i64,
    #[pyo3(get)]
    pub(crate) vcores: i64,
}

impl PartialEq for Container {
    fn eq(&self, other: &Container) -> bool {
        (self.of, self.id) == (other.of, other.id)
    }
}

impl Eq for Container {}

impl Hash for Container {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.of, self.id).hash(state);
    }
}

#[pymethods]
impl Container {
    fn __repr__(&self) -> String {
        let Container { name, node, memory_mb, vcores, .. } = self;
        format!("<Container {name} on {node}, {memory_mb} MiB, {vcores} vcores>")
    }
}

/// A container that has ended, and why.
#[pyclass(frozen, eq, hash, module = "evenweave")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ended {
    #[pyo3(get)]
    pub(crate) container: Container,
    /// `completed`, `released`, `app-finished`, `node-lost`, `preempted` or `expired`.
    #[pyo3(get)]
    pub(crate) reason: &'static str,
}

#[pymethods]
impl Ended {
    fn __repr__(&self) -> String {
        format!("<Ended {}, {}>", self.container.name, self.reason)
    }
}
