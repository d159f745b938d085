package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;

/** Containers begin and end: what the core says happens in Hadoop's books, and what happens there is told to the core. */
final class Containers {
  private static final org.slf4j.Logger LOG = EvenweaveScheduler.LOG;

  private final EvenweaveScheduler scheduler;
  /** Live containers by the core's ids. */
  private final Map<CoreId, RMContainer> live = new ConcurrentHashMap<>();
  /** What ends now has ended in the core already; under the core's lock. */
  private boolean coreKnows;
  /** What ends now is collected, to be told at once; under the core's lock. */
  private List<CoreId> collected;

  Containers(EvenweaveScheduler scheduler) {
    this.scheduler = scheduler;
  }

  // ------------------------------------------------------------------------------------------------ what the core says

  /** What has happened in the core; under its lock. */
  void take(List<Granted> granted, List<Reserved> reserved, List<CoreId> preempted) {
    for (Granted one : granted) {
      EvenweaveAttempt attempt = scheduler.apps.attempt(one.application);
      EvenweaveNode node = scheduler.nodes.get(one.node);
      if (attempt == null || node == null) {
        LOG.error("A container was granted that is nobody's: {}", one.id);
        continue;
      }
      attempt.granted(node, one, live);
      scheduler.noteGrant(node.getNodeID(), attempt.getQueueName(), one.size);
    }
    // After the grants: what a node was reserved for may be among them, and has its number from the reservation.
    reserved.forEach(this::take);
    for (CoreId id : preempted) {
      RMContainer container = live.get(id);
      if (container == null) {
        // It has ended here meanwhile.
        continue;
      }
      LOG.info("Preempted container {}", container.getContainerId());
      endKnown(() -> scheduler.completedContainer(container, SchedulerUtils.createPreemptedContainerStatus(
          container.getContainerId(), SchedulerUtils.PREEMPTED_CONTAINER), RMContainerEventType.KILL));
    }
    if (!granted.isEmpty() || !reserved.isEmpty() || !preempted.isEmpty()) {
      scheduler.showAvailable();
    }
  }

  /** A node is reserved for something else than before, or for nothing. */
  private void take(Reserved now) {
    EvenweaveNode node = scheduler.nodes.get(now.node);
    if (node == null) {
      return;
    }
    unreserve(node);
    EvenweaveAttempt attempt = now.stands ? scheduler.apps.attempt(now.application) : null;
    if (attempt != null && !attempt.isStopped()) {
      attempt.reserve(node, now);
      scheduler.noteReservation(node.getNodeID(), attempt.getQueueName(), now.resource);
    }
  }

  void unreserve(EvenweaveNode node) {
    RMContainer before = node.getReservedContainer();
    if (before != null) {
      ((EvenweaveAttempt) node.reservedFor()).unreserve(node, before);
    }
  }

  /** Adds those of the containers that are live. */
  void addLive(List<CoreId> of, Set<ContainerId> to) {
    for (CoreId id : of) {
      RMContainer container = live.get(id);
      if (container != null) {
        to.add(container.getContainerId());
      }
    }
  }

  // ------------------------------------------------------------------------------------------------ what the core is told

  /** The core takes a container over that a node has brought, and that Hadoop's books have already. */
  void recover(EvenweaveNode node, RMContainer container) {
    ContainerId id = container.getContainerId();
    EvenweaveAttempt attempt = scheduler.getCurrentAttemptForContainer(id);
    if (attempt == null || !attempt.isInCore) {
      return;
    }
    SchedulerRequestKey key = container.getAllocatedSchedulerKey();
    try {
      CoreId coreId = scheduler.core.ask(out -> out.command(Wire.RECOVER).number(attempt.application.number).number(node.number)
          .number(id.getApplicationAttemptId().getAttemptId()).number((int) id.getContainerId())
          .number(key.getPriority().getPriority()).wide(key.getAllocationRequestId())
          .resource(container.getAllocatedResource()).flag(container.isAMContainer())
          .number((int) (id.getContainerId() >>> ResourceManager.EPOCH_BIT_SHIFT)), Wire::readContainer);
      node.know(id, coreId);
      if (attempt.getRMContainer(id) == null) {
        // Given back meanwhile.
        release(attempt, Collections.singletonList(coreId));
      } else {
        live.put(coreId, container);
      }
    } catch (CoreRefusal refusal) {
      LOG.error("{} is not known to the core: {}", id, refusal.getMessage());
    }
  }

  /** What ends meanwhile has ended in the core. Under the core's lock. */
  void endKnown(Runnable ending) {
    boolean before = coreKnows;
    coreKnows = true;
    try {
      ending.run();
    } finally {
      coreKnows = before;
    }
  }

  /** What ends meanwhile the core is told of in one crossing. Under the core's lock. */
  void endTogether(EvenweaveAttempt attempt, Runnable ending) {
    collected = new ArrayList<>();
    try {
      ending.run();
    } finally {
      List<CoreId> ended = collected;
      collected = null;
      release(attempt, ended);
    }
  }

  private void release(EvenweaveAttempt attempt, List<CoreId> containers) {
    if (!containers.isEmpty()) {
      scheduler.core.tellIfThere(out -> out.command(Wire.RELEASE).number(attempt.application.number).containers(containers));
    }
  }

  /** A container that a node says has ended. The core hears of it with the node's heartbeat. Whose it was; null where it had ended before. */
  EvenweaveAttempt finished(RMContainer container, ContainerStatus status) {
    ContainerId id = container.getContainerId();
    EvenweaveAttempt attempt = attemptOf(id, RMContainerEventType.FINISHED);
    EvenweaveNode node = scheduler.getSchedulerNode(container.getAllocatedNode());
    if (attempt == null || !attempt.completed(container, status, RMContainerEventType.FINISHED)) {
      return null;
    }
    CoreId coreId = node == null ? null : node.coreId(id);
    if (coreId != null) {
      live.remove(coreId);
    }
    if (node != null) {
      // One that ends before its node has said that it runs would be gone from there, and the core would not hear of it.
      node.releaseContainer(id, true);
    }
    return attempt;
  }

  /** The same of a container that ends by anything else; by whoever holds the core's lock. */
  EvenweaveAttempt ended(RMContainer container, ContainerStatus status, RMContainerEventType event) {
    ContainerId id = container.getContainerId();
    EvenweaveAttempt attempt = attemptOf(id, event);
    if (attempt == null) {
      return null;
    }
    EvenweaveNode node = scheduler.getSchedulerNode(container.getAllocatedNode());
    CoreId coreId = node == null ? null : node.coreId(id);
    if (!attempt.completed(container, status, event)) {
      return null;
    }
    if (coreId != null) {
      live.remove(coreId);
      if (!coreKnows && collected != null) {
        collected.add(coreId);
      } else if (!coreKnows) {
        release(attempt, Collections.singletonList(coreId));
      }
    }
    if (node != null) {
      node.releaseContainer(id, false);
    }
    scheduler.noteEnd(container, status.getExitStatus() == ContainerExitStatus.PREEMPTED);
    scheduler.showAvailable();
    return attempt;
  }

  private EvenweaveAttempt attemptOf(ContainerId id, RMContainerEventType event) {
    EvenweaveAttempt attempt = scheduler.getCurrentAttemptForContainer(id);
    if (attempt == null) {
      LOG.info("Container {} of finished application completed with event {}", id, event);
    }
    return attempt;
  }
}
