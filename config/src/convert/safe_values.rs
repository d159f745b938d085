//! What the operator meant, where Hadoop's converter writes something that harms: maxima, percentages and weights.

use super::context::Context;
use super::percentages::Percentages;
use evenweave_resource::Resource;
use evenweave_resource::sorted;

/// The largest weight that a CapacityScheduler takes.
const LARGEST_WEIGHT: f32 = 10_000.0;
/// The whole in thousandths of a percent.
const HUNDRED: i128 = 100_000;

/// `maximum-capacity` of each queue in percent of its parent's, by index: what its maximum is of its parent's. A
/// maximum in amounts counts where the cluster is known.
pub(super) fn maximum_capacities(queues: &Context<'_>) -> Vec<f32> {
    let mut of_cluster = vec![1.0_f64; queues.tree.queues.len()];
    let mut of_parent = vec![100.0_f32; queues.tree.queues.len()];
    for index in queues.tree.in_order().into_iter().filter(|_| queues.options.safe) {
        let queue = &queues.tree.queues[index];
        let above = queue.parent.map_or(1.0, |parent| of_cluster[parent]);
        let own = own_part(queues, index).unwrap_or(1.0).min(above);
        of_cluster[index] = own;
        // Root's has to be all of it: what it may not use goes to its children.
        if queue.parent.is_some() && above > 0.0 {
            of_parent[index] = crate::java::narrow((own / above * 100_000.0).round() / 1000.0);
        }
    }
    of_parent
}

/// A queue's own maximum as a part of the cluster, of what the scheduler counts: all types with DRF, else memory alone.
fn own_part(queues: &Context<'_>, index: usize) -> Option<f64> {
    // So large that parts of it are exact enough.
    const LARGE: i64 = 1 << 40;
    let own = queues.settings(&queues.tree.queues[index]).and_then(|settings| settings.max);
    let most = own.unwrap_or(queues.file.queue_max_resources);
    let cluster = match most.absolute() {
        None => Resource::from_fn(|lane| if lane == 1 { i32::MAX.into() } else { LARGE }),
        Some(_) => queues.options.cluster?,
    };
    let amounts = most.of(&cluster);
    let lanes = if queues.drf { queues.types.len() } else { 1 };
    let part = |lane: usize| {
        // Vcores that were not named are -1, which nobody means.
        let (amount, whole) = (amounts.get(lane), cluster.get(lane));
        (amount >= 0 && whole > 0).then(|| amount as f64 / whole as f64)
    };
    (0..lanes).filter_map(part).reduce(f64::min)
}

/// Weights that a CapacityScheduler takes, in the same proportion: none below 0 or above 10000.
pub(super) fn fit_weights(weights: &mut [f32]) {
    for weight in weights.iter_mut() {
        // NaN, too.
        if weight.is_nan() || *weight < 0.0 {
            *weight = 0.0;
        }
        *weight = weight.min(f32::MAX);
    }
    let largest = weights.iter().copied().fold(0.0, f32::max);
    if largest > LARGEST_WEIGHT {
        for weight in weights.iter_mut() {
            *weight = *weight / largest * LARGEST_WEIGHT;
        }
    }
}

/// Percentages in the proportion of the weights, which add up to 100; what is left of rounding goes to those who lost
/// most by it. `nothing`: the parent itself has no capacity, so its children cannot have any.
pub(super) fn percentages(weights: &[f32], nothing: bool) -> Percentages {
    let mut weights = weights.to_vec();
    fit_weights(&mut weights);
    let total: f64 = weights.iter().copied().map(f64::from).sum();
    if nothing || total == 0.0 {
        return Percentages { thousandths: vec![0; weights.len()], zero_sum: !weights.is_empty() };
    }
    let exact: Vec<f64> = weights.iter().map(|weight| f64::from(*weight) / total * 100_000.0).collect();
    let mut thousandths: Vec<i128> =
        exact.iter().map(|share| i128::from(evenweave_resource::f64_to_i64(share.floor()))).collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    sorted::by(&mut order, |a, b| (exact[*b].fract()).total_cmp(&exact[*a].fract()));
    let left = HUNDRED - thousandths.iter().sum::<i128>();
    for child in order.into_iter().take(usize::try_from(left).unwrap_or(0)) {
        thousandths[child] += 1;
    }
    Percentages { thousandths, zero_sum: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_in_proportion_and_add_up() {
        assert_eq!(percentages(&[0.3, 0.7], false).thousandths, [30_000, 70_000]);
        assert_eq!(percentages(&[1.0, 1.0, 1.0], false).thousandths, [33_334, 33_333, 33_333]);
        assert_eq!(percentages(&[0.5, 0.5, 0.75], false).thousandths, [28_572, 28_571, 42_857]);
        assert_eq!(percentages(&[2.0], false).thousandths, [100_000]);
        for (weights, nothing) in [(vec![0.0, f32::NAN], false), (vec![1.0, 2.0], true)] {
            let none = percentages(&weights, nothing);
            assert_eq!((none.thousandths, none.zero_sum), (vec![0, 0], true));
        }
        assert_eq!(percentages(&[f32::INFINITY, -1.0], false).thousandths, [100_000, 0]);
    }

    #[test]
    fn weights_keep_their_proportion() {
        let mut weights = [20_000.0, 5000.0, -1.0];
        fit_weights(&mut weights);
        assert_eq!(weights, [10_000.0, 2500.0, 0.0]);
        let mut small = [0.5, 2.0];
        fit_weights(&mut small);
        assert_eq!(small, [0.5, 2.0]);
    }
}
