package io.evenweave.yarn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.LogAggregationContext;
import org.apache.hadoop.yarn.api.records.NMToken;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.UpdateContainerError;
import org.apache.hadoop.yarn.server.api.ContainerType;
import org.apache.hadoop.yarn.server.resourcemanager.ClusterMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.RMAuditLogger;
import org.apache.hadoop.yarn.server.resourcemanager.RMAuditLogger.AuditConstants;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerFinishedEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.NodeType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Queue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ContainerRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.PendingAsk;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.AppPlacementAllocator;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;

/** An attempt: Hadoop's books of it. What it asks for is kept here too, for metrics and reports; the core decides by its own. */
final class EvenweaveAttempt extends SchedulerApplicationAttempt {
  private final EvenweaveScheduler scheduler;
  final EvenweaveApplication application;
  /** Who counts its user, unless it is moved. */
  private final AbstractUsersManager users;
  /** The containers of the attempt before are kept. */
  final boolean keepsContainers;
  /** It is the one that the ResourceManager had stored before its restart. Under the core's lock. */
  boolean isRecovered;
  /** The core has begun it. */
  volatile boolean isInCore;
  /** Marked for preemption by the ResourceManager itself, because their node has become too small. */
  private final Set<ContainerId> marked = Collections.synchronizedSet(new LinkedHashSet<>());
  private final long numbersFrom;
  private final LogAggregationContext logAggregation;
  /** The last number of a container within this attempt and ResourceManager. */
  private long lastNumber;
  /** Somebody else has taken a number: from then on the core's are not gone by. */
  private boolean numbersItself;
  /** By the core's number: of reservations that were made since then. */
  private final Map<Long, Long> reservedNumbers = new HashMap<>();
  /** The core asks for a master's container under request id 0, the ResourceManager under its own; null when there is none to come. */
  private Long awaitedRequestId;
  /** Containers of one ask have one key. */
  private SchedulerRequestKey lastKey;

  EvenweaveAttempt(EvenweaveScheduler scheduler, EvenweaveApplication application, ApplicationAttemptId id, Queue queue,
      AbstractUsersManager users, boolean keepsContainers, RMContext context) {
    super(id, application.getUser(), queue, users, context);
    this.scheduler = scheduler;
    this.application = application;
    this.keepsContainers = keepsContainers;
    this.users = users;
    this.numbersFrom = context.getEpoch() << ResourceManager.EPOCH_BIT_SHIFT;
    RMApp rmApp = context.getRMApps() == null ? null : context.getRMApps().get(id.getApplicationId());
    ApplicationSubmissionContext submission = rmApp == null ? null : rmApp.getApplicationSubmissionContext();
    this.logAggregation = submission == null ? null : submission.getLogAggregationContext();
  }

  void recovering(boolean recovering) {
    setAttemptRecovering(recovering);
    isRecovered = recovering;
  }

  /** A master's container is asked for by these lines. */
  void awaits(List<ResourceRequest> master) {
    awaitedRequestId = master == null || master.isEmpty() ? null : master.get(0).getAllocationRequestId();
  }

  /** Its master runs in a container. */
  boolean isManaged() {
    return !getUnmanagedAM();
  }

  // ------------------------------------------------------------------------------------------------ containers

