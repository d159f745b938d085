package io.evenweave.yarn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Groups;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NMToken;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.api.records.UpdateContainerError;
import org.apache.hadoop.yarn.api.records.UpdateContainerRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStore.RMState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
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
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.util.resource.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What both classes have: the ResourceManager's contract, with Evenweave's core deciding.
 *
 * <p>Here is what is the ResourceManager's: state machines of containers, tokens, metrics, nodes' books. Each event and call becomes a
 * command to the core, and what the core says happens here, before the call returns. So whoever waits for {@code handle} finds the result.
 *
 * <p>Locks, in their order: the core's, then the scheduler's of AbstractYarnScheduler, then an attempt's. Under none of them the write lock
 * of an application's or attempt's state machine is taken; {@code recoverContainersOnNode} reads an attempt's, so it runs outside the core's.
 */
abstract class EvenweaveScheduler extends AbstractYarnScheduler<EvenweaveAttempt, EvenweaveNode> implements Configurable {
  static final Logger LOG = LoggerFactory.getLogger(EvenweaveScheduler.class);
  /** Numbers of applications whose own number another has, after a restart of the ResourceManager. */
  private static final int FIRST_SPARE_NUMBER = 1 << 30;
  /** So many submissions are between their placement and their addition at most; of more the eldest come to nothing. */
  private static final int MOST_PLACED = 10_000;

