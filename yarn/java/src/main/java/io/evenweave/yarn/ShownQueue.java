package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueCapacityVector;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueCapacityVector.ResourceUnitCapacityType;

/** A queue as the core shows it, at one moment. Which figures there are depends on the scheduler. */
final class ShownQueue {
  private static final ResourceUnitCapacityType[] UNITS =
      {ResourceUnitCapacityType.PERCENTAGE, ResourceUnitCapacityType.ABSOLUTE, ResourceUnitCapacityType.WEIGHT};

  final String name;
  final boolean leaf;
  final String state;
  final Resource maximumAllocation;
  final List<ShownQueue> children = new ArrayList<>();
  // Of a FairScheduler.
  float weight;
  Resource fairShare;
  Resource steadyFairShare;
  Resource demand;
  Resource minShare;
  Resource maxShare;
  int maxRunningApps;
  boolean preemptable;
  String policy;
  Resource amUsed;
  Resource amLimit;
  /** Of a leaf: applications that wait, and those that run without having had a container. */
  int pendingApps;
  int activeApps;
  // Of a CapacityScheduler; percents.
  float capacity;
  float maximumCapacity;
  float usedCapacity;
  float absoluteCapacity;
  float absoluteMaximumCapacity;
  float absoluteUsedCapacity;
  Resource reserved;
  Resource pending;
  float normalizedWeight;
  long applications;
  long containers;
  Resource configuredMaximumAllocation;
  Resource configuredMinimum;
  Resource configuredMaximum;
  float maxAmPart;
  final QueueCapacityVector vector = new QueueCapacityVector();
  int priority;
  int maxParallelApps;
  boolean isAbsolute;
  String mode;
  String ordering;
  String eligibility;
  boolean isManagedParent;
  String creation;
  /** Null of a queue for queues. */
  Leaf ofLeaf;
  // Of both.
  Resource used;
  /** Null until the core's answer has been taken whole. */
  Measured measured;

  private ShownQueue(Wire in) {
    name = in.readText();
    leaf = in.readFlag();
    state = in.readText();
    maximumAllocation = in.readResource();
  }

  static ShownQueue fair(Wire in) {
    ShownQueue queue = new ShownQueue(in);
    queue.weight = in.readFloat();
    queue.fairShare = in.readResource();
    queue.steadyFairShare = in.readResource();
    queue.used = in.readResource();
    queue.demand = in.readResource();
    queue.minShare = in.readResource();
    queue.maxShare = in.readResource();
    queue.maxRunningApps = in.readInt();
    queue.preemptable = in.readFlag();
    queue.policy = in.readText();
    queue.amUsed = in.readResource();
    queue.amLimit = in.readResource();
    queue.pendingApps = in.readInt();
    queue.activeApps = in.readInt();
    return queue;
  }

  static ShownQueue capacity(Wire in) {
    ShownQueue queue = new ShownQueue(in);
    queue.capacity = in.readFloat();
    queue.maximumCapacity = in.readFloat();
    queue.usedCapacity = in.readFloat();
    queue.absoluteCapacity = in.readFloat();
    queue.absoluteMaximumCapacity = in.readFloat();
    queue.absoluteUsedCapacity = in.readFloat();
    queue.used = in.readResource();
    queue.reserved = in.readResource();
    queue.pending = in.readResource();
    queue.minShare = in.readResource();
    queue.maxShare = in.readResource();
    queue.normalizedWeight = in.readFloat();
    queue.applications = in.readLong();
    queue.containers = in.readLong();
    queue.configuredMaximumAllocation = in.readResource();
    queue.weight = in.readFloat();
    queue.configuredMinimum = in.readResource();
    queue.configuredMaximum = in.readResource();
    queue.maxAmPart = in.readFloat();
    in.readList(() -> {
      String type = in.readText();
      ResourceUnitCapacityType unit = UNITS[in.readByte()];
      queue.vector.setResource(type, Double.parseDouble(in.readText()), unit);
      return type;
    });
    queue.priority = in.readInt();
    queue.maxParallelApps = in.readInt();
    queue.isAbsolute = in.readFlag();
    queue.mode = in.readText();
    queue.ordering = in.readText();
    queue.eligibility = in.readText();
    queue.isManagedParent = in.readFlag();
    queue.creation = in.readText();
    queue.ofLeaf = queue.leaf ? new Leaf(in) : null;
    return queue;
  }

  /** What Hadoop's metrics have of a queue at the same moment. */
  static final class Measured {
    final int allocatedContainers;
    final int pendingContainers;
    final int reservedContainers;
    final Resource reserved;

    Measured(QueueMetrics metrics) {
      allocatedContainers = metrics.getAllocatedContainers();
      pendingContainers = metrics.getPendingContainers();
      reservedContainers = metrics.getReservedContainers();
      reserved = Resource.newInstance(metrics.getReservedMB(), metrics.getReservedVirtualCores());
    }
  }

  /** What a leaf queue of a CapacityScheduler has besides. */
  static final class Leaf {
    final int active;
    final int pending;
    final int maxApplications;
    final int maxApplicationsPerUser;
    final float userLimit;
    final float userLimitFactor;
    final float amPart;
    final Resource amLimit;
    final Resource amUsed;
    final Resource userAmLimit;
    final boolean preemptionDisabled;
    final boolean intraQueuePreemptionDisabled;
    final int defaultPriority;
    final long maximumLifetime;
    final long defaultLifetime;
    final List<User> users;

    private Leaf(Wire in) {
      active = in.readInt();
      pending = in.readInt();
      maxApplications = in.readInt();
      maxApplicationsPerUser = in.readInt();
      userLimit = in.readFloat();
      userLimitFactor = in.readFloat();
      amPart = in.readFloat();
      amLimit = in.readResource();
      amUsed = in.readResource();
      userAmLimit = in.readResource();
      preemptionDisabled = in.readFlag();
      intraQueuePreemptionDisabled = in.readFlag();
      defaultPriority = in.readInt();
      maximumLifetime = in.readLong();
      defaultLifetime = in.readLong();
      users = in.readList(() -> new User(in));
    }
  }

  /** A user of such a queue. */
  static final class User {
    final String name;
    final Resource used;
    final int pending;
    final int active;
    final Resource amUsed;
    final Resource amLimit;
    final Resource limit;
    final float weight;
    final boolean isActive;

    private User(Wire in) {
      name = in.readText();
      used = in.readResource();
      pending = in.readInt();
      active = in.readInt();
      amUsed = in.readResource();
      amLimit = in.readResource();
      limit = in.readResource();
      weight = in.readFloat();
      isActive = in.readFlag();
    }
  }

  /** The name of the queue above; null of the root. */
  String parent() {
    int dot = name.lastIndexOf('.');
    return dot < 0 ? null : name.substring(0, dot);
  }
}