  /** A container was granted: it is this attempt's and {@code live} before anybody sees it, and charged on its node. */
  void granted(EvenweaveNode node, Granted granted, Map<CoreId, RMContainer> live) {
    writeLock.lock();
    try {
      SchedulerRequestKey key = keyOf(granted.priority, granted.allocationRequestId);
      awaitedRequestId = null;
      AppPlacementAllocator<EvenweaveNode> asked = appSchedulingInfo.getAppPlacementAllocator(key);
      PendingAsk pending = asked == null ? PendingAsk.ZERO : asked.getPendingAsk(ResourceRequest.ANY);
      Container container =
          container(node, number(granted.id.number()), key, granted.size.toResource(pending.getPerAllocationResource()));
      ContainerId id = container.getId();
      RMContainerImpl made = new RMContainerImpl(container, key, getApplicationAttemptId(), node.getNodeID(), getUser(), rmContext);
      made.setQueueName(getQueueName());
      live.put(granted.id, made);
      addToNewlyAllocatedContainers(node, made);
      liveContainers.put(id, made);
      // One place that is asked for is anywhere.
      boolean namesPlaces = asked != null && asked.getUniqueLocationAsks() > 1;
      NodeType requested = namesPlaces ? NodeType.NODE_LOCAL : NodeType.OFF_SWITCH;
      NodeType type = namesPlaces ? locality(node, asked) : NodeType.OFF_SWITCH;
      if (pending.getCount() > 0) {
        made.setContainerRequest(taken(type, node, key, made));
      } else {
        EvenweaveScheduler.LOG.error("{} was granted for an ask that is not there: {}", id, key);
      }
      attemptResourceUsage.incUsed(container.getResource());
      node.allocate(made, granted.id);
      made.handle(new RMContainerEvent(id, RMContainerEventType.START));
      incNumAllocatedContainers(type, requested);
      RMAuditLogger.logSuccess(getUser(), AuditConstants.ALLOC_CONTAINER, "SchedulerApp", getApplicationId(), id,
          container.getResource(), getQueueName(), null);
    } finally {
      writeLock.unlock();
    }
  }

  /** A container is taken from what is asked for, in the lists of asks and in the metrics. */
  private ContainerRequest taken(NodeType type, EvenweaveNode node, SchedulerRequestKey key, RMContainer made) {
    if (appSchedulingInfo.isPending() || !node.getPartition().isEmpty()) {
      return appSchedulingInfo.allocate(type, node, key, made);
    }
    // The same with one walk through the metrics less: what is allocated is no longer pending.
    ContainerRequest request = appSchedulingInfo.allocate(type, node, key, null);
    queue.getMetrics().allocateResources(node.getPartition(), getUser(), 1, made.getContainer().getResource(), true);
    queue.getMetrics().incrNodeTypeAggregations(getUser(), type);
    ClusterMetrics.getMetrics().incrNumContainerAssigned();
    return request;
  }

  /** A node is reserved for a container of this attempt, whose number it has already. */
  void reserve(EvenweaveNode node, Reserved reserved) {
    writeLock.lock();
    try {
      SchedulerRequestKey key = keyOf(reserved.priority, reserved.allocationRequestId);
      long number = number(reserved.number);
      reservedNumbers.put((long) reserved.number, number);
      RMContainer made = reserve(node, key, null, container(node, number, key, reserved.resource));
      node.reserveResource(this, key, made);
      queue.getMetrics().reserveResource(node.getPartition(), getUser(), reserved.resource);
      EvenweaveScheduler.LOG.info("Reserved container {} on node {}", made.getContainerId(), node.getNodeName());
    } finally {
      writeLock.unlock();
    }
  }

  /** A node is not reserved for it any more: the container has come, or is not wanted. */
  void unreserve(EvenweaveNode node, RMContainer reserved) {
    writeLock.lock();
    try {
      Resource resource = reserved.getContainer().getResource();
      SchedulerRequestKey key = reserved.getReservedSchedulerKey();
      Map<NodeId, RMContainer> ofKey = reservedContainers.get(key);
      if (ofKey != null && ofKey.remove(node.getNodeID()) != null) {
        attemptResourceUsage.decReserved(node.getPartition(), resource);
        reservedNumbers.values().remove(reserved.getContainerId().getContainerId() - numbersFrom);
        if (ofKey.isEmpty()) {
          reservedContainers.remove(key);
        }
      }
      node.unreserveResource(this);
      queue.getMetrics().unreserveResource(node.getPartition(), getUser(), resource);
    } finally {
      writeLock.unlock();
    }
  }

  private SchedulerRequestKey keyOf(int priority, long requestInCore) {
    long requestId = awaitedRequestId == null ? requestInCore : awaitedRequestId;
    if (lastKey == null || lastKey.getPriority().getPriority() != priority || lastKey.getAllocationRequestId() != requestId) {
      lastKey = new SchedulerRequestKey(Priority.newInstance(priority), requestId, null);
    }
    return lastKey;
  }

