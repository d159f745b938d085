//! Lints of figures: which are known, and what a cluster makes of amounts.

use super::file::CapacityFile;
use super::queue::CapacityMode;
use super::source::{PREFIX, Source};
use super::warnings::Warnings;
use evenweave_resource::Resource;

/// Of which queues the figures are known. Without a cluster those of amounts are not, nor is what is below.
#[derive(Debug)]
pub(super) struct Known(Vec<bool>);

impl Known {
    pub(super) fn of(file: &CapacityFile, cluster: Option<&Resource>) -> Known {
        let mut known: Vec<bool> = Vec::with_capacity(file.queues().len());
        for queue in file.queues() {
            let is_part = file.settings().legacy_queue_mode && queue.mode == CapacityMode::Percentage;
            let above = queue.parent.is_none_or(|parent| known[parent]);
            known.push(cluster.is_some() || above && (is_part || queue.parent.is_none()));
        }
        Known(known)
    }

    pub(super) fn is(&self, queue: usize) -> bool {
        self.0[queue]
    }
}

/// What comes of amounts on this cluster.
pub(super) fn check(file: &CapacityFile, source: &Source<'_>, cluster: &Resource, warnings: &mut Warnings<'_>) {
    if let Err(error) = file.check_amounts_on(cluster) {
        let message = format!("is refused with every refresh on this cluster: {}", error.fault);
        warnings.push(&error.property, "refresh-refused", &message, |found| {
            found
                .effect("a start compares without nodes and takes it; a refresh compares with what the nodes have")
                .help("let the amounts fit each other by their dominant part of the cluster, too");
        });
    }
    uncounted_vcores(file, source, cluster, warnings);
}

/// Vcores that are written and that nobody counts, on a cluster where that shows.
fn uncounted_vcores(file: &CapacityFile, source: &Source<'_>, cluster: &Resource, warnings: &mut Warnings<'_>) {
    let Some(most) = file.settings().containers_beyond_vcores(cluster) else { return };
    let speaks_of_vcores = |property: &String| source.raw(property).is_some_and(|text| text.contains("vcores"));
    let keys = ["capacity", "maximum-capacity", "maximum-allocation"];
    let of_queues = file.queues().iter().flat_map(|queue| keys.map(|key| Source::of(&queue.path, key)));
    if let Some(property) = of_queues.into_iter().find(speaks_of_vcores) {
        let message = format!("names vcores, and {PREFIX}resource-calculator counts memory alone");
        warnings.push(&property, "uncounted-vcores", &message, |found| {
            found
                .effect(format!(
                    "vcores are overbooked: this cluster has {}, and {most} of the smallest containers have room",
                    cluster.vcores()
                ))
                .help("set it to org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
        });
    }
}
