package io.evenweave.yarn;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStore.RMState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractUsersManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ContainerExpiredSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ContainerPreemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeLabelsUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeResourceUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ReleaseContainerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.SchedulerInfo;
import org.apache.hadoop.yarn.util.resource.Resources;
import org.apache.hadoop.util.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What both classes have: the ResourceManager's contract (rules/resource-manager.md 1 to 15), with Evenweave's core
 * deciding.
 *
 * <p>Here are its calls and events; {@link Applications}, {@link Nodes}, {@link Containers}, {@link Masters}, {@link Users} and {@link Queues} do
 * what is asked. State machines of containers, tokens, metrics and nodes' books are the ResourceManager's. Each event and call becomes a
 * command to the core, and what the core says happens here, before the call returns. So whoever waits for {@code handle} finds the result.
 *
 * <p>Locks, in their order: the core's, then the scheduler's of AbstractYarnScheduler, then an attempt's. Under none of them the write lock
 * of an application's or attempt's state machine is taken, nor a lock of the node labels, and nobody waits for groups of users.
 * {@code recoverContainersOnNode} reads an attempt's, so it runs outside the core's.
 */
abstract class EvenweaveScheduler extends AbstractYarnScheduler<EvenweaveAttempt, EvenweaveNode> implements Configurable {
  static final Logger LOG = LoggerFactory.getLogger(EvenweaveScheduler.class);
  final Queues queues = new Queues(this);
  final Applications apps = new Applications(this);
  final Nodes nodes = new Nodes(this);
  final Containers containers = new Containers(this);
  final Masters masters = new Masters(this);
  final Users users = new Users(this);
  volatile Core core;
  private Configuration conf;
  private QueueMetrics rootMetrics;

  EvenweaveScheduler(String name) {
    super(name);
  }

  // ------------------------------------------------------------------------------------------------ what differs

  /** Starts the core by the configuration. */
  abstract Core startCore(Configuration from) throws IOException;

  abstract ShownQueue readQueue(Wire in);

  abstract QueueMetrics metricsOf(String queue, EvenweaveQueue parent);

  /** The node labels that queues say they may use. */
  abstract Set<String> accessibleLabels();

  /** A queue by its last part, where the scheduler has such names. */
  abstract ShownQueue findByShortName(Map<String, ShownQueue> all, String name);

  /** What is said of a queue that is not there. */
  abstract String noQueue(String name);

  /** What a queue is called in answers. */
  abstract String shownName(ShownQueue queue);

  abstract void fillIn(QueueInfo info, ShownQueue queue);

  /** What a queue is entitled to, for the scheduler page. */
  abstract String shareOf(ShownQueue queue);

  /**
   * What makes the answer of {@code /ws/v1/cluster/scheduler} of root, or of null. All but queues is read by this call, under the core's lock; the
   * objects are made outside.
   */
  abstract Function<ShownQueue, SchedulerInfo> answer();

  /** The properties of the queue file, as of now; none where the core reads it itself. */
  abstract Map<String, String> queueProperties(Configuration from) throws IOException;

  /** Whether a submission that no rule has placed is refused. */
  abstract boolean needsPlacement();

  /** Refuses asks that a queue can never serve, as Hadoop's scheduler of the kind does. */
  abstract void checkAsks(EvenweaveAttempt attempt, List<ResourceRequest> asks);

  /** The queue whose ACLs a submission is held against before it is accepted; null where there is none yet. */
  abstract ShownQueue queueToSubmitTo(UserGroupInformation user, String queue);

  /** What a refusal by the ACLs of that queue says besides. */
  abstract String deniedBy(ShownQueue queue);

  /** Who counts the users with something to do, of an attempt that begins in a queue. */
  AbstractUsersManager usersOf(EvenweaveQueue queue) {
    return queue.getAbstractUsersManager();
  }

  /** What the core shows of a queue goes into its metrics, which Hadoop's queues keep themselves. */
  abstract void measure(ShownQueue queue, QueueMetrics metrics);

  /** A heartbeat of a node has been worked off in so many milliseconds, {@code interval} after the one before. */
  abstract void tookHeartbeat(NodeId node, long millis, long interval);

  /**
   * Whether an attempt's books have the size of its master's container from the start, as in Hadoop's CapacityScheduler; its FairScheduler times
   * the first container instead.
   */
  boolean countsMasters() {
    return false;
  }

