package io.evenweave.yarn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.QueueStatistics;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.util.Records;
import org.apache.hadoop.yarn.util.resource.Resources;

/** The queues: Hadoop's objects of them, and what the core shows of them, which is asked for now and then. */
final class Queues {
  /** What is shown is not asked for again before. */
  private static final long FRESH_MS = 500;

  private final EvenweaveScheduler scheduler;
  private final Map<String, EvenweaveQueue> byName = new ConcurrentHashMap<>();
  private volatile Map<String, ShownQueue> shown = Collections.emptyMap();
  private volatile long shownAt;

  Queues(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Queues have come or gone, or what is in them has been moved: who looks next sees it. By whoever may wait for the core. */
  void changed() {
    refresh();
  }

  /** What is shown is asked for again by whoever looks next and may. */
  void mayHaveChanged() {
    shownAt = 0;
  }

  /** A queue may have come. By whoever holds the core's lock. */
  void mayHaveCome(String name) {
    if (!shown.containsKey(name)) {
      refresh();
    }
  }

  /** Hadoop's object of a queue, by its full name. It is made with those above where it is not there. */
  EvenweaveQueue get(String name) {
    EvenweaveQueue known = byName.get(name);
    if (known != null) {
      return known;
    }
    int dot = name.lastIndexOf('.');
    EvenweaveQueue parent = dot < 0 ? null : get(name.substring(0, dot));
    return byName.computeIfAbsent(name, of -> new EvenweaveQueue(scheduler, of, scheduler.metricsOf(of, parent)));
  }

  /** What the core shows. Called under locks that others take who hold the core's: nobody waits for it here. */
  Map<String, ShownQueue> shown() {
    if (System.nanoTime() / 1_000_000 - shownAt > FRESH_MS && scheduler.core.tryLock()) {
      try {
        refresh();
      } finally {
        scheduler.core.unlock();
      }
    }
    return shown;
  }

  /** What the core shows at this moment. By whoever may wait for it. */
  Map<String, ShownQueue> now() {
    refresh();
    return shown;
  }

  private void refresh() {
    try {
      List<ShownQueue> all =
          scheduler.core.ask(out -> out.command(Wire.QUEUES), in -> in.readList(() -> scheduler.readQueue(in)));
      Map<String, ShownQueue> map = new LinkedHashMap<>();
      all.forEach(queue -> map.put(queue.name, queue));
      for (ShownQueue queue : all) {
        ShownQueue parent = queue.parent() == null ? null : map.get(queue.parent());
        if (parent != null) {
          parent.children.add(queue);
        }
      }
      for (ShownQueue queue : all) {
        QueueMetrics metrics = get(queue.name).getMetrics();
        scheduler.measure(queue, metrics);
        queue.measured = new ShownQueue.Measured(metrics);
      }
      shown = map;
      shownAt = System.nanoTime() / 1_000_000;
    } catch (CoreRefusal stopped) {
      EvenweaveScheduler.LOG.debug("No queues: {}", stopped.getMessage());
    }
  }

  /** A queue by a name that may lack {@code root.}; null where there is none. */
  ShownQueue find(String name) {
    if (name == null) {
      return null;
    }
    Map<String, ShownQueue> all = shown();
    ShownQueue found = all.get(name);
    if (found == null) {
      found = all.get("root." + name);
    }
    return found != null ? found : scheduler.findByShortName(all, name);
  }

  QueueInfo info(String name, boolean children, boolean recursive) throws IOException {
    ShownQueue state = find(name);
    if (state == null) {
      throw new IOException(scheduler.noQueue(name));
    }
    return info(state, children, recursive);
  }

  QueueInfo info(EvenweaveQueue queue, boolean children, boolean recursive) {
    ShownQueue state = shown().get(queue.getQueueName());
    if (state != null) {
      return info(state, children, recursive);
    }
    // It has gone with the last application in it.
    QueueInfo info = Records.newRecord(QueueInfo.class);
    info.setQueueName(queue.getQueueName());
    info.setQueueState(QueueState.STOPPED);
    info.setChildQueues(Collections.emptyList());
    return info;
  }

  private QueueInfo info(ShownQueue state, boolean children, boolean recursive) {
    QueueInfo info = Records.newRecord(QueueInfo.class);
    info.setQueueName(scheduler.shownName(state));
    info.setQueuePath(state.name);
    info.setQueueState(QueueState.valueOf(state.state));
    info.setAccessibleNodeLabels(scheduler.accessibleLabels());
    scheduler.fillIn(info, state);
    List<QueueInfo> below = new ArrayList<>();
    if (children) {
      state.children.forEach(child -> below.add(info(child, recursive, recursive)));
    }
    info.setChildQueues(below);
    info.setQueueStatistics(statistics(get(state.name).getMetrics()));
    return info;
  }

  private static QueueStatistics statistics(QueueMetrics metrics) {
    QueueStatistics stats = Records.newRecord(QueueStatistics.class);
    stats.setNumAppsSubmitted(metrics.getAppsSubmitted());
    stats.setNumAppsRunning(metrics.getAppsRunning());
    stats.setNumAppsPending(metrics.getAppsPending());
    stats.setNumAppsCompleted(metrics.getAppsCompleted());
    stats.setNumAppsKilled(metrics.getAppsKilled());
    stats.setNumAppsFailed(metrics.getAppsFailed());
    stats.setNumActiveUsers(metrics.getActiveUsers());
    stats.setAvailableMemoryMB(metrics.getAvailableMB());
    stats.setAllocatedMemoryMB(metrics.getAllocatedMB());
    stats.setPendingMemoryMB(metrics.getPendingMB());
    stats.setReservedMemoryMB(metrics.getReservedMB());
    stats.setAvailableVCores(metrics.getAvailableVirtualCores());
    stats.setAllocatedVCores(metrics.getAllocatedVirtualCores());
    stats.setPendingVCores(metrics.getPendingVirtualCores());
    stats.setReservedVCores(metrics.getReservedVirtualCores());
    stats.setAllocatedContainers(metrics.getAllocatedContainers());
    stats.setPendingContainers(metrics.getPendingContainers());
    stats.setReservedContainers(metrics.getReservedContainers());
    return stats;
  }

  /** The most that one container may have in a queue, of the cluster's most. */
  Resource maximum(String name, Resource ofCluster) {
    ShownQueue state = find(name);
    return state == null ? ofCluster : Resources.componentwiseMin(ofCluster, state.maximumAllocation);
  }
}
