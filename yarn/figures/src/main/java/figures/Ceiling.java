package figures;

import io.evenweave.yarn.PlainQueue;
import java.io.IOException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.proto.YarnServiceProtos.SchedulerResourceTypes;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStore.RMState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerFinishedEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Queue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;
import org.apache.hadoop.yarn.util.Records;
import org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator;
import org.apache.hadoop.yarn.util.resource.ResourceCalculator;

/**
 * The ceiling: what the ResourceManager can do whatever its scheduler. It gives all of a node to the next application in turn, and thinks of
 * nothing: no queues, no shares, no limits, no places, no metrics, no log of audits. What it does the ResourceManager cannot do without: the state
 * machine of each container, its token, the node's and the attempt's list of containers. It serves the load of {@link Figures} alone.
 */
public final class Ceiling extends AbstractYarnScheduler<Ceiling.Attempt, Ceiling.Node> {
  private final Everything queue = new Everything();
  /** Those that want something, each once. The scheduler's thread takes; masters' threads add. */
  private final ConcurrentLinkedQueue<Attempt> wanting = new ConcurrentLinkedQueue<>();

  static final class Node extends SchedulerNode {
    Node(RMNode node) {
      super(node, false);
    }

    boolean fits(Attempt attempt) {
      return getUnallocatedResource().getMemorySize() >= attempt.size.getMemorySize();
    }

    @Override
    public void reserveResource(SchedulerApplicationAttempt attempt, SchedulerRequestKey key, RMContainer container) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void unreserveResource(SchedulerApplicationAttempt attempt) {
      throw new UnsupportedOperationException();
    }
  }

  static final class Attempt extends SchedulerApplicationAttempt {
    final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong lastNumber = new AtomicLong();
    volatile Resource size;
    volatile SchedulerRequestKey key;

    Attempt(ApplicationAttemptId id, String user, Queue queue, RMContext context) {
      super(id, user, queue, queue.getAbstractUsersManager(), context);
    }

    void grant(Node node) {
      ContainerId id = ContainerId.newContainerId(getApplicationAttemptId(), lastNumber.incrementAndGet());
      Container container = BuilderUtils.newContainer(id, node.getNodeID(), node.getHttpAddress(), size, key.getPriority(), null);
      RMContainerImpl made = new RMContainerImpl(container, key, getApplicationAttemptId(), node.getNodeID(), getUser(), rmContext);
      writeLock.lock();
      try {
        newlyAllocatedContainers.add(made);
        liveContainers.put(id, made);
      } finally {
        writeLock.unlock();
      }
      node.allocateContainer(made);
      made.handle(new RMContainerEvent(id, RMContainerEventType.START));
    }

    void ended(RMContainer container, ContainerStatus status, RMContainerEventType event) {
      if (liveContainers.remove(container.getContainerId()) != null) {
        container.handle(new RMContainerFinishedEvent(container.getContainerId(), status, event));
      }
    }
  }

  public Ceiling() {
    super(Ceiling.class.getName());
  }

  @Override
  public void setRMContext(RMContext context) {
    rmContext = context;
  }

  @Override
  public void serviceInit(Configuration from) throws Exception {
    minimumAllocation = getMinimumAllocation();
    initMaximumResourceCapability(getMaximumAllocation());
    applications = new ConcurrentHashMap<>();
    super.serviceInit(from);
  }

  @Override
  public void handle(SchedulerEvent event) {
    switch (event.getType()) {
      case NODE_ADDED:
        nodeTracker.addNode(new Node(((NodeAddedSchedulerEvent) event).getAddedRMNode()));
        break;
      case NODE_UPDATE:
        nodeUpdate(((NodeUpdateSchedulerEvent) event).getRMNode());
        break;
      case APP_ADDED:
        AppAddedSchedulerEvent app = (AppAddedSchedulerEvent) event;
        applications.put(app.getApplicationId(), new SchedulerApplication<>(queue, app.getUser(), app.getApplicatonPriority(), true));
        rmContext.getDispatcher().getEventHandler().handle(new RMAppEvent(app.getApplicationId(), RMAppEventType.APP_ACCEPTED));
        break;
      case APP_ATTEMPT_ADDED:
        ApplicationAttemptId id = ((AppAttemptAddedSchedulerEvent) event).getApplicationAttemptId();
        SchedulerApplication<Attempt> of = applications.get(id.getApplicationId());
        of.setCurrentAppAttempt(new Attempt(id, of.getUser(), queue, rmContext));
        rmContext.getDispatcher().getEventHandler().handle(new RMAppAttemptEvent(id, RMAppAttemptEventType.ATTEMPT_ADDED));
        break;
      default:
    }
  }

