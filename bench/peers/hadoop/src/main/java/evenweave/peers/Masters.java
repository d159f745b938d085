package evenweave.peers;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ResourceRequest;

/**
 * The ApplicationMasters: what each wants and holds, and their allocate calls. One thread has them; what they were given is put into a
 * queue a node, out of which the thread that reports for the nodes takes what completes.
 */
final class Masters {
  private static final long SEED = 42;

  final Times allocates = new Times();
  private final Cluster cluster;
  private final int[] wanted;
  private final int[] held;
  /** W4's, one an application; null elsewhere. */
  private final Tasks[] tasks;
  private final ConcurrentLinkedQueue<ContainerId>[] byNode;
  private int next;

  /** Each application asks for all that it wants; then one update. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  Masters(Cluster cluster, boolean withTasks) {
    this.cluster = cluster;
    Size size = cluster.size;
    wanted = new int[size.apps];
    held = new int[size.apps];
    tasks = withTasks ? new Tasks[size.apps] : null;
    byNode = new ConcurrentLinkedQueue[size.nodes];
    Arrays.setAll(byNode, node -> new ConcurrentLinkedQueue<>());
    Arrays.setAll(wanted, size::wanted);
    if (withTasks) {
      Random random = new Random(SEED);
      for (int app = 0; app < size.apps; app++) {
        tasks[app] = new Tasks(random, size.nodes);
        for (int i = 0; i < wanted[app]; i++) {
          tasks[app].add();
        }
      }
    }
    for (int app = 0; app < size.apps; app++) {
      call(app, rows(app));
    }
    cluster.update();
  }

  /** Each application in order fetches what it was granted. */
  void fetchAll() {
    for (int app = 0; app < wanted.length; app++) {
      call(app, List.of());
    }
  }

  /** An application wants so many more, and says so. */
  void change(int app, int by) {
    wanted[app] += by;
    call(app, rows(app));
  }

  /** The containers that the node has held the longest. */
  ConcurrentLinkedQueue<ContainerId> of(int node) {
    return byNode[node];
  }

  /** Steps 2 and 3: containers of these applications have completed; each asks anew, then one more in turn calls. */
  void answer(int[] owners) {
    Arrays.sort(owners);
    for (int i = 0; i < owners.length; i++) {
      int app = owners[i];
      held[app]--;
      if (tasks != null) {
        tasks[app].add();
      }
      boolean last = i + 1 == owners.length || owners[i + 1] != app;
      if (last) {
        call(app, rows(app));
      }
    }
    call(next, List.of());
    next = (next + 1) % wanted.length;
  }

  private List<ResourceRequest> rows(int app) {
    if (tasks != null) {
      return tasks[app].takeRows();
    }
    return List.of(Rows.row(ResourceRequest.ANY, Math.max(0, wanted[app] - held[app])));
  }

  private void call(int app, List<ResourceRequest> rows) {
    for (Container container : cluster.allocate(app, rows, allocates)) {
      int node = Size.nodeNumber(container.getNodeId().getHost());
      held[app]++;
      if (tasks != null) {
        tasks[app].serve(node);
      }
      byNode[node].add(container.getId());
    }
  }
}
