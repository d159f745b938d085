package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;

/** A node as the ResourceManager sees it. What its heartbeats say of containers is collected here for the core. */
final class EvenweaveNode extends SchedulerNode {
  /** As the core counts nodes; set once, when the core knows it. */
  volatile int number = -1;
  /** Its name there: with the port where another node of the host was first. */
  volatile String nameInCore;
  /** Of the containers that are charged here. */
  private final Map<ContainerId, CoreId> ids = new HashMap<>();
  private List<CoreId> launched = new ArrayList<>();
  private List<CoreId> completed = new ArrayList<>();
  /** The core has reserved this node for it. */
  private SchedulerApplicationAttempt reservedFor;
  /** What a node that registers has brought. */
  private List<RMContainer> recovered = new ArrayList<>();

  EvenweaveNode(RMNode node, boolean usePortForNodeName) {
    super(node, usePortForNodeName);
    nameInCore = getNodeName();
  }

  synchronized void allocate(RMContainer container, CoreId id) {
    ids.put(container.getContainerId(), id);
    allocateContainer(container);
  }

  synchronized void know(ContainerId container, CoreId id) {
    ids.put(container, id);
  }

  synchronized CoreId coreId(ContainerId container) {
    return ids.get(container);
  }

  @Override
  public synchronized void containerStarted(ContainerId containerId) {
    super.containerStarted(containerId);
    CoreId id = ids.get(containerId);
    if (id != null) {
      launched.add(id);
    }
  }

  @Override
  public synchronized void releaseContainer(ContainerId containerId, boolean releasedByNode) {
    super.releaseContainer(containerId, releasedByNode);
    if (isValidContainer(containerId)) {
      return;
    }
    CoreId id = ids.remove(containerId);
    if (id != null && releasedByNode) {
      completed.add(id);
    }
  }

  @Override
  public synchronized void recoverContainer(RMContainer container) {
    super.recoverContainer(container);
    if (isValidContainer(container.getContainerId())) {
      recovered.add(container);
    }
  }

  synchronized List<CoreId> takeLaunched() {
    List<CoreId> taken = launched;
    launched = new ArrayList<>();
    return taken;
  }

  synchronized List<CoreId> takeCompleted() {
    List<CoreId> taken = completed;
    completed = new ArrayList<>();
    return taken;
  }

  synchronized List<RMContainer> takeRecovered() {
    List<RMContainer> taken = recovered;
    recovered = new ArrayList<>();
    return taken;
  }

  /** Whose the reservation is; null where there is none. */
  synchronized SchedulerApplicationAttempt reservedFor() {
    return reservedFor;
  }

  @Override
  public synchronized void reserveResource(SchedulerApplicationAttempt attempt, SchedulerRequestKey key, RMContainer container) {
    setReservedContainer(container);
    reservedFor = attempt;
  }

  @Override
  public synchronized void unreserveResource(SchedulerApplicationAttempt attempt) {
    setReservedContainer(null);
    reservedFor = null;
  }
}
