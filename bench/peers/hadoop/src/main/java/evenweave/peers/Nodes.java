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
  private static final double FILL_BEFORE_S = 600;
  private static final double STALLED_S = 3;
  private static final long LOOK_AGAIN_NS = TimeUnit.MICROSECONDS.toNanos(50);

  final Times heartbeats = new Times();
  private final Cluster cluster;
  private final Options options;
  private int next;

  Nodes(Cluster cluster, Options options) {
    this.cluster = cluster;
    this.options = options;
  }

  /** Heartbeats until the cluster is full, or for so long. With asynchronous threads each node reports once. */
  void fill(Phase phase, double atMost) {
    boolean offersAlone = options.scheduler == Scheduler.CAPACITY_ASYNC;
    for (int beats = 0; cluster.running() < cluster.size.capacity() && !phase.lasted(atMost); beats++) {
      if (offersAlone && beats >= cluster.size.nodes) {
        LockSupport.parkNanos(LOOK_AGAIN_NS);
      } else {
        report(List.of());
      }
    }
  }

  /** The full cluster that W2 to W4 start from, however long that takes. */
  void fillBefore() {
    if (options.scheduler != Scheduler.CAPACITY_ASYNC) {
      fill(new Phase(cluster), FILL_BEFORE_S);
    } else {
      // Its threads now and then keep a little room reserved that they never come to use: what is full enough for completions will do
      // once nothing moves any more.
      int before;
      do {
        before = cluster.running();
        fill(new Phase(cluster), STALLED_S);
      } while (cluster.running() > before);
    }
    if (cluster.running() < cluster.size.enoughRunning()) {
      throw new IllegalStateException("the cluster does not fill: " + cluster.running() + " containers run");
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
