package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.Resource;

/** A queue as the core shows it, at one moment. Which figures there are depends on the scheduler. */
final class ShownQueue {
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
  // Of both.
  Resource used;

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
    return queue;
  }

  /** The name of the queue above; null of the root. */
  String parent() {
    int dot = name.lastIndexOf('.');
    return dot < 0 ? null : name.substring(0, dot);
  }
}