  /** A container was granted. By whoever holds the core's lock. */
  void noteGrant(NodeId node, String queue, Amounts size) {
    // Nobody asks how the last heartbeats went.
  }

  /** Room is reserved for one. By whoever holds the core's lock. */
  void noteReservation(NodeId node, String queue, Resource size) {
    // Nobody asks how the last heartbeats went.
  }

  /** A container has ended. By whoever holds the core's lock. */
  void noteEnd(RMContainer container, boolean isPreempted) {
    // Nobody asks how the last heartbeats went.
  }

  /** What the ResourceManager is told of a submission that is refused. */
  abstract String rejection(ApplicationId id, String user, String queue, CoreRefusal refusal);

  /** What becomes of an application that was accepted before and has no queue any more. */
  abstract void lost(ApplicationId id, String queue, CoreRefusal refusal);

  /** Whether the application may keep the name that was asked for as that of its queue. */
  abstract boolean isNamedAs(String leaf, String asked);

  /** Whether an application that is moved to the queue where it is already enters it anew. */
  abstract boolean movesWithinQueue();

  /** The ResourceManager's labels are told of a node, where the scheduler does so; an event NODE_LABELS_UPDATE comes of it. */
  abstract void nodeComes(EvenweaveNode node);

  abstract void nodeGoes(NodeId id);

  /** The update thread has come by: the core looks at the queue file, if it is time. */
  abstract void lookAtQueueFile();

  /** Threads beside the update thread are started, and ended. */
  abstract void startThreads();

  abstract void stopThreads() throws InterruptedException;

  // ------------------------------------------------------------------------------------------------ life

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public void setRMContext(RMContext context) {
    this.rmContext = context;
  }

  @Override
  public void recover(RMState state) {
    // Nobody calls it: applications come as events.
  }

  @Override
  public void serviceInit(Configuration from) throws Exception {
    minimumAllocation = getMinimumAllocation();
    initMaximumResourceCapability(getMaximumAllocation());
    nodes.usePortForNodeName = from.getBoolean(YarnConfiguration.RM_SCHEDULER_INCLUDE_PORT_IN_NODE_NAME,
        YarnConfiguration.DEFAULT_RM_SCHEDULER_USE_PORT_FOR_NODE_NAME);
    applications = new ConcurrentHashMap<>();
    conf = conf == null ? from : conf;
    core = startCore(from);
    queues.changed();
    rootMetrics = queues.get("root").getMetrics();
    queues.shown().keySet().forEach(queues::get);
    rmContext.getQueuePlacementManager().updateRules(Collections.singletonList(new EvenweavePlacementRule(this)));
    WebPages.install(from);
    super.serviceInit(from);
  }