  private Container container(EvenweaveNode node, long number, SchedulerRequestKey key, Resource resource) {
    ContainerId id = ContainerId.newContainerId(getApplicationAttemptId(), numbersFrom + number);
    return BuilderUtils.newContainer(id, node.getNodeID(), node.getHttpAddress(), resource, key.getPriority(), null,
        key.getAllocationRequestId());
  }

  /** What a container is numbered with that the core numbers so: the same, unless somebody else takes numbers too. */
  private long number(long inCore) {
    Long reserved = reservedNumbers.remove(inCore);
    if (reserved != null) {
      return reserved;
    }
    lastNumber = numbersItself ? lastNumber + 1 : Math.max(lastNumber, inCore);
    return numbersItself ? lastNumber : inCore;
  }

  @Override
  public long getNewContainerId() {
    writeLock.lock();
    try {
      numbersItself = true;
      return numbersFrom + ++lastNumber;
    } finally {
      writeLock.unlock();
    }
  }

  /** How near the core has placed it: as near as was asked for, since nearer asks go first on any node. */
  private static NodeType locality(EvenweaveNode node, AppPlacementAllocator<EvenweaveNode> asked) {
    boolean onRack = asked.getOutstandingAsksCount(node.getRackName()) > 0;
    if (onRack && asked.getOutstandingAsksCount(node.nameInCore) > 0) {
      return NodeType.NODE_LOCAL;
    }
    return onRack ? NodeType.RACK_LOCAL : NodeType.OFF_SWITCH;
  }

  /**
   * The containers that the master has not had yet, with their tokens. Tokens are signed outside the attempt's lock, so that whoever grants need
   * not wait; what ends meanwhile is not handed out.
   */
  @Override
  public List<Container> pullNewlyAllocatedContainers() {
    List<RMContainer> fresh;
    writeLock.lock();
    try {
      fresh = newlyAllocatedContainers;
      newlyAllocatedContainers = new ArrayList<>();
    } finally {
      writeLock.unlock();
    }
    List<RMContainer> signed = new ArrayList<>(fresh.size());
    List<RMContainer> unsigned = new ArrayList<>();
    List<NMToken> tokens = new ArrayList<>();
    for (RMContainer container : fresh) {
      try {
        sign(container, tokens);
        signed.add(container);
      } catch (IllegalArgumentException unknownHost) {
        EvenweaveScheduler.LOG.error("No token for {} now: its node's name is not resolved", container.getContainerId(), unknownHost);
        unsigned.add(container);
      }
    }
    List<Container> given = new ArrayList<>(signed.size());
    writeLock.lock();
    try {
      unsigned.removeIf(container -> !liveContainers.containsKey(container.getContainerId()));
      newlyAllocatedContainers.addAll(0, unsigned);
      updatedNMTokens.addAll(tokens);
      for (RMContainer container : signed) {
        if (liveContainers.containsKey(container.getContainerId())) {
          container.handle(new RMContainerEvent(container.getContainerId(), RMContainerEventType.ACQUIRED));
          given.add(container.getContainer());
        }
      }
    } finally {
      writeLock.unlock();
    }
    return given;
  }

  private void sign(RMContainer made, List<NMToken> tokens) {
    Container container = made.getContainer();
    container.setContainerToken(rmContext.getContainerTokenSecretManager().createContainerToken(container.getId(), container.getVersion(),
        container.getNodeId(), getUser(), container.getResource(), container.getPriority(), made.getCreationTime(),
        logAggregation, made.getNodeLabelExpression(),
        isWaitingForAMContainer() ? ContainerType.APPLICATION_MASTER : ContainerType.TASK, container.getExecutionType(),
        container.getAllocationRequestId(), made.getAllocationTags()));
    container.setAllocationTags(made.getAllocationTags());
    NMToken token = rmContext.getNMTokenSecretManager().createAndGetNMToken(getUser(), getApplicationAttemptId(), container);
    if (token != null) {
      tokens.add(token);
    }
  }