  final Queues queues = new Queues(this);
  volatile Core core;
  private Configuration conf;
  private boolean usePortForNodeName;
  private QueueMetrics rootMetrics;
  private final Map<Integer, EvenweaveApplication> byNumber = new ConcurrentHashMap<>();
  private int nextSpareNumber = FIRST_SPARE_NUMBER;
  private final Map<Integer, EvenweaveNode> nodesByNumber = new ConcurrentHashMap<>();
  /** The queue that a submission named, until it is added: the rules are asked then once more, and go by that. */
  private final Map<ApplicationId, String> askedFor = Collections.synchronizedMap(new LinkedHashMap<ApplicationId, String>() {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<ApplicationId, String> eldest) {
      return size() > MOST_PLACED;
    }
  });
  /** Live containers by the core's ids; under the core's lock. */
  private final Map<CoreId, RMContainer> live = new ConcurrentHashMap<>();
  /** What ends now has ended in the core already; under the core's lock. */
  private boolean coreKnows;
  /** What ends now is collected, to be told at once; under the core's lock. */
  private List<CoreId> collected;

  EvenweaveScheduler(String name) {
    super(name);
  }

  // ------------------------------------------------------------------------------------------------ what differs

  /** Starts the core by the configuration. */
  abstract Core startCore(Configuration from) throws IOException;

  abstract ShownQueue readQueue(Wire in);

  abstract QueueMetrics metricsOf(String queue, EvenweaveQueue parent);

  /** A queue by its last part, where the scheduler has such names. */
  abstract ShownQueue findByShortName(Map<String, ShownQueue> all, String name);

  /** What a queue is called in answers. */
  abstract String shownName(ShownQueue queue);

  abstract void fillIn(QueueInfo info, ShownQueue queue);

  /** What a queue is entitled to, for the scheduler page. */
  abstract String shareOf(ShownQueue queue);

  /** The answer of {@code /ws/v1/cluster/scheduler}. */
  abstract void describe(SchedulerTree tree);

  /** The properties of the queue file, as of now; none where the core reads it itself. */
  abstract Map<String, String> queueProperties(Configuration from) throws IOException;

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
    usePortForNodeName = from.getBoolean(YarnConfiguration.RM_SCHEDULER_INCLUDE_PORT_IN_NODE_NAME,
        YarnConfiguration.DEFAULT_RM_SCHEDULER_USE_PORT_FOR_NODE_NAME);
    applications = new ConcurrentHashMap<>();
    conf = conf == null ? from : conf;
    core = startCore(from);
    queues.changed();
    rootMetrics = queues.get("root").getMetrics();
    queues.shown().keySet().forEach(queues::get);
    rmContext.getQueuePlacementManager().updateRules(Collections.singletonList(new EvenweavePlacementRule(this)));
    WebPages.install(from, this);
    super.serviceInit(from);
  }

  @Override
  protected void serviceStart() throws Exception {
    startThreads();
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws Exception {
    stopThreads();
    super.serviceStop();
    WebPages.remove(this);
    if (core != null) {
      core.close();
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

  // ------------------------------------------------------------------------------------------------ outcomes

  /** What has happened in the core; under its lock. */
  void take(List<Granted> granted, List<Reserved> reserved, List<Ended> ended) {
    for (Granted one : granted) {
      EvenweaveApplication application = byNumber.get(one.application);
      EvenweaveNode node = nodesByNumber.get(one.node);
      EvenweaveAttempt attempt = application == null ? null : application.getCurrentAppAttempt();
      if (attempt == null || node == null) {
        LOG.error("A container was granted that is nobody's: {}", one.id);
        continue;
      }
      live.put(one.id, attempt.granted(node, one));
    }
    // After the grants: what a node was reserved for may be among them, and has its number from the reservation.
    reserved.forEach(this::take);
    for (Ended one : ended) {
      RMContainer container = live.get(one.id);
      if (container == null || !one.isPreempted()) {
        // It was asked for here.
        continue;
      }
      LOG.info("Preempted container {}", container.getContainerId());
      endKnown(() -> completedContainer(container, SchedulerUtils.createPreemptedContainerStatus(
          container.getContainerId(), SchedulerUtils.PREEMPTED_CONTAINER), RMContainerEventType.KILL));
    }
    if (!granted.isEmpty() || !ended.isEmpty()) {
      showAvailable();
    }
  }

  /** A node is reserved for something else than before, or for nothing. */
  private void take(Reserved now) {
    EvenweaveNode node = nodesByNumber.get(now.node);
    if (node == null) {
      return;
    }
    unreserve(node);
    EvenweaveApplication application = now.stands ? byNumber.get(now.application) : null;
    EvenweaveAttempt attempt = application == null ? null : application.getCurrentAppAttempt();
    if (attempt != null && !attempt.isStopped()) {
      attempt.reserve(node, now);
    }
  }

  private void unreserve(EvenweaveNode node) {
    RMContainer before = node.getReservedContainer();
    if (before != null) {
      ((EvenweaveAttempt) node.reservedFor()).unreserve(node, before);
    }
  }

  /** What ends meanwhile has ended in the core. */
  private void endKnown(Runnable ending) {
    boolean before = coreKnows;
    coreKnows = true;
    try {
      ending.run();
    } finally {
      coreKnows = before;
    }
  }

  private void showAvailable() {
    rootMetrics.setAvailableResourcesToQueue(Resources.subtract(getClusterResource(), rootMetrics.getAllocatedResources()));
  }

  /** An attempt's asks are so many again. */
  void askAgain(EvenweaveAttempt attempt, List<ResourceRequest> asks) {
    if (!attempt.isInCore || asks.isEmpty()) {
      return;
    }
    core.tellIfThere(out -> putAsks(out.command(Wire.ASK_AGAIN).number(attempt.application.number), asks));
  }

  private static Wire putAsks(Wire out, List<ResourceRequest> asks) {
    out.number(asks.size());
    for (ResourceRequest ask : asks) {
      out.number(ask.getPriority().getPriority()).wide(ask.getAllocationRequestId()).text(ask.getResourceName())
          // Fewer than none is none, as in Hadoop.
          .resource(ask.getCapability()).number(Math.max(0, ask.getNumContainers())).flag(ask.getRelaxLocality());
    }
    return out;
  }

  // ------------------------------------------------------------------------------------------------ events

  @Override
  public void handle(SchedulerEvent event) {
    switch (event.getType()) {
      case NODE_ADDED:
        NodeAddedSchedulerEvent added = (NodeAddedSchedulerEvent) event;
        addNode(added.getContainerReports(), added.getAddedRMNode());
        break;
      case NODE_REMOVED:
        removeNode(((NodeRemovedSchedulerEvent) event).getRemovedRMNode());
        break;
      case NODE_UPDATE:
        nodeUpdate(((NodeUpdateSchedulerEvent) event).getRMNode());
        break;
      case NODE_RESOURCE_UPDATE:
        NodeResourceUpdateSchedulerEvent resized = (NodeResourceUpdateSchedulerEvent) event;
        updateNodeResource(resized.getRMNode(), resized.getResourceOption());
        break;
      case APP_ADDED:
        addApplication((AppAddedSchedulerEvent) event);
        break;
      case APP_REMOVED:
        removeApplication((AppRemovedSchedulerEvent) event);
        break;
      case APP_ATTEMPT_ADDED:
        addAttempt((AppAttemptAddedSchedulerEvent) event);
        break;
      case APP_ATTEMPT_REMOVED:
        removeAttempt((AppAttemptRemovedSchedulerEvent) event);
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
        updateLabels(((NodeLabelsUpdateSchedulerEvent) event).getUpdatedNodeToLabels().keySet());
        break;
      case KILL_RESERVED_CONTAINER:
        giveUpReservation(((ContainerPreemptEvent) event).getContainer().getReservedNode());
        break;
      default:
        LOG.debug("Not taken: {}", event.getType());
    }
  }

  // ------------------------------------------------------------------------------------------------ nodes

  private void addNode(List<NMContainerStatus> reports, RMNode rmNode) {
    EvenweaveNode node = new EvenweaveNode(rmNode, usePortForNodeName);
    nodeTracker.addNode(node);
    nodeComes(node);
    // Takes locks that are not to be taken under the core's.
    recoverContainersOnNode(reports, rmNode);
    core.lock.lock();
    try {
      register(node);
      nodesByNumber.put(node.number, node);
      node.takeRecovered().forEach(container -> recover(node, container));
      showAvailable();
      LOG.info("Added node {} cluster capacity: {}", rmNode.getNodeAddress(), getClusterResource());
    } catch (CoreRefusal refusal) {
      LOG.error("Node {} gets no containers: {}", rmNode.getNodeAddress(), refusal.getMessage());
    } finally {
      core.lock.unlock();
    }
  }

  /** The core has one node of a name: further ones of a host are named with their port, and asks for the host do not find them. */
  private void register(EvenweaveNode node) throws CoreRefusal {
    try {
      node.number = askToAdd(node);
    } catch (CoreRefusal refusal) {
      if (!refusal.kind.equals("duplicate-node")) {
        throw refusal;
      }
      node.nameInCore = node.getNodeID().toString();
      LOG.warn("Another node is called {}: {} is called {}, and is not found by asks for the host", node.getNodeName(),
          node.getNodeID(), node.nameInCore);
      node.number = askToAdd(node);
    }
  }

  private int askToAdd(EvenweaveNode node) throws CoreRefusal {
    return core.ask(out -> out.command(Wire.ADD_NODE).text(node.nameInCore).text(node.getRackName())
        .resource(node.getTotalResource()), Wire::readInt);
  }

  /** The core takes a container over that a node has brought, and that Hadoop's books have already. */
  private void recover(EvenweaveNode node, RMContainer container) {
    ContainerId id = container.getContainerId();
    EvenweaveAttempt attempt = getCurrentAttemptForContainer(id);
    if (attempt == null || !attempt.isInCore) {
      return;
    }
    SchedulerRequestKey key = container.getAllocatedSchedulerKey();
    try {
      CoreId coreId = core.ask(out -> out.command(Wire.RECOVER).number(attempt.application.number).number(node.number)
          .number(id.getApplicationAttemptId().getAttemptId()).number((int) id.getContainerId())
          .number(key.getPriority().getPriority()).wide(key.getAllocationRequestId())
          .resource(container.getAllocatedResource()).flag(container.isAMContainer()), Wire::readContainer);
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

  private void removeNode(RMNode rmNode) {
    core.lock.lock();
    try {
      nodeGoes(rmNode.getNodeID());
      EvenweaveNode node = getSchedulerNode(rmNode.getNodeID());
      if (node == null) {
        LOG.error("Attempting to remove non-existent node {}", rmNode.getNodeID());
        return;
      }
      core.tellIfThere(out -> out.command(Wire.REMOVE_NODE).number(node.number));
      unreserve(node);
      endKnown(() -> {
        for (RMContainer container : node.getCopiedListOfRunningContainers()) {
          completedContainer(container, SchedulerUtils.createAbnormalContainerStatus(container.getContainerId(),
              SchedulerUtils.LOST_CONTAINER), RMContainerEventType.KILL);
          node.releaseContainer(container.getContainerId(), true);
        }
      });
      nodesByNumber.remove(node.number);
      nodeTracker.removeNode(rmNode.getNodeID());
      showAvailable();
      LOG.info("Removed node {} cluster capacity: {}", rmNode.getNodeAddress(), getClusterResource());
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  protected void nodeUpdate(RMNode rmNode) {
    core.lock.lock();
    try {
      super.nodeUpdate(rmNode);
      EvenweaveNode node = getSchedulerNode(rmNode.getNodeID());
      if (node == null) {
        LOG.info("Skipping scheduling as the node {} has been removed", rmNode.getNodeID());
        return;
      }
      boolean offered = mayAllocate();
      List<CoreId> launched = node.takeLaunched();
      List<CoreId> completed = node.takeCompleted();
      core.tellIfThere(out -> out.command(Wire.HEARTBEAT).number(node.number).flag(offered).containers(launched)
          .containers(completed));
      showAvailable();
    } finally {
      core.lock.unlock();
    }
  }

  /** Not while a ResourceManager that has just come back waits for its nodes. */
  boolean mayAllocate() {
    return !rmContext.isWorkPreservingRecoveryEnabled() || rmContext.isSchedulerReadyForAllocatingContainers();
  }

  @Override
  public void updateNodeResource(RMNode rmNode, ResourceOption option) {
    core.lock.lock();
    try {
      super.updateNodeResource(rmNode, option);
      EvenweaveNode node = getSchedulerNode(rmNode.getNodeID());
      if (node != null) {
        core.tellIfThere(out -> out.command(Wire.RESIZE_NODE).number(node.number).resource(node.getTotalResource()));
      }
      showAvailable();
    } finally {
      core.lock.unlock();
    }
  }

  /** The reservation of a node is given up, where the scheduler does so. */
  private void giveUpReservation(NodeId id) {
    EvenweaveNode node = getSchedulerNode(id);
    if (node != null && node.getReservedContainer() != null) {
      core.tellIfThere(out -> out.command(Wire.GIVE_UP_RESERVATION).number(node.number));
    }
  }

  /** It comes after each change of a node, whether there are labels or not: limits are worked out once more. */
  private void updateLabels(Set<NodeId> ids) {
    core.lock.lock();
    try {
      List<EvenweaveNode> nodes = new ArrayList<>();
      for (NodeId id : ids) {
        EvenweaveNode node = getSchedulerNode(id);
        if (node != null && nodesByNumber.get(node.number) == node) {
          nodes.add(node);
        }
      }
      core.tellIfThere(out -> {
        out.command(Wire.LABELS_UPDATED).number(nodes.size());
        nodes.forEach(node -> out.number(node.number));
      });
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public int getNumClusterNodes() {
    return nodeTracker.nodeCount();
  }

  // ------------------------------------------------------------------------------------------------ applications

  private void addApplication(AppAddedSchedulerEvent event) {
    ApplicationId id = event.getApplicationId();
    String user = event.getUser();
    boolean recovering = event.getIsAppRecovering();
    if (!recovering && event.getPlacementContext() == null && needsPlacement()) {
      reject(id, "Reject application " + id + " submitted by user " + user + " application rejected by placement rules.");
      return;
    }
    String asked = askedFor.remove(id);
    String named = recovering || asked == null ? event.getQueue() : asked;
    core.lock.lock();
    try {
      sendGroups(user);
      RMApp rmApp = rmContext.getRMApps().get(id);
      int number = numberFor(id);
      Priority priority = event.getApplicatonPriority();
      List<ResourceRequest> am = rmApp == null || event.isUnmanagedAM() || recovering ? null : rmApp.getAMResourceRequests();
      String leaf;
      try {
        leaf = core.ask(out -> putSubmission(out.command(Wire.ACCEPT), number, user, recovering, named,
            am, null, false, priority), Wire::readText);
      } catch (CoreRefusal refusal) {
        if (recovering) {
          lost(id, named, refusal);
        } else {
          reject(id, rejection(id, user, event.getQueue(), refusal));
        }
        return;
      }
      queues.mayHaveCome(leaf);
      boolean isNamed = isNamedAs(leaf, event.getQueue());
      if (rmApp != null && !isNamed) {
        rmApp.setQueue(leaf);
      }
      EvenweaveQueue queue = queues.get(leaf);
      EvenweaveApplication application = new EvenweaveApplication(id, number, queue, user, priority, event.isUnmanagedAM());
      applications.put(id, application);
      byNumber.put(number, application);
      queue.getMetrics().submitApp(user, event.isUnmanagedAM());
      LOG.info("Accepted application {} from user: {}, in queue: {}, currently num of applications: {}", id, user, leaf,
          applications.size());
      if (!recovering) {
        if (rmApp != null && !isNamed && rmApp.getApplicationSubmissionContext() != null) {
          rmApp.getApplicationSubmissionContext().setQueue(leaf);
        }
        rmContext.getDispatcher().getEventHandler().handle(new RMAppEvent(id, RMAppEventType.APP_ACCEPTED));
      }
    } finally {
      core.lock.unlock();
    }
  }

  /** Whether a submission that no rule has placed is refused. */
  abstract boolean needsPlacement();

  private void reject(ApplicationId id, String message) {
    LOG.info(message);
    rmContext.getDispatcher().getEventHandler().handle(new RMAppEvent(id, RMAppEventType.APP_REJECTED, message));
  }

  void killApplication(ApplicationId id, String message) {
    rmContext.getDispatcher().getEventHandler().handle(new RMAppEvent(id, RMAppEventType.KILL, message));
  }

  /** An application's own number, unless one of an earlier ResourceManager has it. */
  private int numberFor(ApplicationId id) {
    if (id.getId() < FIRST_SPARE_NUMBER && !byNumber.containsKey(id.getId())) {
      return id.getId();
    }
    while (byNumber.containsKey(nextSpareNumber)) {
      nextSpareNumber = nextSpareNumber == Integer.MAX_VALUE ? FIRST_SPARE_NUMBER : nextSpareNumber + 1;
    }
    return nextSpareNumber;
  }

  private static Wire putSubmission(Wire out, int number, String user, boolean accepted, String queue, List<ResourceRequest> am,
      List<String> blacklist, boolean amRuns, Priority priority) {
    out.number(number).text(user).flag(accepted).maybe(queue);
    putAm(out, am, blacklist, amRuns);
    return priority == null ? out.flag(false) : out.flag(true).number(priority.getPriority());
  }

  /** The lines of a master's request; none of an unmanaged one. {@code runs}: it is not asked for. */
  private static void putAm(Wire out, List<ResourceRequest> am, List<String> blacklist, boolean runs) {
    if (am == null || am.isEmpty()) {
      out.flag(false);
      return;
    }
    ResourceRequest any = am.stream().filter(line -> ResourceRequest.isAnyLocation(line.getResourceName())).findFirst()
        .orElse(am.get(0));
    out.flag(true).resource(any.getCapability()).number(am.size());
    for (ResourceRequest line : am) {
      out.text(line.getResourceName()).flag(line.getRelaxLocality());
    }
    out.texts(blacklist).flag(runs);
  }

  private void removeApplication(AppRemovedSchedulerEvent event) {
    core.lock.lock();
    try {
      EvenweaveApplication application = (EvenweaveApplication) applications.remove(event.getApplicationID());
      if (application == null) {
        LOG.warn("Couldn't find application {}", event.getApplicationID());
        return;
      }
      if (application.isInCore) {
        core.tellIfThere(out -> out.command(Wire.FINISH).number(application.number));
      }
      byNumber.remove(application.number);
      application.stop(event.getFinalState());
    } finally {
      core.lock.unlock();
    }
  }

  private void addAttempt(AppAttemptAddedSchedulerEvent event) {
    ApplicationAttemptId id = event.getApplicationAttemptId();
    core.lock.lock();
    try {
      EvenweaveApplication application = (EvenweaveApplication) applications.get(id.getApplicationId());
      if (application == null) {
        LOG.warn("Application {} cannot be found in scheduler.", id.getApplicationId());
        return;
      }
      EvenweaveQueue queue = (EvenweaveQueue) application.getQueue();
      boolean keeps = event.getTransferStateFromPreviousAttempt();
      EvenweaveAttempt attempt = new EvenweaveAttempt(this, application, id, queue, queue.getAbstractUsersManager(), keeps, rmContext);
      attempt.recovering(event.getIsAttemptRecovering());
      attempt.setPriority(application.getPriority());
      if (keeps && application.getCurrentAppAttempt() != null) {
        attempt.transferStateFromPreviousAttempt(application.getCurrentAppAttempt());
      }
      application.setCurrentAppAttempt(attempt);
      queue.getMetrics().submitAppAttempt(application.getUser(), application.isUnmanagedAM());
      LOG.info("Added Application Attempt {} to scheduler from user: {}", id, application.getUser());
      if (!attempt.isManaged()) {
        begin(attempt, null, null, false);
      } else if (event.getIsAttemptRecovering()) {
        begin(attempt, masterOf(id.getApplicationId()), null, true);
      }
      if (!event.getIsAttemptRecovering()) {
        rmContext.getDispatcher().getEventHandler().handle(new RMAppAttemptEvent(id, RMAppAttemptEventType.ATTEMPT_ADDED));
      }
    } finally {
      core.lock.unlock();
    }
  }

  /** What was asked for the master of an application that was accepted before. */
  private List<ResourceRequest> masterOf(ApplicationId id) {
    RMApp rmApp = rmContext.getRMApps().get(id);
    List<ResourceRequest> asked = rmApp == null ? null : rmApp.getAMResourceRequests();
    return asked != null && !asked.isEmpty() ? asked : Collections.singletonList(ResourceRequest.newInstance(
        Priority.newInstance(0), ResourceRequest.ANY, minimumAllocation, 1));
  }

  /** The core begins an attempt: with what is asked for its master. */
  private void begin(EvenweaveAttempt attempt, List<ResourceRequest> am, List<String> blacklist, boolean amRuns) {
    EvenweaveApplication application = attempt.application;
    attempt.awaits(amRuns ? null : am);
    try {
      if (application.isInCore) {
        core.tell(out -> putAm(out.command(Wire.NEW_ATTEMPT).number(application.number).flag(attempt.keepsContainers), am,
            blacklist, amRuns));
      } else {
        core.ask(out -> putSubmission(out.command(Wire.SUBMIT), application.number, application.getUser(), true,
            application.getQueue().getQueueName(), am, blacklist, amRuns, application.getPriority()), Wire::readText);
        application.isInCore = true;
      }
      attempt.isInCore = true;
    } catch (CoreRefusal refusal) {
      LOG.error("{} gets no containers: {}", attempt.getApplicationAttemptId(), refusal.getMessage());
    }
  }

  private void removeAttempt(AppAttemptRemovedSchedulerEvent event) {
    ApplicationAttemptId id = event.getApplicationAttemptID();
    LOG.info("Application Attempt {} is done. finalState={}", id, event.getFinalAttemptState());
    core.lock.lock();
    try {
      EvenweaveAttempt attempt = getApplicationAttempt(id);
      if (attempt == null || attempt.isStopped()) {
        LOG.info("Unknown application attempt, or one that has been stopped before: {}", id);
        return;
      }
      collected = new ArrayList<>();
      try {
        for (RMContainer container : attempt.getLiveContainers()) {
          if (event.getKeepContainersAcrossAppAttempts() && container.getState() == RMContainerState.RUNNING) {
            LOG.info("Skip killing {}", container.getContainerId());
            continue;
          }
          completedContainer(container, SchedulerUtils.createAbnormalContainerStatus(container.getContainerId(),
              SchedulerUtils.COMPLETED_APPLICATION), RMContainerEventType.KILL);
        }
      } finally {
        List<CoreId> ended = collected;
        collected = null;
        release(attempt, ended);
      }
      attempt.getReservedContainers().forEach(container -> unreserve(getSchedulerNode(container.getReservedNode())));
      // What it is to the core goes on with the next attempt, or ends with the application: nothing is asked for any more.
      if (attempt.isInCore) {
        List<ResourceRequest> none = attempt.takenBack();
        core.tellIfThere(out -> putAsks(out.command(Wire.STOP_ATTEMPT).number(attempt.application.number), none));
      }
      attempt.stop(event.getFinalAttemptState());
    } finally {
      core.lock.unlock();
    }
  }

  private void release(EvenweaveAttempt attempt, List<CoreId> containers) {
    if (!containers.isEmpty()) {
      core.tellIfThere(out -> out.command(Wire.RELEASE).number(attempt.application.number).containers(containers));
    }
  }

  // ------------------------------------------------------------------------------------------------ containers

  @Override
  protected void completedContainerInternal(RMContainer container, ContainerStatus status, RMContainerEventType event) {
    core.lock.lock();
    try {
      ContainerId id = container.getContainerId();
      EvenweaveAttempt attempt = getCurrentAttemptForContainer(id);
      if (attempt == null) {
        LOG.info("Container {} of finished application completed with event {}", id, event);
        return;
      }
      EvenweaveNode node = getSchedulerNode(container.getAllocatedNode());
      CoreId coreId = node == null ? null : node.coreId(id);
      if (!attempt.completed(container, status, event)) {
        return;
      }
      if (coreId != null) {
        live.remove(coreId);
        // The end of which a node tells goes to the core with its heartbeat.
        if (!coreKnows && event != RMContainerEventType.FINISHED) {
          if (collected != null) {
            collected.add(coreId);
          } else {
            release(attempt, Collections.singletonList(coreId));
          }
        }
      }
      if (node != null) {
        // One that ends before its node has said that it runs would be gone from there, and the core would not hear of it.
        node.releaseContainer(id, event == RMContainerEventType.FINISHED);
      }
      showAvailable();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public void killContainer(RMContainer container) {
    completedContainer(container, SchedulerUtils.createKilledContainerStatus(container.getContainerId(),
        "Killed by RM to simulate an AM container failure"), RMContainerEventType.KILL);
  }

  // ------------------------------------------------------------------------------------------------ allocate

  /** What the core answers an AM. */
  private static final class Answer {
    final Resource headroom;
    final List<CoreId> preempted;

    Answer(Wire in) {
      headroom = in.readResource();
      preempted = in.readList(in::readContainer);
    }
  }

  @Override
  public Allocation allocate(ApplicationAttemptId id, List<ResourceRequest> asks, List<SchedulingRequest> schedulingRequests,
      List<ContainerId> releases, List<String> blacklistAdditions, List<String> blacklistRemovals, ContainerUpdates updates) {
    EvenweaveAttempt attempt = getApplicationAttempt(id);
    if (attempt == null || !attempt.getApplicationAttemptId().equals(id)) {
      LOG.error("Calling allocate on previous or removed or non existent application attempt {}", id);
      return EMPTY_ALLOCATION;
    }
    checkAsks(attempt, asks);
    refuseUpdates(attempt, updates);
    normalizeResourceRequests(asks, attempt.getQueueName());
    attempt.recordContainerRequestTime(getClock().getTime());
    releaseContainers(releases, attempt);
    Set<ContainerId> preempted = attempt.marked();
    Answer answer = ask(attempt, asks, blacklistAdditions, blacklistRemovals, preempted);
    attempt.updateBlacklist(blacklistAdditions, blacklistRemovals);
    List<Container> granted = attempt.pullNewlyAllocatedContainers();
    if (!granted.isEmpty()) {
      attempt.recordContainerAllocationTime(getClock().getTime());
    }
    Resource headroom = answer == null ? Resources.none() : answer.headroom;
    attempt.setHeadroom(headroom);
    attempt.setApplicationHeadroomForMetrics(headroom);
    List<Container> previous = attempt.pullPreviousAttemptContainers();
    List<NMToken> tokens = attempt.pullUpdatedNMTokens();
    return new Allocation(granted, headroom, preempted, null, null, tokens, null, null, attempt.pullNewlyPromotedContainers(),
        attempt.pullNewlyDemotedContainers(), previous, null);
  }

  /** Refuses asks that a queue can never serve, as Hadoop's scheduler of the kind does. */
  abstract void checkAsks(EvenweaveAttempt attempt, List<ResourceRequest> asks);

  private Answer ask(EvenweaveAttempt attempt, List<ResourceRequest> asks, List<String> listed, List<String> takenBack,
      Set<ContainerId> preempted) {
    core.lock.lock();
    try {
      if (attempt.isStopped()) {
        return null;
      }
      attempt.updateResourceRequests(asks);
      if (!attempt.isInCore) {
        if (asks.isEmpty()) {
          return null;
        }
        begin(attempt, asks, listed, false);
        return null;
      }
      Answer answer = core.ask(out -> putAsks(out.command(Wire.ALLOCATE).number(attempt.application.number), asks)
          .texts(listed).texts(takenBack), Answer::new);
      for (CoreId id : answer.preempted) {
        RMContainer container = live.get(id);
        if (container != null) {
          preempted.add(container.getContainerId());
        }
      }
      return answer;
    } catch (CoreRefusal refusal) {
      if (!refusal.kind.equals("no-am")) {
        LOG.error("{}: {}", attempt.getApplicationAttemptId(), refusal.getMessage());
      }
      return null;
    } finally {
      core.lock.unlock();
    }
  }

  /** Containers keep the size and the kind that they have. */
  private void refuseUpdates(EvenweaveAttempt attempt, ContainerUpdates updates) {
    if (updates == null) {
      return;
    }
    List<UpdateContainerRequest> all = new ArrayList<>(updates.getIncreaseRequests());
    all.addAll(updates.getDecreaseRequests());
    all.addAll(updates.getPromotionRequests());
    all.addAll(updates.getDemotionRequests());
    for (UpdateContainerRequest request : all) {
      attempt.refuse(UpdateContainerError.newInstance(getClass().getSimpleName() + " does not change containers", request));
    }
  }

  // ------------------------------------------------------------------------------------------------ queues

  /** Where the core's rules put a submission; null where none does. */
  ApplicationPlacementContext place(ApplicationSubmissionContext context, String user) throws YarnException {
    core.lock.lock();
    try {
      sendGroups(user);
      String asked = context.getQueue();
      String placed = core.ask(out -> out.command(Wire.PLACE).text(user).maybe(asked), Wire::readMaybe);
      if (placed == null) {
        return null;
      }
      askedFor.put(context.getApplicationId(), asked);
      int dot = placed.lastIndexOf('.');
      return dot < 0 ? new ApplicationPlacementContext(placed)
          : new ApplicationPlacementContext(placed.substring(dot + 1), placed.substring(0, dot));
    } catch (CoreRefusal refusal) {
      throw new YarnException(refusal.getMessage(), refusal);
    } finally {
      core.lock.unlock();
    }
  }

  private void sendGroups(String user) {
    List<String> groups;
    try {
      groups = Groups.getUserToGroupsMappingService(conf).getGroups(user);
    } catch (IOException unknown) {
      groups = Collections.emptyList();
    }
    List<String> sent = groups;
    core.tellIfThere(out -> out.command(Wire.GROUPS).text(user).texts(sent));
  }

  @Override
  public boolean checkAccess(UserGroupInformation user, QueueACL acl, String queue) {
    ShownQueue state = queues.find(queue);
    if (state == null) {
      return false;
    }
    core.lock.lock();
    try {
      List<String> groups = user.getGroups();
      core.tell(out -> out.command(Wire.GROUPS).text(user.getShortUserName()).texts(groups));
      return core.ask(out -> out.command(Wire.PERMITS).text(user.getShortUserName()).text(state.name)
          .flag(acl == QueueACL.ADMINISTER_QUEUE), Wire::readFlag);
    } catch (CoreRefusal refusal) {
      LOG.error("No access to {}: {}", queue, refusal.getMessage());
      return false;
    } finally {
      core.lock.unlock();
    }
  }

  QueueUserACLInfo userAcls(String queue, UserGroupInformation user) {
    List<QueueACL> may = new ArrayList<>();
    for (QueueACL acl : QueueACL.values()) {
      if (checkAccess(user, acl, queue)) {
        may.add(acl);
      }
    }
    return QueueUserACLInfo.newInstance(queue, may);
  }

  @Override
  public List<QueueUserACLInfo> getQueueUserAclInfo() {
    List<QueueUserACLInfo> all = new ArrayList<>();
    try {
      UserGroupInformation user = UserGroupInformation.getCurrentUser();
      queues.shown().keySet().forEach(queue -> all.add(userAcls(queue, user)));
    } catch (IOException nobody) {
      LOG.debug("Nobody asks", nobody);
    }
    return all;
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
    if (state == null) {
      return null;
    }
    List<ApplicationAttemptId> found = new ArrayList<>();
    applications.values().forEach(application -> {
      String of = application.getQueue().getQueueName();
      EvenweaveAttempt attempt = application.getCurrentAppAttempt();
      if (attempt != null && !attempt.isStopped() && (of.equals(state.name) || of.startsWith(state.name + "."))) {
        found.add(attempt.getApplicationAttemptId());
      }
    });
    return found;
  }

  @Override
  public Resource getMaximumResourceCapability(String queue) {
    Resource most = getMaximumResourceCapability();
    return queue == null || queue.isEmpty() ? most : queues.maximum(queue, most);
  }

  private EvenweaveApplication toMove(ApplicationId id) throws YarnException {
    EvenweaveApplication application = (EvenweaveApplication) applications.get(id);
    if (application == null) {
      throw new YarnException("App to be moved " + id + " not found.");
    }
    return application;
  }

  @Override
  public void preValidateMoveApplication(ApplicationId id, String queue) throws YarnException {
    toMove(id);
    ShownQueue target = queues.find(queue);
    if (target == null || !target.leaf) {
      throw new YarnException("Target queue " + queue + " not found or is not a leaf queue.");
    }
  }

  @Override
  public String moveApplication(ApplicationId id, String queue) throws YarnException {
    core.lock.lock();
    try {
      EvenweaveApplication application = toMove(id);
      preValidateMoveApplication(id, queue);
      EvenweaveAttempt attempt = application.getCurrentAppAttempt();
      if (attempt != null && attempt.isStopped()) {
        throw new YarnException("Application " + id + " is stopped and can't be moved!");
      }
      EvenweaveQueue target = queues.get(queues.find(queue).name);
      if (target == application.getQueue() && !movesWithinQueue()) {
        return target.getQueueName();
      }
      if (application.isInCore) {
        core.tell(out -> out.command(Wire.MOVE).number(application.number).text(target.getQueueName()));
      }
      if (attempt != null) {
        attempt.move(target);
      }
      application.setQueue(target);
      return target.getQueueName();
    } catch (CoreRefusal refusal) {
      throw new YarnException(refusal.getMessage(), refusal);
    } finally {
      core.lock.unlock();
    }
  }

  // ------------------------------------------------------------------------------------------------ time

  /** Demand and shares anew, and what is due; by the update thread, or whoever cannot wait for it. */
  @Override
  public void update() {
    core.lock.lock();
    try {
      lookAtQueueFile();
      byNumber.values().stream().filter(application -> !application.isInCore).forEach(this::keepQueue);
      core.tellIfThere(out -> out.command(Wire.UPDATE));
    } finally {
      core.lock.unlock();
    }
  }

  /** A queue that nobody has configured is not empty while an application has been accepted into it that the core does not know yet. */
  private void keepQueue(EvenweaveApplication application) {
    try {
      queues.mayHaveCome(core.ask(out -> putSubmission(out.command(Wire.ACCEPT), application.number, application.getUser(), true,
          application.getQueue().getQueueName(), null, null, false, application.getPriority()), Wire::readText));
    } catch (CoreRefusal refusal) {
      LOG.debug("{} has no queue: {}", application.id, refusal.getMessage());
    }
  }

  EvenweaveApplication application(ApplicationId id) {
    return (EvenweaveApplication) applications.get(id);
  }
}
