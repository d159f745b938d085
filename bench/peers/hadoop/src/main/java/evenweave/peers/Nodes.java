package evenweave.peers;

import evenweave.peers.Options.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.yarn.api.records.ContainerId;

/** The nodes' side, on one thread: heartbeats in order, round and round, with or without completions. */
final class Nodes {
  private static final long LOOK_AGAIN_NS = TimeUnit.MICROSECONDS.toNanos(50);

  final Times heartbeats = new Times();
  private final Cluster cluster;
  private final Options options;
  private int next;

  Nodes(Cluster cluster, Options options) {
    this.cluster = cluster;
    this.options = options;
  }

  /** Heartbeats until the cluster is full, or for so long. */
  void fill(Phase phase, double atMost) {
    boolean offersAlone = options.scheduler == Scheduler.CAPACITY_ASYNC;
    if (offersAlone) {
      for (int i = 0; i < cluster.size.nodes; i++) {
        report(List.of());
      }
    }
    while (cluster.running() < cluster.size.capacity() && !phase.lasted(atMost)) {
      if (offersAlone) {
        LockSupport.parkNanos(LOOK_AGAIN_NS);
      } else {
        report(List.of());
      }
    }
  }

  /**
   * Step 1: containers of the next node complete and it reports them. Gives the applications that owned them, or null where the driver
   * has to wait for a scheduler that assigns on threads of its own.
   */
  int[] complete(Masters masters) {
    if (cluster.running() >= cluster.size.enoughRunning()) {
      ConcurrentLinkedQueue<ContainerId> held = masters.of(next);
      List<ContainerId> completed = new ArrayList<>(options.completions());
      while (completed.size() < options.completions() && !held.isEmpty()) {
        completed.add(held.poll());
      }
      report(completed);
      return completed.stream().mapToInt(id -> IdleApp.number(id.getApplicationAttemptId().getApplicationId())).toArray();
    }
    if (options.scheduler.background()) {
      LockSupport.parkNanos(LOOK_AGAIN_NS);
      return null;
    }
    report(List.of());
    return new int[0];
  }

  private void report(List<ContainerId> completed) {
    ReportingNode node = cluster.node(next);
    next = (next + 1) % cluster.size.nodes;
    node.completes(completed);
    heartbeats.add(cluster.heartbeat(node));
  }
}