  /** A container has ended. False where it had before. */
  boolean completed(RMContainer container, ContainerStatus status, RMContainerEventType event) {
    writeLock.lock();
    try {
      ContainerId id = container.getContainerId();
      if (liveContainers.remove(id) == null) {
        EvenweaveScheduler.LOG.info("Additional complete request on completed container {}", id);
        return false;
      }
      // The list may be long, and what its master has had is not in it.
      if (container.getState() == RMContainerState.ALLOCATED) {
        newlyAllocatedContainers.remove(container);
      }
      marked.remove(id);
      container.handle(new RMContainerFinishedEvent(id, status, event));
      if (status.getDiagnostics().equals(SchedulerUtils.PREEMPTED_CONTAINER)) {
        queue.getMetrics().preemptContainer();
      }
      Resource resource = container.getContainer().getResource();
      queue.getMetrics().releaseResources(container.getNodeLabelExpression(), getUser(), 1, resource);
      attemptResourceUsage.decUsed(resource);
      lastMemoryAggregateAllocationUpdateTime = -1;
      return true;
    } finally {
      writeLock.unlock();
    }
  }

  /** By the thread that was asked to end it, whose caller's address is logged. */
  void auditEnd(RMContainer container) {
    RMAuditLogger.logSuccess(getUser(), AuditConstants.RELEASE_CONTAINER, "SchedulerApp", getApplicationId(), container.getContainerId(),
        container.getContainer().getResource(), container.getQueueName(), null);
  }

  void mark(ContainerId id) {
    if (liveContainers.containsKey(id)) {
      marked.add(id);
    }
  }

  Set<ContainerId> marked() {
    synchronized (marked) {
      return new LinkedHashSet<>(marked);
    }
  }

  void refuse(UpdateContainerError error) {
    addToUpdateContainerErrors(error);
  }

  // ------------------------------------------------------------------------------------------------ asks

  /**
   * Labels are not known here. YARN refuses asks with one, but not those for the master of an application that it has recovered. What is
   * pending is counted by the label of the ask, and what is granted by that of the node: both are of the default partition.
   */
  void dropLabels(List<ResourceRequest> asks) {
    for (ResourceRequest ask : asks) {
      String label = ask.getNodeLabelExpression();
      if (label != null && !label.isEmpty()) {
        EvenweaveScheduler.LOG.warn("{} asks for nodes with the label {}, which is not known here: it gets others", getApplicationAttemptId(),
            label);
        ask.setNodeLabelExpression(RMNodeLabelsManager.NO_LABEL);
      }
    }
  }

  /** The container ended before its master saw it: what it was taken from is asked for again. */
  @Override
  public void recoverResourceRequestsForContainer(ContainerRequest request) {
    scheduler.core.lock();
    try {
      super.recoverResourceRequestsForContainer(request);
      if (!isStopped && request.getResourceRequests() != null) {
        scheduler.masters.askAgain(this, outstanding(request.getResourceRequests()));
      }
    } finally {
      scheduler.core.unlock();
    }
  }

  /** The same lines, with what is outstanding of each now. */
  private List<ResourceRequest> outstanding(List<ResourceRequest> lines) {
    List<ResourceRequest> now = new ArrayList<>();
    for (ResourceRequest line : lines) {
      PendingAsk pending = getPendingAsk(SchedulerRequestKey.create(line), line.getResourceName());
      ResourceRequest copy = ResourceRequest.clone(line);
      copy.setNumContainers(pending.getCount());
      now.add(copy);
    }
    return now;
  }

  /** It is over: its user does not count as one who asks for something, neither where it began nor where it was moved to. */
  void asksNoMore() {
    users.deactivateApplication(getUser(), getApplicationId());
    queue.getAbstractUsersManager().deactivateApplication(getUser(), getApplicationId());
  }

  /** All that is outstanding, taken back: its end in the core comes with the next attempt. */
  List<ResourceRequest> takenBack() {
    List<ResourceRequest> all = appSchedulingInfo.getAllResourceRequests();
    List<ResourceRequest> none = new ArrayList<>(all.size());
    for (ResourceRequest line : all) {
      ResourceRequest copy = ResourceRequest.clone(line);
      copy.setNumContainers(0);
      none.add(copy);
    }
    return none;
  }
}
