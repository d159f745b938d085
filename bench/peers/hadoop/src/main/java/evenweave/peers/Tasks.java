package evenweave.peers;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ResourceRequest;

/** W4: an application's pending tasks, oldest first, and how many of them name each location. */
final class Tasks {
  private static final int NODES_A_TASK = 3;

  /** All locations that a task names: distinct nodes in the order in which they were drawn, their racks, anywhere. */
  private static final class Task {
    final Set<String> locations = new LinkedHashSet<>();

    Task(Random random, int clusterNodes) {
      Set<Integer> nodes = new LinkedHashSet<>();
      while (nodes.size() < NODES_A_TASK) {
        nodes.add(random.nextInt(clusterNodes));
      }
      nodes.forEach(node -> locations.add(Size.host(node)));
      nodes.forEach(node -> locations.add(Size.rack(node)));
      locations.add(ResourceRequest.ANY);
    }
  }

  private final Random random;
  private final int clusterNodes;
  private final List<Task> pending = new ArrayList<>();
  private final Map<String, Integer> counts = new LinkedHashMap<>();
  private final Set<String> changed = new LinkedHashSet<>();

  /** {@code random} is one for all applications. */
  Tasks(Random random, int clusterNodes) {
    this.random = random;
    this.clusterNodes = clusterNodes;
  }

  /** One more task is pending. */
  void add() {
    Task task = new Task(random, clusterNodes);
    pending.add(task);
    count(task, 1);
  }

  /** A container on the node came: it serves the oldest task naming the node, else its rack, else the oldest of all. */
  void serve(int node) {
    Task served = oldestNaming(Size.host(node));
    if (served == null) {
      served = oldestNaming(Size.rack(node));
    }
    if (served == null && !pending.isEmpty()) {
      served = pending.get(0);
    }
    if (served != null) {
      pending.remove(served);
      count(served, -1);
    }
  }

  private Task oldestNaming(String location) {
    // The table knows whether any does, which for a node is mostly no: then the list need not be walked.
    if (counts.getOrDefault(location, 0) == 0) {
      return null;
    }
    for (Task task : pending) {
      if (task.locations.contains(location)) {
        return task;
      }
    }
    throw new IllegalStateException("the table has tasks for " + location + ", and none names it");
  }

  private void count(Task task, int by) {
    for (String location : task.locations) {
      counts.merge(location, by, Integer::sum);
      changed.add(location);
    }
  }

  /** A row for each location whose count changed since the last call, with the count as it is. */
  List<ResourceRequest> takeRows() {
    List<ResourceRequest> rows = new ArrayList<>(changed.size());
    for (Iterator<String> locations = changed.iterator(); locations.hasNext(); locations.remove()) {
      String location = locations.next();
      int count = counts.get(location);
      rows.add(Rows.row(location, count));
      if (count == 0) {
        counts.remove(location);
      }
    }
    return rows;
  }
}