  @Override
  protected void nodeUpdate(RMNode rmNode) {
    super.nodeUpdate(rmNode);
    Node node = getSchedulerNode(rmNode.getNodeID());
    for (Attempt next = wanting.peek(); next != null && node.fits(next); next = wanting.peek()) {
      wanting.poll();
      int left;
      do {
        next.grant(node);
        left = next.pending.decrementAndGet();
      } while (left > 0 && node.fits(next));
      if (left > 0) {
        wanting.add(next);
      }
    }
  }

  @Override
  protected void completedContainerInternal(RMContainer container, ContainerStatus status, RMContainerEventType event) {
    Attempt attempt = getCurrentAttemptForContainer(container.getContainerId());
    Node node = getSchedulerNode(container.getAllocatedNode());
    attempt.ended(container, status, event);
    node.releaseContainer(container.getContainerId(), true);
  }

  @Override
  public Allocation allocate(ApplicationAttemptId id, List<ResourceRequest> asks, List<SchedulingRequest> schedulingRequests,
      List<ContainerId> releases, List<String> blacklistAdditions, List<String> blacklistRemovals, ContainerUpdates updates) {
    Attempt attempt = getApplicationAttempt(id);
    for (ResourceRequest ask : asks) {
      attempt.size = ask.getCapability();
      attempt.key = SchedulerRequestKey.create(ask);
      if (attempt.pending.getAndSet(ask.getNumContainers()) <= 0) {
        wanting.add(attempt);
      }
    }
    return new Allocation(attempt.pullNewlyAllocatedContainers(), getClusterResource(), null, null, null, attempt.pullUpdatedNMTokens());
  }

  @Override
  public QueueInfo getQueueInfo(String name, boolean includeChildQueues, boolean recursive) {
    return queue.getQueueInfo(false, false);
  }

  @Override
  public List<QueueUserACLInfo> getQueueUserAclInfo() {
    return Collections.emptyList();
  }

  @Override
  public QueueMetrics getRootQueueMetrics() {
    return queue.getMetrics();
  }

  @Override
  public boolean checkAccess(UserGroupInformation user, QueueACL acl, String name) {
    return true;
  }

  @Override
  public List<ApplicationAttemptId> getAppsInQueue(String name) {
    return Collections.emptyList();
  }

  @Override
  public int getNumClusterNodes() {
    return nodeTracker.nodeCount();
  }

  @Override
  public ResourceCalculator getResourceCalculator() {
    return new DefaultResourceCalculator();
  }

  @Override
  public EnumSet<SchedulerResourceTypes> getSchedulingResourceTypes() {
    return EnumSet.of(SchedulerResourceTypes.MEMORY);
  }

  @Override
  public void killContainer(RMContainer container) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void reinitialize(Configuration from, RMContext context) throws IOException {
    throw new IOException("the ceiling has nothing to read again");
  }

  @Override
  public void recover(RMState state) {
    // Nothing is kept.
  }

  /** The one queue. */
  private static final class Everything extends PlainQueue {
    Everything() {
      super("root", QueueMetrics.forQueue("root", null, false, new Configuration(false)));
    }

    @Override
    public QueueInfo getQueueInfo(boolean includeChildQueues, boolean recursive) {
      QueueInfo info = Records.newRecord(QueueInfo.class);
      info.setQueueName(getQueueName());
      info.setQueueState(QueueState.RUNNING);
      info.setChildQueues(Collections.emptyList());
      return info;
    }

    @Override
    public List<QueueUserACLInfo> getQueueUserAclInfo(UserGroupInformation user) {
      return Collections.emptyList();
    }

    @Override
    public boolean hasAccess(QueueACL acl, UserGroupInformation user) {
      return true;
    }
  }
}
