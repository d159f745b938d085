package io.evenweave.yarn;

import java.lang.reflect.Constructor;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerLeafQueueInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerQueueInfo;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.CapacitySchedulerQueueInfoList;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerInfo;

/** {@code /ws/v1/cluster/scheduler} of a CapacityScheduler: Hadoop's own data objects, filled with what the core shows. */
final class CapacityAnswer {
  private final EvenweaveScheduler scheduler;

  CapacityAnswer(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  SchedulerInfo of(ShownQueue root) {
    CapacitySchedulerInfo info = new CapacitySchedulerInfo();
    if (root != null) {
      Fields.of(info).set("capacity", percent(root.capacity)).set("usedCapacity", root.usedCapacity * 100)
          .set("maxCapacity", percent(root.maximumCapacity)).set("queueName", scheduler.shownName(root))
          .set("queuePath", root.name).set("queues", below(root));
    }
    return info;
  }

  private CapacitySchedulerQueueInfoList below(ShownQueue of) {
    CapacitySchedulerQueueInfoList list = new CapacitySchedulerQueueInfoList();
    // As in Hadoop: leaf queues first.
    of.children.stream().filter(child -> child.leaf).forEach(child -> list.addToQueueInfoList(queue(child)));
    of.children.stream().filter(child -> !child.leaf).forEach(child -> list.addToQueueInfoList(queue(child)));
    return list;
  }

  private CapacitySchedulerQueueInfo queue(ShownQueue of) {
    CapacitySchedulerQueueInfo info = of.leaf ? made(CapacitySchedulerLeafQueueInfo.class) : made(CapacitySchedulerQueueInfo.class);
    QueueMetrics metrics = scheduler.queues.get(of.name).getMetrics();
    Fields fields = Fields.of(info).set("queuePath", of.name).set("capacity", percent(of.capacity))
        .set("usedCapacity", of.usedCapacity * 100).set("maxCapacity", percent(of.maximumCapacity))
        .set("absoluteCapacity", percent(of.absoluteCapacity)).set("absoluteMaxCapacity", percent(of.absoluteMaximumCapacity))
        .set("absoluteUsedCapacity", percent(of.absoluteUsedCapacity))
        .set("numApplications", metrics.getAppsRunning() + metrics.getAppsPending()).set("queueName", scheduler.shownName(of))
        .set("state", QueueState.valueOf(of.state)).resource("resourcesUsed", of.used)
        .set("allocatedContainers", (long) metrics.getAllocatedContainers())
        .set("reservedContainers", (long) metrics.getReservedContainers())
        .set("pendingContainers", (long) metrics.getPendingContainers());
    if (of.leaf) {
      fields.set("numContainers", metrics.getAllocatedContainers());
    } else {
      fields.set("queues", below(of));
    }
    return info;
  }

  private static <T> T made(Class<T> type) {
    try {
      Constructor<T> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " cannot be made", e);
    }
  }

  /** Between none and all, as Hadoop shows parts of a queue or a cluster. */
  private static float percent(float part) {
    return Math.min(Math.max(part, 0), 1) * 100;
  }
}
