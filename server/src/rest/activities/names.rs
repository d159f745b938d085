//! How Hadoop names nodes, applications and containers.

use evenweave::Resource;
use evenweave::parts::java::resource_text;
use evenweave::reason::{AppTried, KeyTried};

use crate::manager::ResourceManager;
use crate::records::NodeRecord;
use crate::rest::app::request_id;
use crate::scheduler::Basics;

/// How Hadoop names what a pass has to do with.
pub(super) struct Names<'n> {
    pub(super) of: &'n ResourceManager,
    pub(super) basics: &'n Basics,
    pub(super) nodes: Vec<NodeRecord>,
}

impl<'n> Names<'n> {
    pub(super) fn of(of: &'n ResourceManager) -> Names<'n> {
        let nodes = of.records().nodes().iter().map(|node| (*node).clone()).collect();
        Names { of, basics: of.scheduler().basics(), nodes }
    }

    pub(super) fn app(&self, number: u32) -> String {
        self.of.cluster().app_id(number)
    }

    pub(super) fn record(&self, name: &str) -> Option<&NodeRecord> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// The id of a node that the scheduler knows by its name.
    pub(super) fn node(&self, name: &str) -> String {
        self.record(name).map_or_else(|| name.to_owned(), NodeRecord::id)
    }

    pub(super) fn container_id(&self, app: u32, container: u32) -> String {
        let records = self.of.records();
        let attempt = records.app(app).and_then(|app| app.attempt.as_ref().map(|attempt| attempt.number)).unwrap_or(1);
        self.of.cluster().container_id(app, attempt, container)
    }

    /// `Container.toString`, of one that nobody has seen yet.
    pub(super) fn container(
        &self,
        node: &str,
        app: &AppTried,
        key: &KeyTried,
        size: &Resource,
        number: Option<u32>,
    ) -> String {
        let id = number.map_or_else(|| "null".to_owned(), |number| self.container_id(app.app, number));
        let http = self.record(node).map_or_else(|| node.to_owned(), NodeRecord::http_address);
        format!(
            "Container: [ContainerId: {id}, AllocationRequestId: {}, Version: 0, NodeId: {}, NodeHttpAddress: {http}, Resource: {}, \
             Priority: {}, Token: null, ExecutionType: GUARANTEED, ]",
            request_id(key.allocation_request_id),
            self.node(node),
            resource_text(&self.basics.types, size),
            key.priority,
        )
    }
}
