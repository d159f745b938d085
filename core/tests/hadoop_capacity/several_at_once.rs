//! What several offers, reports and calls one after another lead to.

use crate::cluster::{Cluster, Pairs, any, gb, r};
use evenweave::SchedulerApi as _;
use evenweave::{EndReason, Resource};

const QUEUES: Pairs<'static> =
    &[("root.queues", "a,b"), ("root.a.capacity", "10.5"), ("root.b.capacity", "89.5"), ("user-limit-factor", "100")];

/// An ask that is taken back before the next offer is not served.
///
/// `TestCapacityScheduler.testClearRequestsBeforeApplyTheProposal`
#[test]
fn an_ask_that_was_taken_back_is_not_served() {
    let mut cluster = Cluster::new(QUEUES, &[r(8192, 8)]);
    let app = cluster.asking("b", "user", gb(1), 2);
    assert_eq!(cluster.hb(1), [(1, 1024)]);
    cluster.ask(&app, &[any(1, gb(1), 0)]);
    assert_eq!(cluster.hb(1), []);
    let b = cluster.queue("root.b");
    assert_eq!((b.containers, b.pending), (1, Resource::ZERO));
}

/// `TestCapacityScheduler.testAppAttemptLocalityStatistics`
#[test]
fn containers_are_counted_by_where_they_are() {
    let mut cluster = Cluster::new(&[QUEUES, &[("node-locality-delay", "0")]].concat(), &[]);
    ["/r1", "/r1", "/r2"].iter().for_each(|rack| cluster.add_node_in(rack, r(8192, 8)));
    let app = cluster.submit("a", "user");
    for (priority, n) in [(1, 1), (2, 2)] {
        let asks = cluster.at(priority, gb(1), &[("n1", 1), ("/r1", 1), ("*", 1)]);
        cluster.ask(&app, &asks);
        assert_eq!(cluster.hb(n).len(), 1);
    }
    cluster.ask(&app, &[any(3, gb(1), 1)]);
    cluster.hb(3);
    let stats = cluster.stepped.stats();
    assert_eq!((stats.granted, stats.node_local, stats.rack_local), (3, 1, 1), "the third is anywhere");
}

/// `TestCapacitySchedulerAsyncScheduling.testCommitProposalForFailedAppAttempt`
#[test]
fn the_end_of_an_application_frees_the_node_it_reserved() {
    let mut cluster = Cluster::new(QUEUES, &[r(9216, 8); 2]);
    cluster.asking("b", "user", gb(5), 1);
    cluster.hb(1);
    let two = cluster.asking("b", "user", gb(5), 1);
    cluster.hb(1);
    assert_eq!(cluster.reserved(), [(two.number(), "n1".to_owned(), 5120)]);
    cluster.stepped.finish(&two).unwrap();
    assert_eq!((cluster.reserved(), cluster.queue("root").reserved), (vec![], Resource::ZERO));
    cluster.asking("a", "user", gb(4), 1);
    assert_eq!(cluster.hb(1), [(3, 4096)]);
}

/// However often the node is offered.
///
/// `TestCapacitySchedulerAsyncScheduling.testCommitDuplicatedAllocateFromReservedProposals`
#[test]
fn a_reservation_becomes_one_container() {
    let mut cluster = Cluster::new(QUEUES, &[r(11_264, 8); 2]);
    let zero = cluster.asking("b", "user", gb(5), 2);
    cluster.hbs(1, 2);
    let one = cluster.asking("b", "user", gb(5), 1);
    cluster.hb(1);
    assert_eq!(cluster.reserved(), [(one.number(), "n1".to_owned(), 5120)]);
    let containers = cluster.granted(&zero);
    cluster.release(&zero, &containers);
    cluster.hbs(1, 3);
    assert_eq!((cluster.live([&one]), cluster.free(1).memory_mb(), cluster.reserved()), ([5], 6144, vec![]));
}

/// The node is reserved by another when the first would have had its turn again.
///
/// `TestCapacitySchedulerAsyncScheduling.testCommitOutdatedReservedProposal`
#[test]
fn a_node_given_up_by_one_can_be_reserved_by_another() {
    let mut cluster = Cluster::new(QUEUES, &[r(8192, 8); 3]);
    cluster.asking("b", "user", gb(6), 1);
    cluster.hb(1);
    let one = cluster.asking("b", "user", gb(5), 1);
    cluster.hb(1);
    assert_eq!(cluster.reserved(), [(one.number(), "n1".to_owned(), 5120)]);
    cluster.ask(&one, &[any(1, gb(5), 0)]);
    let two = cluster.asking("b", "user", gb(4), 1);
    cluster.hbs(1, 2);
    assert_eq!(cluster.reserved(), [(two.number(), "n1".to_owned(), 4096)]);
    assert_eq!(cluster.queue("root.b").reserved.memory_mb(), 4096);
}

/// `TestCapacitySchedulerAsyncScheduling.testReturnNullWhenGetSchedulerContainer`
#[test]
fn containers_of_a_node_that_is_gone_are_counted_off_once() {
    let mut cluster = Cluster::new(QUEUES, &[r(8192, 8); 2]);
    let app = cluster.asking("b", "user", gb(1), 3);
    cluster.hbs(1, 3);
    let containers = cluster.granted(&app);
    let node = cluster.nodes[0].clone();
    cluster.stepped.take_journal();
    cluster.stepped.remove_node(&node).unwrap();
    let ended = cluster.stepped.take_journal().completed;
    assert_eq!(ended.iter().map(|(_, _, why)| *why).collect::<Vec<_>>(), [EndReason::NodeLost; 3]);
    cluster.release(&app, &containers);
    assert_eq!((cluster.used_by(["root"]), cluster.queue("root").containers), ([0], 0));
}