  @Override
  protected void serviceStart() throws Exception {
    startThreads();
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws Exception {
    try {
      stopThreads();
      super.serviceStop();
    } finally {
      if (core != null) {
        core.close();
      }
    }
  }

  @Override
  public void reinitialize(Configuration from, RMContext context) throws IOException {
    Map<String, String> properties = queueProperties(from);
    try {
      core.tell(out -> Core.put(out.command(Wire.REFRESH), properties));
    } catch (CoreRefusal refusal) {
      throw new IOException("The queues stay as they are: " + refusal.getMessage(), refusal);
    } finally {
      queues.changed();
    }
    queues.shown().keySet().forEach(queues::get);
  }

  /** The properties that the core reads. */
  static Map<String, String> site(Configuration from) {
    Map<String, String> site = new TreeMap<>();
    from.getPropsWithPrefix("yarn.").forEach((name, value) -> site.put("yarn." + name, from.get("yarn." + name, value)));
    from.getPropsWithPrefix("hadoop.security.").forEach((name, value) -> site.put("hadoop.security." + name, value));
    site.values().removeIf(value -> value == null);
    // The ResourceManager itself looks after containers that are never launched.
    site.put(YarnConfiguration.RM_CONTAINER_ALLOC_EXPIRY_INTERVAL_MS, Integer.toString(Integer.MAX_VALUE));
    return site;
  }

  // ------------------------------------------------------------------------------------------------ events

  @Override
  public void handle(SchedulerEvent event) {
    switch (event.getType()) {
      case NODE_ADDED:
        NodeAddedSchedulerEvent added = (NodeAddedSchedulerEvent) event;
        nodes.add(added.getContainerReports(), added.getAddedRMNode());
        break;
      case NODE_REMOVED:
        nodes.remove(((NodeRemovedSchedulerEvent) event).getRemovedRMNode());
        break;
      case NODE_UPDATE:
        nodeUpdate(((NodeUpdateSchedulerEvent) event).getRMNode());
        break;
      case NODE_RESOURCE_UPDATE:
        NodeResourceUpdateSchedulerEvent resized = (NodeResourceUpdateSchedulerEvent) event;
        updateNodeResource(resized.getRMNode(), resized.getResourceOption());
        break;
      case APP_ADDED:
        apps.add((AppAddedSchedulerEvent) event);
        break;
      case APP_REMOVED:
        apps.remove((AppRemovedSchedulerEvent) event);
        break;
      case APP_ATTEMPT_ADDED:
        apps.addAttempt((AppAttemptAddedSchedulerEvent) event);
        break;
      case APP_ATTEMPT_REMOVED:
        apps.removeAttempt((AppAttemptRemovedSchedulerEvent) event);
        break;
      case CONTAINER_EXPIRED:
        ContainerId expired = ((ContainerExpiredSchedulerEvent) event).getContainerId();
        completedContainer(getRMContainer(expired), SchedulerUtils.createAbnormalContainerStatus(expired,
            SchedulerUtils.EXPIRED_CONTAINER), RMContainerEventType.EXPIRE);
        break;
      case RELEASE_CONTAINER:
        RMContainer released = ((ReleaseContainerEvent) event).getContainer();
        completedContainer(released, SchedulerUtils.createAbnormalContainerStatus(released.getContainerId(),
            SchedulerUtils.RELEASED_CONTAINER), RMContainerEventType.RELEASED);
        break;
      case MARK_CONTAINER_FOR_PREEMPTION:
        ContainerPreemptEvent marked = (ContainerPreemptEvent) event;
        EvenweaveAttempt attempt = getApplicationAttempt(marked.getAppId());
        if (attempt != null) {
          attempt.mark(marked.getContainer().getContainerId());
        }
        break;
      case MARK_CONTAINER_FOR_KILLABLE:
        RMContainer killable = ((ContainerPreemptEvent) event).getContainer();
        completedContainer(killable, SchedulerUtils.createPreemptedContainerStatus(killable.getContainerId(),
            SchedulerUtils.PREEMPTED_CONTAINER), RMContainerEventType.KILL);
        break;
      case NODE_LABELS_UPDATE:
        nodes.labelsUpdated(((NodeLabelsUpdateSchedulerEvent) event).getUpdatedNodeToLabels().keySet());
        break;
      case KILL_RESERVED_CONTAINER:
        nodes.giveUpReservation(((ContainerPreemptEvent) event).getContainer().getReservedNode());
        break;
      default:
        LOG.debug("Not taken: {}", event.getType());
    }
  }

  // ------------------------------------------------------------------------------------------------ nodes and containers

  /** What the node tells goes into Hadoop's books first, while others may ask the core; it hears of that with the heartbeat. */
  @Override
  protected void nodeUpdate(RMNode rmNode) {
    long begin = Time.monotonicNow();
    EvenweaveNode node = getSchedulerNode(rmNode.getNodeID());
    long before = node == null ? begin : node.getLastHeartbeatMonotonicTime();
    super.nodeUpdate(rmNode);
    nodes.report(rmNode);
    tookHeartbeat(rmNode.getNodeID(), Time.monotonicNow() - begin, begin - before);
  }

  /** Not while a ResourceManager that has just come back waits for its nodes. */
  boolean mayAllocate() {
    return !rmContext.isWorkPreservingRecoveryEnabled() || rmContext.isSchedulerReadyForAllocatingContainers();
  }

  @Override
  public void updateNodeResource(RMNode rmNode, ResourceOption option) {
    core.lock();
    try {
      super.updateNodeResource(rmNode, option);
      nodes.resized(rmNode.getNodeID());
    } finally {
      core.unlock();
    }
  }

  @Override
  public int getNumClusterNodes() {
    return nodeTracker.nodeCount();
  }

  @Override
  protected void completedContainerInternal(RMContainer container, ContainerStatus status, RMContainerEventType event) {
    EvenweaveAttempt attempt = event == RMContainerEventType.FINISHED ? containers.finished(container, status)
        : core.locked(() -> containers.ended(container, status, event));
    if (attempt != null) {
      attempt.auditEnd(container);
    }
  }

  @Override
  public void killContainer(RMContainer container) {
    completedContainer(container, SchedulerUtils.createKilledContainerStatus(container.getContainerId(),
        "Killed by RM to simulate an AM container failure"), RMContainerEventType.KILL);
  }

  /** Under the core's lock, so that the last to say it is right. */
  void showAvailable() {
    rootMetrics.setAvailableResourcesToQueue(available());
  }

  Resource available() {
    return Resources.subtract(getClusterResource(), rootMetrics.getAllocatedResources());
  }

  // ------------------------------------------------------------------------------------------------ masters

  @Override
  public Allocation allocate(ApplicationAttemptId id, List<ResourceRequest> asks, List<SchedulingRequest> schedulingRequests,
      List<ContainerId> releases, List<String> blacklistAdditions, List<String> blacklistRemovals, ContainerUpdates updates) {
    EvenweaveAttempt attempt = getApplicationAttempt(id);
    if (attempt == null || !attempt.getApplicationAttemptId().equals(id)) {
      LOG.error("Calling allocate on previous or removed or non existent application attempt {}", id);
      return EMPTY_ALLOCATION;
    }
    attempt.dropLabels(asks);
    checkAsks(attempt, asks);
    masters.refuseUpdates(attempt, updates);
    normalizeResourceRequests(asks, attempt.getQueueName());
    if (!countsMasters()) {
      attempt.recordContainerRequestTime(now());
    }
    releaseContainers(releases, attempt);
    return masters.answer(attempt, asks, blacklistAdditions, blacklistRemovals);
  }

  long now() {
    return getClock().getTime();
  }

  // ------------------------------------------------------------------------------------------------ queues

  /** Where the core's rules put a submission; null where none does. */
  ApplicationPlacementContext place(ApplicationSubmissionContext context, String user) throws YarnException {
    return apps.place(context, user);
  }

  @Override
  public boolean checkAccess(UserGroupInformation user, QueueACL acl, String queue) {
    return users.may(user, acl, queue);
  }

  /** The ResourceManager asks this of each submission, and checks ACLs of Hadoop's own schedulers itself. */
  @Override
  public Priority checkAndGetApplicationPriority(Priority asked, UserGroupInformation user, String queue, ApplicationId id)
      throws YarnException {
    users.checkSubmission(user, queue, id);
    return super.checkAndGetApplicationPriority(asked, user, queue, id);
  }

  @Override
  public List<QueueUserACLInfo> getQueueUserAclInfo() {
    return users.acls();
  }

  @Override
  public QueueInfo getQueueInfo(String queue, boolean includeChildQueues, boolean recursive) throws IOException {
    return queues.info(queue, includeChildQueues, recursive);
  }

  @Override
  public QueueMetrics getRootQueueMetrics() {
    return rootMetrics;
  }

  @Override
  public List<ApplicationAttemptId> getAppsInQueue(String queue) {
    ShownQueue state = queues.find(queue);
    return state == null ? null : apps.in(state);
  }

  @Override
  public Resource getMaximumResourceCapability(String queue) {
    Resource most = getMaximumResourceCapability();
    return queue == null || queue.isEmpty() ? most : queues.maximum(queue, most);
  }

  @Override
  public void preValidateMoveApplication(ApplicationId id, String queue) throws YarnException {
    apps.mayMove(id, queue);
  }

  @Override
  public String moveApplication(ApplicationId id, String queue) throws YarnException {
    return apps.move(id, queue);
  }

  /** The answer of {@code /ws/v1/cluster/scheduler}: queues and metrics of one moment, by whoever may wait for the core. */
  SchedulerInfo describe() {
    ShownQueue root;
    Function<ShownQueue, SchedulerInfo> answer;
    core.lock();
    try {
      root = queues.now().get("root");
      answer = answer();
    } finally {
      core.unlock();
    }
    // With many queues and properties that takes seconds: heartbeats go on meanwhile.
    return answer.apply(root);
  }

  // ------------------------------------------------------------------------------------------------ the others

  /** Demand and shares anew, and what is due; by the update thread, or whoever cannot wait for it. */
  @Override
  public void update() {
    core.locked(() -> {
      lookAtQueueFile();
      apps.keepQueues();
      core.tellIfThere(out -> out.command(Wire.UPDATE));
      // Which brings the metrics of queues up to date.
      queues.shown();
      return null;
    });
  }

  RMContext context() {
    return rmContext;
  }

  /** To whom it concerns in the ResourceManager; nobody waits. */
  void send(Event<?> event) {
    rmContext.getDispatcher().getEventHandler().handle(event);
  }
}
